"""A strategy as data: what it does, where it comes from, for how many players, its options."""

from __future__ import annotations

from typing import Any

from hanabilab.game.rules import PRESETS, preset
from hanabilab.strategies.strategy import Strategy

__all__ = ["describe_strategy"]


def describe_strategy(strategy: Strategy) -> dict[str, Any]:
    """Return what a list of strategies shows about one of them."""
    rules = strategy.home_rules
    return {
        "name": strategy.name,
        "summary": strategy.summary,
        "source": strategy.source,
        "rules": rules,
        "players": [
            number
            for number in PRESETS[rules].hands
            if strategy.unfit(preset(rules, number)) is None
        ],
        "sees_own_cards": strategy.sees_own_cards,
        "options": [
            {
                "name": name.replace("_", "-"),
                "default": strategy.option(name),
                "help": option.help,
                "choices": list(option.choices),
                "least": option.least,
                "most": option.most,
                "opposite": option.opposite,
            }
            for name, option in strategy.options.items()
        ],
    }
