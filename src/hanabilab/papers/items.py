"""Items: printed numbers and statements, how each is recomputed, and how the result is judged.

An `Item` contains no answer: it plays or counts, and the result is judged. Exact items need no
games; averages, extremes and claims do. A `Correction` or an `Explanation` excuses only the one
difference that it was written for.
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
    MAX_SIGMAS,
    UNDECIDED,
    Value,
    half_unit,
    judge_average,
    judge_exact,
    judge_extreme,
    judge_lead,
    protocol_error,
)
from hanabilab.theory.counting import SAFE_INTEGER

if TYPE_CHECKING:
    from hanabilab.papers.runner import Match, MatchResult, Runner

__all__ = [
    "AlternativeReading",
    "Average",
    "Claim",
    "Correction",
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
class Correction:
    """The correct value and the reason; it applies only if our result equals this value."""

    right: Value
    reason: str
    verdict: str = ERRATUM
    """`erratum`, or `refuted` for a conjecture, or `interpreted` if another interpretation is
    right.
    """


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why our result differs; it covers differences (ours - printed) from `low` to `high`."""

    reason: str
    low: float
    high: float

    def covers(self, difference: float | None, stderr: float) -> bool:
        """Return whether the explanation covers this difference."""
        if difference is None:
            return False
        slack = MAX_SIGMAS * stderr
        return self.low - slack <= difference <= self.high + slack


class AlternativeReading(TypedDict):
    """An average in another interpretation of the paper."""

    interpretation: str
    got: float
    stderr: float
    games: int
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Our result for an item."""

    got: Value
    stderr: float = 0.0
    games: int = 0
    difference: float | None = None
    paper_stderr: float = 0.0
    """The standard error of the paper's own sample."""
    seconds: float = 0.0
    command: str = ""
    rules: str = ""
    alternative: AlternativeReading | None = None
    """The average in the other interpretation of the paper."""
    played: MatchResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An item with our result and the verdict."""

    item: Item
    paper: str
    measured: Measured
    verdict: str
    reason: str = ""

    @property
    def unexplained(self) -> bool:
        """Whether it differs without an explanation."""
        return self.verdict == DIFFERS and not self.reason

    @property
    def sigmas(self) -> float | None:
        """The difference in standard errors; None for exact items."""
        error = math.hypot(self.measured.stderr, self.measured.paper_stderr)
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
        if isinstance(measured.got, Fraction):
            data["got_exact"] = str(measured.got)
        if self.reason:
            data["explanation"] = self.reason
        data |= {
            "interpretation": self.item.interpretation or None,
            "difference": measured.difference,
            "paper_stderr": measured.paper_stderr,
            "rules": measured.rules or None,
            "command": measured.command or None,
            "seconds": round(measured.seconds, 3),
            "beside": measured.alternative,
        }
        return data


def as_number(value: Value) -> str | int | float:
    """Convert a number kept as text or as a fraction, without losing digits.

    Integers stay integers; those that some JSON readers would round become text.
    """
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, str):
        return _read_number(value)
    return str(value) if isinstance(value, int) and abs(value) > SAFE_INTEGER else value


def _read_number(text: str) -> str | int | float:
    """Return the number in a text, or the text if it is no number or has too many digits."""
    if text.isdecimal():
        is_safe = str(int(text)) == text and int(text) <= SAFE_INTEGER
        return int(text) if is_safe else text
    try:
        return float(text)
    except ValueError:
        return text


@dataclass(frozen=True, kw_only=True)
class Item:
    """One printed number or statement."""

    id: str
    place: str
    printed: Value
    interpretation: str = ""
    correction: Correction | None = None
    explanation: Explanation | None = None
    headline: bool = False
    """Whether the command line prints it."""
    row: str = ""
    column: str = ""

    def matches(self) -> Sequence[Match]:
        """Return the matches that it needs."""
        return ()

    def measure(self, runner: Runner) -> Measured:
        """Compute our result."""
        raise NotImplementedError

    def judge(self, printed: Value, measured: Measured) -> str:
        """Return the verdict on our result, given the printed value."""
        raise NotImplementedError

    def find(self, runner: Runner, paper: str) -> Finding:
        """Compute the item and judge the result."""
        measured = self.measure(runner)
        verdict, reason = self.judge(self.printed, measured), ""
        if verdict in (CLOSE, DIFFERS) and self.correction:
            if self.judge(self.correction.right, measured) in (EXACT, AGREES):
                verdict, reason = self.correction.verdict, self.correction.reason
        elif (
            verdict in (CLOSE, DIFFERS)
            and self.explanation
            and self.explanation.covers(measured.difference, measured.stderr)
        ):
            reason = self.explanation.reason
        return Finding(item=self, paper=paper, measured=measured, verdict=verdict, reason=reason)


@dataclass(frozen=True, kw_only=True)
class Exact(Item):
    """An item without randomness: mathematics, or a rule of the game."""

    compute: Callable[[], Value]
    command: str = ""
    """A command that demonstrates it; by default the one that recomputes the item."""

    def measure(self, runner: Runner) -> Measured:
        """Compute our result."""
        got = self.compute()
        difference = None
        if isinstance(got, Fraction | float):
            difference = float(got - Fraction(self.printed))
        command = self.command or f"hanabilab reproduce --only {shlex.quote(self.id)}"
        return Measured(got=got, difference=difference, command=command)

    def judge(self, printed: Value, measured: Measured) -> str:
        """Return `exact` if our result matches to the last printed digit."""
        return judge_exact(printed, measured.got)


def exact(
    id: str,
    place: str,
    printed: Value,
    compute: Callable[..., Value],
    *arguments: object,
    correction: Correction | None = None,
    row: str = "",
    column: str = "",
    command: str = "",
) -> Exact:
    """Return an exact item; `compute` is called with the arguments."""
    return Exact(
        id=id,
        place=place,
        printed=printed,
        compute=partial(compute, *arguments),
        correction=correction,
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
    """Text for the report."""


MORE = 8
"""Factor by which a quick run increases the decks of a mean that does not agree."""


@dataclass(frozen=True, kw_only=True)
class Average(Item):
    """The mean score of many games."""

    match: Match
    alternative: Match | None = None
    """The match in the other interpretation of the paper."""
    decks: int
    """Number of decks in the paper's sample; each was played `repeats` times."""
    repeats: int = 1
    rounding: float | None = None
    """Rounding error of the printed mean; by default half a unit of its last digit."""

    def matches(self) -> Sequence[Match]:
        """Return the matches that it needs."""
        return [self.match, *([self.alternative] if self.alternative else [])]

    def measure(self, runner: Runner) -> Measured:
        """Play the match, with more decks if a quick sample does not agree."""
        measured = self._of(runner.result_of(self.match))
        if runner.quick and not self.match.slow and self._is_doubtful(measured):
            measured = self._of(runner.result_of(self.match.times(MORE)))
        if self.alternative is None:
            return measured
        other = runner.result_of(self.alternative)
        alternative: AlternativeReading = {
            "interpretation": self.alternative.interpretation,
            "got": other.tally.mean,
            "stderr": other.tally.stderr,
            "games": other.tally.played,
            "command": other.command,
        }
        return replace(measured, alternative=alternative)

    def _is_doubtful(self, measured: Measured) -> bool:
        """Return whether the result neither agrees nor is explained."""
        right = self.correction.right if self.correction else self.printed
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
            paper_stderr=protocol_error(tally, self.decks, self.repeats),
            seconds=played.seconds,
            command=played.command,
            rules=played.match.rules,
            played=played,
        )

    def judge(self, printed: Value, measured: Measured) -> str:
        """Compare the means, allowing for rounding and chance."""
        half = float(half_unit(printed)) if self.rounding is None else self.rounding
        got = float(measured.got)
        return judge_average(float(printed), half, got, measured.stderr, measured.paper_stderr)


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
        """Play the match; the smaller sample of a quick run has less extreme scores."""
        played = runner.result_of(self.match)
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
        """Judge whether the difference can be due to chance."""
        assert measured.played is not None
        tally = measured.played.tally
        return judge_extreme(int(printed), tally, self.decks, self.repeats, highest=self.highest)


