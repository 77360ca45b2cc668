"""Reproducible random numbers: the same interpreted, compiled, and on every machine.

A stream is a key and a counter. Its i-th number is a hash of both, so a stream needs no state but
the counter, and any game can be dealt without dealing the previous ones. All arithmetic is modulo
2**62, so that the sum of two numbers fits in a register; `multiply` handles products.
"""

from __future__ import annotations

from typing import Protocol

from hanabilab.core.bits import LOW_62, SPREADER, multiply, require
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.record import Ints, Record

__all__ = ["Rng", "below", "chance", "mix", "private_stream", "shuffle", "stream"]

STEP = SPREADER  # odd, so that the counter visits every residue
LOW_32 = 0xFFFF_FFFF


class HasStream(Protocol):
    """Anything with a random stream: a `Rng`, or the memory of a strategy."""

    stream: int


class Rng(Record):
    """A random stream and nothing else."""

    stream: int


@kernel
def mix(x: int) -> int:
    """Permute the integers below 2**62 so that the results look random."""
    x = multiply(x ^ (x >> 31), 0x3FB5_D329_728E_A185)
    x = multiply(x ^ (x >> 28), 0x01DA_DEF4_BC2D_D44D)
    x = multiply(x ^ (x >> 32), 0x2545_F491_4F6C_DD1D)
    return x ^ (x >> 29)


@kernel
def stream(seed: int, number: int, purpose: int) -> int:
    """Return the start of the stream for one purpose in one game."""
    return mix(mix(mix(seed) + number & LOW_62) + purpose & LOW_62)


@kernel
def private_stream(seed: int, number: int, purpose: int) -> int:
    """Return a stream that does not reveal its seed, for strategies.

    `mix` can be inverted, but its sum with its own argument cannot: the holder of this number
    cannot compute the other streams of the same game.
    """
    key = stream(seed, number, purpose)
    return mix(key) + key & LOW_62


@inlined
@kernel
def below(rng: HasStream, bound: int) -> int:
    """Return a uniform random integer from 0 to `bound` - 1."""
    rng.stream, number = next_below(rng.stream, bound)
    return number


@inlined
@kernel
def next_below(stream: int, bound: int) -> tuple[int, int]:
    """Return the advanced stream and a uniform number below `bound` (Lemire's unbiased method)."""
    require(0 < bound <= 1 << 31, "below() takes a bound from 1 to 2**31")
    stream = stream + STEP & LOW_62
    product = (mix(stream) >> 30) * bound
    if product & LOW_32 < bound:
        threshold = (LOW_32 + 1 - bound) % bound
        while product & LOW_32 < threshold:
            stream = stream + STEP & LOW_62
            product = (mix(stream) >> 30) * bound
    return stream, product >> 32


@kernel
def chance(rng: HasStream) -> float:
    """Return a uniform random number from the interval [0, 1)."""
    rng.stream = rng.stream + STEP & LOW_62
    return (mix(rng.stream) >> 9) * (1.0 / (1 << 53))


@kernel
def shuffle(items: Ints, rng: HasStream) -> None:
    """Shuffle the items in place; all orders are equally likely."""
    stream = rng.stream
    for last in range(len(items) - 1, 0, -1):
        stream, other = next_below(stream, last + 1)
        items[last], items[other] = items[other], items[last]
    rng.stream = stream
