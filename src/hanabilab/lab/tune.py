"""Tune a strategy: search for the options with which it plays best, and estimate how good they are.

Every candidate plays the same decks. The best of many candidates owes part of its lead to luck, so
the leaders play again on other decks, and the winner and the default options play a third set of
decks that had no part in any choice. Only these last estimates are unbiased.

With a file, every evaluation is appended to it as one line. A repeated search proposes the same
candidates again, and those in the file are not played again: so it resumes after an interruption,
also with a larger budget.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Never

from hanabilab.checks import check_choice, check_integer
from hanabilab.formats.data_table import DataTable
from hanabilab.game.deck import choose_rules
from hanabilab.game.rules import Rules
from hanabilab.lab.checkpoint_log import CheckpointLog, open_checkpoint_log
from hanabilab.lab.files import File
from hanabilab.lab.progress import Progress, Report, progress_bar
from hanabilab.lab.result import Result, rules_label
from hanabilab.lab.run import Parallelism, Run, interrupt_event
from hanabilab.lab.search_space import Axis, Optimiser, parse_space
from hanabilab.lab.sweep import (
    COLUMNS,
    Options,
    ScoredOptions,
    Values,
    column_name,
    read_scored_options,
    reject_old_options,
    score_options,
)
from hanabilab.lab.tally import percent, plus_minus, wilson
from hanabilab.lab.workers.connection import Cluster
from hanabilab.strategies import read_strategy
from hanabilab.strategies.load import own_sources
from hanabilab.strategies.strategy import Strategy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "BUDGET",
    "FINAL_TIMES",
    "FRESH",
    "GAMES",
    "OBJECTIVES",
    "SEARCH",
    "Candidate",
    "Objective",
    "Tuning",
    "tune",
]

SEARCH, FINAL, FRESH = STAGES = ("search", "final", "fresh")
"""The three sets of decks: for the search, for choosing among its leaders, for the estimate."""


@dataclass(frozen=True, slots=True)
class Objective:
    """What to maximise; `text` formats the value."""

    about: str
    axis: str
    """Label of the axis of a plot."""
    search_value: Callable[[ScoredOptions], float]
    """The value that the search maximises."""
    final_value: Callable[[ScoredOptions], float]
    """The value that decides the finals, where each candidate plays more games."""
    text: Callable[[ScoredOptions], str]
    logarithmic: bool = False


def _mean(cell: ScoredOptions) -> float:
    return cell.mean


def _nearly_perfect(share: float, cell: ScoredOptions) -> float:
    """Return the rate of perfect games; a game has weight `share` for each point short.

    Perfect games may be too rare to count, so near misses guide the search. The fewer games there
    are, the larger their weight must be, or a single lucky game decides.
    """
    best = len(cell.histogram) - 1
    hits = sum(games * share ** (best - score) for score, games in enumerate(cell.histogram))
    return hits / cell.played


def _perfect(cell: ScoredOptions) -> str:
    return percent(cell.perfect_rate, wilson(cell.perfect_rate, cell.played))


OBJECTIVES = {
    "score": Objective(
        "mean score",
        "mean score",
        _mean,
        _mean,
        lambda cell: plus_minus(cell.mean, cell.stderr),
    ),
    "perfect": Objective(
        "perfect games",
        "perfect games, a third for each point short",
        partial(_nearly_perfect, 1 / 3),
        partial(_nearly_perfect, 1 / 10),
        _perfect,
        logarithmic=True,
    ),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A choice of options, and its scores on each set of decks."""

    strategy: str
    """The strategy with all its options, as on the command line."""
    options: Mapping[str, Any]
    cells: Mapping[str, ScoredOptions]
    """Its scores, by set of decks."""

    @property
    def search(self) -> ScoredOptions:
        """Score on the decks of the search; optimistic for the best of many."""
        return self.cells[SEARCH]

    @property
    def final(self) -> ScoredOptions | None:
        """Score on the decks that chose among the leaders."""
        return self.cells.get(FINAL)

    @property
    def fresh(self) -> ScoredOptions | None:
        """Score on decks that had no part in any choice: unbiased."""
        return self.cells.get(FRESH)

    def to_dict(self) -> dict[str, Any]:
        """Return the candidate as plain data."""
        cells = {stage: _numbers(self.cells.get(stage)) for stage in STAGES}
        return {"strategy": self.strategy, "options": dict(self.options), **cells}

    def __str__(self) -> str:
        where, cell = list(self.cells.items())[-1]
        return f"{self.strategy}: {plus_minus(cell.mean, cell.stderr)} on {where} decks"


