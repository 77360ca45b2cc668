"""Decks, rewards and masks, the same in all environments of one game at a time."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from hanabilab import Deck, Game, HanabiError, Rules, preset, read_deck
from hanabilab.envs.session import Session
from hanabilab.errors import ActionError, DeckError, RulesError
from hanabilab.game.actions import legal_actions
from hanabilab.game.encoding import KINDS, Encoder

PLAYS = "r1 r2 r3 r4 r5 y1 y2 y3 y4 y5"
"""Player 0 holds all red cards and player 1 all yellow ones."""


def rules(**changes: Any) -> Rules:
    tiny = Rules(
        players=2, hand_size=5, suits=2, copies=((1, 1, 1, 1, 1),), lives=1, deck_ends=False
    )
    return tiny.replace(**changes) if changes else tiny


def rewards(actions: list[int], **settings: Any) -> list[float]:
    """The rewards of a game: 0 discards slot 0, 5 plays it, 8 plays slot 3."""
    session = Session(**{"rules": rules(), **settings})
    session.deal(options={"deck": PLAYS})
    given = []
    for action in actions:
        session.act(action)
        given.append(session.collect_reward() + session.penalty)
    return given


LOST = [5, 5, 8]
"""Two cards light, and the third one takes the only life."""


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [1, 1, -2]),
        ({"keep_points": False}, [1, 1, -2]),
        ({"keep_points": True}, [1, 1, 0]),
        ({"reward": "final"}, [0, 0, 0]),
        ({"reward": "final", "keep_points": True}, [0, 0, 2]),
        ({"rules": rules(keep_score=True), "keep_points": False}, [1, 1, -2]),
    ],
)
def test_rewards_of_a_lost_game(settings: dict[str, Any], expected: list[float]) -> None:
    assert rewards(LOST, **settings) == expected


def test_rewards_of_a_perfect_game() -> None:
    assert rewards([5] * 10) == [1] * 10
    assert rewards([5] * 10, reward="final") == [0] * 9 + [10]


def test_an_illegal_action_loses_the_game() -> None:
    assert rewards([5, 0]) == [1, -2]  # the point is lost, and one more
    assert rewards([5, 0], illegal_reward=0) == [1, -1]
    assert rewards([5, 0], reward="final", illegal_reward=-5) == [0, -5]
    with pytest.raises(ActionError, match="player 1 cannot discard slot 0: all 8 hint tokens"):
        rewards([5, 0], illegal_reward=None)
    session = Session(rules=rules())
    session.deal(options={"deck": PLAYS})
    session.act(0)
    assert session.is_over
    assert not session.mask(0).any()
    assert "cannot discard slot 0" in session.info()["illegal"]
    with pytest.raises(ActionError, match="call reset"):
        session.act(5)
    session.deal()
    assert "illegal" not in session.info()


@pytest.mark.parametrize("action", [None, 1.5, "play 0", True, -1, 24, 99])
def test_what_is_no_action_is_always_an_error(action: Any) -> None:
    with pytest.raises(ActionError):
        rewards([action])


def test_masks_are_the_legal_actions_of_the_player_to_move() -> None:
    session = Session(players=3)
    rng = np.random.default_rng(1)
    for seed in range(3):
        session.deal(seed)
        while not session.is_over:
            state, mover = session.game.state, session.game.player
            legal = [action.number(state) for action in session.game.legal_actions()]
            assert np.flatnonzero(session.mask(mover)).tolist() == legal
            assert not session.mask((mover + 1) % 3).any()
            session.act(rng.choice(np.array(legal)))


def test_decks_are_those_of_the_seed() -> None:
    session = Session(players=2)
    session.deal(7)
    for number in range(3):
        assert session.game.deck == Deck.shuffled(preset("hle", 2), seed=7, game=number)
        session.deal()
    session.deal(7)
    assert session.number == 0
    first, second = Session(), Session()
    first.deal()
    second.deal()
    assert first.game.deck != second.game.deck  # no seed was given


def test_a_deck_can_be_given() -> None:
    hle = preset("hle", 2)
    deck = Deck.shuffled(hle, seed=3)
    session = Session(players=2)
    for given in (deck, str(deck), list(deck), str(deck).split()):
        session.deal(options={"deck": given})
        assert session.game.deck == deck
    with pytest.raises(DeckError, match="ends after card 2"):
        session.deal(options={"deck": "r1 r2"})
    with pytest.raises(DeckError, match="deck: 5 is neither text nor a list of cards"):
        session.deal(options={"deck": 5})
    with pytest.raises(HanabiError, match="options: 'deck' is not a dictionary"):
        session.deal(options="deck")  # type: ignore[arg-type]
    assert session.game.deck == deck  # the errors changed nothing
    assert read_deck(str(deck), hle) == deck


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"reward": "points"}, "unknown reward 'points'; expected difference or final"),
        ({"observation": "all"}, "unknown encoding 'all'"),
        ({"players": 7}, "hle is for 2 to 5 players"),
        ({"rules": preset("hle", 3), "players": 2}, "the rules are for 3, not 2"),
        ({"rules": "chess"}, "unknown preset"),
        ({"rules": 3}, "rules: 3 is neither the name of a preset nor an object"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(HanabiError, match=why):
        Session(**settings)


def test_the_hand_follows_the_players_and_rules_can_be_changed() -> None:
    assert [Session(players=p).rules.hand_size for p in (2, 3, 4, 5, 6)] == [5, 5, 4, 4, 3]
    assert Session(players=4, hand_size=3, lives=1).rules == preset("hle", 4, hand_size=3, lives=1)
    assert Session(rules="classic", players=6).rules.hand_size == 3
    with pytest.raises(RulesError, match="ranks"):
        Session(ranks=0)


def test_the_game_is_followed_when_it_is_played_on_by_itself() -> None:
    """Turns may be taken in the session or in its game, whether or not anyone looked before."""
    rng = random.Random(1)
    session, game = Session(players=3), Game(preset("hle", 3), seed=5)
    session.deal(5)
    encoder = Encoder(game.rules)
    total = 0.0
    while not game.is_over:
        number = rng.choice(legal_actions(game.state))
        game.act(number)
        (session.act if rng.random() < 0.6 else session.game.act)(number)
        for player in range(3):
            assert session.vector(player).tolist() == encoder.encode(game, player).tolist()
        assert session.info() == {"score": game.score, "turn": game.turn, "end": game.end}
        assert session.player == game.player
        total += session.collect_reward()
        if rng.random() < 0.4:
            assert session.game == game
    assert session.is_over
    assert session.game == game
    assert session.game.state == game.state
    assert total == game.score


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_observation(kind: str) -> None:
    session = Session(players=3, observation=kind)
    session.deal(5)
    encoder = Encoder(session.rules, kind)
    for _ in range(6):
        for player in range(3):
            expected = encoder.encode(session.game, player).tolist()
            assert session.vector(player).tolist() == expected
        full = Encoder(session.rules, "state").encode(session.game)
        assert session.full_state().tolist() == full.tolist()
        session.act(int(np.flatnonzero(session.mask(session.player))[-1]))


def test_the_greedy_action_of_the_actor() -> None:
    session = Session(observation="sad")
    session.deal(5)
    legal = np.flatnonzero(session.mask(0)).tolist()
    session.greedy_action = legal[-1]
    session.act(legal[0])
    other = Game(session.rules, seed=5)
    other.act(legal[-1])
    expected = session.encoder.encode(session.game, 1, greedy=other.events[-1])
    assert session.vector(1).tolist() == expected.tolist()
    assert session.greedy_action is None
    session.greedy_action = 99
    with pytest.raises(ActionError, match="greedy_action: 99 is not a legal action"):
        session.act(legal[0])
