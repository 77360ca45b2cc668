"""Strategies as agents: the same games in every environment."""

from __future__ import annotations

import numpy as np
import pytest

from hanabilab import Deck, HanabiError, play, preset
from hanabilab.envs import Actor, BatchEnv, BatchPartners, hle


@pytest.mark.parametrize("name", ["information", "random"])
def test_strategies_act_in_hle(name: str) -> None:
    rules = preset("hle", 4)
    env = hle.make("Hanabi-Full", num_players=4)
    actors = [Actor(name, player, seed=3) for player in range(4)]
    for number in range(2):
        deck = Deck.shuffled(rules, seed=3, game=number)
        env.reset(deck=deck)
        done = False
        while not done:
            _, _, done, _ = env.step(actors[env.state.cur_player()].act(env))
        for actor in actors:
            actor.follow(env)
        expected = play(name, deck, seed=3, game=number)
        assert env.state.to_game().actions == expected.actions
        assert env.state.score() == expected.score


def test_cards_to_come_are_not_known_before_they_are_dealt() -> None:
    """HLE deals by chance: a game told in the middle has the same past, whatever comes later."""
    env = hle.make("Hanabi-Full", num_players=3, seed=4, random_start_player=True)
    for _ in range(4):
        env.reset()
        actors = [Actor("recommendation", player) for player in range(3)]
        first, done = env.state.cur_player(), False
        while not done:
            player = env.state.cur_player()
            action = actors[player].act(env)
            late = Actor("recommendation", player)
            assert late.act(env) == late.act(env) == action
            _, _, done, _ = env.step(action)
        game = env.state.to_game()
        assert game.events[0].player == first
        assert game.score == env.state.score()
        assert game.score > 5


@pytest.mark.parametrize("name", ["information", "random"])
def test_strategies_act_in_many_games_at_once(name: str) -> None:
    rules = preset("hle", 4)
    env = BatchEnv(3, 4, seed=3, observation=None)
    partners = [BatchPartners(env, name, players) for players in ([0, 2], [1, 3])]
    scores: dict[int, int] = {}
    while len(scores) < 6:
        actions = partners[1].act(partners[0].act())
        assert actions.tolist() == partners[1].act(partners[0].act()).tolist()  # asked twice
        numbers = env.game_numbers
        done = env.step(actions).done
        for place in np.flatnonzero(done):
            scores[int(numbers[place])] = int(env.final_scores[place])
    for number, score in scores.items():
        deck = Deck.shuffled(rules, seed=3, game=number)
        assert play(name, deck, seed=3, game=number).score == score


def test_batch_partners_must_see_every_turn() -> None:
    env = BatchEnv(2, 2, observation=None)
    partners = BatchPartners(env, "iggi", [1])
    env.step(partners.act(env.sample()))
    env.step(env.sample())
    with pytest.raises(HanabiError, match="game 0: turns were missed"):
        partners.act()
    env.reset()
    assert (partners.act() == -1).all()
    with pytest.raises(HanabiError, match="players: 2 is not between 0 and 1"):
        BatchPartners(env, "iggi", [2])


def test_what_is_no_game_is_refused() -> None:
    with pytest.raises(HanabiError, match="is not a game that an actor can follow"):
        Actor("iggi", 0).act("a game")
