"""The driver of a seat: it shows a strategy its view, asks for actions, and shows it the turns.

All games, real or imagined, are played by the kernels below. Players are given the state itself
with their own hand hidden; the hand is restored afterwards (`hanabilab.game.state`). Users'
strategies are given copies, which they may change.

In interpreted play, a strategy that raises, or returns something that is not a number, is reported
as a `FailedTurnError`. In compiled play, a failure leaves the loop as a
`hanabilab.errors.KernelRunError`.
"""

from __future__ import annotations

import operator
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hanabilab.core.bits import lowest
from hanabilab.core.invoke import indirect_call, indirect_notify, reset, snapshot
from hanabilab.core.kernel import PACKAGE, cold, inlined, kernel
from hanabilab.core.random import private_stream
from hanabilab.core.record import Record, aligned_buffer, assign, dtype, ints, pack, unpack
from hanabilab.errors import HanabiError, KernelRunError, StrategyError
from hanabilab.formats.describe import NUMBERED, Labels
from hanabilab.game.actions import (
    ACTION_KINDS,
    DISCARD,
    PLAY,
    Event,
    count_actions,
    decode_action,
    is_legal,
)
from hanabilab.game.cards import HIDDEN_HAND, MAX_PLAYERS
from hanabilab.game.deck import STRATEGY_STREAMS
from hanabilab.game.state import GOING_ON, State, View, view_of, write_view
from hanabilab.game.turn import conceal_event, take_turn
from hanabilab.strategies.strategy import Candidates, Memory, Strategy

__all__ = [
    "FailedTurnError",
    "Seat",
    "Seats",
    "choose_action",
    "compile_functions",
    "defensive_copy",
    "memory_words",
    "play_to_end",
    "show_start",
    "show_turn",
    "take_seat",
    "words_needed",
]


FEW_POINTS = 6
"""An imagined game may be won for certain once no more points than this are missing."""


class Seats(Record):
    """The players' functions and memories, and what they may see.

    In interpreted play, functions and memories are stored themselves; in compiled play, their
    addresses.
    """

    acts: list[Any] = ints(MAX_PLAYERS)
    observes: list[Any] = ints(MAX_PLAYERS)
    observers: list[int] = ints(ACTION_KINDS)
    """The players who want to see events of each kind, one bit each."""
    begins: list[Any] = ints(MAX_PLAYERS)
    memories: list[Any] = ints(MAX_PLAYERS)
    templates: list[Any] = ints(MAX_PLAYERS)
    words: list[int] = ints(MAX_PLAYERS)
    """The lengths of the memories, in words."""
    sees_own_hand: list[int] = ints(MAX_PLAYERS)
    """Which players see their own cards."""
    shared: int
    """Whether all players share one memory; then only the player who acted observes a turn."""
    is_won: int
    """`SearchSupport.is_won` of the strategy in all seats of an imagined table, or 0."""
    guarded: int
    """Whether any strategy is a user's; players then get copies of states and events."""
    illegal_action: int
    """The illegal action at which a game stopped."""


# --- kernels that drive seats ---------------------------------------------------------------------


@kernel
def show_start(state: State, player: int, seats: Seats, view_scratch: View) -> None:
    """Show a player the table before the first turn."""
    if seats.begins[player]:
        if state.rules.secrets:
            write_view(view_scratch, state, player)
            indirect_notify(seats.begins[player], view_scratch, seats.memories[player])
            return
        hand = hide_hand(state, player, seats)
        indirect_notify(
            seats.begins[player], defensive_copy(state, view_scratch, seats), seats.memories[player]
        )
        state.hands[player] = hand


@inlined
@kernel
def choose_action(state: State, player: int, seats: Seats, view_scratch: View) -> int:
    """Ask a player for an action."""
    if state.rules.secrets:
        return choose_in_secret(state, player, seats, view_scratch)
    return choose_openly(state, player, seats, view_scratch)


@inlined
@kernel
def choose_openly(state: State, player: int, seats: Seats, view_scratch: View) -> int:
    """Ask a player, who sees all hands but their own, for an action."""
    hand = hide_hand(state, player, seats)
    action = indirect_call(
        seats.acts[player], defensive_copy(state, view_scratch, seats), seats.memories[player]
    )
    state.hands[player] = hand
    return action