def _numbers(cell: ScoredOptions | None) -> dict[str, Any] | None:
    """Return the statistics of a cell without its options."""
    if cell is None:
        return None
    return {"games": cell.played, **{name: getattr(cell, name) for name in COLUMNS}}


@dataclass(frozen=True, slots=True, repr=False)
class Tuning(Result):
    """The result of a search."""

    strategy: str
    """The strategy with its fixed options."""
    rules: Rules
    objective: str
    seed: int
    budget: int
    games: int
    final_games: int
    axes: tuple[Axis, ...]
    best: Candidate
    default: Candidate
    history: tuple[ScoredOptions, ...]
    """All evaluations of the search, in order; the first is the default."""
    finals: tuple[ScoredOptions, ...]
    seconds: float
    resumed: int
    """Number of evaluations restored from the file."""
    interrupted: bool = False

    @property
    def values(self) -> list[float]:
        """The value that the search maximised, for each evaluation."""
        return [OBJECTIVES[self.objective].search_value(cell) for cell in self.history]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "strategy": self.strategy,
            "players": self.rules.players,
            "rules": self.rules.to_dict(),
            "objective": self.objective,
            "seed": self.seed,
            "budget": self.budget,
            "evaluations": len(self.history),
            "games": self.games,
            "final_games": self.final_games,
            "options": {axis.name: str(axis) for axis in self.axes},
            "best": self.best.to_dict(),
            "default": self.default.to_dict(),
            "history": self.rows(),
            "finals": [cell.to_dict() for cell in self.finals],
            "seconds": self.seconds,
            "resumed": self.resumed,
            "interrupted": self.interrupted,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each evaluation."""
        pairs = zip(self.history, self.values, strict=True)
        return [{**cell.to_dict(), "value": value} for cell, value in pairs]

    def heading(self) -> str:
        """Return strategy, rules and number of evaluations as text."""
        return (
            f"{self.strategy}: {rules_label(self.rules)}, seed {self.seed}, "
            f"{len(self.history)} evaluations of {self.games:,} games"
        )

    def to_tables(self) -> list[DataTable]:
        """Return the options found and their scores, beside the defaults."""
        objective = OBJECTIVES[self.objective]
        both = (self.best, self.default)
        options = DataTable(
            header=("option", "found", "default", "searched"),
            rows=tuple(
                (axis.name, *(str(each.options[axis.name]) for each in both), str(axis))
                for axis in self.axes
            ),
        )
        scores = DataTable(
            header=(objective.about, "games", "found", "default"),
            rows=tuple(
                (
                    f"{stage} decks",
                    f"{cell.played:,}",
                    objective.text(cell),
                    objective.text(self.default.cells[stage])
                    if stage in self.default.cells
                    else "-",
                )
                for stage, cell in self.best.cells.items()
            ),
        )
        return [options, scores]

    def plot(self, file: str | None = None) -> Figure:
        """Draw all evaluations and the best so far; save the figure if a file is given."""
        from hanabilab.lab.plot import plot_tuning

        return plot_tuning(self, file)

    def summary(self) -> str:
        """Return the best options, with their score on the least biased decks and the default's."""
        stage, cell = list(self.best.cells.items())[-1]
        text = OBJECTIVES[self.objective].text
        default = self.default.cells.get(stage)
        beside = f", default {text(default)}" if default else ""
        return f"{text(cell)} on {stage} decks{beside}: {self.best.strategy}"


FINALISTS = 10


def _ignore(done: int, words: str) -> None:
    """Do nothing."""


