"""Every game of a run as a row of a .csv or .parquet file, written while the games are played."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hanabilab.errors import MissingExtraError
from hanabilab.lab.files.save import suffix_of, writing
from hanabilab.table.game import ENDS

if TYPE_CHECKING:
    from hanabilab.lab.run import Rows

__all__ = ["GameWriter", "LinkWriter", "game_writer"]

ROW_GROUP = 1 << 16
"""Rows written together, so that memory does not grow and pieces leave no trace in the file."""

Links = Sequence[str | None] | None
"""A link for each row, or none at all."""


class GameWriter(Protocol):
    """Takes the rows of games, in order."""

    def add(self, first: int, rows: Rows) -> None:
        """Write the games from number `first` on."""


class LinkWriter(Protocol):
    """Also takes a link for each row."""

    def add(self, first: int, rows: Rows, links: Links = None) -> None:
        """Write the games from number `first` on."""


@contextlib.contextmanager
def game_writer(
    file: str | os.PathLike[str] | None,
    repeats: int,
    about: Mapping[str, Any],
    *,
    links: bool = False,
) -> Iterator[LinkWriter | None]:
    """Open a file for the rows of games: game, (repeat,) score, turns, misplays, end (, link)."""
    if file is None:
        yield None
        return
    makers = {".parquet": _parquet_writer, ".csv": _csv_writer}
    make = makers[suffix_of(file, "games", makers)]
    with writing(file) as part, make(part, repeats, about, links) as writer:
        yield writer


def columns(repeats: int, links: bool) -> tuple[str, ...]:
    """Return the columns of the file."""
    inner = ("repeat",) if repeats > 1 else ()
    return ("game", *inner, "score", "turns", "misplays", "end", *(["link"] if links else []))


@contextlib.contextmanager
def _csv_writer(
    path: Path, repeats: int, about: Mapping[str, Any], with_links: bool
) -> Iterator[LinkWriter]:
    class Writer:
        def add(self, first: int, rows: Rows, links: Links = None) -> None:
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
    waiting: list[Rows] = []
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
        def add(self, first: int, rows: Rows, links: Links = None) -> None:
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
