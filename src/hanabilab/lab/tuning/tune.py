"""Search for the options with which a strategy plays best, and see how good they really are.

Every candidate plays the same decks. The best of many candidates owes part of its lead to luck, so
the leaders meet again on other decks, and the winner and the default options play a third set of
decks that had no part in any choice: only those figures are fair.

With a file, every evaluation is appended to it as one line. A repeated search asks for the same
candidates again, and those in the file are not played again: this is how it resumes after an
interruption, also with a larger budget.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hanabilab.checks import one_of, whole_number
from hanabilab.game.choose import choose_rules
from hanabilab.game.rules import Rules
from hanabilab.lab.files.journal import Journal, open_journal
from hanabilab.lab.files.ownership import File
from hanabilab.lab.progress import Progress, Report, progress_bar
from hanabilab.lab.run import Division, Run, interruption
from hanabilab.lab.scored_options import (
    COLUMNS,
    Options,
    ScoredOptions,
    read_scored_options,
    score_options,
)
from hanabilab.lab.sweep import Values
from hanabilab.lab.tuning.result import FINAL, FRESH, OBJECTIVES, SEARCH, STAGES, Candidate, Tuning
from hanabilab.lab.tuning.space import Axis, Optimiser, read_space
from hanabilab.lab.workers.connection import Cluster
from hanabilab.strategies import read_strategy
from hanabilab.strategies.load import own_sources
from hanabilab.strategies.strategy import Strategy

__all__ = ["BUDGET", "FINAL_TIMES", "GAMES", "Candidate", "Tuning", "tune"]

BUDGET = 300
GAMES = 2_000
FINAL_TIMES = 10
"""How many times the games of a candidate each finalist plays."""
FINALISTS = 10
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
    save: File | None = None,
    threads: int | None = None,
    cluster: Cluster = None,
    progress: Progress = None,
    chunk: int | None = None,
    compiled: bool | None = None,
    **limits: Values,
) -> Tuning:
    """Search for the options with which a strategy plays best.

    For the other parameters see `simulate`. The result is the same for any number of threads.

    Parameters
    ----------
    strategy
        By name or as `Strategy`; options that it sets are fixed.
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
    save
        A .csv or .jsonl file; the search resumes where it stopped.
    limits
        By option: one value fixes it, ``"0.4:0.8"`` are bounds, a list or ``"1,2,4"`` are the
        values to choose from.
    """
    one_of("objective", objective, OBJECTIVES)
    whole_number("budget", budget, 1, MAX_BUDGET)
    whole_number("games", games, 1, MAX_BUDGET * GAMES)
    final_games = FINAL_TIMES * games if final_games is None else final_games
    base, axes = read_space(*_with_limits(strategy, limits))
    bench = _Bench(
        base,
        axes,
        choose_rules(rules, players),
        seed,
        _decks(games, final_games),
        Division.of(threads, chunk, cluster),
        compiled,
    )
    bench.check()
    search = _Search(bench, Optimiser(axes, seed), budget, objective)
    start = time.perf_counter()
    with (
        bench.journal_in(save) as resumed,
        progress_bar(base.label, search.most_games, progress) as report,
        interruption() as stop,
    ):
        bench.report, bench.stop = report, stop
        interrupted = search.run()
    return Tuning(
        strategy=base.label,
        rules=bench.rules,
        objective=objective,
        seed=seed,
        budget=budget,
        games=games,
        final_games=final_games,
        axes=axes,
        best=bench.candidate(search.winner),
        default=bench.candidate(bench.default),
        history=tuple(search.history),
        finals=tuple(search.finals),
        seconds=time.perf_counter() - start,
        resumed=resumed,
        interrupted=interrupted,
    )


def _with_limits(
    strategy: str | Strategy, limits: Mapping[str, Values]
) -> tuple[Strategy, dict[str, Values]]:
    """Return the strategy and the limits of its options; those that it sets are fixed."""
    if isinstance(strategy, Strategy):
        return strategy, {**strategy.chosen, **limits}
    found, texts = read_strategy(strategy)
    return found.with_options(**texts), {**texts, **limits}


def _decks(games: int, final_games: int) -> dict[str, range]:
    """Return the game numbers of each stage; no deck is in two of them."""
    whole_number("final games", final_games, 1, MAX_BUDGET * GAMES)
    last = games + final_games
    return {
        SEARCH: range(games),
        FINAL: range(games, last),
        FRESH: range(last, last + final_games),
    }


def _ignore(done: int, words: str) -> None:
    """Report to nobody."""


@dataclass(slots=True)
class _Bench:
    """Where candidates play, once on each set of decks."""

    strategy: Strategy
    axes: Sequence[Axis]
    rules: Rules
    seed: int
    decks: Mapping[str, range]
    division: Division
    compiled: bool | None
    known: dict[tuple[str, Options], ScoredOptions] = field(default_factory=dict)
    journal: Journal | None = None
    report: Report = _ignore
    stop: threading.Event = field(default_factory=threading.Event)
    done: int = 0
    words: str = ""

    @property
    def default(self) -> Options:
        """The strategy's own options, or the nearest ones within the limits."""
        values = ((axis, self.strategy.option(axis.name.replace("-", "_"))) for axis in self.axes)
        return tuple((axis.name, axis.nearest(value)) for axis, value in values)

    def check(self) -> None:
        """Raise if anything cannot be played, before the search starts."""
        for stage in STAGES:
            self.run(stage, self.default)

    def run(self, stage: str, options: Options) -> Run:
        """Return the run of a candidate on the decks of a stage."""
        return Run.of(
            self.rules,
            [self.strategy.with_options(**dict(options))],
            seed=self.seed,
            games=len(self.decks[stage]),
            first=self.decks[stage].start,
            compiled=self.compiled,
        )

    def cell(self, stage: str, options: Options) -> ScoredOptions:
        """Return what a candidate scores, playing it if need be; Ctrl-C interrupts."""
        if (stage, options) not in self.known:
            run = self.run(stage, options)
            cell = score_options(options, run, self.division, self._progress, self.stop)
            if cell is None:
                raise KeyboardInterrupt
            self.known[stage, options] = cell
            if self.journal:
                self.journal.append({"stage": stage, **cell.to_dict()})
        self.done += len(self.decks[stage])
        return self.known[stage, options]

    def _progress(self, more: int, words: str) -> None:
        self.report(self.done + more, self.words)

    def candidate(self, options: Options) -> Candidate:
        """Return all that is known of a candidate."""
        label = self.strategy.with_options(**dict(options)).label
        played = [stage for stage in STAGES if (stage, options) in self.known]
        cells = {stage: self.known[stage, options] for stage in played}
        return Candidate(label, dict(options), cells)

    @contextlib.contextmanager
    def journal_in(self, file: File | None) -> Iterator[int]:
        """Keep every evaluation in a file, if given; provide how many are known from it."""
        heading = {
            "strategy": self.strategy.label,
            "players": self.rules.players,
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "games": len(self.decks[SEARCH]),
            "final_games": len(self.decks[FINAL]),
            **own_sources(self.strategy),
        }
        names = [axis.name for axis in self.axes]
        with open_journal(file, heading, ["stage", *names, *COLUMNS]) as self.journal:
            if self.journal:
                self.journal.each(self._add_row)
            yield len(self.known)

    def _add_row(self, row: Mapping[str, str]) -> None:
        """Add an evaluation found in the file."""
        names = [axis.name for axis in self.axes]
        chosen = self.strategy.with_options(**{name: row[name] for name in names})
        options = tuple((name, chosen.option(name.replace("-", "_"))) for name in names)
        stage = one_of("stage", row["stage"], STAGES)
        if (stage, options) in self.known:
            raise ValueError("an evaluation that stands above as well")
        self.known[stage, options] = read_scored_options(options, row, len(self.decks[stage]))


