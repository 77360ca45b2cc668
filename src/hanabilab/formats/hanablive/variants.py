"""Which variant of hanab.live some rules are, and how the site numbers its colours."""

from __future__ import annotations

import functools
from typing import Any

from hanabilab.checks import did_you_mean
from hanabilab.core.bits import members
from hanabilab.errors import FormatError, RulesError
from hanabilab.formats.deck_text import short
from hanabilab.game.names import letters_of
from hanabilab.game.rules import Rules, preset
from hanabilab.game.variants import Variant, all_variants, variant_by_id, variant_by_name
from hanabilab.game.variants.hints import suit_hints_of

__all__ = ["colours_of", "read_variant", "variant_of"]

HINT_FIELDS = (
    "ranks",
    "touching",
    "rank_touching",
    "suit_hints",
    "rank_hints",
    "colours",
    "discards_per_token",
)


def read_variant(given: object) -> Variant:
    """Return the variant of a name or number, or raise if there is none, or not one for us."""
    if isinstance(given, str):
        variant = variant_by_name(given)
    else:
        variant = variant_by_id(given) if type(given) is int else None
    if variant is None:
        meant = f"; those of hanab.live are numbered 0 to {len(all_variants()) - 1}"
        if isinstance(given, str):
            meant = did_you_mean(given, [each.name for each in all_variants()])
        raise RulesError(f"unknown variant {short(given)}{meant}")
    variant.check()
    return variant


def variant_of(rules: Rules) -> Variant:
    """Return the variant of hanab.live with these suits and as many cards."""
    named = variant_by_name(rules.preset) if rules.preset else None
    if named:
        return named
    usual = rules.letters == letters_of(rules.suits)
    fitting = [
        (variant, copies)
        for variant, copies in _with_these_hints().get(_hints(rules), [])
        if sum(map(sum, copies)) == rules.deck_size and (usual or rules.letters == variant.letters)
    ]
    if not fitting:
        raise FormatError(
            f"no supported variant of hanab.live has {rules.suits} such suits of {rules.ranks} "
            f"ranks and {rules.deck_size} cards"
        )
    return max(fitting, key=lambda each: each[1] == rules.copies)[0]


def _hints(rules: Rules) -> tuple[Any, ...]:
    return tuple(getattr(rules, name) for name in HINT_FIELDS)


@functools.cache
def _with_these_hints() -> dict[tuple[Any, ...], list[tuple[Variant, Any]]]:
    """Return the supported variants, with their copies, by what hints do in them."""
    found: dict[tuple[Any, ...], list[tuple[Variant, Any]]] = {}
    for variant in all_variants():
        if variant.supported:
            rules = preset(variant.name)
            found.setdefault(_hints(rules), []).append((variant, rules.copies))
    return found


def colours_of(rules: Rules) -> list[int]:
    """Return our number of each suit hint, in the order in which the site numbers its colours."""
    return members(suit_hints_of(rules))
