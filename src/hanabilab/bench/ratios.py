"""By how much one set of repeated measurements is faster than another, with an interval.

The estimate is the median of all ratios of a new speed to an old one (Hodges and Lehmann 1963). The
interval is exact whatever the speeds are distributed like, as long as both sets differ by a factor
only: it cuts off as many of the sorted ratios as the distribution of Mann and Whitney's count
allows. A single slow round cannot shift it, as it would a mean.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

__all__ = ["LEVEL", "NOTICEABLE", "Ratio", "compare_speeds", "geometric_mean"]

LEVEL = 0.99
"""How often the interval is right, if there are enough rounds for that: five and five suffice."""
SURE = 0.95
"""Below this, with fewer than four rounds on each side, nothing is called slower or faster."""
NOTICEABLE = 0.03
"""Differences below this come from the place of the code in memory, and are not called any."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as fast, the interval, and how often such intervals are right."""

    ratio: float
    low: float
    high: float
    level: float

    @property
    def verdict(self) -> str:
        """Say whether it is surely and noticeably slower or faster."""
        if self.level < SURE:
            return "unsure"
        if self.high < 1 - NOTICEABLE:
            return "slower"
        return "faster" if self.low > 1 + NOTICEABLE else "same"


def compare_speeds(before: Sequence[float], now: Sequence[float], level: float = LEVEL) -> Ratio:
    """Compare speeds of rounds before with speeds of rounds now."""
    ratios = sorted(new / old for new in now for old in before)
    cut, reached = _cut(len(before), len(now), level)
    return Ratio(median(ratios), ratios[cut], ratios[-1 - cut], reached)


def geometric_mean(ratios: Iterable[float]) -> float:
    """Return the mean of ratios as ratios."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else 1.0


def _cut(n: int, m: int, level: float) -> tuple[int, float]:
    """Return how many ratios to cut off at each end, and how often the interval is then right."""
    total = math.comb(n + m, n)
    below, cut = 0, -1
    while below + _arrangements(n, m, cut + 1) <= total * (1 - level) / 2:
        cut += 1
        below += _arrangements(n, m, cut)
    if cut < 0:  # too few rounds for the level: take all there is
        return 0, 1 - 2 / total
    return cut, 1 - 2 * below / total


@functools.cache
def _arrangements(n: int, m: int, wins: int) -> int:
    """Count the orders of n and m measurements in which the m win so many of the n·m duels."""
    if wins < 0:
        return 0
    if n == 0 or m == 0:
        return int(wins == 0)
    return _arrangements(n, m - 1, wins - n) + _arrangements(n - 1, m, wins)
