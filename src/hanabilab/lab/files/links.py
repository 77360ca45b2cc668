"""Links to games of a run that went badly: only those games are played again."""

from __future__ import annotations

from typing import Any

from hanabilab.checks import whole_number
from hanabilab.errors import FormatError
from hanabilab.formats.hanablive import live_numbers, losses, payload_of
from hanabilab.game.deck import Deck
from hanabilab.lab.files.save import GameWriter, LinkWriter
from hanabilab.lab.run import Run
from hanabilab.table.loop import log_game, set_table
from hanabilab.table.play import new_log, turns_taken

__all__ = ["Linker", "saving"]

SCORE = 0


class Linker:
    """Makes links of the games of a run whose score is below a limit."""

    def __init__(self, run: Run, below: int) -> None:
        self.run = run
        self.below = whole_number("links_below", below, 1, run.rules.max_score + 1)
        if not run.rules.deck_ends or run.rules.open_game:
            raise FormatError("links: hanab.live has neither open games nor games without an end")
        self.losses = losses(run.rules, options=False)
        """What the links do not carry."""
        self.table = set_table(run.rules, run.teams[0], compiled=run.compiled)
        self.log = new_log(self.table, run.compiled)
        self.play: Any = log_game
        if run.compiled:
            from hanabilab.core import native

            types = map(native.typeof, (self.table, 0, 0, 0, self.log))
            self.play = native.compile_loop(log_game, *types)

    def links(self, first: int, rows: Any) -> list[str | None]:
        """A link for each row that is below the limit; `first` is the game of the first row."""
        return [
            self.link(first + place // self.run.repeats, place % self.run.repeats)
            if score < self.below
            else None
            for place, score in enumerate(rows[:, SCORE].tolist())
        ]

    def link(self, game: int, repeat: int) -> str:
        """The link of one game."""
        self.play(self.table, self.run.seed, game, repeat, self.log)
        deck = Deck(self.run.rules, tuple(map(int, self.table.deck)))
        numbers = map(int, self.log[: turns_taken(self.table)])
        return payload_of(deck, live_numbers(deck, numbers)).link()


class LinkedRows:
    """Hands rows on to a file, each with its link."""

    def __init__(self, writer: LinkWriter, linker: Linker) -> None:
        self.writer, self.linker = writer, linker

    def add(self, first: int, rows: Any) -> None:
        """Write the games from number `first` on."""
        self.writer.add(first, rows, self.linker.links(first, rows))


def saving(writer: LinkWriter | None, linker: Linker | None) -> list[GameWriter]:
    """What takes the rows of a run that is saved, if it is."""
    if writer is None:
        return []
    return [writer if linker is None else LinkedRows(writer, linker)]
