"""Read cards, decks and their compositions from text: `r1 y5 g3 …`, first card first."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hanabilab.checks import check_integer, shorten
from hanabilab.errors import DeckError, FormatError, HanabiError, RulesError
from hanabilab.game.deck import Deck, is_seed
from hanabilab.game.names import SUIT_LETTERS
from hanabilab.game.rules import Rules, switch_set, unhandled_rule
from hanabilab.game.variants import START_RANK

__all__ = [
    "pace_numbers",
    "ranks_and_suits",
    "read_card",
    "read_counts",
    "read_deck",
    "read_numbers",
    "read_sequence",
    "read_suit",
]

PACE_SWITCHES = switch_set(
    "colours discard_at_full discards_per_token empty_hints first_player keep_on_last_turn",
    "inverted_suits keep_score open_game rank_hints rank_touching reversed_suits score_ends",
    "speedrun suit_hints token_for_suit touching",
)
"""The switches on which the pace of a deck does not depend."""

FIFTH_SUIT = {"p": "w", "w": "p"}
CARD = re.compile(r"(\D)(\d{1,2}|S)")
SEQUENCE_CARD = re.compile(r"([^-\d])?(-?\d{1,9})")


def read_suit(text: str, letters: str) -> int | None:
    """Return the suit of a letter, or None; capitals are accepted unless they denote other suits.

    The fifth suit is w (white) in the box and p (purple) at hanab.live: if only one of them is
    among the letters, the other is read as the same suit.
    """
    if len(text) != 1:
        return None
    for letter in (text, text.lower(), FIFTH_SUIT.get(text.lower(), "")):
        if letter and letter in letters:
            return letters.index(letter)
    return None


def read_card(text: str, rules: Rules) -> int:
    """Read a card; error messages are phrased to follow “card N, …”."""
    match = CARD.fullmatch(text)
    if not match:
        raise DeckError("is not a card such as r1")
    suit = read_suit(match[1], rules.letters)
    if suit is None:
        raise DeckError(f"has an unknown suit; expected one of {' '.join(rules.letters)}")
    card = rules.card_of(suit, START_RANK if match[2] == "S" else int(match[2]))
    if card is None:
        raise DeckError(f"has an unknown rank; expected 1 to {rules.ranks}")
    return card


def read_deck(
    cards: str | Iterable[str | int] | Deck, rules: Rules, *, any_deck: bool = False
) -> Deck:
    """Read a deck from text, a list of cards as text or numbers, or a hanab.live seed.

    Examples
    --------
    >>> from hanabilab import preset
    >>> small = preset("classic", players=1, hand_size=2, suits=1, ranks=3, copies=(2, 1, 1))
    >>> print(read_deck("r1 r3 r2 r1", small))
    r1 r3 r2 r1
    """
    if isinstance(cards, str):
        if is_seed(cards):
            return Deck.from_seed(cards, rules)
        cards = cards.replace(",", " ").split()
    if not isinstance(cards, Iterable):
        raise DeckError(f"deck: {shorten(cards)} is neither text nor a list of cards")
    numbers: list[int] = []
    for place, card in enumerate(cards):
        if isinstance(card, str):
            try:
                card = read_card(card, rules)
            except DeckError as error:
                raise DeckError(f"deck: card {place + 1}, {card!r:.80}, {error}") from None
        numbers.append(card)
    return Deck.of(rules, numbers, any_deck=any_deck)


MAX_NUMBERS = 1_000


def read_numbers(
    name: str,
    text: str,
    low: int | None = None,
    high: int | None = None,
    *,
    error: type[HanabiError],
) -> list[int]:
    """Read a number, a list or a range: 3, 2,4 or 2-5."""
    numbers: list[int] = []
    for part in text.split(","):
        first_text, dash, last_text = part.partition("-")
        try:
            first, last = int(first_text), int(last_text if dash else first_text)
        except ValueError:
            raise error(
                f"{name}: {text!r:.80} is not a number, a list or a range like 2-5"
            ) from None
        for number in (first, last):
            check_integer(name, number, low, high, error=error)
        if last - first >= MAX_NUMBERS:
            raise error(f"{name}: {text!r:.80} is a range of more than {MAX_NUMBERS:,} numbers")
        numbers += range(first, last + 1)
    if not numbers:
        raise error(f"{name}: {text!r:.80} is an empty range")
    return numbers


def read_counts(text: str) -> list[list[int]]:
    """Read the number of cards of each rank, suit by suit, from ``3 2 1 / 3 2 1``."""
    suits: list[list[int]] = [[]]
    for word in text.replace("/", " / ").replace(",", " ").split():
        if word == "/":
            suits.append([])
            continue
        try:
            suits[-1].append(int(word))
        except ValueError:
            raise FormatError(f"count {word!r:.80} is not an integer") from None
    return suits


def read_sequence(text: str) -> tuple[list[tuple[int, int]], list[str]]:
    """Return cards as (rank, suit) and as they were written: ``4 2 1``, or ``r1 y5``.

    Ranks may be any integers, even below 1. Either all cards have a suit or none has.
    """
    names = text.replace(",", " ").split()
    cards: list[tuple[int, int]] = []
    with_suits = False
    for place, name in enumerate(names, 1):
        match = SEQUENCE_CARD.fullmatch(name)
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


def pace_numbers(rules: Rules) -> tuple[int, int, tuple[tuple[int, ...], ...]]:
    """Return players, hand size and copies for `hanabilab.theory.PaceGame`.

    Raise for rules under which the draw pile does not limit the number of turns: they have no pace.
    """
    if rule := unhandled_rule(rules.nonstandard, PACE_SWITCHES):
        raise RulesError(f"the theory of pace does not support the rule {rule}")
    return rules.players, rules.hand_size, rules.copies


def ranks_and_suits(deck: Deck) -> list[tuple[int, int]]:
    """Return the cards of a deck as (rank, suit)."""
    ranks = deck.rules.ranks
    return [(int(card) % ranks + 1, int(card) // ranks) for card in deck.cards]
