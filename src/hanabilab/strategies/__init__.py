"""How to play: one file a strategy, one line here."""

from __future__ import annotations

from hanabilab.errors import StrategyError
from hanabilab.strategies.agents import AGENTS, COMPOSE, agent
from hanabilab.strategies.cheat import CHEAT
from hanabilab.strategies.human import HUMAN
from hanabilab.strategies.information import INFORMATION
from hanabilab.strategies.monte_carlo import MONTE_CARLO
from hanabilab.strategies.random import RANDOM
from hanabilab.strategies.recommendation import RECOMMENDATION
from hanabilab.strategies.rule_based import RULE_BASED
from hanabilab.strategies.strategy import Memory, Option, Strategy

__all__ = [
    "STRATEGIES",
    "Memory",
    "Option",
    "Strategy",
    "agent",
    "find_strategy",
    "read_strategy",
]

STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        RANDOM,
        RULE_BASED,
        MONTE_CARLO,
        *AGENTS,
        COMPOSE,
        RECOMMENDATION,
        INFORMATION,
        CHEAT,
        HUMAN,
    )
}


def find_strategy(text: str | Strategy) -> Strategy:
    """A strategy by name, also with options: ``rule-based:hint-rule=2,play-threshold=0.7``."""
    if isinstance(text, Strategy):
        return text
    strategy, values = read_strategy(text)
    return strategy.with_options(**values)


def read_strategy(text: str) -> tuple[Strategy, dict[str, str]]:
    """The strategy that a text names, and the options that it sets, as they stand there."""
    name, _, settings = text.partition(":")
    if name not in STRATEGIES:
        raise StrategyError(
            f"there is no strategy {name!r}; strategies are {', '.join(STRATEGIES)}"
        )
    values = {}
    for setting in filter(None, settings.split(",")):
        option, equals, value = setting.partition("=")
        if not equals:
            raise StrategyError(f"{text}: {setting!r} is not of the form option=value")
        values[option] = value
    return STRATEGIES[name], values
