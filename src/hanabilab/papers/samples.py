"""Items that are played: averages, extremes, and statements about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hanabilab.lab.tally import plus_minus
from hanabilab.papers.items import Item, Measured
from hanabilab.papers.verdicts import (
    AGREES,
    half_unit,
    judge_average,
    judge_extreme,
    judge_lead,
    protocol_error,
)

if TYPE_CHECKING:
    from hanabilab.papers.laboratory import Laboratory, Match, Played

__all__ = ["Average", "Claim", "Extreme", "Lead", "lead"]

MORE = 8
"""In a quick run a mean that does not agree is measured again with so many times the decks."""


@dataclass(frozen=True, kw_only=True)
class Average(Item):
    """The mean score of many games."""

    match: Match
    beside: Match | None = None
    """The other reading, shown beside it."""
    decks: int
    """How many the paper played, and how often each."""
    repeats: int = 1
    rounding: float | None = None
    """How far from the true mean the printed one may be; by default half its last digit."""

    def matches(self) -> Sequence[Match]:
        """The games that it needs."""
        return [self.match, *([self.beside] if self.beside else [])]

    def measure(self, laboratory: Laboratory) -> Measured:
        """Play; once more with more decks if a quick sample leaves a doubt."""
        measured = self._of(laboratory.played(self.match))
        if laboratory.quick and not self.match.slow and self._in_doubt(measured):
            measured = self._of(laboratory.played(self.match.times(MORE)))
        if self.beside is None:
            return measured
        other = laboratory.played(self.beside)
        beside = {
            "reading": self.beside.reading,
            "got": other.tally.mean,
            "stderr": other.tally.stderr,
            "games": other.tally.played,
            "command": other.command,
        }
        return replace(measured, beside=beside)

    def _in_doubt(self, measured: Measured) -> bool:
        """Is this neither what was expected nor the departure that is known?"""
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

    def judge(self, printed: Any, measured: Measured) -> str:
        """Within what chance allows?"""
        half = float(half_unit(printed)) if self.rounding is None else self.rounding
        return judge_average(float(printed), half, measured.got, measured.stderr, measured.theirs)


@dataclass(frozen=True, kw_only=True)
class Extreme(Item):
    """The highest or the lowest score of many games."""

    match: Match
    highest: bool
    decks: int
    repeats: int = 1

    def matches(self) -> Sequence[Match]:
        """The games that it needs."""
        return [self.match]

    def measure(self, laboratory: Laboratory) -> Measured:
        """Play; in a quick run a smaller sample has extremes that lie further in."""
        played = laboratory.played(self.match)
        got = played.tally.max if self.highest else played.tally.min
        assert got is not None
        return Measured(
            got=got,
            games=played.tally.played,
            difference=got - self.printed,
            seconds=played.seconds,
            command=played.command,
            rules=played.match.rules,
            played=played,
        )

    def judge(self, printed: Any, measured: Measured) -> str:
        """Could chance make it so?"""
        assert measured.played is not None
        tally = measured.played.tally
        return judge_extreme(printed, tally, self.decks, self.repeats, highest=self.highest)


@dataclass(frozen=True, slots=True)
class Lead:
    """By how much something is greater than something else, and where."""

    value: float
    stderr: float
    where: str = ""

    @property
    def strength(self) -> float:
        """In standard errors."""
        if self.stderr:
            return self.value / self.stderr
        return math.copysign(math.inf, self.value) if self.value else 0.0


def lead(above: Played, below: Played, where: str = "", *, margin: float = 0.0) -> Lead:
    """How much better one did than another; with a margin, how much better than that much worse."""
    one, other = above.tally, below.tally
    return Lead(one.mean - other.mean + margin, math.hypot(one.stderr, other.stderr), where)


@dataclass(frozen=True, kw_only=True)
class Claim(Item):
    """A statement of the text about results: it holds if all of its leads are above 0."""

    needs: Sequence[Match]
    leads: Callable[[Laboratory], Sequence[Lead]]

    def matches(self) -> Sequence[Match]:
        """The games that it needs."""
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

    def judge(self, printed: Any, measured: Measured) -> str:
        """Does it hold in our sample?"""
        assert measured.difference is not None
        return judge_lead(measured.difference, measured.stderr)
