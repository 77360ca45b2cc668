"""Names of suits and cards: a letter and a rank (`r1`, `g10`), or words (“red 1”).

The suits of a hanab.live variant keep their names: “tomato 3”.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from hanabilab.game.variants import (
    COLOURS,
    PARITY,
    PLAIN,
    SUITS,
    Suit,
    all_variants,
    mixed_kind,
)

__all__ = [
    "HIDDEN_NAME",
    "SUIT_LETTERS",
    "SUIT_WORDS",
    "CardNames",
    "card_name",
    "hint_letters_of",
    "letters_of",
    "names_of",
    "pack_letters",
    "unpack_letters",
]

SUIT_LETTERS = "rygbwm" + "acdefhijklnoqstuvxz" + "RYGBWMACDEFHIJKLNOQSTUVXZ" + "αβγδεζηθικλμ"
"""Letters of the suits in order; the first six are those of the box.

The letter p is left out because hanab.live uses it for its fifth suit.
"""

SUIT_WORDS = ("red", "yellow", "green", "blue", "white", "multicolour")

LETTER_WORDS = {
    **dict(zip(SUIT_LETTERS, SUIT_WORDS, strict=False)),
    **{letter: name.lower() for letter, name in COLOURS.items()},
    "m": "rainbow",
    "a": "gray",
}
"""The words for hanab.live's letters, for suits that belong to no variant."""

HIDDEN_NAME = "??"

LETTER_BITS = 7
MOST_LETTERS = 8
"""The largest number of custom letters, packed into one integer with seven bits each."""


class WithLetters(Protocol):
    """A record of rules, of which only the packed letters are used."""

    letters: int
    colours: int


def letters_of(suits: int) -> str:
    """Return the usual letters of the first `suits` suits."""
    return SUIT_LETTERS[:suits]


def pack_letters(letters: str, usual: str | None = None) -> int:
    """Return letters packed into one integer; 0 stands for the usual letters."""
    if letters == (letters_of(len(letters)) if usual is None else usual):
        return 0
    return sum(ord(letter) << (LETTER_BITS * place) for place, letter in enumerate(letters))


def hint_letters_of(rules: WithLetters) -> str:
    """Return the letters of the suit hints."""
    return unpack_letters(rules.colours or rules.letters)


@functools.cache
def unpack_letters(packed: int) -> str:
    """Return the letters packed into an integer."""
    if packed == 0:
        return SUIT_LETTERS
    return "".join(
        chr(packed >> place & (1 << LETTER_BITS) - 1)
        for place in range(0, packed.bit_length(), LETTER_BITS)
    )


def card_name(card: int, ranks: int, letters: str = SUIT_LETTERS) -> str:
    """Return a card as text, for the printed ranks of the box."""
    return f"{letters[card // ranks]}{card % ranks + 1}"


@dataclass(frozen=True, slots=True)
class CardNames:
    """Names of the cards and hints under given rules."""

    labels: tuple[str, ...]
    """The rank printed on each card."""
    letters: str
    """A letter for each suit."""
    suits: tuple[str, ...]
    """The name of each suit."""
    hint_letters: str
    """A letter for each suit hint."""
    hints: tuple[str, ...]
    """The name of each suit hint."""
    parity: bool
    """Whether rank hints name odd (1) or even (2)."""
    ranks: int = field(init=False, compare=False)
    """The number of ranks."""
    cards: tuple[str, ...] = field(init=False, compare=False, repr=False)
    """Each card as text."""

    def __post_init__(self) -> None:
        ranks = len(self.labels) // len(self.letters)
        cards = (f"{self.letters[card // ranks]}{label}" for card, label in enumerate(self.labels))
        object.__setattr__(self, "ranks", ranks)
        object.__setattr__(self, "cards", tuple(cards))

    def __hash__(self) -> int:
        """Return a hash that costs little: drawings are cached by names."""
        return hash(self.letters)

    def card(self, card: int) -> str:
        """Return a card as text: g3."""
        return self.cards[card]

    def words(self, card: int) -> str:
        """Return a card in words: “green 3”."""
        return f"{self.suits[card // self.ranks]} {self.labels[card]}"

    def ranks_of(self, cards: Iterable[int]) -> list[str]:
        """Return the distinct ranks printed on some cards, in order."""
        found = {self.labels[card] for card in cards}
        return sorted(found, key=lambda rank: (not rank.isdecimal(), len(rank), rank))

    def read(self, name: str) -> int:
        """Return the card with a name made by `card`."""
        first = self.letters.index(name[0]) * self.ranks
        return first + self.labels[first : first + self.ranks].index(name[1:])

    def rank_hint(self, value: int) -> str:
        """Return a rank hint in words: “rank 3” or “odd”."""
        if self.parity:
            return "odd" if value % 2 else "even"
        return f"rank {value}"


@functools.lru_cache(maxsize=256)
def names_of(
    letters: str,
    touching: tuple[str, ...],
    single: tuple[bool, ...],
    colours: str,
    rank_hints: str,
    inverted_suits: str,
    reversed_suits: str,
    ranks: tuple[str, ...],
) -> CardNames:
    """Return the names of the cards and hints (see `Rules`; for `single` see `Suit`).

    `ranks` are the printed ranks.
    """
    words = tuple(
        _suit_words(letters[suit], kind, (single[suit], letters[suit] in inverted_suits))
        if kind != PLAIN or letters != letters_of(len(letters))
        else (*SUIT_WORDS, *letters[len(SUIT_WORDS) :])[suit]
        for suit, kind in enumerate(touching)
    )
    if colours:  # red or ruby, blue or berry: the variant tells
        words = _variant_words(letters, touching, single) or words
    hints = tuple(COLOURS[each].lower() if each in COLOURS else each for each in colours) or words
    words = tuple(
        word + " reversed" * (letter in reversed_suits)
        for word, letter in zip(words, letters, strict=True)
    )
    return CardNames(
        labels=ranks,
        letters=letters,
        suits=words,
        hint_letters=colours or letters,
        hints=hints,
        parity=rank_hints == PARITY,
    )


def _variant_words(
    letters: str, touching: tuple[str, ...], single: tuple[bool, ...]
) -> tuple[str, ...] | None:
    """Return the names of the suits of the variant with these suits, if there is one."""
    for variant in all_variants():
        suits = variant.suits
        same = tuple(mixed_kind(suit) for suit in suits) == touching
        if same and tuple(suit.single for suit in suits) == single and variant.letters == letters:
            return tuple(map(_words, suits))
    return None


def _suit_words(letter: str, touching: str, marks: tuple[bool, bool]) -> str:
    """Return the name of a hanab.live suit, or the word for its letter, or the letter.

    `marks` says whether the suit has single copies and whether it is inverted.
    """
    kind, _, colours = touching.partition("+")
    fitting = [
        suit
        for suit in SUITS.values()
        if suit.kind == (kind or PLAIN)
        and (suit.single, suit.inverted) == marks
        and (suit.colours == colours if colours else suit.colours in ("", suit.letter))
    ]
    own = fitting if len(fitting) == 1 else [suit for suit in fitting if suit.letter == letter]
    return _words(own[0]) if own else LETTER_WORDS.get(letter, letter)


def _words(suit: Suit) -> str:
    return suit.name.removesuffix(" EA").lower()
