"""Public tables: for every card in hand, the set of cards that it may be, as everyone knows.

Everyone can draw the same conclusions from hints and from the cards on the table, so everyone keeps
the same tables, and everyone knows that. They hold what is public and nothing else: no table
depends on a card that only some players see, and one copy of them serves every seat.

A slot is *identified* if one card is possible. Its copy is then accounted for; a card without an
unaccounted copy is impossible in all other slots; and so on until nothing changes.

A chance weighs each possible card by its unaccounted copies. It is a whole number of parts of
`CERTAIN`, which is fine enough to tell different fractions of copies apart: chances can be compared
and sorted exactly, and equal fractions are equal.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.game.actions import Event, can_discard
from hanabilab.game.cards import MAX_HAND, PLANES, any_copy, take_copy, weight, without_bit
from hanabilab.game.state import View
from hanabilab.strategies.cheat import NONE
from hanabilab.strategies.strategy import Memory

__all__ = [
    "ALL_WAYS",
    "CERTAIN",
    "MOST_PLAYERS",
    "NONE",
    "SURE_WAYS",
    "Tables",
    "chance",
    "forget_card",
    "open_tables",
    "settle",
    "share",
    "slots_within",
    "useless_slots",
]

MOST_PLAYERS = 6
CERTAIN = 1 << 24
"""The chance 1. Different fractions of at most n copies are 1 / n² apart: enough for n = 4096."""
ALL_WAYS, SURE_WAYS = 4, 2
"""Ways of hinting per target, and those of them that exist in every hand (`ways`)."""


class Tables(Memory):
    """What is public, as it stands before the next turn.

    `observe` sees the table after a turn, but a hint must be read by the table before it; so the
    status of the cards is kept here.
    """

    public: list[list[int]] = ints(MOST_PLAYERS, MAX_HAND)
    """For each slot, the cards that it may be."""
    identified: list[int] = ints(MOST_PLAYERS)
    """For each player, the slots with one possible card, whose copy is accounted for."""
    unaccounted: list[int] = ints(PLANES)
    """Copies of each card that are neither on the table nor publicly identified, as bit planes."""
    playable: int
    dead: int
    critical: int
    ways: int
    """Ways of hinting per target, in the next turn."""


@kernel
def open_tables(view: View, memory: Tables) -> None:
    """Start with every card possible in every slot."""
    for player in range(view.rules.players):
        for slot in range(view.rules.hand_size):
            memory.public[player][slot] = view.rules.all_cards
    count_again(view, memory)
    settle(view, memory)


@kernel
def settle(view: View, memory: Tables) -> None:
    """Update the tables after a turn, and keep the status of the cards for the next one.

    True tables never contradict each other. Where they do, a conclusion was false (as it may be
    beside strangers to the code): what was concluded is forgotten, and the hints' words remain.
    """
    contradicted = account(view, memory)
    if contradicted != NONE:
        take_literally(view, memory, contradicted)
        if account(view, memory) != NONE:
            for player in range(view.rules.players):
                take_literally(view, memory, player)
            account(view, memory)
    memory.playable = view.playable & ~view.dead
    memory.dead = view.dead
    memory.critical = view.critical
    last_chance = view.lives == 1 and not can_discard(view)
    memory.ways = SURE_WAYS if last_chance else ALL_WAYS


@kernel
def take_literally(view: View, memory: Tables, player: int) -> None:
    """Keep only what the words of the hints say about a hand, and count all copies again."""
    for slot in range(view.hand_count[player]):
        memory.public[player][slot] = view.possible[player][slot]
    count_again(view, memory)


@kernel
def count_again(view: View, memory: Tables) -> None:
    """Account for nothing but what lies on the table."""
    for plane in range(PLANES):
        memory.unaccounted[plane] = view.left[plane]
    for player in range(view.rules.players):
        memory.identified[player] = 0


@kernel
def account(view: View, memory: Tables) -> int:
    """Identify slots and remove cards without a copy, until nothing changes.

    Return a player with a slot for which no card is left, or NONE.
    """
    unaccounted = memory.unaccounted
    available = any_copy(unaccounted)
    changed = True
    while changed:
        changed = False
        for player in range(view.rules.players):
            public = memory.public[player]
            slots = ((1 << view.hand_count[player]) - 1) & ~memory.identified[player]
            while slots:
                slot = lowest(slots)
                slots &= slots - 1
                possible = public[slot] & available
                public[slot] = possible
                if is_single(possible):
                    if possible == 0:
                        return player
                    memory.identified[player] |= 1 << slot
                    take_copy(unaccounted, lowest(possible))
                    if not any_copy(unaccounted) & possible:
                        available ^= possible
                        changed = True
    return NONE


@kernel
def forget_card(view: View, event: Event, memory: Tables) -> None:
    """Account for a card that has left a hand, move the younger ones down, and add the new one."""
    account_for(view, event, memory)
    public = memory.public[event.player]
    last = view.hand_count[event.player] - event.drew
    for slot in range(event.slot, last):
        public[slot] = public[slot + 1]
    if event.drew:
        public[last] = view.rules.all_cards


@kernel
def account_for(view: View, event: Event, memory: Tables) -> None:
    """Account for a card that now lies on the table, unless its slot was identified.

    If it is not the card that it was taken for, some table is false: all copies are counted again.
    """
    card = 1 << event.card
    identified = memory.identified[event.player]
    memory.identified[event.player] = without_bit(identified, event.slot)
    if (identified >> event.slot) & 1:
        if memory.public[event.player][event.slot] != card:
            count_again(view, memory)
    elif any_copy(memory.unaccounted) & card:
        take_copy(memory.unaccounted, event.card)
    else:
        count_again(view, memory)


@kernel
def chance(view: View, memory: Tables, possible: int, cards: int) -> int:
    """Return how likely a card that publicly may be any of `possible` is to be one of `cards`."""
    return share(view, memory.unaccounted, possible, cards)


@kernel
def share(view: View, planes: list[int], possible: int, cards: int) -> int:
    """Return the share of `cards` in the copies of the possible ones, in parts of `CERTAIN`.

    A card that is certain need not have a copy left.
    """
    if possible & ~cards == 0:
        return CERTAIN
    if possible & cards == 0:
        return 0
    hits = weight(planes, view.rules.planes, possible & cards)
    return hits * CERTAIN // max(1, weight(planes, view.rules.planes, possible))


@kernel
def slots_within(known: list[int], cards: int, wanted: int) -> int:
    """Return the slots, in a hand of so many cards, that can hold only wanted ones."""
    slots = 0
    for slot in range(cards):
        if known[slot] & ~wanted == 0:
            slots |= 1 << slot
    return slots


@kernel
def useless_slots(known: list[int], cards: int, dead: int) -> int:
    """Return the slots whose cards nobody will miss: dead ones, and identified ones held twice."""
    slots = 0
    for slot in range(cards):
        if known[slot] & ~dead == 0:
            slots |= 1 << slot
        elif is_single(known[slot]):
            for other in range(cards):
                if other != slot and known[other] == known[slot]:
                    slots |= 1 << slot
    return slots
