"""The quick way to a verdict: beams for wins, easier games for losses, from cheap to dear."""

from __future__ import annotations

import time
from typing import Any

from hanabilab.core.clock import ticks
from hanabilab.core.kernel import kernel
from hanabilab.core.random import Dice
from hanabilab.core.record import pack
from hanabilab.game.deck import box, shuffle_deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, opening
from hanabilab.game.turn import deal
from hanabilab.solver.kernels.beam import beam, look_ahead
from hanabilab.solver.kernels.endgame import choose_cut, endgame_lost
from hanabilab.solver.kernels.loss import NOT_PROVED, pace_lost, pooled_lost
from hanabilab.solver.kernels.node import set_root
from hanabilab.solver.kernels.weights import NEED, WIDEST
from hanabilab.solver.kernels.workspace import Desk, set_desk

__all__ = [
    "BEAM",
    "ENDGAME",
    "PACE",
    "STORAGE",
    "UNDECIDED",
    "decide_many",
    "decide_quickly",
    "decide_range",
    "lay_out",
    "prove_loss",
]

UNDECIDED, BEAM, PACE, STORAGE, ENDGAME = range(5)
"""How a position was decided."""

POOL_LIMIT = 20_000


@kernel
def lay_out(desk: Desk) -> None:
    """Make the desk ready for the position on it."""
    set_root(desk.problem, desk.root, desk.state)
    look_ahead(desk.problem, desk.root, desk.deck, desk.later, desk.coming)
    desk.memo[0][0] += 1
    desk.needs[0][0] += 1
    desk.problem.cut = 0


@kernel
def decide_quickly(desk: Desk, most: int) -> int:
    """BEAM for a win (in `line`), the name of a proof for a loss, or UNDECIDED."""
    lay_out(desk)
    problem, root = desk.problem, desk.root
    for stage in range(len(desk.widths)):
        width = desk.widths[stage]
        if width > most:
            continue
        if desk.weights[stage][NEED] and problem.cut == 0:
            choose_cut(problem, root, desk.deck, desk.coming, desk.shares, desk.last_turns)
        turns = beam(desk, stage)
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
        problem, root, desk.deck, desk.coming, desk.shares, desk.last_turns
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
