"""Parse and validate JSON requests: every field has a type and bounds, and a clear error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

from hanabilab.checks import check_integer, shorten
from hanabilab.errors import FormatError, HanabiError, one_line
from hanabilab.lab.files import json_safe

__all__ = [
    "MAX_BYTES",
    "JsonObject",
    "RequestFields",
    "check_text",
    "dump_json",
    "error_text",
    "parse_object",
    "safe_integer",
]

MAX_BYTES = 256 * 1024
"""The longest message that is read; a pasted game takes a tenth of it."""
REQUIRED: Any = object()
MAX_SAFE_INTEGER = 1 << 53
"""The largest integers that JavaScript represents exactly are below this."""
JsonObject = dict[str, object]
Default = TypeVar("Default")
"""The type of a field's default; a field without one must be given."""


def parse_object(text: str | bytes) -> JsonObject:
    """Parse a strict JSON object: no NaN, no infinity, no other type at the top."""
    if len(text) > MAX_BYTES:
        raise FormatError(f"the message has more than {MAX_BYTES:,} bytes")
    try:
        data = json.loads(text, parse_constant=_reject_constant)
    except RecursionError:
        raise FormatError("the message is nested too deeply") from None
    except ValueError as error:  # also bytes that are not UTF-8, and numbers that are too long
        raise FormatError(f"the message is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise FormatError(f"{shorten(data)} is not an object")
    return data


def dump_json(data: object) -> str:
    """Serialize an object as ASCII JSON; NaN and infinity become null."""
    try:
        return json.dumps(data, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(json_safe(data), separators=(",", ":"), allow_nan=False)


def safe_integer(number: int) -> int | str:
    """Return an integer that JavaScript does not round: a large one as text."""
    return number if number < MAX_SAFE_INTEGER else str(number)


def error_text(error: HanabiError) -> str:
    """Return the message of an error in one line."""
    return one_line(str(error))


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


class RequestFields:
    """The fields of a request, validated one by one; `finish` raises if any remain.

    A field that is null counts as missing.
    """

    def __init__(self, data: Mapping[str, object]) -> None:
        self.remaining = dict(data)

    def take(self, name: str, default: object = REQUIRED) -> Any:
        """Take a field of any type."""
        value = self.remaining.pop(name, None)
        if value is not None:
            return value
        if default is REQUIRED:
            raise FormatError(f"{name}: missing")
        return default

    def has(self, name: str) -> bool:
        """Return whether a field is present."""
        return self.remaining.get(name) is not None

    def integer(
        self, name: str, least: int, most: int, default: Default = REQUIRED
    ) -> int | Default:
        """Take an integer."""
        value = self.take(name, default)
        if value is default:
            return default
        return check_integer(name, value, least, most, error=FormatError)

    def seed(self, name: str, most: int, default: Default) -> int | Default:
        """Take an integer that may be too large for JavaScript; it may be sent as text."""
        value = self.remaining.get(name)
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
            self.remaining[name] = int(value)
        return self.integer(name, 0, most, default)

    def number(self, name: str, least: float, most: float, default: float) -> float:
        """Take a number."""
        value = self.take(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise FormatError(f"{name}: {shorten(value)} is not a number")
        if not least <= value <= most:
            raise FormatError(f"{name}: {shorten(value)} is not between {least:g} and {most:g}")
        return float(value)

    def text(self, name: str, most: int, default: Default = REQUIRED) -> str | Default:
        """Take text of at most `most` letters."""
        value = self.take(name, default)
        return default if value is default else check_text(name, value, most)

    def boolean(self, name: str, default: bool = False) -> bool:
        """Take true or false."""
        value = self.take(name, default)
        if not isinstance(value, bool):
            raise FormatError(f"{name}: {shorten(value)} is not true or false")
        return value

    def items(self, name: str, most: int, default: Default = REQUIRED) -> list[object] | Default:
        """Take a list of at most `most` items."""
        value = self.take(name, default)
        if value is default:
            return default
        if not isinstance(value, list):
            raise FormatError(f"{name}: {shorten(value)} is not a list")
        if len(value) > most:
            raise FormatError(f"{name}: {len(value)} items are more than {most}")
        return value

    def texts(
        self, name: str, most: int, letters: int, default: Default = REQUIRED
    ) -> list[str] | Default:
        """Take a list of texts; a single text counts as a list of one."""
        if isinstance(self.remaining.get(name), str):
            return [self.text(name, letters)]
        if default is not REQUIRED and not self.has(name):
            return default
        return [check_text(name, item, letters) for item in self.items(name, most)]

    def mapping(self, name: str) -> JsonObject:
        """Take an object."""
        value = self.take(name)
        if not isinstance(value, dict):
            raise FormatError(f"{name}: {shorten(value)} is not an object")
        return value

    def finish(self) -> None:
        """Raise if a field was not taken: it is unknown."""
        for name in self.remaining:
            raise FormatError(f"{shorten(name)}: no such field here")


def check_text(name: str, value: object, most: int) -> str:
    """Return a value if it is text of at most `most` letters, or raise."""
    if not isinstance(value, str):
        raise FormatError(f"{name}: {shorten(value)} is not text")
    if len(value) > most:
        raise FormatError(f"{name}: {len(value):,} letters are more than {most:,}")
    return value
