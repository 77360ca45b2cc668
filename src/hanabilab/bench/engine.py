"""`bench engine`: uniformly random legal games, in this package and in other programs.

Other programs play the same kind of games, random legal actions under the same rules, driven from
Python as in their own examples.
"""

from __future__ import annotations

import functools
import importlib
import random
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import NamedTuple, Unpack

from hanabilab.bench.measurements import SEED, Speed, Timing, Workload, measure_all
from hanabilab.bench.workloads import speed_of
from hanabilab.game.rules import preset
from hanabilab.lab.results_table import PLAYERS

__all__ = [
    "PEERS",
    "Peer",
    "bench_engine",
    "bench_peers",
    "measure_peers",
    "open_spiel",
    "peer_games",
]


class Peer(NamedTuple):
    """Another program: the module to import, and its workload."""

    module: str
    games: Callable[[ModuleType, int], Workload]


def measure_peers(
    peers: Mapping[str, Peer], **timing: Unpack[Timing]
) -> dict[str, dict[int, Speed] | None]:
    """Return speeds by program and players; None for a program that is not installed."""
    return {name: _speeds(peer, timing) for name, peer in peers.items()}


def peer_games(peer: Peer, players: int) -> Workload:
    """Return the workload of another program; raise if it is not installed."""
    return peer.games(importlib.import_module(peer.module), players)


def _speeds(peer: Peer, timing: Timing) -> dict[int, Speed] | None:
    try:
        return measure_all(functools.partial(peer_games, peer), **timing)
    except (ImportError, OSError, RuntimeError):  # absent, or built without Hanabi
        return None


def open_spiel(module: ModuleType, players: int, *, observing: bool = False) -> Workload:
    """Return random games in OpenSpiel, optionally with the observation of the player to move."""
    game = module.load_game("hanabi", {"players": players})
    rng = random.Random(SEED)

    def play(games: int) -> int:
        turns = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(outcomes, chances)[0])
                else:
                    if observing:
                        state.observation_tensor(state.current_player())
                    state.apply_action(rng.choice(state.legal_actions()))
                    turns += 1
        return turns

    return play


def bench_engine(**timing: Unpack[Timing]) -> dict[int, Speed]:
    """Measure random games under the rules of the Hanabi Learning Environment."""
    return {players: speed_of("random", preset("hle", players), **timing) for players in PLAYERS}


def _learning_environment(module: ModuleType, players: int) -> Workload:
    game = module.HanabiGame({"players": players, "seed": SEED})
    rng = random.Random(SEED)

    def play(games: int) -> int:
        turns = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.cur_player() == module.CHANCE_PLAYER_ID:
                    state.deal_random_card()
                else:
                    state.apply_move(rng.choice(state.legal_moves()))
                    turns += 1
        return turns

    return play


PEERS = {
    "hanabi_learning_environment": Peer(
        "hanabi_learning_environment.pyhanabi", _learning_environment
    ),
    "open_spiel": Peer("pyspiel", open_spiel),
}


def bench_peers(**timing: Unpack[Timing]) -> dict[str, dict[int, Speed] | None]:
    """Measure the same games in other programs; None for those not installed."""
    return measure_peers(PEERS, **timing)
