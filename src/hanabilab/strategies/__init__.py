"""Strategies: one file (or folder) each, and the registry below.

>>> from hanabilab.strategies import STRATEGIES
>>> sorted(STRATEGIES["rule-based"].options)[0]
'discard_rule'
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol

from hanabilab.checks import did_you_mean
from hanabilab.errors import StrategyError, one_line
from hanabilab.game.presets import SIX_PLAYERS
from hanabilab.game.rules import preset
from hanabilab.strategies.adapters import Policy, as_strategy, from_policy
from hanabilab.strategies.agents import AGENTS, COMPOSE, agent
from hanabilab.strategies.cheat import CHEAT
from hanabilab.strategies.conventions import CONVENTIONS
from hanabilab.strategies.hatter import DUO, HATTER
from hanabilab.strategies.human import HUMAN
from hanabilab.strategies.information import INFORMATION
from hanabilab.strategies.monte_carlo import MONTE_CARLO
from hanabilab.strategies.optimal import OPTIMAL
from hanabilab.strategies.plugins import NAME, find_plugins
from hanabilab.strategies.random import RANDOM
from hanabilab.strategies.recommendation import RECOMMENDATION
from hanabilab.strategies.rule_based import RULE_BASED
from hanabilab.strategies.search import search_over
from hanabilab.strategies.sieve import SIEVE
from hanabilab.strategies.strategy import (
    About,
    Memory,
    Option,
    RuleSupport,
    SearchSupport,
    Strategy,
)

__all__ = [
    "STRATEGIES",
    "About",
    "Memory",
    "Option",
    "Player",
    "Policy",
    "RuleSupport",
    "SearchSupport",
    "Strategy",
    "agent",
    "find_strategy",
    "from_policy",
    "known_names",
    "known_strategies",
    "read_options",
    "read_strategy",
    "register",
    "registered_strategy",
    "who_plays",
]


class Acting(Protocol):
    """An object with a method `act`."""

    @property
    def act(self) -> Callable[..., Any]: ...


Player = str | Strategy | Policy | Callable[..., Any] | Acting
"""Anything that can take a seat: a strategy or its name, a policy, an `act`, an object that has
one.
"""


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
        CONVENTIONS,
        SIEVE,
        HATTER,
        DUO,
        OPTIMAL,
        CHEAT,
        HUMAN,
    )
}

STRATEGIES["search"] = search_over(STRATEGIES, HATTER)

OWN = tuple(STRATEGIES.values())
"""The strategies that come with the package."""


def register(player: Player, name: str = "") -> Strategy:
    """Register a strategy or a policy under a name for `find_strategy` and the web page."""
    strategy = find_strategy(player)
    strategy = dataclasses.replace(strategy, name=name or strategy.name)
    if not NAME.fullmatch(strategy.name):
        raise StrategyError(
            f"{strategy.name!r} is not a name; use letters, digits, hyphens, dots and underscores"
        )
    if strategy.name in {own.name for own in OWN}:
        raise StrategyError(f"strategy {strategy.name!r} exists already")
    STRATEGIES[strategy.name] = strategy
    return strategy


def find_strategy(player: Player) -> Strategy:
    """Return the strategy of a player: by name, from a file, or made from an object.

    Text is read as on the command line: ``rule-based:hint-rule=2``, ``mine.py:careful``,
    ``module:careful:risk=0.1`` or ``exec:COMMAND``. It may therefore run code; for text from
    elsewhere use `registered_strategy`. A policy becomes a strategy that makes its moves; see
    `hanabilab.strategies.adapters` for what else can play.

    Examples
    --------
    >>> find_strategy("rule-based:hint-rule=2,play-threshold=0.7").label
    'rule-based:hint-rule=2,play-threshold=0.7'
    """
    if not isinstance(player, str):
        return as_strategy(player)
    from hanabilab.strategies.load import load_player

    return load_player(player)


def registered_strategy(text: str) -> Strategy:
    """Return the strategy with a registered name, options included; run no other code.

    The name is that of a built-in, an installed or a registered strategy.
    """
    strategy, values = read_strategy(text)
    return strategy.with_options(**values)


def read_strategy(text: str) -> tuple[Strategy, dict[str, str]]:
    """Return the strategy that a text names, and the options it sets, unchecked."""
    name, _, settings = text.partition(":")
    if name == "exec":
        raise StrategyError("exec: a program cannot be named here, only for commands that play")
    if name in STRATEGIES:
        return STRATEGIES[name], read_options(text, settings)
    offered, problems = find_plugins(frozenset(STRATEGIES))
    if name in offered:
        return offered[name].load(), read_options(text, settings)
    known = known_names()
    related = "".join(f"; {problem}" for problem in problems if name in problem)
    raise StrategyError(
        f"unknown strategy {name!r}; expected one of {', '.join(known)}"
        f"{did_you_mean(name, known)}{related}"
    )


def read_options(text: str, settings: str) -> dict[str, str]:
    """Return the options of ``option=value,option=value`` at the end of a text, unchecked."""
    values = {}
    for setting in filter(None, settings.split(",")):
        option, equals, value = setting.partition("=")
        if not equals:
            raise StrategyError(f"{text}: {setting!r} is not of the form option=value")
        values[option] = value
    return values


def known_names() -> list[str]:
    """Return the names of all strategies, including those of plugins."""
    return [*STRATEGIES, *find_plugins(frozenset(STRATEGIES))[0]]


def who_plays(variant: str) -> dict[str, list[int] | str]:
    """Return, for each strategy, the numbers of players with which it plays a variant, or why not.

    The strategies are the built-in ones, and a search over `piers`, which supports rules that the
    usual search does not.
    """
    every_rules = [preset(variant, players) for players in SIX_PLAYERS]
    found: dict[str, list[int] | str] = {}
    for strategy in (*OWN, STRATEGIES["search"].with_options(blueprint="piers")):
        refusals = {rules.players: strategy.why_not(rules) for rules in every_rules}
        players = [number for number, reason in refusals.items() if reason is None]
        found[strategy.label] = players or "; ".join(dict.fromkeys(filter(None, refusals.values())))
    return found


def known_strategies() -> tuple[dict[str, Strategy], list[str]]:
    """Return all strategies by name, and one line for each plugin that cannot be loaded."""
    offered, problems = find_plugins(frozenset(STRATEGIES))
    found = dict(STRATEGIES)
    for name, offer in offered.items():
        try:
            found[name] = offer.load()
        except StrategyError as error:
            problems.append(one_line(str(error)))
    return found, problems
