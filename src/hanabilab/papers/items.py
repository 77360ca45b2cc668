"""What is printed, where, how it is recomputed, and what came of it.

An `Item` is one printed number or statement. Nothing in it knows the answer: each kind plays or
counts when it is asked, and is judged by what comes out. An `Erratum` or an `Explanation` excuses
only the one difference that it was written for.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from hanabilab.papers.verdicts import (
    AGREES,
    CLOSE,
    DIFFERS,
    ERRATUM,
    EXACT,
    STANDARD_ERRORS,
    Value,
    judge_exact,
)

if TYPE_CHECKING:
    from hanabilab.papers.matches import Laboratory, Match, Played

__all__ = [
    "Beside",
    "Erratum",
    "Exact",
    "Explanation",
    "Finding",
    "Item",
    "Measured",
    "PrintedTable",
    "exact",
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
    played: Played | None = None


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

    def measure(self, laboratory: Laboratory) -> Measured:
        """Compute it."""
        raise NotImplementedError

    def judge(self, printed: Value, measured: Measured) -> str:
        """Return what the verdict would be if this were printed."""
        raise NotImplementedError

    def find(self, laboratory: Laboratory, paper: str) -> Finding:
        """Compute it and judge it."""
        measured = self.measure(laboratory)
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

    def measure(self, laboratory: Laboratory) -> Measured:
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
