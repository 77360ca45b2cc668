"""A clock that compiled loops can read."""

from __future__ import annotations

import functools
import time

from hanabilab.core.kernel import kernel

__all__ = ["ticks", "ticks_per_second"]

CALIBRATION = 0.02
"""Seconds spent once to measure how many ticks a second has."""


def ticks() -> int:
    """Return a monotonic counter; compiled kernels count CPU cycles."""
    return time.perf_counter_ns()


@kernel
def read_ticks() -> int:
    """Return the counter as kernels see it."""
    return ticks()


@functools.cache
def ticks_per_second(*, compiled: bool) -> float:
    """Return the number of ticks per second, for interpreted or compiled kernels."""
    if not compiled:
        return 1e9
    from hanabilab.core import machine_code

    read = machine_code.prepare(read_ticks)
    start, first = time.perf_counter(), read()
    time.sleep(CALIBRATION)
    return float((read() - first) / (time.perf_counter() - start))
