"""What clients send, read with suspicion: every field has a type, bounds and a clear refusal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hanabilab.errors import FormatError, HanabiError, one_line
from hanabilab.lab.tally import clean

__all__ = ["MAX_BYTES", "Fields", "read_object", "refusal", "safe_number", "written"]

MAX_BYTES = 256 * 1024
"""The longest message that is read: a pasted game takes a tenth of it."""

REQUIRED: Any = object()
SHOWN = 60
SAFE = 1 << 53
"""From here on JavaScript takes a whole number for its neighbour."""


def read_object(text: str | bytes) -> dict[str, Any]:
    """A JSON object, and nothing else that JSON or Python would let pass for one."""
    if len(text) > MAX_BYTES:
        raise FormatError(f"the message has more than {MAX_BYTES:,} bytes")
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise FormatError("this is nested too deeply") from None
    except ValueError as error:  # also of bytes that are not UTF-8, and of numbers too long
        raise FormatError(f"this is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise FormatError(f"{_short(data)} is not an object")
    return data


def written(data: object) -> str:
    """An object as it is sent: in letters that every text can carry, no number as null."""
    try:
        return json.dumps(data, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(clean(data), separators=(",", ":"), allow_nan=False)


def safe_number(number: int) -> int | str:
    """A number that every reader of JSON gets right: as text if it is large."""
    return number if number < SAFE else str(number)


def refusal(error: HanabiError) -> str:
    """An error in one line."""
    return one_line(str(error))


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _short(data: object) -> str:
    text = repr(data)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


class Fields:
    """The fields of an object, taken one by one; what nobody took is refused by `finish`.

    A field that is null counts as left out.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.left = dict(data)

    def take(self, name: str, default: Any = REQUIRED) -> Any:
        """A field of any type."""
        value = self.left.pop(name, None)
        if value is not None:
            return value
        if default is REQUIRED:
            raise FormatError(f"{name}: it is missing")
        return default

    def has(self, name: str) -> bool:
        """Is this field there?"""
        return self.left.get(name) is not None

    def whole(self, name: str, least: int, most: int, default: Any = REQUIRED) -> Any:
        """A whole number."""
        value = self.take(name, default)
        if value is default:
            return value
        if isinstance(value, bool) or not isinstance(value, int):
            raise FormatError(f"{name}: {_short(value)} is not a whole number")
        if not least <= value <= most:
            raise FormatError(f"{name}: {_short(value)} is not between {least} and {most}")
        return value

    def seed(self, name: str, most: int, default: Any) -> Any:
        """A whole number that may be too long for JavaScript: its digits as text will do."""
        value = self.left.get(name)
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
            self.left[name] = int(value)
        return self.whole(name, 0, most, default)

    def number(self, name: str, least: float, most: float, default: float) -> float:
        """A number."""
        value = self.take(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise FormatError(f"{name}: {_short(value)} is not a number")
        if not least <= value <= most:
            raise FormatError(f"{name}: {_short(value)} is not between {least:g} and {most:g}")
        return float(value)

    def text(self, name: str, most: int, default: Any = REQUIRED) -> Any:
        """Text that is not too long."""
        value = self.take(name, default)
        return value if value is default else checked_text(name, value, most)

    def switch(self, name: str, default: bool = False) -> bool:
        """True or false."""
        value = self.take(name, default)
        if not isinstance(value, bool):
            raise FormatError(f"{name}: {_short(value)} is not true or false")
        return value

    def items(self, name: str, most: int, default: Any = REQUIRED) -> Any:
        """A list that is not too long."""
        value = self.take(name, default)
        if value is default:
            return value
        if not isinstance(value, list):
            raise FormatError(f"{name}: {_short(value)} is not a list")
        if len(value) > most:
            raise FormatError(f"{name}: {len(value)} items are more than {most}")
        return value

    def texts(self, name: str, most: int, letters: int, default: Any = REQUIRED) -> Any:
        """A list of texts; a single text counts as one."""
        if isinstance(self.left.get(name), str):
            return [self.text(name, letters)]
        found = self.items(name, most, default)
        if found is default:
            return found
        return [checked_text(name, item, letters) for item in found]

    def object(self, name: str, default: Any = REQUIRED) -> Any:
        """An object."""
        value = self.take(name, default)
        if value is not default and not isinstance(value, dict):
            raise FormatError(f"{name}: {_short(value)} is not an object")
        return value

    def finish(self, known: Sequence[str] = ()) -> None:
        """Refuse fields that nobody took."""
        for name in self.left:
            if name not in known:
                raise FormatError(f"{_short(name)}: there is no such field here")


def checked_text(name: str, value: object, most: int) -> str:
    """Text that is not too long."""
    if not isinstance(value, str):
        raise FormatError(f"{name}: {_short(value)} is not text")
    if len(value) > most:
        raise FormatError(f"{name}: {len(value):,} letters are more than {most:,}")
    return value
