"""`bench strategies`: how many games a second each strategy plays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from hanabilab.bench.measure import SEED, Played, Speed, Timing, measure, timed
from hanabilab.core.threads import DaemonThreads, call_in_thread
from hanabilab.errors import StrategyError
from hanabilab.game.rules import Rules
from hanabilab.lab.results import distinct, playing, rules_for
from hanabilab.strategies import find_strategy
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.loop import play_chunk

__all__ = ["bench_strategies", "speed_of", "speed_up"]


def bench_strategies(
    strategies: Sequence[str] | None = None, **timing: Unpack[Timing]
) -> dict[str, dict[int, Speed]]:
    """Measure every strategy at every number of players, under the rules that it was made for."""
    found = distinct(playing()) if not strategies else [find_strategy(name) for name in strategies]
    speeds: dict[str, dict[int, Speed]] = {}
    for strategy in found:
        if not strategy.can_compile:
            raise StrategyError(f"{strategy.name} is not compiled: there is nothing to measure")
        for rules in rules_for(strategy):
            speed = speed_of(strategy, rules, **timing)
            speeds.setdefault(strategy.label, {})[rules.players] = speed
    return speeds


def speed_of(strategy: str | Strategy, rules: Rules, **timing: Unpack[Timing]) -> Speed:
    """Measure one strategy on one thread."""
    return call_in_thread(measure, _games(strategy, rules), **timing)


def speed_up(
    strategy: str | Strategy, rules: Rules, threads: int = 2, repetitions: int = 5
) -> float:
    """Return how many times as much several threads play as one, in the same time."""
    play = _games(strategy, rules)
    games = max(1, round(measure(play, repetitions=1).games_per_second / 2))
    alone = min(timed(play, games)[0] for _ in range(repetitions))
    with DaemonThreads(threads) as pool:

        def together(games: int) -> int:
            return sum(pool.map(play, [games] * threads))

        crowd = min(timed(together, games)[0] for _ in range(repetitions))
    return threads * alone / crowd


def _games(strategy: str | Strategy, rules: Rules) -> Played:
    team = [find_strategy(strategy)] * rules.players
    play_chunk(rules, team, SEED, 0, 0)  # compiles

    def play(games: int) -> int:
        return int(play_chunk(rules, team, SEED, 0, games)[:, 1].sum())

    return play
