"""Run-time library: kernels for operations of the language that need a loop."""

from __future__ import annotations

from typing import Any, NamedTuple

from hanabilab.core.bits import require
from hanabilab.core.kernel import kernel

__all__ = [
    "Range",
    "array_all",
    "array_any",
    "array_contains",
    "array_max",
    "array_min",
    "array_sum",
    "integer_power",
    "range_contains",
    "range_length",
]


class Range(NamedTuple):
    """The bounds of a range on the right side of `in`."""

    start: int
    stop: int
    step: int


@kernel
def integer_power(base: int, exponent: int) -> int:
    """Return a power by repeated squaring."""
    require(exponent >= 0, "a negative power of an int is a float: write float(...) ** n")
    power = 1
    while exponent > 0:
        if exponent & 1:
            power *= base
        exponent >>= 1
        if exponent > 0:
            base *= base
    return power


@kernel
def array_contains(array: Any, number: int) -> bool:
    """Return whether a number is an element of an array."""
    return any(array[place] == number for place in range(len(array)))


@kernel
def array_any(array: Any) -> bool:
    """Return whether any element of an array is true."""
    return any(array[place] for place in range(len(array)))


@kernel
def array_all(array: Any) -> bool:
    """Return whether all elements of an array are true."""
    return all(array[place] for place in range(len(array)))


@kernel
def range_contains(number: int, start: int, stop: int, step: int) -> bool:
    """Return whether a number is a member of a range."""
    require(step != 0, "range() arg 3 must not be zero")
    inside = start <= number < stop if step > 0 else stop < number <= start
    return inside and number % step == start % step


@kernel
def range_length(start: int, stop: int, step: int) -> int:
    """Return how many numbers a range has."""
    require(step != 0, "range() arg 3 must not be zero")
    if start >= stop if step > 0 else start <= stop:
        return 0
    if step == -1:
        return start - stop
    # The distance itself may not fit.
    first, last = start % step, stop % step
    return stop // step - start // step + (last > first if step > 0 else last < first)


@kernel
def array_sum(array: Any, start: Any) -> Any:
    """Return the sum of an array."""
    total = start
    for place in range(len(array)):
        total += array[place]
    return total


@kernel
def array_min(array: Any) -> Any:
    """Return the first smallest element of an array."""
    require(len(array) > 0, "min() arg is an empty sequence")
    best = array[0]
    for place in range(1, len(array)):
        if array[place] < best:
            best = array[place]
    return best


@kernel
def array_max(array: Any) -> Any:
    """Return the first largest element of an array."""
    require(len(array) > 0, "max() arg is an empty sequence")
    best = array[0]
    for place in range(1, len(array)):
        if array[place] > best:
            best = array[place]
    return best
