"""Bit sets: non-negative integers whose bits are members.

Interpreted kernels run these plain functions; the compiler turns each of them into one machine
instruction, or a few.
"""

from __future__ import annotations

from typing import Any

from hanabilab.core.kernel import inlined, kernel

__all__ = [
    "LOW_62",
    "SPREADER",
    "add_to_hash",
    "drop_lowest",
    "drop_lowest_one_by_one",
    "is_single",
    "lowest",
    "members",
    "multiply",
    "nth_lowest",
    "popcount",
    "require",
    "spread",
    "spread_bytes",
    "spread_one_by_one",
    "store_eight",
]

LOW_62 = 0x3FFF_FFFF_FFFF_FFFF
SPREADER = 0x1E37_79B9_7F4A_7C15
"""An odd number without a pattern, for hashing."""
NEGATIVE_SET = "a set of bits is negative"
EMPTY_SET = "an empty set has no lowest member"
COUNT_OUT_OF_RANGE = "between 0 and 63 members can be dropped"


def require(condition: bool, message: str) -> None:
    """Raise a ValueError unless a condition holds; compiled kernels test it only with checks on."""
    if not condition:
        raise ValueError(message)


def popcount(bits: int) -> int:
    """Return the number of members of a set."""
    if bits < 0:
        raise ValueError(NEGATIVE_SET)
    return bits.bit_count()


def lowest(bits: int) -> int:
    """Return the smallest member of a set that is not empty."""
    if not bits:
        raise ValueError(EMPTY_SET)
    return (bits & -bits).bit_length() - 1


def members(bits: int) -> list[int]:
    """Return the members of a set, in order."""
    return [bit for bit in range(bits.bit_length()) if bits >> bit & 1]


def multiply(a: int, b: int) -> int:
    """Return the low 62 bits of a product, which may overflow 64 bits."""
    return a * b & LOW_62


@inlined
@kernel
def add_to_hash(key: int, part: int) -> int:
    """Return a hash that depends on another hash and on a number."""
    return multiply((key ^ (key >> 29)) + part & LOW_62, SPREADER)


def spread(bits: int, count: int, out: Any, first: int) -> None:
    """Write the lowest `count` bits from index `first` on, each as an element 0 or 1."""
    spread_one_by_one(bits, count, out, first)


def spread_one_by_one(bits: int, count: int, out: Any, first: int) -> None:
    """Spread bits over an array of any type."""
    for bit in range(count):
        out[first + bit] = bits >> bit & 1


def spread_bytes(bits: int, count: int, out: Any, first: int) -> None:
    """Spread bits over an array of bytes, eight at a time."""
    bit = 0
    while bit + 8 <= count:
        store_eight(out, first + bit, bits >> bit & 255)
        bit += 8
    while bit < count:
        out[first + bit] = bits >> bit & 1
        bit += 1


def store_eight(out: Any, place: int, byte: int) -> None:
    """Write eight bits as eight bytes; compiled, this is one store."""
    spread_one_by_one(byte, 8, out, place)


def drop_lowest(bits: int, count: int) -> int:
    """Return the set without its `count` smallest members."""
    return drop_lowest_one_by_one(bits, count)


def drop_lowest_one_by_one(bits: int, count: int) -> int:
    """Drop the smallest members one at a time, for processors without an instruction for it."""
    require(0 <= count < 64, "between 0 and 63 members can be dropped")
    require(bits >= 0, "a set of bits is negative")
    for _ in range(count):
        bits &= bits - 1
    return bits


@inlined
@kernel
def is_single(bits: int) -> bool:
    """Return whether a set has at most one member."""
    return bits & (bits - 1) == 0


@inlined
@kernel
def nth_lowest(bits: int, n: int) -> int:
    """Return the member of a set that has exactly `n` smaller members."""
    return lowest(drop_lowest(bits, n))
