"""Files of results: every game as a row, written while the games are played; and small tables."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from hanabilab.errors import FormatError, HanabiError, MissingExtraError
from hanabilab.table.game import ENDS

__all__ = ["GameWriter", "LinkWriter", "check_table_file", "game_writer", "write_table", "writing"]

ROW_GROUP = 1 << 16
"""Rows that are written together, so that memory does not grow and pieces leave no trace."""


Links = Sequence[str | None] | None
"""A link for each row, or none at all."""


class GameWriter(Protocol):
    """Takes the rows of games, in order."""

    def add(self, first: int, rows: Any) -> None:
        """Write the games from number `first` on."""


class LinkWriter(Protocol):
    """Also takes a link for each row."""

    def add(self, first: int, rows: Any, links: Links = None) -> None:
        """Write the games from number `first` on."""


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to that takes its real name only when all is written."""
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


@contextlib.contextmanager
def game_writer(
    file: str | os.PathLike[str] | None,
    repeats: int,
    about: Mapping[str, Any],
    *,
    links: bool = False,
) -> Iterator[LinkWriter | None]:
    """A writer of game, (repeat,) score, turns, misplays, end (, link) to .csv or .parquet."""
    if file is None:
        yield None
        return
    ending = Path(file).suffix.lower()
    makers = {".csv": _csv_writer, ".parquet": _parquet_writer}
    if ending not in makers:
        raise FormatError(f"{file}: games are saved as .parquet or .csv, not as {ending or 'that'}")
    with writing(file) as part, makers[ending](part, repeats, about, links) as writer:
        yield writer


def columns(repeats: int, links: bool) -> tuple[str, ...]:
    """What stands in the file."""
    inner = ("repeat",) if repeats > 1 else ()
    return ("game", *inner, "score", "turns", "misplays", "end", *(["link"] if links else []))


@contextlib.contextmanager
def _csv_writer(
    path: Path, repeats: int, about: Mapping[str, Any], with_links: bool
) -> Iterator[LinkWriter]:
    class Writer:
        def add(self, first: int, rows: Any, links: Links = None) -> None:
            lines = []
            for place, (score, turns, misplays, end) in enumerate(rows.tolist()):
                game, repeat = divmod(place, repeats)
                number = f"{first + game},{repeat}" if repeats > 1 else f"{first + game}"
                link = f',"{links[place]}"' if links and links[place] else "," * with_links
                lines.append(f"{number},{score},{turns},{misplays},{ENDS[end]}{link}\n")
            stream.writelines(lines)

    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(",".join(columns(repeats, with_links)) + "\n")
        yield Writer()


@contextlib.contextmanager
def _parquet_writer(
    path: Path, repeats: int, about: Mapping[str, Any], with_links: bool
) -> Iterator[LinkWriter]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "a .parquet file") from None
    import numpy as np

    words = pa.dictionary(pa.int8(), pa.string())
    types = {"game": pa.int64(), "end": words, "link": pa.string()}
    names = columns(repeats, with_links)
    numbers = names.index("end")
    schema = pa.schema(
        [(name, types.get(name, pa.int32())) for name in names],
        metadata={"hanabilab": json.dumps(about, ensure_ascii=False)},
    )
    waiting: list[Any] = []
    told: list[str | None] = []

    def flush(least: int) -> None:
        rows = np.concatenate(waiting) if waiting else np.zeros((0, numbers + 1), np.int64)
        while len(rows) >= least and len(rows):
            group, rows = rows[:ROW_GROUP], rows[ROW_GROUP:]
            ends = pa.DictionaryArray.from_arrays(
                pa.array(group[:, -1].astype(np.int8)), pa.array([ENDS[i] or "" for i in range(4)])
            )
            arrays = [pa.array(group[:, place], schema.types[place]) for place in range(numbers)]
            links = [pa.array(told[: len(group)], pa.string())] if with_links else []
            del told[: len(group)]
            writer.write_table(pa.Table.from_arrays([*arrays, ends, *links], schema=schema))
        waiting[:] = [rows]

    class Writer:
        def add(self, first: int, rows: Any, links: Links = None) -> None:
            told.extend(links or [])
            places = np.arange(len(rows))
            games = [first + places // repeats]
            if repeats > 1:
                games.append(places % repeats)
            waiting.append(np.column_stack([*games, rows]))
            if sum(map(len, waiting)) >= ROW_GROUP:
                flush(ROW_GROUP)

    with pq.ParquetWriter(path, schema) as writer:
        yield Writer()
        flush(1)


def write_table(file: str | os.PathLike[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a small table as .csv or .jsonl (one object a line)."""
    line = line_format(file, list(rows[0]) if rows else [])
    with writing(file) as part, part.open("w", encoding="utf-8", newline="") as stream:
        stream.write(line.header)
        stream.writelines(line.of(row) for row in rows)


def check_table_file(file: str | None) -> None:
    """Refuse a file that could not be written, before anything is played."""
    if file is not None:
        line_format(file, [])
        if not Path(file).parent.is_dir():
            raise HanabiError(f"{file}: there is no folder {Path(file).parent}")


class CsvLines:
    """Rows as lines of a .csv file; lists are words in one cell, missing values are empty."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.header = self._line(names)

    def of(self, row: Mapping[str, Any]) -> str:
        """One row as text."""
        return self._line([self.cell(row[name]) for name in self.names])

    def read(self, line: str) -> dict[str, str]:
        """One row of text."""
        cells = next(csv.reader([line]))
        if len(cells) != len(self.names):
            raise ValueError(f"{len(cells)} cells for {len(self.names)} columns")
        return dict(zip(self.names, cells, strict=True))

    @staticmethod
    def cell(value: Any) -> Any:
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
        """One row as text."""
        from hanabilab.lab.tally import clean

        return json.dumps(clean(dict(row)), ensure_ascii=False) + "\n"

    def read(self, line: str) -> dict[str, str]:
        """One row of text, in the words of a .csv file."""
        data = json.loads(line)
        if not isinstance(data, dict) or list(data) != self.names:
            raise ValueError("it is not an object with the columns of this table")
        return {name: str(CsvLines.cell(value)) for name, value in data.items()}


def line_format(file: str | os.PathLike[str], names: Sequence[str]) -> CsvLines | JsonLines:
    """How a file of this name holds rows."""
    kinds: dict[str, type[CsvLines] | type[JsonLines]] = {".csv": CsvLines, ".jsonl": JsonLines}
    ending = Path(file).suffix.lower()
    if ending not in kinds:
        raise FormatError(f"{file}: tables are saved as .csv or .jsonl, not as {ending or 'that'}")
    return kinds[ending](names)
