"""A policy that learns: from random moves to a linear softmax, in less than a minute.

    python examples/linear_policy.py

It does not play well, but it shows the whole loop: many games at once in `BatchEnv`, a gradient in
NumPy (REINFORCE, Williams 1992), and the learned policy at our own tables, beside strategies.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hanabilab as hl
from hanabilab.envs import BatchEnv

Floats = NDArray[np.float32]

PLAYERS = 2
STEP, DECAY = 0.01, 0.95


class LinearPolicy:
    """Chooses legal moves with probabilities proportional to exp(weights · observation)."""

    def __init__(self, weights: Floats) -> None:
        self.weights = weights

    def __call__(self, observation: dict[str, Any], legal_moves: list[int]) -> int:
        """Choose a move; every table of ours calls a policy like this."""
        vector = observation["observation"][None].astype(np.float32)
        mask = observation["action_mask"][None].astype(bool)
        rng = np.random.default_rng(observation["seed"])
        return int(choose(chances(vector, mask, self.weights), rng)[0])


def chances(vectors: Floats, masks: NDArray[np.bool_], weights: Floats) -> Floats:
    """Return the probability of each move, a row for each game."""
    worth = np.where(masks, vectors @ weights[:-1] + weights[-1], -np.inf)
    powers = np.exp(worth - worth.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


def choose(likely: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a move for each game."""
    reached = likely.cumsum(axis=1) > rng.random((len(likely), 1)) * 0.999999
    return np.asarray(reached.argmax(axis=1), np.int64)


def random_scores(env: BatchEnv) -> float:
    """Return the mean score of the first game of each place, played at random."""
    env.reset()
    while (env.final_scores < 0).any():
        env.step(env.sample())
    return float(env.final_scores.mean())


def play_episodes(env: BatchEnv, weights: Floats, rng: np.random.Generator) -> tuple[Any, ...]:
    """Play one game at each place: vectors, gradients of the moves, rewards, who played."""
    vectors, masks = env.reset(int(rng.integers(1 << 40)))
    seen, slopes, rewards, playing = [], [], [], []
    alive = np.ones(env.num_envs, bool)
    while alive.any():
        likely = chances(vectors, masks, weights)
        moves = choose(likely, rng)
        slope = -likely
        slope[np.arange(env.num_envs), moves] += 1
        seen.append(vectors)
        slopes.append(slope)
        playing.append(alive)
        vectors, reward, done, masks = env.step(moves)
        rewards.append(reward * alive)
        alive = alive & ~done
    return seen, slopes, np.array(rewards), np.array(playing)


def gradient(episodes: tuple[Any, ...], shape: tuple[int, ...]) -> Floats:
    """Return the policy gradient: moves before more points than usual become likelier."""
    seen, slopes, rewards, playing = episodes
    ahead = rewards[::-1].cumsum(axis=0)[::-1]
    usual = ahead.sum(axis=1, keepdims=True) / playing.sum(axis=1, keepdims=True)
    worth = (ahead - usual) * playing / playing.sum()
    total = np.zeros(shape, np.float32)
    for vectors, slope, weight in zip(seen, slopes, worth.astype(np.float32), strict=True):
        weighted = slope * weight[:, None]
        total[:-1] += vectors.T @ weighted
        total[-1] += weighted.sum(axis=0)
    return total


def train(env: BatchEnv, updates: int, seed: int = 1) -> Floats:
    """Play, look back and adjust the weights, again and again."""
    rng = np.random.default_rng(seed)
    weights = np.zeros((env.observation_length + 1, env.num_actions), np.float32)
    squares = np.zeros_like(weights)
    for update in range(1, updates + 1):
        episodes = play_episodes(env, weights, rng)
        slope = gradient(episodes, weights.shape)
        squares = DECAY * squares + (1 - DECAY) * slope**2
        weights += STEP * slope / (np.sqrt(squares) + 1e-6)
        if update % max(1, updates // 8) == 0:
            mean = episodes[2].sum(axis=0).mean()
            print(f"after {update * env.num_envs:>7,} games: {mean:5.2f} points a game")
    return weights


def main(arguments: list[str] | None = None) -> LinearPolicy:
    """Train a policy, print its scores, and return it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=512, help="at once, default 512")
    parser.add_argument("--updates", type=int, default=48, help="default 48")
    parser.add_argument("--test-games", type=int, default=100, help="default 100")
    chosen = parser.parse_args(arguments)
    # Points are kept when the last life is lost: otherwise random play would never see any.
    env = BatchEnv(chosen.games, PLAYERS, dtype="float32", keep_points=True)
    print(f"random moves: {random_scores(env):.2f} points a game")
    policy = LinearPolicy(train(env, chosen.updates))
    for team in ("random", policy, [policy, "iggi"]):
        result = hl.simulate(team, games=chosen.test_games, seed=7, rules=env.rules)
        print(f"{result.strategy}: {result}")
    return policy


if __name__ == "__main__":
    main()
