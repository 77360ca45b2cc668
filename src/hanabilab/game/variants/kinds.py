"""The kinds of suits and ranks: which hints touch their cards."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hanabilab.checks import did_you_mean
from hanabilab.errors import RulesError

__all__ = [
    "BLIND",
    "HINTING",
    "MUTE",
    "PLAIN",
    "TOUCHING",
    "USUAL",
    "Touch",
    "pack_kinds",
    "touch_of",
    "unpack_kinds",
]

KIND_BITS = 4
OWN, ALL, NONE, PRISM = "own", "all", "none", "prism"


@dataclass(frozen=True, slots=True)
class Touch:
    """Which hints touch the cards of a suit or rank: their own, all, or none.

    What all suit hints touch, or none, has no suit hint of its own; and likewise for ranks. The
    suit hint that touches a card of a prism depends on its rank.
    """

    suit_hints: str = OWN
    rank_hints: str = OWN
    colours: str = ""
    """The letters of the suit hints that touch it, where those are not its own."""


PLAIN = "plain"
TOUCHING: Mapping[str, Touch] = {
    PLAIN: Touch(),
    "rainbow": Touch(suit_hints=ALL),
    "white": Touch(suit_hints=NONE),
    "pink": Touch(rank_hints=ALL),
    "brown": Touch(rank_hints=NONE),
    "omni": Touch(ALL, ALL),
    "null": Touch(NONE, NONE),
    "muddy-rainbow": Touch(ALL, NONE),
    "light-pink": Touch(NONE, ALL),
    "prism": Touch(suit_hints=PRISM),
}
"""The kinds by name; a suit's may end with the letters of the hints that touch it, as `pink+i`."""

USUAL, BLIND, MUTE = "usual", "blind", "mute"
HINTING: Mapping[str, str] = {
    USUAL: "touch cards",
    BLIND: "touch nothing",
    MUTE: "cannot be given",
}
"""What all suit hints, or all rank hints, do."""


@functools.cache
def touch_of(kind: str) -> Touch:
    """Return what a kind means: `rainbow`, `pink+i`, or `+ry` for a suit of two colours."""
    name, plus, colours = kind.partition("+")
    touch = TOUCHING.get(name or PLAIN)
    if touch is None:
        raise RulesError(
            f"touching: unknown kind {kind!r:.60}; expected {', '.join(TOUCHING)}"
            f"{did_you_mean(name, TOUCHING)}"
        )
    if not plus:
        return touch
    if touch.suit_hints != OWN or not colours or len(set(colours)) < len(colours):
        raise RulesError(f"touching: {kind!r:.60} does not say which suit hints touch the suit")
    return Touch(touch.suit_hints, touch.rank_hints, colours)


def pack_kinds(kinds: Iterable[str]) -> int:
    """Return the kinds of suits or ranks, without their colours, as one number; plain is 0."""
    numbers = [[*TOUCHING].index(kind.partition("+")[0] or PLAIN) for kind in kinds]
    return sum(number << (KIND_BITS * place) for place, number in enumerate(numbers))


def unpack_kinds(packed: int, count: int) -> list[str]:
    """Read them again."""
    names, digit = [*TOUCHING], (1 << KIND_BITS) - 1
    return [names[packed >> (KIND_BITS * place) & digit] for place in range(count)]
