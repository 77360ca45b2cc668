"""Text about decks that are counted: cards of each rank, and sequences of cards."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hanabilab.errors import FormatError
from hanabilab.game.names import SUIT_LETTERS

if TYPE_CHECKING:
    from hanabilab.game.deck import Deck

__all__ = ["ranks_and_suits", "read_counts", "read_sequence"]

CARD = re.compile(r"([^-\d])?(-?\d{1,9})")


def read_counts(text: str) -> list[list[int]]:
    """Return how many cards of each rank there are, suit by suit, from ``3 2 1 / 3 2 1``."""
    suits: list[list[int]] = [[]]
    for word in text.replace("/", " / ").replace(",", " ").split():
        if word == "/":
            suits.append([])
            continue
        try:
            suits[-1].append(int(word))
        except ValueError:
            raise FormatError(f"count {word!r:.80} is not a whole number") from None
    return suits


def read_sequence(text: str) -> tuple[list[tuple[int, int]], list[str]]:
    """Return cards as (rank, suit) and as they were written: ``4 2 1``, or ``r1 y5``.

    Ranks may be of any size, also below 1. Either all cards have a suit or none.
    """
    names = text.replace(",", " ").split()
    cards: list[tuple[int, int]] = []
    with_suits = False
    for place, name in enumerate(names, 1):
        match = CARD.fullmatch(name)
        if not match:
            raise FormatError(f"card {place}, {name!r:.80}, is neither a rank nor like r1")
        if place == 1:
            with_suits = match[1] is not None
        elif with_suits != (match[1] is not None):
            raise FormatError(f"card {place}, {name!r:.80}: give all cards a suit or none")
        suit = SUIT_LETTERS.find(match[1]) if with_suits else 0
        if suit < 0:
            raise FormatError(f"card {place}, {name!r:.80}, has an unknown suit")
        cards.append((int(match[2]), suit))
    return cards, names


def ranks_and_suits(deck: Deck) -> list[tuple[int, int]]:
    """Return the cards of a deck as (rank, suit)."""
    ranks = deck.rules.ranks
    return [(int(card) % ranks + 1, int(card) // ranks) for card in deck.cards]
