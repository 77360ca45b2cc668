"""Is this position winnable? A line that wins, or the reason why there is none."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

from hanabilab.core.record import dtype, pack
from hanabilab.errors import MissingExtraError
from hanabilab.game.names import card_name
from hanabilab.game.state import PERFECT
from hanabilab.game.status import best_score
from hanabilab.solver.exhaust import ALL_MOVES, EXHAUSTED, GAVE_UP, KEY_WORDS, exhaust
from hanabilab.solver.lines import finish_safely, replay_moves
from hanabilab.solver.node import Node, set_problem
from hanabilab.solver.position import Position
from hanabilab.solver.quick import (
    BEAM,
    PACE,
    STORAGE,
    WIDTHS,
    Desk,
    decide_quickly,
    set_desk,
)
from hanabilab.solver.reasons import dead_card, late_cards

__all__ = ["Solution", "solve_position"]

SEARCH_LIMITS = (20_000, 300_000)


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


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether some cards can all be played, and how that was found out."""

    reachable: bool | None
    actions: tuple[int, ...] = ()
    reason: dict[str, Any] | None = None
    method: str = "none"
    nodes: int = 0


def solve_position(
    position: Position, *, time_limit: float | None = 60.0, best: bool = False
) -> Solution:
    """Decide a position exactly; with `best` also find the highest score that can be reached.

    Where the maximum is out of reach, cards are given up from the top of the suits, fewer before
    more: a score can be reached exactly if some such set can be given up and all else played.
    """
    started = time.perf_counter()
    state = position.state
    top = state.ranks * state.suits
    deadline = None if time_limit is None else started + time_limit
    first = decide(position, 0, deadline)
    nodes = first.nodes
    if first.reachable:
        bound = reached = top
        actions = first.actions
    elif position.is_over:
        bound = reached = position.score
        actions = ()
    else:
        bound = top if first.reachable is None else min(top - 1, best_score(state))
        reached, actions = _safe_line(position, ())
        if best and first.reachable is False:
            bound, reached, actions, nodes = _search_best(position, bound, deadline, nodes)
    seconds = time.perf_counter() - started
    return Solution(
        first.reachable, reached, bound, actions, first.reason, first.method, nodes, seconds
    )


def _search_best(
    position: Position, bound: int, deadline: float | None, nodes: int
) -> tuple[int, int, tuple[int, ...], int]:
    """The bound, the best score, a line to it, and the positions looked at."""
    state = position.state
    top = state.ranks * state.suits
    reached, actions = _safe_line(position, ())
    proved = True
    for score in range(bound, reached, -1):
        for given_up in sets_to_give_up(position, top - score):
            decision = decide(position, given_up, deadline)
            nodes += decision.nodes
            if decision.reachable:
                found, line = _safe_line(position, decision.actions)
                if found >= score:
                    return (score if proved else bound), found, line, nodes
            proved = proved and decision.reachable is False
        if proved:
            bound = score - 1
    return bound, reached, actions, nodes