@inlined
@kernel
def show_turn_to(
    state: State, event: Event, player: int, seats: Seats, view_scratch: View, event_scratch: Event
) -> None:
    """Show a player a turn of a kind that this player wants to see."""
    if state.rules.secrets:
        show_secretly(state, event, player, seats, view_scratch, event_scratch)
    else:
        show_openly_to(state, event, player, seats, view_scratch, event_scratch)


@inlined
@kernel
def show_openly_to(
    state: State, event: Event, player: int, seats: Seats, view_scratch: View, event_scratch: Event
) -> None:
    """Show a player a public turn of a kind that this player wants to see."""
    if (seats.observers[event.kind] >> player) & 1:
        hand = hide_hand(state, player, seats)
        indirect_notify(
            seats.observes[player],
            defensive_copy(state, view_scratch, seats),
            defensive_copy(event, event_scratch, seats),
            seats.memories[player],
        )
        state.hands[player] = hand


@cold
@kernel
def choose_in_secret(state: State, player: int, seats: Seats, view_scratch: View) -> int:
    """Ask for an action a player who sees less than the table shows."""
    write_view(view_scratch, state, player)
    if seats.sees_own_hand[player]:
        view_scratch.hands[player] = state.hands[player]
    state.observer = player
    return indirect_call(seats.acts[player], view_scratch, seats.memories[player])


@cold
@kernel
def show_secretly(
    state: State, event: Event, player: int, seats: Seats, view_scratch: View, event_scratch: Event
) -> None:
    """Show a player the part of a turn that this player is told."""
    assign(event_scratch, event)
    if player != event.player or event.kind == PLAY or event.kind == DISCARD:
        conceal_event(event_scratch, state.rules)
    if (seats.observers[event_scratch.kind] >> player) & 1:
        write_view(view_scratch, state, player)
        if seats.sees_own_hand[player]:
            view_scratch.hands[player] = state.hands[player]
        indirect_notify(seats.observes[player], view_scratch, event_scratch, seats.memories[player])


@kernel
def play_to_end(
    state: State,
    deck: list[int],
    event: Event,
    seats: Seats,
    view_scratch: View,
    event_scratch: Event,
    log: list[int],
) -> bool:
    """Play a game to its end and log the actions that fit into `log`.

    An imagined game that is won for certain gets its final score at once. Return False if the game
    stops at an illegal action, `seats.illegal_action`; `state.observer` is then the player who
    chose it.
    """
    secrets = state.rules.secrets
    enough = state.rules.max_score + (-FEW_POINTS if seats.is_won else 1)
    while state.end == GOING_ON:
        if state.score >= enough and indirect_call(
            seats.is_won, defensive_copy(state, view_scratch, seats), seats.memories[0]
        ):
            state.score = state.rules.max_score
            return True
        if secrets:
            action = choose_in_secret(state, state.player, seats, view_scratch)
        else:
            action = choose_openly(state, state.player, seats, view_scratch)
        if action < 0 or action >= count_actions(state):
            seats.illegal_action = action
            return False
        decode_action(state, action, event)
        if not is_legal(state, event):
            seats.illegal_action = action
            return False
        if state.turn < len(log):
            log[state.turn] = action
        take_turn(state, deck, event)
        if secrets:
            show_secretly_to_all(state, event, seats, view_scratch, event_scratch)
        else:
            show_openly(state, event, seats, view_scratch, event_scratch)
    return True


@cold
@kernel
def show_secretly_to_all(
    state: State, event: Event, seats: Seats, view_scratch: View, event_scratch: Event
) -> None:
    """Show all players the parts of a turn that each is told."""
    for player in range(state.rules.players):
        show_secretly(state, event, player, seats, view_scratch, event_scratch)


@inlined
@kernel
def show_turn(
    state: State, event: Event, seats: Seats, view_scratch: View, event_scratch: Event
) -> None:
    """Show a turn to all players who want to see it."""
    if state.rules.secrets:
        show_secretly_to_all(state, event, seats, view_scratch, event_scratch)
        return
    show_openly(state, event, seats, view_scratch, event_scratch)


@inlined
@kernel
def show_openly(
    state: State, event: Event, seats: Seats, view_scratch: View, event_scratch: Event
) -> None:
    """Show a fully public turn to all players who want to see it."""
    watching = seats.observers[event.kind] & (1 << state.rules.players) - 1
    if seats.shared:
        watching &= 1 << event.player
    while watching:
        show_openly_to(state, event, lowest(watching), seats, view_scratch, event_scratch)
        watching &= watching - 1


