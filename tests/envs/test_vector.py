"""The vector environment against Gymnasium's own, made of single environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from hanabilab.envs.gymnasium import ID, HanabiEnv
from hanabilab.envs.vector import HanabiVectorEnv
from hanabilab.errors import ActionError, HanabiError

POPULATION = {"iggi": 2, "piers": 1, "random": 3.5}
SETTINGS: dict[str, Any] = {"players": 3, "partners": POPULATION, "seat": 1, "lives": 2}


def assert_same(ours: Any, theirs: Any) -> None:
    """Compare what two environments returned, masks and all."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for name in theirs:
            assert_same(ours[name], theirs[name])
    elif isinstance(theirs, np.ndarray) and theirs.dtype == object:
        assert [np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)] == [True] * 3
    else:
        assert np.array_equal(ours, theirs)


def legal(infos: dict[str, Any], rng: np.random.Generator) -> Any:
    masks = infos["action_mask"] + rng.random(infos["action_mask"].shape) * 0.5
    return masks.argmax(axis=1)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("reward", ["difference", "final"])
def test_it_plays_the_games_of_single_environments(mode: AutoresetMode, reward: str) -> None:
    settings = {**SETTINGS, "reward": reward, "keep_points": reward == "final"}
    ours = HanabiVectorEnv(3, autoreset_mode=mode, **settings)
    theirs = SyncVectorEnv([lambda: HanabiEnv(**settings)] * 3, autoreset_mode=mode)
    assert ours.single_action_space == theirs.single_action_space
    assert ours.observation_space == theirs.observation_space
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    rng = np.random.default_rng(1)
    seen, infos = ours.reset(seed=7)
    first, about = theirs.reset(seed=7)
    assert_same({"seen": seen, **infos}, {"seen": first, **about})
    finished = 0
    for _ in range(60):
        actions = legal(infos, rng)
        *results, infos = ours.step(actions)
        *expected, about = theirs.step(actions)
        for one, other in zip(results, expected, strict=True):
            assert_same(one, other)
        assert_same(infos, about)
        done = results[2]
        finished += int(done.sum())
        if mode == AutoresetMode.DISABLED and done.any():
            with pytest.raises(ActionError, match=r"game \d of 3 is over: reset that place first"):
                ours.step(legal(infos, rng))
            again = {"reset_mask": done}
            seen, infos = ours.reset(options=again)
            assert_same(seen, theirs.reset(options=again)[0])
    assert finished > 5
    assert_same(ours.reset(seed=[4, 2, 9])[0], theirs.reset(seed=[4, 2, 9])[0])
    assert_same(ours.reset()[0], theirs.reset()[0])
    assert_same(ours.reset(seed=[5, None, 6])[0], theirs.reset(seed=[5, None, 6])[0])


def test_gymnasium_makes_it() -> None:
    envs = gymnasium.make_vec(
        ID, num_envs=4, vectorization_mode="vector_entry_point", players=2, partners="iggi"
    )
    seen, infos = envs.reset(seed=1)
    assert seen in envs.observation_space
    actions = envs.action_space.sample(tuple(infos["action_mask"]))
    seen, rewards, *_ = envs.step(actions)
    assert (seen in envs.observation_space, rewards.shape) == (True, (4,))
    envs.close()


def test_everyone_learns_without_partners() -> None:
    envs = HanabiVectorEnv(2, players=2, autoreset_mode="SameStep")
    envs.reset(seed=3)
    assert envs.batch.current_players.tolist() == [0, 0]
    envs.step([5, 5])
    assert envs.batch.current_players.tolist() == [1, 1]


def test_bad_calls() -> None:
    with pytest.raises(HanabiError, match="unknown autoreset_mode 'never'; expected one of"):
        HanabiVectorEnv(2, autoreset_mode="never")
    envs = HanabiVectorEnv(2)
    with pytest.raises(HanabiError, match="no game has started: call reset first"):
        envs.step([5, 5])
    with pytest.raises(HanabiError, match="seed: 3 seeds for 2 places"):
        envs.reset(seed=[1, 2, 3])
    with pytest.raises(HanabiError, match="options: unknown 'mask'; expected reset_mask"):
        envs.reset(options={"mask": [True, True]})
    with pytest.raises(HanabiError, match="reset_mask: expected 2 booleans"):
        envs.reset(options={"reset_mask": np.zeros(2, bool)})
