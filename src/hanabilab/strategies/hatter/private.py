"""Private information: what a player makes of the public table of their own hand.

A player sees the other hands, so fewer copies are unseen than are publicly unaccounted for. The
sets of possible cards shrink accordingly, to the end: a slot that is thereby identified takes a
copy away from the others.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.game.cards import PLANES, card_in, take_copy
from hanabilab.game.rules import MAX_HAND
from hanabilab.game.status import rank_cards, rank_of
from hanabilab.game.view import View
from hanabilab.strategies.hatter.signals import Signals
from hanabilab.strategies.hatter.tables import (
    MOST_PLAYERS,
    NONE,
    any_copy,
    copies,
    is_single,
    share,
)

__all__ = [
    "OwnHand",
    "best_play",
    "discard_worth",
    "likeliest_play",
    "look_around",
    "own_chance",
]

ELSEWHERE = 20
"""What a discard is worth if the card is dead or someone else holds it: more than any rank."""
CRITICAL = -100
"""What it is worth if the card is critical: it must not happen, whatever else speaks for it."""


class OwnHand(Signals):
    """Worked out anew at each of the player's own turns; nobody else can know it."""

    chain: float
    """How much a play gains by each card in sight that can follow it; an option."""
    private: list[int] = ints(MAX_HAND)
    """For each own slot the cards that it may be."""
    unseen: list[int] = ints(PLANES)
    """Copies of each card that are neither in sight nor identified in the own hand."""
    held: list[int] = ints(MOST_PLAYERS)
    """The cards in each other player's hand."""
    elsewhere: int
    """The cards in any other player's hand."""
    in_sight: int
    """The same and the identified ones of the own hand."""


@kernel
def look_around(view: View, memory: OwnHand) -> None:
    """Work out what the own cards may be.

    Tables that turn out to be impossible by the cards in sight are not believed: what the words of
    the hints say always stands.
    """
    count_cards(view, memory)
    if not narrow_own(view, memory, memory.public[view.observer]):
        count_cards(view, memory)
        narrow_own(view, memory, view.possible[view.observer])


@kernel
def count_cards(view: View, memory: OwnHand) -> None:
    """Note who holds what, and how many copies of each card remain unseen."""
    for plane in range(PLANES):
        memory.unseen[plane] = view.left[plane]
    memory.elsewhere = 0
    for player in range(view.players):
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
def narrow_own(view: View, memory: OwnHand, known: list[int]) -> bool:
    """Take the unseen copies into account; False if nothing is left for some slot."""
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
def own_chance(view: View, memory: OwnHand, slot: int, cards: int) -> int:
    """How likely an own slot holds one of `cards`, in parts of `CERTAIN`."""
    return share(view, memory.unseen, memory.private[slot], cards)


@kernel
def best_play(view: View, memory: OwnHand, slots: int) -> int:
    """The best certain play among some own slots, or NONE."""
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
def play_worth(view: View, memory: OwnHand, possible: int) -> float:
    """The worth of playing a card that may be any of these, on average."""
    total = 0
    worth = 0.0
    while possible:
        card = lowest(possible)
        possible &= possible - 1
        count = max(1, copies(view, memory.unseen, 1 << card))
        worth += count * card_worth(view, memory, card)
        total += count
    return worth / total


@kernel
def card_worth(view: View, memory: OwnHand, card: int) -> float:
    """Low ranks first; less if others hold the card too; more if known cards can follow it."""
    holders = 1
    for player in range(view.players):
        holders += (memory.held[player] >> card) & 1
    rank = rank_of(view, card)
    worth = (2 * view.ranks - rank) / holders
    while rank < view.ranks and (memory.in_sight >> (card + 1)) & 1:
        worth += memory.chain
        card += 1
        rank += 1
    return worth


@kernel
def likeliest_play(view: View, memory: OwnHand, wanted: int, least: int) -> int:
    """The own slot likeliest to be playable, if the chance is above `least`, or NONE.

    Only slots count that can hold nothing but `wanted` cards.
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
def discard_worth(view: View, memory: OwnHand, slot: int) -> int:
    """How good it is to discard an own slot.

    Best is a card that is dead or held by someone else, worst a critical one; otherwise the
    higher its rank, the later it is needed.
    """
    worth = ELSEWHERE * own_chance(view, memory, slot, memory.dead | memory.elsewhere)
    worth += CRITICAL * own_chance(view, memory, slot, memory.critical)
    for rank in range(1, view.ranks + 1):
        worth += rank * own_chance(view, memory, slot, rank_cards(view, rank))
    return worth