@dataclass(slots=True)
class Evaluator:
    """Evaluates candidates, at most once on each set of decks."""

    strategy: Strategy
    axes: tuple[Axis, ...]
    rules: Rules
    seed: int
    decks: Mapping[str, range]
    parallelism: Parallelism
    compiled: bool | None
    scores: dict[tuple[str, Options], ScoredOptions] = field(default_factory=dict)
    log: CheckpointLog | None = None
    report: Report = _ignore
    stop: threading.Event = field(default_factory=threading.Event)
    done: int = 0
    words: str = ""

    @property
    def default(self) -> Options:
        """The strategy's default options, or the nearest ones within the limits."""
        values = ((axis, self.strategy.option(axis.name.replace("-", "_"))) for axis in self.axes)
        return tuple((axis.name, axis.nearest(value)) for axis, value in values)

    def check(self) -> None:
        """Raise before the search starts if a run is invalid."""
        for stage in STAGES:
            self.run(stage, self.default)

    def run(self, stage: str, options: Options) -> Run:
        """Return the run of a candidate on a set of decks."""
        return Run.of(
            self.rules,
            [self.strategy.with_options(**dict(options))],
            seed=self.seed,
            games=len(self.decks[stage]),
            first=self.decks[stage].start,
            compiled=self.compiled,
        )

    def cell(self, stage: str, options: Options) -> ScoredOptions:
        """Return the score of a candidate, playing it if necessary; Ctrl-C interrupts."""
        if (stage, options) not in self.scores:
            run = self.run(stage, options)
            cell = score_options(options, run, self.parallelism, self._progress, self.stop)
            if cell is None:
                raise KeyboardInterrupt
            self.scores[stage, options] = cell
            if self.log:
                self.log.append({"stage": stage, **cell.to_dict()})
        self.done += len(self.decks[stage])
        return self.scores[stage, options]

    def _progress(self, more: int, words: str) -> None:
        self.report(self.done + more, self.words)

    def candidate(self, options: Options) -> Candidate:
        """Return a candidate with all its scores."""
        label = self.strategy.with_options(**dict(options)).label
        played = [stage for stage in STAGES if (stage, options) in self.scores]
        cells = {stage: self.scores[stage, options] for stage in played}
        return Candidate(label, dict(options), cells)

    @contextlib.contextmanager
    def checkpointing(self, file: File | None) -> Iterator[int]:
        """Log evaluations to a file, if given; provide the number restored from it."""
        settings = {
            "strategy": self.strategy.label,
            "players": self.rules.players,
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "games": len(self.decks[SEARCH]),
            "final_games": len(self.decks[FINAL]),
            **own_sources(self.strategy),
        }
        names = [column_name(axis.name) for axis in self.axes]
        with open_checkpoint_log(file, settings, ["stage", *names, *COLUMNS]) as self.log:
            if self.log:
                self.log.restore(self._add_row)
            yield len(self.scores)

    def _add_row(self, row: Mapping[str, str]) -> None:
        """Restore an evaluation from a row of the file."""
        names = [axis.name for axis in self.axes]
        chosen = self.strategy.with_options(**{name: row[column_name(name)] for name in names})
        options = tuple((name, chosen.option(name.replace("-", "_"))) for name in names)
        stage = check_choice("stage", row["stage"], STAGES)
        if (stage, options) in self.scores:
            raise ValueError("an evaluation that stands above as well")
        self.scores[stage, options] = read_scored_options(options, row, len(self.decks[stage]))


@dataclass(slots=True)
class OptionSearch:
    """The state of a search: evaluations, finals, and the winner so far."""

    evaluator: Evaluator
    optimiser: Optimiser
    budget: int
    objective: str
    history: list[ScoredOptions] = field(default_factory=list)
    finals: list[ScoredOptions] = field(default_factory=list)
    winner: Options = ()
    lead: float = -math.inf

    @property
    def most_games(self) -> int:
        """The largest number of games of the search."""
        search, final = (len(self.evaluator.decks[stage]) for stage in (SEARCH, FINAL))
        return self.budget * search + (min(FINALISTS, self.budget) + 3) * final

    def search_value(self, cell: ScoredOptions) -> float:
        """Return the value that the search maximises."""
        return OBJECTIVES[self.objective].search_value(cell)

    def run(self) -> bool:
        """Run the search and the finals; return True if Ctrl-C ended it early."""
        try:
            self._explore()
            self._decide()
        except KeyboardInterrupt:
            if not self.history:
                raise
            return True
        return False

    def result(self, seconds: float, resumed: int, interrupted: bool) -> Tuning:
        """Return the result of the search."""
        evaluator = self.evaluator
        return Tuning(
            strategy=evaluator.strategy.label,
            rules=evaluator.rules,
            objective=self.objective,
            seed=evaluator.seed,
            budget=self.budget,
            games=len(evaluator.decks[SEARCH]),
            final_games=len(evaluator.decks[FINAL]),
            axes=evaluator.axes,
            best=evaluator.candidate(self.winner),
            default=evaluator.candidate(evaluator.default),
            history=tuple(self.history),
            finals=tuple(self.finals),
            seconds=seconds,
            resumed=resumed,
            interrupted=interrupted,
        )

    def _explore(self) -> None:
        """Evaluate the candidates of the optimiser, generation by generation."""
        self._evaluate(self.evaluator.default)
        seen: set[Options] = set()
        while len(self.history) < self.budget:
            generation = self.optimiser.ask()
            cells = [self._evaluate(options) for options in generation[: self._left]]
            if len(cells) < len(generation):
                break
            if seen.issuperset(generation):  # it has settled
                self.optimiser.restart()
            else:
                self.optimiser.tell([self.search_value(cell) for cell in cells])
            seen.update(generation)

    @property
    def _left(self) -> int:
        return self.budget - len(self.history)

    def _evaluate(self, options: Options) -> ScoredOptions:
        cell = self.evaluator.cell(SEARCH, options)
        self.history.append(cell)
        if self.search_value(cell) > self.lead:
            self.lead, self.winner = self.search_value(cell), options
            self.evaluator.words = f"best {OBJECTIVES[self.objective].text(cell)}"
        return cell

    def _decide(self) -> None:
        """Play the finals on new decks, then the winner and the default on fresh ones."""
        leaders: dict[tuple[int, ...], Options] = {}
        for cell in sorted(self.history, key=self.search_value, reverse=True):
            leaders.setdefault(
                cell.histogram, tuple(cell.options.items())
            )  # only one of those that play alike
        finalists = dict.fromkeys([*list(leaders.values())[:FINALISTS], self.evaluator.default])
        for options in finalists:
            self.finals.append(self.evaluator.cell(FINAL, options))
        best = max(self.finals, key=OBJECTIVES[self.objective].final_value)
        self.winner = tuple(best.options.items())
        for options in dict.fromkeys([self.winner, self.evaluator.default]):
            self.evaluator.cell(FRESH, options)


