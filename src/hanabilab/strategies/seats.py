"""The driver of a seat: how a strategy is shown the table, asked, and told what happened.

Every game, real or imagined, is played by the kernels below. Players are given the state itself
with their own hand hidden; the hand is put back afterwards (`hanabilab.game.state`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hanabilab.core.bits import lowest
from hanabilab.core.invoke import indirect_call, indirect_notify, reset, snapshot
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.record import Record, dtype, ints, pack, room_for, unpack
from hanabilab.errors import KernelRunError, StrategyError
from hanabilab.game.actions import ACTION_KINDS, Event, count_actions, decode_action, is_legal
from hanabilab.game.cards import HIDDEN_HAND, MAX_PLAYERS
from hanabilab.game.state import GOING_ON, State, View
from hanabilab.game.turn import take_turn
from hanabilab.strategies.guards import FailedTurnError, watched
from hanabilab.strategies.strategy import Candidates, Memory, Strategy

__all__ = [
    "ALL_LEGAL",
    "Seat",
    "Seats",
    "addresses",
    "choose",
    "given",
    "hide",
    "memory_words",
    "play_on",
    "room_needed",
    "see_start",
    "see_turn",
    "show_turn",
    "take_seat",
]

ALL_LEGAL = -(1 << 62)
"""What `play_on` returns if every action was legal."""


class Seats(Record):
    """The players' functions and memories, and what they may see.

    Interpreted, functions and memories are stored themselves; compiled, their addresses.
    """

    acts: list[Any] = ints(MAX_PLAYERS)
    observes: list[Any] = ints(MAX_PLAYERS)
    watchers: list[int] = ints(ACTION_KINDS)
    """The players who want to see events of each kind, a bit each."""
    begins: list[Any] = ints(MAX_PLAYERS)
    memories: list[Any] = ints(MAX_PLAYERS)
    templates: list[Any] = ints(MAX_PLAYERS)
    words: list[int] = ints(MAX_PLAYERS)
    """The lengths of the memories, in words."""
    open_eyes: list[int] = ints(MAX_PLAYERS)
    """Which players see their own cards."""
    shared: int
    """Do all players share one memory? Then only the one who acted observes a turn, for all."""
    guarded: int
    """Is any strategy not one of ours? Then players get copies of the table and of events."""


@kernel
def see_start(state: State, player: int, seats: Seats, shown: View) -> None:
    """Show a player the table before the first turn."""
    if seats.begins[player]:
        hand = hide(state, player, seats)
        indirect_notify(seats.begins[player], given(state, shown, seats), seats.memories[player])
        state.hands[player] = hand


@inlined
@kernel
def choose(state: State, player: int, seats: Seats, shown: View) -> int:
    """Ask a player for an action."""
    hand = hide(state, player, seats)
    action = indirect_call(seats.acts[player], given(state, shown, seats), seats.memories[player])
    state.hands[player] = hand
    return action


@inlined
@kernel
def see_turn(
    state: State, event: Event, player: int, seats: Seats, shown: View, told: Event
) -> None:
    """Show a player a turn of a kind that this player wants to see."""
    if (seats.watchers[event.kind] >> player) & 1:
        hand = hide(state, player, seats)
        indirect_notify(
            seats.observes[player],
            given(state, shown, seats),
            given(event, told, seats),
            seats.memories[player],
        )
        state.hands[player] = hand


@kernel
def play_on(
    state: State,
    deck: list[int],
    event: Event,
    seats: Seats,
    shown: View,
    told: Event,
    log: list[int],
) -> int:
    """Play a game to its end and log the actions that fit into `log`.

    Return ALL_LEGAL, or the illegal action at which the game stops; `state.observer` is then the
    player who chose it.
    """
    while state.end == GOING_ON:
        action = choose(state, state.player, seats, shown)
        if action < 0 or action >= count_actions(state):
            return action if action != ALL_LEGAL else -1
        decode_action(state, action, event)
        if not is_legal(state, event):
            return action
        if state.turn < len(log):
            log[state.turn] = action
        take_turn(state, deck, event)
        show_turn(state, event, seats, shown, told)
    return ALL_LEGAL


@inlined
@kernel
def show_turn(state: State, event: Event, seats: Seats, shown: View, told: Event) -> None:
    """Show a turn to all players who want to see it."""
    watching = seats.watchers[event.kind] & (1 << state.rules.players) - 1
    if seats.shared:
        watching &= 1 << event.player
    while watching:
        see_turn(state, event, lowest(watching), seats, shown, told)
        watching &= watching - 1


@inlined
@kernel
def hide(state: State, observer: int, seats: Seats) -> int:
    """Turn the state into a player's view; return the hand to put back afterwards."""
    hand = state.hands[observer]
    state.observer = observer
    if not seats.open_eyes[observer]:
        state.hands[observer] = HIDDEN_HAND
    return hand


@inlined
@kernel
def given(record: Any, room: Any, seats: Seats) -> Any:
    """Return what a player is given: the record itself, or a defensive copy of it."""
    if seats.guarded:
        return snapshot(record, room)
    return record


