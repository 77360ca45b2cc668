"""What is publicly known about every card: the tables that each player keeps, all of them equal."""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.record import ints
from hanabilab.game.actions import Event
from hanabilab.game.cards import (
    MAX_HAND,
    MAX_PLAYERS,
    PLANES,
    any_copy,
    move_down,
    take_copy,
    without_bit,
)
from hanabilab.game.state import View
from hanabilab.strategies.strategy import Memory

__all__ = [
    "InformationNotes",
    "eliminate",
    "exhausted_cards",
    "forget_card",
    "narrow",
    "open_tables",
    "unsure_slots",
]


class InformationNotes(Memory):
    """The public tables of possible cards, the same for everyone, and room for private ones."""

    reading: int
    public: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)
    """For each slot, the cards it may be by public information."""
    identified: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots with one possible card, whose copy is accounted for."""
    unaccounted: list[int] = ints(PLANES)
    """The copies of each card that are not publicly accounted for."""
    exhausted: int
    """The cards without such a copy, removed from the tables already."""
    single: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that have just been left with one possible card."""
    unseen: list[int] = ints(PLANES)
    """The copies of each card that the player does not see."""
    private: list[int] = ints(MAX_HAND)
    """For each slot of the player's own hand, the cards it may be by private information."""
    target: list[int] = ints(MAX_PLAYERS)
    """For each player, the slot that a hint is about, or NONE."""
    told: list[int] = ints(MAX_PLAYERS)
    """For each player, the hint set that the card in this slot belongs to."""
    read: int
    """The number of turns at which the player's own hint will have been given, for which
    `target` and `told` are worked out already."""


@inlined
@kernel
def open_tables(view: View, memory: InformationNotes) -> None:
    """Start with every card possible in every slot."""
    for plane in range(PLANES):
        memory.unaccounted[plane] = view.left[plane]
    for player in range(view.rules.players):
        for slot in range(view.rules.hand_size):
            memory.public[player][slot] = view.rules.all_cards
        memory.single[player] = unsure_slots(view, memory, player)
    eliminate(view, memory)


@inlined
@kernel
def forget_card(view: View, event: Event, memory: InformationNotes) -> int:
    """Account for a card that has left a hand, and move the younger ones down.

    Return the slot of the card that was drawn, as a set, if it can be one card only.
    """
    player = event.player
    slots = memory.identified[player]
    if not (slots >> event.slot) & 1:
        take_copy(memory.unaccounted, event.card)
    memory.identified[player] = without_bit(slots, event.slot)
    move_down(memory.public[player], event.slot)
    drawn = view.rules.all_cards & ~memory.exhausted
    memory.public[player][view.rules.hand_size - 1] = drawn
    memory.single[player] = int(is_single(drawn)) << (view.rules.hand_size - 1)
    return memory.single[player]


@inlined
@kernel
def narrow(public: list[int], slot: int, cards: int) -> bool:
    """Keep only these cards possible, unless that leaves none: other strategies' hints mislead.

    Return whether one card is left where there were more.
    """
    before = public[slot]
    possible = before & cards if before & cards else before
    public[slot] = possible
    return is_single(possible) & (possible != before)


@inlined
@kernel
def eliminate(view: View, memory: InformationNotes) -> None:
    """Identify slots with one possible card and remove exhausted cards until nothing changes.

    It starts with the slots in `single`; all others follow once another card is exhausted.
    """
    exhausted = exhausted_cards(view, memory)
    player = 0
    unchanged = 0
    while unchanged < view.rules.players:
        before = exhausted
        slots = unsure_slots(view, memory, player)
        if exhausted == memory.exhausted:
            slots &= memory.single[player]
        memory.single[player] = 0
        if slots:
            exhausted = eliminate_in_hand(view, memory, player, slots, exhausted)
        unchanged = unchanged + 1 if exhausted == before else 0
        player = player + 1 if player + 1 < view.rules.players else 0
    memory.exhausted = exhausted


@inlined
@kernel
def eliminate_in_hand(
    view: View, memory: InformationNotes, player: int, slots: int, exhausted: int
) -> int:
    """Do so in these slots of one hand, and return the exhausted cards."""
    public = memory.public[player]
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        possible = public[slot] & ~exhausted
        if possible:
            public[slot] = possible
            if is_single(possible):
                memory.identified[player] |= 1 << slot
                take_copy(memory.unaccounted, lowest(possible))
                before = exhausted
                exhausted = exhausted_cards(view, memory)
                if exhausted != before:
                    slots = unsure_slots(view, memory, player) & (-2 << slot)
    return exhausted


@inlined
@kernel
def unsure_slots(view: View, memory: InformationNotes, player: int) -> int:
    """Return the slots of a hand whose card is not identified."""
    return ((1 << view.hand_count[player]) - 1) & ~memory.identified[player]


@inlined
@kernel
def exhausted_cards(view: View, memory: InformationNotes) -> int:
    """Return the cards of which no copy is publicly unaccounted for."""
    return view.rules.all_cards & ~any_copy(memory.unaccounted)
