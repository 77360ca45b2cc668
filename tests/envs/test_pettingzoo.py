"""PettingZoo's own tests, and what they leave out."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)
from pettingzoo.utils.conversions import aec_to_parallel

from hanabilab import Deck, play, preset
from hanabilab.envs import Actor, BatchEnv
from hanabilab.envs import pettingzoo as zoo
from hanabilab.errors import ActionError, HanabiError
from hanabilab.game.encoding import Encoder

PLAYERS = (2, 3, 4, 5)

pytestmark = [
    # A warning for every observation that is a dictionary, except in PettingZoo's own environments.
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]


@pytest.mark.parametrize("players", PLAYERS)
def test_the_official_tests_pass(players: int) -> None:
    api_test(zoo.env(players=players), num_cycles=100)
    api_test(zoo.raw_env(players=players), num_cycles=100)
    seed_test(lambda: zoo.env(players=players), num_cycles=100)
    parallel_api_test(zoo.parallel_env(players=players), num_cycles=200)
    parallel_seed_test(lambda: zoo.parallel_env(players=players))


def test_the_official_tests_pass_for_unusual_rules() -> None:
    small = {"players": 2, "suits": 2, "hand_size": 2, "hint_tokens": 3, "lives": 1}
    for settings in (small, {"rules": "classic", "players": 6}, {"observation": "minimal"}):
        api_test(zoo.env(**settings), num_cycles=50)
        parallel_api_test(zoo.parallel_env(**settings), num_cycles=50)


HANABI_V5: dict[str, Any] = {
    "colors": 3,
    "ranks": 4,
    "players": 3,
    "hand_size": 2,
    "max_information_tokens": 5,
    "max_life_tokens": 2,
    "observation_type": "minimal",
    "random_start_player": True,
    "render_mode": "rgb_array",
}
"""All keywords of PettingZoo's own Hanabi."""


def test_every_keyword_of_hanabi_v5() -> None:
    for make in (zoo.env, zoo.raw_env, zoo.parallel_env):
        env = make(**HANABI_V5)
        env.reset(seed=1)
        rules = env.session.rules
        assert (rules.suits, rules.ranks, rules.players, rules.hand_size) == (3, 4, 3, 2)
        assert (rules.hint_tokens, rules.lives) == (5, 2)
        assert env.session.encoder.length == Encoder(rules, "minimal").length
        assert env.render_mode == "rgb_array"
    kinds = {"card_knowledge": "canonical", "seer": "seer"}
    for theirs, ours in kinds.items():
        one, other = zoo.raw_env(observation_type=theirs), zoo.raw_env(observation=ours)
        one.reset(seed=3)
        other.reset(seed=3)
        assert one.observe("player_0")["observation"].tolist() == (
            other.observe("player_0")["observation"].tolist()
        )
    with pytest.raises(HanabiError, match="colors and suits are the same setting"):
        zoo.env(colors=3, suits=3)
    with pytest.raises(HanabiError, match=r"observation_type.*'all'"):
        zoo.env(observation_type="all")
    api_test(zoo.env(**HANABI_V5 | {"render_mode": None}), num_cycles=100)


def test_a_random_player_starts() -> None:
    env = zoo.raw_env(players=3, random_start_player=True)
    batch = BatchEnv(8, 3, random_first_player=True)
    observations, _ = batch.reset(list(range(8)))
    starters = batch.current_players.tolist()
    for seed, starter in enumerate(starters):
        env.reset(seed=seed)
        assert env.agent_selection == f"player_{starter}"
        seen = env.observe(env.agent_selection)
        assert seen["observation"].tolist() == observations[seed].tolist()
        assert seen["action_mask"].tolist() == batch.action_masks[seed].tolist()
        env.step(5)
        assert env.game.events[0].player == starter
        assert env.agent_selection == f"player_{(starter + 1) % 3}"
    assert set(starters) == {0, 1, 2}
    env.reset(seed=2, options={"deck": Deck.shuffled(preset("hle", 3), seed=9)})
    assert env.agent_selection == f"player_{starters[2]}" == f"player_{env.game.player}"


def test_everything_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(
        lambda render_mode=None: zoo.env(render_mode=render_mode),
        {"svg": lambda picture: picture.startswith("<svg")},
    )
    assert "fireworks  r0 y0 g0 b0 w0" in capsys.readouterr().out
    with pytest.raises(HanabiError, match="unknown render_mode 'film'; expected human"):
        zoo.env(render_mode="film")


def test_the_aec_environment_is_not_made_parallel_blindly() -> None:
    """PettingZoo would ask players who are not to move, and act illegally."""
    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(zoo.env())


def test_the_state_is_all_that_lies_on_the_table() -> None:
    for env in (zoo.raw_env(players=3), zoo.parallel_env(players=3)):
        env.reset(seed=2)
        encoder = Encoder(env.session.rules, "state")
        assert env.state().tolist() == encoder.encode(env.game).tolist()
        assert env.state() in env.state_space


def test_a_step_before_the_first_reset() -> None:
    with pytest.raises(ActionError, match="no game has started: call reset first"):
        zoo.raw_env().step(5)
    with pytest.raises(ActionError, match="no game has started: call reset first"):
        zoo.parallel_env().step({"player_0": 5})


def test_numbers_of_numpy() -> None:
    env: Any = zoo.raw_env(players=np.int64(3))
    twin = zoo.raw_env(players=3)
    env.reset(seed=np.int64(4))
    twin.reset(seed=4)
    assert env.game == twin.game
    env.step(np.array([5]))
    assert env.game.actions[0].number(env.game.state) == 5


