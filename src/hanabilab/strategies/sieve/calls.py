"""Which card an action calls: the neighbours of touched cards, and the cards that can fit.

The constants name what a hint means and what called a card.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.state import View, rank_cards
from hanabilab.strategies.sieve.memory import SPECIAL_LEVEL, Table
from hanabilab.strategies.sieve.tables import (
    call_to_play,
    highest,
    meaning,
    plays_of,
    sieve_newest,
    successors,
    unhinted,
)
from hanabilab.strategies.strategy import NONE

__all__ = [
    "BLUFF",
    "COPY",
    "DIRECT",
    "DISCARD_CALL",
    "DOUBLE_BLUFF",
    "EMPTY",
    "FIX",
    "LOADED_PLAY",
    "LOCK",
    "LOCKED_PLAY",
    "NOTE",
    "PLAYABLE_RANK",
    "PRIORITY",
    "PROMPT",
    "REFERENTIAL_PLAY",
    "RESET",
    "REVEAL",
    "STALL",
    "TRASH_PUSH",
    "UNLOCK",
    "call_discard",
    "call_next",
    "expected_playable",
    "push",
    "target_on_left",
    "target_on_right",
    "touched_that_may_be",
    "warrant",
]

REVEAL, FIX, TRASH_PUSH, REFERENTIAL_PLAY, PLAYABLE_RANK, LOADED_PLAY = 1, 2, 3, 4, 5, 6
DISCARD_CALL, LOCK, PROMPT, BLUFF, DOUBLE_BLUFF, STALL, LOCKED_PLAY = 7, 8, 9, 10, 11, 12, 13
EMPTY, UNLOCK, COPY, DIRECT, RESET, NOTE, PRIORITY = 14, 15, 16, 17, 18, 19, 20
"""What a hint means, EMPTY if the convention gives it no meaning here; what else calls a card: an
unlock promise, the discard of a copy, an elimination note, a play out of priority."""
TWO = 2
"""The rank whose cards are always kept, unless there is a copy."""


@kernel
def candidates(table: Table, target: int, new: int) -> int:
    """Return the slots that a hint can call: those untouched before it and not called yet."""
    return (unhinted(table, target) | new) & ~table.called[target]


@kernel
def target_on_left(table: Table, target: int, new: int) -> int:
    """Return the newest slot that is the left neighbour of a touched one, or NONE.

    The neighbour of the newest card is the oldest one.
    """
    free = candidates(table, target, new)
    best = NONE
    while new and free:
        slot = lowest(new)
        new &= new - 1
        above = free >> (slot + 1) << (slot + 1)
        best = max(best, lowest(above) if above else lowest(free))
    return best


@kernel
def target_on_right(table: Table, target: int, new: int) -> int:
    """Return the oldest slot that is the right neighbour of a touched one, or NONE.

    The neighbour of the oldest card is the newest one.
    """
    free = candidates(table, target, new)
    best = NONE
    while new and free:
        slot = lowest(new)
        new &= new - 1
        below = free & ((1 << slot) - 1)
        neighbour = highest(below) if below else highest(free)
        best = neighbour if best == NONE else min(best, neighbour)
    return best


@kernel
def call_next(view: View, table: Table, target: int, slot: int, said: int) -> int:
    """Call a card to be played, after those that are called; return `said`, EMPTY if it cannot."""
    if slot == NONE:
        return EMPTY
    cards = expected_playable(view, table, target)
    return said if call_to_play(table, target, slot, cards, said) else EMPTY


@kernel
def expected_playable(view: View, table: Table, target: int) -> int:
    """Return the cards that fit once the target has answered all earlier calls."""
    fitting = table.playable
    slots = table.called[target] | plays_of(table, target)
    for _ in range(table.count[target]):
        known = 0
        for slot in range(table.count[target]):
            if slots >> slot & 1:
                known |= meaning(table, target, slot) & fitting
        fitting |= successors(view, known) & ~table.dead
    return fitting


@kernel
def push(view: View, table: Table, target: int, new: int) -> int:
    """Read a hint that newly touches nothing but trash: play the left neighbour that can fit."""
    free = candidates(table, target, new) & ~new
    slot = target_on_left(table, target, new)
    for _ in range(table.count[target]):
        if free == 0 or slot == NONE:
            return EMPTY
        able = not new >> slot & 1
        if able and call_next(view, table, target, slot, TRASH_PUSH) != EMPTY:
            return TRASH_PUSH
        above = free >> (slot + 1) << (slot + 1)
        slot = lowest(above) if above else lowest(free)
    return EMPTY


@kernel
def call_discard(view: View, table: Table, target: int, new: int, stalling: bool) -> int:
    """Call the card to the right of the newest touched one to be discarded; without one, lock."""
    free = unhinted(table, target) & ~table.called[target]
    below = free & ((1 << highest(new)) - 1)
    if below:
        table.thrown[target] |= 1 << highest(below)
        warrant(view, table, target, highest(below))
        return DISCARD_CALL
    if stalling:
        return STALL
    sieve_newest(table, target)
    return LOCK


@kernel
def touched_that_may_be(table: Table, player: int, card: int) -> int:
    """Return the touched slots that may hold a card."""
    slots = 0
    for slot in range(table.count[player]):
        if table.touched[player] >> slot & 1 and meaning(table, player, slot) & card:
            slots |= 1 << slot
    return slots


@kernel
def warrant(view: View, table: Table, player: int, slot: int) -> None:
    """Note which cards a player would not be let discard from a slot without another copy in hand.

    These are the cards that will be playable after the known plays of both, and twos; not those
    that the partner is known to hold.
    """
    if table.level < SPECIAL_LEVEL:
        return
    known = table.known[0] | table.known[1]
    coming = table.playable
    for _ in range(view.rules.ranks):
        coming |= successors(view, coming & known)
    wanted = coming | rank_cards(view, TWO)
    table.warranted[player][slot] = wanted & ~table.dead & ~table.known[1 - player]
    table.since[player][slot] = table.pile
