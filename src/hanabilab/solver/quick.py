"""The quick way to a verdict: beams for wins, easier games for losses, from cheap to dear."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

from hanabilab.core.clock import ticks
from hanabilab.core.kernel import kernel
from hanabilab.core.random import Dice
from hanabilab.core.record import dtype, pack, room_for
from hanabilab.game.deck import box, shuffle_deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, opening
from hanabilab.game.turn import deal
from hanabilab.solver.endgame import FRAMES, endgame_lost
from hanabilab.solver.loss import MEMO_ROWS, MEMO_WORDS, NOT_PROVED, pace_lost, pooled_lost
from hanabilab.solver.node import Node, Problem, set_problem, set_root
from hanabilab.solver.search import MAX_MOVES, MAX_VALUE, beam, look_ahead
from hanabilab.solver.weights import WIDEST, beams_for

__all__ = [
    "BEAM",
    "ENDGAME",
    "PACE",
    "STORAGE",
    "UNDECIDED",
    "Desk",
    "decide_many",
    "decide_quickly",
    "decide_range",
    "lay_out",
    "prove_loss",
    "set_desk",
]

UNDECIDED, BEAM, PACE, STORAGE, ENDGAME = range(5)
"""How a position was decided."""

MAX_TURNS = 200
POOL_LIMIT = 20_000
ENDGAME_LIMIT = 20_000


class Desk(NamedTuple):
    """All the room that a search needs, allocated once."""

    problem: Problem
    state: State
    root: Node
    deck: list[int]
    later: list[int]
    coming: list[list[int]]
    earliest: list[int]
    pools: list[list[int]]
    memo: list[list[int]]
    holders: list[int]
    last_turns: list[list[int]]
    widths: list[int]
    weights: list[list[int]]
    now: Any
    children: Any
    trail: list[list[int]]
    moves: list[int]
    seen: list[int]
    buckets: list[int]
    line: list[int]
    """The winning moves."""
    facts: list[int]
    """The cut of a loss by pace or in the endgame, the positions of one by storage; the length of a
    win and the width of its beam."""


def set_desk(table: State, deck: Any, width: int = WIDEST) -> Desk:
    """Room for decks of the rules of this table."""
    import numpy as np

    size = table.deck_size
    widths, weights = beams_for(table.players)

    def zeros(*shape: int) -> Any:
        return room_for(math.prod(shape)).reshape(shape)

    return Desk(
        pack(set_problem(table))[0],
        pack(State())[0],
        pack(Node())[0],
        deck,
        zeros(size + 2),
        zeros(size + 2, 64),
        zeros(size + 3),
        zeros(size + 2, 4),
        zeros(MEMO_ROWS, MEMO_WORDS),
        zeros(64),
        zeros(FRAMES, 3),
        np.array(widths, np.int64),  # type: ignore[arg-type]
        np.array(weights, np.int64),  # type: ignore[arg-type]
        np.zeros(width, dtype(Node)),
        np.zeros(width * MAX_MOVES, dtype(Node)),
        zeros(MAX_TURNS, 2 * width),
        zeros(MAX_MOVES),
        zeros(16 * width + 1),
        zeros(MAX_VALUE + 1),
        zeros(MAX_TURNS),
        zeros(2),
    )


@kernel
def lay_out(desk: Desk) -> None:
    """Make the desk ready for the position on it."""
    set_root(desk.problem, desk.root, desk.state)
    look_ahead(desk.problem, desk.root, desk.deck, desk.later, desk.coming)
    desk.memo[0][0] += 1


@kernel
def decide_quickly(desk: Desk, most: int) -> int:
    """BEAM for a win (in `line`), the name of a proof for a loss, or UNDECIDED."""
    lay_out(desk)
    for stage in range(len(desk.widths)):
        width = desk.widths[stage]
        if width > most:
            break
        turns = beam(
            desk.problem,
            desk.root,
            desk.deck,
            desk.later,
            desk.coming,
            desk.pools,
            desk.memo,
            width,
            desk.weights[stage],
            desk.now,
            desk.children,
            desk.trail,
            desk.moves,
            desk.seen[: 16 * width + 1] if width > 1 else desk.seen[:0],
            desk.buckets,
            desk.line,
        )
        if turns >= 0:
            desk.facts[0] = turns
            desk.facts[1] = width
            return BEAM
        if stage == 0:
            proof = prove_loss(desk)
            if proof != UNDECIDED:
                return proof
    return UNDECIDED


@kernel
def prove_loss(desk: Desk) -> int:
    """PACE, STORAGE or ENDGAME if that game is lost, else UNDECIDED."""
    problem, root = desk.problem, desk.root
    desk.facts[0] = pace_lost(problem, root, desk.coming, desk.earliest)
    if desk.facts[0] != NOT_PROVED:
        return PACE
    desk.facts[0] = pooled_lost(
        problem, root, desk.deck, desk.later, desk.pools, desk.memo, POOL_LIMIT
    )
    if desk.facts[0] != NOT_PROVED:
        return STORAGE
    desk.facts[0] = endgame_lost(
        problem, root, desk.deck, desk.coming, desk.holders, desk.last_turns, ENDGAME_LIMIT
    )
    if desk.facts[0] != NOT_PROVED:
        return ENDGAME
    return UNDECIDED


@kernel
def decide_many(
    desk: Desk,
    table: State,
    cards: list[int],
    dice: Dice,
    seed: int,
    first: int,
    count: int,
    most: int,
    methods: list[int],
    spent: list[int],
) -> None:
    """Decide the decks of a range of games: how each one was decided, and the ticks it took."""
    for number in range(count):
        shuffle_deck(desk.deck, cards, dice, seed, first + number)
        deal(desk.state, table, desk.deck)
        start = ticks()
        methods[number] = decide_quickly(desk, most)
        spent[number] = ticks() - start


def decide_range(rules: Rules, seed: int, first: int, count: int) -> tuple[Any, Any]:
    """The methods and the seconds spent on the decks of a range of games."""
    import numpy as np

    from hanabilab.core import native

    table = opening(rules)
    cards: Any = np.array(box(rules), np.int64)
    methods, spent = np.zeros(count, np.int64), np.zeros(count, np.int64)
    arguments = (
        set_desk(table, cards.copy()),
        pack(table)[0],
        cards,
        pack(Dice())[0],
        seed,
        first,
        count,
        WIDEST,
        methods,
        spent,
    )
    loop = native.compile_loop(decide_many, *map(native.typeof, arguments))
    start = time.perf_counter()
    loop(*arguments)
    seconds = time.perf_counter() - start
    return methods, spent * (seconds / max(int(spent.sum()), 1))
