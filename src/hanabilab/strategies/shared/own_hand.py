"""What players can tell about their own hand, slot by slot, from hints and all cards in sight.

The memory of a strategy that needs this starts with the fields of `OwnHand`; `look` fills them.
A probability weights each card that the hints allow by the number of copies the player does not
see. The player's own hand counts as unseen, even cards that the player knows for certain.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.game.cards import (
    HIDDEN,
    HIDDEN_HAND,
    MAX_HAND,
    PLANES,
    SLOT_BITS,
    any_copy,
    borrow,
    weight,
)
from hanabilab.game.rules import Rules
from hanabilab.game.state import View, rank_cards, rank_of, suit_cards
from hanabilab.strategies.strategy import Memory

__all__ = [
    "OwnHand",
    "count_unseen",
    "known_ranks",
    "known_suits",
    "look",
    "slots_likely",
    "slots_sure",
    "unsupported_without_hints",
]

TOLERANCE = 1e-9


class OwnHand(Memory):
    """What `look` works out every turn."""

    unseen: list[int] = ints(PLANES)
    """The copies that the player does not see, as bit planes."""
    likely: list[int] = ints(MAX_HAND)
    """For each slot, the cards it may be."""
    copies: list[int] = ints(MAX_HAND)
    """For each slot, how many unseen copies there are of those."""


@kernel
def look(view: View, memory: OwnHand) -> None:
    """Work out what each of the observer's own cards may be."""
    cards = count_unseen(view, memory.unseen)
    possible = view.possible[view.observer]
    for slot in range(view.hand_count[view.observer]):
        memory.likely[slot] = possible[slot] & cards
        memory.copies[slot] = weight(memory.unseen, view.rules.planes, possible[slot])


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
def slots_likely(view: View, memory: OwnHand, cards: int, threshold: float) -> int:
    """Return the observer's slots that hold one of `cards` with at least this probability.

    The tolerance keeps 3/5 from missing 0.6.
    """
    slots = 0
    for slot in range(view.hand_count[view.observer]):
        hits = weight(memory.unseen, view.rules.planes, memory.likely[slot] & cards)
        slots |= int(hits >= (threshold - TOLERANCE) * memory.copies[slot]) << slot
    return slots


@kernel
def slots_sure(view: View, memory: OwnHand, cards: int) -> int:
    """Return the observer's slots that can hold nothing but one of `cards`."""
    slots = 0
    for slot in range(view.hand_count[view.observer]):
        if memory.likely[slot] & ~cards == 0:
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


def unsupported_without_hints(rules: Rules) -> str | None:
    """Return why players who learn their cards from hints cannot play these rules, or None."""
    if rules.open_game:
        return "its players learn their cards from hints, and an open game has none"
    return None
