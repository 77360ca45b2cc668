"""Links to the games of a run that went badly; only those are played again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hanabilab.checks import whole_number
from hanabilab.errors import FormatError
from hanabilab.formats.hanablive import live_numbers, payload_of
from hanabilab.game.deck import Deck
from hanabilab.lab.files.game_rows import GameWriter, LinkWriter
from hanabilab.lab.run import Run
from hanabilab.table.loop import log_game, run_kernel, set_table
from hanabilab.table.play import new_log, turns_taken

if TYPE_CHECKING:
    from hanabilab.lab.run import Rows

__all__ = ["Linker", "row_writers"]

SCORE = 0


class Linker:
    """Makes links to the games of a run whose score is below a limit."""

    def __init__(self, run: Run, below: int) -> None:
        self.run = run
        self.below = whole_number("links_below", below, 1, run.rules.max_score + 1)
        if not run.rules.deck_ends or run.rules.open_game:
            raise FormatError("links: hanab.live has neither open games nor games without an end")
        self.table = set_table(run.rules, run.teams[0], compiled=run.compiled)
        self.log = new_log(self.table, run.compiled)

    def links(self, first: int, rows: Rows) -> list[str | None]:
        """Return a link for each row below the limit; `first` is the game of the first row."""
        return [
            self.link(first + place // self.run.repeats, place % self.run.repeats)
            if score < self.below
            else None
            for place, score in enumerate(rows[:, SCORE].tolist())
        ]

    def link(self, game: int, repeat: int) -> str:
        """Play one game again and return its link."""
        arguments = (self.table, self.run.seed, game, repeat, self.log)
        run_kernel(log_game, *arguments, compiled=self.run.compiled)
        deck = Deck(self.run.rules, tuple(map(int, self.table.deck)))
        numbers = map(int, self.log[: turns_taken(self.table)])
        return payload_of(deck, live_numbers(deck, numbers)).link()


class LinkedRows:
    """Passes rows on to a file, each with its link."""

    def __init__(self, writer: LinkWriter, linker: Linker) -> None:
        self.writer, self.linker = writer, linker

    def add(self, first: int, rows: Rows) -> None:
        """Write the games from number `first` on."""
        self.writer.add(first, rows, self.linker.links(first, rows))


def row_writers(writer: LinkWriter | None, linker: Linker | None) -> list[GameWriter]:
    """Return the writers of a run: none if it is not saved."""
    if writer is None:
        return []
    return [writer if linker is None else LinkedRows(writer, linker)]
