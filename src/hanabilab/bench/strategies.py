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

__all__ = ["bench_strategies", "speed_of", "speed_up", "strategy_games"]


def bench_strategies(
    strategies: Sequence[str | Strategy] = (), **timing: Unpack[Timing]
) -> list[tuple[Strategy, dict[int, Speed]]]:
    """Measure strategies at every number of players, under the rules that they were made for.

    Without any, all that come with the package are measured. Plain Python runs interpreted.
    """
    found = [find_strategy(each) for each in strategies] or distinct(playing())
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
    """Return how many times as much several threads play as one, in the same time."""
    play = strategy_games(strategy, rules)
    games = max(1, round(measure(play, repetitions=1).games_per_second / 2))
    alone = min(timed(play, games)[0] for _ in range(repetitions))
    with DaemonThreads(threads) as pool:

        def together(games: int) -> int:
            return sum(pool.map(play, [games] * threads))

        crowd = min(timed(together, games)[0] for _ in range(repetitions))
    return threads * alone / crowd


def strategy_games(strategy: str | Strategy, rules: Rules) -> Played:
    """Return what plays games of one strategy, which is compiled already."""
    import numpy as np

    team = [find_strategy(strategy)] * rules.players
    compiled = team[0].can_compile
    play_chunk(rules, team, SEED, 0, 0, compiled=compiled)  # compiles

    def play(games: int) -> int:
        rows = np.asarray(play_chunk(rules, team, SEED, 0, games, compiled=compiled))
        return int(rows[:, 1].sum())

    return play
