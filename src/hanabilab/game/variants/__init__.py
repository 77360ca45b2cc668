"""Suits and ranks that hints touch in special ways, and the variants of hanab.live."""

from __future__ import annotations

from hanabilab.game.variants.kinds import PLAIN, TOUCHING, Touch, touch_of
from hanabilab.game.variants.suits import COLOURS, SUITS, Suit
from hanabilab.game.variants.variant import (
    Variant,
    all_variants,
    find_variants,
    variant_by_id,
    variant_by_name,
)

__all__ = [
    "COLOURS",
    "PLAIN",
    "SUITS",
    "TOUCHING",
    "Suit",
    "Touch",
    "Variant",
    "all_variants",
    "find_variants",
    "touch_of",
    "variant_by_id",
    "variant_by_name",
]
