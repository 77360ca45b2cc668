"""A clock that compiled loops can read."""

from __future__ import annotations

import time

__all__ = ["ticks"]


def ticks() -> int:
    """A counter that only ever grows; compiled it counts cycles, so scale it by a known time."""
    return time.perf_counter_ns()
