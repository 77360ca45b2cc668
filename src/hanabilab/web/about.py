"""Describe what a page can offer: strategies, rules and limits (`GET /api/about`)."""

from __future__ import annotations

import contextlib
import functools

from hanabilab import __version__
from hanabilab.errors import RulesError
from hanabilab.game.names import SUIT_LETTERS, SUIT_WORDS
from hanabilab.game.rules import PRESETS, Rules, preset
from hanabilab.game.variants import PLAIN, all_variants
from hanabilab.strategies import known_strategies
from hanabilab.strategies.strategy import describe_strategy
from hanabilab.web.game_fields import MAX_PLAYOUTS, USUAL_NAMES
from hanabilab.web.live.setup import MAX_SEATS
from hanabilab.web.messages import JsonObject
from hanabilab.web.partners import partners
from hanabilab.web.questions.limits import MAX_CELLS, MAX_GAMES, MAX_TIME_LIMIT

__all__ = ["about"]

KINDS = {bool: "switch", int: "number", type(None): "number", str: "text", tuple: "text"}


@functools.cache
def about() -> JsonObject:
    """Return everything that the pages build their forms from."""
    classic = Rules.classic()
    return {
        "version": __version__,
        "strategies": [
            {**describe_strategy(strategy), "slow": strategy.slow}
            for strategy in known_strategies()[0].values()
            if strategy.name != "human"
        ],
        "partners": partners(),
        "names": list(USUAL_NAMES),
        "rules": [_preset(name) for name in (*PRESETS, *_variants_with_one_special_suit())],
        "variants": [variant.name for variant in all_variants() if variant.supported],
        "rule_fields": [
            {"name": name, "words": words, "kind": _kind(name, getattr(classic, name))}
            for name, words in Rules.about.items()
            if name != "players"
        ],
        "suits": [
            {"letter": letter, "word": word}
            for letter, word in zip(SUIT_LETTERS, SUIT_WORDS, strict=False)
        ],
        "limits": {
            "players": MAX_SEATS,
            "games": MAX_GAMES,
            "cells": MAX_CELLS,
            "playouts": MAX_PLAYOUTS,
            "time_limit": MAX_TIME_LIMIT,
        },
    }


def _variants_with_one_special_suit() -> list[str]:
    """Return the variants of hanab.live that a list in a form has room for."""
    return [
        variant.name
        for variant in all_variants()
        if variant.supported
        and not variant.switches
        and variant.code.startswith("R+Y+G+B+")
        and all(suit.kind == PLAIN and not suit.single for suit in variant.suits[:-1])
    ]


def _kind(name: str, value: object) -> str:
    """Return how a rule is entered: as copies, a switch, a number or text."""
    return "copies" if name == "copies" else KINDS[type(value)]


def _preset(name: str) -> JsonObject:
    rules = preset(name)
    rows = rules.copies
    fields = {field: getattr(rules, field) for field in Rules.about if field != "players"}
    fields["copies"] = list(rows[0]) if len(set(rows)) == 1 else [list(row) for row in rows]
    hands = _hands(name)
    return {
        "name": name,
        "source": PRESETS[name].source if name in PRESETS else "a variant of hanab.live",
        "players": list(hands),
        "usual_players": rules.players,
        "hands": {str(players): size for players, size in hands.items()},
        "fields": fields,
    }


def _hands(name: str) -> dict[int, int]:
    """Return the usual hand size for each number of players that these rules allow."""
    sizes = {}
    for players in range(2, MAX_SEATS + 1):
        with contextlib.suppress(RulesError):
            sizes[players] = preset(name, players).hand_size
    return sizes
