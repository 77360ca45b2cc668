"""`bench engine`: uniformly random legal games, beside other programs.

The others play the same games: random legal actions under the same rules, driven from Python as
their own examples do.
"""

from __future__ import annotations

import random
from types import ModuleType
from typing import Unpack

from hanabilab.bench.measure import SEED, Played, Speed, Timing
from hanabilab.bench.peers import Peer, measure_peers, open_spiel
from hanabilab.bench.strategies import speed_of
from hanabilab.game.rules import preset
from hanabilab.lab.results import PLAYERS

__all__ = ["PEERS", "bench_engine", "bench_peers"]


def bench_engine(**timing: Unpack[Timing]) -> dict[int, Speed]:
    """Measure random games under the rules of the Hanabi Learning Environment."""
    return {players: speed_of("random", preset("hle", players), **timing) for players in PLAYERS}


def _learning_environment(module: ModuleType, players: int) -> Played:
    game = module.HanabiGame({"players": players, "seed": SEED})
    coins = random.Random(SEED)

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


PEERS = {
    "hanabi_learning_environment": Peer(
        "hanabi_learning_environment.pyhanabi", _learning_environment
    ),
    "open_spiel": Peer("pyspiel", open_spiel),
}


def bench_peers(**timing: Unpack[Timing]) -> dict[str, dict[int, Speed] | None]:
    """Measure the same games in other programs; None for what is not installed."""
    return measure_peers(PEERS, **timing)
