"""The results table: every strategy at every number of players it can play."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hanabilab.errors import RulesError
from hanabilab.formats.data_table import DataTable
from hanabilab.game.rules import Rules, preset
from hanabilab.lab.document_tables import write_result
from hanabilab.lab.result import Result
from hanabilab.lab.simulate import Simulation, simulate
from hanabilab.lab.tally import plus_minus
from hanabilab.lab.workers.connection import Cluster
from hanabilab.strategies import STRATEGIES, find_strategy
from hanabilab.strategies.strategy import Strategy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Entry",
    "ResultsTable",
    "automatic_strategies",
    "benchmark_strategies",
    "distinct",
    "results_table",
    "rules_for",
]

PLAYERS = (2, 3, 4, 5)
GAMES = 20_000
SLOWER = 200
"""Factor by which slow strategies play fewer games."""
FEWEST = 100
CELL = "**{mean:.2f}** ± {stderr:.2f}<br>{perfect:percent}, {lost:percent}"
"""A cell of the stored table as the pages show it."""
ALSO = ("search:blueprint=duo",)
"""Options with a row of their own: the default of search, `hatter`, needs three players."""


def automatic_strategies() -> list[Strategy]:
    """Return all strategies that play without a person."""
    return [strategy for strategy in STRATEGIES.values() if strategy.can_compile]


def benchmark_strategies() -> list[Strategy]:
    """Return the strategies of the table, also as their authors' programs play them."""
    found = []
    for strategy in automatic_strategies():
        found.append(strategy)
        interpretation = strategy.options.get("interpretation")
        if (
            interpretation
            and "program" in interpretation.choices
            and interpretation.default != "program"
        ):
            found.append(strategy.with_options(interpretation="program"))
    return [*found, *map(find_strategy, ALSO)]


def distinct(strategies: Sequence[Strategy]) -> list[Strategy]:
    """Return the strategies without those that play exactly like an earlier one."""
    found: list[Strategy] = []
    for strategy in strategies:
        if not any(
            strategy.act == other.act and strategy.fresh_memory() == other.fresh_memory()
            for other in found
        ):
            found.append(strategy)
    return found


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the table: a strategy and its results by number of players."""

    strategy: Strategy
    rules: str
    results: dict[int, Simulation]


@dataclass(frozen=True, slots=True, repr=False)
class ResultsTable(Result):
    """The results of all strategies."""

    seed: int
    games: int
    entries: tuple[Entry, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return {"seed": self.seed, "games": self.games, "results": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each strategy and number of players."""
        timing = ("seconds", "games_per_second", "threads")
        return [
            {key: value for key, value in result.to_dict().items() if key not in timing}
            for entry in self.entries
            for result in entry.results.values()
        ]

    def _games_in_words(self) -> str:
        fewer = {
            result.games
            for entry in self.entries
            for result in entry.results.values()
            if result.games != self.games
        }
        slow = f" ({', '.join(f'{n:,}' for n in sorted(fewer))} for the slow ones)" if fewer else ""
        return f"{self.games:,} games{slow}"

    def to_markdown(self) -> str:
        """Return the table as Markdown, with the command that regenerates it."""
        lines = [
            f"{self.heading()}; "
            "below it, perfect games and games lost to misplays. "
            "To write this table again: `hanabilab leaderboard"
            f"{'' if self.games == GAMES else f' --games {self.games}'} --write`.",
            "",
            "| strategy | rules | " + " | ".join(f"{n} players" for n in PLAYERS) + " |",
            "| --- | --- |" + " --- |" * len(PLAYERS),
        ]
        for entry in self.entries:
            cells = [_cell(entry.results.get(number)) for number in PLAYERS]
            lines.append(f"| `{entry.strategy.label}` | {entry.rules} | {' | '.join(cells)} |")
        return "\n".join(lines)

    def heading(self) -> str:
        """Return the number of games and the seed as text."""
        return f"Mean score ± standard error over {self._games_in_words()} of seed {self.seed}"

    def to_tables(self) -> list[DataTable]:
        """Return a row per strategy, with the best of each number of players in bold."""
        best = set()
        for place, number in enumerate(PLAYERS):
            means = {
                row: entry.results[number].mean
                for row, entry in enumerate(self.entries)
                if number in entry.results
            }
            best |= {(row, place + 2) for row, mean in means.items() if mean == max(means.values())}
        return [
            DataTable(
                header=("strategy", "rules", *(f"{number} players" for number in PLAYERS)),
                rows=tuple(
                    (
                        entry.strategy.label,
                        entry.rules,
                        *(_mean(entry.results.get(number)) for number in PLAYERS),
                    )
                    for entry in self.entries
                ),
                text_columns=2,
                bold=frozenset(best),
            )
        ]

    def store(self, file: str | Path) -> None:
        """Write the table as a stored result, from which the pages are generated."""
        about = {
            "command": f"hanabilab leaderboard --games {self.games} --seed {self.seed} --write",
            "games": self._games_in_words(),
            "seed": self.seed,
            "rules": "as named",
            "date": date.today().isoformat(),
            "rows": "strategy, rules",
            "columns": "players",
            "heading": "{} players",
            "cell": CELL,
        }
        rows = [
            {
                "strategy": entry.strategy.label,
                "rules": entry.rules,
                "players": number,
                "games": result.games,
                "mean": f"{result.mean:.4f}",
                "stderr": f"{result.stderr:.4f}",
                "perfect": f"{result.perfect_rate:.4f}",
                "lost": f"{result.lost_rate:.4f}",
            }
            for entry in self.entries
            for number, result in entry.results.items()
        ]
        write_result(Path(file), about, rows)

    def plot(self, file: str | None = None) -> Figure:
        """Plot points missing against time per game; save the plot if a file is given."""
        from hanabilab.lab.plot import plot_results

        return plot_results(self, file)

    def summary(self) -> str:
        """Return the best strategy at each number of players."""
        best = []
        for number in PLAYERS:
            found = [each.results[number] for each in self.entries if number in each.results]
            if found:
                top = max(found, key=lambda result: result.mean)
                best.append(f"{number} players {top.strategy} {top.mean:.2f}")
        return f"best of {len(self.entries)} strategies: {', '.join(best) or '-'}"


