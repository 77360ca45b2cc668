"""Count winnable decks, and lost ones by the reason."""

from __future__ import annotations

import functools
import math
import os
import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from threading import Thread
from typing import Any

from hanabilab.checks import check_integer
from hanabilab.formats.data_table import DataTable
from hanabilab.game.deck import Deck, choose_rules
from hanabilab.game.rules import Rules
from hanabilab.game.state import initial_state
from hanabilab.lab.checkpoint_log import CheckpointLog, open_checkpoint_log
from hanabilab.lab.progress import Progress, Report, progress_bar
from hanabilab.lab.result import Bar, Result
from hanabilab.lab.run import Parallelism, play_run
from hanabilab.lab.tally import wilson
from hanabilab.lab.workers.connection import Cluster
from hanabilab.solver.certificates import EveryOrder
from hanabilab.solver.kernels.search import BEAM, ENDGAME, PACE, STORAGE, UNDECIDED, decide_range
from hanabilab.solver.position import Position
from hanabilab.solver.solve import Solution, needs_exact_search, solve_position

__all__ = ["DeckRun", "WinnableCount", "winnable"]

OUTCOMES = (
    "winnable",
    "pace",
    "storage",
    "endgame",
    "dead card",
    "exhausted search",
    "unsatisfiable",
    "undecided",
)
"""Outcomes of a deck: winnable, lost for one of these reasons, or undecided."""

SUMS = ("slowly decided", "points lost", "points lost squared", "points open")
"""Other sums; the last three only if best scores are requested."""


@dataclass(frozen=True, slots=True)
class DeckRun:
    """A range of decks to decide."""

    rules: Rules
    seed: int
    first: int
    games: int
    time_limit: float
    best: bool = False
    repeats: int = 1
    releases_gil: bool = True

    def halt(self, threads: Collection[Thread]) -> None:
        """Do nothing: all work is done in this process."""

    def play(self, first: int, count: int) -> tuple[list[Any], float]:
        """Decide some decks; return the counts of outcomes and the sums."""
        start = time.perf_counter()
        methods, unsure = self.decide_quickly(first, count)
        counts = Counter(dict.fromkeys(SUMS, 0))
        names = {BEAM: "winnable", PACE: "pace", STORAGE: "storage", ENDGAME: "endgame"}
        for number, method in enumerate(methods):
            skip_quick = method == UNDECIDED
            if unsure or skip_quick or (self.best and method != BEAM):
                counts.update(self.decide(first + number, skip_quick=skip_quick))
            else:
                counts[names[method]] += 1
            counts["slowly decided"] += skip_quick
        return [counts], time.perf_counter() - start

    def decide_quickly(self, first: int, count: int) -> tuple[list[int], bool]:
        """Return how the quick search decides some decks, and whether that must be verified."""
        state = initial_state(self.rules)
        if state.rules.stacks:  # one search for each order of the fireworks
            return [UNDECIDED] * count, True
        methods, _ = decide_range(self.rules, self.seed, first, count)
        return methods.tolist(), needs_exact_search(state)

    def decide(self, game: int, *, skip_quick: bool) -> dict[str, int]:
        """Decide one deck, also one that the quick search has left open; return its counts."""
        position = Position.start(Deck.shuffled(self.rules, seed=self.seed, game=game))
        solution = solve_position(
            position, time_limit=self.time_limit, best=self.best, skip_quick=skip_quick
        )
        lost = self.rules.max_score - solution.best
        counts = {outcome_of(solution): 1}
        if self.best:
            open_points = solution.bound - solution.best
            sums = {"points lost": lost, "points lost squared": lost**2, "points open": open_points}
            counts.update(sums)
        return counts


def outcome_of(solution: Solution) -> str:
    """Return the outcome of a deck: where orders differ, the reason why most of them are lost."""
    if isinstance(solution.reason, EveryOrder):
        return next(iter(solution.reason.reasons))
    if solution.reason:
        return solution.reason.name
    return "winnable" if solution.winnable else "undecided"


