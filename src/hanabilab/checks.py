"""Validate values that users pass in; every package may use these functions."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable
from typing import SupportsIndex, cast

from hanabilab.errors import HanabiError

__all__ = ["alternatives", "check_choice", "check_integer", "did_you_mean", "is_integer", "shorten"]

QUOTED = 60
"""How many characters of an invalid value a message quotes."""


def is_integer(value: object) -> bool:
    """Return whether a value is an integer; booleans are not, NumPy integers are."""
    if type(value) is int:  # the fast path: this runs at every step and for every card
        return True
    return isinstance(value, SupportsIndex) and not isinstance(value, bool)


def check_integer(
    name: str,
    value: object,
    least: int | None = None,
    most: int | None = None,
    *,
    error: type[HanabiError] = HanabiError,
) -> int:
    """Return an integer from `least` to `most`, or raise an error that names it."""
    try:
        number = operator.index(cast("SupportsIndex", value)) if is_integer(value) else None
    except TypeError:  # an array of several numbers, or of floats
        number = None
    if number is None:
        raise error(f"{name}: {shorten(value)} is not an integer")
    if (least is None or number >= least) and (most is None or number <= most):
        return number
    if least is not None and most is not None:
        raise error(f"{name}: {shorten(number)} is not between {least} and {most}")
    bound = f"at least {least}" if most is None else f"at most {most}"
    raise error(f"{name}: {shorten(number)} is not {bound}")


def check_choice(
    name: str, value: object, known: Iterable[str], *, error: type[HanabiError] = HanabiError
) -> str:
    """Return one of the known words, or raise an error that lists them."""
    words = list(known)
    if isinstance(value, str) and value in words:
        return value
    meant = did_you_mean(str(value), words)
    raise error(f"unknown {name} {shorten(value)}; expected {alternatives(words)}{meant}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a suggestion for an unknown word, to end a message: the closest known word, if any."""
    same = {each.lower().replace("_", "-"): each for each in known}
    close = difflib.get_close_matches(word[:QUOTED].lower().replace("_", "-"), same, 1)
    return f"; did you mean {same[close[0]]}?" if close else ""


def alternatives(words: Iterable[str]) -> str:
    """Return a list of words as "a, b or c"."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def shorten(value: object) -> str:
    """Return the representation of a value for a message, cut to 60 characters."""
    try:
        text = repr(value)
    except ValueError:
        return "an integer with too many digits to print"
    except RecursionError:
        return "a value nested too deeply to print"
    return text if len(text) <= QUOTED else f"{text[: QUOTED - 3]}..."
