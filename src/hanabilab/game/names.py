"""The names of suits and cards: a letter for the suit, the rank as a number (`r1`, `g10`)."""

from __future__ import annotations

__all__ = ["HIDDEN_NAME", "SUIT_LETTERS", "SUIT_WORDS", "card_name", "card_words", "suit_words"]

SUIT_LETTERS = "rygbwm" + "acdefhijklnoqstuvxz" + "RYGBWMACDEFHIJKLNOQSTUVXZ" + "αβγδεζηθικλμ"
"""Letters of the suits in order; the first six are those of the box."""

SUIT_WORDS = ("red", "yellow", "green", "blue", "white", "multicolour")

HIDDEN_NAME = "??"


def card_name(card: int, ranks: int) -> str:
    """A card as text."""
    return f"{SUIT_LETTERS[card // ranks]}{card % ranks + 1}"


def suit_words(suit: int) -> str:
    """A suit as people say it: its colour, else its letter."""
    return SUIT_WORDS[suit] if suit < len(SUIT_WORDS) else SUIT_LETTERS[suit]


def card_words(card: int, ranks: int) -> str:
    """A card as people say it: «blue 3»."""
    return f"{suit_words(card // ranks)} {card % ranks + 1}"
