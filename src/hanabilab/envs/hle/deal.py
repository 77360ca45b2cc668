"""HLE's own shuffling: the random numbers from which it deals for a seed.

HLE draws each card when it is dealt, from one stream for all games of an environment, so the second
game depends on how many cards the first one used. `hanabilab.envs.stepper` turns the numbers into
cards.
"""

from __future__ import annotations

import copy
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabilab.checks import check_integer
from hanabilab.errors import DeckError
from hanabilab.game.cards import MAX_HAND, MAX_PLAYERS

__all__ = ["Dealer"]

WORD = 1 << 32
ENOUGH = 2 * MAX_HAND * MAX_PLAYERS
"""The number of words for the largest deal: two per card."""
AHEAD = 1024
"""The number of words generated at a time."""


class Dealer:
    """The random numbers of one environment: a Mersenne twister, used as in the C++ library."""

    def __init__(self, seed: int = -1) -> None:
        seed = check_integer("seed", seed, -(1 << 31), (1 << 31) - 1, error=DeckError)
        if seed == -1:
            seed = int.from_bytes(os.urandom(4), "big") >> 1
        self.seed = seed
        start: Any = np.random.RandomState(seed % WORD).get_state(legacy=False)
        self._twister = np.random.MT19937()
        self._twister.state = start
        self._words = np.zeros(1 + AHEAD, np.int64)
        self._words[0] = 1 + AHEAD

    def words(self) -> NDArray[np.int64]:
        """Return enough random words for any deal; the first entry is the index of the next one.

        The caller must advance that index by the words it uses.
        """
        words = self._words
        place = words.item(0)
        if place + ENOUGH > len(words):
            left = len(words) - place
            words[1 : 1 + left] = words[place:]
            words[1 + left :] = self._twister.random_raw(AHEAD - left)
            words[0] = 1
        return words

    def _word(self) -> int:
        words = self.words()
        place = words.item(0)
        words[0] = place + 1
        return words.item(place)

    def player(self, players: int) -> int:
        """Return the first player."""
        width = (WORD - 1) // players
        while (number := self._word()) >= width * players:
            pass
        return number // width

    def copy(self) -> Dealer:
        """Return a dealer that continues with the same random numbers."""
        return copy.deepcopy(self)
