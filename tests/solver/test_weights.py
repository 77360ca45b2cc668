"""The weights of beams stand where the evaluation looks for them."""

from __future__ import annotations

import pytest

from hanabilab.solver.kernels import evaluate
from hanabilab.solver.kernels.weights import WIDEST, beams_for


def test_every_feature_has_its_place() -> None:
    places = [getattr(evaluate, name.upper()) for name in evaluate.FEATURES]
    assert places == list(range(22))


@pytest.mark.parametrize("players", [1, 2, 3, 4, 5, 6])
def test_beams_become_wider_and_later_look_at_the_endgame(players: int) -> None:
    widths, weights = beams_for(players)
    assert widths[0] == 1
    assert max(widths) == WIDEST
    assert {len(row) for row in weights} == {len(evaluate.FEATURES)}
    assert not weights[0][evaluate.NEED]
    assert any(row[evaluate.NEED] for row in weights)


def test_weights_of_the_first_beam() -> None:
    """Column a of the table, without what the endgame needs."""
    _, weights = beams_for(2)
    assert dict(zip(evaluate.FEATURES, weights[0], strict=True)) == {
        "cards": 225, "tokens": 48, "pace": 31, "playable": 15, "ready": 44, "stuck": 1,
        "useful": 92, "last": -26, "twice": -42, "lives": 54, "waiting": -2, "short": -146,
        "first": -1, "squares": -2, "crowd": -15, "none": 40, "full": -91, "tight": -77,
        "order": -30, "double": -15, "need": 0, "lack": 0,
    }  # fmt: skip
