"""The game so far: recorded, and replayed in imagined worlds.

A replay shows what the partners would remember if the player held other cards, and whether the
blueprint would have acted as they did. Everything before the player drew the oldest of its present
cards is the same in every world, since all older ones have come to light: it is replayed once, and
a checkpoint holds the result.
"""

from __future__ import annotations

from hanabilab.core.invoke import reset
from hanabilab.core.kernel import kernel
from hanabilab.core.random import private_stream
from hanabilab.core.record import assign
from hanabilab.game.actions import (
    DISCARD,
    HINT_SUIT,
    PASS,
    PLAY,
    Event,
    decode_action,
    discard_deck,
    play_deck,
)
from hanabilab.game.cards import HIDDEN_HAND, card_in, put_card
from hanabilab.game.state import View
from hanabilab.game.turn import take_turn
from hanabilab.strategies.search.memory import MOST_TURNS, SearchMemory
from hanabilab.strategies.seats import choose_action, show_start, show_turn

__all__ = ["BEFORE_THE_GAME", "UNLIMITED", "remember_start", "remember_turn", "replay_history"]

BEFORE_THE_GAME = -1


@kernel
def remember_start(view: View, memory: SearchMemory) -> None:
    """Keep the table as it was dealt."""
    log = memory.log
    assign(log.start, view)
    log.turns = 0
    log.dealt = 0
    memory.checkpoint.turn = BEFORE_THE_GAME
    for player in range(view.rules.players):
        if player == view.observer:
            log.first_place = log.dealt
        for slot in range(view.hand_count[player]):
            if player == view.observer:
                log.places[slot] = log.dealt
                log.drawn[slot] = BEFORE_THE_GAME
            log.deck[log.dealt] = card_in(view.hands[player], slot)
            log.dealt += 1


@kernel
def remember_turn(view: View, event: Event, memory: SearchMemory) -> None:
    """Keep what was done, and the cards that it brought to light."""
    log = memory.log
    if log.turns < MOST_TURNS:
        log.actions[log.turns] = number_of(view, event)
    if event.kind == PLAY or event.kind == DISCARD:
        if event.player == view.observer:
            log.deck[log.places[event.slot]] = event.card
            replace_own(view, event, memory)
        if event.drew:
            youngest = view.hand_count[event.player] - 1
            log.deck[log.dealt] = card_in(view.hands[event.player], youngest)
            log.dealt += 1
    log.turns += 1


@kernel
def replace_own(view: View, event: Event, memory: SearchMemory) -> None:
    """Follow the player's own cards: the younger ones move down a slot."""
    log = memory.log
    youngest = view.hand_count[event.player] - event.drew
    for slot in range(event.slot, youngest):
        log.places[slot] = log.places[slot + 1]
        log.drawn[slot] = log.drawn[slot + 1]
    if event.drew:
        log.places[youngest] = log.dealt
        log.drawn[youngest] = log.turns


@kernel
def number_of(view: View, event: Event) -> int:
    """Return the number of an action that was taken; it is no longer that player's turn."""
    if event.slot == view.rules.hand_size:  # the last card of the draw pile
        return play_deck(view) if event.kind == PLAY else discard_deck(view)
    if event.kind == DISCARD:
        return event.slot
    if event.kind == PLAY:
        return view.rules.hand_size + event.slot
    first = 2 * view.rules.hand_size
    if event.kind == PASS:
        return first
    others = event.target - event.player - 1
    if others < 0:
        others += view.rules.players
    if event.kind == HINT_SUIT:
        return first + others * view.rules.suits + event.value
    return (
        first
        + (view.rules.players - 1) * view.rules.suits
        + others * view.rules.ranks
        + event.value
        - 1
    )


UNLIMITED = 1 << 30
"""More surprises than a game has turns."""
PAST_STREAM = 1
"""The purpose of the stream of imagined partners in the past."""


@kernel
def replay_history(memory: SearchMemory, most_surprises: int) -> int:
    """Replay the game so far in this world for all players, and save their memories.

    Return how many of the partners' last actions the blueprint would not have chosen, but give up
    once there are more of them than `most_surprises`.
    """
    me = memory.world.state.observer
    restore_checkpoint(memory, me)
    known = memory.log.drawn[0] if memory.world.state.hand_count[me] else memory.log.turns
    if known > memory.checkpoint.turn:
        replay_turns(memory, me, known, UNLIMITED)
        save_memories(memory, memory.checkpoint.memories)
        assign(memory.checkpoint.state, memory.table.state)
        memory.checkpoint.turn = known
    surprises = replay_turns(memory, me, memory.log.turns, most_surprises)
    if surprises <= most_surprises and not memory.blueprint.public:
        choose_action(memory.table.state, me, memory.blueprint.seats, memory.table.view_scratch)
        save_memories(memory, memory.world.memories)
    return surprises


@kernel
def restore_checkpoint(memory: SearchMemory, me: int) -> None:
    """Go back to the checkpoint, or to the start of the game."""
    seats = memory.blueprint.seats
    if memory.checkpoint.turn != BEFORE_THE_GAME:
        assign(memory.table.state, memory.checkpoint.state)
        restore_memories(memory, memory.checkpoint.memories)
        return
    assign(memory.table.state, memory.log.start)
    hand = HIDDEN_HAND
    for slot in range(memory.log.start.hand_count[me]):
        hand = put_card(hand, slot, memory.world.deck[memory.log.first_place + slot])
    memory.table.state.hands[me] = hand
    restore_memories(memory, seats.templates)
    for player in range(count_memories(memory)):
        show_start(memory.table.state, player, seats, memory.table.view_scratch)


@kernel
def count_memories(memory: SearchMemory) -> int:
    """Return how many memories there are at the imagined table: one if all players share it."""
    return 1 if memory.blueprint.seats.shared else memory.log.start.rules.players


@kernel
def restore_memories(memory: SearchMemory, memories: list[int]) -> None:
    """Give every player a memory of a moment, and stream of this world."""
    seats = memory.blueprint.seats
    for player in range(count_memories(memory)):
        stream = private_stream(memory.world.origin, player, PAST_STREAM)
        reset(seats.memories[player], memories[player], seats.words[player], stream)


@kernel
def save_memories(memory: SearchMemory, memories: list[int]) -> None:
    """Keep what every player remembers at this moment."""
    seats = memory.blueprint.seats
    for player in range(count_memories(memory)):
        reset(memories[player], seats.memories[player], seats.words[player], 0)


@kernel
def replay_turns(memory: SearchMemory, me: int, until: int, most_surprises: int) -> int:
    """Take the turns that were taken; return how many the blueprint would not have taken."""
    table = memory.table.state
    event = memory.table.event
    seats = memory.blueprint.seats
    surprises = 0
    for turn in range(table.turn - memory.log.start.turn, until):
        taken = memory.log.actions[turn]
        counts = table.player != me and turn + memory.history >= memory.log.turns
        if counts or not memory.blueprint.public:  # who acts may remember why
            action = choose_action(table, table.player, seats, memory.table.view_scratch)
            if counts and action != taken:
                surprises += 1
                if surprises > most_surprises:
                    break
        decode_action(table, taken, event)
        take_turn(table, memory.world.deck, event)
        show_turn(table, event, seats, memory.table.view_scratch, memory.table.event_scratch)
    return surprises
