"""How many steps a second the environments take, ours and others, with uniformly random play.

Choosing actions and starting new games is part of every figure. Everything runs on one thread under
the rules hle and is measured as in `hanabilab.bench.games`, but in processor time: environments are
often tried beside a training run that fills the machine.
"""

from __future__ import annotations

import functools
import importlib
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hanabilab.bench.games import SEED, Played, measure
from hanabilab.bench.peers import open_spiel
from hanabilab.envs import hle
from hanabilab.envs.batch import BatchEnv
from hanabilab.lab.results import PLAYERS

__all__ = ["GAMES", "OTHERS", "OURS", "bench_envs"]

GAMES = 256
"""How many games a batch plays at once."""


def _batch(players: int, **settings: Any) -> Played:
    env = BatchEnv(GAMES, players, seed=SEED, **settings)
    out, actions = env.buffers(), np.zeros(GAMES, np.int64)
    env.step(env.sample(out=actions), out=out)  # compiles

    def play(steps: int) -> int:
        for _ in range(steps):
            env.step(env.sample(out=actions), out=out)
        return steps * GAMES

    return play


def _rl_env(module: Any, players: int) -> Played:
    env = module.HanabiEnv({"players": players, "seed": SEED})
    coins = random.Random(SEED)

    def play(games: int) -> int:
        turns = 0
        for _ in range(games):
            observation, done = env.reset(), False
            while not done:
                seen = observation["player_observations"][observation["current_player"]]
                action = coins.choice(seen["legal_moves_as_int"])
                observation, _, done, _ = env.step(action)
                turns += 1
        return turns

    return play


def _aec(env: Any) -> Played:
    coins = random.Random(SEED)

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
                env.step(coins.choice(np.flatnonzero(mask).tolist()))
                turns += 1
        return turns

    return play


OURS: dict[str, Callable[[int], Played]] = {
    "BatchEnv, no encoding": lambda players: _batch(players, observation=None),
    "BatchEnv, canonical": _batch,
    "hle, all players": lambda players: _rl_env(hle, players),
}
"""Our environments and what they encode at every step."""

OTHERS: dict[str, tuple[str, Callable[[Any, int], Played]]] = {
    "hanabilab.envs.pettingzoo": (
        "hanabilab.envs.pettingzoo",
        lambda module, players: _aec(module.env(players=players)),
    ),
    "hanabi_learning_environment": ("hanabi_learning_environment.rl_env", _rl_env),
    "open_spiel": ("pyspiel", functools.partial(open_spiel, observing=True)),
    "pettingzoo": (
        "pettingzoo.classic.hanabi_v5",
        lambda module, players: _aec(module.env(players=players)),
    ),
}
"""What depends on other libraries: the module to import, and how to play with it."""


def bench_envs(**settings: Any) -> dict[str, dict[int, float] | None]:
    """Steps a second for 2 to 5 players, by name; None for what is not installed here."""
    speeds: dict[str, dict[int, float] | None] = {}
    for name, player in OURS.items():
        speeds[name] = _speeds(player, settings)
    for name, (module, other) in OTHERS.items():
        try:
            found = importlib.import_module(module)
            speeds[name] = _speeds(functools.partial(other, found), settings)
        except (ImportError, OSError, RuntimeError):  # absent, or built without Hanabi
            speeds[name] = None
    return speeds


def _speeds(player: Callable[[int], Played], settings: dict[str, Any]) -> dict[int, float]:
    return {
        players: measure(player(players), clock=time.process_time, **settings).turns_per_second
        for players in PLAYERS
    }
