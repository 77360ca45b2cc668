"""The documented examples run, on a small scale, and their curves say what the page says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "examples" / "linear_policy.py"
CURVES = ROOT / "examples" / "curves.py"


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


def test_the_page_shows_the_table_of_the_curves() -> None:
    curves = runpy.run_path(str(CURVES))
    files = sorted((ROOT / "docs" / "pictures" / "ppo").glob("*.csv"))
    found = {file.stem: curves["read"](file) for file in files}
    lines = list(curves["table"](found))
    assert len(lines) == 1 + len(files)  # a head of two lines, and no line for the published curve
    page = (ROOT / "docs" / "how-to" / "envs.md").read_text(encoding="utf-8")
    shown = page.splitlines()
    assert [line for line in lines if not line.startswith("| --- ") and line not in shown] == []


def test_a_curve_is_read_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.csv").write_text(
        "steps,minutes,score,stderr,fireworks,lost\n"
        "0,0.0,0.1,0.01,1,0.9\n800000,2.49,5,0.1,6,0.5\n810000,2.51,6,0.1,7,0.5\n"
        "2000000,10.2,11.5,0.12,12,0.031\n"
    )
    (tmp_path / "theirs.csv").write_text("iterations,a,b\n10,1,3\n20,2,4\n")
    picture = tmp_path / "curves.png"
    files = [str(tmp_path / name) for name in ("mine.csv", "theirs.csv")]
    runpy.run_path(str(CURVES))["main"](str(picture), *files)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out.splitlines() == [
        "| run | 2.5 min | 10 min | last test | games lost |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| mine | 6.00 ± 0.10 | 11.50 ± 0.12 | 11.50 ± 0.12 (10.2 min, 2.0 M steps) | 3.1% |",
    ]


def test_make_finds_the_tests_of_learning() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    listed = re.search(r"^LEARN_TESTS := (.*)$", makefile, re.MULTILINE)
    assert listed is not None
    searched = [ROOT / name for name in listed[1].split()]
    marked = [
        file
        for file in (ROOT / "tests").rglob("test_*.py")
        if re.search(
            r"^(@|pytestmark = )pytest\.mark\.learn$", file.read_text("utf-8"), re.MULTILINE
        )
    ]
    assert len(marked) == 4
    for file in marked:
        assert any(file.is_relative_to(folder) for folder in searched)
