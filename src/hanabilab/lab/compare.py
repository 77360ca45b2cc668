"""Compare several strategies on the same decks."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hanabilab.errors import HanabiError
from hanabilab.formats.data_table import DataTable
from hanabilab.game.deck import choose_rules
from hanabilab.game.rules import Rules
from hanabilab.lab.progress import Progress, progress_bar
from hanabilab.lab.result import Result, games_label, rules_label
from hanabilab.lab.run import Outcome, Parallelism, Run, play_run
from hanabilab.lab.simulate import GAMES, Simulation
from hanabilab.lab.tally import Tally, cluster_error, percent, plus_minus
from hanabilab.lab.workers.connection import Cluster
from hanabilab.table.play import Team

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hanabilab.lab.run import Rows

__all__ = ["Comparison", "Difference", "compare"]


@dataclass(frozen=True, slots=True)
class Difference:
    """The paired difference of two strategies on the same decks."""

    better: str
    worse: str
    """The strategy whose score is subtracted."""
    mean: float
    stderr: float

    @property
    def sigmas(self) -> float:
        """The difference in standard errors."""
        if self.stderr > 0:
            return self.mean / self.stderr
        return 0.0 if self.mean == 0 else float("inf") * self.mean

    def __str__(self) -> str:
        text = plus_minus(self.mean, self.stderr)
        return f"{self.better} - {self.worse}: {text if self.mean < 0 else '+' + text}"


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Result):
    """Several simulations of the same decks, and their paired differences."""

    results: tuple[Simulation, ...]
    products: tuple[tuple[int, ...], ...]
    """For each pair of strategies, the sum over decks of the product of their total scores."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return any(result.interrupted for result in self.results)

    def difference(self, i: int, j: int) -> Difference:
        """Return strategy `i` minus strategy `j`.

        The standard error excludes the variance of the decks, which both share.
        """
        a, b = self.results[i], self.results[j]
        total = a.total - b.total
        squares = self.products[i][i] + self.products[j][j] - 2 * self.products[i][j]
        error = cluster_error(total, squares, a.decks, a.repeats)
        return Difference(a.strategy, b.strategy, a.mean - b.mean, error)

    @property
    def differences(self) -> list[Difference]:
        """The differences of all pairs, the better strategy first."""
        pairs = itertools.combinations(range(len(self.results)), 2)
        by_mean = [sorted(pair, key=lambda i: -self.results[i].mean) for pair in pairs]
        return [self.difference(i, j) for i, j in by_mean]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        first = self.results[0].to_dict()
        shared = ("players", "rules", "games", "repeats", "seed", "seconds", "threads")
        own = ("strategy", *self.results[0].statistics())
        return {
            **{key: first[key] for key in shared},
            "strategies": [{key: result.to_dict()[key] for key in own} for result in self.results],
            "differences": [
                {"a": d.better, "b": d.worse, "mean": d.mean, "stderr": d.stderr}
                for d in self.differences
            ],
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each strategy."""
        rows: list[dict[str, Any]] = self.to_dict()["strategies"]
        return rows

    def heading(self) -> str:
        """Return rules, seed and number of games as text."""
        first = self.results[0]
        return f"{rules_label(first.rules)}, seed {first.seed}, {games_label(first)}"

    def to_tables(self) -> list[DataTable]:
        """Return the strategies in order of their means, and their paired differences."""
        ranked = sorted(self.results, key=lambda each: -each.mean)
        means = DataTable(
            header=("strategy", "mean", "stdev", "perfect", "lost", "turns"),
            rows=tuple(
                (
                    each.strategy,
                    plus_minus(each.mean, each.stderr),
                    f"{each.stdev:.2f}",
                    percent(each.perfect_rate),
                    percent(each.lost_rate),
                    f"{each.mean_turns:.1f}",
                )
                for each in ranked
            ),
            bold=frozenset({(0, 0), (0, 1)}),
        )
        differences = DataTable(
            header=("paired difference", "mean", "in standard errors"),
            rows=tuple(
                (f"{d.better} - {d.worse}", plus_minus(d.mean, d.stderr), f"{d.sigmas:.1f}")
                for d in self.differences
            ),
        )
        return [means, differences]

    def plot(self, file: str | None = None) -> Figure:
        """Draw the histograms and the means; save the figure if a file is given."""
        from hanabilab.lab.plot import plot_comparison

        return plot_comparison(self, file)

    def summary(self) -> str:
        """Return the best strategy, and by how much it is ahead of the next one."""
        order = sorted(range(len(self.results)), key=lambda i: -self.results[i].mean)
        best = self.results[order[0]]
        lead = self.difference(order[0], order[1])
        return f"{best.strategy}: {plus_minus(best.mean, best.stderr)}; {lead}"


def compare(
    strategies: Sequence[Team],
    players: int | None = None,
    *,
    games: int = GAMES,
    seed: int = 0,
    rules: Rules | str = "classic",
    repeats: int = 1,
    threads: int | None = None,
    cluster: Cluster = None,
    progress: Progress = None,
    callback: Callable[[Comparison], None] | None = None,
    chunk: int | None = None,
    compiled: bool | None = None,
) -> Comparison:
    """Play the same decks with several strategies; for the parameters see `simulate`.

    Examples
    --------
    >>> print(compare(["iggi", "piers"], players=3, games=100, seed=1))
    piers: 17.66 ± 0.17; piers - iggi: +1.01 ± 0.19
    """
    if isinstance(strategies, str) or len(strategies) < 2:
        raise HanabiError("compare: give at least two strategies")
    run = Run.of(
        choose_rules(rules, players),
        strategies,
        seed=seed,
        games=games,
        repeats=repeats,
        compiled=compiled,
    )
    sums = _Sums(run)
    started = time.perf_counter()
    with progress_bar("compare", games, progress) as report:

        def consume(first: int, rows: list[Rows]) -> bool:
            sums.add(rows)
            done = sums.tallies[0].decks
            report(done, "  ".join(plus_minus(tally.mean, tally.stderr) for tally in sums.tallies))
            if callback:
                seconds = time.perf_counter() - started
                callback(sums.result(Outcome(seconds, threads or 1, done < games)))
            return False

        outcome = play_run(run, consume, Parallelism.of(threads, chunk, cluster))
    return sums.result(outcome)


class _Sums:
    """Running sums: a tally per team, and products for the paired differences."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tallies = [Tally.empty(run.rules.max_score, run.repeats) for _ in run.teams]
        self.products = [[0] * len(run.teams) for _ in run.teams]

    def add(self, rows: list[Rows]) -> None:
        """Add a chunk of the run: the rows of each team."""
        for place, part in enumerate(rows):
            self.tallies[place] += Tally.of(part, self.run.rules.max_score, self.run.repeats)
        for i, row in enumerate(_products(rows, self.run.repeats)):
            for j, product in enumerate(row):
                self.products[i][j] += product

    def result(self, outcome: Outcome) -> Comparison:
        """Return the comparison of the games so far."""
        simulations = (
            Simulation.from_tally(tally, team, self.run, outcome)
            for tally, team in zip(self.tallies, self.run.teams, strict=True)
        )
        return Comparison(tuple(simulations), tuple(tuple(row) for row in self.products))


def _products(rows: list[Rows], repeats: int) -> list[list[int]]:
    """Return the sums over decks of the products of any two total scores."""
    import numpy as np

    totals = np.array([part[:, 0].reshape(-1, repeats).sum(axis=1) for part in rows])
    products: list[list[int]] = (totals @ totals.T).tolist()
    return products
