"""Which hints exist under some rules, and which cards each of them touches.

Hints are bits: suit hints from bit 0, by suit or colour, and above them, from bit `rules.suits`,
rank hints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hanabilab.core.bits import members
from hanabilab.game.variants.kinds import ALL, BLIND, MUTE, NONE, OWN, PRISM, Touch, touch_of

if TYPE_CHECKING:
    from hanabilab.game.rules import Rules

__all__ = ["Hints", "hints_of", "suit_hints_of"]


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints of some rules."""

    all: int
    """All that exist."""
    free: int
    """Those that may be given although they touch nothing."""
    of_card: list[int]
    """For each card, the hints that touch it."""


def hints_of(rules: Rules) -> Hints:
    """Return the hints of some rules."""
    suit_hints = 0 if rules.suit_hints == MUTE else suit_hints_of(rules)
    rank_hints = 0 if rules.rank_hints == MUTE else _rank_hints(rules)
    free = suit_hints * (rules.suit_hints == BLIND) | rank_hints * (rules.rank_hints == BLIND)
    of_card = [
        (
            _touching_suit_hints(rules, suit, rank, suit_hints) & suit_hints
            | _touching_rank_hints(rules, suit, rank, rank_hints) & rank_hints
        )
        & ~free
        for suit in range(rules.suits)
        for rank in range(rules.ranks)
    ]
    return Hints(suit_hints | rank_hints, free, of_card)


def suit_hints_of(rules: Rules) -> int:
    """Return the suit hints that there would be if they could be given."""
    if rules.colours:
        return (1 << len(rules.colours)) - 1
    kinds = map(touch_of, rules.touching)
    return sum(1 << suit for suit, kind in enumerate(kinds) if kind.suit_hints == OWN)


def _rank_hints(rules: Rules) -> int:
    kinds = map(touch_of, rules.rank_touching)
    return sum(
        1 << (rules.suits + rank) for rank, kind in enumerate(kinds) if kind.rank_hints == OWN
    )


def _touching_suit_hints(rules: Rules, suit: int, rank: int, every: int) -> int:
    """Return the suit hints that touch a card; what its suit says goes before its rank."""
    of_suit, of_rank = _touches(rules, suit, rank)
    for rule in (of_suit.suit_hints, of_rank.suit_hints):
        if rule in (ALL, NONE):
            return every * (rule == ALL)
    if of_suit.suit_hints == PRISM:
        places = members(every)
        return 1 << places[rank % len(places)] if places else 0
    if rules.colours:
        return sum(1 << rules.colours.index(colour) for colour in of_suit.colours)
    return 1 << suit


def _touching_rank_hints(rules: Rules, suit: int, rank: int, every: int) -> int:
    """Do the same for rank hints."""
    for touch in _touches(rules, suit, rank):
        if touch.rank_hints in (ALL, NONE):
            return every * (touch.rank_hints == ALL)
    return 1 << (rules.suits + rank)


def _touches(rules: Rules, suit: int, rank: int) -> tuple[Touch, Touch]:
    return touch_of(rules.touching[suit]), touch_of(rules.rank_touching[rank])
