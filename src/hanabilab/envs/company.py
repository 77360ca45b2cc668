"""Partners of a learner, in compiled code.

They see, remember and choose exactly as an `Actor` would let them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from hanabilab.core.random import coin_stream
from hanabilab.core.record import dtype, pack, room_for
from hanabilab.envs.company_kernels import BEGIN, CHOOSE, SEE, consult
from hanabilab.envs.round import LiveRound
from hanabilab.envs.round_kernels import Round
from hanabilab.game.actions import Event
from hanabilab.game.deck import COINS
from hanabilab.game.view import View
from hanabilab.strategies.seats import Seats, room_needed, take_seat
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
        self._room = room_for(sum(map(room_needed, self._strategies.values())))
        rest: Any = self._room
        for player, strategy in self._strategies.items():
            rest = take_seat(seats, player, strategy, rest)
        self._records = pack(seats), pack(View()), pack(Event())

    def begin(self, table: LiveRound, seed: int, number: int) -> None:
        """See a game before its first turn, with the coins of a seed and a game number."""
        for player in self._strategies:
            coins = coin_stream(seed, number, COINS + player)
            _compiled()(table.rounds, BEGIN, player, coins, *self._records)

    def choose(self, table: LiveRound, player: int) -> int:
        """Return the action that a player chooses."""
        return _compiled()(table.rounds, CHOOSE, player, 0, *self._records)

    def see(self, table: LiveRound) -> None:
        """See the last turn."""
        _compiled()(table.rounds, SEE, 0, 0, *self._records)

    def __getstate__(self) -> dict[str, Any]:
        return {"strategies": self._strategies, "words": self._room.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take seats anew, since they are known by their addresses, and remember what was seen."""
        self._strategies = state["strategies"]
        self._take_seats()
        self._room[:] = state["words"]


@functools.cache
def _compiled() -> Callable[..., int]:
    """Return the compiled kernel, which is the same for all strategies."""
    import numpy as np

    from hanabilab.core import native

    def one(record: Any) -> Any:
        return native.typeof(np.zeros(1, dtype(record)))

    numbers = (native.integer,) * 3
    types = one(Round), *numbers, one(Seats), one(View), one(Event)
    return native.entry_point(native.compile_loop(consult, *types))