@dataclass(slots=True)
class _Search:
    """The state of a search: evaluations, finals, and the winner so far."""

    bench: _Bench
    optimiser: Optimiser
    budget: int
    objective: str
    history: list[ScoredOptions] = field(default_factory=list)
    finals: list[ScoredOptions] = field(default_factory=list)
    winner: Options = ()
    lead: float = -math.inf

    @property
    def most_games(self) -> int:
        """The largest number of games that it may take."""
        search, final = (len(self.bench.decks[stage]) for stage in (SEARCH, FINAL))
        return self.budget * search + (min(FINALISTS, self.budget) + 3) * final

    def guide(self, cell: ScoredOptions) -> float:
        """Return the figure that the search maximises."""
        return OBJECTIVES[self.objective].guide(cell)

    def run(self) -> bool:
        """Search and decide; return True if Ctrl-C ended it early."""
        try:
            self._explore()
            self._decide()
        except KeyboardInterrupt:
            if not self.history:
                raise
            return True
        return False

    def _explore(self) -> None:
        """Evaluate what the optimiser proposes, generation by generation."""
        self._evaluate(self.bench.default)
        seen: set[Options] = set()
        while len(self.history) < self.budget:
            generation = self.optimiser.ask()
            cells = [self._evaluate(options) for options in generation[: self._left]]
            if len(cells) < len(generation):
                break
            if seen.issuperset(generation):  # it has settled
                self.optimiser.restart()
            else:
                self.optimiser.tell([self.guide(cell) for cell in cells])
            seen.update(generation)

    @property
    def _left(self) -> int:
        return self.budget - len(self.history)

    def _evaluate(self, options: Options) -> ScoredOptions:
        cell = self.bench.cell(SEARCH, options)
        self.history.append(cell)
        if self.guide(cell) > self.lead:
            self.lead, self.winner = self.guide(cell), options
            self.bench.words = f"best {OBJECTIVES[self.objective].text(cell)}"
        return cell

    def _decide(self) -> None:
        """Play the finals on new decks, then the winner and the default on fresh ones."""
        leaders: dict[tuple[int, ...], Options] = {}
        for cell in sorted(self.history, key=self.guide, reverse=True):
            leaders.setdefault(
                cell.histogram, tuple(cell.options.items())
            )  # only one of those that play alike
        finalists = dict.fromkeys([*list(leaders.values())[:FINALISTS], self.bench.default])
        for options in finalists:
            self.finals.append(self.bench.cell(FINAL, options))
        best = max(self.finals, key=OBJECTIVES[self.objective].judge)
        self.winner = tuple(best.options.items())
        for options in dict.fromkeys([self.winner, self.bench.default]):
            self.bench.cell(FRESH, options)
