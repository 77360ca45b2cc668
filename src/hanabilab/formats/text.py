"""Text notation of cards and decks: `r1 y5 g3 …`, first card first."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hanabilab.errors import DeckError
from hanabilab.game.deck import Deck
from hanabilab.game.names import SUIT_LETTERS
from hanabilab.game.rules import Rules

__all__ = ["read_card", "read_deck", "read_suit"]

CARD = re.compile(r"(\D)(\d{1,2})")


def read_suit(text: str, suits: int) -> int | None:
    """The suit of a letter, in capitals too where they do not stand for other suits."""
    letters = SUIT_LETTERS[:suits]
    suit = letters.find(text) if len(text) == 1 else -1
    if suit < 0 and len(text) == 1:
        suit = letters.find(text.lower())
    return suit if suit >= 0 else None


def read_card(text: str, rules: Rules) -> int:
    """A card; what is wrong with it is said in the words after «card N, …»."""
    match = CARD.fullmatch(text)
    if not match:
        raise DeckError("is not a card; cards look like r1")
    suit = read_suit(match[1], rules.suits)
    if suit is None:
        letters = " ".join(SUIT_LETTERS[: rules.suits])
        raise DeckError(f"has an unknown suit; suits are {letters}")
    rank = int(match[2])
    if not 1 <= rank <= rules.ranks:
        raise DeckError(f"has an unknown rank; ranks are 1 to {rules.ranks}")
    return suit * rules.ranks + rank - 1


def read_deck(
    cards: str | Iterable[str | int] | Deck, rules: Rules, *, any_deck: bool = False
) -> Deck:
    """A deck from text, or from a list of cards as text or numbers."""
    if isinstance(cards, str):
        cards = cards.replace(",", " ").split()
    numbers: list[int] = []
    for place, card in enumerate(cards):
        if isinstance(card, str):
            try:
                card = read_card(card, rules)
            except DeckError as error:
                raise DeckError(f"deck: card {place + 1}, {card!r}, {error}") from None
        numbers.append(card)
    return Deck.of(rules, numbers, any_deck=any_deck)
