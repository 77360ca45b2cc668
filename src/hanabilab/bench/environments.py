"""`bench envs`: steps per second of our environments and others', with random play.

Choosing actions and starting new games is included. Everything runs on one thread under the rules
`hle`. Unlike the other benchmarks, this one measures CPU time, because environments often run
beside a training process that uses the whole machine.
"""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, Unpack

import numpy as np

from hanabilab.bench.engine import Peer, measure_peers, open_spiel
from hanabilab.bench.measurements import SEED, Speed, Timing, Workload, measure_all
from hanabilab.envs import hle
from hanabilab.envs.batch import BatchEnv

__all__ = ["GAMES", "OTHERS", "OURS", "bench_envs"]

GAMES = 256
"""Games per batch."""


def _batch(players: int, **settings: Any) -> Workload:
    env = BatchEnv(GAMES, players, seed=SEED, **settings)
    out, actions = env.buffers(), np.zeros(GAMES, np.int64)
    env.step(env.sample(out=actions), out=out)  # compiles

    def play(steps: int) -> int:
        for _ in range(steps):
            env.step(env.sample(out=actions), out=out)
        return steps * GAMES

    return play


def _random_steps(players: int) -> Workload:
    """Play random actions without reading the observations, as baselines and tests do."""
    env = BatchEnv(GAMES, players, seed=SEED, observation=None)
    out = env.random_step(out=env.buffers())  # compiles

    def play(steps: int) -> int:
        for _ in range(steps):
            env.random_step(out=out)
        return steps * GAMES

    return play


def _beside(players: int, **settings: Any) -> Workload:
    """Return steps beside compiled partners; all players' turns count."""
    env = BatchEnv(GAMES, players, seed=SEED, partners="piers", **settings)
    out, actions = env.buffers(), np.zeros(GAMES, np.int64)
    env.step(env.sample(out=actions), out=out)  # compiles

    def play(steps: int) -> int:
        turns = -int(env.turns.sum())
        for _ in range(steps):
            env.step(env.sample(out=actions), out=out)
            turns += int(env.final_turns[out.done].sum())
        return turns + int(env.turns.sum())

    return play


def _rl_env(module: ModuleType, players: int, *, reading_all: bool = False) -> Workload:
    env = module.HanabiEnv({"players": players, "seed": SEED})
    rng = random.Random(SEED)

    def play(games: int) -> int:
        turns = 0
        for _ in range(games):
            observation, done = env.reset(), False
            while not done:
                if reading_all:
                    for seen in observation["player_observations"]:
                        seen.values()
                seen = observation["player_observations"][observation["current_player"]]
                action = rng.choice(seen["legal_moves_as_int"])
                observation, _, done, _ = env.step(action)
                turns += 1
        return turns

    return play


def _aec(env: Any) -> Workload:
    rng = random.Random(SEED)

    def play(games: int) -> int:
        turns = 0
        for game in range(games):
            env.reset(seed=game)
            for _ in env.agent_iter():
                seen, _, ended, cut, info = env.last()
                if ended or cut:
                    env.step(None)
                    continue
                mask = seen["action_mask"] if "action_mask" in seen else info["action_mask"]
                env.step(rng.choice(np.flatnonzero(mask).tolist()))
                turns += 1
        return turns

    return play


def _learner(module: ModuleType, players: int) -> Workload:
    """Return games beside random partners; all players' turns count."""
    env = module.HanabiEnv(players=players, partners="random")
    rng = random.Random(SEED)

    def play(games: int) -> int:
        turns = 0
        for game in range(games):
            (_, info), over = env.reset(seed=game), False
            while not over:
                action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
                _, _, over, _, info = env.step(action)
            turns += info["turn"]
        return turns

    return play


OURS: dict[str, Callable[[int], Workload]] = {
    "BatchEnv, no encoding": lambda players: _batch(players, observation=None),
    "the same, random_step": _random_steps,
    "BatchEnv, canonical": _batch,
    "the same, float32": lambda players: _batch(players, dtype="float32"),
    "BatchEnv beside piers": lambda players: _beside(players, observation=None),
    "the same, canonical": _beside,
    "hle, all players": lambda players: _rl_env(hle, players),
    "hle, every entry read": lambda players: _rl_env(hle, players, reading_all=True),
}
"""Our environments, with what they encode at every step."""

OTHERS = {
    "hanabilab.envs.pettingzoo": Peer(
        "hanabilab.envs.pettingzoo",
        lambda module, players: _aec(module.env(players=players)),
    ),
    "hanabilab.envs.gymnasium": Peer("hanabilab.envs.gymnasium", _learner),
    "hanabi_learning_environment": Peer("hanabi_learning_environment.rl_env", _rl_env),
    "open_spiel": Peer("pyspiel", functools.partial(open_spiel, observing=True)),
    "pettingzoo": Peer(
        "pettingzoo.classic.hanabi_v5",
        lambda module, players: _aec(module.env(players=players)),
    ),
}
"""Environments that depend on other libraries."""


def bench_envs(**timing: Unpack[Timing]) -> dict[str, dict[int, float] | None]:
    """Return steps per second by name and players; None for those not installed."""
    timing = {"clock": time.process_time, **timing}
    ours = {name: measure_all(games, **timing) for name, games in OURS.items()}
    found: dict[str, dict[int, Speed] | None] = {**ours, **measure_peers(OTHERS, **timing)}
    return {
        name: None if speeds is None else {n: speed.turns_per_second for n, speed in speeds.items()}
        for name, speeds in found.items()
    }
