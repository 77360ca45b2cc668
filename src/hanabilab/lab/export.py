"""Results as data, as JSON and as files."""

from __future__ import annotations

import json
import os
from typing import Any, Self

from hanabilab.deprecation import renamed
from hanabilab.lab.files.save import clean, write_table

__all__ = ["Exported"]


class Exported:
    """Base of every result: data, JSON text, and a table to save."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Return the result as JSON text."""
        return json.dumps(clean(self.to_dict()), ensure_ascii=False)

    def rows(self) -> list[dict[str, Any]]:
        """Return the result as a table: one dictionary per row, all with the same keys."""
        raise NotImplementedError

    def save(self, file: str | os.PathLike[str]) -> Self:
        """Write the table to a .csv or .jsonl file."""
        write_table(file, self.rows())
        return self

    to_csv = renamed("to_csv", "save")
