"""A strategy as data: what it does, where it comes from, for how many players, its options."""

from __future__ import annotations

from typing import TypedDict

from hanabilab.game.rules import PRESETS, preset
from hanabilab.strategies.strategy import OptionValue, Strategy

__all__ = ["describe_strategy"]


class OptionDescription(TypedDict):
    """An option of a strategy."""

    name: str
    default: OptionValue
    help: str
    choices: list[str]
    least: float
    most: float
    opposite: str


class StrategyDescription(TypedDict):
    """A strategy; `players` are the numbers of players for which it can play its home rules."""

    name: str
    summary: str
    source: str
    rules: str
    players: list[int]
    sees_own_cards: bool
    options: list[OptionDescription]


def describe_strategy(strategy: Strategy) -> StrategyDescription:
    """Return what a list of strategies shows about one of them."""
    rules = strategy.home_rules
    return {
        "name": strategy.name,
        "summary": strategy.summary,
        "source": strategy.about.source,
        "rules": rules,
        "players": [
            number
            for number in PRESETS[rules].hands
            if strategy.support.unsupported_reason(preset(rules, number)) is None
        ],
        "sees_own_cards": strategy.sees_own_hand,
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
