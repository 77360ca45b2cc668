"""The conversation with a person at the terminal."""

from __future__ import annotations

import io

import pytest

from hanabilab import Deck, HanabiError, play, preset, read_deck
from hanabilab.strategies import find_strategy


def answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_wrong_answers_are_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, "", "play 9", "discard 0", "hint 0 1", "hallo", "play  0")
    deck = Deck.shuffled(preset("classic", 2, lives=1), seed=2)
    game = play(["human", "iggi"], deck)
    assert game.end == "lives"
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("is not one of these") == 5
    assert "you can    play 0 1 2 3 4, hint 1" in err
    assert "you misplayed b2 (slot 0)" in err


def test_a_whole_game_of_two_people(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = preset("thesis", 2, lives=2)
    deck = "r1 r2 r3 r4 r5 y1 y2 y3 y4 y5 g1 b1"
    answers(monkeypatch, "hint 1 y", "play 0", "play 0", "play 3", "play 3")
    game = play("human", read_deck(deck, rules, any_deck=True))
    err = capsys.readouterr().err
    assert game.end == "lives"
    assert game.actions[0].value == 1
    assert "player 0 told you: y (slots 0 1 2 3 4)" in err
    assert "  may have 0: y12345" in err
    assert "you misplayed" in err
    assert "  you        ??  ??  ??  ??  ??" in err


def test_an_open_game_offers_a_pass(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, "pass")
    with pytest.raises(HanabiError, match="input ended"):
        play("human", Deck.shuffled(preset("open", 2)))
    assert "you passed" in capsys.readouterr().err


def test_it_runs_interpreted_only() -> None:
    assert not find_strategy("human").can_compile
    with pytest.raises(HanabiError, match="interpreted"):
        play("human", Deck.shuffled(players=2), compiled=True)
