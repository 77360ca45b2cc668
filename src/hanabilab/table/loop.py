"""A table: strategies sit down and play, interpreted or compiled, with identical results."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hanabilab.core.invoke import ask, restart, snapshot, tell
from hanabilab.core.kernel import kernel
from hanabilab.core.random import Dice, coin_stream
from hanabilab.core.record import Record, ints, pack, room_for
from hanabilab.errors import StrategyError
from hanabilab.game.actions import Event, announce, count_actions, is_legal
from hanabilab.game.cards import HIDDEN_HAND, MAX_PLAYERS
from hanabilab.game.deck import COINS, box, shuffle_deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import GOING_ON, State, opening
from hanabilab.game.turn import deal, final_score, take_turn
from hanabilab.game.view import View
from hanabilab.strategies import OWN
from hanabilab.strategies.strategy import Strategy

__all__ = [
    "COLUMNS",
    "Table",
    "answering_whole_numbers",
    "illegal_choice",
    "log_game",
    "play_chunk",
    "play_deck",
    "play_games",
    "set_table",
]

COLUMNS = ("score", "turns", "misplays", "end")
"""What is kept of each game."""

ALL_LEGAL = -(1 << 62)
"""What a game answers instead of an illegal action."""


class Seats(Record):
    """The players' functions, memories and eyes.

    Interpreted, functions and memories are what they are; compiled, their addresses.
    """

    acts: list[Any] = ints(MAX_PLAYERS)
    observes: list[Any] = ints(MAX_PLAYERS)
    watches: list[int] = ints(MAX_PLAYERS)
    """The kinds of events that each one wants to see."""
    begins: list[Any] = ints(MAX_PLAYERS)
    memories: list[Any] = ints(MAX_PLAYERS)
    templates: list[Any] = ints(MAX_PLAYERS)
    words: list[int] = ints(MAX_PLAYERS)
    """The lengths of the memories."""
    open_eyes: list[int] = ints(MAX_PLAYERS)
    """Who declares to look at the own cards."""
    guarded: int
    """Are there strategies that are not our own? They get copies of the table and of events."""


class Table(NamedTuple):
    """All that a loop works with."""

    opening: State
    cards: list[int]
    state: State
    deck: list[int]
    event: Event
    dice: Dice
    seats: Seats
    shown: View
    """Room for a copy of the table, where one is handed out."""
    told: Event
    """Room for a copy of an event."""
    room: Any
    """The memories' own room, which must live as long as the table."""


@kernel
def play_games(
    table: Table, seed: int, first: int, count: int, repeats: int, rows: list[list[int]]
) -> int:
    """Play games `first`, `first` + 1, … of a seed, each one `repeats` times, and fill the rows.

    The answer is the number of games played: fewer than asked for after an illegal action, which
    then stands in the next row as its player, the turn and the action.
    """
    row = 0
    for game in range(first, first + count):
        shuffle_deck(table.deck, table.cards, table.dice, seed, game)
        for repeat in range(repeats):
            illegal = play_deck(table, seed, game, repeat, rows[row][:0])
            if illegal != ALL_LEGAL:
                rows[row][0] = table.state.player
                rows[row][1] = table.state.turn
                rows[row][2] = illegal
                return row
            rows[row][0] = final_score(table.state)
            rows[row][1] = table.state.turn
            rows[row][2] = table.state.max_lives - table.state.lives
            rows[row][3] = table.state.end
            row += 1
    return row


@kernel
def play_deck(table: Table, seed: int, game: int, repeat: int, log: list[int]) -> int:
    """Play the deck on the table once and log the actions for which there is room.

    The answer is an illegal action, or ALL_LEGAL.
    """
    deal(table.state, table.opening, table.deck)
    seats = table.seats
    for player in range(table.state.players):
        purpose = COINS + repeat * MAX_PLAYERS + player
        restart(
            seats.memories[player],
            seats.templates[player],
            seats.words[player],
            coin_stream(seed, game, purpose),
        )
    return play_game(table.state, table.deck, table.event, seats, table.shown, table.told, log)


