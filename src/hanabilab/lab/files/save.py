"""Files that are written whole or not at all, and small tables as lines of .csv or .jsonl."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hanabilab.checks import alternatives
from hanabilab.errors import FormatError, HanabiError

__all__ = [
    "CsvLines",
    "JsonLines",
    "check_folder",
    "check_table_file",
    "clean",
    "line_format",
    "suffix_of",
    "write_table",
    "writing",
]


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Provide a path to write to; the file gets its real name only when it is complete."""
    target = Path(path)
    part = target.with_name(target.name + ".part")
    try:
        part.touch()
    except OSError as error:
        raise HanabiError(f"{target}: {error.strerror}") from None
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write_table(file: str | os.PathLike[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a small table as .csv or .jsonl (one object per line)."""
    line = line_format(file, list(rows[0]) if rows else [])
    with writing(file) as part, part.open("w", encoding="utf-8", newline="") as stream:
        stream.write(line.header)
        stream.writelines(line.of(row) for row in rows)


def check_table_file(file: str | None) -> None:
    """Raise if a table could not be written to this file, before anything is played."""
    if file is not None:
        line_format(file, [])
        check_folder(file)


def check_folder(file: str) -> None:
    """Raise if the folder of a file does not exist."""
    folder = Path(file).parent
    if not folder.is_dir():
        raise HanabiError(f"{file}: folder {folder} does not exist")


def clean(data: Any) -> Any:
    """Return the same data for JSON, where infinities and NaN become null."""
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, dict):
        return {key: clean(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [clean(value) for value in data]
    return data


class CsvLines:
    """Rows as lines of a .csv file; a list is words in one cell, a missing value is empty."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.header = self._line(names)

    def of(self, row: Mapping[str, Any]) -> str:
        """Return a row as a line of text."""
        return self._line([self.cell(row[name]) for name in self.names])

    def read(self, line: str) -> dict[str, str]:
        """Return the row of a line of text."""
        cells = next(csv.reader([line]))
        if len(cells) != len(self.names):
            raise ValueError(f"{len(cells)} cells for {len(self.names)} columns")
        return dict(zip(self.names, cells, strict=True))

    @staticmethod
    def cell(value: Any) -> Any:
        """Return what stands for a value in a cell."""
        if isinstance(value, list | tuple):
            return " ".join(map(str, value))
        if isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False)
        return "" if value is None or value != value else value

    @staticmethod
    def _line(cells: Sequence[Any]) -> str:
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerow(cells)
        return stream.getvalue()


class JsonLines:
    """Rows as lines of a .jsonl file."""

    header = ""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)

    def of(self, row: Mapping[str, Any]) -> str:
        """Return a row as a line of text."""
        return json.dumps(clean(dict(row)), ensure_ascii=False) + "\n"

    def read(self, line: str) -> dict[str, str]:
        """Return the row of a line of text, with cells as in a .csv file."""
        data = json.loads(line)
        if not isinstance(data, dict) or list(data) != self.names:
            raise ValueError("it is not an object with the columns of this table")
        return {name: str(CsvLines.cell(value)) for name, value in data.items()}


def line_format(file: str | os.PathLike[str], names: Sequence[str]) -> CsvLines | JsonLines:
    """Return the format of the lines of a file, by its suffix."""
    kinds: dict[str, type[CsvLines] | type[JsonLines]] = {".csv": CsvLines, ".jsonl": JsonLines}
    return kinds[suffix_of(file, "tables", kinds)](names)


def suffix_of(file: str | os.PathLike[str], things: str, known: Iterable[str]) -> str:
    """Return the suffix of a file, or raise if such things are not saved in a file like that."""
    suffix, known = Path(file).suffix.lower(), list(known)
    if suffix not in known:
        raise FormatError(f"{file}: {things} are saved as {alternatives(known)}")
    return suffix
