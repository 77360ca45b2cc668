"""Pace of shuffled decks by simulation, and a test of Keßler's counts against the exact chances."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, lgamma, log, log1p

from hanabilab.checks import check_integer
from hanabilab.errors import TheoryError
from hanabilab.theory.pace import CLASSIC, PaceGame, pace_chances
from hanabilab.theory.playability import Card
from hanabilab.theory.sequences import Report

__all__ = [
    "FRACTIONS_AS_PRINTED",
    "TABLE_5_1",
    "TABLE_5_1_DECKS",
    "FitRow",
    "PaceSample",
    "binomial_p_value",
    "fit_table_5_1",
    "sample_pace",
]

TABLE_5_1_DECKS = 100_000

TABLE_5_1 = {
    (4, -1): 4,
    (4, 0): 8,
    (5, -1): 3,
    (5, 0): 19,
    (6, -1): 2,
    (6, 0): 21,
    (7, 0): 9,
    (8, 0): 10,
    (9, -1): 1,
    (9, 0): 8,
    (10, -1): 1,
    (10, 0): 2,
    (11, 0): 6,
    (12, 0): 2,
    (13, -1): 1,
    (14, -1): 1,
    (14, 0): 3,
    (15, 0): 2,
    (18, 0): 1,
    (19, 0): 1,
}
"""(cards remaining, pace): occurrences in 100,000 decks for three players (Keßler 2025)."""

FRACTIONS_AS_PRINTED = (
    (4, -1, "4 + 4", Fraction(1, 23030), "4.34e-6"),
    (4, 0, "4 + 3", Fraction(1, 11515), "8.68e-6"),
    (5, 0, "5 + 3", Fraction(1, 105938), "0.94e-6"),
    (5, 0, "4 + 4 + 0", Fraction(43, 211876), "20.29e-6"),
    (5, 0, "4 + 3 + 1", Fraction(3, 105938), "2.83e-6"),
    (6, 0, "5 + 4 + 0", Fraction(2, 37835), "5.29e-6"),
    (6, 0, "5 + 3 + 1", Fraction(1, 264845), "0.38e-6"),
    (6, 0, "4 + 4 + 1 + 0", Fraction(43, 529690), "8.12e-6"),
    (6, 0, "4 + 3 + 2", Fraction(1, 264845), "0.38e-6"),
)
"""Cards remaining, pace, what is blocked, the fraction and its decimals (Keßler, page 10)."""

REPORT_EVERY = 1_000


@dataclass(frozen=True, slots=True)
class PaceSample:
    """How many sampled decks force a negative pace or pace 0."""

    decks: int
    negative: tuple[int, ...]
    """for each cut, from 0 cards remaining, the decks with a pace below 0"""
    zero: tuple[int, ...]
    """for each cut the decks with a pace of 0"""
    lost: int
    """decks with a pace below 0 at some cut"""


def sample_pace(
    game: PaceGame, decks: int, seed: int = 0, report: Report | None = None
) -> PaceSample:
    """Shuffle decks and count their paces at every cut.

    Only the end of a deck is shuffled: a cut with more cards in the draw pile than cards to play
    cannot be tight.
    """
    decks = check_integer("decks", decks, 1, error=TheoryError)
    negative, zero = [0] * (game.draw_pile + 1), [0] * (game.draw_pile + 1)
    lost = 0
    copies = {
        (rank, suit): count for suit, row in enumerate(game.suits) for rank, count in enumerate(row)
    }
    heights = [len(row) for row in game.suits]
    for deck, end in enumerate(_shuffled_ends(game, copies, decks, seed)):
        missing, lowest, blocked, is_lost = copies.copy(), heights.copy(), 0, False
        for remaining, card in enumerate(end, 1):
            missing[card] -= 1
            rank, suit = card
            if not missing[card] and rank < lowest[suit]:
                blocked += lowest[suit] - rank
                lowest[suit] = rank
            forced = game.players + remaining - blocked
            if forced < 0:
                negative[remaining] += 1
                is_lost = True
            elif forced == 0:
                zero[remaining] += 1
        lost += is_lost
        if report is not None and deck % REPORT_EVERY == 0:
            report(deck, "decks")
    return PaceSample(decks, tuple(negative), tuple(zero), lost)


def _shuffled_ends(
    game: PaceGame, copies: Mapping[Card, int], decks: int, seed: int
) -> Iterator[list[Card]]:
    """Yield the last cards of shuffled decks, last card first.

    Only the method `random` of Python's generator gives the same numbers in all versions.
    """
    cards = [card for card, count in copies.items() for _ in range(count)]
    deepest = max(0, min(game.draw_pile, game.to_play - game.players))
    number, size = random.Random(seed).random, len(cards)
    for _ in range(decks):
        for place in range(deepest):
            other = place + int(number() * (size - place))
            cards[place], cards[other] = cards[other], cards[place]
        yield cards[:deepest]


@dataclass(frozen=True, slots=True)
class FitRow:
    """A cell of Table 5.1 with its expected value."""

    remaining: int
    pace: int
    seen: int
    expected: float
    p_value: float
    """the chance of a count that is at least as unlikely"""


def fit_table_5_1(table: dict[tuple[int, int], int] | None = None) -> tuple[list[FitRow], float]:
    """Test Keßler's sample against the exact chances: each cell, and the p-value of all together.

    Each cell is a binomial count on its own, which gives an exact two-sided p-value. A deck can
    be in several cells, so the cells are not independent; the smallest p-value times the number
    of cells (Bonferroni) is a valid p-value all the same. Cells in which nothing can happen are
    left out, unless something was counted there.
    """
    table = TABLE_5_1 if table is None else table
    game = PaceGame(players=3, hand=5, suits=CLASSIC)
    rows = []
    for remaining in range(game.draw_pile + 1):
        chances = pace_chances(game, remaining)
        for forced in (-1, 0):
            chance = float(chances.get(forced, Fraction(0)))
            seen = table.get((remaining, forced), 0)
            if chance or seen:
                p_value = binomial_p_value(seen, TABLE_5_1_DECKS, chance)
                rows.append(FitRow(remaining, forced, seen, chance * TABLE_5_1_DECKS, p_value))
    return rows, min(1.0, len(rows) * min(row.p_value for row in rows))


def binomial_p_value(seen: int, trials: int, chance: float) -> float:
    """Return the probability of an outcome that is at most as likely as the one seen."""
    if chance <= 0 or chance >= 1:
        return float(seen == trials * chance)
    weights = _binomial_weights(trials, chance)
    limit = weights[seen] * (1 + 1e-9) if seen < len(weights) else 0.0
    return min(1.0, sum(weight for weight in weights if weight <= limit))


def _binomial_weights(trials: int, chance: float) -> Sequence[float]:
    """Return the probabilities of 0, 1, … until they are too small to matter."""
    weights = []
    for k in range(trials + 1):
        ways = lgamma(trials + 1) - lgamma(k + 1) - lgamma(trials - k + 1)
        weights.append(exp(ways + k * log(chance) + (trials - k) * log1p(-chance)))
        if k > trials * chance and weights[-1] < 1e-30:
            break
    return weights
