"""Views, events and rules survive the way through JSON, and messages are read strictly."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabilab import Deck, Game, Rules, preset
from hanabilab.core.record import Record
from hanabilab.errors import HanabiError
from hanabilab.formats.protocol import (
    OLDEST,
    VERSION,
    check_version,
    event_dict,
    hello_answer,
    hello_message,
    read_action,
    read_event,
    read_line,
    read_view,
    rules_dict,
    turn_message,
    turn_view,
    view_dict,
    write_line,
)
from tests.tables import SPECIAL, UNUSUAL, choose, random_deck, random_rules


def through_json(data: object) -> Any:
    return json.loads(json.dumps(data))


def fields(record: Record) -> dict[str, Any]:
    return dict(record.items())


def check_game(deck: Deck, rng: random.Random) -> None:
    """Compare every view and every event of a game of random actions."""
    rules = Rules.from_dict(through_json(rules_dict(deck.rules)))
    assert rules == deck.rules
    game = Game(deck.rules, deck)
    while True:
        for seat in range(rules.players):
            view = game.view(seat)
            assert fields(read_view(through_json(view_dict(view)), rules)) == fields(view)
        if game.is_over:
            return
        event = game.act(choose(game, rng))
        told = through_json(event_dict(game.view(0), event))
        assert fields(read_event(told, rules)) == fields(event)


@pytest.mark.parametrize("rules", [*UNUSUAL, *SPECIAL])
def test_unusual_games_arrive_in_every_field(rules: Rules) -> None:
    rng = random.Random(1)
    check_game(random_deck(rules, rng), rng)


@settings(max_examples=25)
@given(random_rules(), st.integers(0, 1 << 30))
def test_any_game_arrives_in_every_field(rules: Rules, seed: int) -> None:
    rng = random.Random(seed)
    rules = rules.replace(hidden_plays=False, hints_tell="all")
    check_game(random_deck(rules, rng), rng)


def test_the_view_holds_what_replay_writes() -> None:
    from hanabilab.cli.games import replay
    from hanabilab.formats.game_files import read_games

    game = Game(players=3, seed=4)
    rng = random.Random(2)
    for _ in range(20):
        game.act(choose(game, rng))
    (record,) = read_games(json.dumps(game.to_dict()))
    state = replay(record)[1][-1]
    view = turn_view(game.view(game.player))
    legal = [{key: action[key] for key in action if key != "text"} for action in view.pop("legal")]
    assert {**{key: view[key] for key in state if key in view}, "legal": legal} == state


def test_the_text_is_enough_to_play_from() -> None:
    game = Game("classic", "r1 y1 g1 b1 w1  r2 y2 g2 b2 w2  r3 r4", players=2, any_deck=True)
    game.act("hint 1 2")
    game.act("play 4")
    game.act("hint 1 r")
    text = turn_view(game.view(1))["text"]
    assert text.splitlines() == [
        "turn 4: you are player 1 of 2",
        "  fireworks  r0 y0 g0 b0 w0   score 0, hint tokens 6, lives 2, draw pile 1",
        "  discards   w2",
        "  player 0   r1  y1  g1  b1  w1",
        "    may have 0: rygbw12345  1: rygbw12345  2: rygbw12345  3: rygbw12345  4: rygbw12345",
        "  you        ??  ??  ??  ??  ??",
        "    may have 0: r2  1: ygbw2  2: ygbw2  3: ygbw2  4: r12345",
        "  you can    discard 0 1 2 3 4, play 0 1 2 3 4, hint 0 r y g b w 1",
    ]


def test_every_legal_action_can_be_answered_in_words_as_data_and_by_number() -> None:
    for rules in (preset("classic", 3), preset("open", 2), SPECIAL[0]):
        game = Game(rules, random_deck(rules, random.Random(3)))
        view = game.view(game.player)
        message = through_json(turn_message(view))
        for legal, action in zip(message["view"]["legal"], game.legal_actions(), strict=True):
            number = action.number(view)
            for answer in (legal, legal["text"], number):
                assert read_action({"type": "action", "action": answer}, view, rules) == number


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("play 5", "'play 5' is not a legal action; expected play 0 1 2 3 4, hint 1"),
        ("discard 0", "'discard 0' is not a legal action"),
        ("win", "'win' is not an action; expected play SLOT"),
        ({"type": "play"}, "slot: None is not an integer"),
        ({"type": "hint_suit", "target": 1, "value": "q"}, "value 'q' is not a suit"),
        (10**30, "is not a legal action"),
        (-1, "-1 is not a legal action"),
        (True, "action: True is not an integer"),
        (0.5, "action: 0.5 is not an integer"),
        (None, "action: None is not an integer"),
    ],
)
def test_wrong_actions_are_named(answer: object, problem: str) -> None:
    view = Game(players=2, seed=1).view(0)
    with pytest.raises(HanabiError) as caught:
        read_action({"type": "action", "action": answer}, view, preset("classic", 2))
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"hallo", "'hallo' is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[]", 'not an object with "type": "action"'),
        (b'{"type": ["action"]}', 'not an object with "type": "action"'),
        (b'{"type": "hello"}', 'not an object with "type": "action"'),
    ],
)
def test_wrong_lines_are_named(line: bytes, problem: str) -> None:
    with pytest.raises(HanabiError) as caught:
        read_line(line, "action")
    assert problem in str(caught.value)


def test_the_newest_common_version_is_spoken() -> None:
    greeting = read_line(write_line(hello_message()), "hello")
    assert hello_answer(greeting, "x", event_views=False)["protocol"] == VERSION
    later = {"type": "hello", "protocol": VERSION + 3, "oldest": VERSION}
    assert hello_answer(later, "x", event_views=False)["protocol"] == VERSION
    too_late = {"type": "hello", "protocol": VERSION + 3, "oldest": VERSION + 1}
    with pytest.raises(HanabiError, match=f"version {VERSION + 1} to {VERSION + 3} is not spoken"):
        hello_answer(too_late, "x", event_views=False)
    check_version({"protocol": OLDEST})
    for wrong in (0, VERSION + 1, "1", None, True):
        with pytest.raises(HanabiError, match="protocol: "):
            check_version({"protocol": wrong})


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"hands": [[]]}, "hands: 1 hands for 2 players"),
    ({"hands": 5}, "hands: not a list"),
    ({"hands": [[], [{"card": "q1", "possible": []}]]}, "card 'q1' has an unknown suit"),
    ({"hands": [[], [{"card": 3, "possible": []}]]}, "3 is not a card"),
    ({"hands": [[], [{"card": None}]]}, "possible: not a list"),
    ({"hands": [[], [7]]}, "slot 0 of hand 1 is not an object"),
    ({"hands": [[], [{}] * 6]}, "hand 1 is not a list of at most 5 cards"),
    ({"seat": 2}, "seat: 2 is not between 0 and 1"),
    ({"turn": -1}, "turn: -1 is not between 0 and"),
    ({"turn": 1 << 70}, "turn: 1180591620717411303424 is not between 0 and"),
    ({"fireworks": []}, "fireworks: not an object"),
    ({"fireworks": {"r": 6}}, "r: 6 is not between 0 and 5"),
    ({"misplays": 4}, "misplays: 4 is not between 0 and 3"),
    ({"end": "won"}, "unknown end 'won'"),
    ({"draw_pile": 1.5}, "draw_pile: 1.5 is not an integer"),
]


@pytest.mark.parametrize(("changes", "problem"), BROKEN)
def test_broken_views_are_named(changes: dict[str, Any], problem: str) -> None:
    view = view_dict(Game(players=2, seed=1).view(0))
    with pytest.raises(HanabiError) as caught:
        read_view({**view, **changes}, preset("classic", 2))
    assert problem in str(caught.value)
