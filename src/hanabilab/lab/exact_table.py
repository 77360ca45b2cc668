"""Tables of exact results: counts and chances of `hanabilab.theory`, to display, save and plot."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from hanabilab.lab.files import check_folder, checked_suffix, json_safe, write_text
from hanabilab.lab.result import Result

__all__ = ["ExactTable", "check_exact_file", "exact_table"]

SUFFIXES = (".csv", ".json", ".tex", ".md")


def check_exact_file(file: str | None) -> None:
    """Raise, before anything is computed, if a table cannot be written to this file."""
    if file is not None:
        checked_suffix(file, "these tables", SUFFIXES)
        check_folder(file)


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


class Exact(Protocol):
    """An exact result, such as those of `hanabilab.theory`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""


def exact_table(found: Exact | Sequence[Exact], title: str = "Exact results") -> ExactTable:
    """Return a result with a row for each exact count or chance.

    Examples
    --------
    >>> from hanabilab import theory
    >>> counts = [theory.count_decks(2, 1, 1, hand=hand) for hand in (1, 2)]
    >>> [row["playable"] for row in exact_table(counts).rows()]
    [3, 7]
    """
    several = found if isinstance(found, Sequence) else [found]
    data = [each.to_dict() for each in several]
    return ExactTable(title, data, [dict(entry) for entry in data])
