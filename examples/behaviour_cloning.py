"""A policy that imitates: recorded games, ten lines of learning, and a seat at the table.

    python examples/behaviour_cloning.py

A network with one hidden layer learns from observations what iggi does, is asked about games that
it has not seen, and then plays itself. Points are kept when the last life is lost.
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import numpy as np

import hanabilab as hl

RULES = hl.preset("hle", 2, keep_score=True)
HIDDEN, STEP = 128, 0.3


def main(games: int = 2000, epochs: int = 4, test_games: int = 100) -> tuple[float, float]:
    """Record games, train on them, and return the accuracy and the mean score."""
    with tempfile.TemporaryDirectory() as folder:
        hl.dataset.make("iggi", games=games, rules=RULES, out=folder)
        train, test = hl.dataset.load(folder).split(0.9, 0.1)
        bits, actions = train.schema.bits, train.schema.actions
        first = np.random.default_rng(1).normal(0, 0.08, (bits, HIDDEN)).astype(np.float32)
        second = np.zeros((HIDDEN, actions), np.float32)
        for epoch in range(epochs):
            for batch in train.batches(128, dtype="float32", shuffle=epoch):
                hidden = np.maximum(batch["observation"] @ first, 0)
                worth = np.where(batch["legal"], hidden @ second, -np.inf)
                chances = np.exp(worth - worth.max(axis=1, keepdims=True))
                slope = chances / chances.sum(axis=1, keepdims=True)
                slope[np.arange(len(slope)), batch["action"]] -= 1
                slope *= STEP / len(slope)
                first -= batch["observation"].T @ (slope @ second.T * (hidden > 0))
                second -= hidden.T @ slope
        same = []
        for batch in test.batches(4096, dtype="float32"):
            worth = np.maximum(batch["observation"] @ first, 0) @ second
            same += (np.where(batch["legal"], worth, -np.inf).argmax(1) == batch["action"]).tolist()

    def clone(observation: dict[str, Any], legal_moves: list[int]) -> int:
        worth = np.maximum(observation["observation"] @ first, 0) @ second
        return max(legal_moves, key=lambda move: float(worth[move]))

    print(f"the same move as iggi in {np.mean(same):.0%} of {len(same):,} turns")
    for team in ("random", "iggi", clone):
        result = hl.simulate(team, games=test_games, seed=7, rules=RULES)
        print(f"{result.strategy}: {result}")
    return float(np.mean(same)), result.mean


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
