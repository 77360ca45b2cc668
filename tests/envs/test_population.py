"""Partners of a learner in many games at once, against the environment of one game."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest

import hanabilab as hl
import hanabilab.author as ha
from hanabilab import preset
from hanabilab.core.kernel import kernel
from hanabilab.envs import BatchEnv
from hanabilab.envs.gymnasium import HanabiEnv
from hanabilab.envs.population import Population
from hanabilab.errors import HanabiError, StrategyError
from hanabilab.game.actions import play_slot
from hanabilab.game.state import View
from hanabilab.strategies.strategy import Memory


def newest(observation: dict[str, Any], legal_moves: list[int]) -> int:
    """Choose by chance, but always the same in the same game."""
    return legal_moves[int(observation["seed"]) % len(legal_moves)]


class Watcher:
    """Remembers how many turns it has seen, and acts on that."""

    def __init__(self) -> None:
        self.seen = 0

    def observe(self, view: View, event: Any) -> None:
        self.seen += 1

    def act(self, view: View) -> int:
        assert self.seen == view.turn
        return int(play_slot(view, self.seen % view.hand_count[view.observer]))


class Last:
    """The last legal move, for one game or for many."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, observation: dict[str, Any], legal_moves: list[int]) -> int:
        return legal_moves[-1]

    def act_batch(self, observations: Any, action_masks: Any) -> Any:
        self.asked.append(len(observations))
        assert observations.shape[1] > 900
        return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)


def compare_with_single_games(partners: Any, steps: int, **settings: Any) -> list[int]:
    """Play with partners in three games at once and in one at a time; return who they were."""
    settings = {"players": 3, "lives": 2, "partners": partners, **settings}
    batch = BatchEnv(3, seed=[4, 5, 6], **settings)
    singles = [HanabiEnv(**settings) for _ in range(3)]
    seen = [env.reset(seed=seed)[0] for env, seed in zip(singles, (4, 5, 6), strict=True)]
    assert np.array_equal(batch.encode(), seen)
    teams: list[int] = batch.teams.tolist()
    for _ in range(steps):
        actions = batch.sample()
        observations, rewards, done, masks = batch.step(actions)
        for place, env in enumerate(singles):
            vector, reward, over, _, _ = env.step(actions[place])
            assert (reward, over) == (rewards[place], done[place])
            if over:
                vector, _ = env.reset()
                teams.append(int(batch.teams[place]))
            assert np.array_equal(observations[place], vector)
            assert np.array_equal(masks[place], env.action_masks())
            assert batch.state(place) == env.game.state
    return teams


def test_compiled_partners_play_as_with_one_learner() -> None:
    partners = {("information", "random"): 1, "piers": 2, "information": 1}
    for seat in (0, 2):
        assert set(compare_with_single_games(partners, 50, seat=seat)) == {0, 1, 2}


def test_partners_that_python_asks() -> None:
    partners = {("iggi", newest): 1, Watcher: 1, Last(): 1, "random": 1}
    assert set(compare_with_single_games(partners, 40, seat=1)) == {0, 1, 2, 3}


def test_a_policy_for_many_games_is_asked_once() -> None:
    last = Last()
    env = BatchEnv(5, 3, partners=last, seat=0)
    env.step(env.sample())
    assert last.asked == [5, 5]


@pytest.mark.parametrize("kind", ["canonical", "features"])
def test_a_policy_for_many_games_observes_what_it_asks_for(kind: str) -> None:
    class Digits:
        """Choose by every entry of the vector."""

        observation_kind = kind

        def __call__(self, observation: dict[str, Any], legal_moves: list[int]) -> int:
            mask = observation["action_mask"][None].astype(bool)
            return int(self.act_batch(observation["observation"][None], mask)[0])

        def act_batch(self, observations: Any, action_masks: Any) -> Any:
            length = observations.shape[1]
            assert (length > 1200) == (kind == "features")
            digits = observations @ np.arange(1, length + 1)
            worth = (np.arange(action_masks.shape[1]) - digits[:, None]) % 97 + 1
            return (worth * action_masks).argmax(1)

    compare_with_single_games(Digits(), 20, seat=1)


def test_weights_are_chances() -> None:
    population = Population({"iggi": 2, "piers": 1, "random": 1}, preset("hle", 2))
    drawn = Counter(population.draw(3, game) for game in range(4000))
    # Each count is binomial: four standard deviations, a false alarm in 5,000 other seeds.
    for team, expected in enumerate((2000, 1000, 1000)):
        assert abs(drawn[team] - expected) < 4 * 32
    env = BatchEnv(2000, 2, seed=3, partners={"iggi": 2, "piers": 1, "random": 1})
    assert env.teams.tolist() == [population.draw(3, game) for game in range(2000)]


