"""Suits that hints touch in special ways, and the variants of hanab.live made with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["PLAIN", "TOUCHING", "VARIANTS", "VARIANT_NAMES", "Touch", "Variant"]


@dataclass(frozen=True, slots=True)
class Touch:
    """Which hints touch the cards of a suit: those of its own suit and rank, all, or none.

    A suit that is touched by all suit hints or by none has no suit hint of its own.
    """

    suit_hints: str = "own"
    rank_hints: str = "own"


PLAIN = "plain"
TOUCHING: Mapping[str, Touch] = {
    PLAIN: Touch(),
    "rainbow": Touch(suit_hints="all"),
    "white": Touch(suit_hints="none"),
    "pink": Touch(rank_hints="all"),
    "brown": Touch(rank_hints="none"),
}
"""The kinds of suits, by name."""

FULL, SINGLE = (3, 2, 2, 2, 1), (1, 1, 1, 1, 1)


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of hanab.live; its last suit is the special one."""

    name: str
    id: int
    letters: str
    """The letters of its suits, in hanab.live's order."""
    touching: str = PLAIN
    dark: bool = False
    """Whether the last suit has only one copy of each card."""

    @property
    def rules(self) -> dict[str, Any]:
        """What the variant changes from the classic rules."""
        plain = len(self.letters) - 1
        return {
            "suits": len(self.letters),
            "copies": (FULL,) * plain + (SINGLE if self.dark else FULL,),
            "letters": self.letters,
            "touching": (PLAIN,) * plain + (self.touching,),
        }


SPECIAL_SUITS = (
    ("Black", "k", PLAIN, True, 21, 2),
    ("Rainbow", "m", "rainbow", False, 16, 3),
    ("Pink", "i", "pink", False, 107, 106),
    ("White", "w", "white", False, 22, 13),
    ("Brown", "n", "brown", False, 70, 69),
    ("Dark Rainbow", "m", "rainbow", True, 23, 11),
    ("Dark Pink", "i", "pink", True, 138, 137),
    ("Gray", "a", "white", True, 58, 59),
    ("Dark Brown", "n", "brown", True, 90, 89),
)
"""Name, letter, kind, whether one copy each, and the ids of the variants with 5 and 6 suits."""

VARIANT_NAMES: Mapping[str, Variant] = {
    variant.name: variant
    for variant in (
        Variant("No Variant", 0, "rygbp"),
        Variant("6 Suits", 1, "rygbpt"),
        *(
            Variant(f"{name} ({count} Suits)", number, others + letter, kind, dark)
            for name, letter, kind, dark, five, six in SPECIAL_SUITS
            for count, number, others in ((6, six, "rygbp"), (5, five, "rygb"))
        ),
    )
}
VARIANTS: Mapping[int, Variant] = {variant.id: variant for variant in VARIANT_NAMES.values()}
