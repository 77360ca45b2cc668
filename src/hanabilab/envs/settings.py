"""Settings shared by all environments: rules and rewards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hanabilab.checks import check_choice, did_you_mean, is_integer
from hanabilab.errors import HanabiError, RulesError
from hanabilab.game.deck import choose_rules
from hanabilab.game.encoding import KINDS, Encoder
from hanabilab.game.rules import PRESETS, Rules

__all__ = [
    "REWARDS",
    "base_preset",
    "check_reward",
    "check_seat",
    "env_rules",
    "player_encoder",
]

REWARDS = ("difference", "final")


def check_reward(reward: str) -> None:
    """Raise if the kind of reward is unknown."""
    if reward not in REWARDS:
        known = " or ".join(REWARDS) + did_you_mean(str(reward), REWARDS)
        raise HanabiError(f"unknown reward {reward!r}; expected {known}")


def player_encoder(rules: Rules, kind: str) -> Encoder:
    """Return the encoder of the players' observations, or raise if the kind is unknown."""
    return Encoder(rules, check_choice("encoding", kind, KINDS))


def check_seat(seat: int | str, players: int) -> int:
    """Return the learner's seat, `players` for a random one; raise if there is no such seat."""
    if isinstance(seat, str) and seat == "random":
        return players
    if not is_integer(seat) or seat not in range(players):
        raise HanabiError(
            f"seat: {seat!r} is neither a player from 0 to {players - 1} nor 'random'"
        )
    return int(seat)


def base_preset(name: str, players: object) -> str:
    """Return the preset to start from: six players use the box's rules in place of HLE's."""
    six = players in PRESETS["classic"].hands and players not in PRESETS["hle"].hands
    return "classic" if name == "hle" and six else name


def env_rules(
    rules: Rules | str, players: int | None, keep_points: bool | None, changes: Mapping[str, Any]
) -> Rules:
    """Return the given rules, or those of a preset, with some fields changed."""
    kept = {} if keep_points is None else {"keep_score": keep_points}
    if isinstance(rules, str):
        rules = base_preset(rules, players)
    elif isinstance(rules, Rules) and players not in (None, rules.players):
        raise RulesError(f"players: the rules are for {rules.players}, not {players}")
    return choose_rules(rules, players, {**changes, **kept})
