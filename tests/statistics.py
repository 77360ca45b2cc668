"""What statistical tests need.

Every one of them uses fixed seeds: it cannot fail by chance, only a change of the numbers that it
looks at can make it fail, with the stated probability.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

FALSE_ALARM = 1e-6
"""The probability with which each statistical test refuses numbers that are fine."""


def chi_square_tail(x: float, freedom: int) -> float:
    """The probability that chance gives a chi-square of at least x."""
    if freedom % 2:
        tail, term = math.erfc(math.sqrt(x / 2)), math.sqrt(2 * x / math.pi) * math.exp(-x / 2)
        start = 1
    else:
        tail, term = math.exp(-x / 2), x / 2 * math.exp(-x / 2)
        start = 2
    for step in range(start, freedom, 2):
        tail += term
        term *= x / (step + 2)
    return tail


def looks_uniform(counts: Iterable[int]) -> bool:
    """Could these be equally likely outcomes, counted? Wrong with probability FALSE_ALARM."""
    seen = list(counts)
    expected = sum(seen) / len(seen)
    assert expected >= 10, "too few to say"
    x = sum((count - expected) ** 2 / expected for count in seen)
    return chi_square_tail(x, len(seen) - 1) >= FALSE_ALARM
