"""The desk of a search: the position on it, and all the room that it needs."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from hanabilab.core.record import dtype, pack, room_for
from hanabilab.game.state import State
from hanabilab.solver.kernels.endgame import FRAME_WORDS, FRAMES, NEED_ROWS, NEED_WORDS
from hanabilab.solver.kernels.loss import MEMO_ROWS, MEMO_WORDS
from hanabilab.solver.kernels.node import Node, Problem, set_problem
from hanabilab.solver.kernels.weights import WIDEST, beams_for

__all__ = ["MAX_MOVES", "MAX_VALUE", "Desk", "set_desk"]

MAX_MOVES = 24
MAX_TURNS = 200
MAX_VALUE = 4095


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
    shares: list[int]
    last_turns: list[list[int]]
    needs: list[list[int]]
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
        zeros(table.players),
        zeros(FRAMES, FRAME_WORDS),
        zeros(NEED_ROWS, NEED_WORDS),
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
