"""Private information: what players conclude about their own hand from the cards in sight.

A player sees the other hands, so fewer copies are unseen than are publicly unaccounted for. The
sets of possible cards shrink accordingly, until nothing changes: a slot that is thereby identified
takes a copy away from the others.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.game.cards import MAX_HAND, PLANES, any_copy, card_in, take_copy, weight
from hanabilab.game.state import View, rank_cards, rank_of
from hanabilab.strategies.hatter.signals import Signals
from hanabilab.strategies.hatter.tables import (
    MOST_PLAYERS,
    NONE,
    share,
)

__all__ = [
    "PrivateHand",
    "best_play",
    "discard_worth",
    "likeliest_play",
    "look_around",
    "own_chance",
]

ELSEWHERE = 20
"""The worth of discarding a card that is dead or that someone else holds: more than any rank."""
CRITICAL = -100
"""The worth of discarding a critical card: not to be done, whatever else speaks for it."""


class PrivateHand(Signals):
    """What only the player to move can know about their hand, as of this turn."""

    chain: float
    """How much a play gains by each card in sight that can follow it; an option."""
    private: list[int] = ints(MAX_HAND)
    """For each slot of the player's own hand, the cards that it may be."""
    unseen: list[int] = ints(PLANES)
    """Copies of each card that are neither in sight nor identified in the player's own hand."""
    held: list[int] = ints(MOST_PLAYERS)
    """The cards in each other player's hand."""
    elsewhere: int
    """The cards in any other player's hand."""
    in_sight: int
    """The same, and the identified cards of the player's own hand."""


@kernel
def look_around(view: View, memory: PrivateHand) -> None:
    """Work out what the player's own cards may be.

    A table that the cards in sight contradict is not believed; what the words of the hints say
    always stands.
    """
    count_cards(view, memory)
    if not narrow_own(view, memory, memory.public[view.observer]):
        count_cards(view, memory)
        narrow_own(view, memory, view.possible[view.observer])


@kernel
def count_cards(view: View, memory: PrivateHand) -> None:
    """Note who holds what, and how many copies of each card remain unseen."""
    for plane in range(PLANES):
        memory.unseen[plane] = view.left[plane]
    memory.elsewhere = 0
    for player in range(view.rules.players):
        held = 0
        if player != view.observer:
            hand = view.hands[player]
            for slot in range(view.hand_count[player]):
                card = card_in(hand, slot)
                held |= 1 << card
                take_copy(memory.unseen, card)
        memory.held[player] = held
        memory.elsewhere |= held
    memory.in_sight = memory.elsewhere


@kernel
def narrow_own(view: View, memory: PrivateHand, known: list[int]) -> bool:
    """Narrow the slots by the unseen copies; return False if nothing is left for one of them."""
    cards = view.hand_count[view.observer]
    private = memory.private
    for slot in range(cards):
        private[slot] = known[slot]
    identified = 0
    available = any_copy(memory.unseen)
    changed = True
    while changed:
        changed = False
        for slot in range(cards):
            if not (identified >> slot) & 1:
                private[slot] &= available
                if is_single(private[slot]):
                    if private[slot] == 0:
                        return False
                    identified |= 1 << slot
                    memory.in_sight |= private[slot]
                    take_copy(memory.unseen, lowest(private[slot]))
                    if not any_copy(memory.unseen) & private[slot]:
                        available ^= private[slot]
                        changed = True
    return True


@kernel
def own_chance(view: View, memory: PrivateHand, slot: int, cards: int) -> int:
    """Return how likely a slot of one's own is to hold one of `cards`, in parts of `CERTAIN`."""
    return share(view, memory.unseen, memory.private[slot], cards)


@kernel
def best_play(view: View, memory: PrivateHand, slots: int) -> int:
    """Return the best certain play among some slots, or NONE."""
    best = NONE
    best_worth = 0.0
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        if memory.private[slot] & ~memory.playable == 0:
            worth = play_worth(view, memory, memory.private[slot])
            if best == NONE or worth > best_worth:
                best = slot
                best_worth = worth
    return best


@kernel
def play_worth(view: View, memory: PrivateHand, possible: int) -> float:
    """Return the average worth of playing a card that may be any of these."""
    total = 0
    worth = 0.0
    while possible:
        card = lowest(possible)
        possible &= possible - 1
        count = max(1, weight(memory.unseen, view.rules.planes, 1 << card))
        worth += count * card_worth(view, memory, card)
        total += count
    return worth / total


@kernel
def card_worth(view: View, memory: PrivateHand, card: int) -> float:
    """Return the worth of playing a card.

    It is higher for a lower rank, less if others hold the card too, and more if known cards can
    follow it.
    """
    holders = 1
    for player in range(view.rules.players):
        holders += (memory.held[player] >> card) & 1
    rank = rank_of(view, card)
    worth = (2 * view.rules.ranks - rank) / holders
    while rank < view.rules.ranks and (memory.in_sight >> (card + 1)) & 1:
        worth += memory.chain
        card += 1
        rank += 1
    return worth


@kernel
def likeliest_play(view: View, memory: PrivateHand, wanted: int, least: int) -> int:
    """Return the slot likeliest to be playable, if the chance is above `least`, or NONE.

    Only slots that can hold nothing but `wanted` cards count.
    """
    best = NONE
    for slot in range(view.hand_count[view.observer]):
        if memory.private[slot] & ~wanted == 0:
            likely = own_chance(view, memory, slot, memory.playable)
            if likely > least:
                best = slot
                least = likely
    return best


@kernel
def discard_worth(view: View, memory: PrivateHand, slot: int) -> int:
    """Return the worth of discarding a slot, in parts of `CERTAIN`.

    A card that is dead or held by someone else is best to discard, a critical one worst; otherwise,
    the higher its rank, the later it is needed.
    """
    worth = ELSEWHERE * own_chance(view, memory, slot, memory.dead | memory.elsewhere)
    worth += CRITICAL * own_chance(view, memory, slot, memory.critical)
    for rank in range(1, view.rules.ranks + 1):
        worth += rank * own_chance(view, memory, slot, rank_cards(view, rank))
    return worth
