"""Partners of a learner, in compiled code.

They see, remember and choose exactly as an `Actor` would let them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hanabilab.core.machine_code import Binding, bind
from hanabilab.core.random import coin_stream
from hanabilab.core.record import pack, room_for
from hanabilab.envs.company_kernels import BEGIN, CHOOSE, SEE, consult
from hanabilab.envs.round import LiveRound
from hanabilab.game.actions import Event
from hanabilab.game.deck import STRATEGY_STREAMS
from hanabilab.game.state import View
from hanabilab.strategies.seats import Seats, take_seat, words_needed
from hanabilab.strategies.strategy import Strategy

__all__ = ["Company", "can_keep_company"]


def can_keep_company(strategy: Strategy) -> bool:
    """Tell whether a strategy can be given the table itself, in compiled code."""
    ours = strategy.is_ours and strategy.can_compile
    plain = type(strategy).init_memory is Strategy.init_memory  # nothing but numbers in its memory
    return ours and plain and not (strategy.slow or strategy.external)


class Company:
    """Strategies in some seats of one game after another."""

    def __init__(self, strategies: Mapping[int, Strategy]) -> None:
        self._strategies = dict(strategies)
        self._take_seats()

    def _take_seats(self) -> None:
        seats = Seats()
        self._room = room_for(sum(map(words_needed, self._strategies.values())))
        rest: Any = self._room
        for player, strategy in self._strategies.items():
            rest = take_seat(seats, player, strategy, rest)
        self._records = pack(seats), pack(View()), pack(Event())
        self._binding: Binding | None = None
        self._table: LiveRound | None = None

    def begin(self, table: LiveRound, seed: int, number: int) -> None:
        """See a game before its first turn, with the coins of a seed and a game number."""
        for player in self._strategies:
            self._consult(
                table, BEGIN, player, coin_stream(seed, number, STRATEGY_STREAMS + player)
            )

    def choose(self, table: LiveRound, player: int) -> int:
        """Return the action that a player chooses."""
        return self._consult(table, CHOOSE, player)

    def see(self, table: LiveRound) -> None:
        """See the last turn."""
        self._consult(table, SEE)

    def _consult(self, table: LiveRound, task: int, player: int = 0, stream: int = 0) -> int:
        binding = self._binding
        if binding is None or self._table is not table:
            binding = self._bind(table)
        numbers = binding.numbers
        numbers[0], numbers[1], numbers[2] = task, player, stream
        action: int = binding.call()
        return action

    def _bind(self, table: LiveRound) -> Binding:
        binding = self._binding
        if binding is None:
            binding = bind(consult, table.rounds, 0, 0, 0, *self._records, gil=True)
        binding.replace(0, table.rounds)
        self._binding, self._table = binding, table
        return binding

    def __getstate__(self) -> dict[str, Any]:
        return {"strategies": self._strategies, "words": self._room.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take seats anew, since they are known by their addresses, and remember what was seen."""
        self._strategies = state["strategies"]
        self._take_seats()
        self._room[:] = state["words"]
