"""Hands in which a drawn card takes the place of the card that left.

Our slots are in order of age. In some authors' programs cards stay where they are and the drawn one
fills the gap, so "the first card" may be a different one. A memory that starts with the fields of
`Places` knows where every player holds each card, if its strategy uses this `begin` and `observe`.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.game.actions import DISCARD, PLAY, Event
from hanabilab.game.cards import MAX_HAND, MAX_PLAYERS
from hanabilab.game.state import View
from hanabilab.strategies.shared.own_hand import OwnHand

__all__ = ["MOVES", "Places", "begin", "first_slot", "observe"]

MOVES = 1 << PLAY | 1 << DISCARD
"""The kinds of events that `observe` needs."""

NOWHERE = MAX_HAND


class Places(OwnHand):
    """Where every player holds each card."""

    places: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)


@kernel
def begin(view: View, memory: Places) -> int:
    """Place the first cards in the order in which they were dealt."""
    for player in range(view.rules.players):
        for slot in range(view.rules.hand_size):
            memory.places[player][slot] = slot
    return 0


@kernel
def observe(view: View, event: Event, memory: Places) -> None:
    """After a play or a discard, put the drawn card, now the youngest, in the free place."""
    if event.kind == PLAY or event.kind == DISCARD:
        places = memory.places[event.player]
        place = places[event.slot]
        for slot in range(event.slot, view.rules.hand_size - 1):
            places[slot] = places[slot + 1]
        if event.drew:
            places[view.hand_count[event.player] - 1] = place


@kernel
def first_slot(view: View, memory: Places, player: int, slots: int) -> int:
    """Return which of a player's `slots` has the lowest place, or 0 if there are none."""
    best = 0
    first = NOWHERE
    for slot in range(view.hand_count[player]):
        if (slots >> slot) & 1 and memory.places[player][slot] < first:
            best = slot
            first = memory.places[player][slot]
    return best
