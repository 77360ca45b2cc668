"""Write every game of a run as a row of a .csv or .parquet file, while the games are played."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hanabilab.checks import check_integer
from hanabilab.errors import FormatError
from hanabilab.formats.hanablive import live_numbers, payload_of
from hanabilab.game.deck import Deck
from hanabilab.lab.files import File, atomic_write, checked_suffix, file_errors, import_pyarrow
from hanabilab.lab.run import Run
from hanabilab.table.game import ENDS
from hanabilab.table.loop import log_game, make_table, run_kernel, turns_with_points
from hanabilab.table.play import new_log, turns_taken

if TYPE_CHECKING:
    from hanabilab.lab.run import Rows

__all__ = ["GameWriter", "LinkWriter", "ReplayLinks", "game_writer", "row_writers"]

ROW_GROUP = 1 << 16
"""Rows per group: bounds the memory, and makes the file independent of the chunks."""

Links = Sequence[str | None] | None
"""A link or None for each row; None without links."""


class GameWriter(Protocol):
    """Receives the rows of games, in order."""

    def add(self, first: int, rows: Rows) -> None:
        """Write the games from number `first` on."""


class LinkWriter(Protocol):
    """Receives the rows of games, each with a link."""

    def add(self, first: int, rows: Rows, links: Links = None) -> None:
        """Write the games from number `first` on."""


class RowFile(LinkWriter, Protocol):
    """A file of rows that is open for writing."""

    def finish(self) -> None:
        """Write buffered rows, and close the file."""

    def abandon(self) -> None:
        """Close the file without writing buffered rows."""


@contextlib.contextmanager
def game_writer(
    file: File | None,
    repeats: int,
    about: Mapping[str, Any],
    *,
    links: bool = False,
) -> Iterator[GuardedWriter | None]:
    """Open a file for the rows of games: game, (repeat,) score, turns, misplays, end (, link).

    A write error raises `SaveError`, and nothing is saved. Discarded rows are not saved either.
    """
    if file is None:
        yield None
        return
    kinds: dict[str, type[ParquetRows] | type[CsvRows]] = {".parquet": ParquetRows, ".csv": CsvRows}
    kind = kinds[checked_suffix(file, "games", kinds)]
    with contextlib.suppress(_DiscardedError), atomic_write(file) as part:
        with file_errors(file):
            rows = kind(part, repeats, about, links)
        try:
            yield (writer := GuardedWriter(file, rows))
            if writer.discarded:
                raise _DiscardedError
            with file_errors(file):
                rows.finish()
        except BaseException:
            with contextlib.suppress(OSError):
                rows.abandon()
            raise


class _DiscardedError(Exception):
    """Leaves the file of games as it was."""


class GuardedWriter:
    """Writes rows to a file, and names the file in errors."""

    def __init__(self, file: File, rows: RowFile) -> None:
        self.file, self.rows = file, rows
        self.discarded = False

    def discard_if_replacing(self) -> None:
        """Drop the rows if they would replace an earlier file: they are not complete."""
        self.discarded = Path(self.file).exists()

    def add(self, first: int, rows: Rows, links: Links = None) -> None:
        """Write the games from number `first` on."""
        with file_errors(self.file):
            self.rows.add(first, rows, links)


def columns(repeats: int, links: bool) -> tuple[str, ...]:
    """Return the columns of the file."""
    inner = ("repeat",) if repeats > 1 else ()
    return ("game", *inner, "score", "turns", "misplays", "end", *(["link"] if links else []))


class CsvRows:
    """Rows of games as lines of a .csv file."""

    def __init__(
        self, path: Path, repeats: int, about: Mapping[str, Any], with_links: bool
    ) -> None:
        self.repeats, self.with_links = repeats, with_links
        self.stream = path.open("w", encoding="utf-8", newline="")
        self.stream.write(",".join(columns(repeats, with_links)) + "\n")

    def add(self, first: int, rows: Rows, links: Links = None) -> None:
        """Write the games from number `first` on."""
        lines = []
        for place, (score, turns, misplays, end) in enumerate(rows.tolist()):
            game, repeat = divmod(place, self.repeats)
            number = f"{first + game},{repeat}" if self.repeats > 1 else f"{first + game}"
            link = f',"{links[place]}"' if links and links[place] else "," * self.with_links
            lines.append(f"{number},{score},{turns},{misplays},{ENDS[end]}{link}\n")
        self.stream.writelines(lines)

    def finish(self) -> None:
        """Write buffered rows, and close the file."""
        self.stream.close()

    abandon = finish


class ParquetRows:
    """Rows of games as a .parquet file, in groups of equal size."""

    def __init__(
        self, path: Path, repeats: int, about: Mapping[str, Any], with_links: bool
    ) -> None:
        pa = import_pyarrow()
        names = columns(repeats, with_links)
        words = pa.dictionary(pa.int8(), pa.string())
        types = {"game": pa.int64(), "end": words, "link": pa.string()}
        self.schema = pa.schema(
            [(name, types.get(name, pa.int32())) for name in names],
            metadata={"hanabilab": json.dumps(about, ensure_ascii=False)},
        )
        self.repeats, self.with_links = repeats, with_links
        self.numbers = names.index("end")
        self.buffered: list[Rows] = []
        self.links: list[str | None] = []
        self.writer = pa.parquet.ParquetWriter(path, self.schema)

    def add(self, first: int, rows: Rows, links: Links = None) -> None:
        """Write the games from number `first` on."""
        import numpy as np

        self.links.extend(links or [])
        places = np.arange(len(rows))
        games = [first + places // self.repeats]
        if self.repeats > 1:
            games.append(places % self.repeats)
        self.buffered.append(np.column_stack([*games, rows]))
        if sum(map(len, self.buffered)) >= ROW_GROUP:
            self._flush(ROW_GROUP)

    def finish(self) -> None:
        """Write buffered rows, and close the file."""
        self._flush(1)
        self.writer.close()

    def abandon(self) -> None:
        """Close the file without writing buffered rows."""
        self.writer.close()

    def _flush(self, least: int) -> None:
        """Write groups of rows while at least `least` rows are buffered."""
        import numpy as np

        rows = np.concatenate(self.buffered) if self.buffered else np.zeros((0, 0), np.int64)
        while len(rows) >= least and len(rows):
            self._write(rows[:ROW_GROUP])
            rows = rows[ROW_GROUP:]
        self.buffered = [rows]

    def _write(self, group: Rows) -> None:
        import numpy as np
        import pyarrow as pa

        arrays = [
            pa.array(group[:, place], self.schema.types[place]) for place in range(self.numbers)
        ]
        ends = pa.DictionaryArray.from_arrays(
            pa.array(group[:, -1].astype(np.int8)),
            pa.array([ENDS[end] or "" for end in sorted(ENDS)]),
        )
        links = [pa.array(self.links[: len(group)], pa.string())] if self.with_links else []
        del self.links[: len(group)]
        table = pa.Table.from_arrays([*arrays, ends, *links], schema=self.schema)
        self.writer.write_table(table)


SCORE = 0


class ReplayLinks:
    """Makes links to the games of a run whose score is below a limit; only these are replayed."""

    def __init__(self, run: Run, below: int) -> None:
        self.run = run
        self.below = check_integer("links_below", below, 1, run.rules.max_score + 1)
        if not run.rules.deck_ends or run.rules.open_game:
            raise FormatError("links: hanab.live has neither open games nor games without an end")
        self.table = make_table(run.rules, run.teams[0], compiled=run.compiled)
        self.log = new_log(self.table, run.compiled)

    def for_rows(self, first: int, rows: Rows) -> list[str | None]:
        """Return a link for each row below the limit; `first` is the game of the first row."""
        return [
            self.link(first + place // self.run.repeats, place % self.run.repeats)
            if score < self.below
            else None
            for place, score in enumerate(rows[:, SCORE].tolist())
        ]

    def link(self, game: int, repeat: int) -> str:
        """Replay one game and return its link."""
        arguments = (self.table, self.run.seed, game, repeat, self.log)
        run_kernel(log_game, *arguments, compiled=self.run.compiled)
        deck = Deck(self.run.rules, tuple(map(int, self.table.deck)))
        turns = turns_taken(self.table)
        if not self.run.rules.score_ends:  # the site ends a game when no more points are possible
            turns = run_kernel(turns_with_points, self.table, self.log, compiled=self.run.compiled)
        return payload_of(deck, live_numbers(deck, map(int, self.log[:turns]))).link()


class LinkedRows:
    """Writes rows to a file, each with its link."""

    def __init__(self, writer: LinkWriter, links: ReplayLinks) -> None:
        self.writer, self.links = writer, links

    def add(self, first: int, rows: Rows) -> None:
        """Write the games from number `first` on."""
        self.writer.add(first, rows, self.links.for_rows(first, rows))


def row_writers(writer: LinkWriter | None, links: ReplayLinks | None) -> list[GameWriter]:
    """Return the writers of a run; an empty list if it is not saved."""
    if writer is None:
        return []
    return [writer if links is None else LinkedRows(writer, links)]
