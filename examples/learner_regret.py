"""A tabular learner on a game whose optimum is known, and how far from it the learner ends.

    python examples/learner_regret.py p2-h1-s2-c21-t1-l1 --games 200000

All players share a table of action values, one row for each observation. Values are means of final
scores (every-visit Monte Carlo); actions are greedy but for some exploration that fades out. The
regret is the known optimum minus the mean of the last tenth of the games, without exploration.
"""

from __future__ import annotations

import argparse

import numpy as np

from hanabilab.analysis import SmallGame, known_optima
from hanabilab.envs import BatchEnv

PLACES = 256


class Table:
    """Action values by observation, and how often each was updated."""

    def __init__(self, actions: int, best: int) -> None:
        self.actions, self.best = actions, best
        self.rows: dict[bytes, np.ndarray] = {}

    def row(self, observation: bytes) -> np.ndarray:
        """Return the values and counts of an observation; unknown actions look perfect."""
        found = self.rows.get(observation)
        if found is None:
            found = self.rows[observation] = np.array(
                [[self.best] * self.actions, [0.0] * self.actions]
            )
        return found

    def learn(self, visits: list[tuple[bytes, int]], score: float, rate: float) -> None:
        """Move the values of a game's actions towards its score."""
        for observation, action in visits:
            values, counts = self.row(observation)
            counts[action] += 1
            values[action] += max(rate, 1 / counts[action]) * (score - values[action])


def train(name: str, games: int, seed: int = 0) -> tuple[float, float]:
    """Learn for a number of games; return the mean of the last tenth and its standard error."""
    env = BatchEnv(PLACES, rules=name, reward="final", seed=seed)
    rng = np.random.default_rng(seed)
    table = Table(env.num_actions, env.rules.max_score)
    visits: list[list[tuple[bytes, int]]] = [[] for _ in range(PLACES)]
    scores: list[float] = []
    observations, masks = env.reset()
    while len(scores) < games:
        done_part = len(scores) / games
        explore = 0.0 if done_part > 0.9 else 0.1 * (1 - done_part / 0.9)
        actions = np.zeros(PLACES, np.int64)
        for place in range(PLACES):
            legal = np.flatnonzero(masks[place])
            seen = observations[place].tobytes()
            values = table.row(seen)[0][legal]
            best = legal[np.argmax(values)]
            actions[place] = rng.choice(legal) if rng.random() < explore else best
            visits[place].append((seen, int(actions[place])))
        observations, rewards, done, masks = env.step(actions)
        for place in np.flatnonzero(done):
            score = float(np.max(rewards[place]))
            scores.append(score)
            if done_part <= 0.9:
                table.learn(visits[place], score, rate=0.02)
            visits[place] = []
    last = np.array(scores[-games // 10 :])
    return float(last.mean()), float(last.std() / len(last) ** 0.5)


def main() -> None:
    """Train on a game and print the regret."""
    parser = argparse.ArgumentParser(description="The regret of a tabular learner.")
    parser.add_argument("game", nargs="?", default="p2-h1-s2-c21-t1-l1")
    parser.add_argument("--games", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    mean, error = train(arguments.game, arguments.games, arguments.seed)
    optimum = known_optima()[SmallGame.named(arguments.game)].value
    print(f"optimum {optimum} = {float(optimum):.4f}")
    print(f"learner {mean:.4f} ± {error:.4f} in the last {arguments.games // 10:,} games")
    print(f"regret  {float(optimum) - mean:.4f}")


if __name__ == "__main__":
    main()
