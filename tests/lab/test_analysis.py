"""Where was a game lost? Against brute force, and for the games of a run."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from hanabilab.cli import main
from hanabilab.errors import HanabiError
from hanabilab.game.actions import count_legal, nth_legal
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.lab.analyze import analyze
from hanabilab.lab.simulate import simulate
from hanabilab.solver.position import Position
from hanabilab.table.game import Game
from hanabilab.table.play import play
from tests.conftest import Answer
from tests.solver.brute import best_score
from tests.solver.tiny import random_deck, setup_of, table_of

pytest.importorskip("pysat")

SMALL = Rules(players=2, hand_size=1, ranks=3, suits=2, copies=((2, 2, 1),), hint_tokens=2, lives=2)


def stand(game: Game) -> int:
    """The best score that can be reached, by brute force."""
    position = Position(game.state.copy(), list(game.deck))
    return best_score(setup_of(position), table_of(position))


def after(game: Game, turns: int) -> Game:
    again = Game(game.rules, game.deck)
    for action in game.actions[:turns]:
        again.act(action)
    return again


def random_game(chance: random.Random) -> Game:
    """A tiny game played at random, most of the time to its end."""
    game = Game(deck=random_deck(chance))
    while not game.is_over and chance.random() < 0.95:
        game.act(nth_legal(game.state, chance.randrange(count_legal(game.state))))
    return game


@pytest.mark.parametrize("seed", range(4))
def test_tiny_games_against_brute_force(seed: int) -> None:
    """Every turn, the turn that lost the game, and what would have been better."""
    chance = random.Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(15):
        game = random_game(chance)
        top = game.rules.max_score
        analysis = analyze(game)
        bests = [stand(after(game, turn)) for turn in range(game.turn + 1)]
        assert [(one.best, one.bound) for one in (analysis.start, *analysis.turns)] == [
            (best, best) for best in bests
        ]
        assert [one.winnable for one in analysis.turns] == [best == top for best in bests[1:]]
        drops = [turn for turn in range(1, game.turn + 1) if bests[turn] < bests[turn - 1]]
        assert [mistake.turn for mistake in analysis.mistakes] == drops
        lost_at = next((turn for turn, best in enumerate(bests) if best < top), None)
        assert analysis.lost_at == lost_at
        for mistake in analysis.mistakes:
            kept = after(game, mistake.turn - 1)
            kept.act(mistake.better)
            assert stand(kept) == mistake.before == bests[mistake.turn - 1]
            assert mistake.after == bests[mistake.turn]
        seen[analysis.verdict] += 1
    assert seen["mistake"] > 0
    assert seen["bad luck"] > 0


def test_a_game_without_time_is_honest() -> None:
    """Bounds never cross, and what is certain stays certain."""
    game = play("random", Deck.shuffled(players=2, seed=1), seed=1)
    exact, hasty = analyze(game), analyze(game, time_limit=1e-9)
    for true, known in zip(exact.turns, hasty.turns, strict=True):
        assert known.best <= true.best <= true.bound <= known.bound
        assert known.winnable in (true.winnable, None)
    bounds = [one.bound for one in hasty.turns]
    assert bounds == sorted(bounds, reverse=True)


def test_progress_goes_up_to_all_turns() -> None:
    game = play("random", Deck.shuffled(SMALL, seed=1), seed=1)
    told: list[int] = []
    analyze(game, progress=lambda done, words: told.append(done))
    assert told == sorted(told)
    assert told[-1] == game.turn + 1


def test_a_game_that_is_not_over() -> None:
    assert analyze(Game(players=3, seed=1)).verdict == "winnable"
    assert analyze(Game(players=3, seed=1)).turns == []


def test_the_first_imperfect_games_of_a_run(tmp_path: Path) -> None:
    """Their numbers and scores are those of the run, repeats included."""
    file = tmp_path / "games.csv"
    result = simulate("random", games=60, seed=3, rules=SMALL, repeats=2, analyze=25, save=file)
    with file.open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if int(row["score"]) < 6][:25]
    assert result.analysis is not None
    found = [(one.game, one.repeat, one.analysis.score) for one in result.analysis.games]
    assert found == [(int(row["game"]), int(row["repeat"]), int(row["score"])) for row in rows]
    for one in result.analysis.games:
        lost_deck = stand(Game(SMALL, Deck.shuffled(SMALL, seed=3, game=one.game))) < 6
        assert one.analysis.verdict == ("bad luck" if lost_deck else "mistake")
    data = result.to_dict()["analysis"]
    assert data["analyzed"] == 25 == data["mistakes"] + data["bad_luck"]
    assert data["bad_luck"] > 0 < data["mistakes"]
    missing = sum(6 - one["score"] for one in data["games"])
    assert data["points_to_play"] + data["points_to_luck"] == missing


def test_without_analysis_there_is_none() -> None:
    result = simulate("random", games=5, rules=SMALL)
    assert result.analysis is None
    assert "analysis" not in result.to_dict()
    with pytest.raises(HanabiError, match="analyze"):
        simulate("random", games=5, rules=SMALL, analyze=-1)


def test_commands(command: Callable[..., Answer], tmp_path: Path) -> None:
    size = ("--players", "2", "--set-rule", "suits=2", "--set-rule", "hand-size=3")
    code, out, err = command(
        "simulate", "random", *size, "--games", "9", "--analyze", "3", "--json"
    )
    assert code == 0, err
    one = json.loads(out)["analysis"]["games"][0]
    assert list(one) == [
        "game", "repeat", "verdict", "score", "winnable", "best", "bound", "lost_at", "action",
        "better",
    ]  # fmt: skip
    code, out, _ = command("simulate", "random", *size, "--games", "9", "--analyze", "3")
    assert code == 0
    assert "3 imperfect games: " in out
    code, out, _ = command("play", "random", *size, "--json")
    file = tmp_path / "game.json"
    file.write_text(out * 2)
    code, out, _ = command("analyze", str(file))
    assert code == 0
    assert out.count("took the best score from") >= 2
    code, out, _ = command("analyze", str(file), "--json")
    assert len(out.splitlines()) == 2
    assert {"lost_at", "turns", "better"} <= json.loads(out.splitlines()[0]).keys()


def test_folders_are_analysed_and_unreadable_files_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = Game(players=2, seed=1)
    game.act(game.legal_actions()[-1])
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_text(json.dumps(game.to_dict()))
    assert main(["analyze", str(tmp_path)]) == 0
    printed, noted = capsys.readouterr()
    assert "b.json, line 1: unfinished, 0 of 25 points after 1 turn\n" in printed
    assert "a.json: skipped: line 1: this is not JSON" in noted
    (tmp_path / "b.json").unlink()
    assert main(["analyze", str(tmp_path)]) == 2
    assert "no game found in this folder" in capsys.readouterr().err
