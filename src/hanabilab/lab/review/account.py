"""The convention that a game is judged by, and the ledger of its points: expectation, play, luck.

Let U be the spectator's value (`values`) before a turn. The ledger of a game is an identity::

    score - expected = play + hidden + draw

*expected* is U before the first turn. *play* is how much more the players' actions were worth than
the convention's, by what they could know. *hidden* is how much more the same actions were worth in
the true hands than in the possible hands that the players had to consider. *draw* is the luck of
the draw pile. A game that was left early ends with the last value of U instead of a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hanabilab.errors import StrategyError
from hanabilab.lab.review.values import Evaluator, PlayedGame, Precision, TurnValue
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.conventions.catalogue import DISTINCT_LEVELS
from hanabilab.strategies.strategy import Strategy

__all__ = [
    "AUTO",
    "Account",
    "Judge",
    "Ledger",
    "balance",
    "choose_convention",
    "proposed_actions",
    "usual_actions",
]

AUTO = "auto"
"""The option value that selects the convention that explains a game best."""
CANDIDATES = (
    *(f"conventions:level={level}" for level in DISTINCT_LEVELS),
    "hatter",
    "duo",
)
"""The conventions that `auto` tries; of equally good ones the first is taken."""


# --- the convention -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judge:
    """The convention by which a game is judged."""

    strategy: Strategy | None
    """None if no known convention can play the rules."""
    tried: tuple[tuple[str, float], ...]
    """The conventions that were tried, with the share of turns that each explains, best first."""
    why_none: str = ""
    """Why there is no convention."""

    @property
    def name(self) -> str | None:
        """The name of the convention, with its options."""
        return self.strategy.label if self.strategy else None


def choose_convention(played: PlayedGame, convention: Player) -> Judge:
    """Return the given convention or, for `auto`, the one that explains most turns of a game."""
    if convention != AUTO:
        chosen = find_strategy(convention)
        return Judge(chosen, ((chosen.label, agreement_with(chosen, played)),))
    rules = played.rules.replace(keep_score=True)
    known = [find_strategy(name) for name in CANDIDATES]
    able = [strategy for strategy in known if strategy.why_not(rules) is None]
    if not able:
        reason = f"{known[0].name}: {known[0].why_not(rules)}"
        return Judge(None, (), f"no known convention can play these rules ({reason})")
    shares = [(agreement_with(strategy, played), strategy) for strategy in able]
    ranked = sorted(shares, key=lambda pair: -pair[0])
    return Judge(ranked[0][1], tuple((strategy.label, share) for share, strategy in ranked))


def agreement_with(convention: Strategy, played: PlayedGame) -> float:
    """Return the share of turns in which a convention acts as the players did."""
    if not played.actions:
        return 1.0
    proposed = proposed_actions(convention, played)
    return sum(map(int.__eq__, proposed, played.actions)) / len(played.actions)


def proposed_actions(convention: Strategy, played: PlayedGame) -> list[int]:
    """Return what a convention proposes in each turn of a game."""
    return Evaluator(convention, played, Precision(0, 0, 0, 1)).proposed()


def usual_actions(convention: Strategy, played: PlayedGame) -> list[set[int]]:
    """Return, for each turn, the actions of the same convention at its other levels."""
    found: list[set[int]] = [set() for _ in played.actions]
    if "level" in convention.options:
        for level in DISTINCT_LEVELS:
            if level != convention.option("level"):
                other = proposed_actions(convention.with_options(level=level), played)
                for actions, action in zip(found, other, strict=True):
                    actions.add(action)
    return found


# --- the account ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ledger:
    """The ledger of a game: `play`, `hidden` and `draw` add up exactly."""

    deal: float
    """How much more the deal was worth than an average one to players who follow the convention."""
    deal_error: float
    play: float
    hidden: float
    draw: float

    def to_dict(self) -> dict[str, float]:
        """Return the ledger as plain data."""
        return {
            "deal": self.deal,
            "deal_error": self.deal_error,
            "play": self.play,
            "hidden": self.hidden,
            "draw": self.draw,
        }


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a game, turn by turn."""

    values: tuple[TurnValue, ...]
    """The sampled values of each turn."""
    curve: tuple[float, ...]
    """The spectator's value at the start and after each turn, with its draw."""
    wins: tuple[float, ...]
    """The spectator's chance of the maximum at the start and after each turn."""
    hidden: tuple[float, ...]
    draws: tuple[float, ...]
    expected_error: float
    ledger: Ledger

    @property
    def agreement(self) -> float:
        """The share of turns in which the convention acts as the players did."""
        same = sum(value.taken == value.convention for value in self.values)
        return same / len(self.values) if self.values else 1.0


def balance(
    values: Sequence[TurnValue], end: tuple[float, float] | None, mean: tuple[float, float]
) -> Account:
    """Return the account of a game.

    `end` is the score and whether it is the maximum; None for a game that goes on, whose last value
    is that of the present position. `mean` is the mean score of the convention, with its error.
    """
    first = values[0]
    if end is None:
        *values, last = values
        end = last.spectator_convention, last.win
    curve = (*(value.spectator_convention for value in values), end[0])
    hidden = tuple(value.change - value.play for value in values)
    draws = tuple(after - value.spectator for value, after in zip(values, curve[1:], strict=True))
    ledger = Ledger(
        deal=curve[0] - mean[0],
        deal_error=(first.spectator_error**2 + mean[1] ** 2) ** 0.5,
        play=sum(value.play for value in values),
        hidden=sum(hidden),
        draw=sum(draws),
    )
    wins = (*(value.win for value in values), end[1])
    return Account(tuple(values), curve, wins, hidden, draws, first.spectator_error, ledger)


def check_worlds(worlds: int) -> None:
    """Raise unless the number of samples is a power of two."""
    if worlds & (worlds - 1):
        raise StrategyError(f"worlds: {worlds} is not a power of two")
