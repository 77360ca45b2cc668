"""Statistics of many games from exact sums.

A `Tally` holds integers only, so chunks add up to the same result, to the last digit, in any order
and of any size.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Tally", "cluster_error", "percent", "plus_minus", "wilson"]

Z_95 = 1.959963984540054
"""The normal distribution's two-sided 95 % point."""


def wilson(rate: float, games: float, z: float = Z_95) -> tuple[float, float]:
    """Return the 95 % confidence interval of a rate (Wilson 1927).

    Unlike the normal approximation, it stays within 0 and 1 and is meaningful at 0 and 1.
    """
    if games <= 0:
        return 0.0, 1.0
    centre = (rate + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(rate * (1 - rate) / games + (z / (2 * games)) ** 2)
    return max(0.0, min(centre - half, rate)), min(1.0, max(centre + half, rate))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Sufficient statistics of any number of games.

    Every deck was played `repeats` times. Games with the same deck are correlated, so errors are
    clustered by deck: the standard error of the mean is the standard deviation of the deck means,
    divided by the square root of the number of decks. With one game per deck this is the usual
    formula.
    """

    repeats: int
    decks: int
    histogram: tuple[int, ...]
    """Number of games with each score, from 0 to the highest possible."""
    turns: int
    misplays: int
    lost: int
    """Games in which the last life was lost."""
    squares: int
    """The sum over decks of the squared total score."""
    perfect_squares: int
    lost_squares: int

    @classmethod
    def empty(cls, max_score: int, repeats: int = 1) -> Tally:
        """Return the tally of no games."""
        sums: dict[str, Any] = {field.name: 0 for field in dataclasses.fields(Tally)}
        return Tally(**sums | {"repeats": repeats, "histogram": (0,) * (max_score + 1)})

    @classmethod
    def of(cls, rows: ArrayLike, max_score: int, repeats: int = 1) -> Tally:
        """Add up the rows of `hanabilab.table.loop.play_chunk`."""
        import numpy as np

        from hanabilab.game.state import LIVES

        score, turns, misplays, end = np.asarray(rows, np.int64).reshape(-1, 4).T
        lost = end == LIVES
        return Tally(
            repeats=repeats,
            decks=len(score) // repeats,
            histogram=tuple(np.bincount(score, minlength=max_score + 1).tolist()),
            turns=int(turns.sum()),
            misplays=int(misplays.sum()),
            lost=int(lost.sum()),
            squares=_squares(score, repeats),
            perfect_squares=_squares(score == max_score, repeats),
            lost_squares=_squares(lost, repeats),
        )

    def __add__(self, other: Tally) -> Tally:
        if self.repeats != other.repeats or len(self.histogram) != len(other.histogram):
            raise ValueError("tallies of different kinds of games cannot be added")
        sums = {
            field.name: getattr(self, field.name) + getattr(other, field.name)
            for field in dataclasses.fields(Tally)
        }
        both = zip(self.histogram, other.histogram, strict=True)
        sums |= {"repeats": self.repeats, "histogram": tuple(a + b for a, b in both)}
        return Tally(**sums)

    @property
    def played(self) -> int:
        """Number of games: decks times repeats."""
        return self.decks * self.repeats

    @property
    def total(self) -> int:
        """The sum of all scores."""
        return sum(score * games for score, games in enumerate(self.histogram))

    @property
    def mean(self) -> float:
        """The average score."""
        return self.total / self.played if self.decks else math.nan

    @property
    def stderr(self) -> float:
        """The standard error of the mean."""
        return cluster_error(self.total, self.squares, self.decks, self.repeats)

    @property
    def stdev(self) -> float:
        """The standard deviation of the score of one game."""
        if self.played < 2:
            return math.nan
        squares = sum(score * score * games for score, games in enumerate(self.histogram))
        return math.sqrt((squares * self.played - self.total**2) / self.played / (self.played - 1))

    @property
    def min(self) -> int | None:
        """The lowest score."""
        return next((score for score, games in enumerate(self.histogram) if games), None)

    @property
    def max(self) -> int | None:
        """The highest score."""
        scores = [score for score, games in enumerate(self.histogram) if games]
        return scores[-1] if scores else None

    @property
    def perfect(self) -> int:
        """Games with the highest possible score."""
        return self.histogram[-1]

    @property
    def perfect_rate(self) -> float:
        """The share of perfect games."""
        return self.perfect / self.played if self.decks else math.nan

    @property
    def lost_rate(self) -> float:
        """The share of games lost to misplays."""
        return self.lost / self.played if self.decks else math.nan

    @property
    def mean_turns(self) -> float:
        """The average number of turns per game."""
        return self.turns / self.played if self.decks else math.nan

    @property
    def perfect_interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of `perfect_rate`."""
        return self._interval(self.perfect, self.perfect_squares)

    @property
    def lost_interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of `lost_rate`."""
        return self._interval(self.lost, self.lost_squares)

    def _interval(self, count: int, squares: int) -> tuple[float, float]:
        """Return Wilson's interval for the effective sample size.

        Repeats of a deck are correlated, so the effective number of games is smaller than their
        number. It follows from the variance between decks; without any (a rate of 0 or 1), each
        deck counts once.
        """
        if not self.decks:
            return 0.0, 1.0
        rate = count / self.played
        effective = float(self.decks)
        error = cluster_error(count, squares, self.decks, self.repeats)
        if error > 0:
            effective = min(max(rate * (1 - rate) / error**2, self.decks), self.played)
        return wilson(rate, effective)

    def statistics(self) -> dict[str, Any]:
        """Return the numbers that every export has."""
        return {
            "mean": self.mean,
            "stderr": self.stderr,
            "stdev": self.stdev,
            "min": self.min,
            "max": self.max,
            "perfect_rate": self.perfect_rate,
            "lost_rate": self.lost_rate,
            "mean_turns": self.mean_turns,
            "histogram": list(self.histogram),
        }

    def sums(self) -> dict[str, Any]:
        """Return all fields, to construct a richer result."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(Tally)}

    def __str__(self) -> str:
        lost = f"{self.lost:,} game{'' if self.lost == 1 else 's'} lost to misplays"
        return f"{plus_minus(self.mean, self.stderr)}, perfect {percent(self.perfect_rate)}, {lost}"


def _squares(values: NDArray[np.generic], repeats: int) -> int:
    """Return the sum over decks of the squared deck totals."""
    totals = values.reshape(-1, repeats).sum(axis=1)
    return int((totals * totals).sum())


def cluster_error(total: int, squares: int, decks: int, repeats: int) -> float:
    """Return the standard error of a mean over decks that were each played `repeats` times.

    `total` is the sum over all games, `squares` the sum over decks of the squared deck totals.
    """
    if decks < 2:
        return math.nan
    return math.sqrt((squares * decks - total * total) / decks / (decks - 1) / decks) / repeats


def plus_minus(mean: float, stderr: float) -> str:
    """Return a mean and its standard error as text, with digits according to the error."""
    if math.isnan(mean):
        return "-"
    if math.isnan(stderr):
        return f"{mean:.2f}"
    digits = 2
    if stderr > 0:
        digits = min(max(2, math.ceil(-math.log10(stderr))), 6)
    return f"{mean:.{digits}f} ± {stderr:.{digits}f}"


def percent(rate: float, interval: Sequence[float] = ()) -> str:
    """Return a rate in percent, with its interval if given; narrow intervals get more digits."""
    if math.isnan(rate):
        return "-"
    width = interval[1] - interval[0] if interval else 0.01
    digits = min(max(1, math.ceil(-math.log10(100 * width)) + 1), 6)
    if not interval:
        return f"{100 * rate:.{digits}f} %"
    low, high = (f"{100 * bound:.{digits}f}" for bound in interval)
    return f"{100 * rate:.{digits}f} % ({low} to {high} %)"
