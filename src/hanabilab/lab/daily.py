"""The deck and the puzzle of the day: the same on every machine, from the UTC date alone.

The date is the seed: 17 November 2026 is seed 20261117. The deck of the day is game 0 of that seed,
the puzzle of the day the first puzzle among its decks for five players, where late positions with
a single good move are frequent. Puzzles are found by searches of limited size, never of limited
time, so a slow machine finds the same one.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from hanabilab.errors import FormatError
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules, preset
from hanabilab.lab.puzzles import Puzzle, find_puzzles
from hanabilab.lab.solve import Answer, solve

__all__ = ["DailyDeck", "daily_deck", "daily_puzzle", "daily_seed", "read_date"]

PLAYERS = 3
"""Players of the deck of the day, unless another number is given."""
PUZZLE_PLAYERS = 5
FIRST_YEAR = 1900
"""Earlier dates are slips of the pen."""

Date = datetime.date | str | None
"""A date, its text 2026-11-17, or None for today in UTC."""


def read_date(date: Date = None) -> datetime.date:
    """Return a date; None is today in UTC."""
    if date is None:
        return datetime.datetime.now(datetime.UTC).date()
    if isinstance(date, datetime.date):
        return date
    try:
        found = datetime.datetime.strptime(date, "%Y-%m-%d").date()
    except ValueError:
        found = datetime.date.min
    if found.year < FIRST_YEAR:
        raise FormatError(f"date: {date!r:.40} is not a date such as 2026-11-17")
    return found


def daily_seed(date: Date = None) -> int:
    """Return the seed of a day: its digits, as in 20261117."""
    return int(read_date(date).strftime("%Y%m%d"))


@dataclass(frozen=True, slots=True)
class DailyDeck:
    """The deck of a day, and what the solver says about it."""

    date: datetime.date
    seed: int
    deck: Deck
    answer: Answer

    @property
    def par(self) -> int:
        """The highest score that is known to be possible with all cards open."""
        return self.answer.best

    def to_dict(self) -> dict[str, Any]:
        """Return the deck of the day as plain data."""
        rules = self.deck.rules
        return {
            "date": self.date.isoformat(),
            "seed": self.seed,
            "game": 0,
            "players": rules.players,
            "par": self.par,
            "bound": self.answer.bound,
            "max_score": rules.max_score,
        }


def daily_deck(
    date: Date = None, rules: Rules | None = None, *, time_limit: float | None = 20.0
) -> DailyDeck:
    """Return the deck of a day with its par; by default today's, for three players.

    Only the par depends on `time_limit`: it is the best score that the solver found in time.

    Examples
    --------
    >>> daily_deck("2026-11-17").par
    25
    """
    day = read_date(date)
    seed = daily_seed(day)
    deck = Deck.shuffled(rules or preset("classic", PLAYERS), seed=seed)
    return DailyDeck(day, seed, deck, solve(deck, time_limit=time_limit, best=True))


def daily_puzzle(date: Date = None, rules: Rules | None = None) -> Puzzle:
    """Return the puzzle of a day; by default today's, for five players."""
    rules = rules or preset("classic", PUZZLE_PLAYERS)
    return next(find_puzzles(rules, seed=daily_seed(date), reproducible=True))
