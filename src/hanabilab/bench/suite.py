"""The suite of `bench --save` and `bench --against`: all benchmarks, measured in rounds.

Each round measures every benchmark once, so that a period in which the machine is slower affects
all of them. CPU time is measured, on one thread.
"""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hanabilab.bench.engine import PEERS, Peer, peer_games
from hanabilab.bench.environments import OTHERS, OURS
from hanabilab.bench.measurements import SEED, Clock, Workload, timed
from hanabilab.bench.playouts import BLUEPRINTS, imagined_games, players_of
from hanabilab.bench.workloads import KINDS, file_games, strategy_games
from hanabilab.core.threads import call_in_thread
from hanabilab.game.rules import preset
from hanabilab.lab.dataset.folder import DatasetFolder
from hanabilab.lab.results_table import automatic_strategies, distinct, rules_for
from hanabilab.solver.kernels.search import decide_range
from hanabilab.strategies import find_strategy
from hanabilab.strategies.strategy import Strategy

__all__ = ["ROUNDS", "Benchmark", "Rounds", "measure_rounds", "suite"]

ROUNDS = 5
LIGHTER = {"monte-carlo": {"playouts": 20}, "search": {"samples": 20}}
"""Options that make slow strategies play several games per second."""
FEW, MANY = 2, 5


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A workload to measure, and its unit: games, play-outs, decks, turns or steps per second."""

    name: str
    play: Callable[[], Workload]
    unit: str

    def speed(self, play: Workload, count: int, clock: Clock) -> float:
        """Measure the workload once."""
        seconds, turns = timed(play, count, clock)
        return (count if self.unit in ("games/s", "decks/s") else turns) / seconds


def suite(subjects: Sequence[str], strategies: Sequence[Strategy], folder: Path) -> list[Benchmark]:
    """Return the benchmarks of some subjects, by default of all; `folder` is for their files."""
    makers: dict[str, Callable[[], Iterator[Benchmark]]] = {
        "engine": _engine,
        "strategies": lambda: _strategies(strategies),
        "search": _search,
        "solver": _solver,
        "envs": _environments,
        "dataset": lambda: _dataset(folder),
    }
    return [each for subject in subjects or SUITES for each in makers[subject]()]


SUITES = ("engine", "strategies", "search", "solver", "envs", "dataset")


class Rounds(NamedTuple):
    """The speeds of each benchmark in all rounds, and its count per round."""

    speeds: dict[str, list[float]]
    counts: dict[str, int]


def measure_rounds(
    benchmarks: Sequence[Benchmark],
    rounds: int,
    seconds: float,
    *,
    counts: Mapping[str, int] | None = None,
    clock: Clock = time.process_time,
    say: Callable[[str], None] = lambda line: None,
) -> Rounds:
    """Measure each benchmark once per round, with given counts or for about `seconds`."""
    ready = []
    for benchmark in benchmarks:
        with suppress(ImportError, OSError, RuntimeError):  # another program, absent or broken
            play = call_in_thread(benchmark.play)
            call_in_thread(play, 1)  # compiles whatever is not compiled yet
            count = (counts or {}).get(benchmark.name) or call_in_thread(
                _count_for, play, seconds, clock
            )
            ready.append((benchmark, play, count))
    speeds: dict[str, list[float]] = {benchmark.name: [] for benchmark, _, _ in ready}
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}: {len(ready)} benchmarks ...")
        for benchmark, play, count in ready:
            speed = call_in_thread(benchmark.speed, play, count, clock)
            speeds[benchmark.name].append(speed)
    return Rounds(speeds, {benchmark.name: count for benchmark, _, count in ready})


def _count_for(play: Workload, seconds: float, clock: Clock) -> int:
    """Return how many games take about `seconds`."""
    count = 1
    while (spent := timed(play, count, clock)[0]) < seconds / 4:
        count *= 4
    return max(1, round(count * seconds / spent))


def _engine() -> Iterator[Benchmark]:
    for players in (FEW, MANY):
        rules = preset("hle", players)
        name = f"engine: random games, {players} players"
        yield Benchmark(name, functools.partial(strategy_games, "random", rules), "games/s")
    yield from _peers("engine", PEERS, "games/s")


def _peers(subject: str, peers: dict[str, Peer], unit: str) -> Iterator[Benchmark]:
    for name, peer in peers.items():
        for players in (FEW, MANY):
            play = functools.partial(peer_games, peer, players)
            yield Benchmark(f"{subject}: {name}, {players} players", play, unit)


def _strategies(wanted: Sequence[Strategy]) -> Iterator[Benchmark]:
    for strategy in wanted or [_lighter(each) for each in distinct(automatic_strategies())]:
        tables = list(rules_for(strategy))
        for rules in dict.fromkeys([tables[0], tables[-1]]):
            name = f"strategies: {strategy.label}, {rules.players} players"
            yield Benchmark(name, functools.partial(strategy_games, strategy, rules), "games/s")


def _lighter(strategy: Strategy) -> Strategy:
    return find_strategy(strategy.name).with_options(**LIGHTER.get(strategy.name, {}))


def _search() -> Iterator[Benchmark]:
    for blueprint in BLUEPRINTS:
        counts = players_of(blueprint)
        for players in dict.fromkeys((counts[0], counts[-1])):
            play = functools.partial(imagined_games, blueprint, players)
            yield Benchmark(f"search: {blueprint}, {players} players", play, "play-outs/s")


def _solver() -> Iterator[Benchmark]:
    for players in (FEW, MANY):
        play = functools.partial(_decks, players)
        yield Benchmark(f"solver: random decks, {players} players", play, "decks/s")


def _decks(players: int) -> Workload:
    """Decide decks by the quick search; skip the few that need SAT."""
    rules = preset("classic", players)

    def play(decks: int) -> int:
        decide_range(rules, SEED, 0, decks)
        return decks

    play(1)  # compiles
    return play


def _environments() -> Iterator[Benchmark]:
    for name, games in OURS.items():
        for players in (FEW, MANY):
            play = functools.partial(games, players)
            yield Benchmark(f"envs: {name}, {players} players", play, "steps/s")
    yield from _peers("envs", OTHERS, "steps/s")


def _dataset(place: Path) -> Iterator[Benchmark]:
    for suffix, observations in KINDS:
        for players in (FEW, MANY):
            folder = DatasetFolder(Path(tempfile.mkdtemp(dir=place)), suffix)
            play = functools.partial(file_games, folder, observations, players)
            name = f"dataset: {suffix}, {observations}, {players} players"
            yield Benchmark(name, play, "turns/s")
