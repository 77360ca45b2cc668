"""What must be compiled before strategies can play here, and how long that usually takes."""

from __future__ import annotations

from collections.abc import Sequence

from hanabilab.core.compiler.times import PendingCompilation, due
from hanabilab.core.machine_code import dry_run, is_cached
from hanabilab.game.rules import Rules
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.loop import play_games, set_table

__all__ = ["compilation_due"]


def compilation_due(rules: Rules, strategies: Sequence[Strategy]) -> PendingCompilation:
    """Return what is still to be compiled before these can play; it is false if nothing is."""
    compiled = [strategy for strategy in strategies if strategy.can_compile]
    if len(compiled) < len(strategies):
        return due(())  # one that is plain Python makes the whole game interpreted
    with dry_run() as missing:
        set_table(rules, strategies, compiled=True)
    if not is_cached(play_games):
        missing.append(play_games.__qualname__)
    return due(dict.fromkeys(missing))
