"""What there is to choose from: strategies, rules, limits."""

from __future__ import annotations

import functools
from typing import Any

from hanabilab import __version__
from hanabilab.cli.strategies import describe
from hanabilab.game.names import SUIT_LETTERS, SUIT_WORDS
from hanabilab.game.rules import PRESETS, Rules, preset
from hanabilab.strategies import STRATEGIES
from hanabilab.web.choices import MAX_PLAYOUTS
from hanabilab.web.limits import MAX_CELLS, MAX_GAMES, MAX_TIME_LIMIT
from hanabilab.web.setup import MAX_SEATS

__all__ = ["about"]

KINDS = {bool: "switch", int: "number", type(None): "number", str: "text", tuple: "text"}


@functools.cache
def about() -> dict[str, Any]:
    """All of it, for the page to build its forms from."""
    classic = Rules.classic()
    return {
        "version": __version__,
        "strategies": [
            {**describe(strategy), "slow": strategy.slow}
            for strategy in STRATEGIES.values()
            if strategy.name != "human"
        ],
        "rules": [_preset(name) for name in PRESETS],
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


def _kind(name: str, value: object) -> str:
    """How a rule is written: numbers of copies, a switch, a number or a text."""
    return "copies" if name == "copies" else KINDS[type(value)]


def _preset(name: str) -> dict[str, Any]:
    chosen = PRESETS[name]
    rules = preset(name)
    rows = rules.copies
    fields = {field: getattr(rules, field) for field in Rules.about if field != "players"}
    fields["copies"] = list(rows[0]) if len(set(rows)) == 1 else [list(row) for row in rows]
    return {
        "name": name,
        "source": chosen.source,
        "players": list(chosen.hands),
        "usual_players": chosen.players,
        "hands": {str(players): size for players, size in chosen.hands.items()},
        "fields": fields,
    }
