"""What is printed, where, how it is recomputed, and what came of it.

An `Item` is one printed number or statement. Nothing in it knows the answer: each kind plays or
counts when it is asked, and is judged by what comes out. An `Erratum` or an `Explanation` excuses
only the one difference that it was written for.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from hanabilab.lab.tally import plus_minus
from hanabilab.papers.verdicts import (
    AGREES,
    CLOSE,
    DIFFERS,
    ERRATUM,
    EXACT,
    STANDARD_ERRORS,
    Value,
    half_unit,
    judge_average,
    judge_exact,
    judge_extreme,
    judge_lead,
    protocol_error,
)

if TYPE_CHECKING:
    from hanabilab.papers.runner import Match, MatchResult, Runner


__all__ = [
    "Average",
    "Beside",
    "Claim",
    "Erratum",
    "Exact",
    "Explanation",
    "Extreme",
    "Finding",
    "Item",
    "Lead",
    "Measured",
    "PrintedTable",
    "exact",
    "lead",
]


@dataclass(frozen=True, slots=True)
class Erratum:
    """What should have been printed, and how we know. It counts only if that is what we get."""

    right: Value
    reason: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why we get something else: only for a difference (ours - printed) from `low` to `high`."""

    reason: str
    low: float
    high: float

    def covers(self, difference: float | None, stderr: float) -> bool:
        """Tell whether this is the difference that is explained."""
        if difference is None:
            return False
        slack = STANDARD_ERRORS * stderr
        return self.low - slack <= difference <= self.high + slack


class Beside(TypedDict):
    """An average in another reading of the paper."""

    reading: str
    got: float
    stderr: float
    games: int
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What we get for an item."""

    got: Value
    stderr: float = 0.0
    games: int = 0
    difference: float | None = None
    theirs: float = 0.0
    """The standard error of the paper's own sample."""
    seconds: float = 0.0
    command: str = ""
    rules: str = ""
    beside: Beside | None = None
    """The same in the other reading."""
    played: MatchResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An item with what we get and the verdict."""

    item: Item
    paper: str
    measured: Measured
    verdict: str
    reason: str = ""

    @property
    def unexplained(self) -> bool:
        """Whether it differs and nobody knows why."""
        return self.verdict == DIFFERS and not self.reason

    @property
    def sigmas(self) -> float | None:
        """How many standard errors apart they are, where that makes sense."""
        error = math.hypot(self.measured.stderr, self.measured.theirs)
        if self.measured.difference is None or not error:
            return None
        return self.measured.difference / error

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain data."""
        measured = self.measured
        data: dict[str, Any] = {
            "id": self.item.id,
            "paper": self.paper,
            "place": self.item.place,
            "printed": as_number(self.item.printed),
            "got": as_number(measured.got),
            "stderr": measured.stderr,
            "games": measured.games,
            "verdict": self.verdict,
        }
        if self.reason:
            data["explanation"] = self.reason
        data |= {
            "reading": self.item.reading or None,
            "difference": measured.difference,
            "paper_stderr": measured.theirs,
            "rules": measured.rules or None,
            "command": measured.command or None,
            "seconds": round(measured.seconds, 3),
            "beside": measured.beside,
        }
        return data


def as_number(value: Value) -> str | int | float:
    """Return a number as a number, even if it is kept as it was printed."""
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


@dataclass(frozen=True, kw_only=True)
class Item:
    """One printed number or statement."""

    id: str
    place: str
    printed: Value
    reading: str = ""
    erratum: Erratum | None = None
    explanation: Explanation | None = None
    headline: bool = False
    """Whether it is one of the few that the command line shows."""
    row: str = ""
    column: str = ""

    def matches(self) -> Sequence[Match]:
        """Return the matches that it needs."""
        return ()

    def measure(self, runner: Runner) -> Measured:
        """Compute it."""
        raise NotImplementedError

    def judge(self, printed: Value, measured: Measured) -> str:
        """Return what the verdict would be if this were printed."""
        raise NotImplementedError

    def find(self, runner: Runner, paper: str) -> Finding:
        """Compute it and judge it."""
        measured = self.measure(runner)
        verdict, reason = self.judge(self.printed, measured), ""
        if verdict in (CLOSE, DIFFERS) and self.erratum:
            if self.judge(self.erratum.right, measured) in (EXACT, AGREES):
                verdict, reason = ERRATUM, self.erratum.reason
        elif (
            verdict in (CLOSE, DIFFERS)
            and self.explanation
            and self.explanation.covers(measured.difference, measured.stderr)
        ):
            reason = self.explanation.reason
        return Finding(item=self, paper=paper, measured=measured, verdict=verdict, reason=reason)


@dataclass(frozen=True, kw_only=True)
class Exact(Item):
    """Mathematics, or a rule of the game: nothing left to chance."""

    compute: Callable[[], Value]
    command: str = ""
    """A command that shows it; without one, that which computes it again."""

    def measure(self, runner: Runner) -> Measured:
        """Compute it."""
        got = self.compute()
        difference = None
        if isinstance(got, Fraction | float):
            difference = float(got - Fraction(self.printed))
        command = self.command or f"hanabilab reproduce --only {shlex.quote(self.id)}"
        return Measured(got=got, difference=difference, command=command)

    def judge(self, printed: Value, measured: Measured) -> str:
        """Return `exact` if it is the same to the last printed digit."""
        return judge_exact(printed, measured.got)


def exact(
    id: str,
    place: str,
    printed: Value,
    compute: Callable[..., Value],
    *arguments: object,
    erratum: Erratum | None = None,
    row: str = "",
    column: str = "",
    command: str = "",
) -> Exact:
    """Return an exact item; its arguments stand in the order of a line of a table."""
    return Exact(
        id=id,
        place=place,
        printed=printed,
        compute=partial(compute, *arguments),
        erratum=erratum,
        row=row,
        column=column,
        command=command,
    )


