"""Search among the options of a strategy: candidates that play, leaders, finals and a winner."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hanabilab.checks import one_of
from hanabilab.game.rules import Rules
from hanabilab.lab.files.journal import Journal, open_journal
from hanabilab.lab.files.ownership import File
from hanabilab.lab.progress import Report
from hanabilab.lab.run import Division, Run
from hanabilab.lab.scored_options import (
    COLUMNS,
    Options,
    ScoredOptions,
    read_scored_options,
    score_options,
)
from hanabilab.lab.tuning.result import FINAL, FRESH, OBJECTIVES, SEARCH, STAGES, Candidate, Tuning
from hanabilab.lab.tuning.space import Axis, Optimiser
from hanabilab.strategies.load import own_sources
from hanabilab.strategies.strategy import Strategy

__all__ = ["OptionSearch", "Trials"]

FINALISTS = 10


def _ignore(done: int, words: str) -> None:
    """Report to nobody."""


@dataclass(slots=True)
class Trials:
    """Where candidates play, once on each set of decks."""

    strategy: Strategy
    axes: tuple[Axis, ...]
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
class OptionSearch:
    """The state of a search: evaluations, finals, and the winner so far."""

    trials: Trials
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
        search, final = (len(self.trials.decks[stage]) for stage in (SEARCH, FINAL))
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

    def result(self, seconds: float, resumed: int, interrupted: bool) -> Tuning:
        """Return what the search has found, with how it went."""
        trials = self.trials
        return Tuning(
            strategy=trials.strategy.label,
            rules=trials.rules,
            objective=self.objective,
            seed=trials.seed,
            budget=self.budget,
            games=len(trials.decks[SEARCH]),
            final_games=len(trials.decks[FINAL]),
            axes=trials.axes,
            best=trials.candidate(self.winner),
            default=trials.candidate(trials.default),
            history=tuple(self.history),
            finals=tuple(self.finals),
            seconds=seconds,
            resumed=resumed,
            interrupted=interrupted,
        )

    def _explore(self) -> None:
        """Evaluate what the optimiser proposes, generation by generation."""
        self._evaluate(self.trials.default)
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
        cell = self.trials.cell(SEARCH, options)
        self.history.append(cell)
        if self.guide(cell) > self.lead:
            self.lead, self.winner = self.guide(cell), options
            self.trials.words = f"best {OBJECTIVES[self.objective].text(cell)}"
        return cell

    def _decide(self) -> None:
        """Play the finals on new decks, then the winner and the default on fresh ones."""
        leaders: dict[tuple[int, ...], Options] = {}
        for cell in sorted(self.history, key=self.guide, reverse=True):
            leaders.setdefault(
                cell.histogram, tuple(cell.options.items())
            )  # only one of those that play alike
        finalists = dict.fromkeys([*list(leaders.values())[:FINALISTS], self.trials.default])
        for options in finalists:
            self.finals.append(self.trials.cell(FINAL, options))
        best = max(self.finals, key=OBJECTIVES[self.objective].judge)
        self.winner = tuple(best.options.items())
        for options in dict.fromkeys([self.winner, self.trials.default]):
            self.trials.cell(FRESH, options)