def random_game(env: Any, seed: int) -> dict[str, float]:
    """Play at random and return the sum of rewards of each agent."""
    env.reset(seed=seed)
    returns = dict.fromkeys(env.possible_agents, 0.0)
    rng = np.random.default_rng(seed)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        returns[agent] += reward
        over = termination or truncation
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if over else rng.choice(legal))
    return returns


@pytest.mark.parametrize("reward", ["difference", "final"])
def test_everyone_gets_the_score(reward: str) -> None:
    env = zoo.env(players=3, reward=reward, keep_points=True)
    for seed in range(5):
        returns = random_game(env, seed)
        assert set(returns.values()) == {env.game.score}


def test_observations_are_those_of_the_encoder() -> None:
    env = zoo.env(players=3)
    env.reset(seed=2)
    encoder = Encoder(preset("hle", 3))
    for agent in env.agent_iter():
        if env.game.is_over:
            break
        for player, other in enumerate(env.possible_agents):
            seen = env.observe(other)
            assert seen["observation"].tolist() == encoder.encode(env.game, player).tolist()
            assert seen["action_mask"].any() == (other == agent)
        env.step(np.flatnonzero(env.observe(agent)["action_mask"])[0])


def test_strategies_act_in_both() -> None:
    rules = preset("hle", 4)
    aec, parallel = zoo.env(players=4), zoo.parallel_env(players=4)
    for env in (aec, parallel):
        agents = env.possible_agents
        actors = {agents[player]: Actor("information", player, seed=3) for player in range(4)}
        for number in range(2):
            env.reset(seed=3) if number == 0 else env.reset()
            while not env.game.is_over:
                mover = env.possible_agents[env.game.player]
                action = actors[mover].act(env)
                if env is aec:
                    env.step(action)
                else:
                    env.step(dict.fromkeys(env.agents, env.no_op) | {mover: action})
            for actor in actors.values():
                actor.follow(env)
            deck = Deck.shuffled(rules, seed=3, game=number)
            assert env.game == play("information", deck, seed=3, game=number)


def test_a_deck_can_be_given() -> None:
    deck = Deck.shuffled(preset("hle", 2), seed=8)
    for env in (zoo.env(), zoo.parallel_env()):
        env.reset(options={"deck": str(deck)})
        assert env.game.deck == deck


def test_an_illegal_action_ends_the_game() -> None:
    env = zoo.env()
    env.reset(seed=1)
    env.step(5)
    scored = env.game.score
    env.step(0)
    assert all(env.terminations.values())
    assert env.infos["player_0"]["illegal"].startswith("player 1 cannot")
    assert env.rewards == {"player_0": -scored, "player_1": -scored - 1}
    for _ in env.agent_iter():
        env.step(None)
    assert env.agents == []
    strict = zoo.env(illegal_reward=None)
    strict.reset(seed=1)
    with pytest.raises(ActionError, match="player 0 cannot discard slot 0: all 8 hint tokens"):
        strict.step(0)
    with pytest.raises(ActionError, match="there is no action 99"):
        strict.step(99)


class TestParallel:
    """Only the player to move acts; the others do nothing."""

    def test_masks_leave_the_others_nothing_to_do(self) -> None:
        env: Any = zoo.parallel_env(players=3)
        observations, _ = env.reset(seed=1)
        assert env.action_space("player_0").n == 31
        assert env.no_op == 30
        while env.agents:
            mover = env.possible_agents[env.game.player]
            for agent, seen in observations.items():
                if agent == mover:
                    assert not seen["action_mask"][env.no_op]
                else:
                    assert np.flatnonzero(seen["action_mask"]).tolist() == [env.no_op]
            actions = {
                a: int(np.flatnonzero(s["action_mask"])[-1]) for a, s in observations.items()
            }
            before = env.game.turn
            observations, rewards, terminations, truncations, infos = env.step(actions)
            assert env.game.turn == before + 1
            assert len(set(rewards.values())) == 1
        assert all(terminations.values())
        assert not any(truncations.values())
        assert infos["player_2"]["end"] == env.game.end

    def test_what_the_others_do_does_not_matter(self) -> None:
        env, other = zoo.parallel_env(players=3), zoo.parallel_env(players=3)
        env.reset(seed=1)
        other.reset(seed=1)
        env.step({"player_0": 5, "player_1": 7, "player_2": 0})
        other.step({"player_0": 5})
        assert env.game == other.game

    def test_doing_nothing_is_illegal_for_the_player_to_move(self) -> None:
        env = zoo.parallel_env()
        env.reset(seed=1)
        _, rewards, terminations, _, infos = env.step(dict.fromkeys(env.agents, env.no_op))
        assert rewards == {"player_0": -1, "player_1": 0}
        assert all(terminations.values())
        assert infos["player_1"]["illegal"] == "player 0 cannot do nothing"
        with pytest.raises(ActionError, match="call reset"):
            env.step({"player_0": 5})

    def test_a_missing_action_is_an_error(self) -> None:
        env = zoo.parallel_env()
        env.reset(seed=1)
        with pytest.raises(ActionError, match="no action for player_0, whose turn it is"):
            env.step({"player_1": 5})


@pytest.mark.parametrize("module", ["pettingzoo", "gymnasium"])
def test_a_missing_library_is_named_with_its_extra(module: str) -> None:
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from hanabilab.errors import MissingExtraError\n"
        f"try:\n    import hanabilab.envs.{module}\n"
        "except MissingExtraError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"needs {module}: install it with  pip install 'hanabilab[rl]'" in done.stdout