@kernel
def log_game(table: Table, seed: int, game: int, repeat: int, log: list[int]) -> int:
    """Play one game of a run again and log its actions."""
    shuffle_deck(table.deck, table.cards, table.dice, seed, game)
    return play_deck(table, seed, game, repeat, log)


@kernel
def play_game(
    state: State,
    deck: list[int],
    event: Event,
    seats: Seats,
    shown: View,
    told: Event,
    log: list[int],
) -> int:
    """Play a dealt game to its end. A player's own hand is hidden from all that player's eyes."""
    for player in range(state.players):
        if seats.begins[player]:
            hand = hide(state, player, seats)
            ask(seats.begins[player], given(state, shown, seats), seats.memories[player])
            state.hands[player] = hand
    while state.end == GOING_ON:
        player = state.player
        hand = hide(state, player, seats)
        action = ask(seats.acts[player], given(state, shown, seats), seats.memories[player])
        state.hands[player] = hand
        if action < 0 or action >= count_actions(state):
            return action if action != ALL_LEGAL else -1
        announce(state, action, event)
        if not is_legal(state, event):
            return action
        if state.turn < len(log):
            log[state.turn] = action
        take_turn(state, deck, event)
        for observer in range(state.players):
            if (seats.watches[observer] >> event.kind) & 1:
                hand = hide(state, observer, seats)
                tell(
                    seats.observes[observer],
                    given(state, shown, seats),
                    given(event, told, seats),
                    seats.memories[observer],
                )
                state.hands[observer] = hand
    return ALL_LEGAL


@kernel
def hide(state: State, observer: int, seats: Seats) -> int:
    """Turn the state into a player's view; the answer is the hand to put back afterwards."""
    hand = state.hands[observer]
    state.observer = observer
    if not seats.open_eyes[observer]:
        state.hands[observer] = HIDDEN_HAND
    return hand


@kernel
def given(record: Any, room: Any, seats: Seats) -> Any:
    """What a player is handed: the thing itself, or a copy that can be written to in vain."""
    if seats.guarded:
        return snapshot(record, room)
    return record


def set_table(rules: Rules, strategies: Sequence[Strategy], *, compiled: bool) -> Table:
    """Seat one strategy for each player."""
    if len(strategies) != rules.players:
        raise StrategyError(f"{len(strategies)} strategies for {rules.players} players")
    for strategy in strategies:
        strategy.check(rules)
    ours = all(TRUSTED.issuperset(_functions(strategy)) for strategy in strategies)
    make = _compiled_table if compiled else _interpreted_table
    return make(rules, strategies, int(not (ours and compiled)))


def play_chunk(
    rules: Rules,
    strategies: Sequence[Strategy],
    seed: int,
    first: int,
    count: int,
    *,
    repeats: int = 1,
    compiled: bool = True,
) -> Any:
    """Games `first` to `first` + `count` - 1 of a seed: a row of `COLUMNS` for each.

    A pure function of its arguments, whoever runs it and in whatever order.
    """
    table = set_table(rules, strategies, compiled=compiled)
    games = count * repeats
    rows: Any
    if compiled:
        import numpy as np

        from hanabilab.core import native

        rows = np.zeros((games, len(COLUMNS)), np.int64)
        arguments = (table, seed, first, count, repeats, rows)
        done = native.compile_loop(play_games, *map(native.typeof, arguments))(*arguments)
    else:
        rows = [[0] * len(COLUMNS) for _ in range(games)]
        done = play_games(table, seed, first, count, repeats, rows)
    if done < games:
        player, turn, action = (int(number) for number in rows[done][:3])
        game = first + done // repeats
        raise illegal_choice(strategies[player], player, action, turn, seed, game)
    return rows


