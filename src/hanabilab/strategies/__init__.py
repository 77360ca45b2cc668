"""How to play: one file (or folder) per strategy, one line each in the registry below."""

from __future__ import annotations

import dataclasses
import re

from hanabilab.errors import StrategyError
from hanabilab.strategies.agents import AGENTS, COMPOSE, agent
from hanabilab.strategies.cheat import CHEAT
from hanabilab.strategies.hatter import DUO, HATTER
from hanabilab.strategies.human import HUMAN
from hanabilab.strategies.information import INFORMATION
from hanabilab.strategies.monte_carlo import MONTE_CARLO
from hanabilab.strategies.policy import Policy, from_policy
from hanabilab.strategies.random import RANDOM
from hanabilab.strategies.recommendation import RECOMMENDATION
from hanabilab.strategies.rule_based import RULE_BASED
from hanabilab.strategies.search import search_over
from hanabilab.strategies.strategy import Memory, Option, Strategy

__all__ = [
    "STRATEGIES",
    "Memory",
    "Option",
    "Player",
    "Policy",
    "Strategy",
    "agent",
    "find_strategy",
    "from_policy",
    "read_strategy",
    "register",
]

Player = str | Strategy | Policy
"""Anyone who can take a seat: a strategy, itself or by name, or a policy."""


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
        HATTER,
        DUO,
        CHEAT,
        HUMAN,
    )
}

STRATEGIES["search"] = search_over(STRATEGIES, HATTER)

OWN = tuple(STRATEGIES.values())
"""The strategies that come with the package."""


def register(player: Strategy | Policy, name: str = "") -> Strategy:
    """Make a strategy or a policy known by name to `find_strategy` and to the web page."""
    strategy = find_strategy(player)
    strategy = dataclasses.replace(strategy, name=name or strategy.name)
    if not re.fullmatch(r"[\w.-]+", strategy.name):
        raise StrategyError(
            f"{strategy.name!r} is not a name; use letters, digits, hyphens, dots and underscores"
        )
    if strategy.name in {own.name for own in OWN}:
        raise StrategyError(f"strategy {strategy.name!r} exists already")
    STRATEGIES[strategy.name] = strategy
    return strategy


def find_strategy(text: Player) -> Strategy:
    """Return the strategy that a name stands for, options included.

    With options: ``rule-based:hint-rule=2,play-threshold=0.7``. A policy becomes a strategy that
    makes its moves (`hanabilab.strategies.policy`).
    """
    if isinstance(text, Strategy):
        return text
    if not isinstance(text, str):
        return from_policy(text)
    strategy, values = read_strategy(text)
    return strategy.with_options(**values)


def read_strategy(text: str) -> tuple[Strategy, dict[str, str]]:
    """Return the strategy that a text names, and the options it sets, unchecked."""
    name, _, settings = text.partition(":")
    if name == "exec":
        raise StrategyError("exec: a program cannot be named here, only for commands that play")
    if name not in STRATEGIES:
        raise StrategyError(f"unknown strategy {name!r}; expected one of {', '.join(STRATEGIES)}")
    values = {}
    for setting in filter(None, settings.split(",")):
        option, equals, value = setting.partition("=")
        if not equals:
            raise StrategyError(f"{text}: {setting!r} is not of the form option=value")
        values[option] = value
    return STRATEGIES[name], values