@dataclass(frozen=True, slots=True)
class Lead:
    """A difference that a claim says is positive, with its standard error."""

    value: float
    stderr: float
    where: str = ""
    matches: tuple[Match, ...] = ()
    """The matches compared, if not all that the claim needs."""

    @property
    def verdict(self) -> str:
        """The verdict on the lead alone."""
        return judge_lead(self.value, self.stderr)

    @property
    def strength(self) -> float:
        """The lead in standard errors."""
        if self.stderr:
            return self.value / self.stderr
        return math.copysign(math.inf, self.value) if self.value else 0.0


def lead(above: MatchResult, below: MatchResult, where: str = "", *, margin: float = 0.0) -> Lead:
    """Return the difference of two means plus a tolerance of `margin`."""
    one, other = above.tally, below.tally
    error = math.hypot(one.stderr, other.stderr)
    return Lead(one.mean - other.mean + margin, error, where, (above.match, below.match))


FACTORS = (4, 16)
"""Factors by which a full run increases the decks of an undecided statement."""
SLOW_FACTORS = (4,)
"""The same factors if one of the matches is slow."""


@dataclass(frozen=True, kw_only=True)
class Claim(Item):
    """A statement about results, which holds if all of its leads are positive."""

    needs: Sequence[Match]
    leads: Callable[[Runner], Sequence[Lead]]
    extendable: bool = True
    """Whether more games can decide it; false for the extremes of a sample of fixed size."""

    def matches(self) -> Sequence[Match]:
        """Return the matches that it needs."""
        return self.needs

    def measure(self, runner: Runner) -> Measured:
        """Find the weakest of its leads; a full run plays more games until the claim is decided."""
        if not runner.quick and self.extendable:
            runner = self._play_on(runner)
        weakest = min(self.leads(runner), key=lambda one: (one.value > 0, one.strength))
        games = [runner.result_of(match) for match in self.needs]
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

    def _play_on(self, runner: Runner) -> Runner:
        """Repeat the matches of undecided leads with more decks; return a runner with the results.

        It stops when one lead certainly fails or all hold, and at the last of the factors.
        """
        factors: dict[Match, int] = {}
        slow = any(match.slow for match in self.needs)
        for factor in SLOW_FACTORS if slow else FACTORS:
            leads = self.leads(runner)
            undecided = [one for one in leads if one.verdict == UNDECIDED]
            if not undecided or any(one.verdict == DIFFERS for one in leads):
                break
            matches = [match for one in undecided for match in one.matches or self.needs]
            factors |= dict.fromkeys(matches, factor)
            runner = runner.extended(factors)
            runner.play_all(matches)
        return runner

    def judge(self, printed: Value, measured: Measured) -> str:
        """Judge whether the claim holds in our sample by more than chance."""
        assert measured.difference is not None
        return judge_lead(measured.difference, measured.stderr)
