"""`hanabilab engine` on its own: what it answers, and what it refuses."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hanabilab import Game
from hanabilab.formats.protocol import hello_message, start_message, turn_message
from tests.conftest import Answer

Command = Callable[..., Answer]

GAME = Game(players=2, seed=1)
START = start_message(GAME.view(0), GAME.rules, 5, {})
TURN = turn_message(GAME.view(0))
TALKATIVE = """
def act(observation, legal_moves):
    print("let me see")
    return legal_moves[-1]
"""


@pytest.fixture
def serve(command: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """`hanabilab engine` with messages as its input."""

    def run(words: str, *messages: Any) -> Answer:
        lines = [each if isinstance(each, str) else json.dumps(each) for each in messages]
        text = "".join(f"{line}\n" for line in lines)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return command("engine", *words.split())

    return run


def test_it_greets_and_acts_in_one_game_after_another(serve: Command) -> None:
    code, out, err = serve("iggi", hello_message(), START, TURN, "", {"type": "end"}, START, TURN)
    assert (code, err) == (0, "")
    hello, first, second = map(json.loads, out.splitlines())
    assert hello == {"type": "hello", "protocol": 1, "name": "iggi", "event_views": True}
    assert first == second
    assert first["action"] in {action["text"] for action in TURN["view"]["legal"]}


def test_what_a_policy_prints_is_no_answer(serve: Command, tmp_path: Path) -> None:
    (tmp_path / "talkative.py").write_text(TALKATIVE)
    code, out, err = serve(f"{tmp_path / 'talkative.py'}:act", START, TURN)
    assert (code, err) == (0, "let me see\n")
    answer = {"type": "action", "action": TURN["view"]["legal"][-1]["text"], "turn": 0}
    assert json.loads(out) == answer


OTHER_RULES = {**START, "rules": {**START["rules"], "players": 9, "hand_size": 2}}


@pytest.mark.parametrize(
    ("words", "messages", "problem"),
    [
        ("human", [], "human: a person needs the terminal"),
        ("cheat", [], "cheat looks at its own cards"),
        ("nobody", [], "unknown strategy 'nobody'"),
        ("iggi", ["hallo"], "line 1: 'hallo' is not JSON"),
        ("iggi", [TURN], "line 1: turn: no game has been started"),
        ("iggi", [hello_message(), {"type": "action"}], 'line 2: \'{"type": "action"}\' is not'),
        ("iggi", [START, {"type": "end"}, TURN], "line 3: turn: no game has been started"),
        ("iggi", [{**START, "stream": 5}], "line 1: stream: 5 is not a number as text"),
        ("iggi", [{**START, "stream": "9" * 19}], "is not below 2**62"),
        ("iggi", [{**START, "options": {"mood": "1"}}], "iggi has no option mood"),
        ("iggi", [{**START, "options": []}], "options: not an object"),
        ("iggi", [{**START, "rules": 5}], "rules: neither an object nor"),
        ("iggi", [{**START, "rules": {"players": 99}}], "players: 99 is not between 1 and 10"),
        ("iggi", [{**START, "view": None}], "line 1: view: not an object"),
        ("iggi", [START, {"type": "event", "event": {}}], "line 2: event: its view is missing"),
        ("iggi", [START, {"type": "event", "event": 1, "view": 1}], "2: event: not an object"),
        ("hatter", [OTHER_RULES], "hatter cannot play this"),
        ("iggi", [{"type": "hello", "protocol": 9, "oldest": 8}], "version 8 to 9 is not spoken"),
    ],
)
def test_errors_are_one_line(serve: Command, words: str, messages: list[Any], problem: str) -> None:
    code, _, err = serve(words, *messages)
    assert (code, len(err.splitlines())) == (2, 1)
    assert err.startswith("hanabilab engine: ")
    assert problem in err
