"""Reports of strategies that failed during a run, with the command that reproduces the failure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hanabilab.core.record import Record
from hanabilab.errors import KernelRunError, StrategyError
from hanabilab.formats.describe import rule_options
from hanabilab.game.rules import Rules
from hanabilab.strategies import STRATEGIES
from hanabilab.strategies.seats import FailedTurnError
from hanabilab.strategies.strategy import Strategy

__all__ = ["FailedGame", "field_of", "illegal_action_error"]


@dataclass(frozen=True, slots=True)
class FailedGame:
    """A game of a run in which a strategy failed."""

    rules: Rules
    strategies: Sequence[Strategy]
    seed: int
    game: int
    repeat: int = 0

    def illegal(self, table: Any) -> StrategyError:
        """Return the error for the illegal action at which a game on a table stopped."""
        player, turn = field_of(table.state, "observer"), field_of(table.state, "turn")
        action = field_of(table.seats, "illegal_action")
        return illegal_action_error(
            self.strategies[player], player, action, turn, self.seed, self.game
        )

    def failure(self, failure: FailedTurnError | KernelRunError, state: Any) -> StrategyError:
        """Return the error for a strategy that failed in this state."""
        if isinstance(failure, FailedTurnError):
            player, turn, what = failure.player, failure.turn, failure.what
        else:
            player, turn = field_of(state, "observer"), field_of(state, "turn")
            what = str(failure)
        strategy = self.strategies[player]
        only_compiled = isinstance(failure, KernelRunError) and what.startswith("OverflowError")
        again = f"; see it with  {self.command()}"
        if strategy.external or only_compiled:  # interpreted, integers have no limit
            again = ""
        return StrategyError(
            f"{strategy.name}, player {player}, failed in turn {turn + 1} of game {self.game} of "
            f"seed {self.seed}: {what}{again}"
        )

    def command(self) -> str:
        """Return the command that replays this game interpreted, or a Python call."""
        named = [
            each.location or each.external or each.name in STRATEGIES for each in self.strategies
        ]
        if not all(named):
            seeds = f"seed={self.seed}, game={self.game}"
            return f"hl.play(strategy, hl.Deck.shuffled(rules, {seeds}), {seeds})"
        labels = [strategy.label for strategy in self.strategies]
        who = labels[:1] if len(set(labels)) == 1 else labels
        where = ["--seed", str(self.seed), "--game", str(self.game)]
        return shlex.join(["hanabilab", "play", *who, *rule_options(self.rules), *where])


def illegal_action_error(
    strategy: Strategy, player: int, action: int, turn: int, seed: int, game: int
) -> StrategyError:
    """Return the error that names the player who chose an illegal action, and the turn."""
    return StrategyError(
        f"{strategy.name}, player {player}, chose action {action} in turn {turn + 1} "
        f"of game {game} of seed {seed}, which is not legal"
    )


def field_of(record: Any, name: str) -> int:
    """Return a field of a record, interpreted or packed."""
    return int(getattr(record, name) if isinstance(record, Record) else record[name])
