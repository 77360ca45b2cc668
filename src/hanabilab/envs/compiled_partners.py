"""Partners of a learner, in compiled code.

They see, remember and choose exactly as an `Actor` would let them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hanabilab.core.invoke import reset
from hanabilab.core.kernel import kernel
from hanabilab.core.machine_code import Binding, bind
from hanabilab.core.random import private_stream
from hanabilab.core.record import aligned_buffer, pack
from hanabilab.envs.stepper import GameStepper, SteppedGame
from hanabilab.game.actions import Event
from hanabilab.game.deck import STRATEGY_STREAMS
from hanabilab.game.state import View
from hanabilab.strategies.seats import (
    Seats,
    choose_action,
    show_start,
    show_turn,
    take_seat,
    words_needed,
)
from hanabilab.strategies.strategy import Strategy

__all__ = ["CompiledPartners", "can_be_compiled_partner"]

BEGIN, CHOOSE, SEE = 0, 1, 2
"""Let a player begin a game; ask one for an action; show everyone the last turn."""


@kernel
def consult(
    games: Sequence[SteppedGame],
    task: int,
    player: int,
    stream: int,
    seated: Sequence[Seats],
    shown: Sequence[View],
    told: Sequence[Event],
) -> int:
    """Do a task; return the action that was asked for. `stream` starts a player's coins."""
    state = games[0].state
    seats = seated[0]
    if task == CHOOSE:
        return choose_action(state, player, seats, shown[0])
    if task == SEE:
        show_turn(state, games[0].last, seats, shown[0], told[0])
    else:
        reset(seats.memories[player], seats.templates[player], seats.words[player], stream)
        show_start(state, player, seats, shown[0])
    return 0


def can_be_compiled_partner(strategy: Strategy) -> bool:
    """Tell whether a strategy can be given the table itself, in compiled code."""
    ours = strategy.in_package and strategy.can_compile
    plain = type(strategy).init_memory is Strategy.init_memory  # nothing but numbers in its memory
    return ours and plain and not (strategy.slow or strategy.external)


class CompiledPartners:
    """Strategies in some seats of one game after another."""

    def __init__(self, strategies: Mapping[int, Strategy]) -> None:
        self._strategies = dict(strategies)
        self._take_seats()

    def _take_seats(self) -> None:
        seats = Seats()
        self._room = aligned_buffer(sum(map(words_needed, self._strategies.values())))
        rest: Any = self._room
        for player, strategy in self._strategies.items():
            rest = take_seat(seats, player, strategy, rest)
        self._records = pack(seats), pack(View()), pack(Event())
        self._binding: Binding | None = None
        self._table: GameStepper | None = None

    def begin(self, table: GameStepper, seed: int, number: int) -> None:
        """See a game before its first turn, with the coins of a seed and a game number."""
        for player in self._strategies:
            self._consult(
                table, BEGIN, player, private_stream(seed, number, STRATEGY_STREAMS + player)
            )

    def choose(self, table: GameStepper, player: int) -> int:
        """Return the action that a player chooses."""
        return self._consult(table, CHOOSE, player)

    def see(self, table: GameStepper) -> None:
        """See the last turn."""
        self._consult(table, SEE)

    def _consult(self, table: GameStepper, task: int, player: int = 0, stream: int = 0) -> int:
        binding = self._binding
        if binding is None or self._table is not table:
            binding = self._bind(table)
        numbers = binding.numbers
        numbers[0], numbers[1], numbers[2] = task, player, stream
        action: int = binding.call()
        return action

    def _bind(self, table: GameStepper) -> Binding:
        binding = self._binding
        if binding is None:
            binding = bind(consult, table.games, 0, 0, 0, *self._records, gil=True)
        binding.replace(0, table.games)
        self._binding, self._table = binding, table
        return binding

    def __getstate__(self) -> dict[str, Any]:
        return {"strategies": self._strategies, "words": self._room.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take seats anew, since they are known by their addresses, and remember what was seen."""
        self._strategies = state["strategies"]
        self._take_seats()
        self._room[:] = state["words"]
