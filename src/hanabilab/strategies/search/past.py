"""The game so far, replayed in an imagined world: what others remember and would have done.

All that happened before the player drew the oldest of its present cards is the same in every world:
since then all older ones have come to light. It is played again only once, and `Mind.earlier` keeps
what the players remembered at that moment.
"""

from __future__ import annotations

from hanabilab.core.invoke import restart
from hanabilab.core.kernel import kernel
from hanabilab.core.random import coin_stream
from hanabilab.core.record import assign
from hanabilab.game.actions import announce
from hanabilab.game.cards import HIDDEN_HAND, put_card
from hanabilab.game.turn import take_turn
from hanabilab.strategies.search.history import BEFORE_THE_GAME
from hanabilab.strategies.search.mind import Mind
from hanabilab.strategies.seats import choose, see_start, show_turn
from hanabilab.strategies.strategy import FAILED

__all__ = ["BOUNDLESS", "relive"]

BOUNDLESS = 1 << 30
"""More surprises than a game has turns."""
PARTNERS = 1
"""The purpose of the coins of imagined partners in the past."""


@kernel
def relive(memory: Mind, patience: int) -> int:
    """Let all players live through the game so far in this world, and keep what they remember.

    Return how many of the partners' last actions the blueprint would not have chosen, but give up
    once there are more of them than `patience`.
    """
    me = memory.present.observer
    take_up_past(memory, me)
    known = memory.drawn[0] if memory.present.hand_count[me] else memory.turns
    if known > memory.past_turn:
        play_again(memory, me, known, BOUNDLESS)
        keep(memory, memory.earlier)
        assign(memory.past, memory.table)
        memory.past_turn = known
    surprises = play_again(memory, me, memory.turns, patience)
    if surprises <= patience and not memory.public:
        choose(memory.table, me, memory.seats, memory.shown)
        keep(memory, memory.now)
    return surprises


@kernel
def take_up_past(memory: Mind, me: int) -> None:
    """Go back to the moment of `Mind.earlier`, or to the start."""
    seats = memory.seats
    if memory.past_turn != BEFORE_THE_GAME:
        assign(memory.table, memory.past)
        recall(memory, memory.earlier)
        return
    assign(memory.table, memory.start)
    hand = HIDDEN_HAND
    for slot in range(memory.start.hand_count[me]):
        hand = put_card(hand, slot, memory.world[memory.first_place + slot])
    memory.table.hands[me] = hand
    recall(memory, seats.templates)
    for player in range(count_memories(memory)):
        see_start(memory.table, player, seats, memory.shown)


@kernel
def count_memories(memory: Mind) -> int:
    """Return how many memories there are at the imagined table: one if all players share it."""
    return 1 if memory.seats.shared else memory.start.rules.players


@kernel
def recall(memory: Mind, memories: list[int]) -> None:
    """Give every player a memory of a moment, and coins of this world."""
    seats = memory.seats
    for player in range(count_memories(memory)):
        coins = coin_stream(memory.origin, player, PARTNERS)
        restart(seats.memories[player], memories[player], seats.words[player], coins)


@kernel
def keep(memory: Mind, memories: list[int]) -> None:
    """Keep what every player remembers at this moment."""
    seats = memory.seats
    for player in range(count_memories(memory)):
        restart(memories[player], seats.memories[player], seats.words[player], 0)


@kernel
def play_again(memory: Mind, me: int, until: int, patience: int) -> int:
    """Take the turns that were taken; return how many the blueprint would not have taken."""
    table = memory.table
    event = memory.event
    seats = memory.seats
    surprises = 0
    for turn in range(table.turn - memory.start.turn, until):
        action = choose(table, table.player, seats, memory.shown)
        taken = memory.log[turn]
        if action == FAILED:
            memory.failed = 1
        if action != taken and table.player != me and turn + memory.history >= memory.turns:
            surprises += 1
            if surprises > patience:
                break
        announce(table, taken, event)
        take_turn(table, memory.world, event)
        show_turn(table, event, seats, memory.shown, memory.told)
    if table.end == FAILED:
        memory.failed = 1
    return surprises
