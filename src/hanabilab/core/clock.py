"""A clock that compiled loops can read."""

from __future__ import annotations

import time

__all__ = ["ticks"]


def ticks() -> int:
    """Return a counter that only ever grows; compiled, it counts cycles, to be scaled by a time."""
    return time.perf_counter_ns()
