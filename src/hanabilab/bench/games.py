"""Benchmarks: how many games a second.

Every figure is the best of a few short repetitions, after a warm-up that compiles: on a machine
that also does other things, the best is what repeats.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from hanabilab.errors import RulesError, StrategyError
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules, preset
from hanabilab.lab.open_games.winnable import DeckRun
from hanabilab.lab.results import PLAYERS, distinct, playing
from hanabilab.solver.decide import ask_sat
from hanabilab.solver.kernels.quick import UNDECIDED, decide_range
from hanabilab.solver.position import Position
from hanabilab.strategies import find_strategy
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.loop import play_chunk

__all__ = [
    "Speed",
    "bench_engine",
    "bench_solver",
    "bench_strategies",
    "speed_of",
    "speed_up",
]

SECONDS = 0.3
REPETITIONS = 3
SEED = 1

Played = Callable[[int], int]
"""Plays so many games; the answer is the number of turns."""

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast games were played."""

    games_per_second: float
    turns_per_second: float

    def to_dict(self) -> dict[str, float]:
        """The figures as plain data."""
        return {
            "games_per_second": self.games_per_second,
            "turns_per_second": self.turns_per_second,
        }


def measure(
    play: Played,
    *,
    seconds: float = SECONDS,
    repetitions: int = REPETITIONS,
    clock: Clock = time.perf_counter,
) -> Speed:
    """The best of some repetitions, each about as long as asked for."""
    games, spent = 1, 0.0
    while True:
        spent, _ = _timed(play, games, clock)
        if spent >= seconds / 4:
            break
        games *= 4
    games = max(1, round(games * seconds / spent))
    spent, turns = min(_timed(play, games, clock) for _ in range(repetitions))
    return Speed(games / spent, turns / spent)


def _timed(play: Played, games: int, clock: Clock = time.perf_counter) -> tuple[float, int]:
    start = clock()
    turns = play(games)
    return clock() - start, turns


def _our_games(rules: Rules, team: Sequence[Strategy]) -> Played:
    play_chunk(rules, team, SEED, 0, 0)  # compiles

    def play(games: int) -> int:
        return int(play_chunk(rules, team, SEED, 0, games)[:, 1].sum())

    return play


def speed_of(strategy: str | Strategy, rules: Rules, **settings: Any) -> Speed:
    """One strategy on one thread."""
    team = [find_strategy(strategy)] * rules.players
    return measure(_our_games(rules, team), **settings)


def bench_engine(**settings: Any) -> dict[int, Speed]:
    """Uniformly random legal games under the rules of the Hanabi Learning Environment."""
    return {players: speed_of("random", preset("hle", players), **settings) for players in PLAYERS}


def bench_strategies(
    strategies: Sequence[str] | None = None, **settings: Any
) -> dict[str, dict[int, Speed]]:
    """Every strategy at every number of players, under the rules that it was made for."""
    found = distinct(playing()) if not strategies else [find_strategy(name) for name in strategies]
    speeds: dict[str, dict[int, Speed]] = {}
    for strategy in found:
        if not strategy.can_compile:
            raise StrategyError(f"{strategy.name} is not compiled: there is nothing to measure")
        for players in PLAYERS:
            try:
                rules = preset(strategy.home_rules, players)
            except RulesError:
                continue
            if strategy.unfit(rules) is None:
                speed = speed_of(strategy, rules, **settings)
                speeds.setdefault(strategy.label, {})[players] = speed
    return speeds


def speed_up(
    strategy: str | Strategy, rules: Rules, threads: int = 2, repetitions: int = 5
) -> float:
    """How much more several threads play than one, in the same time (best of a few)."""
    team = [find_strategy(strategy)] * rules.players
    play = _our_games(rules, team)
    games = max(1, round(measure(play, repetitions=1).games_per_second / 2))
    alone = min(_timed(play, games)[0] for _ in range(repetitions))
    with ThreadPoolExecutor(threads) as pool:

        def together(games: int) -> int:
            return sum(pool.map(play, [games] * threads))

        crowd = min(_timed(together, games)[0] for _ in range(repetitions))
    return threads * alone / crowd


def _warm_up(run: DeckRun) -> None:
    """Compile the quick ways, and load the slow one if it is there."""
    decide_range(run.rules, SEED, 0, 100)
    run.decide(0)
    ask_sat(Position.start(Deck.shuffled(run.rules, seed=SEED)), 1, None)


def bench_solver(players: int, decks: int = 20_000) -> dict[str, float]:
    """How fast random decks are decided, one after the other, with the few that need SAT."""
    import numpy as np

    rules = preset("classic", players)
    run = DeckRun(rules, SEED, 0, decks, time_limit=60.0)
    _warm_up(run)
    methods, seconds = decide_range(rules, SEED, 0, decks)
    undecided = 0
    slow = np.flatnonzero(methods == UNDECIDED).tolist()
    for number in slow:
        start = time.perf_counter()
        undecided += run.decide(number).get("undecided", 0)
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
