"""Go's `math/rand` generator, reproduced number for number.

It is an additive lagged Fibonacci sequence modulo 2**64, y(n) = y(n-607) + y(n-273). A seed fills
the 607 words from a Lehmer sequence, XORed with a fixed table: the words that the same recurrence
reaches after 7.8 * 10**12 steps. The table is computed here rather than stored: x**n modulo x**607
= x**334 + 1 gives the n-th window as a combination of the first one.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

__all__ = ["GoRandom"]

LENGTH, TAP = 607, 273
FEED = LENGTH - TAP
STEPS = 7_800_000_000_000
LEHMER, MODULUS = 48271, (1 << 31) - 1
INSTEAD_OF_ZERO = 89_482_311
WARM_UP = 20
LOW_64 = (1 << 64) - 1
INT31 = 1 << 31


class GoRandom:
    """`rand.New(rand.NewSource(seed))`."""

    def __init__(self, seed: int) -> None:
        start = seed % MODULUS or INSTEAD_OF_ZERO
        words = _lehmer_words(start, 40, 20) ^ _fixed_table()
        self._words: list[int] = words.tolist()
        self._tap, self._feed = 0, FEED

    def uint64(self) -> int:
        """Return 64 random bits."""
        self._tap = (self._tap or LENGTH) - 1
        self._feed = (self._feed or LENGTH) - 1
        number = (self._words[self._feed] + self._words[self._tap]) & LOW_64
        self._words[self._feed] = number
        return number

    def int63(self) -> int:
        """Return 63 random bits, like `Int63`."""
        return self.uint64() & (LOW_64 >> 1)

    def int31(self) -> int:
        """Return 31 random bits, like `Int31`."""
        return self.int63() >> 32

    def below(self, bound: int) -> int:
        """Return a number below `bound`, like `Intn` for bounds below 2**31."""
        if bound & (bound - 1) == 0:
            return self.int31() & (bound - 1)
        most = INT31 - 1 - INT31 % bound
        number = self.int31()
        while number > most:
            number = self.int31()
        return number % bound


@functools.cache
def _lehmer_powers() -> Words:
    """Return the factors that turn the start into the three numbers of each word."""
    import numpy as np

    power, powers = pow(LEHMER, WARM_UP, MODULUS), []
    for _ in range(3 * LENGTH):
        power = power * LEHMER % MODULUS
        powers.append(power)
    return np.array(powers, np.uint64).reshape(LENGTH, 3)


def _lehmer_words(start: int, first: int, second: int) -> Words:
    """Return 607 words, each of three successive numbers, the first two shifted left."""
    import numpy as np

    numbers = np.uint64(start) * _lehmer_powers() % np.uint64(MODULUS)
    words: Words = (
        numbers[:, 0] << np.uint64(first) ^ numbers[:, 1] << np.uint64(second) ^ numbers[:, 2]
    )
    return words


@functools.cache
def _fixed_table() -> Words:
    """Return the words of seed 1 after STEPS steps, in the order of the generator's memory."""
    import numpy as np

    # The n-th output is written to place FEED - n; this is the order of outputs, oldest first.
    places = (FEED + LENGTH - 1 - np.arange(LENGTH)) % LENGTH
    sequence = np.zeros(2 * LENGTH - 1, np.uint64)
    sequence[:LENGTH] = _lehmer_words(1, 20, 10)[places]
    for n in range(LENGTH, len(sequence)):
        sequence[n] = sequence[n - LENGTH] + sequence[n - TAP]
    windows = np.lib.stride_tricks.sliding_window_view(sequence, LENGTH)
    table = np.zeros(LENGTH, np.uint64)
    table[(places - STEPS) % LENGTH] = (windows * _power_of_x(STEPS)).sum(axis=1, dtype=np.uint64)
    return table


def _power_of_x(exponent: int) -> Words:
    """Return x**exponent modulo x**607 = x**334 + 1, coefficients modulo 2**64, lowest first."""
    import numpy as np

    power = np.zeros(LENGTH, np.uint64)
    power[0] = 1
    for bit in f"{exponent:b}":
        product = np.convolve(power, power)
        if bit == "1":
            product = np.concatenate([np.zeros(1, np.uint64), product])
        power = _reduce(product)
    return power


def _reduce(polynomial: Words) -> Words:
    """Replace x**607 and higher powers; the highest ones may need two passes."""
    import numpy as np

    while len(polynomial) > LENGTH:
        high = polynomial[LENGTH:]
        polynomial = np.concatenate(
            [polynomial[:LENGTH], np.zeros(max(0, len(high) + FEED - LENGTH), np.uint64)]
        )
        polynomial[: len(high)] += high
        polynomial[FEED : FEED + len(high)] += high
    return polynomial
