"""The deals that are possible with certain cards unseen, and what a choice does to them.

A **deal** is what all players hold now. Public states that differ only in heights, tokens, lives or
score have the same deals, and the same choices reveal and move the same cards there. A `DealSpace`
holds what such states share, so that each part of it is computed once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from hanabilab.game.actions import DISCARD, HINT_SUIT, PLAY

__all__ = ["Choice", "Deal", "DealSpace", "Hand", "Images", "bits_of", "renamed_cards"]

Hand = tuple[int, ...]
Deal = tuple[Hand, ...]
"""The cards of each seat, oldest first."""

HINT = -1
"""The slot of a choice that moves no card."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An action of the player to move: a slot, or a hint to another seat."""

    kind: int
    slot: int = 0
    seat: int = 0
    value: int = 0
    """A suit, or a rank."""

    @property
    def moves_card(self) -> bool:
        """Whether it is a play or a discard, which reveals a card."""
        return self.kind in (PLAY, DISCARD)


class Images(NamedTuple):
    """Where a choice leads: a deal may become any of `counts` deals, from number `firsts` on.

    A card drawn is the last one of the last hand, so these deals follow one another.
    """

    firsts: list[int]
    counts: list[int]


def bits_of(mask: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class DealSpace:
    """All deals with certain cards unseen and certain numbers of cards in the hands."""

    __slots__ = (
        "_images",
        "_revealed",
        "_unseen",
        "deals",
        "index",
        "observations",
        "pile",
        "ranks",
        "weights",
    )

    def __init__(self, unseen: tuple[tuple[int, ...], ...], cards: tuple[int, ...]) -> None:
        self.ranks = len(unseen[0])
        self._unseen = [count for suit in unseen for count in suit]
        self.pile = sum(self._unseen) - sum(cards)
        """The number of cards in the draw pile."""
        self.deals: list[Deal] = list(_deals(self._unseen, cards))
        self.index = {deal: number for number, deal in enumerate(self.deals)}
        self.weights = [_orders(self._unseen, deal) for deal in self.deals]
        self.observations = self._observations()
        """The sets of deals that look the same to the player to move."""
        self._revealed: dict[tuple[int, int, int, int], dict[int, int]] = {}
        self._images: dict[tuple[int, int, tuple[int, ...]], Images] = {}

    def _observations(self) -> list[int]:
        seen: dict[tuple[Hand, ...], int] = {}
        for number, deal in enumerate(self.deals):
            seen[deal[1:]] = seen.get(deal[1:], 0) | 1 << number
        return list(seen.values())

    def revealed(self, choice: Choice) -> dict[int, int]:
        """Return the set of deals for each card or set of slots that a choice may reveal."""
        kind = PLAY if choice.moves_card else choice.kind
        key = (kind, choice.slot, choice.seat, choice.value)
        found = self._revealed.get(key)
        if found is None:
            found = self._revealed[key] = {}
            for number, deal in enumerate(self.deals):
                seen = deal[0][choice.slot] if kind == PLAY else self._touched(choice, deal)
                found[seen] = found.get(seen, 0) | 1 << number
        return found

    def _touched(self, choice: Choice, deal: Deal) -> int:
        """Return the slots of a hand that a hint touches."""
        touched = 0
        for slot, card in enumerate(deal[choice.seat]):
            suit, rank = divmod(card, self.ranks)
            touched |= ((suit if choice.kind == HINT_SUIT else rank + 1) == choice.value) << slot
        return touched

    def images(
        self, choice: Choice, seen: int, suit_order: tuple[int, ...], after: DealSpace
    ) -> Images:
        """Return the deals of the next space that each deal may become.

        `suit_order` gives for each suit there the suit that it is here. Only the deals in which the
        choice reveals what was `seen` are set.
        """
        key = (choice.slot, seen, suit_order) if choice.moves_card else (HINT, 0, suit_order)
        found = self._images.get(key)
        if found is None:
            found = self._images[key] = self._new_images(choice, seen, suit_order, after)
        return found

    def _new_images(
        self, choice: Choice, seen: int, suit_order: tuple[int, ...], after: DealSpace
    ) -> Images:
        renamed = renamed_cards(suit_order, self.ranks)
        moved = choice.moves_card
        deals = self.revealed(choice)[seen] if moved else (1 << len(self.deals)) - 1
        found = Images([0] * len(self.deals), [1] * len(self.deals))
        for number in bits_of(deals):
            own, *rest = self.deals[number]
            drawn: list[int] = []
            if moved and self.pile:
                drawn = [renamed[card] for card in self._cards_left(number)]
                found.counts[number] = len(drawn)
            if moved:
                own = own[: choice.slot] + own[choice.slot + 1 :]
            others = [tuple([renamed[card] for card in hand]) for hand in rest]
            kept = tuple([renamed[card] for card in own])
            kept += (min(drawn),) if drawn else ()
            found.firsts[number] = after.index[(*others, kept)]
        return found

    def _cards_left(self, number: int) -> list[int]:
        """Return the different cards that a deal leaves in the draw pile."""
        held = [card for hand in self.deals[number] for card in hand]
        return [card for card, count in enumerate(self._unseen) if count > held.count(card)]


def renamed_cards(suit_order: tuple[int, ...], ranks: int) -> list[int]:
    """Return for each card its number in a state whose suits have another order."""
    renamed = [0] * (ranks * len(suit_order))
    for new, old in enumerate(suit_order):
        for rank in range(ranks):
            renamed[old * ranks + rank] = new * ranks + rank
    return renamed


def _deals(unseen: list[int], cards: tuple[int, ...]) -> Iterator[Deal]:
    """Yield every way to deal this many of the unseen cards."""
    left = unseen[:]
    held: list[int] = []

    def hand_out(missing: int) -> Iterator[Deal]:
        if not missing:
            places = iter(held)
            yield tuple(tuple(itertools.islice(places, count)) for count in cards)
            return
        for card, count in enumerate(left):
            if count:
                left[card] -= 1
                held.append(card)
                yield from hand_out(missing - 1)
                held.pop()
                left[card] += 1

    yield from hand_out(sum(cards))


def _orders(unseen: list[int], deal: Deal) -> int:
    """Return in how many orders the cards that a deal leaves may lie in the draw pile."""
    left = unseen[:]
    for hand in deal:
        for card in hand:
            left[card] -= 1
    orders = math.factorial(sum(left))
    for count in left:
        orders //= math.factorial(count)
    return orders
