"""Which words a review may use: whether a convention fits a game, and what an action deserves.

**Does the convention fit?** Judged by a convention that its players do not follow, a perfect game
seems to lose dozens of points. Two signs give that away. The convention would often have acted
otherwise (`agreement`). And actions that it thinks bad turn out well, again and again: the sum of
*hidden*, whose mean is zero for players who follow it, is large, measured by the root of the sum of
its squares (`hidden_z`), so that a single gamble that came off does not count. Verdicts are given
only within `LEAST_AGREEMENT` and `MOST_HIDDEN`; docs/how-to/review.md has the games that decided
them.

**What does an action deserve?** A word needs three things: the size of what was given away against
the convention, as the player could know it; `SIGNIFICANCE` standard errors; and that a spectator
who sees all hands agrees, at least by half. What looks bad to the player only has *worked*; what
looks bad to the spectator only was *unlucky*.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import sqrt

from hanabilab.lab.review.account import Account
from hanabilab.lab.review.facts import TurnFacts
from hanabilab.lab.review.values import TurnValue

__all__ = ["ERRORS", "Fit", "Verdict", "judge_fit", "judge_turn"]

LEAST_AGREEMENT = 0.8
"""The share of turns in which the convention must have acted as the players did."""
MOST_HIDDEN = 2.0
"""The sum of *hidden*, in multiples of the root of the sum of its squares."""

SIZES = {"blunder": 1.0, "mistake": 0.5, "inaccuracy": 0.25}
"""Points that an action must give away to be called so."""
ERRORS = tuple(SIZES)
SIGNIFICANCE = 3.0
"""Standard errors that a verdict needs, by what the player could know."""
SEEN_SIGNIFICANCE = 2.0
"""Standard errors that a verdict needs, by what the spectator sees."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a convention explains a game."""

    agreement: float | None
    """The share of turns in which the convention acts as the players did; None without one."""
    hidden_sum: float | None
    """The luck with hidden hands of the whole game."""
    hidden_z: float | None
    """The same in multiples of the root of the sum of its squares."""
    reason: str | None
    """Why the review gives no verdicts; None if the convention fits."""

    @property
    def fits(self) -> bool:
        """Whether verdicts are given."""
        return self.reason is None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A word for an action, or the reason why there is none."""

    word: str | None
    """blunder, mistake, inaccuracy, worked, unlucky, or None."""
    excuse: str | None = None
    """Why an action that costs points is not called an error."""


def judge_fit(account: Account) -> Fit:
    """Return whether a convention fits a game."""
    agreement, hidden = account.agreement, account.ledger.hidden
    root = sqrt(sum(points * points for points in account.hidden))
    hidden_z = hidden / root if root else 0.0
    reason = None
    if not account.values:
        reason = "nobody has acted yet"
    elif agreement < LEAST_AGREEMENT:
        reason = (
            f"the convention would have done the same in {agreement:.0%} of the turns; "
            f"below {LEAST_AGREEMENT:.0%} it does not describe how this table plays"
        )
    elif abs(hidden_z) > MOST_HIDDEN:
        reason = (
            f"actions that the convention disapproves of turned out "
            f"{'better' if hidden > 0 else 'worse'} than it expects again and again, by "
            f"{abs(hidden):.1f} points together: the players understood their hints differently"
        )
    return Fit(agreement, hidden, hidden_z, reason)


def judge_turn(value: TurnValue, facts: TurnFacts, usual: Collection[int]) -> Verdict:
    """Return the word for an action; `usual` are those of the same convention at other levels."""
    if value.taken == value.convention:
        return Verdict(None)
    cost, seen = -value.play, -value.change
    word = next((word for word, size in SIZES.items() if _is_lost(value, cost, size)), None)
    if word is None:
        unlucky = seen >= SIZES["mistake"] and seen >= SIGNIFICANCE * value.change_error
        return Verdict("unlucky" if unlucky else None)
    excuse = _excuse(facts, usual=value.taken in usual)
    if excuse:
        return Verdict(None, excuse)
    agreed = [
        each
        for each, size in SIZES.items()
        if _is_lost(value, cost, size) and _is_seen(value, seen, size)
    ]
    return Verdict(agreed[0] if agreed else "worked")


def _is_lost(value: TurnValue, cost: float, size: float) -> bool:
    return cost >= size and cost >= SIGNIFICANCE * value.play_error


def _is_seen(value: TurnValue, seen: float, size: float) -> bool:
    return seen >= size / 2 and seen >= SEEN_SIGNIFICANCE * value.change_error


def _excuse(facts: TurnFacts, *, usual: bool) -> str | None:
    """Return why an action is no error, whatever it cost."""
    if facts.chances is not None:
        if facts.event.lit and facts.chances.playable == 1:
            return "the card was certain to fit"
        if not facts.event.lit and facts.chances.dead == 1:
            return "the card was certain to be useless"
    if facts.exact is not None and facts.exact.is_kept:
        return "even with everyone's hand known nothing was better"
    if usual:
        return "players who follow fewer conventions do the same"
    return None
