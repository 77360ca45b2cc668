"""Named rules: one preset per paper, the variants of hanab.live, and small games named by size."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hanabilab.checks import did_you_mean
from hanabilab.errors import RulesError
from hanabilab.game.variants import all_variants, variant_by_name

__all__ = ["CLASSIC_COPIES", "PRESETS", "SIX_PLAYERS", "SMALL_GAME", "Preset", "named_preset"]

CLASSIC_COPIES = (3, 2, 2, 2, 1)
CLASSIC_HANDS = {2: 5, 3: 5, 4: 4, 5: 4}
SMALL_GAME = re.compile(r"p([1-9])-h([1-9])-s([1-9])-c([1-9]+)-t(\d{1,2})-l([1-9]\d?)")
"""The pattern of a small game's name: players, hand size, suits, copies per rank, tokens, lives."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Named rules: how they differ from the classic ones, and their source."""

    source: str
    players: int
    """The default number of players."""
    changes: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    hands: Mapping[int, int] = dataclasses.field(default_factory=lambda: CLASSIC_HANDS)


SIX_PLAYERS = {**CLASSIC_HANDS, 6: 3}
THESIS = {"empty_hints": True}
PROGRAM = {
    "empty_hints": True,
    "token_for_suit": False,
    "discard_at_full": True,
    "keep_on_last_turn": True,
}
RAINBOW = (CLASSIC_COPIES,) * 5 + ((1, 1, 1, 1, 1),)

PRESETS: Mapping[str, Preset] = {
    "classic": Preset("the game in the box; hanab.live; Keßler 2025", 2, hands=SIX_PLAYERS),
    "thesis": Preset("van den Bergh 2015, section 2.2", 3, THESIS),
    "thesis-program": Preset("what the figures of van den Bergh 2015 imply", 3, PROGRAM),
    "aspects": Preset(
        "van den Bergh, Kosters, Spieksma 2016", 3, {**THESIS, "token_for_suit": False}
    ),
    "cox": Preset(
        "Cox et al. 2015, with the token that its figures need", 5, {"discard_at_full": True}
    ),
    "cox-program": Preset(
        "the program of Cox et al. 2015: the fourth misplay ends, the score is kept",
        5,
        {"discard_at_full": True, "lives": 4, "keep_score": True},
    ),
    "hle": Preset("Hanabi Learning Environment; Hanabi Open Agent Dataset", 2),
    "rainbow-german": Preset("six full suits, 60 cards", 2, {"suits": 6}, SIX_PLAYERS),
    "rainbow-dutch": Preset(
        "a sixth suit with one copy each, 55 cards", 2, {"suits": 6, "copies": RAINBOW}, SIX_PLAYERS
    ),
    "open": Preset("van den Bergh 2015, Definition 3.4", 2, {"open_game": True}, SIX_PLAYERS),
}


def named_preset(name: str) -> tuple[str, Preset]:
    """Return the preset or variant of a name, and its exact spelling."""
    if name in PRESETS:
        return name, PRESETS[name]
    if sizes := SMALL_GAME.fullmatch(name):
        return name, _small_game(*sizes.groups())
    variant = variant_by_name(name)
    if variant is None:
        known = [*PRESETS, *(variant.name for variant in all_variants())]
        raise RulesError(
            f"rules: unknown preset {name[:80]!r}; expected {', '.join(PRESETS)}, or a variant of "
            "hanab.live such as 'No Variant' or 'Rainbow (6 Suits)', or a small game such as "
            "p2-h1-s2-c21-t1-l1"
            f"{did_you_mean(name, known)}"
        )
    source = f"hanab.live, variant {variant.id}"
    return variant.name, Preset(source, 2, variant.rules, SIX_PLAYERS)


def _small_game(
    players: str, hand_size: str, suits: str, copies: str, tokens: str, lives: str
) -> Preset:
    """Return the preset of a small game from the numbers in its name."""
    changes = {
        "suits": int(suits),
        "ranks": len(copies),
        "copies": (tuple(map(int, copies)),),
        "hint_tokens": int(tokens),
        "lives": int(lives),
    }
    hands = {int(players): int(hand_size)}
    return Preset("a small game, named by its sizes", int(players), changes, hands)
