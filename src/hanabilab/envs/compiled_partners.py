"""Partners of a learner, in compiled code.

They act exactly as they would with an `Actor`.
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

BEGIN, ACT, OBSERVE = 0, 1, 2
"""Tasks: start a game for one player; return a player's action; show everyone the last turn."""


@kernel
def run_partner_task(
    games: Sequence[SteppedGame],
    task: int,
    player: int,
    stream: int,
    seat_records: Sequence[Seats],
    view_copies: Sequence[View],
    event_copies: Sequence[Event],
) -> int:
    """Run a task; return the action for ACT. `stream` seeds a player's random stream."""
    state = games[0].state
    seats = seat_records[0]
    if task == ACT:
        return choose_action(state, player, seats, view_copies[0])
    if task == OBSERVE:
        show_turn(state, games[0].last, seats, view_copies[0], event_copies[0])
    else:
        reset(seats.memories[player], seats.templates[player], seats.words[player], stream)
        show_start(state, player, seats, view_copies[0])
    return 0


def can_be_compiled_partner(strategy: Strategy) -> bool:
    """Return whether a strategy can be given the state itself, in compiled code."""
    ours = strategy.in_package and strategy.can_compile
    plain = type(strategy).init_memory is Strategy.init_memory  # nothing but numbers in its memory
    return ours and plain and not (strategy.slow or strategy.external)


class CompiledPartners:
    """Strategies in some seats, for one game after another."""

    def __init__(self, strategies: Mapping[int, Strategy]) -> None:
        self._strategies = dict(strategies)
        self._take_seats()

    def _take_seats(self) -> None:
        seats = Seats()
        self._memory = aligned_buffer(sum(map(words_needed, self._strategies.values())))
        rest: Any = self._memory
        for player, strategy in self._strategies.items():
            rest = take_seat(seats, player, strategy, rest)
        self._records = pack(seats), pack(View()), pack(Event())
        self._binding: Binding | None = None
        self._table: GameStepper | None = None

    def begin(self, table: GameStepper, seed: int, number: int) -> None:
        """Start a game with the random streams of a seed and a game number."""
        for player in self._strategies:
            self._run(table, BEGIN, player, private_stream(seed, number, STRATEGY_STREAMS + player))

    def act(self, table: GameStepper, player: int) -> int:
        """Return the action of a player."""
        return self._run(table, ACT, player)

    def observe(self, table: GameStepper) -> None:
        """Observe the last turn."""
        self._run(table, OBSERVE)

    def _run(self, table: GameStepper, task: int, player: int = 0, stream: int = 0) -> int:
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
            binding = bind(run_partner_task, table.games, 0, 0, 0, *self._records, gil=True)
        binding.replace(0, table.games)
        self._binding, self._table = binding, table
        return binding

    def __getstate__(self) -> dict[str, Any]:
        return {"strategies": self._strategies, "words": self._memory.copy()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take seats again, since they hold addresses, and restore the memories."""
        self._strategies = state["strategies"]
        self._take_seats()
        self._memory[:] = state["words"]
