"""Count decks without looking at any: by the cards left and the situations of the player.

The cards are read one by one, and all that is kept is the set of all situations that the player
can be in (`situations.py`) and how many cards of each kind are left. Decks that agree in both are
counted together: V(cards left, situations) is the number of orders of the cards left that win.

Copies of a card are told apart while counting, so that a card that is of no more use is the same
as any other such card; at the end the orders of the copies are divided out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import factorial, prod

from hanabilab.errors import TheoryError
from hanabilab.theory.sequences import Report, duration
from hanabilab.theory.situations import START, Situation, SituationMachine

__all__ = ["STATES_PER_SECOND", "DeckCounter", "TooManyStatesError"]

STATES_PER_SECOND = 10_000
REPORT_EVERY = 5_000

Left = tuple[int, ...]
"""How many copies are left of each card that may still be of use."""


def _kinds(left: Left) -> int:
    """Return the cards of which there is a copy, as a set of bits."""
    return sum([1 << card for card, copies in enumerate(left) if copies])


def _set_aside(left: Left, useless: int, wanted: int) -> tuple[Left, int]:
    """Count all cards but the wanted ones as useless."""
    kept = tuple([copies if wanted >> card & 1 else 0 for card, copies in enumerate(left)])
    return kept, useless + sum(left) - sum(kept)


class TooManyStatesError(TheoryError):
    """A count needs more states than allowed: so many at least, or by an estimate."""

    def __init__(self, words: str, states: int) -> None:
        super().__init__(words)
        self.states = states


class DeckCounter:
    """V(cards left, situations), remembered across compositions."""

    def __init__(
        self,
        ranks: Sequence[int],
        hand: int,
        goal: int,
        deck_ends: bool,
        states: int,
        report: Report | None,
    ) -> None:
        self.ranks = sorted(ranks)  # so that suits with equally many ranks are neighbours
        self.machine = SituationMachine(self.ranks, hand - 1, goal, deck_ends=deck_ends)
        self.hand = hand
        self.states = states
        self.report = report
        self.known: dict[tuple[Left, int, int, tuple[Situation, ...]], int] = {}

    def count(self, suits: Sequence[Sequence[int]]) -> int:
        """Count the decks of this composition that reach the goal."""
        in_order = zip(sorted(suits, key=len), self.ranks, strict=True)
        left = tuple(count for suit, ranks in in_order for count in suit[:ranks])
        cards = sum(map(sum, suits))
        useless = cards - sum(left)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 10 * cards + 1000))
        orders = self._orders(left, useless, self.hand - 1, (START,))
        return orders // prod(factorial(count) for suit in suits for count in suit)

    def _orders(
        self, left: Left, useless: int, to_deal: int, situations: tuple[Situation, ...]
    ) -> int:
        """Count the orders of the cards left that reach the goal from one of these situations."""
        machine = self.machine
        safe, wanted, coming = -1, 0, _kinds(left)
        for _, secured in situations:
            lit = machine.lit[secured]
            if lit.bit_count() >= machine.goal:
                return factorial(sum(left) + useless)
            safe &= lit
            wanted |= machine.lit[secured | coming]
        if machine.cards - safe.bit_count() - 1 <= machine.spare:
            # There is room for all cards but one, so no secured card is ever given up.
            safe = -1
            for _, secured in situations:
                safe &= secured
        if coming & (safe | ~wanted):
            left, useless = _set_aside(left, useless, wanted & ~safe)
        left, situations = self._sort_suits(left, situations)
        key = (left, useless, to_deal, situations)
        orders = self.known.get(key)
        if orders is None:
            orders = self._by_first_card(left, useless, to_deal, situations)
            self.known[key] = orders
            self._watch()
        return orders

    def _by_first_card(
        self, left: Left, useless: int, to_deal: int, situations: tuple[Situation, ...]
    ) -> int:
        turns = sum(left) + useless - max(to_deal, 1)
        coming = _kinds(left)
        next_situations = self.machine.after_deal if to_deal else self.machine.after
        to_deal = max(to_deal - 1, 0)
        orders = 0
        if useless:
            found = next_situations(situations, 0, coming, turns)
            if found:
                orders += useless * self._orders(left, useless - 1, to_deal, found)
        for card, copies in enumerate(left):
            if copies:
                bit = 1 << card
                still = coming if copies > 1 else coming ^ bit
                found = next_situations(situations, bit, still, turns)
                if found:
                    rest = (*left[:card], copies - 1, *left[card + 1 :])
                    orders += copies * self._orders(rest, useless, to_deal, found)
        return orders

    def _sort_suits(
        self, left: Left, situations: tuple[Situation, ...]
    ) -> tuple[Left, tuple[Situation, ...]]:
        """Sort suits with equally many ranks by what is left of them: names do not matter."""
        machine = self.machine
        if len(machine.suits) < 2:
            return left, situations
        blocks = [
            (ranks, left[start : start + ranks], start)
            for (start, _), ranks in zip(machine.suits, self.ranks, strict=True)
        ]
        order = sorted(blocks)
        if order == blocks:
            return left, situations
        renamed = []
        for played, secured in situations:
            place, moved = 0, 0
            for ranks, _, start in order:
                moved |= (secured >> start & (1 << ranks) - 1) << place
                place += ranks
            renamed.append((played, moved))
        return tuple(copies for _, block, _ in order for copies in block), tuple(sorted(renamed))

    def _watch(self) -> None:
        """Report progress, and raise if there are more states than allowed."""
        number = len(self.known)
        if self.report is not None and number % REPORT_EVERY == 0:
            self.report(number, "states")
        if number > self.states:
            raise TooManyStatesError(
                f"more than {self.states:,} states (pairs of cards left and situations), about "
                f"{duration(self.states // STATES_PER_SECOND)} of work",
                number,
            )
