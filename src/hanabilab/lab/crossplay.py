"""Cross-play: how strategies do with unfamiliar partners (Sarmasi et al. 2021).

One player plays the first strategy of a pairing, all others the second. The single player takes
every seat in turn: with P players and N games, seat s in games s·N/P to (s+1)·N/P - 1 (rounded
down), so that the seats are as even as N allows. A strategy with itself is self-play, on the
diagonal; all pairings play the same decks.
"""

from __future__ import annotations

import functools
import math
import operator
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hanabilab.errors import HanabiError
from hanabilab.formats.data_table import DataTable
from hanabilab.game.deck import choose_rules
from hanabilab.game.rules import Rules
from hanabilab.lab.progress import Progress, Report, offset_progress, progress_bar
from hanabilab.lab.result import Result, rules_label
from hanabilab.lab.run import Parallelism, Run, interrupt_event
from hanabilab.lab.simulate import tally_run
from hanabilab.lab.tally import Tally, percent, plus_minus
from hanabilab.lab.workers.connection import Cluster
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.strategy import Strategy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Crossplay", "crossplay", "play_pairings", "seating"]

GAMES = 1_000

Pair = tuple[int, int]
SeatAssignment = tuple[tuple[Strategy, ...], int, int]
"""A team, its first game, and how many games it plays."""


