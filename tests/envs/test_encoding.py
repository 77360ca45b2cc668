"""Vectors against a slow, independent encoder, on games of many rules."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabilab import Game, HanabiError, Rules, preset
from hanabilab.envs import Encoder
from hanabilab.errors import ActionError, RulesError
from hanabilab.game.encoding import KINDS, STATE, encode, encode_greedy, no_event
from tests.envs.slow_encoding import Replayed
from tests.tables import SPECIAL, UNUSUAL, random_rules

NOT_SHOWN: dict[str, Any] = {
    "deck_plays": False,
    "alternating_hints": False,
    "inverted_suits": "",
    "reversed_suits": "",
    "hidden_plays": False,
    "hints_tell": "all",
}
"""Switches under which a vector does not show every turn, off."""


def compare(rules: Rules, seed: int, kinds: Sequence[str] = (*KINDS, STATE)) -> None:
    """Play a random game and compare what everyone observes now and then."""
    coin = random.Random(seed)
    game = Game(rules, seed=seed)
    encoders = [Encoder(rules, kind) for kind in kinds]
    while True:
        if game.is_over or game.turn < 3 or coin.random() < 0.15:
            slow = Replayed(game)
            for player in range(rules.players):
                for encoder in encoders:
                    expected = slow.observation(encoder.kind, player)
                    assert encoder.encode(game, player).tolist() == expected, encoder.kind
        if game.is_over:
            break
        game.act(coin.choice(game.legal_actions()))


@settings(max_examples=40)
@given(random_rules(), st.integers(0, 1000), st.sampled_from((*KINDS, STATE)))
def test_random_rules(rules: Rules, seed: int, kind: str) -> None:
    compare(rules.replace(**NOT_SHOWN), seed, [kind])


@settings(max_examples=40)
@given(random_rules(), st.integers(0, 1000), st.sampled_from((*KINDS, STATE)))
def test_whatever_the_array_held(rules: Rules, seed: int, kind: str) -> None:
    """The same array is written again and again: for every turn, every player, the next game."""
    encoder = Encoder(rules.replace(**NOT_SHOWN), kind)
    entries = bytearray(b"\xff" * encoder.length)
    for number in range(2):
        game, coin = Game(encoder.rules, seed=seed, game=number), random.Random(seed)
        while True:
            last = game.events[-1] if game.events else no_event()
            for player in range(1 if kind == STATE else rules.players):
                encode(game.state, last, player, encoder.layout, entries)
                encode_greedy(game.state, last, player, encoder.layout, entries)
                assert list(entries) == encoder.encode(game, player).tolist()
            if game.is_over:
                break
            game.act(coin.choice(game.legal_actions()))


@pytest.mark.parametrize("rules", [*UNUSUAL, *SPECIAL])
def test_unusual_rules(rules: Rules) -> None:
    compare(rules, 1)


def test_the_greedy_action_of_the_actor() -> None:
    game, greedy = Game(preset("hle", 3), seed=4), Game(preset("hle", 3), seed=4)
    game.act("play 1")
    greedy.act("hint 1 1")
    encoder = Encoder(game.rules, "sad")
    parts = encoder.sections
    last = slice(parts["last_player"].start, parts["last_result"].stop)
    for player in range(3):
        same = encoder.encode(game, player)
        other = encoder.encode(game, player, greedy=greedy.events[-1])
        assert same[parts["greedy_action"]].tolist() == same[last].tolist()
        assert other[last].tolist() == same[last].tolist()
        imagined = encoder.encode(greedy, player)[last]
        assert other[parts["greedy_action"]].tolist() == imagined.tolist()


def test_a_view_has_no_own_cards_to_show() -> None:
    game = Game(preset("hle", 2), seed=3)
    for kind in ("own-hand", "seer", STATE):
        with pytest.raises(HanabiError, match=f"{kind}: a view does not contain the player's own"):
            Encoder(game.rules, kind).encode(game.view(0), 0)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_rules_of_the_learning_environment(players: int) -> None:
    compare(preset("hle", players), players, ["canonical", "features"])
    lengths = {2: 658, 3: 956, 4: 1041, 5: 1280}
    assert Encoder(preset("hle", players)).length == lengths[players]


def test_sections_cover_the_vector() -> None:
    encoder = Encoder(preset("hle", 3))
    places = [place for part in encoder.sections.values() for place in range(encoder.length)[part]]
    assert places == list(range(encoder.length))
    game = Game(preset("hle", 3), seed=4)
    game.act(game.legal_actions()[0])
    vector = encoder.encode(game, 0)
    assert vector[encoder.sections["last_player"]].tolist() == [1, 0, 0]
    assert vector[encoder.sections["lives"]].sum() == game.lives


def test_a_view_is_enough() -> None:
    game = Game(preset("hle", 2), seed=3)
    game.act("play 0")
    encoder = Encoder(game.rules)
    for player in range(2):
        seen = encoder.encode(game.view(player), player, last=game.events[-1])
        assert seen.tolist() == encoder.encode(game, player).tolist()


def test_the_callers_array() -> None:
    game = Game(preset("hle", 2), seed=3)
    encoder = Encoder(game.rules)
    out = np.full(encoder.length, 7, np.float32)
    assert encoder.encode(game, 1, out) is out
    assert out.tolist() == encoder.encode(game, 1).tolist()
    with pytest.raises(HanabiError, match=r"out: the shape is \(3,\), not \(658,\)"):
        encoder.encode(game, 1, np.zeros(3, np.uint8))


def test_bad_questions() -> None:
    with pytest.raises(HanabiError, match="unknown encoding 'tiny'"):
        Encoder(preset("hle", 2), "tiny")
    encoder = Encoder(preset("hle", 2))
    with pytest.raises(ActionError, match="unknown player 2"):
        encoder.encode(Game(preset("hle", 2)), 2)
    with pytest.raises(HanabiError, match="not played by the rules"):
        encoder.encode(Game(preset("hle", 3)), 0)


def test_plays_from_the_draw_pile_are_refused() -> None:
    with pytest.raises(RulesError, match="observations do not show the rule deck_plays"):
        Encoder(preset("hle", 2, deck_plays=True))
