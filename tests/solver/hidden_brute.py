"""The value of a tiny game whose draw pile is in unknown order, by trying everything.

`tests.solver.brute` knows the rules; it shares no code with the package. Here each card of the pile
is drawn in turn, and a node's value is the average over them, as a fraction. There is no pruning
and no merging of cards.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from tests.solver.brute import Setup, Table, score, successors

Pile = tuple[int, ...]


class TooLargeError(Exception):
    """A game with more positions than brute force may visit."""


class HiddenBrute:
    """Values of positions under one set of rules."""

    def __init__(self, setup: Setup, *, win: bool, limit: int) -> None:
        self.setup, self.win, self.limit = setup, win, limit
        self.known: dict[tuple[Table, Pile], Fraction] = {}

    def value(self, table: Table, pile: Pile) -> Fraction:
        """The highest probability of the maximum, or the highest expected score."""
        if table.over:
            return Fraction(self.final(table))
        if (table, pile) not in self.known:
            if len(self.known) >= self.limit:
                raise TooLargeError
            # A round of free passes too many has no successor.
            self.known[table, pile] = max(self.values(table, pile), default=Fraction(0))
        return self.known[table, pile]

    def values(self, table: Table, pile: Pile) -> list[Fraction]:
        """The value of each way to take the next turn, in the order of `successors`."""
        if not pile:
            return [self.value(after, pile) for after in successors(self.setup, table)]
        totals: list[Fraction] = []
        for place, card in enumerate(pile):
            rest = pile[:place] + pile[place + 1 :]
            ahead = (card,) * len(self.setup.deck)  # only the next card is ever looked at
            branches = list(successors(replace(self.setup, deck=ahead), table))
            totals = totals or [Fraction(0)] * len(branches)
            for number, after in enumerate(branches):
                drew = after.drawn > table.drawn
                totals[number] += self.value(after, rest if drew else pile)
        return [total / len(pile) for total in totals]

    def final(self, table: Table) -> int:
        """What a game that is over counts."""
        points = score(self.setup, table)
        return int(points == self.setup.ranks * self.setup.suits) if self.win else points
