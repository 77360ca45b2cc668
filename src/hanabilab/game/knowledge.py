"""What can be known about a card in hand: its possible cards, and how likely each property is.

Three points of view, from the least to the most informed:

- *hints*: `State.possible`, the cards that the hints allow (van den Bergh 2015, Definition 2.14);
- *public*: minus the cards whose copies everyone can account for;
- *seat*: minus the cards whose copies this player sees.

A probability weighs each possible card by its copies that are unaccounted for, slot by slot. It is
exact for one slot given the hints and the visible cards; it does not condition on what the hints
say about the other slots of the same hand (that would be the joint distribution of the hand).
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.record import Record, ints
from hanabilab.game.cards import MAX_HAND, MAX_PLAYERS, PLANES, any_copy, card_in, take_copy, weight
from hanabilab.game.state import State, View

__all__ = ["Knowledge", "from_public", "from_seat", "probability"]


class Knowledge(Record):
    """Possible cards of every slot from one point of view, and the unaccounted copies."""

    planes: int
    unaccounted: list[int] = ints(PLANES)
    """Copies of each card not accounted for, as bit planes."""
    possible: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)
    identified: list[int] = ints(MAX_PLAYERS)
    """In public knowledge, the slots of each player whose copy is accounted for."""


@kernel
def start_from_table(knowledge: Knowledge, state: State) -> None:
    """Start from the hints; copies neither discarded nor played are unaccounted for."""
    rules = state.rules
    knowledge.planes = rules.planes
    for plane in range(PLANES):
        knowledge.unaccounted[plane] = state.left[plane]
    for player in range(rules.players):
        for slot in range(state.hand_count[player]):
            knowledge.possible[player][slot] = state.possible[player][slot]


@kernel
def available(knowledge: Knowledge) -> int:
    """Return the cards of which a copy is unaccounted for."""
    return any_copy(knowledge.unaccounted)


@kernel
def from_seat(knowledge: Knowledge, view: View) -> None:
    """Compute what the observer knows about their own hand by counting all visible cards.

    The rows of the other hands hold the hints only, because the observer cannot know what those
    players have counted.
    """
    start_from_table(knowledge, view)
    me = view.observer
    for player in range(view.rules.players):
        if player != me:
            for slot in range(view.hand_count[player]):
                take_copy(knowledge.unaccounted, card_in(view.hands[player], slot))
    cards = available(knowledge)
    for slot in range(view.hand_count[me]):
        knowledge.possible[me][slot] &= cards


@kernel
def from_public(knowledge: Knowledge, state: State) -> None:
    """Compute common knowledge: what everyone knows that everyone knows.

    A slot with one possible card is identified, so its copy is accounted for. A card with no
    unaccounted copy is impossible elsewhere. This repeats until nothing changes.
    """
    rules = state.rules
    start_from_table(knowledge, state)
    for player in range(rules.players):
        knowledge.identified[player] = 0
    changed = True
    while changed:
        changed = False
        for player in range(rules.players):
            for slot in range(state.hand_count[player]):
                if not (knowledge.identified[player] >> slot) & 1:
                    possible = knowledge.possible[player][slot] & available(knowledge)
                    knowledge.possible[player][slot] = possible
                    if possible != 0 and is_single(possible):
                        knowledge.identified[player] |= 1 << slot
                        take_copy(knowledge.unaccounted, lowest(possible))
                        changed = True


@kernel
def probability(knowledge: Knowledge, player: int, slot: int, cards: int) -> float:
    """Return the probability that the card in a slot is one of `cards`."""
    possible = knowledge.possible[player][slot]
    if is_single(possible):
        return 1.0 if possible & cards else 0.0
    total = weight(knowledge.unaccounted, knowledge.planes, possible)
    if total == 0:
        return 0.0
    return weight(knowledge.unaccounted, knowledge.planes, possible & cards) / total
