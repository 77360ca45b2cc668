"""Simulations: the same result however the work is divided, and files that agree with it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import hanabilab as hl
import hanabilab.author as ha
from hanabilab.errors import HanabiError, MissingExtraError, StrategyError
from hanabilab.lab.run import is_stopping_point, next_stopping_point
from hanabilab.lab.simulate import Simulation

KEYS = [
    *("strategy", "players", "rules", "games", "repeats", "seed", "mean", "stderr", "stdev"),
    *("min", "max", "perfect_rate", "lost_rate", "mean_turns", "histogram", "seconds"),
    *("games_per_second", "threads"),
]


def random_games(**changes: object) -> Simulation:
    settings: dict[str, object] = {"players": 3, "games": 300, "seed": 5, "rules": "cox-program"}
    return hl.simulate("random", **{**settings, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("threads", "chunk"), [(1, None), (1, 7), (2, None), (2, 1), (2, 64), (5, 13), (2, 1000)]
)
def test_results_do_not_depend_on_threads_and_chunks(
    tmp_path: Path, threads: int, chunk: int | None
) -> None:
    whole = random_games(games=90, repeats=2, save=tmp_path / "whole.csv")
    parts = random_games(
        games=90, repeats=2, save=tmp_path / "parts.csv", threads=threads, chunk=chunk
    )
    assert parts.sums() == whole.sums()
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


@pytest.mark.parametrize(("threads", "chunk"), [(1, None), (2, None), (2, 9), (1, 64), (2, 5000)])
def test_stopping_by_error_does_not_depend_on_the_division(threads: int, chunk: int | None) -> None:
    result = random_games(games=None, until_stderr=0.08, threads=threads, chunk=chunk)
    assert is_stopping_point(result.games)
    assert result.stderr <= 0.08
    shorter = next(n for n in range(1, result.games) if next_stopping_point(n) == result.games)
    assert random_games(games=next_stopping_point(shorter - 2)).stderr > 0.08
    assert not result.interrupted


def test_games_are_a_limit_for_stopping_by_error() -> None:
    assert random_games(games=250, until_stderr=1e-9).games == 250


def test_json_has_exactly_the_agreed_keys() -> None:
    data = json.loads(random_games(repeats=2).to_json())
    assert list(data) == KEYS
    assert data["strategy"] == "random"
    assert data["rules"] == "cox-program"
    assert (data["games"], data["repeats"], data["players"], data["seed"]) == (300, 2, 3, 5)
    assert sum(data["histogram"]) == 600
    assert len(data["histogram"]) == 26


def test_numbers_that_are_none_are_null_in_json() -> None:
    assert json.loads(random_games(games=1).to_json())["stderr"] is None


def test_saved_rows_are_the_games(tmp_path: Path) -> None:
    result = random_games(save=tmp_path / "games.csv")
    with (tmp_path / "games.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [int(row["game"]) for row in rows] == list(range(300))
    assert sum(int(row["score"]) for row in rows) == result.total
    assert sum(row["end"] == "lives" for row in rows) == result.lost
    rules = hl.preset("cox-program", 3)
    for number in (0, 17):
        game = hl.play("random", hl.Deck.shuffled(rules, seed=5, game=number), seed=5, game=number)
        row = rows[number]
        assert (game.score, game.turn, game.end) == (
            int(row["score"]),
            int(row["turns"]),
            row["end"],
        )
        assert game.lives == 4 - int(row["misplays"])


def test_parquet_holds_the_same_rows(tmp_path: Path) -> None:
    random_games(repeats=3, save=tmp_path / "games.csv")
    random_games(repeats=3, save=tmp_path / "games.parquet", chunk=11)
    with (tmp_path / "games.csv").open() as stream:
        expected = list(csv.DictReader(stream))
    table = pq.read_table(tmp_path / "games.parquet")
    found = [{key: str(value) for key, value in row.items()} for row in table.to_pylist()]
    assert found == expected
    about = json.loads(table.schema.metadata[b"hanabilab"])
    assert about["strategy"] == "random"
    assert not list(tmp_path.glob("*.part"))


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hanabilab\[parquet\]'"):
        random_games(save=tmp_path / "games.parquet")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'hanabilab\[plot\]'"):
        random_games(games=5).plot()


def test_repeats_play_the_same_deck_with_other_coins(tmp_path: Path) -> None:
    result = random_games(games=100, repeats=10, save=tmp_path / "games.csv")
    once = random_games(games=100, save=tmp_path / "once.csv")
    with (tmp_path / "games.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    first = [row["score"] for row in rows if row["repeat"] == "0"]
    with (tmp_path / "once.csv").open() as stream:
        assert first == [row["score"] for row in csv.DictReader(stream)]
    assert any(len({row["score"] for row in rows[i : i + 10]}) > 1 for i in range(0, 1000, 10))
    assert result.played == 1000
    assert once.played == 100


def discard_or_play(view: ha.View, memory: ha.Memory) -> int:
    """Plain Python, not a kernel."""
    return 0 if view.hint_tokens < view.rules.max_hint_tokens else view.rules.hand_size


def test_plain_python_runs_interpreted() -> None:
    mine = ha.Strategy("mine", discard_or_play)
    result = hl.simulate(mine, players=2, games=20, seed=1)
    assert result.threads == 1
    assert result.games == 20


def test_interpreted_and_compiled_agree() -> None:
    fast, slow = (random_games(games=40, compiled=compiled) for compiled in (True, False))
    assert fast.sums() == slow.sums()


def test_an_illegal_action_is_reported_with_its_place() -> None:
    mine = ha.Strategy("mine", lambda view, memory: 0)
    with pytest.raises(StrategyError, match="mine, player 0, chose action 0 in turn 1 of game 0"):
        hl.simulate(mine, players=2, games=5)


def test_one_strategy_for_each_seat() -> None:
    result = hl.simulate(["random", ha.Strategy("mine", discard_or_play)], games=10)
    assert result.strategy == "random + mine"
    assert result.players == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"games": 0},
        {"games": -3},
        {"games": 1.5},
        {"games": True},
        {"games": 1 << 70},
        {"repeats": 0},
        {"repeats": 1 << 40},
        {"threads": 0},
        {"chunk": 0},
        {"seed": -1},
        {"until_stderr": 0.0},
        {"until_stderr": float("nan")},
        {"save": "games.txt"},
        {"save": "no/such/folder/games.csv"},
        {"players": 11},
        {"rules": "nonsense"},
    ],
)
def test_nonsense_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(HanabiError):
        random_games(**changes)


def test_results_print_and_plot(tmp_path: Path) -> None:
    result = random_games()
    assert str(result).endswith("games lost to misplays")
    assert "±" in str(result)
    for ending in ("png", "svg", "pdf"):
        result.plot(str(tmp_path / f"scores.{ending}"))
        assert (tmp_path / f"scores.{ending}").stat().st_size > 1000
    result.save(str(tmp_path / "histogram.csv"))
    lines = (tmp_path / "histogram.csv").read_text().splitlines()
    assert lines[0] == "score,games"
    assert len(lines) == 27


def test_importing_is_light() -> None:
    heavy = "{'numpy', 'llvmlite', 'matplotlib', 'pyarrow', 'rich'}"
    code = f"import sys, hanabilab; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_links_of_games_below_a_score(tmp_path: Path, ending: str) -> None:
    """Each link is the game of its row, played again by itself."""
    file = tmp_path / f"games.{ending}"
    hl.simulate("cheat", 2, games=60, seed=2, repeats=2, save=file, links_below=24, progress=False)
    if ending == "csv":
        with file.open(newline="") as stream:
            rows = list(csv.DictReader(stream))
    else:
        rows = pq.read_table(file).to_pylist()
    assert len(rows) == 120
    assert any(row["link"] for row in rows)
    for row in rows:
        assert bool(row["link"]) == (int(row["score"]) < 24)
        if row["link"]:
            game = hl.Game.read(row["link"])
            deck = hl.Deck.shuffled(players=2, seed=2, game=int(row["game"]))
            assert game.deck.cards == deck.cards
            assert game.score == int(row["score"])
            assert game.turn <= int(row["turns"])  # the site ends with the last point


def test_links_of_repeats_are_of_their_own_coins(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    hl.simulate("random", 3, games=5, repeats=3, save=file, links_below=26, progress=False)
    with file.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len({row["link"] for row in rows}) == 15
    for row in rows:
        assert hl.Game.read(row["link"]).turn == int(row["turns"])


def test_links_need_a_file_and_a_variant(tmp_path: Path) -> None:
    with pytest.raises(HanabiError, match="but none is given"):
        hl.simulate("cheat", 2, games=1, links_below=25)
    file = tmp_path / "games.csv"
    for name, value in (("ranks", 4), ("deck_ends", False)):
        rules = hl.preset("classic", 2, **{name: value})
        with pytest.raises(HanabiError, match=r"hanab\.live"):
            hl.simulate("random", games=1, rules=rules, save=file, links_below=2)
    with pytest.raises(HanabiError, match="links_below"):
        hl.simulate("cheat", 2, games=1, save=file, links_below=0)
    assert not file.exists()
