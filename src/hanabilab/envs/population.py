"""The partners of a learner: one team, or several of which one is drawn for each game.

A population is what a user gives as `partners`: a strategy for all other seats; a list with one for
each of them, in their order after the learner's; or a dictionary of these (lists as tuples) with
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
"""The purpose of the random stream that draws partners; decks and strategies have others."""

Partners = Team | Mapping[Player | tuple[Player, ...], float]
"""What a user may give: a team, or teams with weights."""


@kernel
def draw_team(holder: HasStream, cumulative_weights: Sequence[float]) -> int:
    """Return the number of a random team, given the cumulative weights."""
    last = len(cumulative_weights) - 1
    point = chance(holder) * cumulative_weights[last]
    for team in range(last):
        if point < cumulative_weights[team]:
            return team
    return last


class Population:
    """Teams of partners, each as likely as its weight says."""

    def __init__(self, partners: Partners, rules: Rules) -> None:
        weighted = _weighted(partners)
        self.given = [team for team, _ in weighted]
        """What the user gave for each team."""
        self.teams: list[list[Strategy]] = [_seated(team, rules) for team in self.given]
        self.cumulative_weights = list(accumulate(weight for _, weight in weighted))
        """The sums of the weights up to each team."""

    def draw(self, seed: int, number: int) -> int:
        """Return the number of the team that plays in a game of a seed."""
        if len(self.teams) == 1:
            return 0
        return draw_team(
            Rng(stream=private_stream(seed, number, PARTNER_DRAW)), self.cumulative_weights
        )


def _weighted(partners: Partners) -> list[tuple[Any, float]]:
    """Return each team as it was given, with its weight."""
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
