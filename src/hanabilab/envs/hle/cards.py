"""Cards and card knowledge, under the names of HLE's `pyhanabi`.

HLE counts ranks from 0 and names its suits R Y G W B. Suits keep their numbers: HLE's W is suit 3,
which our notation writes b, and its B is suit 4, our w. Move numbers are also the same.
"""

from __future__ import annotations

import functools

from hanabilab.core.bits import members
from hanabilab.errors import FormatError
from hanabilab.game.cards import HIDDEN
from hanabilab.game.names import SUIT_LETTERS

__all__ = [
    "CACHE_SIZE",
    "COLOR_CHAR",
    "HanabiCard",
    "HanabiCardKnowledge",
    "JsonDict",
    "UnknownColorError",
    "UnknownColorIndexError",
    "card_dicts",
    "color_char_to_idx",
    "color_idx_to_char",
    "letters_of",
    "named_dicts",
    "suit_letter",
    "suit_of_letter",
]

COLOR_CHAR = ["R", "Y", "G", "W", "B"]
ALL_CHARS = COLOR_CHAR + [letter.upper() for letter in SUIT_LETTERS[5:25]]
"""HLE's letters, extended to suits that HLE does not have."""

JsonDict = dict[str, str | int | None]
"""A card, a hint or a move as `rl_env` writes it."""

CACHE_SIZE = 1 << 14
"""The number of cards, hands and moves kept for reuse."""


class UnknownColorError(FormatError, ValueError):
    """A letter that names no color; HLE raises a `ValueError`."""


class UnknownColorIndexError(FormatError, IndexError):
    """An index without a color; HLE raises an `IndexError`."""


def color_idx_to_char(color_idx: int | None) -> str | None:
    """Return the letter of one of HLE's five colors; None for a hidden card."""
    if color_idx is not None and not -1 <= color_idx < len(COLOR_CHAR):
        raise UnknownColorIndexError(f"color_idx: {color_idx} is not between -1 and 4")
    return suit_letter(color_idx)


def color_char_to_idx(color_char: str) -> int:
    """Return the index of one of HLE's five colors."""
    return suit_of_letter(color_char, len(COLOR_CHAR))


def suit_letter(suit: int | None) -> str | None:
    """Return the letter of a suit, including suits that HLE lacks; None for a hidden card."""
    if suit is None or suit == -1:
        return None
    return ALL_CHARS[suit] if suit < len(ALL_CHARS) else f"<{suit}>"


def suit_of_letter(letter: object, suits: int) -> int:
    """Return the suit of a letter in a game of `suits` suits; HLE's colors are always accepted."""
    known = ALL_CHARS[: max(suits, len(COLOR_CHAR))]
    if letter not in known:
        raise UnknownColorError(f"unknown color {letter!r}; expected {', '.join(known)}")
    return known.index(str(letter))


@functools.cache
def letters_of(suits: int) -> tuple[str | None, ...]:
    """Return the letters of the first `suits` suits."""
    return tuple(map(suit_letter, range(suits)))


class HanabiCard:
    """A card with a color (a suit) and a rank, both from 0; -1 if hidden."""

    def __init__(self, color: int, rank: int) -> None:
        self._color = color
        self._rank = rank
        self._letter = suit_letter(color)

    @staticmethod
    @functools.cache
    def numbered(card: int, ranks: int) -> HanabiCard:
        """Return the card with one of our numbers, always the same object."""
        return HanabiCard(-1, -1) if card == HIDDEN else HanabiCard(*divmod(card, ranks))

    def color(self) -> int:
        """Return the color, -1 if it is unknown."""
        return self._color

    def rank(self) -> int:
        """Return the rank from 0, -1 if it is unknown."""
        return self._rank

    def valid(self) -> bool:
        """Return whether the card is visible."""
        return self._color >= 0 and self._rank >= 0

    def __str__(self) -> str:
        return f"{self._letter}{self._rank + 1}" if self.valid() else "XX"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HanabiCard):
            return NotImplemented
        return (self._color, self._rank) == (other._color, other._rank)

    def __hash__(self) -> int:
        return hash((self._color, self._rank))

    def to_dict(self) -> JsonDict:
        """Return the card as a dictionary with a letter and a rank."""
        return {"color": self._letter, "rank": self._rank}


class HanabiCardKnowledge:
    """What the hints so far say about a card."""

    def __init__(self, colors: int, ranks: int, color: int | None, rank: int | None) -> None:
        self._colors, self._ranks = colors, ranks
        self._color, self._rank = color, rank
        self._letter = suit_letter(color)

    @staticmethod
    @functools.lru_cache(CACHE_SIZE)
    def of(possible: int, suit_named: int, rank_named: int, ranks: int) -> HanabiCardKnowledge:
        """Return the knowledge that leaves these cards possible, always the same object."""
        suits_left = ranks_left = 0
        for card in members(possible):
            suits_left |= 1 << card // ranks
            ranks_left |= 1 << card % ranks
        return HanabiCardKnowledge(
            suits_left,
            ranks_left,
            suits_left.bit_length() - 1 if suit_named else None,
            ranks_left.bit_length() - 1 if rank_named else None,
        )

    def color(self) -> int | None:
        """Return the suit if a hint named it, but not if it merely follows from other hints."""
        return self._color

    def rank(self) -> int | None:
        """Return the rank if a hint named it, but not if it merely follows from other hints."""
        return self._rank

    def color_plausible(self, color_index: int) -> bool:
        """Return whether the hints allow this suit."""
        return bool(self._colors >> color_index & 1)

    def rank_plausible(self, rank_index: int) -> bool:
        """Return whether the hints allow this rank."""
        return bool(self._ranks >> rank_index & 1)

    def __str__(self) -> str:
        suit = "X" if self._color is None else ALL_CHARS[self._color]
        rank = "X" if self._rank is None else f"{self._rank + 1}"
        suits = (ALL_CHARS[n] for n in members(self._colors))
        ranks = (f"{n + 1}" for n in members(self._ranks))
        return f"{suit}{rank}|{''.join(suits)}{''.join(ranks)}"

    __repr__ = __str__

    def to_dict(self) -> JsonDict:
        """Return the card as a dictionary with a letter and a rank."""
        return {"color": self._letter, "rank": self._rank}


@functools.cache
def card_dicts(ranks: int) -> tuple[JsonDict, ...]:
    """Return the cards' dictionaries in `rl_env`'s format, by our numbers; copy before use."""
    return tuple(HanabiCard.numbered(card, ranks).to_dict() for card in range(HIDDEN + 1))


@functools.cache
def named_dicts(suits: int, ranks: int) -> tuple[JsonDict, ...]:
    """Return the dictionaries of what hints can name (`hinted_value`); copy before use."""
    return tuple(
        {"color": suit_letter(suit), "rank": None if rank < 0 else rank}
        for suit in range(-1, suits)
        for rank in range(-1, ranks)
    )
