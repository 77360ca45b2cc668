"""Other programs that play Hanabi, to be measured beside ours where they are installed.

They play the same games: uniformly random legal actions under the same rules, driven from
Python as their own examples do.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

from hanabilab.bench.games import Played, Speed, measure
from hanabilab.lab.results import PLAYERS

__all__ = ["RIVALS", "bench_rivals", "open_spiel"]


def _learning_environment(module: ModuleType, players: int) -> Played:
    game = module.HanabiGame({"players": players, "seed": 1})
    coins = random.Random(1)

    def play(games: int) -> int:
        turns = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.cur_player() == module.CHANCE_PLAYER_ID:
                    state.deal_random_card()
                else:
                    state.apply_move(coins.choice(state.legal_moves()))
                    turns += 1
        return turns

    return play


def open_spiel(module: ModuleType, players: int, *, observing: bool = False) -> Played:
    """Random games in OpenSpiel, on request with the vector of the player to move."""
    game = module.load_game("hanabi", {"players": players})
    coins = random.Random(1)

    def play(games: int) -> int:
        turns = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(coins.choices(outcomes, chances)[0])
                else:
                    if observing:
                        state.observation_tensor(state.current_player())
                    state.apply_action(coins.choice(state.legal_actions()))
                    turns += 1
        return turns

    return play


RIVALS: dict[str, tuple[str, Callable[[Any, int], Played]]] = {
    "hanabi_learning_environment": (
        "hanabi_learning_environment.pyhanabi",
        _learning_environment,
    ),
    "open_spiel": ("pyspiel", open_spiel),
}
"""The name of each, the module to import, and how to play with it."""


def bench_rivals(**settings: Any) -> dict[str, dict[int, Speed] | None]:
    """The same measurement as `bench_engine`; None for what is not installed."""
    speeds: dict[str, dict[int, Speed] | None] = {}
    for name, (module, player) in RIVALS.items():
        try:
            found = importlib.import_module(module)
            speeds[name] = {
                players: measure(player(found, players), **settings) for players in PLAYERS
            }
        except (ImportError, OSError, RuntimeError):  # absent, or built without Hanabi
            speeds[name] = None
    return speeds
