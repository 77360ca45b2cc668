"""Which words a review may use: whether a convention fits a game, and what an action deserves.

**Does the convention fit?** Judged by a convention that its players do not follow, a perfect game
seems to lose dozens of points. Two signs give that away. The convention would often have acted
otherwise (`agreement`). And actions that it thinks bad turn out well, again and again: the sum of
*hidden*, whose mean is zero for players who follow it, is large. Verdicts are given only within
`LEAST_AGREEMENT` and `MOST_HIDDEN`; docs/how-to/review.md has the games that decided them.

**What does an action deserve?** A word needs three things: the size of what was given away against
the convention, as the player could know it; `SIGNIFICANCE` standard errors; and that a spectator
who sees all hands agrees, at least by half. What looks bad to the player only has *worked*; what
looks bad to the spectator only was *unlucky*.
"""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab.lab.review.facts import TurnFacts
from hanabilab.lab.review.values import TurnValue

__all__ = ["ERRORS", "Fit", "Verdict", "judge_fit", "judge_turn"]

LEAST_AGREEMENT = 0.7
"""The share of turns in which the convention must have acted as the players did."""
MOST_HIDDEN = 3.0
"""Points by which the luck of hidden hands may differ from zero."""

SIZES = {"blunder": 1.0, "mistake": 0.5, "inaccuracy": 0.25}
"""Points that an action must give away to be called so."""
ERRORS = tuple(SIZES)
SIGNIFICANCE = 3.0
"""Standard errors that a verdict needs."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a convention explains a game."""

    agreement: float
    """The share of turns in which the convention acts as the players did."""
    hidden_sum: float
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


def judge_fit(agreement: float, hidden_sum: float, turns: int) -> Fit:
    """Return whether a convention fits a game."""
    reason = None
    if not turns:
        reason = "nobody has acted yet"
    elif agreement < LEAST_AGREEMENT:
        reason = (
            f"the convention would have done the same in {agreement:.0%} of the turns; "
            f"below {LEAST_AGREEMENT:.0%} it does not describe how this table plays"
        )
    elif abs(hidden_sum) > MOST_HIDDEN:
        reason = (
            f"actions that the convention disapproves of did {abs(hidden_sum):.1f} points "
            f"{'better' if hidden_sum > 0 else 'worse'} than it expects; more than "
            f"{MOST_HIDDEN:g} say that the players understood their hints differently"
        )
    return Fit(agreement, hidden_sum, reason)


def judge_turn(value: TurnValue, facts: TurnFacts, *, usual: bool, exact_kept: bool) -> Verdict:
    """Return the word for an action.

    `usual` says that the same convention at another level takes this action; `exact_kept` that the
    action keeps the exact value of an endgame.
    """
    if value.taken == value.convention:
        return Verdict(None)
    cost, seen = -value.play, -value.change
    word = next((word for word, size in SIZES.items() if _is_lost(value, cost, size)), None)
    if word is None:
        unlucky = seen >= SIZES["mistake"] and seen >= SIGNIFICANCE * value.change_error
        return Verdict("unlucky" if unlucky else None)
    excuse = _excuse(facts, usual=usual, exact_kept=exact_kept)
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
    return seen >= size / 2 and seen >= SIGNIFICANCE * value.change_error


def _excuse(facts: TurnFacts, *, usual: bool, exact_kept: bool) -> str | None:
    """Return why an action is no error, whatever it cost."""
    if facts.chances is not None:
        if facts.event.lit and facts.chances.playable == 1:
            return "the card was certain to fit"
        if not facts.event.lit and facts.chances.dead == 1:
            return "the card was certain to be useless"
    if exact_kept:
        return "even with everyone's hand known nothing was better"
    if usual:
        return "players who follow fewer conventions do the same"
    return None
