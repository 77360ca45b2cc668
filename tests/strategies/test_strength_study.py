"""The tool for long comparisons: it resumes, and its errors are those of paired differences."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.strength_study import main, read, summary

from hanabilab import simulate


def test_a_comparison_resumes_and_plays_the_games_of_simulate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.csv"
    words = ["duo:suspicion=0", "duo", "--seed", "6", "--save", str(file)]
    main([*words, "--games", "2"])
    first = read(file)
    main([*words, "--games", "5"])
    rows = read(file)
    assert rows[: len(first)] == first
    main([*words, "--first", "3", "--games", "1"])
    assert read(file) == rows
    assert len({(row["game"], row["strategy"]) for row in rows}) == len(rows) == 10
    played = simulate("duo", players=2, games=5, seed=6, progress=False)
    scores = [int(row["score"]) for row in rows if row["strategy"] == "duo"]
    assert sum(scores) / 5 == pytest.approx(played.mean)
    assert "duo: 5 games" in capsys.readouterr().out


def test_the_error_of_a_difference_is_that_of_pairs() -> None:
    scores = {"one": (25, 20, 24), "other": (24, 19, 23)}
    rows = [
        {"game": str(game), "strategy": name, "score": str(score), "lost": "0", "seconds": "1"}
        for name, each in scores.items()
        for game, score in enumerate(each)
    ]
    one, other, difference = summary(rows, ["one", "other"])
    assert one.startswith("one: 3 games, 23.000 ± 1.528, 33.3 % perfect, 0 lost")
    assert other.startswith("other: 3 games, 22.000 ± 1.528, 0.0 % perfect")
    assert difference == "one - other: 3 pairs, +1.000 ± 0.000"
