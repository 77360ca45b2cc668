"""Solve every small game in order of size, and log the optima; the table can be resumed."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hanabilab.errors import HanabiError
from hanabilab.formats.data_table import DataTable
from hanabilab.lab.checkpoint_log import open_checkpoint_log
from hanabilab.lab.optimum import search_limits
from hanabilab.lab.progress import Progress, Report, progress_bar
from hanabilab.lab.result import Result
from hanabilab.solver.optimum.known import SmallGame
from hanabilab.solver.optimum.plan import score_counts
from hanabilab.solver.optimum.search import Search
from hanabilab.solver.optimum.size import (
    BELIEFS,
    MEMORY_LIMIT,
    MOST_DEALS,
    GameSize,
    Limits,
    TooManyBeliefsError,
)

__all__ = ["COLUMNS", "TIME_LIMIT", "SmallGames", "solve_small_games", "table_of_games"]

PLAYERS, HANDS, SUITS, TOKENS, LIVES = range(2, 5), range(1, 4), range(1, 4), range(5), range(1, 4)
COPIES = ((1, 1), (2, 1), (2, 2), (3, 2), (1, 1, 1), (2, 1, 1), (2, 2, 1), (3, 2, 1))
COLUMNS = (
    "game",
    "value",
    "open_hands",
    "one_turn",
    "perfect",
    "decks",
    "beliefs",
    "states",
    "seconds",
    "limit",
)
"""`value` and `perfect` are empty if the search gave up after `limit` seconds."""


TIME_LIMIT = 10.0
"""CPU seconds for each game, unless told otherwise."""


def table_of_games(most_deals: int = MOST_DEALS) -> list[SmallGame]:
    """Return the games of the table, smallest first."""
    games = []
    for sizes in itertools.product(PLAYERS, HANDS, SUITS, COPIES, TOKENS, LIVES):
        game = SmallGame(*sizes)
        if game.players * game.hand_size <= game.suits * sum(game.copies):
            pairs = GameSize.of(game.rules).pairs
            if pairs <= most_deals:
                games.append((pairs, game))
    return [game for _, game in sorted(games)]


@dataclass(frozen=True, slots=True, repr=False)
class SmallGames(Result):
    """The optima of many small games."""

    lines: Sequence[dict[str, Any]]
    interrupted: bool = False

    @property
    def solved(self) -> int:
        """Number of games solved."""
        return sum(bool(line["value"]) for line in self.lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {"games": [*self.lines], "interrupted": self.interrupted}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game."""
        return [dict(line) for line in self.lines]

    def summary(self) -> str:
        """Return how many games were solved."""
        return f"{self.solved:,} of {len(self.lines):,} small games solved"

    def to_tables(self) -> list[DataTable]:
        """Return a table of the games."""
        names = ("game", "value", "open_hands", "beliefs", "seconds")
        rows = tuple(tuple(str(line[name]) for name in names) for line in self.lines)
        return [DataTable(header=names, rows=rows)]


def solve_small_games(
    games: Iterable[SmallGame] | None = None,
    *,
    time_limit: float = TIME_LIMIT,
    save: str | os.PathLike[str] | None = None,
    beliefs: int = BELIEFS,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress = None,
) -> SmallGames:
    """Solve small games one after the other, each for at most `time_limit` CPU seconds.

    `beliefs` and `memory_limit` (in megabytes) limit each search as well. With `save`, each game is
    logged to that file: repeat the same call to resume. Games that were given up are tried again
    with a higher time limit.
    """
    limits = search_limits(beliefs, memory_limit)
    if not time_limit > 0:
        raise HanabiError(f"time_limit: {time_limit} is not a positive number of seconds")
    wanted = table_of_games() if games is None else list(games)
    found: dict[str, dict[str, Any]] = {}
    interrupted = False
    with open_checkpoint_log(save, {}, COLUMNS) as log:
        if log:
            found.update((row["game"], dict(row)) for row in log.rows)
        missing = [game for game in wanted if _is_missing(found.get(game.name), time_limit)]
        with progress_bar("optimum", len(missing), progress) as report:
            try:
                for line in _solve_each(missing, time_limit, limits, report):
                    found[line["game"]] = line
                    if log:
                        log.append(line)
            except KeyboardInterrupt:
                interrupted = True
    lines = [found[game.name] for game in wanted if game.name in found]
    return SmallGames(lines, interrupted)


def _is_missing(line: dict[str, Any] | None, limit: float) -> bool:
    return line is None or (not line["value"] and float(line["limit"]) < limit)


def _solve_each(
    games: Sequence[SmallGame], time_limit: float, limits: Limits, report: Report
) -> Iterator[dict[str, Any]]:
    for number, game in enumerate(games):
        report(number, game.name)
        yield solve_small_game(game, time_limit, limits)


def solve_small_game(game: SmallGame, time_limit: float, limits: Limits) -> dict[str, Any]:
    """Return the row of a game, without a value if the search takes too long."""
    started = time.process_time()
    line: dict[str, Any] = dict.fromkeys(COLUMNS, "")
    line |= {"game": game.name, "limit": time_limit}
    with contextlib.suppress(TooManyBeliefsError):
        search = Search(game.rules, limits=limits._replace(deadline=started + time_limit))
        line |= _bounds(search)
        try:
            line |= _optimum(search)
        finally:
            line["beliefs"] = search.beliefs
    line["seconds"] = round(time.process_time() - started, 3)
    return line


def _bounds(search: Search) -> dict[str, Any]:
    """Return what is known before the search."""
    start = search.start()
    decks = start.state.weight(start.deals)
    return {
        "open_hands": str(Fraction(sum(search.open_values(start.state)), decks)),
        "one_turn": str(Fraction(search.upper(start), decks)),
        "decks": decks,
        "states": len(search.states),
    }


def _optimum(search: Search) -> dict[str, Any]:
    """Return the optimum and the probability of the maximum."""
    start = search.start()
    value, counts = search.value(start), score_counts(search, start)
    decks = start.state.weight(start.deals)
    perfect = Fraction(counts[search.states.rules.max_score], decks)
    return {"value": str(Fraction(value, decks)), "perfect": str(perfect)}