BUDGET = 300
GAMES = 2_000
FINAL_TIMES = 10
"""Games of a finalist, as a multiple of those of a candidate."""
MAX_BUDGET = 1_000_000


def tune(
    strategy: str | Strategy,
    players: int | None = None,
    *,
    objective: str = "score",
    budget: int = BUDGET,
    games: int = GAMES,
    final_games: int | None = None,
    seed: int = 0,
    rules: Rules | str = "classic",
    vary: Mapping[str, Values] | None = None,
    fixed: Collection[str] = (),
    save: File | None = None,
    threads: int | None = None,
    cluster: Cluster = None,
    progress: Progress = None,
    chunk: int | None = None,
    compiled: bool | None = None,
    **old: Never,
) -> Tuning:
    """Search for the options with which a strategy plays best.

    For the other parameters see `simulate`. The result is the same for any number of threads.

    Parameters
    ----------
    strategy
        By name or as `Strategy`; options that it sets are not searched.
    objective
        ``score``, the mean score, or ``perfect``, the rate of perfect games.
    budget
        Number of evaluations that the search may use; the first is of the default options. A
        candidate that comes up again counts, but is not played again.
    games
        Number of decks that each evaluation plays, the same ones for all.
    final_games
        Number of new decks that the leaders play, and of further ones that the winner plays; by
        default ten times `games`.
    vary
        The options to search: ``"0.4:0.8"`` are bounds, a list or ``"1,2,4"`` are the values to
        choose from. By default all of them, but for those that the strategy sets or excludes.
    fixed
        Further options not to search, although they have their default values.
    save
        A .csv or .jsonl file; the search resumes where it stopped.

    Examples
    --------
    >>> quick = {"budget": 3, "games": 20, "final_games": 20}
    >>> print(tune("rule-based", players=2, seed=1, vary={"hint-rule": [1, 3]}, **quick))
    14.80 ± 0.61 on fresh decks, default 14.80 ± 0.61: rule-based
    """
    reject_old_options(old)
    check_choice("objective", objective, OBJECTIVES)
    check_integer("budget", budget, 1, MAX_BUDGET)
    check_integer("games", games, 1, MAX_BUDGET * GAMES)
    final_games = FINAL_TIMES * games if final_games is None else final_games
    base, named = _read_strategy(strategy)
    axes = parse_space(base, vary or {}, {*named, *fixed})
    evaluator = Evaluator(
        base,
        axes,
        choose_rules(rules, players),
        seed,
        _decks(games, final_games),
        Parallelism.of(threads, chunk, cluster),
        compiled,
    )
    evaluator.check()
    search = OptionSearch(evaluator, Optimiser(axes, seed), budget, objective)
    start = time.perf_counter()
    with (
        evaluator.checkpointing(save) as resumed,
        progress_bar(base.label, search.most_games, progress) as report,
        interrupt_event() as stop,
    ):
        evaluator.report, evaluator.stop = report, stop
        interrupted = search.run()
    return search.result(time.perf_counter() - start, resumed, interrupted)


def _read_strategy(strategy: str | Strategy) -> tuple[Strategy, Collection[str]]:
    """Return the strategy, and the names of the options that it sets, to their default or not."""
    if isinstance(strategy, Strategy):
        return strategy, strategy.chosen
    found, texts = read_strategy(strategy)
    return found.with_options(**texts), texts


def _decks(games: int, final_games: int) -> dict[str, range]:
    """Return the game numbers of each stage; no deck is in two of them."""
    check_integer("final games", final_games, 1, MAX_BUDGET * GAMES)
    last = games + final_games
    return {
        SEARCH: range(games),
        FINAL: range(games, last),
        FRESH: range(last, last + final_games),
    }
