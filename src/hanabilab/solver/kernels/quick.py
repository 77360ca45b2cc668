"""The quick way to a verdict: beams for wins and easier games for losses, cheapest first."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from hanabilab.core.clock import ticks
from hanabilab.core.kernel import kernel
from hanabilab.core.random import Dice
from hanabilab.core.record import pack
from hanabilab.game.deck import box, shuffle_deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, opening
from hanabilab.game.turn import deal
from hanabilab.solver.kernels.beam import NO_LINE, beam
from hanabilab.solver.kernels.endgame import choose_cut, endgame_lost
from hanabilab.solver.kernels.evaluate import NEED
from hanabilab.solver.kernels.loss import NOT_PROVED, pace_lost, pooled_lost
from hanabilab.solver.kernels.weights import WIDEST
from hanabilab.solver.kernels.workspace import Workspace, lay_out, make_workspace

__all__ = [
    "BEAM",
    "ENDGAME",
    "PACE",
    "STORAGE",
    "UNDECIDED",
    "compile_quick_search",
    "decide_range",
    "prove_loss",
    "run_quick_search",
]

UNDECIDED, BEAM, PACE, STORAGE, ENDGAME = range(5)
"""How a position was decided."""

POOL_LIMIT = 20_000
"""Positions of the pooled game that a proof may take."""


class DeckSource(NamedTuple):
    """What it takes to shuffle and deal the decks of a seed."""

    table: State
    """The table before the deal."""
    cards: list[int]
    dice: Dice
    seed: int


@kernel
def decide_quickly(workspace: Workspace, widest: int) -> int:
    """Return BEAM for a win (its moves in `line`), how a loss was proved, or UNDECIDED."""
    lay_out(workspace)
    problem, root, upcoming = workspace.problem, workspace.root, workspace.upcoming
    for stage in range(len(workspace.widths)):
        width = workspace.widths[stage]
        if width > widest:
            continue
        if workspace.weights[stage][NEED] and problem.cut == 0:
            choose_cut(problem, root, upcoming, workspace.endgame_room)
        turns = beam(workspace, stage)
        if turns != NO_LINE:
            workspace.facts[0] = turns
            workspace.facts[1] = width
            return BEAM
        if stage == 0:
            proof = prove_loss(workspace)
            if proof != UNDECIDED:
                return proof
    return UNDECIDED


@kernel
def prove_loss(workspace: Workspace) -> int:
    """Return PACE, STORAGE or ENDGAME if that game is lost, else UNDECIDED."""
    problem, root, upcoming = workspace.problem, workspace.root, workspace.upcoming
    facts = workspace.facts
    facts[0] = pace_lost(problem, root, upcoming, workspace.earliest)
    if facts[0] != NOT_PROVED:
        return PACE
    facts[0] = pooled_lost(problem, root, upcoming, workspace.pool_room, POOL_LIMIT)
    if facts[0] != NOT_PROVED:
        return STORAGE
    facts[0] = endgame_lost(problem, root, upcoming, workspace.endgame_room)
    if facts[0] != NOT_PROVED:
        return ENDGAME
    return UNDECIDED


def compile_quick_search(workspace: Workspace) -> None:
    """Compile what decides most positions, so that no clock counts it."""
    from hanabilab.core import machine_code

    machine_code.prepare(decide_quickly, workspace, WIDEST)


def run_quick_search(workspace: Workspace, widest: int = WIDEST) -> int:
    """Decide the position in the workspace, by beams up to a width; see `decide_quickly`."""
    from hanabilab.core import machine_code

    return int(machine_code.run(decide_quickly, workspace, widest))


@kernel
def decide_many(
    workspace: Workspace,
    source: DeckSource,
    first: int,
    widest: int,
    methods: list[int],
    spent: list[int],
) -> None:
    """Decide the decks from a game on: how each one was decided, and the ticks it took."""
    deck = workspace.upcoming.deck
    for number in range(len(methods)):
        shuffle_deck(deck, source.cards, source.dice, source.seed, first + number)
        deal(workspace.state, source.table, deck)
        start = ticks()
        methods[number] = decide_quickly(workspace, widest)
        spent[number] = ticks() - start


def decide_range(rules: Rules, seed: int, first: int, count: int) -> tuple[Any, Any]:
    """Return how the decks of a range of games were decided, and the seconds spent on each."""
    import numpy as np

    from hanabilab.core import machine_code

    table = opening(rules)
    cards: Any = np.array(box(rules), np.int64)
    methods, spent = np.zeros(count, np.int64), np.zeros(count, np.int64)
    source = DeckSource(table=pack(table)[0], cards=cards, dice=pack(Dice())[0], seed=seed)
    workspace = make_workspace(table, cards.copy())
    arguments = (workspace, source, first, WIDEST, methods, spent)
    loop = machine_code.prepare(decide_many, *arguments)
    start = time.perf_counter()
    loop(*arguments)
    seconds = time.perf_counter() - start
    return methods, spent * (seconds / max(int(spent.sum()), 1))
