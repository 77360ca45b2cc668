"""The weights of beams stand where the evaluation looks for them."""

from __future__ import annotations

import random

import pytest

from hanabilab.solver.kernels import evaluate
from hanabilab.solver.kernels.evaluate import WIDEST, beams_for
from hanabilab.solver.kernels.node import (
    PASS_TURN,
    Node,
    Upcoming,
    apply_move,
    can_pass,
    look_ahead,
    problem_of,
    set_root,
)
from hanabilab.solver.kernels.workspace import MAX_CARDS
from tests.solver.tiny import random_position, walk


def test_every_feature_has_its_place() -> None:
    places = [getattr(evaluate, name.upper()) for name in evaluate.FEATURES]
    assert places == list(range(23))


@pytest.mark.parametrize(("players", "spare"), [*((n, 10) for n in range(1, 7)), (5, 8), (6, 8)])
def test_beams_become_wider_and_later_look_at_the_endgame(players: int, spare: int) -> None:
    widths, weights = beams_for(players, spare)
    assert widths[0] == 1
    assert max(widths) == WIDEST
    assert {len(row) for row in weights} == {len(evaluate.FEATURES)}
    assert not weights[0][evaluate.NEED]
    assert any(row[evaluate.NEED] for row in weights)
    assert any(row[evaluate.WALK] < 0 for row in weights) == ((players, spare) == (6, 8))


def test_a_pass_before_the_last_round_changes_only_what_tokens_contribute() -> None:
    """Beams rely on it: they do not look at the cards again."""
    weights = [3**place for place in range(len(evaluate.FEATURES))]
    chance = random.Random(1)
    compared = 0
    for _ in range(200):
        position = walk(random_position(chance), chance, chance.randrange(5))
        problem, node = problem_of(position.state), Node()
        places = len(position.deck) + 2
        rows = [[0] * MAX_CARDS for _ in range(places)]
        upcoming = Upcoming(deck=position.deck, later=[0] * places, coming=rows)
        set_root(problem, node, position.state)
        look_ahead(problem, node, upcoming)
        if node.turns_left >= 0 or not can_pass(problem, node):
            continue
        open_before = evaluate.evaluate_cards(problem, node, upcoming, weights)
        before = node.card_value, node.stuck
        apply_move(problem, node, PASS_TURN, position.deck)
        assert evaluate.evaluate_cards(problem, node, upcoming, weights) is open_before
        assert (node.card_value, node.stuck) == before
        compared += open_before
    assert compared > 50