@dataclass(frozen=True, kw_only=True)
class PrintedTable:
    """Items that belong together: a table, a figure, an example of a paper."""

    id: str
    paper: str
    title: str
    items: Sequence[Item] = field(repr=False)
    about: str = ""
    """A sentence or two for the report."""


MORE = 8
"""In a quick run a mean that does not agree is measured again, with so many times the decks."""


@dataclass(frozen=True, kw_only=True)
class Average(Item):
    """The mean score of many games."""

    match: Match
    beside: Match | None = None
    """The same in the other reading, shown beside it."""
    decks: int
    """How many decks the paper played; each of them `repeats` times."""
    repeats: int = 1
    rounding: float | None = None
    """How far from the true mean the printed one may be; by default half its last digit."""

    def matches(self) -> Sequence[Match]:
        """Return the matches that it needs."""
        return [self.match, *([self.beside] if self.beside else [])]

    def measure(self, runner: Runner) -> Measured:
        """Play, and once more with more decks if a quick sample leaves a doubt."""
        measured = self._of(runner.played(self.match))
        if runner.quick and not self.match.slow and self._in_doubt(measured):
            measured = self._of(runner.played(self.match.times(MORE)))
        if self.beside is None:
            return measured
        other = runner.played(self.beside)
        beside: Beside = {
            "reading": self.beside.reading,
            "got": other.tally.mean,
            "stderr": other.tally.stderr,
            "games": other.tally.played,
            "command": other.command,
        }
        return replace(measured, beside=beside)

    def _in_doubt(self, measured: Measured) -> bool:
        """Tell whether this is neither what was expected nor a known departure."""
        right = self.erratum.right if self.erratum else self.printed
        known = self.explanation is not None and self.explanation.covers(
            measured.difference, measured.stderr
        )
        return not known and self.judge(right, measured) != AGREES

    def _of(self, played: MatchResult) -> Measured:
        tally = played.tally
        return Measured(
            got=tally.mean,
            stderr=tally.stderr,
            games=tally.played,
            difference=tally.mean - float(self.printed),
            theirs=protocol_error(tally, self.decks, self.repeats),
            seconds=played.seconds,
            command=played.command,
            rules=played.match.rules,
            played=played,
        )

    def judge(self, printed: Value, measured: Measured) -> str:
        """Compare the means, allowing for rounding and chance."""
        half = float(half_unit(printed)) if self.rounding is None else self.rounding
        got = float(measured.got)
        return judge_average(float(printed), half, got, measured.stderr, measured.theirs)


@dataclass(frozen=True, kw_only=True)
class Extreme(Item):
    """The highest or the lowest score of many games."""

    match: Match
    highest: bool
    decks: int
    repeats: int = 1

    def matches(self) -> Sequence[Match]:
        """Return the matches that it needs."""
        return [self.match]

    def measure(self, runner: Runner) -> Measured:
        """Play; the smaller sample of a quick run has less extreme extremes."""
        played = runner.played(self.match)
        got = played.tally.max if self.highest else played.tally.min
        assert got is not None
        return Measured(
            got=got,
            games=played.tally.played,
            difference=got - int(self.printed),
            seconds=played.seconds,
            command=played.command,
            rules=played.match.rules,
            played=played,
        )

    def judge(self, printed: Value, measured: Measured) -> str:
        """Judge whether chance could make it so."""
        assert measured.played is not None
        tally = measured.played.tally
        return judge_extreme(int(printed), tally, self.decks, self.repeats, highest=self.highest)


@dataclass(frozen=True, slots=True)
class Lead:
    """By how much something is greater than something else, and where."""

    value: float
    stderr: float
    where: str = ""

    @property
    def strength(self) -> float:
        """The lead in standard errors."""
        if self.stderr:
            return self.value / self.stderr
        return math.copysign(math.inf, self.value) if self.value else 0.0


def lead(above: MatchResult, below: MatchResult, where: str = "", *, margin: float = 0.0) -> Lead:
    """Return how much better one did than another, given a head start of `margin`."""
    one, other = above.tally, below.tally
    return Lead(one.mean - other.mean + margin, math.hypot(one.stderr, other.stderr), where)


@dataclass(frozen=True, kw_only=True)
class Claim(Item):
    """A statement about results, which holds if all of its leads are above 0."""

    needs: Sequence[Match]
    leads: Callable[[Runner], Sequence[Lead]]

    def matches(self) -> Sequence[Match]:
        """Return the matches that it needs."""
        return self.needs

    def measure(self, runner: Runner) -> Measured:
        """Find the weakest of its leads."""
        weakest = min(self.leads(runner), key=lambda one: (one.value > 0, one.strength))
        games = [runner.played(match) for match in self.needs]
        holds = "holds" if weakest.value > 0 else "fails"
        where = f", at {weakest.where}" if weakest.where else ""
        size = plus_minus(abs(weakest.value), weakest.stderr)
        return Measured(
            got=f"{holds} by {size}{where}",
            stderr=weakest.stderr,
            games=sum(played.tally.played for played in games),
            difference=weakest.value,
            seconds=sum(played.seconds for played in games),
            rules=", ".join(sorted({played.match.rules for played in games})),
            command=games[0].command if len(games) == 1 else "",
        )

    def judge(self, printed: Value, measured: Measured) -> str:
        """Judge whether it holds in our sample."""
        assert measured.difference is not None
        return judge_lead(measured.difference, measured.stderr)