def room_needed(strategy: Strategy) -> int:
    """Return how many words a strategy needs in a compiled seat: memory, template and more."""
    return 2 * memory_words(strategy) + strategy.extra_words


def memory_words(strategy: Strategy) -> int:
    """Return how many words a memory takes."""
    words: int = dtype(strategy.memory).itemsize // 8
    return words


def take_seat(seats: Seats, player: int, strategy: Strategy, room: Any) -> Any:
    """Seat a strategy: compiled if there is room for its memory, else interpreted.

    Return the rest of the room, which must live as long as the seats.
    """
    for kind in range(ACTION_KINDS):
        wanted = strategy.observe is not None and strategy.observed_kinds >> kind & 1
        seats.watchers[kind] |= wanted << player
    seats.open_eyes[player] = int(strategy.sees_own_hand)
    template = strategy.fresh_memory()
    rest = strategy.init_memory(
        template, None if room is None else room[2 * memory_words(strategy) :]
    )
    if room is None:
        seats.acts[player] = watched(strategy.name, strategy.act, answers=True)
        for calls, function in ((seats.observes, strategy.observe), (seats.begins, strategy.begin)):
            calls[player] = function and watched(strategy.name, function, answers=False)
        seats.templates[player], seats.memories[player] = template, strategy.memory()
        return None
    seats.acts[player], seats.observes[player], seats.begins[player], _ = addresses(strategy)
    words = pack(template).view(room.dtype)
    room[: len(words)] = words
    seats.words[player] = len(words)
    seats.templates[player] = room.ctypes.data
    seats.memories[player] = room[len(words) :].ctypes.data
    return rest


class Seat:
    """A strategy in one seat of a game that somebody else runs, interpreted or compiled."""

    def __init__(self, strategy: Strategy, player: int, stream: int, *, compiled: bool) -> None:
        self.strategy, self.player = strategy, player
        seats = Seats()  # not guarded: it is given copies anyway
        self._room = room_for(room_needed(strategy)) if compiled else None
        take_seat(seats, player, strategy, self._room)
        if self._room is None:
            reset(seats.memories[player], seats.templates[player], 0, stream)
            self._memory: Any = seats.memories[player]
            self._records: tuple[Any, ...] = (seats, View(), Event())
            return
        words = memory_words(strategy)
        self._room[words : 2 * words] = self._room[:words]
        self._memory = self._room[words : 2 * words].view(dtype(strategy.memory))[0]
        self._memory["stream"] = stream
        self._records = tuple(pack(record)[0] for record in (seats, View(), Event()))

    @property
    def memory(self) -> Memory:
        """Return a copy of what it remembers."""
        if self._room is None:
            copy: Memory = self._memory.copy()
            return copy
        memory = self.strategy.memory()
        unpack(memory, self._memory)
        return memory

    def begin(self, state: State) -> None:
        """See the table before the first turn."""
        seats, shown, _ = self._records
        self._call(see_start, state.copy(), self.player, seats, shown)

    def act(self, state: State) -> int:
        """Choose an action."""
        seats, shown, _ = self._records
        return int(self._call(choose, state.copy(), self.player, seats, shown))

    def observe(self, state: State, event: Event) -> None:
        """See a turn."""
        seats, shown, told = self._records
        self._call(see_turn, state.copy(), event.copy(), self.player, seats, shown, told)

    def hurry(self) -> None:
        """Make a strategy that thinks for long act at once; another thread may call this."""
        if "cancelled" not in self.strategy.memory.fields:
            return
        if self._room is None:
            self._memory.cancelled = 1
        else:
            self._memory["cancelled"] = 1

    def _call(self, driver: Callable[..., Any], *arguments: Any) -> Any:
        """Run one of the kernels above, interpreted or compiled."""
        if self._room is None:
            return driver(*arguments)
        from hanabilab.core import machine_code

        packed = [pack(each)[0] if isinstance(each, Record) else each for each in arguments]
        try:
            return machine_code.run(driver, *packed)
        except KernelRunError as error:
            turn = arguments[0].turn
            raise FailedTurnError(self.strategy.name, self.player, turn, str(error)) from error


def addresses(strategy: Strategy) -> list[int]:
    """Compile the functions of a strategy: to act, observe and begin, and what a search asks.

    Return their addresses, 0 where there is none. They are compiled together, as they share much.
    """
    if not strategy.can_compile:
        raise StrategyError(
            f"{strategy.name} is plain Python: mark its functions with hanabilab.kernel, "
            "or run it interpreted"
        )
    view_and_memory = (View, strategy.memory)
    from hanabilab.core.machine_code import Callback, callbacks

    wanted = [
        function and Callback(function, result, params)
        for function, result, params in (
            (strategy.act, "int", view_and_memory),
            (strategy.observe, "None", (View, Event, strategy.memory)),
            (strategy.begin, "None", view_and_memory),
            (strategy.search.candidate_actions, "None", (View, Candidates, strategy.memory)),
        )
    ]
    found = iter(callbacks(strategy.name, *filter(None, wanted)))
    return [next(found) if each else 0 for each in wanted]
