"""A clock that compiled loops can read."""

from __future__ import annotations

import functools
import time

from hanabilab.core.kernel import kernel

__all__ = ["ticks", "ticks_per_second"]

CALIBRATION = 0.02
"""Seconds for which cycles are counted once, to know how many a second has."""


def ticks() -> int:
    """Return a counter that only ever grows; compiled, it counts cycles, to be scaled by a time."""
    return time.perf_counter_ns()


@kernel
def read_ticks() -> int:
    """Return the counter as kernels see it."""
    return ticks()


@functools.cache
def ticks_per_second(*, compiled: bool) -> float:
    """How many ticks a second has, interpreted or compiled."""
    if not compiled:
        return 1e9
    from hanabilab.core import machine_code

    read = machine_code.prepare(read_ticks)
    start, first = time.perf_counter(), read()
    time.sleep(CALIBRATION)
    return float((read() - first) / (time.perf_counter() - start))
