"""Bit sets: integers below 2**63 whose bits are members.

Plain functions for interpreted kernels; `hanabilab.core.native` gives each one its machine
instruction.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel

__all__ = ["LOW_62", "lowest", "multiply", "nth_lowest", "popcount"]

LOW_62 = 0x3FFF_FFFF_FFFF_FFFF


def popcount(bits: int) -> int:
    """How many members the set has."""
    return bits.bit_count()


def lowest(bits: int) -> int:
    """The smallest member of a set that is not empty."""
    return (bits & -bits).bit_length() - 1


def multiply(a: int, b: int) -> int:
    """The low 62 bits of a product; compiled, plain `*` must not overflow."""
    return a * b & LOW_62


@kernel
def nth_lowest(bits: int, n: int) -> int:
    """The member with exactly `n` smaller ones."""
    for _ in range(n):
        bits &= bits - 1
    return lowest(bits)
