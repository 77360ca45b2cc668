"""Is this position winnable? A line that wins, or the reason why there is none."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from hanabilab.solver.best import Highest, highest_score, quick_bounds
from hanabilab.solver.decide import decide, prepare
from hanabilab.solver.position import Position

__all__ = ["Solution", "solve_position"]


@dataclass(frozen=True, slots=True)
class Solution:
    """The verdict on a position."""

    winnable: bool | None
    """None where the time ran out."""
    best: int
    """A score that is certainly reachable."""
    bound: int
    """No higher score is."""
    actions: tuple[int, ...]
    """A line to `best`, as numbers of actions."""
    reason: dict[str, Any] | None
    """Why the maximum is out of reach: the name of a certificate with its numbers."""
    method: str
    nodes: int
    seconds: float


def solve_position(
    position: Position, *, time_limit: float | None = 60.0, best: bool = False
) -> Solution:
    """Decide a position exactly; with `best` also find the highest score that can be reached."""
    if not position.is_over:
        prepare(position)
    started = time.perf_counter()
    deadline = None if time_limit is None else started + time_limit
    first = decide(position, deadline)
    top = position.state.ranks * position.state.suits
    if first.reachable:
        found = Highest(top, top, first.actions)
    else:
        bound = top if first.reachable is None else top - 1
        search = highest_score if best else quick_bounds
        found = search(position, bound, deadline)
    return Solution(
        first.reachable,
        found.best,
        found.bound,
        found.actions,
        first.reason,
        first.method,
        first.nodes + found.nodes,
        time.perf_counter() - started,
    )