@inlined
@kernel
def hide_hand(state: State, observer: int, seats: Seats) -> int:
    """Turn the state into a player's view; return the hand, to be restored afterwards."""
    hand = state.hands[observer]
    state.observer = observer
    if not seats.sees_own_hand[observer]:
        state.hands[observer] = HIDDEN_HAND
    return hand


@inlined
@kernel
def defensive_copy(record: Any, scratch: Any, seats: Seats) -> Any:
    """Return a copy of a record if any strategy at the table is untrusted, otherwise the record."""
    if seats.guarded:
        return snapshot(record, scratch)
    return record


# --- taking seats ---------------------------------------------------------------------------------


def words_needed(strategy: Strategy) -> int:
    """Return the number of words a strategy needs in a compiled seat: memory, template and more."""
    return 2 * memory_words(strategy) + strategy.extra_words


def memory_words(strategy: Strategy) -> int:
    """Return the size of a memory in words."""
    words: int = dtype(strategy.memory).itemsize // 8
    return words


def take_seat(seats: Seats, player: int, strategy: Strategy, buffer: Any) -> Any:
    """Seat a strategy: compiled if there is a buffer for its memory, else interpreted.

    Return the rest of the buffer, which must live as long as the seats.
    """
    for kind in range(ACTION_KINDS):
        wanted = strategy.observe is not None and strategy.observed_kinds >> kind & 1
        seats.observers[kind] |= wanted << player
    seats.sees_own_hand[player] = int(strategy.sees_own_hand)
    template = strategy.fresh_memory()
    rest = strategy.init_memory(
        template, None if buffer is None else buffer[2 * memory_words(strategy) :]
    )
    if buffer is None:
        seats.acts[player] = guarded(strategy.name, strategy.act, answers=True)
        for calls, function in ((seats.observes, strategy.observe), (seats.begins, strategy.begin)):
            calls[player] = function and guarded(strategy.name, function, answers=False)
        seats.templates[player], seats.memories[player] = template, strategy.memory()
        return None
    act, observe, begin, *_ = compile_functions(strategy)
    seats.acts[player], seats.observes[player], seats.begins[player] = act, observe, begin
    words = pack(template).view(buffer.dtype)
    buffer[: len(words)] = words
    seats.words[player] = len(words)
    seats.templates[player] = buffer.ctypes.data
    seats.memories[player] = buffer[len(words) :].ctypes.data
    return rest


