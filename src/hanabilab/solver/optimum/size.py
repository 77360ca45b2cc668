"""How large a game is, which games are small enough for an optimum, and when a search gives up."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from hanabilab.errors import RulesError, TheoryError
from hanabilab.game.rules import Rules, switch_set, unhandled_rule
from hanabilab.solver.optimum.known import known_optimum

__all__ = [
    "BELIEFS",
    "HANDLED",
    "MEMORY_LIMIT",
    "GameSize",
    "Limits",
    "TooManyBeliefsError",
    "check_size",
    "check_supported",
    "unsupported_reason",
]

HANDLED = switch_set(
    "discard_at_full empty_hints first_player keep_on_last_turn keep_score token_for_suit"
)
"""The switches of the rules that the search for an optimum handles."""

BELIEFS = 20_000_000
"""How many beliefs a search may consider, unless told otherwise."""
MEMORY_LIMIT = 4000
"""Megabytes that the arrays of a search may take, unless told otherwise."""
MOST_DEALS = 3_000_000
"""How many deals in all public states can be held in memory: about four gigabytes."""
QUICK_DEALS = 60_000
"""How many deals can usually be solved within seconds."""
QUICK_SECONDS = 10.0
"""Stored games that took longer are not solved again when someone plays the optimal strategy."""


class TooManyBeliefsError(TheoryError):
    """A search needs more beliefs, memory or time than allowed."""


class Limits(NamedTuple):
    """When a search gives up."""

    beliefs: int = BELIEFS
    megabytes: int = MEMORY_LIMIT
    deadline: float = math.inf
    """The CPU time of the process, as `time.process_time` counts it."""


@dataclass(frozen=True, slots=True)
class GameSize:
    """An estimate of the public states of a game, and the number of deals at its start."""

    states: int
    deals: int

    @classmethod
    def of(cls, rules: Rules) -> GameSize:
        """Estimate the size of a game."""
        lives = rules.deck_size if rules.lives is None else rules.lives
        states = math.prod(
            math.comb(_suit_states(row) + suits - 1, suits)
            for row, suits in Counter(rules.copies).items()
        )
        states *= (rules.token_limit + 1) * min(lives, rules.deck_size)
        cards = [count for row in rules.copies for count in row]
        return cls(states, _deals(cards, rules.players * rules.hand_size))

    @property
    def pairs(self) -> int:
        """An estimate of the deals in all public states together."""
        return self.states * self.deals

    def __str__(self) -> str:
        return (
            f"an estimated {approximate(self.pairs)} deals in {approximate(self.states)} "
            "public states"
        )


def approximate(number: int) -> str:
    """Return an integer in a few digits."""
    if number < 10**6:
        return f"{number:,}"
    digits = len(str(number)) - 1
    return f"{number // 10 ** (digits - 1) / 10:.1f}e{digits}"


def _suit_states(copies: tuple[int, ...]) -> int:
    """Return how many combinations of height and unseen cards a suit can have."""
    total = 0
    for height in range(len(copies) + 1):
        total += math.prod(copies[:height]) * math.prod(count + 1 for count in copies[height:])
    return total


def _deals(copies: list[int], held: int) -> int:
    """Return the number of ways to deal hands with this many cards in all."""
    ways = [1] + [0] * held
    for count in copies:
        ways = [
            sum(
                ways[cards - more] * math.comb(cards, more) for more in range(min(cards, count) + 1)
            )
            for cards in range(held + 1)
        ]
    return ways[held]


def check_supported(rules: Rules) -> None:
    """Raise if a rule is not one of those that the search handles."""
    if rules.hint_tokens is None:
        raise RulesError("hint_tokens: an optimum needs a limited number, not unlimited")
    if special := rules.special_hints:
        raise RulesError(f"touching: an optimum needs plain suits and ranks, not {special}")
    if rule := unhandled_rule(rules.nonstandard, HANDLED):
        raise RulesError(f"the search for an optimum does not support the rule {rule}")


def check_size(rules: Rules) -> None:
    """Raise if a game is too large, with an estimate."""
    size = GameSize.of(rules)
    if size.pairs > MOST_DEALS:
        raise TheoryError(f"too large for an exact optimum: {size}; at most {MOST_DEALS:,} deals")


def unsupported_reason(rules: Rules) -> str | None:
    """Return why the optimal strategy cannot be computed for these rules soon, or None.

    Of the games whose optimum comes with the package, many take only seconds.
    """
    if rules.hint_tokens is None:
        return "hint tokens must be limited to compute an optimal plan"
    known, size = known_optimum(rules), GameSize.of(rules)
    if known and known.seconds > QUICK_SECONDS:
        return (
            f"computing its plan takes about {known.seconds:.0f} seconds; do that with "
            "hanabilab.optimum(rules), whose strategy plays this game"
        )
    if not known and size.pairs > QUICK_DEALS:
        return f"no optimal plan can be computed for {size}; at most {QUICK_DEALS:,} deals"
    return None
