"""Small games by name, and the optima that come with the package.

A name lists the sizes of a game: `p2-h1-s2-c21-t1-l1` has two players with one card each, two suits
with two copies of rank 1 and one of rank 2, one hint token and one life. All other rules are the
usual ones.
"""

from __future__ import annotations

import csv
import functools
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from hanabilab.errors import RulesError
from hanabilab.game.presets import SMALL_GAME
from hanabilab.game.rules import Rules, preset

__all__ = ["DATA", "KnownOptimum", "SmallGame", "known_optima", "known_optimum"]

DATA = Path(__file__).with_name("known.csv")
"""The stored optima; `hanabilab optimum --all` computes them."""


class SmallGame(NamedTuple):
    """The sizes of a game with the usual rules and the same copies in every suit."""

    players: int
    hand_size: int
    suits: int
    copies: tuple[int, ...]
    hint_tokens: int
    lives: int

    @classmethod
    def named(cls, name: str) -> SmallGame:
        """Return the game of a name."""
        found = SMALL_GAME.fullmatch(name)
        if found is None:
            raise RulesError(
                f"{name:.80}: not the name of a small game, such as p2-h1-s2-c21-t1-l1"
            )
        players, hand_size, suits, copies, tokens, lives = found.groups()
        return cls(
            int(players),
            int(hand_size),
            int(suits),
            tuple(map(int, copies)),
            int(tokens),
            int(lives),
        )

    @classmethod
    def of(cls, rules: Rules) -> SmallGame | None:
        """Return the game with these rules, or None if they are not those of a small game."""
        if rules.nonstandard or rules.hint_tokens is None or rules.lives is None:
            return None
        if len(set(rules.copies)) > 1:
            return None
        return cls(
            rules.players,
            rules.hand_size,
            rules.suits,
            rules.copies[0],
            rules.hint_tokens,
            rules.lives,
        )

    @property
    def name(self) -> str:
        """The name that lists the sizes."""
        copies = "".join(map(str, self.copies))
        return (
            f"p{self.players}-h{self.hand_size}-s{self.suits}-c{copies}"
            f"-t{self.hint_tokens}-l{self.lives}"
        )

    @property
    def pile(self) -> int:
        """The number of cards in the draw pile before the first turn."""
        return self.suits * sum(self.copies) - self.players * self.hand_size

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return preset(self.name)


@dataclass(frozen=True, slots=True)
class KnownOptimum:
    """A line of the stored table."""

    game: SmallGame
    value: Fraction
    open_hands: Fraction
    """An upper bound: everyone sees all hands."""
    one_turn: Fraction
    """An upper bound: everyone sees all hands after the first turn."""
    perfect: Fraction
    """The probability of the maximum under the optimal plan that was found."""
    decks: int
    beliefs: int
    states: int
    seconds: float


@functools.cache
def known_optima() -> dict[SmallGame, KnownOptimum]:
    """Return the optima that come with the package."""
    with DATA.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["value"]]
    found = {}
    for row in rows:
        game = SmallGame.named(row["game"])
        found[game] = KnownOptimum(
            game,
            Fraction(row["value"]),
            Fraction(row["open_hands"]),
            Fraction(row["one_turn"]),
            Fraction(row["perfect"]),
            int(row["decks"]),
            int(row["beliefs"]),
            int(row["states"]),
            float(row["seconds"]),
        )
    return found


def known_optimum(rules: Rules) -> KnownOptimum | None:
    """Return the stored optimum of a game, or None."""
    game = SmallGame.of(rules)
    return None if game is None else known_optima().get(game)
