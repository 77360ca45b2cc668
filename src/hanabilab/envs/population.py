"""A learner's partners: one team, or several from which one is drawn for each game.

A population is whatever a user passes as `partners`: a strategy for all other seats; a list with
one per seat, in the order after the learner's; or a dictionary of these (lists as tuples) with
weights, ``{"iggi": 2, "piers": 1, policy: 1}``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, cast

from hanabilab.core.kernel import kernel
from hanabilab.core.random import HasStream, Rng, chance, private_stream
from hanabilab.errors import StrategyError
from hanabilab.game.rules import Rules
from hanabilab.strategies import Player
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.play import Team, strategies_for

__all__ = ["PARTNER_DRAW", "Partners", "Population", "draw_team"]

PARTNER_DRAW = 1 << 41
"""The random stream that draws partners, distinct from those of decks and strategies."""

Partners = Team | Mapping[Player | tuple[Player, ...], float]
"""What a user may pass: a team, or teams with weights."""


@kernel
def draw_team(holder: HasStream, cumulative_weights: Sequence[float]) -> int:
    """Return the index of a random team, given the cumulative weights."""
    last = len(cumulative_weights) - 1
    point = chance(holder) * cumulative_weights[last]
    for team in range(last):
        if point < cumulative_weights[team]:
            return team
    return last


class Population:
    """Teams of partners, drawn with probabilities proportional to their weights."""

    def __init__(self, partners: Partners, rules: Rules) -> None:
        weighted = _weighted(partners)
        self.given = [team for team, _ in weighted]
        """What the user passed for each team."""
        self.teams: list[list[Strategy]] = [_seated(team, rules) for team in self.given]
        self.cumulative_weights = list(accumulate(weight for _, weight in weighted))
        """The cumulative weights of the teams."""

    def draw(self, seed: int, number: int) -> int:
        """Return the index of the team that plays in a game of a seed."""
        if len(self.teams) == 1:
            return 0
        return draw_team(
            Rng(stream=private_stream(seed, number, PARTNER_DRAW)), self.cumulative_weights
        )


def _weighted(partners: Partners) -> list[tuple[Any, float]]:
    """Return each team as the user passed it, with its weight."""
    if not isinstance(partners, Mapping):
        return [(partners, 1.0)]
    if not partners:
        raise StrategyError("partners: an empty dictionary; give at least one partner")
    for partner, weight in partners.items():
        if not _is_weight(weight):
            raise StrategyError(
                f"partners: the weight of {partner!r}, {weight!r}, is not a positive number"
            )
    return [(partner, float(weight)) for partner, weight in partners.items()]


def _is_weight(value: object) -> bool:
    try:
        return not isinstance(value, bool | str) and 0 < float(cast("Any", value)) < math.inf
    except (TypeError, ValueError):
        return False


def _seated(team: Team, rules: Rules) -> list[Strategy]:
    found = strategies_for(team, rules.players - 1)
    for strategy in found:
        strategy.check(rules)
    return found
