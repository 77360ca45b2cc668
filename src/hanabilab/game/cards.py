"""Cards as integers, hands packed into one integer, counts of copies as bit planes.

A card is ``suit * ranks + rank - 1``: suits from 0, ranks from 1. A set of cards is an integer
with one bit per card. A hand is one integer with six bits per slot, slot 0 (the oldest card)
lowest.
"""

from __future__ import annotations

from hanabilab.core.bits import nth_lowest, popcount
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.record import Ints

__all__ = [
    "HIDDEN",
    "HIDDEN_HAND",
    "MAX_CARDS",
    "MAX_HAND",
    "MAX_PLAYERS",
    "MAX_SPECIAL_KINDS",
    "PLANES",
    "SLOT_BITS",
    "add_copy",
    "any_copy",
    "borrow",
    "card_in",
    "count_of",
    "move_down",
    "nth_copy",
    "put_card",
    "take_copy",
    "weight",
    "without_bit",
    "without_slot",
]

MAX_PLAYERS = 10
MAX_HAND = 10  # a hand is packed into one integer, six bits per card
MAX_CARDS = 62  # a set of cards is one integer, one bit per card
MAX_SPECIAL_KINDS = 15  # the kinds of suits, and of ranks, are packed into one integer

SLOT_BITS = 6
HIDDEN = 63
"""Placeholder for a hidden card and for an empty slot."""
HAND_BITS = 60
HIDDEN_HAND = (1 << HAND_BITS) - 1
PLANES = 5


@kernel
def card_in(hand: int, slot: int) -> int:
    """Return the card in a slot of a packed hand."""
    return (hand >> (SLOT_BITS * slot)) & HIDDEN


@kernel
def put_card(hand: int, slot: int, card: int) -> int:
    """Return the hand with `card` in an empty slot."""
    return hand ^ ((card ^ HIDDEN) << (SLOT_BITS * slot))


@kernel
def without_slot(hand: int, slot: int) -> int:
    """Return the hand without one card; newer cards move down a slot."""
    older = hand & ((1 << (SLOT_BITS * slot)) - 1)
    younger = hand >> (SLOT_BITS * (slot + 1))
    moved = older | (younger << (SLOT_BITS * slot))
    return moved | (HIDDEN << (HAND_BITS - SLOT_BITS))


@kernel
def without_bit(slots: int, slot: int) -> int:
    """Return a set of slots after one was emptied; newer slots move down."""
    older = slots & ((1 << slot) - 1)
    return older | ((slots >> (slot + 1)) << slot)


@inlined
@kernel
def move_down(slots: Ints, emptied: int) -> None:
    """Shift an array with one entry per slot after a slot was emptied."""
    for slot in range(MAX_HAND - 1):  # all of them: where to start would be unpredictable
        slots[slot] = slots[slot + int(slot >= emptied)]
    slots[MAX_HAND - 1] = 0


@kernel
def count_of(planes: Ints, card: int) -> int:
    """Return how many copies of a card the bit planes count."""
    count = 0
    for plane in range(PLANES):
        count += ((planes[plane] >> card) & 1) << plane
    return count


@kernel
def take_copy(planes: Ints, card: int) -> None:
    """Remove one copy of a card, which must be there."""
    lacking = 1 << card
    for plane in range(PLANES):  # to the last: where to stop would be unpredictable
        planes[plane] ^= lacking
        lacking &= planes[plane]


@kernel
def borrow(planes: Ints, cards: int, plane: int) -> None:
    """Subtract one from the counts of these cards, borrowing from higher planes."""
    while cards and plane < PLANES:
        planes[plane] ^= cards
        cards &= planes[plane]
        plane += 1


@kernel
def add_copy(planes: Ints, card: int) -> None:
    """Add one copy of a card."""
    carry = 1 << card
    for plane in range(PLANES):
        planes[plane] ^= carry
        carry &= ~planes[plane]


@inlined
@kernel
def any_copy(planes: Ints) -> int:
    """Return the cards with at least one copy in the planes."""
    cards = 0
    for plane in range(PLANES):
        cards |= planes[plane]
    return cards


@kernel
def weight(planes: Ints, depth: int, cards: int) -> int:
    """Return the total number of copies of these cards in the lowest `depth` planes."""
    total = popcount(planes[0] & cards)
    if depth > 1:
        total += popcount(planes[1] & cards) << 1
    if depth > 2:  # some card has more than three copies
        for plane in range(2, PLANES):  # of known length: short code that is inlined
            if plane < depth:
                total += popcount(planes[plane] & cards) << plane
    return total


@kernel
def nth_copy(planes: Ints, depth: int, cards: int, n: int) -> int:
    """Return the card that copy number `n` of these cards belongs to (there must be one)."""
    for plane in range(depth):
        counted = planes[plane] & cards
        here = popcount(counted) << plane
        if n < here:
            return nth_lowest(counted, n >> plane)
        n -= here
    return 0
