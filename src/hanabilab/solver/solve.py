"""Solve a position: can the maximum be reached, and if not, which score can?

`solve_position` asks `decide` (beams and proofs of loss, then exhaustive search, then SAT) and, for
the best score of a lost position, `BestScoreSearch`, which asks the same of lower scores. Rules
under which the quick methods prove too little are left to `ExactSearch`, if the game is small.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from hanabilab.solver.best import (
    BestScoreSearch,
    ExactSearch,
    Heights,
    losses_are_proved,
    needs_exact_search,
)
from hanabilab.solver.certificates import Certificate, Decision, ExhaustedSearch
from hanabilab.solver.decide import decide, prepare
from hanabilab.solver.position import Position

__all__ = ["Solution", "solve_position"]


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known about a position."""

    position: Position
    winnable: bool | None
    """Whether the maximum can be reached; None if the time ran out."""
    best: int
    """A score that is certainly reachable."""
    bound: int
    """An upper bound on the reachable score."""
    line: tuple[int, ...]
    """A line to the best score, as numbers of actions."""
    reason: Certificate | None
    """Why the maximum cannot be reached."""
    method: str
    nodes: int
    seconds: float


def solve_position(
    position: Position,
    *,
    time_limit: float | None,
    best: bool,
    bound: int | None = None,
    line: tuple[int, ...] = (),
    guess: Heights = (),
    skip_quick: bool = False,
) -> Solution:
    """Solve a position.

    `bound`, `line` and `guess` (fireworks to try first) pass on what is known already. Set
    `skip_quick` if beams and proofs have failed on this position before.
    """
    solution = _solve_quickly(position, time_limit, best, bound, line, guess, skip_quick)
    if position.is_over or solution.winnable or not needs_exact_search(position.state):
        return solution
    return _solve_exactly(solution, best)


def _solve_exactly(solution: Solution, best: bool) -> Solution:
    """Decide what the quick search cannot under these rules, if the game is small."""
    state = solution.position.state
    top, proved = state.rules.ranks * state.rules.suits, losses_are_proved(state)
    settled = solution.best == solution.bound if best else solution.winnable is False
    if proved and settled and not state.rules.all_or_nothing:
        return solution
    search = ExactSearch(solution.position)
    found = search.run()
    if found is not None:
        score, line = found
        won = score == top
        return replace(
            solution,
            winnable=won,
            best=score,
            bound=score,
            line=line,
            reason=None if won else solution.reason or ExhaustedSearch(search.visited),
            method="exact search",
            nodes=solution.nodes + search.visited,
        )
    if not proved:
        return replace(solution, winnable=None, bound=top, reason=None)
    if state.rules.all_or_nothing and solution.winnable is False:
        return replace(solution, best=0, bound=0, line=())
    return solution


def _solve_quickly(
    position: Position,
    time_limit: float | None,
    best: bool,
    bound: int | None,
    line: tuple[int, ...],
    guess: Heights,
    skip_quick: bool,
) -> Solution:
    """Solve a position by the search and by SAT."""
    if not position.is_over:
        prepare(position)
    started = time.perf_counter()
    deadline = None if time_limit is None else started + time_limit
    top = position.state.rules.ranks * position.state.rules.suits
    bound = top if bound is None else bound
    decision = Decision(False)
    if bound == top:
        decision = decide(position, deadline, skip_quick=skip_quick)
    if decision.reachable:
        return Solution(
            position=position,
            winnable=True,
            best=top,
            bound=top,
            line=decision.actions,
            reason=None,
            method=decision.method,
            nodes=decision.nodes,
            seconds=time.perf_counter() - started,
        )
    if decision.reachable is False:
        bound = min(bound, top - 1)
    search = BestScoreSearch(position, bound, deadline)
    if best:
        search.run(line, guess)
    if search.best == top:  # what nothing else decided in time, plain careful play has won
        decision = replace(decision, reachable=True, method="careful play")
    return Solution(
        position=position,
        winnable=decision.reachable,
        best=search.best,
        bound=search.bound,
        line=search.line,
        reason=decision.reason,
        method=decision.method,
        nodes=decision.nodes + search.nodes,
        seconds=time.perf_counter() - started,
    )
