"""HLE's own shuffling: the cards that it deals for a seed.

HLE draws each card when it is dealt, from one stream for all games of an environment: the second
game depends on how many cards the first one used.
"""

from __future__ import annotations

import copy
import itertools
import os
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from hanabilab.checks import whole_number
from hanabilab.errors import DeckError

__all__ = ["Dealer"]

WORD = 1 << 32


class Dealer:
    """The random numbers of one environment: a Mersenne twister, used as the C++ library does."""

    def __init__(self, seed: int = -1) -> None:
        import numpy as np

        seed = whole_number("seed", seed, -(1 << 31), (1 << 31) - 1, error=DeckError)
        if seed == -1:
            seed = int.from_bytes(os.urandom(4), "big") >> 1
        self.seed = seed
        start: Any = np.random.RandomState(seed % WORD).get_state(legacy=False)
        self._twister = np.random.MT19937()
        self._twister.state = start

    def _word(self) -> int:
        return int(self._twister.random_raw())

    def card(self, left: Sequence[int]) -> int:
        """Return one of the cards, given how many copies of each are left."""
        cards = [card for card, copies in enumerate(left) if copies]
        if len(cards) == 1:
            return cards[0]
        copies = sum(left)
        chances = [left[card] / copies for card in cards]
        total = sum_in_order(chances)
        below = list(itertools.accumulate(chance / total for chance in chances))
        below[-1] = 1.0
        low, high = self._word(), self._word()
        return cards[bisect_left(below, (float(low) + float(high) * WORD) / 2.0**64)]

    def player(self, players: int) -> int:
        """Return who starts."""
        width = (WORD - 1) // players
        while (number := self._word()) >= width * players:
            pass
        return number // width

    def copy(self) -> Dealer:
        """Return a dealer that deals the same from here on."""
        return copy.deepcopy(self)


def sum_in_order(numbers: Sequence[float]) -> float:
    """Return a plain sum from left to right, rounded at every step; `sum` may be more exact."""
    total = 0.0
    for number in numbers:
        total += number
    return total