def _mean(result: Simulation | None) -> str:
    return "" if result is None else plus_minus(result.mean, result.stderr)


def _cell(result: Simulation | None) -> str:
    if result is None:
        return ""
    rates = f"{_rate(result.perfect_rate)}, {_rate(result.lost_rate)}"
    return f"**{result.mean:.2f}** ± {result.stderr:.2f}<br>{rates}"


def _rate(rate: float) -> str:
    return "0 %" if rate == 0 else "100 %" if rate == 1 else f"{100 * rate:.1f} %"


def results_table(
    strategies: Sequence[Strategy] | None = None,
    *,
    games: int = GAMES,
    seed: int = 1,
    threads: int | None = None,
    cluster: Cluster = None,
    progress: bool | None = None,
    callback: Callable[[Simulation], None] | None = None,
) -> ResultsTable:
    """Play every strategy under its home rules; slow ones play fewer games.

    `callback` is called with each result.
    """

    def play(strategy: Strategy, rules: Rules) -> Simulation:
        slow = strategy.slow or not strategy.can_compile
        enough = min(games, max(FEWEST, games // SLOWER)) if slow else games
        result = simulate(
            strategy,
            games=enough,
            seed=seed,
            rules=rules,
            threads=threads,
            cluster=cluster,
            progress=progress,
        )
        if result.interrupted:
            raise KeyboardInterrupt
        if callback:
            callback(result)
        return result

    entries = []
    for strategy in distinct(benchmark_strategies()) if strategies is None else strategies:
        results = {rules.players: play(strategy, rules) for rules in rules_for(strategy)}
        entries.append(Entry(strategy, strategy.home_rules, results))
    return ResultsTable(seed, games, tuple(entries))


def rules_for(strategy: Strategy) -> Iterator[Rules]:
    """Yield the home rules of a strategy, for every number of players it supports."""
    for players in PLAYERS:
        try:
            rules = preset(strategy.home_rules, players)
        except RulesError:
            continue
        if strategy.support.unsupported_reason(rules) is None:
            yield rules
