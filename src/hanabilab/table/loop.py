"""The game loop, interpreted or compiled with identical results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hanabilab.core.compile_times import PendingCompilation, due
from hanabilab.core.invoke import reset
from hanabilab.core.kernel import kernel
from hanabilab.core.machine_code import dry_run, is_cached
from hanabilab.core.random import Rng, private_stream
from hanabilab.core.record import aligned_buffer, pack
from hanabilab.errors import KernelRunError, StrategyError
from hanabilab.game.actions import Event, decode_action
from hanabilab.game.cards import MAX_PLAYERS
from hanabilab.game.deck import STRATEGY_STREAMS, card_multiset, shuffle_deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, View, initial_state
from hanabilab.game.turn import can_score, deal, final_score, take_turn
from hanabilab.strategies.seats import (
    FailedTurnError,
    Seats,
    play_to_end,
    show_start,
    take_seat,
    words_needed,
)
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.failure import FailedGame

__all__ = [
    "COLUMNS",
    "Table",
    "log_game",
    "make_table",
    "pending_compilation",
    "play_chunk",
    "play_deck",
    "play_games",
    "run_kernel",
    "turns_with_points",
]

COLUMNS = ("score", "turns", "misplays", "end")
"""The columns recorded for each game."""


class Table(NamedTuple):
    """All data of a game loop."""

    initial_state: State
    cards: list[int]
    state: State
    deck: list[int]
    event: Event
    rng: Rng
    seats: Seats
    view_scratch: View
    """Scratch space for a copy of the state, for strategies that are given one."""
    event_scratch: Event
    """Scratch space for a copy of an event."""
    buffer: Any
    """The buffer of the memories, which must live as long as the table."""


@kernel
def play_games(
    table: Table,
    seed: int,
    first: int,
    count: int,
    repeats: int,
    logs: Sequence[list[int]],
    rows: list[list[int]],
) -> int:
    """Play games `first`, `first` + 1, … of a seed, each `repeats` times, and fill the rows.

    Each log receives the actions of its game, as far as they fit.

    Return the number of games played. An illegal action stops the run early and leaves the table in
    its current state.
    """
    row = 0
    for game in range(first, first + count):
        shuffle_deck(table.deck, table.cards, table.rng, seed, game)
        for repeat in range(repeats):
            if not play_deck(table, seed, game, repeat, logs[row]):
                return row
            rows[row][0] = final_score(table.state)
            rows[row][1] = table.state.turn
            rows[row][2] = table.state.rules.max_lives - table.state.lives
            rows[row][3] = table.state.end
            row += 1
    return row


@kernel
def play_deck(table: Table, seed: int, game: int, repeat: int, log: list[int]) -> bool:
    """Play the deck on the table once and log the actions, as far as they fit.

    Return False if the game stops at an illegal action (`play_to_end`).
    """
    deal(table.state, table.initial_state, table.deck)
    seats = table.seats
    for player in range(table.state.rules.players):
        purpose = STRATEGY_STREAMS + repeat * MAX_PLAYERS + player
        reset(
            seats.memories[player],
            seats.templates[player],
            seats.words[player],
            private_stream(seed, game, purpose),
        )
    for player in range(table.state.rules.players):
        show_start(table.state, player, seats, table.view_scratch)
    return play_to_end(
        table.state, table.deck, table.event, seats, table.view_scratch, table.event_scratch, log
    )


@kernel
def log_game(table: Table, seed: int, game: int, repeat: int, log: list[int]) -> bool:
    """Replay one game of a run and log its actions."""
    shuffle_deck(table.deck, table.cards, table.rng, seed, game)
    return play_deck(table, seed, game, repeat, log)


@kernel
def turns_with_points(table: Table, log: list[int]) -> int:
    """Return the turns of the logged game until its score could no longer rise."""
    state, turns = table.state, table.state.turn
    deal(state, table.initial_state, table.deck)
    while state.turn < turns and (state.turn == 0 or can_score(state)):
        decode_action(state, log[state.turn], table.event)
        take_turn(state, table.deck, table.event)
    return state.turn


def make_table(rules: Rules, strategies: Sequence[Strategy], *, compiled: bool) -> Table:
    """Return a table with one strategy in each seat."""
    if len(strategies) != rules.players:
        raise StrategyError(f"{len(strategies)} strategies for {rules.players} players")
    for strategy in strategies:
        strategy.check(rules)
    ours = all(strategy.in_package for strategy in strategies)
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
    logs: Any = None,
) -> Any:
    """Play games `first` to `first` + `count` - 1 of a seed; return a row of `COLUMNS` for each.

    This is a pure function of its arguments. `logs`, if given, is an array with a row for each
    game, which receives as many actions as fit.
    """
    table = make_table(rules, strategies, compiled=compiled)
    games = count * repeats
    rows: Any
    if compiled:
        import numpy as np

        rows = np.zeros((games, len(COLUMNS)), np.int64)
        logs = np.zeros((games, 0), np.int64) if logs is None else logs
    else:
        rows = [[0] * len(COLUMNS) for _ in range(games)]
        logs = [[]] * games if logs is None else logs
    try:
        done = run_kernel(
            play_games, table, seed, first, count, repeats, logs, rows, compiled=compiled
        )
    except (FailedTurnError, KernelRunError) as failure:
        done = next(row for row, (_, turns, *_) in enumerate(rows) if not turns)
        game, repeat = divmod(done, repeats)
        played = FailedGame(rules, strategies, seed, first + game, repeat)
        raise played.failure(failure, table.state) from failure
    if done < games:
        game, repeat = divmod(done, repeats)
        raise FailedGame(rules, strategies, seed, first + game, repeat).illegal(table)
    return rows


def run_kernel(function: Callable[..., int], *arguments: Any, compiled: bool) -> int:
    """Run a kernel, compiled for these arguments or interpreted."""
    if not compiled:
        return function(*arguments)
    from hanabilab.core import machine_code

    return int(machine_code.run(function, *arguments))


def _interpreted_table(rules: Rules, strategies: Sequence[Strategy], guarded: int) -> Table:
    seats = Seats(guarded=guarded)
    for player, strategy in enumerate(strategies):
        take_seat(seats, player, strategy, None)
    cards = card_multiset(rules)
    return Table(
        initial_state(rules),
        cards,
        State(),
        cards[:],
        Event(),
        Rng(),
        seats,
        View(),
        Event(),
        None,
    )


def _compiled_table(rules: Rules, strategies: Sequence[Strategy], guarded: int) -> Table:
    import numpy as np

    seats = Seats(guarded=guarded)
    buffer = aligned_buffer(sum(map(words_needed, strategies)))
    rest = buffer
    for player, strategy in enumerate(strategies):
        rest = take_seat(seats, player, strategy, rest)
    cards: Any = np.array(card_multiset(rules), np.int64)
    records = [initial_state(rules), State(), Event(), Rng(), seats, View(), Event()]
    start, state, event, rng, packed_seats, view_scratch, event_scratch = (
        pack(record)[0] for record in records
    )
    deck: Any = aligned_buffer(len(cards))
    return Table(
        start, cards, state, deck, event, rng, packed_seats, view_scratch, event_scratch, buffer
    )


def pending_compilation(rules: Rules, strategies: Sequence[Strategy]) -> PendingCompilation:
    """Return what must be compiled before these strategies can play; falsy if nothing."""
    compiled = [strategy for strategy in strategies if strategy.can_compile]
    if len(compiled) < len(strategies):
        return due(())  # one that is plain Python makes the whole game interpreted
    with dry_run() as missing:
        make_table(rules, strategies, compiled=True)
    if not is_cached(play_games):
        missing.append(play_games.__qualname__)
    return due(dict.fromkeys(missing))