@dataclass(frozen=True, slots=True, repr=False)
class Crossplay(Result):
    """Statistics of each pairing: the row is the single player, the column all others."""

    strategies: tuple[str, ...]
    rules: Rules
    seed: int
    games: int
    tallies: tuple[tuple[Tally, ...], ...]
    """Pairings that Ctrl-C cut off have no games."""
    seconds: float
    threads: int
    interrupted: bool = False

    def _matrix(self, name: str) -> list[list[float]]:
        return [[getattr(tally, name) for tally in row] for row in self.tallies]

    @property
    def mean(self) -> list[list[float]]:
        """The average scores."""
        return self._matrix("mean")

    @property
    def stderr(self) -> list[list[float]]:
        """Their standard errors."""
        return self._matrix("stderr")

    @property
    def lost_rate(self) -> list[list[float]]:
        """The shares of games lost to misplays."""
        return self._matrix("lost_rate")

    @property
    def cross_play_means(self) -> list[float]:
        """The cross-play score of each strategy: the mean over all other partners."""
        means = self.mean
        return [
            _average([mean for j, mean in enumerate(row) if j != i]) for i, row in enumerate(means)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "strategies": list(self.strategies),
            "players": self.rules.players,
            "rules": self.rules.to_dict(),
            "games": self.games,
            "seed": self.seed,
            "mean": self.mean,
            "stderr": self.stderr,
            "lost_rate": self.lost_rate,
            "seconds": self.seconds,
            "threads": self.threads,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each pairing."""
        return [
            {"one": one, "others": others, "games": tally.played, **tally.statistics()}
            for one, row in zip(self.strategies, self.tallies, strict=True)
            for others, tally in zip(self.strategies, row, strict=True)
        ]

    def heading(self) -> str:
        """Return how many games each pairing played under which rules."""
        return f"{rules_label(self.rules)}, seed {self.seed}, {self.games:,} games per pairing"

    def to_tables(self) -> list[DataTable]:
        """Return the mean scores as a heat map, and the games lost to misplays."""
        means = {(i, j + 1): mean for i, row in enumerate(self.mean) for j, mean in enumerate(row)}
        known = {place: mean for place, mean in means.items() if not math.isnan(mean)}
        top = max(known.values(), default=math.nan)
        scores = DataTable(
            caption="mean score; one player plays the row, all others the column",
            header=("", *self.strategies, "strangers"),
            rows=tuple(
                (
                    name,
                    *(plus_minus(tally.mean, tally.stderr) for tally in row),
                    plus_minus(average, math.nan),
                )
                for name, row, average in zip(
                    self.strategies, self.tallies, self.cross_play_means, strict=True
                )
            ),
            bold=frozenset(place for place, mean in known.items() if mean == top),
            shades={place: mean / self.rules.max_score for place, mean in known.items()},
        )
        lost = DataTable(
            caption="games lost to misplays",
            header=("", *self.strategies),
            rows=tuple(
                (name, *(percent(tally.lost_rate) for tally in row))
                for name, row in zip(self.strategies, self.tallies, strict=True)
            ),
        )
        return [scores, lost]

    def plot(self, file: str | None = None) -> Figure:
        """Draw a heat map; save it if a file is given."""
        from hanabilab.lab.plot import plot_crossplay

        return plot_crossplay(self, file)

    def summary(self) -> str:
        """Return the mean with other partners, for each strategy."""
        means = zip(self.strategies, self.cross_play_means, strict=True)
        found = ", ".join(f"{name} {plus_minus(mean, math.nan)}" for name, mean in means)
        return f"mean score with other partners: {found}"


def _average(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else math.nan


def seating(one: Strategy, others: Strategy, players: int, games: int) -> list[SeatAssignment]:
    """Return the teams of a pairing: the single player takes each seat for a share of the games."""
    if one == others:
        return [((one,) * players, 0, games)]
    parts = []
    for place in range(players):
        first, end = (number * games // players for number in (place, place + 1))
        team = (others,) * place + (one,) + (others,) * (players - 1 - place)
        if end > first:
            parts.append((team, first, end - first))
    return parts


def crossplay(
    strategies: Sequence[Player],
    players: int | None = None,
    *,
    games: int = GAMES,
    seed: int = 0,
    rules: Rules | str = "classic",
    threads: int | None = None,
    cluster: Cluster = None,
    progress: Progress = None,
    callback: Callable[[Crossplay], None] | None = None,
    chunk: int | None = None,
    compiled: bool | None = None,
) -> Crossplay:
    """Play every pairing of the strategies; for the parameters see `simulate`.

    `games` is the number of games per pairing; `callback` is called after each pairing.

    Examples
    --------
    >>> print(crossplay(["iggi", "piers"], players=2, games=50, seed=1))
    mean score with other partners: iggi 16.90, piers 17.24
    """
    if isinstance(strategies, str) or len(strategies) < 2:
        raise HanabiError("crossplay: give at least two strategies")
    found = [find_strategy(strategy) for strategy in strategies]
    chosen = choose_rules(rules, players)
    runs = {
        (i, j): [
            Run.of(chosen, [team], seed=seed, games=count, first=first, compiled=compiled)
            for team, first, count in seating(one, other, chosen.players, games)
        ]
        for i, one in enumerate(found)
        for j, other in enumerate(found)
    }
    start = time.perf_counter()
    parallelism = Parallelism.of(threads, chunk, cluster)
    empty = Tally.empty(chosen.max_score)

    def result(tallies: Mapping[Pair, Tally], used: int, interrupted: bool) -> Crossplay:
        return Crossplay(
            strategies=tuple(strategy.label for strategy in found),
            rules=chosen,
            seed=seed,
            games=games,
            tallies=tuple(
                tuple(tallies.get((i, j), empty) for j in range(len(found)))
                for i in range(len(found))
            ),
            seconds=time.perf_counter() - start,
            threads=used,
            interrupted=interrupted,
        )

    def show(tallies: Mapping[Pair, Tally], used: int) -> None:
        if callback:
            callback(result(tallies, used, len(tallies) < len(runs)))

    with progress_bar("crossplay", games * len(runs), progress) as report:
        return result(*play_pairings(runs, parallelism, report, show))


def play_pairings(
    runs: Mapping[Pair, list[Run]],
    parallelism: Parallelism,
    report: Report,
    show: Callable[[Mapping[Pair, Tally], int], None],
) -> tuple[dict[Pair, Tally], int, bool]:
    """Return the tallies of all finished pairings, the threads, and whether any is missing."""
    tallies: dict[Pair, Tally] = {}
    done = threads = 0
    with interrupt_event() as stop:
        for pair, parts in runs.items():
            sums = []
            for run in parts:
                try:
                    tally, outcome = tally_run(
                        run, parallelism, report=offset_progress(report, done), stop=stop
                    )
                except KeyboardInterrupt:
                    return tallies, threads, True
                if outcome.interrupted:
                    return tallies, threads, True
                threads = outcome.threads
                done += run.games
                sums.append(tally)
            tallies[pair] = functools.reduce(operator.add, sums)
            show(tallies, threads)
    return tallies, threads, False
