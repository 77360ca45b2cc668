"""`bench solver`: how fast random decks are decided."""

from __future__ import annotations

import time

import numpy as np

from hanabilab.bench.measure import SEED
from hanabilab.game.deck import Deck
from hanabilab.game.rules import preset
from hanabilab.lab.open_games.winnable import DeckRun
from hanabilab.solver.decide import ask_sat
from hanabilab.solver.kernels.quick import UNDECIDED, decide_range
from hanabilab.solver.position import Position

__all__ = ["bench_solver"]


def bench_solver(players: int, decks: int = 20_000) -> dict[str, float]:
    """Measure how fast random decks are decided in turn, with the few that need SAT."""
    rules = preset("classic", players)
    run = DeckRun(rules, SEED, 0, decks, time_limit=60.0)
    _warm_up(run)
    methods, seconds = decide_range(rules, SEED, 0, decks)
    undecided = 0
    slow = np.flatnonzero(methods == UNDECIDED).tolist()
    for number in slow:
        start = time.perf_counter()
        undecided += run.decide(number, left_open=True).get("undecided", 0)
        seconds[number] += time.perf_counter() - start
    milliseconds = 1000 * seconds
    return {
        "decks_per_second": decks / float(seconds.sum()),
        "median_ms": float(np.median(milliseconds)),
        "p99_ms": float(np.percentile(milliseconds, 99)),
        "max_ms": float(milliseconds.max()),
        "slowly_decided": len(slow),
        "undecided": undecided,
    }


def _warm_up(run: DeckRun) -> None:
    """Compile the quick ways, and load the slow one if it is installed."""
    decide_range(run.rules, SEED, 0, 100)
    run.decide(0, left_open=False)
    ask_sat(Position.start(Deck.shuffled(run.rules, seed=SEED)), 1, None)
