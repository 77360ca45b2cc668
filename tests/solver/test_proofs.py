"""The quick proofs of loss against slow ones that know nothing of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from hanabilab.core import machine_code
from hanabilab.core.kernel import kernel
from hanabilab.game.deck import Deck
from hanabilab.game.rules import preset
from hanabilab.solver.kernels.search import (
    ENDGAME,
    PACE,
    STORAGE,
    UNDECIDED,
    prove_loss,
)
from hanabilab.solver.kernels.workspace import Workspace, reset_workspace, workspace_for
from hanabilab.solver.position import Position
from hanabilab.solver.proofs import find_loss, verify
from tests.solver.tiny import random_position, walk

NAMES = {PACE: "pace", STORAGE: "storage", ENDGAME: "endgame"}


@kernel
def prove(workspace: Workspace) -> int:
    reset_workspace(workspace)
    return prove_loss(workspace)


def prove_quickly(position: Position) -> tuple[int, int]:
    """The kind of proof that the kernels find, and its number."""
    workspace = workspace_for(position.state, position.deck)
    return int(machine_code.run(prove, workspace)), int(workspace.result[0])


def tiny_positions() -> Iterator[Position]:
    for seed in range(750):
        chance = random.Random(seed)
        position = walk(random_position(chance), chance, chance.choice([0, 0, 1, 3]))
        state = position.state
        if not position.is_over and state.dead & ~state.played == 0 and state.rules.deck_ends:
            yield position


def test_tiny_games() -> None:
    """What the kernels claim holds, and where they are silent there is nothing to be found.

    The exception is endgames with more draws than they look at.
    """
    found: Counter[str] = Counter()
    for position in tiny_positions():
        proof, fact = prove_quickly(position)
        slow = find_loss(position)
        if proof == UNDECIDED:
            silent = slow is None or slow.name == "endgame"
            assert silent, (position, slow)
            continue
        found[NAMES[proof]] += 1
        drawn = len(position.deck) - position.state.draw_pile
        if proof == STORAGE:
            assert verify(position, {"certificate": "storage"})
        elif proof == ENDGAME:
            assert verify(position, {"certificate": "endgame", "cut": fact - drawn})
        else:
            assert slow is not None
            assert slow.name in {"pace", "dead card"}
    assert min(found[name] for name in NAMES.values()) >= 5, found


@pytest.mark.parametrize("players", [2, 3])
def test_whole_decks(players: int) -> None:
    """Fifty cards, where the pooled game has many ways to be lost."""
    proofs: Counter[int] = Counter()
    for game in range(400):
        position = Position.start(Deck.shuffled(preset("classic", players), seed=3, game=game))
        proof, fact = prove_quickly(position)
        proofs[proof] += 1
        if proof in (STORAGE, ENDGAME):
            cut = fact - (50 - position.state.draw_pile)
            assert verify(position, {"certificate": NAMES[proof], "cut": cut})
    assert proofs[UNDECIDED] > 350
    assert players > 2 or proofs[STORAGE] > 0


def test_a_pool_with_many_choices() -> None:
    """Without remembering lost pools this deck takes more than 20,000 of them."""
    position = Position.start(Deck.shuffled(preset("classic", 2), seed=1, game=421))
    proof, positions = prove_quickly(position)
    assert proof == STORAGE
    assert positions < 20_000
    assert verify(position, {"certificate": "storage"})
