"""The names of suits and cards: a letter for the suit, the rank as a number (`r1`, `g10`)."""

from __future__ import annotations

import functools
from typing import Protocol

__all__ = [
    "HIDDEN_NAME",
    "SUIT_LETTERS",
    "SUIT_WORDS",
    "card_name",
    "card_words",
    "hint_letters_of",
    "letters_of",
    "pack_letters",
    "suit_words",
    "unpack_letters",
]

SUIT_LETTERS = "rygbwm" + "acdefhijklnoqstuvxz" + "RYGBWMACDEFHIJKLNOQSTUVXZ" + "αβγδεζηθικλμ"
"""Letters of the suits in order; the first six are those of the box.

The letter p is left out: it is hanab.live's fifth suit, and read as such everywhere.
"""

SUIT_WORDS = ("red", "yellow", "green", "blue", "white", "multicolour")

LETTER_WORDS = {
    **dict(zip(SUIT_LETTERS, SUIT_WORDS, strict=False)),
    "p": "purple",
    "t": "teal",
    "k": "black",
    "m": "rainbow",
    "i": "pink",
    "n": "brown",
    "a": "gray",
}
"""The letters of hanab.live in words."""

HIDDEN_NAME = "??"

LETTER_BITS = 7
MOST_LETTERS = 8
"""Custom letters are packed into one number of the state, seven bits each."""


class WithLetters(Protocol):
    """A record of rules, of which only the packed letters are needed."""

    letters: int
    colours: int


def letters_of(suits: int) -> str:
    """Return the usual letters of the first `suits` suits."""
    return SUIT_LETTERS[:suits]


def pack_letters(letters: str, usual: str | None = None) -> int:
    """Return letters as one number; 0 stands for the usual ones."""
    if letters == (letters_of(len(letters)) if usual is None else usual):
        return 0
    return sum(ord(letter) << (LETTER_BITS * place) for place, letter in enumerate(letters))


def hint_letters_of(rules: WithLetters) -> str:
    """Return the letters of the suit hints."""
    return unpack_letters(rules.colours or rules.letters)


@functools.cache
def unpack_letters(packed: int) -> str:
    """Return the letters that such a number stands for."""
    if packed == 0:
        return SUIT_LETTERS
    return "".join(
        chr(packed >> place & (1 << LETTER_BITS) - 1)
        for place in range(0, packed.bit_length(), LETTER_BITS)
    )


def card_name(card: int, ranks: int, letters: str = SUIT_LETTERS) -> str:
    """Return a card as text."""
    return f"{letters[card // ranks]}{card % ranks + 1}"


def suit_words(suit: int, letters: str = SUIT_LETTERS) -> str:
    """Return a suit as people say it: its colour, else its letter."""
    if letters.startswith(letters_of(len(SUIT_WORDS))):
        return SUIT_WORDS[suit] if suit < len(SUIT_WORDS) else letters[suit]
    return LETTER_WORDS.get(letters[suit], letters[suit])


def card_words(card: int, ranks: int, letters: str = SUIT_LETTERS) -> str:
    """Return a card as people say it: “blue 3”."""
    return f"{suit_words(card // ranks, letters)} {card % ranks + 1}"
