"""Analyses in the words of the players."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hanabilab import Deck, Game, Rules
from hanabilab.formats.action import Action
from hanabilab.lab.analysis_report import AnalysisReport, cause_of
from hanabilab.lab.analyze import analyze
from hanabilab.solver.position import Position
from tests.test_malformed import Command


def blunder() -> Game:
    """Alice discards a 5: her oldest card, slot 5 on the site."""
    game = Game(deck="p2v0s1")
    for action in ("hint 1 1", "play 2", "discard 0"):
        game.act(action)
    return game


def site_object(**changes: Any) -> dict[str, Any]:
    return {**blunder().to_hanablive(), "players": ["Zoë", "Ödön"], **changes}


def test_a_game_of_the_site_is_told_as_its_players_saw_it(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(site_object(id=77)))
    code, out, _ = command("analyze", file, "--explain")
    assert code == 0
    assert "turn 3 took the best score from 25 to 24 (1 point): Zoë discards slot 5: blue 5" in out
    assert "Zoë discarded a critical card; better: " in out
    assert "https://hanab.live/replay/77#3\n" in out
    assert "to a careful player this card was " in out
    told = json.loads(command("analyze", file, "--json", "--explain")[1])
    assert told["players"] == ["Zoë", "Ödön"]
    assert [turn["link"][-2:] for turn in told["turns"]] == ["#1", "#2", "#3"]
    (mistake,) = told["mistakes"]
    assert (mistake["cause"], mistake["card"]) == ("critical discarded", "b5")
    assert (mistake["before"], mistake["after"], mistake["turn"]) == (25, 24, 3)
    before = blunder()
    again = Game(before.rules, before.deck)
    for action in before.actions[:2]:
        again.act(action)
    known = again.knowledge(0)[0]
    assert mistake["sure"]["action"] == {
        "playable": round(known.playable, 4),
        "dead": round(known.dead, 4),
        "critical": round(known.critical, 4),
    }


def test_our_own_games_keep_their_numbers(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(f"{json.dumps(blunder().to_dict())}\n{json.dumps(blunder().to_dict())}\n")
    out = command("analyze", file)[1]
    assert "player 0 discards slot 0: b5" in out
    assert f"{blunder().link()}#3\n" in out
    assert out.strip().splitlines()[-1] == (
        "2 games (2 unfinished): mean score 1.00; verdicts: 2 mistake; points lost by play: "
        "2 critical discarded"
    )


@pytest.mark.parametrize(
    ("deck", "actions", "name"),
    [
        ("r2 r1 r1 r3 r1", ["play 0"], "critical misplayed"),
        ("r1 r2 r3 r1 r1", ["discard 1"], "critical discarded"),
        ("r1 r3 r2 r1 r1", ["discard 0", "hint 0 3"], "last round"),
        ("r1 r1 r2 r3 r1", ["play 0", "play 1", "play 0"], "misplayed"),
    ],
)
def test_causes(deck: str, actions: list[str], name: str) -> None:
    rules = Rules(
        players=2,
        hand_size=2,
        ranks=3,
        suits=1,
        copies=((3, 1, 1),),
        hint_tokens=4,
        discard_at_full=True,
    )
    position = Position.start(Game(rules, deck).deck)
    for text in actions:
        number = Action.from_text(text, rules).number(position.state)
        assert number is not None
        found = cause_of(position, number).name
        position = position.after([number])
    assert found == name


def test_games_that_the_site_does_not_have_are_told_without_links() -> None:
    rules = Rules(players=2, hand_size=2, ranks=3, suits=1, copies=((3, 1, 1),))
    game = Game(rules, Deck.shuffled(rules, seed=1))
    assert AnalysisReport(game, analyze(game)).to_dict()["link"] is None
