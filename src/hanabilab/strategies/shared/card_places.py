"""Hands in which a drawn card takes the place of the old one.

Our slots are in order of age. In some authors' programs a card stays where it is and the drawn one
fills the gap; "the first card" is then another one. A memory that starts with the fields of
`Places` knows where every player holds each card, if its strategy has this `begin` and `observe`.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.game.actions import DISCARD, PLAY, Event
from hanabilab.game.cards import MAX_HAND, MAX_PLAYERS
from hanabilab.game.view import View
from hanabilab.strategies.shared.own_hand import OwnHand

__all__ = ["MOVES", "Places", "begin", "first_slot", "observe"]

MOVES = 1 << PLAY | 1 << DISCARD
"""The kinds of events that `observe` needs."""

NOWHERE = MAX_HAND


class Places(OwnHand):
    """Where each card is held."""

    places: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)


@kernel
def begin(view: View, memory: Places) -> int:
    """The first cards are held in the order in which they came."""
    for player in range(view.players):
        for slot in range(view.hand_size):
            memory.places[player][slot] = slot
    return 0


@kernel
def observe(view: View, event: Event, memory: Places) -> None:
    """After a play or a discard the drawn card, now the youngest, takes the old one's place."""
    if event.kind == PLAY or event.kind == DISCARD:
        places = memory.places[event.player]
        place = places[event.slot]
        for slot in range(event.slot, view.hand_size - 1):
            places[slot] = places[slot + 1]
        if event.drew:
            places[view.hand_count[event.player] - 1] = place


@kernel
def first_slot(view: View, memory: Places, player: int, slots: int) -> int:
    """Of some slots of a player, not none, the one that is held first."""
    best = 0
    first = NOWHERE
    for slot in range(view.hand_count[player]):
        if (slots >> slot) & 1 and memory.places[player][slot] < first:
            best = slot
            first = memory.places[player][slot]
    return best
