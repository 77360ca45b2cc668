"""Decide whether all cards, or all but some, can be played: the quickest methods first.

`decide` asks for the maximum: `decide_by_search` (beams, proofs of loss, exhaustive search), then
`decide_by_sat`. `hanabilab.solver.solve` uses the same two for lower scores.
"""

from __future__ import annotations

import time

from hanabilab.errors import MissingExtraError
from hanabilab.game.state import PERFECT
from hanabilab.solver.certificates import (
    Certificate,
    Decision,
    ExhaustedSearch,
    GameOver,
    StorageLoss,
    dead_card,
    endgame_loss,
    pace_loss,
)
from hanabilab.solver.kernels.evaluate import WIDEST
from hanabilab.solver.kernels.search import (
    ABORTED,
    BEAM,
    ENDGAME,
    EXHAUSTED,
    PACE,
    STORAGE,
    compile_quick_search,
    run_exhaustive_search,
    run_quick_search,
)
from hanabilab.solver.kernels.workspace import Workspace, workspace_for
from hanabilab.solver.position import Position, replay_moves

__all__ = ["LONG_SEARCH", "decide", "decide_by_sat", "decide_by_search", "prepare", "time_left"]

SHORT_SEARCH, LONG_SEARCH = 20_000, 300_000
"""Positions that an exhaustive search may visit."""
SHORT_PILE = 20
"""With more cards to draw than this, a short search never finishes."""


def time_left(deadline: float | None) -> float | None:
    """Return the seconds until the deadline, at least 0; None without one."""
    return None if deadline is None else max(0.0, deadline - time.perf_counter())


def prepare(position: Position) -> None:
    """Compile what decides most positions before the clock starts."""
    compile_quick_search(workspace_for(position.state, position.deck))


def decide(position: Position, deadline: float | None, *, skip_quick: bool = False) -> Decision:
    """Decide whether the maximum can be reached.

    Beams and proofs of loss decide most positions, a short exhaustive search those with few cards
    to draw, and SAT the others. If python-sat is missing, a long search replaces it. `skip_quick`
    skips beams and proofs that have already failed.
    """
    short = SHORT_SEARCH if position.state.draw_pile <= SHORT_PILE else 0
    widest = 0 if skip_quick else WIDEST
    decision = decide_by_search(position, deadline, widest=widest, limit=short)
    if decision.reachable is None:
        maximum = position.state.rules.max_score
        decision = decision.then(decide_by_sat(position, maximum, deadline))
    if decision.reachable is None and time_left(deadline) != 0:
        decision = decision.then(decide_by_search(position, deadline, widest=0))
    return decision


def decide_by_search(
    position: Position,
    deadline: float | None,
    *,
    excluded: int = 0,
    widest: int = WIDEST,
    limit: int = LONG_SEARCH,
) -> Decision:
    """Decide whether all cards but those given up can be played, without SAT.

    Beams keep up to `widest` positions, and without a beam no loss is proved; the exhaustive search
    visits up to `limit`. A line ends with the last of these cards, not with the game.
    """
    decision = _decide_trivially(position, excluded)
    if decision.reachable is not None:
        return decision
    workspace = workspace_for(position.state, position.deck, excluded)
    decision = _decide_quickly(position, workspace, excluded, widest)
    if decision.reachable is not None or limit == 0 or time_left(deadline) == 0:
        return decision
    return _decide_exhaustively(position, workspace, excluded, limit)


def _decide_trivially(position: Position, excluded: int) -> Decision:
    """Decide games that are over, and those that need a card of which no copy is left."""
    state = position.state
    if position.is_over:
        won = state.end == PERFECT
        return Decision(won, reason=None if won else GameOver(position.score), method="over")
    if state.dead & ~state.played & ~excluded:
        return _lost(dead_card(state))
    return Decision(None)


def _decide_quickly(
    position: Position, workspace: Workspace, excluded: int, widest: int
) -> Decision:
    """Decide by beams and proofs of loss."""
    method = run_quick_search(workspace, widest)
    fact = int(workspace.result[0])
    if method == BEAM:
        moves = [int(move) for move in workspace.line[:fact]]
        actions = replay_moves(position, moves, excluded)
        if actions is not None:
            return Decision(True, actions, method=f"beam {int(workspace.result[1])}", nodes=fact)
    elif method == PACE:
        return _lost(pace_loss(position, fact, excluded))
    elif method == STORAGE:
        room = sum(position.state.hand_count[: position.state.rules.players])
        return _lost(StorageLoss(room, positions=fact), nodes=fact)
    elif method == ENDGAME:
        return _lost(endgame_loss(position, fact, excluded))
    return Decision(None)


def _lost(reason: Certificate, nodes: int = 0) -> Decision:
    return Decision(False, reason=reason, method=reason.name, nodes=nodes)


def _decide_exhaustively(
    position: Position, workspace: Workspace, excluded: int, limit: int
) -> Decision:
    """Try every line, from where the quick search has left the workspace."""
    length, moves, nodes = run_exhaustive_search(workspace, limit)
    if length == EXHAUSTED:
        return Decision(False, reason=ExhaustedSearch(nodes), method="search", nodes=nodes)
    actions = None if length == ABORTED else replay_moves(position, moves, excluded)
    if actions is None:
        return Decision(None, nodes=nodes)
    return Decision(True, actions, method="search", nodes=nodes)


def decide_by_sat(position: Position, goal: int, deadline: float | None) -> Decision:
    """Decide by SAT whether this score can be reached, if there is time and python-sat."""
    from hanabilab.solver.sat import decide_score

    left = time_left(deadline)
    if left == 0:
        return Decision(None)
    try:
        return decide_score(position, goal, time_limit=left)
    except MissingExtraError:
        return Decision(None)
