"""Tables of exact results: over a range of parameters, and saved to a file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from hanabilab.checks import check_integer
from hanabilab.errors import HanabiError
from hanabilab.lab.files import check_folder, checked_suffix, json_safe, write_text
from hanabilab.lab.result import Result

__all__ = ["ExactTable", "check_exact_file", "read_numbers"]

SUFFIXES = (".csv", ".json", ".tex", ".md")
MAX_NUMBERS = 1_000


def check_exact_file(file: str | None) -> None:
    """Raise, before anything is computed, if a table cannot be written to this file."""
    if file is not None:
        checked_suffix(file, "these tables", SUFFIXES)
        check_folder(file)


def read_numbers(
    name: str,
    text: str,
    low: int | None = None,
    high: int | None = None,
    *,
    error: type[HanabiError],
) -> list[int]:
    """Read a number, a list or a range: 3, 2,4 or 2-5."""
    numbers: list[int] = []
    for part in text.split(","):
        first_text, dash, last_text = part.partition("-")
        try:
            first, last = int(first_text), int(last_text if dash else first_text)
        except ValueError:
            raise error(
                f"{name}: {text!r:.80} is not a number, a list or a range like 2-5"
            ) from None
        for number in (first, last):
            check_integer(name, number, low, high, error=error)
        if last - first >= MAX_NUMBERS:
            raise error(f"{name}: {text!r:.80} is a range of more than {MAX_NUMBERS:,} numbers")
        numbers += range(first, last + 1)
    if not numbers:
        raise error(f"{name}: {text!r:.80} is an empty range")
    return numbers


@dataclass(frozen=True, repr=False)
class ExactTable(Result):
    """Results with their exact values: plain data for JSON, and rows for the other formats."""

    title: str
    data: Mapping[str, Any] | Sequence[Any]
    entries: Sequence[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return the title and the data."""
        return {"title": self.title, "data": self.data}

    def rows(self) -> list[dict[str, Any]]:
        """Return the entries."""
        return list(self.entries)

    def summary(self) -> str:
        """Return the title."""
        return self.title

    def save(self, file: str | os.PathLike[str]) -> Self:
        """Write the table; a .json file contains what `--json` prints."""
        if checked_suffix(file, "these tables", SUFFIXES) != ".json":
            return super().save(file)
        write_text(file, json.dumps(json_safe(self.data), ensure_ascii=False) + "\n")
        return self
