"""What players can infer about their own hand, slot by slot, from hints and visible cards.

The memory of a strategy that needs this contains an `OwnHand`, which `infer_own_hand` fills in. A
probability weights each card that the hints allow by the number of copies the player does not see.
The player's own hand counts as unseen, even cards that the player knows for certain.

`CardPlaces` follows hands in which a drawn card takes the place of the card that left.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.record import Record, ints
from hanabilab.game.actions import DISCARD, PLAY, Event
from hanabilab.game.cards import (
    HIDDEN,
    HIDDEN_HAND,
    MAX_HAND,
    MAX_PLAYERS,
    PLANES,
    SLOT_BITS,
    any_copy,
    borrow,
    weight,
)
from hanabilab.game.rules import Rules
from hanabilab.game.state import View, rank_cards, rank_of, suit_cards

__all__ = [
    "MOVES",
    "CardPlaces",
    "OwnHand",
    "count_unseen",
    "first_slot",
    "infer_own_hand",
    "known_ranks",
    "known_suits",
    "reset_places",
    "slots_likely",
    "slots_sure",
    "unsupported_without_hints",
    "update_places",
]

TOLERANCE = 1e-9


class OwnHand(Record):
    """The result of `infer_own_hand`, updated every turn."""

    unseen: list[int] = ints(PLANES)
    """The copies that the player does not see, as bit planes."""
    possible: list[int] = ints(MAX_HAND)
    """For each slot, the cards it may be."""
    copies: list[int] = ints(MAX_HAND)
    """For each slot, the number of unseen copies of its possible cards."""


@kernel
def infer_own_hand(view: View, own: OwnHand) -> None:
    """Infer what each of the observer's own cards may be."""
    cards = count_unseen(view, own.unseen)
    possible = view.possible[view.observer]
    for slot in range(view.hand_count[view.observer]):
        own.possible[slot] = possible[slot] & cards
        own.copies[slot] = weight(own.unseen, view.rules.planes, possible[slot])


@kernel
def count_unseen(view: View, unseen: list[int]) -> int:
    """Count the copies that the observer does not see; return the set of their cards."""
    low, high = view.left[0], view.left[1]
    for plane in range(2, PLANES):
        unseen[plane] = view.left[plane]
    for player in range(view.rules.players):
        if player != view.observer:
            held = view.hands[player] ^ HIDDEN_HAND  # 0 where there is no card
            while held:
                taken = 1 << (held & HIDDEN ^ HIDDEN)
                held >>= SLOT_BITS
                borrowed = taken & ~low
                low ^= taken
                beyond = borrowed & ~high
                high ^= borrowed
                if beyond:  # never, unless there are more than three copies of a card
                    borrow(unseen, beyond, 2)
    unseen[0], unseen[1] = low, high
    return any_copy(unseen)


@kernel
def slots_likely(view: View, own: OwnHand, cards: int, threshold: float) -> int:
    """Return the observer's slots that hold one of `cards` with at least this probability.

    The tolerance keeps 3/5 from missing 0.6.
    """
    slots = 0
    for slot in range(view.hand_count[view.observer]):
        hits = weight(own.unseen, view.rules.planes, own.possible[slot] & cards)
        slots |= int(hits >= (threshold - TOLERANCE) * own.copies[slot]) << slot
    return slots


@kernel
def slots_sure(view: View, own: OwnHand, cards: int) -> int:
    """Return the observer's slots that can hold nothing but one of `cards`."""
    slots = 0
    for slot in range(view.hand_count[view.observer]):
        if own.possible[slot] & ~cards == 0:
            slots |= 1 << slot
    return slots


@kernel
def known_suits(view: View, player: int) -> int:
    """Return the slots whose suit the player knows from hints, including what they exclude."""
    slots = 0
    for slot in range(view.hand_count[player]):
        possible = view.possible[player][slot]
        if possible & ~suit_cards(view, view.rules.suit_of[lowest(possible)]) == 0:
            slots |= 1 << slot
    return slots


@kernel
def known_ranks(view: View, player: int) -> int:
    """Return the slots whose rank the player knows from hints, including what they exclude."""
    slots = 0
    for slot in range(view.hand_count[player]):
        possible = view.possible[player][slot]
        if possible & ~rank_cards(view, rank_of(view, lowest(possible))) == 0:
            slots |= 1 << slot
    return slots


# --- places of cards ------------------------------------------------------------------------------


MOVES = 1 << PLAY | 1 << DISCARD
"""The kinds of events that `update_places` needs."""

NOWHERE = MAX_HAND


class CardPlaces(Record):
    """The place of each card in every hand.

    Our slots are in order of age. In some authors' programs cards stay in place and the drawn card
    fills the gap, so "the first card" may be a different one.
    """

    place: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)


@kernel
def reset_places(view: View, places: CardPlaces) -> None:
    """Place the first cards in the order in which they were dealt."""
    for player in range(view.rules.players):
        for slot in range(view.rules.hand_size):
            places.place[player][slot] = slot


@kernel
def update_places(view: View, event: Event, places: CardPlaces) -> None:
    """After a play or a discard, put the drawn card, now the newest, in the free place."""
    if event.kind == PLAY or event.kind == DISCARD:
        held = places.place[event.player]
        freed = held[event.slot]
        for slot in range(event.slot, view.rules.hand_size - 1):
            held[slot] = held[slot + 1]
        if event.drew:
            held[view.hand_count[event.player] - 1] = freed


@kernel
def first_slot(view: View, places: CardPlaces, player: int, slots: int) -> int:
    """Return the player's slot among `slots` with the lowest place, or 0 if there are none."""
    best = 0
    first = NOWHERE
    for slot in range(view.hand_count[player]):
        if (slots >> slot) & 1 and places.place[player][slot] < first:
            best = slot
            first = places.place[player][slot]
    return best


def unsupported_without_hints(rules: Rules) -> str | None:
    """Return why players who learn their cards from hints cannot play these rules, or None."""
    if rules.open_game:
        return "its players learn their cards from hints, and an open game has none"
    return None