def compile_functions(strategy: Strategy) -> list[int]:
    """Compile the functions of a strategy: to act, observe and begin, and those for a search.

    Return their addresses, 0 for missing ones. They are compiled together because they share much.
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
            (strategy.search.is_won, "int", view_and_memory),
        )
    ]
    found = iter(callbacks(strategy.name, *filter(None, wanted)))
    return [next(found) if each else 0 for each in wanted]


class Seat:
    """A strategy in one seat of a game that other code runs.

    It acts when asked, sees every turn and explains its last action. It plays exactly as in
    `hanabilab.play` with the same random stream, and is given copies, so that nothing it does
    affects the game. It runs interpreted unless the strategy is too slow for that, or `compiled`
    says otherwise.
    """

    def __init__(
        self, strategy: Strategy, player: int, stream: int, *, compiled: bool | None = None
    ) -> None:
        self.strategy, self.player = strategy, player
        compiled = strategy.slow if compiled is None else compiled
        seats = Seats()  # not guarded: it is given copies anyway
        self._buffer = aligned_buffer(words_needed(strategy)) if compiled else None
        take_seat(seats, player, strategy, self._buffer)
        if self._buffer is None:
            reset(seats.memories[player], seats.templates[player], 0, stream)
            self._memory: Any = seats.memories[player]
            self._records: tuple[Any, ...] = (seats, View(), Event())
        else:
            words = memory_words(strategy)
            self._buffer[words : 2 * words] = self._buffer[:words]
            self._memory = self._buffer[words : 2 * words].view(dtype(strategy.memory))[0]
            self._memory["stream"] = stream
            self._records = tuple(pack(record)[0] for record in (seats, View(), Event()))
        self._explained = self._memory.copy()
        """The memory with which it explains its last action."""

    @classmethod
    def in_game(cls, strategy: Strategy, player: int, seed: int, game: int) -> Seat:
        """Return the seat of a player in a game of a seed, with that player's random stream."""
        return cls(strategy, player, private_stream(seed, game, STRATEGY_STREAMS + player))

    @property
    def memory(self) -> Memory:
        """Return a copy of its memory."""
        return self._unpacked(self._memory)

    def _unpacked(self, memory: Any) -> Memory:
        """Return a copy of a memory, interpreted or compiled, as a record."""
        if self._buffer is None:
            copy: Memory = memory.copy()
            return copy
        record = self.strategy.memory()
        unpack(record, memory)
        return record

    def begin(self, state: State) -> None:
        """See the table before the first turn; compile what the first turns need.

        So a player with a time limit does not spend it on compiling.
        """
        seats, view_scratch, event_scratch = self._records
        if self._buffer is not None:
            from hanabilab.core.machine_code import prepare

            table, event = pack(state)[0], pack(Event())[0]
            prepare(choose_action, table, self.player, seats, view_scratch)
            prepare(show_turn_to, table, event, self.player, seats, view_scratch, event_scratch)
        self._call(show_start, state.copy(), self.player, seats, view_scratch)

    def act(self, state: State) -> int:
        """Choose an action."""
        seats, view_scratch, _ = self._records
        self._explained = self._memory.copy()
        action = int(self._call(choose_action, state.copy(), self.player, seats, view_scratch))
        if self.strategy.about.explains_afterwards:
            self._explained = self._memory.copy()
        return action

    def follow(self, state: State) -> None:
        """Skip a turn in which it acted, when a game is resumed.

        A slow strategy does not choose again, nor does an external program.
        """
        if self.strategy.slow or self.strategy.external:
            self._explained = self._memory.copy()
        else:
            self.act(state)

    def observe(self, state: State, event: Event) -> None:
        """See a turn."""
        seats, view_scratch, event_scratch = self._records
        self._call(
            show_turn_to,
            state.copy(),
            event.copy(),
            self.player,
            seats,
            view_scratch,
            event_scratch,
        )

    def explain(
        self, state: State, action: int, reader: int | None = None, labels: Labels = NUMBERED
    ) -> str:
        """Explain its last action to a player at the table; `state` is the state before it."""
        view = view_of(state, self.player)
        if self.strategy.sees_own_hand:
            view.hands[self.player] = state.hands[self.player]
        memory = self._unpacked(self._explained)
        return self.strategy.explain(view, memory, action, reader, labels)

    def hurry(self) -> None:
        """Make a strategy that thinks for long act at once; may be called from another thread."""
        if "cancelled" not in self.strategy.memory.fields:
            return
        if self._buffer is None:
            self._memory.cancelled = 1
        else:
            self._memory["cancelled"] = 1

    def _call(self, driver: Callable[..., Any], *arguments: Any) -> Any:
        """Run one of the kernels above, interpreted or compiled."""
        if self._buffer is None:
            return driver(*arguments)
        from hanabilab.core import machine_code

        packed = [pack(each)[0] if isinstance(each, Record) else each for each in arguments]
        try:
            return machine_code.run(driver, *packed)
        except KernelRunError as error:
            turn = arguments[0].turn
            raise FailedTurnError(self.strategy.name, self.player, turn, str(error)) from error


# --- failures in interpreted play -----------------------------------------------------------------


class FailedTurnError(StrategyError):
    """A strategy raised, or returned something that is not a number."""

    def __init__(self, name: str, player: int, turn: int, what: str) -> None:
        super().__init__(f"{name}, player {player}, failed in turn {turn + 1}: {what}")
        self.player, self.turn, self.what = player, turn, what


def guarded(name: str, function: Callable[..., Any], *, answers: bool) -> Callable[..., Any]:
    """Wrap a function of a strategy so that any failure raises a `FailedTurnError`.

    With `answers`, the function must return an integer.
    """

    def call(view: View, *others: Any) -> Any:
        player, turn = view.observer, view.turn
        try:
            answer = function(view, *others)
        except (FailedTurnError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise FailedTurnError(name, player, turn, describe_error(error)) from error
        if not answers:
            return answer
        if isinstance(answer, bool) or not hasattr(answer, "__index__"):
            what = f"it answered {answer!r}, which is not the number of an action"
            raise FailedTurnError(name, player, turn, what)
        return operator.index(answer)

    return call


def describe_error(error: BaseException) -> str:
    """Describe an exception and its place in the user's files."""
    said = str(error) if isinstance(error, HanabiError) else f"{type(error).__name__}: {error}"
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not Path(frame.filename).resolve().is_relative_to(PACKAGE):
            return f"{said} ({frame.filename}, line {frame.lineno})"
    return said
