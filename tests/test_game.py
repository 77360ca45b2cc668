"""`Game`: stepping through by hand, copying, saving, showing."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import hanabilab as hl
from hanabilab import Action, Deck, Game, Rules, preset
from hanabilab.errors import ActionError, DeckError, FormatError, HanabiError
from hanabilab.game.rules import PRESETS
from tests.tables import SPECIAL, UNUSUAL, choose, picture, random_deck, random_rules

ALL_RULES = [
    *(preset(name, players) for name in PRESETS for players in PRESETS[name].hands),
    *UNUSUAL,
    *SPECIAL,
]


def played(rules: Rules, seed: int, turns: int = 10**6) -> Game:
    chance = random.Random(seed)
    game = Game(rules, random_deck(rules, chance))
    while not game.is_over and game.turn < turns:
        game.act(choose(game, chance))
    return game


@given(random_rules(), st.integers(0, 2**32), st.integers(0, 80))
@settings(max_examples=50)
def test_saved_and_restored_in_the_middle(rules: Rules, seed: int, turns: int) -> None:
    game = played(rules, seed, turns)
    text = json.dumps(game.to_dict())
    for again in (Game.from_json(text), Game.from_json(game.to_dict()), game.copy()):
        assert again == game
        assert again.state == game.state
        assert picture(again) == picture(game)
        assert again.events == game.events
        assert json.dumps(again.to_dict()) == text


def test_copies_go_their_own_way() -> None:
    game = played(preset("hle", 3), 1, 5)
    twin, before = game.copy(), picture(game)
    twin.act(twin.legal_actions()[0])
    assert twin != game
    assert picture(game) == before
    assert len(game.actions) == len(game.events) == 5


def test_equality() -> None:
    game = Game(players=2, seed=1)
    assert game == Game(players=2, seed=1)
    assert game != Game(players=2, seed=2)
    assert game != Game(players=2, seed=1, lives=2)
    assert game != "game"
    with pytest.raises(TypeError):
        hash(game)


def test_ways_to_ask_for_a_game() -> None:
    deck = Deck.shuffled(players=3, seed=1, game=4)
    same = [
        Game(players=3, seed=1, game=4),
        Game("classic", players=3, seed=1, game=4),
        Game(Rules.classic(players=3), seed=1, game=4),
        Game(deck=deck),
        Game(Rules.classic(players=3), deck),
        Game(Rules.classic(players=3), str(deck)),
        Game(deck=str(deck), players=3),
        Game(deck=str(deck).replace(" ", ", "), players=3),
        Game(deck=str(deck).upper(), players=3),
        Game(deck=list(deck), players=3),
        Game(deck=str(deck).split(), players=3),
    ]
    assert all(game == same[0] for game in same)
    assert hl.read_deck(str(deck), deck.rules) == deck


def test_ways_to_say_an_action() -> None:
    def fresh() -> Game:
        return Game(deck=Deck.shuffled(players=3, seed=1))

    game = fresh()
    hint = next(action for action in game.legal_actions() if action.type == "hint_suit")
    number = hint.number(game.state)
    assert number is not None
    letter = "rygbw"[hint.value]
    words: list[Any] = [
        hint,
        number,
        f"hint {hint.target} {letter}",
        {"type": "hint_suit", "target": hint.target, "value": letter},
        {"type": "hint_suit", "target": hint.target, "value": letter.upper()},
        Action.hint_suit(hint.target, letter),
    ]
    for said in words:
        game = fresh()
        game.act(said)
        assert game.actions == [hint]
    game.act("play 4")
    assert game.actions[-1] == Action.play(4)
    game.act("discard 0")
    assert game.actions[-1] == Action.discard(0)
    opened = Game("open", seed=1)
    opened.act("pass")
    assert opened.actions == [Action.pass_turn()]


WRONG_ACTIONS: list[tuple[Any, str]] = [
    (-1, "there is no action -1"),
    (999, "there is no action 999"),
    (True, "True is not an action"),
    (None, "None is not an action"),
    (1.0, "1.0 is not an action"),
    ("dance", "'dance' is not an action"),
    ("play", "'play' is not an action"),
    ("play x", "'play x' is not an action"),
    ("play -1", "'play -1' is not an action"),
    ("", "'' is not an action"),
    ("play 5", "no slot 5 in a hand of 5 cards"),
    ("discard 0", "all 8 hint tokens are there"),
    ("hint 0 1", "a hint goes to another player"),
    ("hint 3 1", "there is no player 3"),
    ("hint 1 6", "there is no such rank"),
    ("hint 1 0", "there is no such rank"),
    ("hint 1 m", "value 'm' is not a suit"),
    ("pass", "this game has no pass"),
    (Action.hint_suit(1, 5), "there is no such suit"),
    (Action.hint_suit(1, -1), "there is no such suit"),
    (Action.hint_suit(1, 999), "there is no such suit"),
    (Action.play(-1), "no slot -1"),
    (Action("dance"), "dance"),
    ({"type": "dance"}, "unknown type 'dance'; expected"),
    ({"type": []}, "type"),
    ({"type": {}}, "type"),
    ({}, "unknown type None; expected"),
    ({"type": "play"}, "slot: None is not an integer"),
    ({"type": "play", "slot": True}, "slot: True is not an integer"),
    ({"type": "play", "slot": 10**400}, "there is no slot"),
    ({"type": "hint_rank", "target": 1, "value": "1"}, "value: '1' is not an integer"),
    ({"type": "hint_suit", "target": 1, "value": 0}, "value 0 is not a suit"),
    ({"type": "hint_suit", "target": 1, "value": "rr"}, "value 'rr' is not a suit"),
    ({"type": "hint_suit", "target": 1, "value": ""}, "value '' is not a suit"),
    ({"type": "hint_suit", "target": None, "value": "r"}, "target: None is not an integer"),
]


@pytest.mark.parametrize(("action", "reason"), WRONG_ACTIONS, ids=range(len(WRONG_ACTIONS)))
def test_wrong_actions_are_refused_with_a_reason(action: Any, reason: str) -> None:
    game = Game(players=3, seed=1)
    before = game.copy()
    with pytest.raises(HanabiError) as caught:
        game.act(action)
    assert reason in str(caught.value)
    assert isinstance(caught.value, ActionError | FormatError)
    assert game == before
    assert game.state == before.state


def test_more_reasons() -> None:
    game = Game("hle", players=2, seed=1, hint_tokens=0)
    with pytest.raises(ActionError, match="no hint token is left"):
        game.act("hint 1 1")
    game = Game("hle", players=2, seed=1)
    hinted = {a.value for a in game.legal_actions() if a.type == "hint_rank"}
    missing = next(rank for rank in range(1, 6) if rank not in hinted)
    with pytest.raises(ActionError, match="touches no card of player 1"):
        game.act(Action.hint_rank(1, missing))
    with pytest.raises(ActionError, match="a hint is a pass in an open game"):
        Game("open", seed=1).act("hint 1 1")


@pytest.mark.parametrize("data", ["", "[]", "3", "{}", '{"deck": "", "actions": []}', "{}{}"])
def test_wrong_json(data: str) -> None:
    with pytest.raises(HanabiError):
        Game.from_json(data)


WRONG_DECKS: list[tuple[Any, str]] = [
    ("r1 r1 r1 r1", r"card 4, r1, appears for the 4th time; the rules have only 3"),
    ("r1 y9", r"card 2, 'y9', has an unknown rank; expected 1 to 5"),
    ("r1 m1", r"card 2, 'm1', has an unknown suit; expected one of r y g b w"),
    ("r0", r"card 1, 'r0', has an unknown rank"),
    ("red1", r"card 1, 'red1', is not a card"),
    ("1r", r"card 1, '1r', is not a card"),
    ("r", r"card 1, 'r', is not a card"),
    ("r1", r"ends after card 1 of 50; missing: r1 r1 r2"),
    ("", r"ends after card 0 of 50"),
    ([0, 25], r"card 2, 25, is not between 0 and 24"),
    ([0, -1], r"card 2, -1, is not between 0 and 24"),
    ([0, True], r"card 2, True, is not a card"),
    ([0, 1.0], r"card 2, 1.0, is not a card"),
    ([None], r"card 1, None, is not a card"),
    ([[]], r"card 1, \[\], is not a card"),
]


@pytest.mark.parametrize(("deck", "reason"), WRONG_DECKS, ids=range(len(WRONG_DECKS)))
def test_wrong_decks_name_card_and_place(deck: Any, reason: str) -> None:
    with pytest.raises(DeckError, match=reason):
        Game(players=2, deck=deck)


def test_any_deck() -> None:
    game = Game(players=2, hand_size=2, deck="r1 r1 r1 r1 r5 r5", any_deck=True)
    assert game.rules.copies[0] == (4, 0, 0, 0, 2)
    assert game.rules.preset is None
    assert Game.from_json(json.dumps(game.to_dict())) == game
    with pytest.raises(DeckError, match="2 hands of 2 cards need 4"):
        Game(players=2, hand_size=2, deck="r1 r1 r1", any_deck=True)
    with pytest.raises(DeckError, match="32 copies of r1; at most 31"):
        Game(players=2, hand_size=2, deck=["r1"] * 32, any_deck=True)


def test_decks() -> None:
    deck = Deck.shuffled(players=2, seed=1)
    assert len(deck) == 50
    assert deck[0] == deck.cards[0] == next(iter(deck))
    assert deck == Deck.of(deck.rules, list(deck))
    assert deck != Deck.shuffled(players=2, seed=2)
    game = Game(deck=deck)
    assert picture(game)["hands"] == [
        [(card // 5, card % 5 + 1) for card in deck[first : first + 5]] for first in (0, 5)
    ]


def test_repr() -> None:
    assert repr(Game(players=3, seed=1)) == (
        "<Game: classic, 3 players, turn 0, player 0 to move, score 0, 8 hint tokens, 3 lives, "
        "35 cards in the draw pile>"
    )
    game = played(Rules(players=2, hand_size=2, hint_tokens=None, lives=1), 1)
    assert "custom rules" in repr(game)
    assert "unlimited hint tokens" in repr(game)
    assert "over (" in repr(game)


@pytest.mark.parametrize("rules", ALL_RULES, ids=range(len(ALL_RULES)))
def test_boards(rules: Rules) -> None:
    """The SVG is well-formed and, like the terminal, says the cards in letters."""
    for turns in (0, 5, 10**6):
        game = played(rules, 1, turns)
        root = ElementTree.fromstring(game._repr_svg_())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        shown = [element.get("data-card") for element in root.iter()]
        console = Console(width=500, file=io.StringIO())
        console.print(game)
        text = console.file.getvalue()  # type: ignore[attr-defined]
        letters = "".join(game.fireworks)
        for hand in picture(game)["hands"]:
            for suit, rank in hand:
                assert f"{letters[suit]}{rank}" in shown
                assert f"{letters[suit]}{rank}" in text
        assert f"score {game.score}" in text


def test_to_json_keys() -> None:
    data: Mapping[str, Any] = played(preset("hle", 2), 3).to_dict()
    assert list(data) == [
        "rules",
        "players",
        "deck",
        "actions",
        "score",
        "lives",
        "hint_tokens",
        "turns",
        "end",
    ]
