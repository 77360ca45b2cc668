"""Items that need games: averages, extremes, and statements about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hanabilab.lab.tally import plus_minus
from hanabilab.papers.items import Beside, Item, Measured
from hanabilab.papers.verdicts import (
    AGREES,
    Value,
    half_unit,
    judge_average,
    judge_extreme,
    judge_lead,
    protocol_error,
)

if TYPE_CHECKING:
    from hanabilab.papers.matches import Laboratory, Match, Played

__all__ = ["Average", "Claim", "Extreme", "Lead", "lead"]

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

    def measure(self, laboratory: Laboratory) -> Measured:
        """Play, and once more with more decks if a quick sample leaves a doubt."""
        measured = self._of(laboratory.played(self.match))
        if laboratory.quick and not self.match.slow and self._in_doubt(measured):
            measured = self._of(laboratory.played(self.match.times(MORE)))
        if self.beside is None:
            return measured
        other = laboratory.played(self.beside)
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

    def _of(self, played: Played) -> Measured:
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

    def measure(self, laboratory: Laboratory) -> Measured:
        """Play; the smaller sample of a quick run has less extreme extremes."""
        played = laboratory.played(self.match)
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


def lead(above: Played, below: Played, where: str = "", *, margin: float = 0.0) -> Lead:
    """Return how much better one did than another, given a head start of `margin`."""
    one, other = above.tally, below.tally
    return Lead(one.mean - other.mean + margin, math.hypot(one.stderr, other.stderr), where)


@dataclass(frozen=True, kw_only=True)
class Claim(Item):
    """A statement about results, which holds if all of its leads are above 0."""

    needs: Sequence[Match]
    leads: Callable[[Laboratory], Sequence[Lead]]

    def matches(self) -> Sequence[Match]:
        """Return the matches that it needs."""
        return self.needs

    def measure(self, laboratory: Laboratory) -> Measured:
        """Find the weakest of its leads."""
        weakest = min(self.leads(laboratory), key=lambda one: (one.value > 0, one.strength))
        games = [laboratory.played(match) for match in self.needs]
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