def _safe_line(position: Position, actions: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """The line played on to the end of the game without a risk, and its score."""
    line = (*actions, *finish_safely(position.after(actions)))
    return position.after(line).score, line


def sets_to_give_up(position: Position, count: int) -> Iterator[int]:
    """Every set of `count` cards, unplayed, from the top of the suits."""
    state = position.state
    must = state.dead & ~state.played
    for suits in combinations_with_replacement(range(state.suits), count):
        given_up = 0
        for suit in set(suits):
            height = suits.count(suit)
            if height > state.ranks - state.fireworks[suit]:
                break
            end = (suit + 1) * state.ranks
            given_up |= (1 << end) - (1 << (end - height))
        else:
            if must & ~given_up == 0:
                yield given_up


def decide(position: Position, given_up: int, deadline: float | None) -> Decision:
    """Can all cards but those be played? Beams, proofs of loss, exhaustive search, then SAT."""
    state = position.state
    if position.is_over:
        if state.end == PERFECT:
            return Decision(True, method="over")
        reason = {"certificate": "over", "score": position.score}
        return Decision(False, reason=reason, method="over")
    if state.dead & ~state.played & ~given_up:
        return Decision(False, reason=dead_card(state), method="dead card")
    desk = _desk_for(position, given_up)
    method = _run_quickly(desk)
    fact = int(desk.facts[0])
    if method == BEAM:
        moves = [int(move) for move in desk.line[:fact]]
        actions = replay_moves(position, moves, given_up)
        return Decision(True, actions, method=f"beam {int(desk.facts[1])}", nodes=fact)
    if method == STORAGE:
        room = sum(state.hand_count[: state.players])
        reason = {"certificate": "storage", "room": room, "positions": fact}
        return Decision(False, reason=reason, method="storage", nodes=fact)
    if method == PACE:
        reason = _pace_reason(position, fact, given_up)
        return Decision(False, reason=reason, method=str(reason["certificate"]))
    return _decide_slowly(position, desk, given_up, deadline)


def _pace_reason(position: Position, cut: int, given_up: int) -> dict[str, Any]:
    """The cards that are too late for a cut; beyond the last one, a card that never comes."""
    state = position.state
    late = [card_name(card, state.ranks) for card in late_cards(position, cut, given_up)]
    if cut > state.deck_size:
        return {"certificate": "dead card", "card": late[0], "cards": len(late)}
    remaining = state.deck_size - cut
    return {
        "certificate": "pace",
        "cut": state.draw_pile - remaining,
        "remaining": remaining,
        "cards": late,
        "turns": state.turns_left if state.turns_left >= 0 else remaining + state.players,
    }


def _decide_slowly(
    position: Position, desk: Desk, given_up: int, deadline: float | None
) -> Decision:
    nodes = 0
    for limit in SEARCH_LIMITS:
        if deadline is not None and time.perf_counter() > deadline:
            return Decision(None, nodes=nodes)
        length, moves, nodes = _search_all(desk, limit)
        if length == EXHAUSTED:
            reason = {"certificate": "exhausted search", "positions": nodes}
            return Decision(False, reason=reason, method="search", nodes=nodes)
        if length != GAVE_UP:
            actions = replay_moves(position, moves, given_up)
            return Decision(True, actions, method="search", nodes=nodes)
    return dataclasses.replace(_ask_sat(position, given_up, deadline), nodes=nodes)


def _ask_sat(position: Position, given_up: int, deadline: float | None) -> Decision:
    from hanabilab.solver import sat

    left = None if deadline is None else deadline - time.perf_counter()
    if given_up or (left is not None and left <= 0):
        return Decision(None)
    try:
        verdict = sat.decide(position, time_limit=left)
    except MissingExtraError:
        return Decision(None)
    if verdict.winnable:
        return Decision(True, tuple(verdict.actions), method="sat")
    if verdict.winnable is False:
        return Decision(False, reason={"certificate": "unsatisfiable"}, method="sat")
    return Decision(None)


_rooms = threading.local()


def _desk_for(position: Position, given_up: int) -> Desk:
    """A desk with this position on it; the room is kept for the next one of the same size."""
    import numpy as np

    state = position.state
    shape = (state.deck_size, state.players)
    if getattr(_rooms, "shape", None) != shape:
        _rooms.shape = shape
        _rooms.desk = set_desk(state, np.zeros(len(position.deck), np.int64))
    desk: Desk = _rooms.desk
    desk.deck[:] = position.deck
    return desk._replace(problem=pack(set_problem(state, given_up))[0], state=pack(state)[0])


def _run_quickly(desk: Desk) -> int:
    from hanabilab.core import native

    arguments = (desk, WIDTHS[-1])
    loop = native.compile_loop(decide_quickly, *map(native.typeof, arguments))
    return int(loop(*arguments))


def _search_all(desk: Desk, limit: int) -> tuple[int, list[int], int]:
    """Exhaustive search: its answer, the winning moves, the number of positions."""
    import numpy as np

    from hanabilab.core import native

    depth = len(desk.line)
    path = np.zeros(depth, dtype(Node))
    path[0] = desk.root
    visited = np.zeros(1, np.int64)
    arguments = (
        desk.problem,
        desk.deck,
        desk.later,
        desk.coming,
        desk.earliest,
        desk.frames,
        path,
        np.zeros((depth, ALL_MOVES + 1), np.int64),
        np.zeros(depth, np.int64),
        np.zeros((limit // 2, KEY_WORDS), np.int64),
        limit,
        visited,
    )
    loop = native.compile_loop(exhaust, *map(native.typeof, arguments))
    length = int(loop(*arguments))
    return length, [int(move) for move in path["move"][1 : length + 1]], int(visited[0])