def illegal_choice(
    strategy: Strategy, player: int, action: int, turn: int, seed: int, game: int
) -> StrategyError:
    """The error that names who chose an illegal action, and where."""
    return StrategyError(
        f"{strategy.name}, player {player}, chose action {action} in turn {turn + 1} "
        f"of game {game} of seed {seed}, which is not legal"
    )


def _functions(strategy: Strategy) -> list[Any]:
    return [strategy.act, strategy.observe, strategy.begin]


TRUSTED = {None, *(function for ours in OWN for function in _functions(ours))}
"""Functions that do not write to what they are handed."""


def _interpreted_table(rules: Rules, strategies: Sequence[Strategy], guarded: int) -> Table:
    seats = Seats(guarded=guarded)
    seats.acts = [answering_whole_numbers(strategy) for strategy in strategies]
    seats.observes = [strategy.observe for strategy in strategies]
    seats.watches = [_watches(strategy) for strategy in strategies]
    seats.begins = [strategy.begin for strategy in strategies]
    seats.templates = [strategy.fresh_memory() for strategy in strategies]
    seats.memories = [strategy.memory() for strategy in strategies]
    seats.open_eyes = [int(strategy.sees_own_cards) for strategy in strategies]
    cards = box(rules)
    return Table(
        opening(rules), cards, State(), cards[:], Event(), Dice(), seats, View(), Event(), None
    )


def _compiled_table(rules: Rules, strategies: Sequence[Strategy], guarded: int) -> Table:
    import numpy as np

    seats = Seats(guarded=guarded)
    memories = [pack(strategy.fresh_memory()).view(np.int64) for strategy in strategies]
    widest = max(map(len, memories))
    room = room_for(2 * len(memories) * widest).reshape(2, len(memories), widest)
    for seat, (strategy, memory) in enumerate(zip(strategies, memories, strict=True)):
        seats.acts[seat], seats.observes[seat], seats.begins[seat] = _addresses(strategy)
        room[0, seat, : len(memory)] = memory
        seats.templates[seat] = room[0, seat].ctypes.data
        seats.memories[seat] = room[1, seat].ctypes.data
        seats.words[seat] = len(memory)
        seats.watches[seat] = _watches(strategy)
        seats.open_eyes[seat] = int(strategy.sees_own_cards)
    cards: Any = np.array(box(rules), np.int64)
    records = [opening(rules), State(), Event(), Dice(), seats, View(), Event()]
    start, state, event, dice, packed_seats, shown, told = (pack(record)[0] for record in records)
    deck: Any = room_for(len(cards))
    return Table(start, cards, state, deck, event, dice, packed_seats, shown, told, room)


def answering_whole_numbers(strategy: Strategy) -> Callable[[View, Any], int]:
    """Its `act`, with an error for an answer that is no number."""

    def act(view: View, memory: Any) -> int:
        player, turn = view.player, view.turn
        action = strategy.act(view, memory)
        if isinstance(action, bool) or not hasattr(action, "__index__"):
            raise StrategyError(
                f"{strategy.name}, player {player}, answered {action!r} in turn {turn + 1}, "
                "which is not the number of an action"
            )
        return operator.index(action)

    return act


def _watches(strategy: Strategy) -> int:
    return strategy.watches if strategy.observe else 0


def _addresses(strategy: Strategy) -> tuple[int, int, int]:
    """Compile a strategy's functions."""
    from hanabilab.core import native

    if not strategy.can_compile:
        raise StrategyError(
            f"{strategy.name} is plain Python: mark its functions with hanabilab.kernel, "
            "or run it interpreted"
        )
    view, event = native.record_type(View), native.record_type(Event)
    memory = native.record_type(strategy.memory)
    integer, compile_callback = native.integer, native.compile_callback
    act = compile_callback(strategy.act, integer, view, memory)
    observe = begin = 0
    if strategy.observe:
        observe = compile_callback(strategy.observe, native.nothing, view, event, memory)
    if strategy.begin:
        begin = compile_callback(strategy.begin, integer, view, memory)
    return act, observe, begin