@dataclass(frozen=True, slots=True, repr=False)
class WinnableCount(Result):
    """The number of winnable decks, and of lost ones by reason."""

    rules: Rules
    seed: int
    decks: int
    outcomes: dict[str, int]
    sums: dict[str, int]
    has_best: bool
    seconds: float
    threads: int
    resumed: int = 0
    interrupted: bool = False

    @property
    def fraction(self) -> float:
        """The fraction of decks that can be won; undecided ones count as lost."""
        return self.outcomes["winnable"] / self.decks if self.decks else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval: undecided decks count as lost below and as won above."""
        low = wilson(self.fraction, self.decks)[0]
        won = self.outcomes["winnable"] + self.outcomes["undecided"]
        return low, wilson(won / self.decks if self.decks else 0.0, self.decks)[1]

    @property
    def expected_best(self) -> float:
        """The mean of the best scores: an upper bound for every strategy."""
        return self.rules.max_score - self.sums["points lost"] / max(self.decks, 1)

    @property
    def expected_best_stderr(self) -> float:
        """The standard error of that mean."""
        lost = self.sums["points lost"] / max(self.decks, 1)
        squares = self.sums["points lost squared"] / max(self.decks, 1)
        return math.sqrt(max(squares - lost**2, 0.0) / max(self.decks - 1, 1))

    def best_to_dict(self) -> dict[str, Any]:
        """Return the best scores as plain data, if they were requested."""
        if not self.has_best:
            return {}
        return {
            "expected_best": self.expected_best,
            "expected_best_stderr": self.expected_best_stderr,
            "points_open": self.sums["points open"],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        low, high = self.interval
        return {
            "players": self.rules.players,
            "rules": self.rules.to_dict(),
            "decks": self.decks,
            "seed": self.seed,
            "winnable": self.outcomes["winnable"],
            "fraction": self.fraction,
            "low": low,
            "high": high,
            "losses": {
                outcome: self.outcomes[outcome]
                for outcome in OUTCOMES
                if outcome not in ("winnable", "undecided")
            },
            "undecided": self.outcomes["undecided"],
            "slowly_decided": self.sums["slowly decided"],
            **self.best_to_dict(),
            "seconds": self.seconds,
            "decks_per_second": (self.decks - self.resumed) / self.seconds if self.seconds else 0.0,
            "threads": self.threads,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return the result as one row."""
        return [self.to_dict()]

    def bars(self) -> list[Bar]:
        """Return the number of decks by outcome."""
        return [Bar(outcome, count) for outcome, count in self.outcomes.items() if count]

    def to_tables(self) -> list[DataTable]:
        """Return the number of decks by outcome."""
        counts = {outcome: count for outcome, count in self.outcomes.items() if count}
        parts = tuple(
            (outcome, f"{n:,}", f"{100 * n / self.decks:.3f} %") for outcome, n in counts.items()
        )
        return [DataTable(header=("", "decks", "part"), rows=parts)]

    def __repr__(self) -> str:
        return f"<WinnableCount: {self.heading()}>"

    def summary(self) -> str:
        """Return the fraction of winnable decks with its interval."""
        low, high = self.interval
        return (
            f"{self.rules.players} players: {100 * self.fraction:.3f} % of {self.decks:,} decks "
            f"can be won ({100 * low:.3f} to {100 * high:.3f} %)"
        )

    def heading(self) -> str:
        """Return the summary, the number of lost decks by reason, and the best scores."""
        losses = ", ".join(
            f"{outcome} {count:,}"
            for outcome, count in self.outcomes.items()
            if outcome not in ("winnable", "undecided") and count
        )
        return (
            f"{self.summary()}; lost by {losses or 'nothing'}; "
            f"undecided {self.outcomes['undecided']}{self._best_in_words()}"
        )

    def _best_in_words(self) -> str:
        if not self.has_best:
            return ""
        still_open = self.sums["points open"]
        note = f" (up to {still_open} points in all not yet decided)" if still_open else ""
        mean = f"{self.expected_best:.5f} ± {self.expected_best_stderr:.5f}"
        return f"; expected best score {mean}{note}"


def winnable(
    players: int | None = None,
    *,
    decks: int = 10_000,
    seed: int = 0,
    rules: Rules | str = "classic",
    threads: int | None = None,
    cluster: Cluster = None,
    time_limit: float = 60.0,
    best: bool = False,
    save: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> WinnableCount:
    """Decide the decks of a seed: count winnable decks, and lost ones by certificate.

    With `best`, also find the best score of each lost deck; the mean of all best scores bounds
    every strategy. With `save`, progress is written to that file: repeat the same call to resume.

    Examples
    --------
    >>> print(winnable(3, decks=100, seed=1))
    3 players: 100.000 % of 100 decks can be won (96.301 to 100.000 %)
    """
    chosen = choose_rules(rules, players)
    check_integer("decks", decks, 1, 1 << 40)
    settings = {
        "rules": str(chosen.to_dict()),
        "players": chosen.players,
        "seed": seed,
        "best": best,
    }
    totals = _Totals()
    played = None
    with open_checkpoint_log(save, settings, ["first", "decks", *OUTCOMES, *SUMS]) as log:
        if log:
            log.restore(totals.add_row)
        resumed = totals.decks
        if resumed < decks:
            work = DeckRun(chosen, seed, resumed, decks - resumed, time_limit, best)
            with progress_bar(f"{chosen.players} players", decks, progress) as report:
                consume = functools.partial(_consume, totals, log, report)
                played = play_run(work, consume, Parallelism.of(threads, cluster=cluster))
    return WinnableCount(
        chosen,
        seed,
        totals.decks,
        {outcome: totals.counts[outcome] for outcome in OUTCOMES},
        {name: totals.counts[name] for name in SUMS},
        best,
        played.seconds if played else 0.0,
        played.threads if played else 0,
        resumed,
        bool(played and played.interrupted),
    )


class _Totals:
    """Running totals of outcomes and sums."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter(dict.fromkeys((*OUTCOMES, *SUMS), 0))

    @property
    def decks(self) -> int:
        """Number of decks so far."""
        return sum(self.counts[outcome] for outcome in OUTCOMES)

    def add_row(self, row: Mapping[str, str]) -> None:
        """Restore a chunk from a row of the file, which must start where the last one ended."""
        numbers = {name: int(row[name]) for name in ("first", "decks", *OUTCOMES, *SUMS)}
        first, decks = numbers.pop("first"), numbers.pop("decks")
        if first != self.decks:
            raise ValueError(f"decks from {first} on, but those up to {self.decks} come before")
        if min(numbers.values()) < 0 or decks != sum(numbers[outcome] for outcome in OUTCOMES):
            raise ValueError(f"its figures are not those of {decks} decks")
        self.counts.update(numbers)


def _consume(
    totals: _Totals, log: CheckpointLog | None, report: Report, first: int, results: list[Any]
) -> bool:
    """Log a chunk and add it to the totals; never stop early."""
    chunk: Counter[str] = results[0]
    count = sum(chunk[outcome] for outcome in OUTCOMES)
    if log and count:
        counts = {name: chunk[name] for name in (*OUTCOMES, *SUMS)}
        log.append({"first": first, "decks": count, **counts})
    totals.counts.update(chunk)
    report(totals.decks, f"{100 * totals.counts['winnable'] / max(totals.decks, 1):.3f} %")
    return False
