"""The words that a review may use: whether a convention fits a game, and the verdict on an action.

**Does the convention fit?** Judged by a convention that its players do not follow, a perfect game
seems to lose dozens of points. Two signs give that away. First, the convention would often have
acted differently: at least half of the players must act as it does in `LEAST_AGREEMENT` of their
turns, and a player is judged only from `LEAST_OWN_AGREEMENT` on. A single difference is allowed,
however short the game. Second, actions that it considers bad turn out well again and again: the sum
of *hidden*, whose mean is zero for players who follow it, is large compared with the root of the
sum of its squares (`hidden_z`), so that a single successful gamble does not count.
docs/how-to/review.md has the games that decided these limits.

**What is the verdict?** A word requires three things: the size of the loss against the convention,
by what the player could know; `SIGNIFICANCE` standard errors; and that a spectator who sees all
hands agrees, at least by half. An action that looks bad only to the player has *worked*; one that
looks bad only to the spectator was *unlucky*.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from hanabilab.lab.review.account import Account
from hanabilab.lab.review.facts import TurnFacts
from hanabilab.lab.review.values import TurnValue

__all__ = ["ERRORS", "Fit", "Verdict", "judge_fit", "judge_turn"]

LEAST_AGREEMENT = 0.8
"""The share of their turns in which half of the players must act as the convention does."""
LEAST_OWN_AGREEMENT = 0.7
"""The share of turns in which a player must act as the convention does to be judged."""
MOST_HIDDEN = 2.0
"""The limit on the sum of *hidden*, in multiples of the root of the sum of its squares."""

SIZES = {"blunder": 1.0, "mistake": 0.5, "inaccuracy": 0.25}
"""The loss in points from which each word is used."""
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
    """The same in multiples of the root of the sum of squares."""
    players: tuple[float, ...]
    """The share of turns in which the convention acts as each player did."""
    in_line: tuple[bool, ...]
    """Whether each player acts as the convention often enough to be judged."""
    reason: str | None
    """The reason why the review gives no verdicts; None if the convention fits."""

    @property
    def fits(self) -> bool:
        """Whether verdicts are given."""
        return self.reason is None

    def judges(self, player: int) -> bool:
        """Return whether verdicts are given on this player's actions."""
        return self.fits and self.in_line[player]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A word for an action, or the reason why there is none."""

    word: str | None
    """blunder, mistake, inaccuracy, worked, unlucky, or None."""
    excuse: str | None = None
    """Why an action that costs points is not called an error."""


def judge_fit(account: Account, actors: Sequence[int], players: int) -> Fit:
    """Return how well a convention fits a game; `actors` are the players of its turns."""
    hidden = account.ledger.hidden
    root = sqrt(sum(points * points for points in account.hidden))
    hidden_z = hidden / root if root else 0.0
    shares = tuple(_agreement(account, actors, player) for player in range(players))
    lenient = [1.0 if share.differed <= 1 else share.share for share in shares]
    middle = sorted(lenient)[(players - 1) // 2]
    reason = None
    if not account.values:
        reason = "nobody has acted yet"
    elif middle < LEAST_AGREEMENT:
        reason = (
            f"at least half of the players act as the convention does in {middle:.0%} of their "
            f"turns or fewer; below {LEAST_AGREEMENT:.0%} it does not describe how this table plays"
        )
    elif abs(hidden_z) > MOST_HIDDEN:
        reason = (
            f"actions that the convention disapproves of turned out "
            f"{'better' if hidden > 0 else 'worse'} than it expects again and again, by "
            f"{abs(hidden):.1f} points together: the players understood their hints differently"
        )
    in_line = tuple(share >= LEAST_OWN_AGREEMENT for share in lenient)
    found = tuple(share.share for share in shares)
    return Fit(account.agreement, hidden, hidden_z, found, in_line, reason)


class _Agreement(NamedTuple):
    share: float
    differed: int


def _agreement(account: Account, actors: Sequence[int], player: int) -> _Agreement:
    """Return how often the convention acts as a player did, and how often not."""
    own = [value for value, actor in zip(account.values, actors, strict=True) if actor == player]
    differed = sum(value.taken != value.convention for value in own)
    return _Agreement(1 - differed / len(own) if own else 1.0, differed)


def judge_turn(value: TurnValue, facts: TurnFacts, usual: Collection[int]) -> Verdict:
    """Return the verdict on an action; `usual` are actions of the convention's other levels."""
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
    """Return the reason why an action is no error, whatever it cost."""
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
