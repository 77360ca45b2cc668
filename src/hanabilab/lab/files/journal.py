"""A table on disk that grows line by line and survives a kill at any moment."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hanabilab.errors import FormatError, HanabiError
from hanabilab.lab.files.save import CsvLines, line_format

__all__ = ["Journal"]


class Journal:
    """The rows of a .csv or .jsonl file, all of which begin with the same `heading`.

    `rows` are those found in the file, as the text of .csv cells. A last line that was cut off is
    dropped; other columns or another heading are an error.
    """

    def __init__(
        self, file: str | os.PathLike[str], heading: Mapping[str, Any], columns: Sequence[str]
    ) -> None:
        self.path = Path(file)
        self.heading = dict(heading)
        self.lines = line_format(file, [*heading, *columns])
        self.rows: list[dict[str, str]] = []
        try:
            found = self.path.read_bytes() if self.path.exists() else b""
            whole = found[: found.rfind(b"\n") + 1]
            header = self.lines.header.encode()
            if not whole and not header.startswith(found) and self.path.suffix.lower() == ".csv":
                raise self._foreign("its first line is not the header of this table")
            self._read(whole)
            if whole != found or not whole:
                self.path.write_bytes(whole or header)
        except OSError as error:
            raise HanabiError(f"{self.path}: {error.strerror}") from None

    def _read(self, whole: bytes) -> None:
        try:
            text = whole.decode()
        except UnicodeDecodeError:
            raise self._foreign("it is not a text file") from None
        if text and not text.startswith(self.lines.header):
            raise self._foreign("its first line is not the header of this table")
        body = text[len(self.lines.header) :]
        expected = {name: str(CsvLines.cell(value)) for name, value in self.heading.items()}
        above = 1 + bool(self.lines.header)
        for number, line in enumerate(body.splitlines(), above):
            try:
                row = self.lines.read(line)
            except (ValueError, csv.Error) as error:
                raise self._foreign(f"line {number}: {error}") from None
            for name, value in expected.items():
                if row[name] != value:
                    raise self._foreign(f"line {number} has {name} {row[name]}, not {value}")
            self.rows.append(row)

    def _foreign(self, reason: str) -> FormatError:
        return FormatError(
            f"{self.path}: this file holds something else ({reason}); remove it or save elsewhere"
        )

    def append(self, row: Mapping[str, Any]) -> None:
        """Append a row; a line that is cut off will be dropped when the file is read again."""
        line = self.lines.of({**self.heading, **row}).encode()
        try:
            with self.path.open("ab", buffering=0) as stream:
                stream.write(line)
        except OSError as error:
            raise HanabiError(f"{self.path}: {error.strerror}") from None
