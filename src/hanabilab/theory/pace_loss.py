"""The exact chance that a shuffled deck is lost on pace at some cut.

The cuts of a deck are not independent, so their chances cannot be added up; `loss_by_cut` says
what is done instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb, factorial, perm

from hanabilab.errors import TheoryError
from hanabilab.theory.pace import CutChance, PaceGame, cut_chances, pace, ratio
from hanabilab.theory.sequences import Report, about, duration

__all__ = ["PaceLosses", "loss_bounds", "loss_by_cut", "loss_chance", "pace_losses"]

MAX_CLOSINGS = 100_000_000
"""Ways to close a rank, in all states, beyond which the exact chance is not computed."""

CLOSINGS_PER_SECOND = 6_000_000
REPORT_EVERY = 1_000

_State = tuple[tuple[int, ...], int]
"""(for each suit the ranks below the blocked ones, blank places)"""

_Groups = list[tuple[tuple[int, ...], int]]
"""Equal suits, which are neighbours: their copies, and how many suits there are."""


@dataclass(frozen=True, slots=True)
class PaceLosses:
    """How likely shuffled decks are lost on pace, at each cut and at some cut."""

    game: PaceGame
    cuts: tuple[CutChance, ...]
    lost: Fraction | None
    """The chance of a loss at some cut; None if that is too much to compute."""
    bounds: tuple[Fraction, Fraction]
    """Bounds of that chance."""

    def to_dict(self) -> dict[str, object]:
        """Return the chances as plain data."""
        return {
            "players": self.game.players,
            "hand": self.game.hand,
            "cuts": [cut.to_dict() for cut in self.cuts],
            "lost": None if self.lost is None else ratio(self.lost),
            "lost_decimal": None if self.lost is None else float(self.lost),
            "lost_bounds": [ratio(bound) for bound in self.bounds],
        }


def pace_losses(game: PaceGame, report: Report | None = None) -> PaceLosses:
    """Return how likely a shuffled deck is lost on pace, exactly or else within bounds."""
    try:
        lost = loss_chance(game, report=report)
    except TheoryError:  # too large
        lost = None
    cuts = cut_chances(game)
    return PaceLosses(game, tuple(cuts), lost, _bounds(cuts))


def loss_bounds(game: PaceGame) -> tuple[Fraction, Fraction]:
    """Return bounds of `loss_chance`: the most likely cut, and all cuts added up."""
    return _bounds(cut_chances(game))


def _bounds(cuts: Sequence[CutChance]) -> tuple[Fraction, Fraction]:
    negative = [cut.negative for cut in cuts]
    return max(negative), min(Fraction(1), sum(negative, Fraction(0)))


def loss_chance(game: PaceGame, *, below: int = 0, report: Report | None = None) -> Fraction:
    """Return the probability that a shuffled deck forces a pace below `below` at some cut."""
    return sum(loss_by_cut(game, below=below, report=report).values(), Fraction(0))


def loss_by_cut(
    game: PaceGame, *, below: int = 0, report: Report | None = None
) -> dict[int, Fraction]:
    """Return the probability that the pace is below `below` for the first time at each cut.

    Decks are followed from the last card backwards, but without looking at them. A card is
    *closing* if it is the last missing copy of a rank below all blocked ranks of its suit, so
    that more cards are blocked. Only closing cards are looked at when they come; all others stay
    blank until one of these events places them:

    * A rank with x copies closes: the closing copy is one of x, and the x - 1 others are on blank
      places that came before, on b blank places in b (b - 1) ⋯ (b - x + 2) ways.
    * A rank no longer matters, because a lower one closed or because the deck is lost already:
      until then it must not have closed. That is everything but the ways to have all copies on
      blank places: 1 - b (b - 1) ⋯ (b - x + 1).

    In the end the cards that have no place yet fill the blank places and the rest of the deck in
    any order. So the state is the number of ranks below the blocked ones in each suit, and b.
    """
    if pace(game.players, 0, 0) < below:
        return {0: Fraction(1)}
    groups = [(copies, game.suits.count(copies)) for copies in sorted(set(game.suits))]
    _refuse_large(game, groups)
    suits = [copies for copies, times in groups for _ in range(times)]
    layer: dict[_State, int] = {(tuple(map(len, suits)), 0): 1}
    closings: dict[_State, list[tuple[_State, int]]] = {}
    lost: dict[int, Fraction] = {}
    for remaining in range(1, min(game.draw_pile, game.to_play - game.players + below) + 1):
        following: Counter[_State] = Counter()
        for state, ways in layer.items():
            following[state[0], state[1] + 1] += ways
            if state not in closings:
                closings[state] = _closings(suits, groups, *state)
                if report is not None and len(closings) % REPORT_EVERY == 0:
                    report(len(closings), f"states, {remaining} cards remaining")
            for closed, number in closings[state]:
                following[closed] += ways * number
        layer, orders = {}, 0
        for (lowest, blanks), ways in following.items():
            if pace(game.players, remaining, game.to_play - sum(lowest)) >= below:
                layer[lowest, blanks] = ways
            else:
                orders += ways * _orders(suits, lowest, blanks, game.cards - remaining)
        lost[remaining] = Fraction(orders, factorial(game.cards))
    return lost


def _orders(
    suits: Sequence[tuple[int, ...]], lowest: tuple[int, ...], blanks: int, rest: int
) -> int:
    """Count the ways to fill the blank places and the rest of the deck."""
    open_ranks = [
        count for copies, ranks in zip(suits, lowest, strict=True) for count in copies[:ranks]
    ]
    return sum(
        number * factorial(rest + still_blank)
        for still_blank, number in _not_closed(tuple(open_ranks), blanks)
    )


def _closings(
    suits: Sequence[tuple[int, ...]], groups: _Groups, lowest: tuple[int, ...], blanks: int
) -> list[tuple[_State, int]]:
    """Return the states that a closing card leads to, each with a number of ways."""
    found: list[tuple[_State, int]] = []
    for suit, (copies, ranks) in enumerate(zip(suits, lowest, strict=True)):
        for rank in range(ranks):
            others = copies[rank] - 1
            if others <= blanks:
                closed = _sorted_groups(groups, (*lowest[:suit], rank, *lowest[suit + 1 :]))
                ways = copies[rank] * perm(blanks, others)
                for left, number in _not_closed(copies[rank + 1 : ranks], blanks - others):
                    found.append(((closed, left), ways * number))
    return found


def _sorted_groups(groups: _Groups, lowest: tuple[int, ...]) -> tuple[int, ...]:
    """Sort equal suits in ascending order: which of them is which does not matter."""
    found: list[int] = []
    for _, times in groups:
        found += sorted(lowest[len(found) : len(found) + times])
    return tuple(found)


@cache
def _not_closed(copies: tuple[int, ...], blanks: int) -> tuple[tuple[int, int], ...]:
    """Return (blanks left, signed number of ways) if ranks with these copies are not closed."""
    ways = {blanks: 1}
    for count in copies:
        for left, number in list(ways.items()):
            if count <= left:
                ways[left - count] = ways.get(left - count, 0) - number * perm(left, count)
    return tuple(ways.items())


def _refuse_large(game: PaceGame, groups: _Groups) -> None:
    """Raise if this would take minutes."""
    states = min(game.draw_pile, game.to_play) ** 2 // 2
    closings = 0
    for copies, times in groups:
        states *= comb(len(copies) + times, times)
        above = (sum(copies[rank + 1 :]) for rank in range(len(copies)))
        closings += times * sum(1 + min(cards, game.draw_pile) for cards in above)
    if states * closings > MAX_CLOSINGS:
        raise TheoryError(
            f"the chance of a loss at some cut would need about {about(states)} states, an "
            f"estimated {duration(states * closings // CLOSINGS_PER_SECOND)}"
        )
