"""Can all cards be played, or all but some? Quick ways first, then slow ones."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import Any

from hanabilab.errors import MissingExtraError
from hanabilab.game.state import PERFECT
from hanabilab.solver.kernels.exhaust import EXHAUSTED, GAVE_UP, run_exhaustive_search
from hanabilab.solver.kernels.quick import (
    BEAM,
    ENDGAME,
    PACE,
    STORAGE,
    compile_quick_search,
    run_quick_search,
)
from hanabilab.solver.kernels.weights import WIDEST
from hanabilab.solver.kernels.workspace import Workspace, workspace_for
from hanabilab.solver.lines import replay_moves
from hanabilab.solver.patience import look_up
from hanabilab.solver.position import Position
from hanabilab.solver.proofs.certificates import dead_card, endgame_loss, pace_loss

__all__ = ["Decision", "ask_sat", "decide", "decide_by_search", "prepare", "time_left"]

SHORT_SEARCH, LONG_SEARCH = 20_000, 300_000
"""Positions that an exhaustive search may look at."""
SHORT_PILE = 20
"""With more cards to be drawn a short search never comes to an end."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether some cards can all be played, and how that was found out."""

    reachable: bool | None
    """None where it is not known."""
    actions: tuple[int, ...] = ()
    reason: dict[str, Any] | None = None
    method: str = "none"
    nodes: int = 0


def time_left(deadline: float | None) -> float | None:
    """Seconds until then, at least 0; None without a limit."""
    look_up()
    return None if deadline is None else max(0.0, deadline - time.perf_counter())


def decide(position: Position, deadline: float | None) -> Decision:
    """Can the maximum be reached? Beams and proofs of loss, a short exhaustive search, SAT, and
    where that is missing a long search.
    """
    limit = SHORT_SEARCH if position.state.draw_pile <= SHORT_PILE else 0
    decision = decide_by_search(position, 0, deadline, limit=limit)
    nodes = decision.nodes
    if decision.reachable is None:
        decision = ask_sat(position, position.state.ranks * position.state.suits, deadline)
    if decision.reachable is None:
        decision = decide_by_search(position, 0, deadline)
        nodes += decision.nodes
    return dataclasses.replace(decision, nodes=nodes)


def decide_by_search(
    position: Position,
    given_up: int,
    deadline: float | None,
    widest: int = WIDEST,
    limit: int = LONG_SEARCH,
) -> Decision:
    """Can all cards but those be played? Beams, proofs of loss, and a search up to a limit.

    A line ends with the last of these cards, not with the game.
    """
    state = position.state
    if position.is_over:
        if state.end == PERFECT:
            return Decision(True, method="over")
        reason = {"certificate": "over", "score": position.score}
        return Decision(False, reason=reason, method="over")
    if state.dead & ~state.played & ~given_up:
        return Decision(False, reason=dead_card(state), method="dead card")
    workspace = workspace_for(state, position.deck, given_up)
    method = run_quick_search(workspace, widest)
    fact = int(workspace.facts[0])
    if method == BEAM:
        moves = [int(move) for move in workspace.line[:fact]]
        actions = replay_moves(position, moves, given_up)
        if actions is not None:
            return Decision(True, actions, method=f"beam {int(workspace.facts[1])}", nodes=fact)
    elif method == STORAGE:
        room = sum(state.hand_count[: state.players])
        reason = {"certificate": "storage", "room": room, "positions": fact}
        return Decision(False, reason=reason, method="storage", nodes=fact)
    elif method == PACE:
        reason = pace_loss(position, fact, given_up)
        return Decision(False, reason=reason, method=str(reason["certificate"]))
    elif method == ENDGAME:
        reason = endgame_loss(position, fact, given_up)
        return Decision(False, reason=reason, method="endgame")
    return _search_exhaustively(position, workspace, given_up, limit, deadline)


def _search_exhaustively(
    position: Position, workspace: Workspace, given_up: int, limit: int, deadline: float | None
) -> Decision:
    if limit == 0 or time_left(deadline) == 0:
        return Decision(None)
    length, moves, nodes = run_exhaustive_search(workspace, limit)
    if length == EXHAUSTED:
        reason = {"certificate": "exhausted search", "positions": nodes}
        return Decision(False, reason=reason, method="search", nodes=nodes)
    actions = None if length == GAVE_UP else replay_moves(position, moves, given_up)
    if actions is None:
        return Decision(None, nodes=nodes)
    return Decision(True, actions, method="search", nodes=nodes)


def ask_sat(position: Position, goal: int, deadline: float | None) -> Decision:
    """Can this score be reached? None where time or python-sat is missing."""
    from hanabilab.solver.sat import decide as sat

    left = time_left(deadline)
    if left == 0:
        return Decision(None)
    try:
        verdict = sat.decide(position, goal, time_limit=left)
    except MissingExtraError:
        return Decision(None)
    if verdict.winnable is not False:
        return Decision(verdict.winnable, verdict.actions, method="sat")
    size = {"variables": verdict.variables, "clauses": verdict.clauses}
    return Decision(False, reason={"certificate": "unsatisfiable", **size}, method="sat")


def prepare(position: Position) -> None:
    """Compile what decides most positions, before the clock starts."""
    compile_quick_search(workspace_for(position.state, position.deck))
