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
from hanabilab.solver.loss import NOT_PROVED, pace_lost, pooled_lost
from hanabilab.solver.node import Node, Problem, set_problem, set_root
from hanabilab.solver.search import MAX_MOVES, MAX_VALUE, beam, mark_later, mark_next

__all__ = [
    "BEAM",
    "PACE",
    "STORAGE",
    "UNDECIDED",
    "Desk",
    "decide_many",
    "decide_quickly",
    "decide_range",
    "set_desk",
]

UNDECIDED, BEAM, PACE, STORAGE = 0, 1, 2, 3
"""How a position was decided."""

WIDTHS = (1, 8, 64, 512)
MAX_TURNS = 200
POOL_LIMIT = 20_000

WEIGHTS = {
    2: (26, 15, 12, 2, 6, -2, -11, -5, 1, 12, 0, 37, 7),
    3: (22, 1, 15, 5, 4, -4, -9, -2, 5, 13, 1, 8, 4),
    4: (20, 1, 5, 11, 3, -14, -3, 2, 8, 1, 0, 10, 3),
    5: (22, 6, 18, 4, 9, -7, -4, 5, 15, 5, 1, 14, 2),
}
"""What a position is valued by (`search.evaluate`), found by a random search on other decks."""


class Desk(NamedTuple):
    """All the room that a search needs, allocated once."""

    problem: Problem
    state: State
    root: Node
    deck: list[int]
    later: list[int]
    coming: list[list[int]]
    earliest: list[int]
    frames: list[list[int]]
    weights: list[int]
    now: Any
    children: Any
    trail: list[list[int]]
    moves: list[int]
    seen: list[int]
    buckets: list[int]
    line: list[int]
    """The winning moves."""
    facts: list[int]
    """The cut of a pace loss, or the positions of a storage loss; the length of a win."""


def set_desk(table: State, deck: Any, width: int = WIDTHS[-1]) -> Desk:
    """Room for decks of the rules of this table."""
    import numpy as np

    size = table.deck_size
    weights = WEIGHTS[min(max(table.players, 2), 5)]

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
def decide_quickly(desk: Desk, most: int) -> int:
    """BEAM for a win (in `line`), PACE or STORAGE for a loss, or UNDECIDED."""
    problem, root = desk.problem, desk.root
    mark_later(desk.deck, desk.later)
    mark_next(desk.deck, problem.ranks * problem.suits, desk.coming)
    set_root(problem, root, desk.state)
    width = 1
    while width <= most:
        seen = desk.seen[: 16 * width + 1] if width > 1 else desk.seen[:0]
        turns = beam(
            problem,
            root,
            desk.deck,
            desk.later,
            desk.coming,
            desk.frames,
            width,
            desk.weights,
            desk.now,
            desk.children,
            desk.trail,
            desk.moves,
            seen,
            desk.buckets,
            desk.line,
        )
        if turns >= 0:
            desk.facts[0] = turns
            desk.facts[1] = width
            return BEAM
        if width == 1:
            cut = pace_lost(problem, root, desk.coming, desk.earliest)
            if cut != NOT_PROVED:
                desk.facts[0] = cut
                return PACE
            positions = pooled_lost(problem, root, desk.deck, desk.later, desk.frames, POOL_LIMIT)
            if positions != NOT_PROVED:
                desk.facts[0] = positions
                return STORAGE
        width *= 8
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
        WIDTHS[-1],
        methods,
        spent,
    )
    loop = native.compile_loop(decide_many, *map(native.typeof, arguments))
    start = time.perf_counter()
    loop(*arguments)
    seconds = time.perf_counter() - start
    return methods, spent * (seconds / max(int(spent.sum()), 1))
