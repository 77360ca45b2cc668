"""The tool that finds out what games were lost by."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import ending_study, strength_study
from tests.loss_study import CAUSES, cause_of, main

from hanabilab import Deck, Game, preset, simulate
from hanabilab.table.play import play


def test_an_analysis_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games, losses = tmp_path / "games.csv", tmp_path / "losses.csv"
    strength_study.main(["duo", "--seed", "6", "--games", "12", "--save", str(games)])
    words = ["duo", "--seed", "6", "--games", str(games), "--save", str(losses), "--most"]
    main([*words, "1"])
    first = strength_study.read(losses)
    capsys.readouterr()
    main([*words, "3"])
    rows = strength_study.read(losses)
    assert rows[:1] == first
    assert len({row["game"] for row in rows}) == len(rows) == 3
    for row in rows:
        assert row["cause"] in CAUSES
        assert row["deviation"] in ("0", "")  # duo does what duo does
        assert int(row["score"]) < 25
    counts = [int(line.split()[1]) for line in capsys.readouterr().out.splitlines()]
    assert sum(counts) == 3


def test_time_limits_are_drawn_as_points(tmp_path: Path) -> None:
    games, picture = tmp_path / "games.csv", tmp_path / "seconds.png"
    timed = "search:blueprint=duo,seconds=0.001"
    words = [timed, "duo", "--games", "2", "--save", str(games), "--plot", str(picture)]
    strength_study.main(words)
    assert picture.read_bytes()[1:4] == b"PNG"
    rows = strength_study.read(games)
    assert [row["strategy"] for row in rows] == [timed, "duo"] * 2


def test_a_discarded_last_copy_is_the_cause() -> None:
    """A player who discards a five that is still needed loses the game there and then."""
    deck = Deck.shuffled(preset("classic", 2), seed=1)
    won = play("duo", deck, seed=1)
    assert won.score == 25
    game = Game(deck.rules, deck)
    for action in won.actions:
        hand = [card % 5 for card in game.deck[:5]]
        if game.player == 0 and game.turn == 2:
            assert 4 in hand, "choose another deck"
            game.act({"type": "discard", "slot": hand.index(4)})
            break
        game.act(action)
    cause, pile, _, deviation, chance = cause_of(game, "duo")
    assert (cause, pile, deviation) == ("discard", 40, 1)
    assert 0 < float(str(chance)) < 1


def test_endings_give_away_chances(capsys: pytest.CaptureFixture[str]) -> None:
    """A player who discards the last card that is missing gives the whole chance away."""
    deck = Deck.shuffled(preset("classic", 3), seed=1)
    won = play("hatter", deck, seed=1)
    assert won.score == 25
    assert sum(ending_study.given_away(won, 3)) == 0
    game = Game(deck.rules, deck)
    for action in won.actions[:-1]:
        game.act(action)
    missing = won.events[-1]
    game.act({"type": "discard", "slot": missing.slot})
    assert sum(ending_study.given_away(game, 3)) == 1
    ending_study.main(["hatter", "--seed", "1", "--games", "30", "--won", "2", "--pile", "3"])
    lost, safe = capsys.readouterr().out.splitlines()
    decks = 30 - simulate("hatter", players=3, games=30, seed=1).perfect
    assert lost.startswith(f"hatter loses: {decks} decks, hatter loses {decks}; given away ")
    assert safe.endswith(
        "wins: 2 decks, hatter loses 0; given away 0.00 games, 0.00 at most in one"
    )
