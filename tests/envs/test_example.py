"""The documented example runs, on a small scale."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[2] / "examples" / "linear_policy.py"


def test_a_policy_learns_and_sits_down(capsys: pytest.CaptureFixture[str]) -> None:
    example = runpy.run_path(str(FILE))
    example["main"](["--games", "4", "--updates", "2", "--test-games", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("random moves: ")
    assert lines[2].startswith("after       8 games")
    assert [line.split(":")[0] for line in lines[3:]] == [
        "random",
        "LinearPolicy",
        "LinearPolicy + iggi",
    ]


def test_the_gradient_makes_good_moves_likelier() -> None:
    """Two games of one turn: the move that scored gains, the other one loses."""
    import numpy as np

    example = runpy.run_path(str(FILE))
    vectors = np.eye(2, dtype=np.float32)
    likely = example["chances"](vectors, np.ones((2, 2), bool), np.zeros((3, 2), np.float32))
    assert likely.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    slopes = np.array([[0.5, -0.5], [0.5, -0.5]], np.float32)  # both took move 0
    rewards, playing = np.array([[1.0, 0.0]]), np.ones((1, 2), bool)
    total = example["gradient"](([vectors], [slopes], rewards, playing), (3, 2))
    assert total[0, 0] > 0 > total[1, 0]
