"""Read what clients send: every field has a type and bounds, and a clear message if it is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

from hanabilab.checks import whole_number
from hanabilab.errors import FormatError, HanabiError, one_line
from hanabilab.lab.files import json_safe

__all__ = [
    "MAX_BYTES",
    "Fields",
    "JsonObject",
    "checked_text",
    "error_text",
    "read_object",
    "safe_number",
    "write_object",
]

MAX_BYTES = 256 * 1024
"""The longest message that is read; a pasted game takes a tenth of it."""

REQUIRED: Any = object()
SHOWN = 60
"""Characters of a wrong value that a message quotes."""
SAFE = 1 << 53
"""From here on JavaScript rounds whole numbers."""

JsonObject = dict[str, object]

Default = TypeVar("Default")
"""The type of a field's default; a field without one must be given."""


def read_object(text: str | bytes) -> JsonObject:
    """Read a strict JSON object: no NaN, no infinity, no other type at the top."""
    if len(text) > MAX_BYTES:
        raise FormatError(f"the message has more than {MAX_BYTES:,} bytes")
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise FormatError("the message is nested too deeply") from None
    except ValueError as error:  # also bytes that are not UTF-8, and numbers that are too long
        raise FormatError(f"the message is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise FormatError(f"{_short(data)} is not an object")
    return data


def write_object(data: object) -> str:
    """Return an object as ASCII JSON; NaN and infinity become null."""
    try:
        return json.dumps(data, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(json_safe(data), separators=(",", ":"), allow_nan=False)


def safe_number(number: int) -> int | str:
    """Return a number that every reader of JSON gets right: a large one as text."""
    return number if number < SAFE else str(number)


def error_text(error: HanabiError) -> str:
    """Return the message of an error in one line."""
    return one_line(str(error))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _short(data: object) -> str:
    text = repr(data)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


class Fields:
    """The fields of an object, taken one by one; `finish` raises if any are left.

    A field that is null counts as left out.
    """

    def __init__(self, data: Mapping[str, object]) -> None:
        self.left = dict(data)

    def take(self, name: str, default: object = REQUIRED) -> Any:
        """Take a field of any type."""
        value = self.left.pop(name, None)
        if value is not None:
            return value
        if default is REQUIRED:
            raise FormatError(f"{name}: missing")
        return default

    def has(self, name: str) -> bool:
        """Tell whether a field is given."""
        return self.left.get(name) is not None

    def whole(self, name: str, least: int, most: int, default: Default = REQUIRED) -> int | Default:
        """Take a whole number."""
        value = self.take(name, default)
        if value is default:
            return default
        return whole_number(name, value, least, most, error=FormatError)

    def seed(self, name: str, most: int, default: Default) -> int | Default:
        """Take a whole number that may be too large for JavaScript: digits as text count too."""
        value = self.left.get(name)
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
            self.left[name] = int(value)
        return self.whole(name, 0, most, default)

    def number(self, name: str, least: float, most: float, default: float) -> float:
        """Take a number."""
        value = self.take(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise FormatError(f"{name}: {_short(value)} is not a number")
        if not least <= value <= most:
            raise FormatError(f"{name}: {_short(value)} is not between {least:g} and {most:g}")
        return float(value)

    def text(self, name: str, most: int, default: Default = REQUIRED) -> str | Default:
        """Take text of at most `most` letters."""
        value = self.take(name, default)
        return default if value is default else checked_text(name, value, most)

    def switch(self, name: str, default: bool = False) -> bool:
        """Take true or false."""
        value = self.take(name, default)
        if not isinstance(value, bool):
            raise FormatError(f"{name}: {_short(value)} is not true or false")
        return value

    def items(self, name: str, most: int, default: Default = REQUIRED) -> list[object] | Default:
        """Take a list of at most `most` items."""
        value = self.take(name, default)
        if value is default:
            return default
        if not isinstance(value, list):
            raise FormatError(f"{name}: {_short(value)} is not a list")
        if len(value) > most:
            raise FormatError(f"{name}: {len(value)} items are more than {most}")
        return value

    def texts(
        self, name: str, most: int, letters: int, default: Default = REQUIRED
    ) -> list[str] | Default:
        """Take a list of texts; a single text counts as a list of one."""
        if isinstance(self.left.get(name), str):
            return [self.text(name, letters)]
        if default is not REQUIRED and not self.has(name):
            return default
        return [checked_text(name, item, letters) for item in self.items(name, most)]

    def mapping(self, name: str) -> JsonObject:
        """Take an object."""
        value = self.take(name)
        if not isinstance(value, dict):
            raise FormatError(f"{name}: {_short(value)} is not an object")
        return value

    def finish(self) -> None:
        """Raise if there is a field that nobody took."""
        for name in self.left:
            raise FormatError(f"{_short(name)}: no such field here")


def checked_text(name: str, value: object, most: int) -> str:
    """Return a value if it is text of at most `most` letters, or raise."""
    if not isinstance(value, str):
        raise FormatError(f"{name}: {_short(value)} is not text")
    if len(value) > most:
        raise FormatError(f"{name}: {len(value):,} letters are more than {most:,}")
    return value
