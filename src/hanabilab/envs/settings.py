"""Settings that all environments share: rules and rewards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hanabilab.checks import did_you_mean
from hanabilab.errors import HanabiError, RulesError
from hanabilab.game.choose import choose_rules
from hanabilab.game.rules import PRESETS, Rules

__all__ = ["REWARDS", "base_of", "check_reward", "env_rules"]

REWARDS = ("difference", "final")


def check_reward(reward: str) -> None:
    """Raise if the kind of reward is unknown."""
    if reward not in REWARDS:
        known = " or ".join(REWARDS) + did_you_mean(str(reward), REWARDS)
        raise HanabiError(f"unknown reward {reward!r}; expected {known}")


def base_of(name: str, players: object) -> str:
    """Return the preset to start from: HLE's rules are those of the box, which six can play too."""
    six = players in PRESETS["classic"].hands and players not in PRESETS["hle"].hands
    return "classic" if name == "hle" and six else name


def env_rules(
    rules: Rules | str, players: int | None, keep_points: bool | None, changes: Mapping[str, Any]
) -> Rules:
    """Return the given rules, or those of a preset, with some fields changed."""
    kept = {} if keep_points is None else {"keep_score": keep_points}
    if isinstance(rules, str):
        rules = base_of(rules, players)
    elif isinstance(rules, Rules) and players not in (None, rules.players):
        raise RulesError(f"players: the rules are for {rules.players}, not {players}")
    return choose_rules(rules, players, {**changes, **kept})
