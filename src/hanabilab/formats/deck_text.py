"""Cards and decks as text: `r1 y5 g3 …`, first card first."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hanabilab.errors import DeckError
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.game.seeds import is_seed

__all__ = ["read_card", "read_deck", "read_suit", "short"]

FIFTH_SUIT = {"p": "w", "w": "p"}
CARD = re.compile(r"(\D)(\d{1,2})")


def read_suit(text: str, letters: str) -> int | None:
    """Return the suit of a letter, or None; capitals count too unless they stand for other suits.

    The fifth suit is w (white) in the box and p (purple) at hanab.live: where only one of them is
    among the letters, the other is read as the same suit.
    """
    if len(text) != 1:
        return None
    for letter in (text, text.lower(), FIFTH_SUIT.get(text.lower(), "")):
        if letter and letter in letters:
            return letters.index(letter)
    return None


def read_card(text: str, rules: Rules) -> int:
    """Return a card; an error says what is wrong, to be read after “card N, …”."""
    match = CARD.fullmatch(text)
    if not match:
        raise DeckError("is not a card such as r1")
    suit = read_suit(match[1], rules.letters)
    if suit is None:
        raise DeckError(f"has an unknown suit; expected one of {' '.join(rules.letters)}")
    rank = int(match[2])
    if not 1 <= rank <= rules.ranks:
        raise DeckError(f"has an unknown rank; expected 1 to {rules.ranks}")
    return suit * rules.ranks + rank - 1


def read_deck(
    cards: str | Iterable[str | int] | Deck, rules: Rules, *, any_deck: bool = False
) -> Deck:
    """Return a deck from text, a list of cards as text or numbers, or a hanab.live seed."""
    if isinstance(cards, str):
        if is_seed(cards):
            return Deck.from_seed(cards, rules)
        cards = cards.replace(",", " ").split()
    if not isinstance(cards, Iterable):
        raise DeckError(f"deck: {short(cards)} is neither text nor a list of cards")
    numbers: list[int] = []
    for place, card in enumerate(cards):
        if isinstance(card, str):
            try:
                card = read_card(card, rules)
            except DeckError as error:
                raise DeckError(f"deck: card {place + 1}, {card!r:.80}, {error}") from None
        numbers.append(card)
    return Deck.of(rules, numbers, any_deck=any_deck)


def short(value: object) -> str:
    """Return a value as a message quotes it."""
    try:
        text = repr(value)
    except RecursionError:
        return "something nested deeply"
    return text if len(text) <= 60 else text[:57] + "..."