def test_what_is_wrong_with_partners_is_said_at_once() -> None:
    partners: Any
    for partners, message in (
        ({}, "partners: an empty dictionary"),
        ({"piers": 0}, "partners: the weight of 'piers', 0, is not a positive number"),
        ({"piers": "much"}, "the weight of 'piers', 'much', is not"),
        ({"piers": float("nan")}, "is not a positive number"),
        ({"pierce": 1}, "unknown strategy 'pierce'"),
        ({("iggi",) * 3: 1}, "3 strategies for 2 players"),
        ({"duo": 1}, "cannot play this"),
    ):
        for make in (HanabiEnv, lambda **settings: BatchEnv(2, **settings)):
            with pytest.raises(StrategyError, match=message):
                make(players=3, partners=partners)
    assert HanabiEnv(partners={"piers": 0.5}).partners[0].name == "piers"
    with pytest.raises(HanabiError, match="seat: 3 is neither a player from 0 to 2 nor 'random'"):
        BatchEnv(2, 3, partners="iggi", seat=3)


def test_partners_who_do_wrong_are_named() -> None:
    env = BatchEnv(2, 2, partners=lambda observation, legal_moves: 99, seed=4)
    with pytest.raises(StrategyError, match="chose action 99 in turn 2 of game 0 of seed 4"):
        env.step(env.sample())

    class Wrong(Last):
        def act_batch(self, observations: Any, action_masks: Any) -> Any:
            return np.zeros(len(observations)) if self.asked else [20] * len(observations)

    wrong = Wrong()
    env = BatchEnv(2, 2, partners=wrong, seed=4)
    with pytest.raises(StrategyError, match="player 1, chose action 20 in turn 2 of game 0"):
        env.step(env.sample())
    wrong.asked.append(0)
    with pytest.raises(StrategyError, match="act_batch: expected 2 integers"):
        BatchEnv(2, 2, partners=wrong, seed=4, seat=1)


@kernel
def divides_by_zero(view: View, memory: Memory) -> int:
    """Fail from the third turn on."""
    return 5 + 1 // max(0, 2 - view.turn)


def test_compiled_partners_from_outside_are_watched() -> None:
    env = BatchEnv(2, 2, partners=ha.Strategy("divider", divides_by_zero), seed=4, lives=9)
    env.step([5, 5])
    with pytest.raises(StrategyError, match="divider, player 1, failed in turn 4 of game 0 of see"):
        env.step([5, 5])


def plays_first(observation: dict[str, Any], legal_moves: list[int]) -> int:
    """Play the only card."""
    return 1


@kernel
def plays_first_quickly(view: View, memory: Memory) -> int:
    """Play the same games compiled."""
    return 1


def test_games_that_end_before_the_learner_acts() -> None:
    def plays_oldest(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return 5

    compare_with_single_games(plays_oldest, 20, players=2, lives=1, seat=1)
    lost: dict[str, Any] = {"suits": 1, "ranks": 3, "copies": (0, 1, 1), "hand_size": 1, "lives": 1}
    for partner in (plays_first, ha.Strategy("first", plays_first_quickly)):
        with pytest.raises(StrategyError, match="player 1, the learner, never gets a turn"):
            BatchEnv(1, 2, partners=partner, seat=1, **lost)


def test_copies_and_snapshots_remember() -> None:
    env = BatchEnv(4, 3, seed=2, partners={"information": 1, "piers": 1}, seat="random")
    for _ in range(8):
        env.step(env.sample())
    saved, copied = env.snapshot(), env.copy()
    pickled = pickle.loads(pickle.dumps(env))
    later = [env.step(env.sample()) for _ in range(20)]
    env.restore(saved)
    for twin in (env, copied, pickled):
        for one, other in zip(later, [twin.step(twin.sample()) for _ in range(20)], strict=True):
            assert all(map(np.array_equal, one, other))
    assert set(env.seats.tolist()) <= {0, 1, 2}
    assert len(set(BatchEnv(40, 3, partners="iggi", seat="random").seats.tolist())) == 3
    with pytest.raises(HanabiError, match="partners that act in Python cannot be saved"):
        BatchEnv(2, 2, partners=newest).snapshot()
    with pytest.raises(HanabiError, match="the partners have not seen that game"):
        env.set_game(0, hl.Game(env.rules))
