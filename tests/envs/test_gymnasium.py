"""Gymnasium's own checks, and what they leave out."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from hanabilab import Deck, play, preset
from hanabilab.envs import BatchEnv
from hanabilab.envs.compiled_partners import can_be_compiled_partner
from hanabilab.envs.gymnasium import ID, HanabiEnv
from hanabilab.errors import ActionError, HanabiError, StrategyError
from hanabilab.game.encoding import Encoder
from hanabilab.strategies import find_strategy

LOSES = "r1 r2 r3 r4 r5 y1 y2 y3 y4 y5"
"""Player 0 holds all red cards and player 1 all yellow ones."""
TINY: dict[str, Any] = {"suits": 2, "copies": (1, 1, 1, 1, 1), "lives": 1, "deck_ends": False}


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_the_official_check_passes_without_a_warning(players: int, seat: int | str) -> None:
    env = gymnasium.make(ID, players=players, seat=seat, partners="random")
    check_env(env.unwrapped, skip_render_check=(players, seat) != (2, 0))


def test_the_name_is_found_with_its_module() -> None:
    env = gymnasium.make(f"hanabilab.envs.gymnasium:{ID}").unwrapped
    assert isinstance(env, HanabiEnv)
    assert env.partners[0].name == "piers"


def first_legal(env: HanabiEnv) -> int:
    return int(np.flatnonzero(env.action_masks())[0])


@pytest.mark.parametrize("seat", [0, 2])
def test_partners_play_as_at_a_table(seat: int) -> None:
    """With the learner playing like them, it is their game: memories, coins and all."""
    from hanabilab.envs import Actor

    env = HanabiEnv(players=4, partners="information", seat=seat)
    learner = Actor("information", seat, seed=5)
    for number in range(2):
        env.reset(seed=5) if number == 0 else env.reset()
        done = False
        while not done:
            *_, done, _, info = env.step(learner.act(env))
        learner.follow(env)
        deck = Deck.shuffled(preset("hle", 4), seed=5, game=number)
        assert env.game == play("information", deck, seed=5, game=number)
        assert info["score"] == env.game.score


def test_a_policy_and_a_list_can_be_partners() -> None:
    seen = []

    def policy(observation: dict[str, Any], legal_moves: list[int]) -> int:
        seen.append(observation["view"].observer)
        return legal_moves[-1]

    env = HanabiEnv(players=3, partners=[policy, "iggi"], seat=1)
    env.reset(seed=1)
    for _ in range(3):
        env.step(first_legal(env))
    assert set(seen) == {2}
    with pytest.raises(StrategyError, match="3 strategies for 2 players"):
        HanabiEnv(players=3, partners=["iggi"] * 3)
    with pytest.raises(StrategyError, match="cannot play this"):
        HanabiEnv(players=2, partners="recommendation")
    cheater = HanabiEnv(partners=lambda observation, legal_moves: 99)
    cheater.reset(seed=4)
    with pytest.raises(StrategyError, match="chose action 99 in turn 2 of game 0 of seed 4"):
        cheater.step(first_legal(cheater))


def test_the_observation_is_the_learners() -> None:
    env = HanabiEnv(players=3, seat=1, observation="minimal")
    encoder = Encoder(preset("hle", 3), "minimal")
    observation, info = env.reset(seed=2)
    done = False
    while not done:
        assert env.game.player == 1
        assert observation.tolist() == encoder.encode(env.game, 1).tolist()
        assert observation in env.observation_space
        state = env.game.state
        legal = [action.number(state) for action in env.game.legal_actions()]
        assert np.flatnonzero(info["action_mask"]).tolist() == legal
        assert env.action_masks().tolist() == info["action_mask"].tolist()
        observation, _, done, _, info = env.step(legal[0])
    assert not env.action_masks().any()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [2, -2]),
        ({"keep_points": True}, [2, 0]),
        ({"reward": "final"}, [0, 0]),
        ({"reward": "final", "keep_points": True}, [0, 2]),
    ],
)
def test_a_step_counts_the_partners_points_too(
    settings: dict[str, Any], expected: list[float]
) -> None:
    def plays_oldest(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return 5

    env = HanabiEnv(partners=plays_oldest, **TINY, **settings)
    env.reset(options={"deck": LOSES})
    assert [env.step(action)[1] for action in (5, 8)] == expected
    assert env.game.end == "lives"


def test_points_before_the_first_turn_are_counted() -> None:
    def plays_oldest(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return 5

    env = HanabiEnv(partners=plays_oldest, seat=1, **TINY)
    env.reset(options={"deck": LOSES})
    assert env.game.score == 1
    assert env.step(5)[1] == 3


def test_a_game_that_ends_before_the_learner_acts_is_dealt_again() -> None:
    def plays_oldest(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return 5

    env = HanabiEnv(partners=plays_oldest, seat=1, lives=1)
    env.reset(seed=1)
    for _ in range(20):
        assert not env.game.is_over
        assert env.game.player == 1
        env.reset()
    lost = "r2 r1 r3 r4 r5 y1 y2 y3 y4 y5"
    env = HanabiEnv(partners=plays_oldest, seat=1, **TINY)
    with pytest.raises(HanabiError, match="player 1 never gets a turn with this deck"):
        env.reset(options={"deck": lost})


@pytest.mark.parametrize("partner", ["iggi", lambda observation, legal: legal[-1]])
def test_a_random_player_starts_as_in_a_batch(partner: Any) -> None:
    settings = {"players": 3, "partners": partner, "seat": 1, "random_first_player": True}
    env, batch = HanabiEnv(**settings), BatchEnv(6, **settings)
    observations, masks = batch.reset(list(range(6)))
    starters = set()
    for seed in range(6):
        seen, info = env.reset(seed=seed)
        assert seen.tolist() == observations[seed].tolist()
        assert info["action_mask"].tolist() == masks[seed].tolist()
        starters.add(env.game.events[0].player if env.game.events else env.game.player)
    assert starters == {0, 1, 2}


def test_resets_are_reproducible() -> None:
    def story(env: HanabiEnv) -> list[Any]:
        seen = [env.reset(seed=11)[0].tolist()]
        for _ in range(3):
            seen += [env.player, env.step(first_legal(env))[0].tolist(), str(env.game.deck)]
            seen.append(env.reset()[0].tolist())
        return seen

    env = HanabiEnv(players=3, seat="random", partners="random")
    assert story(env) == story(env) == story(HanabiEnv(players=3, seat="random", partners="random"))
    players = {env.player for _ in range(20) if env.reset()}
    assert players == {0, 1, 2}


def test_options_are_checked() -> None:
    env = HanabiEnv(players=3)
    env.reset(options={"seat": 2})
    assert env.player == 2
    env.reset()
    assert env.player == 0
    with pytest.raises(HanabiError, match="unknown 'decks'; expected deck or seat"):
        env.reset(options={"decks": ""})
    for seat in (3, -1, "first", True):
        with pytest.raises(HanabiError, match="is neither a player from 0 to 2 nor 'random'"):
            env.reset(options={"seat": seat})


def test_numbers_of_numpy() -> None:
    env = HanabiEnv(players=np.int64(3), seat=np.int32(1), lives=np.int8(2), partners="random")  # type: ignore[arg-type]
    seen, info = env.reset(seed=np.int64(5))  # type: ignore[arg-type]
    twin = HanabiEnv(players=3, seat=1, lives=2, partners="random")
    assert seen.tolist() == twin.reset(seed=5)[0].tolist()
    action = np.flatnonzero(info["action_mask"])[:1]
    assert env.step(action)[0].tolist() == twin.step(int(action[0]))[0].tolist()
    for wrong in (np.array([5, 6]), np.array([5.0]), np.array("5"), [5]):
        with pytest.raises(ActionError, match=r"action: .* is not an integer"):
            env.step(wrong)


def test_a_step_before_the_first_reset() -> None:
    env = HanabiEnv()
    with pytest.raises(ActionError, match="no game has started: call reset first"):
        env.step(5)


def test_an_illegal_action_ends_the_game_or_is_an_error() -> None:
    env = HanabiEnv()
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal"] == "player 0 cannot discard slot 0: all 8 hint tokens are there"
    with pytest.raises(ActionError, match="the game is over: call reset"):
        env.step(5)
    strict = HanabiEnv(illegal_reward=None)
    strict.reset(seed=1)
    with pytest.raises(ActionError, match="player 0 cannot discard slot 0"):
        strict.step(0)


def test_it_is_shown_in_four_ways(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = set()
    for mode in ("human", "ansi", "svg", "rgb_array"):
        env = HanabiEnv(render_mode=mode, players=4, partners="random")
        env.reset(seed=3)
        done = False
        for _ in range(3):
            picture = env.render()
            if mode == "rgb_array":
                sizes.add(picture.shape)
            if not done:
                done = env.step(first_legal(env))[2]
        env.close()
        shown = capsys.readouterr().out
        if mode == "human":
            assert picture is None
            assert "player 0 plays slot 0" in shown
            assert "fireworks  r0 y0 g0 b0 w0" in shown
        elif mode == "rgb_array":
            assert picture.dtype == np.uint8
            assert 0 < (picture < 128).mean() < 0.2  # some ink on paper
            assert len(sizes) == 1
        else:
            assert ("<svg" if mode == "svg" else "fireworks  r") in picture
    assert HanabiEnv().render() is None


@pytest.mark.parametrize("partners", [["information"] * 3, ["random", "piers", "random"]])
def test_compiled_partners_play_like_actors(
    partners: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when someone takes a turn in the game itself, or the environment is copied."""
    from hanabilab.envs import gymnasium as ours

    compiled = HanabiEnv(players=4, partners=partners, seat="random")
    with monkeypatch.context() as patch:
        patch.setattr(ours, "can_be_compiled_partner", lambda strategy: False)
        interpreted = HanabiEnv(players=4, partners=partners, seat="random")
    rng, done = random.Random(1), True
    for turn in range(60):
        if done:
            seed = turn
            seen, info = compiled.reset(seed=seed)
            assert seen.tolist() == interpreted.reset(seed=seed)[0].tolist()
        if turn % 7 == 3:
            compiled = copy.deepcopy(compiled)
        if turn % 7 == 5:
            compiled = pickle.loads(pickle.dumps(compiled))
        action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
        if turn % 5 == 4 and not done:
            for env in (compiled, interpreted):
                env.game.act(action)
                env._let_partners_act()
            done, info = compiled.session.is_over, compiled._info()
            continue
        seen, reward, done, _, info = compiled.step(action)
        theirs = interpreted.step(action)
        assert (seen.tolist(), reward, done) == (theirs[0].tolist(), *theirs[1:3])
        assert compiled.game == interpreted.game


def test_what_is_not_ours_plays_interpreted() -> None:
    """A policy gets no table that it could look under or write to."""

    def policy(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return legal_moves[0]

    quick = [can_be_compiled_partner(find_strategy(partner)) for partner in ("random", "piers")]
    assert quick == [True, True]
    assert not can_be_compiled_partner(find_strategy(policy))
    assert not can_be_compiled_partner(find_strategy("search"))
