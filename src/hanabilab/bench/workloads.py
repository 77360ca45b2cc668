"""The workloads of `bench strategies`, `bench solver` and `bench dataset`."""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

import numpy as np

from hanabilab.bench.measurements import SEED, Speed, Timing, Workload, measure, measure_all, timed
from hanabilab.core.threads import DaemonThreads, call_in_thread
from hanabilab.errors import StrategyError
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules, preset
from hanabilab.lab.dataset.folder import DatasetFolder
from hanabilab.lab.dataset.make import RecordingWork
from hanabilab.lab.results_table import automatic_strategies, distinct, rules_for
from hanabilab.lab.winnable import DeckRun
from hanabilab.solver.decide import decide_by_sat
from hanabilab.solver.kernels.search import UNDECIDED, decide_range
from hanabilab.solver.position import Position
from hanabilab.strategies import find_strategy
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.loop import play_chunk
from hanabilab.table.play import strategies_for

__all__ = [
    "KINDS",
    "STRATEGY",
    "bench_dataset",
    "bench_solver",
    "bench_strategies",
    "file_games",
    "speed_of",
    "speed_up",
    "strategy_games",
]


def bench_strategies(
    strategies: Sequence[str | Strategy] = (), **timing: Unpack[Timing]
) -> list[tuple[Strategy, dict[int, Speed]]]:
    """Measure strategies at every number of players, under their home rules.

    By default all strategies of the package are measured. Plain Python runs interpreted.
    """
    found = [find_strategy(each) for each in strategies] or distinct(automatic_strategies())
    if any(strategy.name == "human" for strategy in found):
        raise StrategyError("human: people are not measured")
    speeds = []
    for strategy in found:
        tables = list(rules_for(strategy))
        if not tables:
            raise StrategyError(f"{strategy.label} refuses the rules {strategy.home_rules}")
        row = {rules.players: speed_of(strategy, rules, **timing) for rules in tables}
        speeds.append((strategy, row))
    return speeds


def speed_of(strategy: str | Strategy, rules: Rules, **timing: Unpack[Timing]) -> Speed:
    """Measure one strategy on one thread."""
    return call_in_thread(measure, strategy_games(strategy, rules), **timing)


def speed_up(
    strategy: str | Strategy, rules: Rules, threads: int = 2, repetitions: int = 5
) -> float:
    """Return the speed-up of several threads over one."""
    play = strategy_games(strategy, rules)
    games = max(1, round(measure(play, repetitions=1).games_per_second / 2))
    alone = min(timed(play, games)[0] for _ in range(repetitions))
    with DaemonThreads(threads) as pool:

        def together(games: int) -> int:
            return sum(pool.map(play, [games] * threads))

        together_seconds = min(timed(together, games)[0] for _ in range(repetitions))
    return threads * alone / together_seconds


def strategy_games(strategy: str | Strategy, rules: Rules) -> Workload:
    """Return games of one strategy, which is compiled already."""
    import numpy as np

    team = [find_strategy(strategy)] * rules.players
    compiled = team[0].can_compile
    play_chunk(rules, team, SEED, 0, 0, compiled=compiled)  # compiles

    def play(games: int) -> int:
        rows = np.asarray(play_chunk(rules, team, SEED, 0, games, compiled=compiled))
        return int(rows[:, 1].sum())

    return play


def bench_solver(players: int, decks: int = 20_000) -> dict[str, float]:
    """Measure how fast random decks are decided, including those that need SAT."""
    rules = preset("classic", players)
    run = DeckRun(rules, SEED, 0, decks, time_limit=60.0)
    _warm_up(run)
    methods, seconds = decide_range(rules, SEED, 0, decks)
    undecided = 0
    slow = np.flatnonzero(methods == UNDECIDED).tolist()
    for number in slow:
        start = time.perf_counter()
        undecided += run.decide(number, skip_quick=True).get("undecided", 0)
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
    """Compile the quick search, and load the SAT solver if it is installed."""
    decide_range(run.rules, SEED, 0, 100)
    run.decide(0, skip_quick=False)
    decide_by_sat(Position.start(Deck.shuffled(run.rules, seed=SEED)), 1, None)


STRATEGY = "information"
KINDS = [
    (".parquet", "canonical"),
    (".parquet", "sad"),
    (".parquet", "none"),
    (".npz", "canonical"),
]
"""Suffix and observations of the files to write."""


def bench_dataset(**timing: Unpack[Timing]) -> dict[str, dict[int, float]]:
    """Return turns per second of CPU time by kind of file and players.

    Playing, observing, packing and writing files are included.
    """
    timing = {"clock": time.process_time, **timing}
    found = {}
    for suffix, observations in KINDS:
        with tempfile.TemporaryDirectory() as place:
            folder = DatasetFolder(Path(place), suffix)
            speeds = measure_all(functools.partial(file_games, folder, observations), **timing)
        name = f"{suffix}, {observations}"
        found[name] = {players: speed.turns_per_second for players, speed in speeds.items()}
    return found


def file_games(folder: DatasetFolder, observations: str, players: int) -> Workload:
    """Return games that are written to files."""
    rules, team = preset("classic", players), tuple(strategies_for(STRATEGY, players))

    def play(games: int) -> int:
        assignment = (team, 0, games)
        work = RecordingWork(
            rules, (assignment,), SEED, observations, folder, max(games, 1), True, (0,)
        )
        files, _ = work.play(0, min(games, 1))
        return sum(file.tally.turns for file in files)

    play(1)  # compiles, and imports what writes files
    return play
