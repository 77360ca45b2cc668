"""The workspace of a search: the position to solve, and all scratch space, allocated once."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

from hanabilab.core.kernel import kernel
from hanabilab.core.record import aligned_buffer, dtype, pack
from hanabilab.game.state import State
from hanabilab.solver.kernels.endgame import (
    FRAME_WORDS,
    FRAMES,
    NEED_ROWS,
    NEED_WORDS,
    EndgameScratch,
)
from hanabilab.solver.kernels.evaluate import MAX_VALUE, WIDEST, beams_for
from hanabilab.solver.kernels.loss import MEMO_ROWS, MEMO_WORDS, POOL_WORDS, PoolScratch
from hanabilab.solver.kernels.node import Node, Problem, Upcoming, look_ahead, problem_of, set_root

__all__ = ["BeamScratch", "Workspace", "make_workspace", "reset_workspace", "workspace_for"]

MAX_MOVES = 24
MAX_TURNS = 200
MAX_CARDS = 64


class BeamScratch(NamedTuple):
    """Scratch space for beams."""

    now: Any
    """The positions kept, as an array of nodes."""
    children: Any
    """The positions after them."""
    trail: list[list[int]]
    """For each turn and each position kept in it, the index of its parent and its move."""
    moves: list[int]
    seen: list[int]
    """Fingerprints of the positions of this turn."""
    buckets: list[int]
    """The number of positions of this turn with each value."""


class Workspace(NamedTuple):
    """All arrays of a search, allocated once."""

    problem: Problem
    state: State
    root: Node
    upcoming: Upcoming
    earliest: list[int]
    """Needed cards, counted by the number of draws that must precede their play."""
    pool_scratch: PoolScratch
    endgame_scratch: EndgameScratch
    beam_scratch: BeamScratch
    widths: list[int]
    """The width of each beam."""
    weights: list[list[int]]
    """The weights of each beam."""
    line: list[int]
    """The winning moves."""
    result: list[int]
    """The cut of a loss by pace or in the endgame, or the number of positions of a loss by storage;
    the length of a win and the width of its beam.
    """


def make_workspace(table: State, deck: Any, width: int = WIDEST) -> Workspace:
    """Allocate a workspace for decks of the rules of this table."""
    import numpy as np

    size, players = table.rules.deck_size, table.rules.players
    spare = size - players * (table.rules.hand_size - 1) - table.rules.max_score
    widths, weights = beams_for(players, spare)

    def zeros(*shape: int) -> Any:
        return aligned_buffer(math.prod(shape)).reshape(shape)

    def numbers(values: Sequence[Any]) -> Any:
        return np.array(values, np.int64)

    return Workspace(
        problem=pack(problem_of(table))[0],
        state=pack(State())[0],
        root=pack(Node())[0],
        upcoming=Upcoming(deck=deck, later=zeros(size + 2), coming=zeros(size + 2, MAX_CARDS)),
        earliest=zeros(size + 3),
        pool_scratch=PoolScratch(
            pools=zeros(size + 2, POOL_WORDS), memo=zeros(MEMO_ROWS, MEMO_WORDS)
        ),
        endgame_scratch=EndgameScratch(
            shares=zeros(table.rules.players),
            frames=zeros(FRAMES, FRAME_WORDS),
            needs=zeros(NEED_ROWS, NEED_WORDS),
        ),
        beam_scratch=BeamScratch(
            now=np.zeros(width, dtype(Node)),
            children=np.zeros(width * MAX_MOVES, dtype(Node)),
            trail=zeros(MAX_TURNS, 2 * width),
            moves=zeros(MAX_MOVES),
            seen=zeros(16 * width + 1),
            buckets=zeros(MAX_VALUE + 1),
        ),
        widths=numbers(widths),
        weights=numbers(weights),
        line=zeros(MAX_TURNS),
        result=zeros(2),
    )


_local = threading.local()


def workspace_for(state: State, deck: list[int], excluded: int = 0) -> Workspace:
    """Return a workspace with this position in it, valid until its thread asks for another."""
    import numpy as np

    rules = state.rules
    shape = (rules.deck_size, rules.players, rules.hand_size, rules.max_score)
    if getattr(_local, "shape", None) != shape:
        _local.workspace = make_workspace(state, np.zeros(len(deck), np.int64))
        _local.shape = shape
    workspace: Workspace = _local.workspace
    workspace.upcoming.deck[:] = deck
    problem = pack(problem_of(state, excluded))[0]
    return workspace._replace(problem=problem, state=pack(state)[0])


@kernel
def reset_workspace(workspace: Workspace) -> None:
    """Prepare the workspace for a search of the position in it."""
    set_root(workspace.problem, workspace.root, workspace.state)
    look_ahead(workspace.problem, workspace.root, workspace.upcoming)
    workspace.pool_scratch.memo[0][0] += 1
    workspace.endgame_scratch.needs[0][0] += 1
    workspace.problem.cut = 0
