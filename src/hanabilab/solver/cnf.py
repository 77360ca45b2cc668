"""Clauses, and numbers in clauses: the building blocks of a SAT encoding.

A literal is a variable's number, negative for its negation. A number is *order encoded*: one
literal for each "at least v", so that sums and limits become short clauses.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["FALSE", "TRUE", "Formula", "LongFormulaError", "Number"]

MAX_CLAUSES = 10_000_000
"""The largest number of clauses: about two gigabytes."""
LOOK_EVERY = 1 << 12
"""The number of clauses between checks of the clock."""

TRUE = 1
FALSE = -1
"""The literal that is false in every formula; variable 1 is true."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number from 0 to `len(steps)`; `steps[v - 1]` means that it is at least v."""

    steps: tuple[int, ...]

    @classmethod
    def fixed(cls, value: int, most: int) -> Number:
        """Return a known number."""
        return cls((TRUE,) * value + (FALSE,) * (most - value))

    @property
    def most(self) -> int:
        """The highest value."""
        return len(self.steps)

    def at_least(self, value: int) -> int:
        """Return the literal for "at least `value`"."""
        if value <= 0:
            return TRUE
        return self.steps[value - 1] if value <= len(self.steps) else FALSE


class LongFormulaError(Exception):
    """The formula is too long for the time or the memory."""


class Formula:
    """Clauses over variables numbered in order of creation."""

    def __init__(self, deadline: float | None = None) -> None:
        self.variables = 1
        self.clauses: list[list[int]] = [[TRUE]]
        self.deadline = deadline

    def variable(self) -> int:
        """Return a new variable."""
        self.variables += 1
        return self.variables

    def add(self, *literals: int) -> None:
        """Demand that one of these literals be true."""
        if TRUE in literals:
            return
        clause = list(literals)
        if FALSE in literals:
            clause = [literal for literal in literals if literal != FALSE]
        self.clauses.append(clause)
        if len(self.clauses) % LOOK_EVERY == 0:
            self._check_length()

    def _check_length(self) -> None:
        late = self.deadline is not None and time.monotonic() > self.deadline
        if late or len(self.clauses) > MAX_CLAUSES:
            raise LongFormulaError

    def imply(self, conditions: Iterable[int], *literals: int) -> None:
        """Demand that one of the literals be true if all conditions hold."""
        self.add(*[-condition for condition in conditions], *literals)

    def any_of(self, literals: Sequence[int]) -> int:
        """Return a literal that is true if and only if one of these is."""
        literals = [literal for literal in literals if literal != FALSE]
        if TRUE in literals:
            return TRUE
        if len(literals) < 2:
            return literals[0] if literals else FALSE
        one = self.variable()
        self.add(-one, *literals)
        for literal in literals:
            self.add(-literal, one)
        return one

    def both(self, first: int, second: int) -> int:
        """Return a literal that is true if and only if both are."""
        return -self.any_of([-first, -second])

    def exactly_one(self, literals: Sequence[int]) -> None:
        """Demand that exactly one of these be true."""
        self.add(*literals)
        self.at_most_one(literals)

    def at_most_one(self, literals: Sequence[int]) -> None:
        """Demand that no two of these be true, by a chain of "one so far" if there are many."""
        if len(literals) <= 5:
            for index, literal in enumerate(literals):
                for other in literals[:index]:
                    self.add(-literal, -other)
            return
        before = literals[0]
        for literal in literals[1:]:
            self.add(-before, -literal)
            so_far = self.variable()
            self.add(-before, so_far)
            self.add(-literal, so_far)
            before = so_far

    def number(self, most: int) -> Number:
        """Return a new number from 0 to `most`."""
        number = Number(tuple(self.variable() for _ in range(most)))
        for lower, higher in pairwise(number.steps):
            self.add(-higher, lower)
        return number

    def equal(self, conditions: Sequence[int], new: Number, old: Number, change: int = 0) -> None:
        """Demand `new = old + change`, within its range, if all conditions hold."""
        if FALSE in conditions:
            return
        unless = [-condition for condition in conditions]
        for value in range(new.most + 2):
            after, before = new.at_least(value), old.at_least(value - change)
            self.add(*unless, -after, before)
            self.add(*unless, -before, after)

    def one_more(self, conditions: Sequence[int], new: Number, old: Number) -> None:
        """Demand `new = old + 1`, or the highest value if that is less, if all conditions hold."""
        for value in range(1, new.most + 1):
            self.imply([*conditions, new.at_least(value)], old.at_least(value - 1))
            self.imply([*conditions, old.at_least(value - 1)], new.at_least(value))

    def bound_sum(self, first: Number, second: Number) -> Number:
        """Return a number that is at most the sum of two."""
        total = self.number(first.most + second.most)
        for one, beyond_one in enumerate((*first.steps, FALSE)):
            for two, beyond_two in enumerate((*second.steps, FALSE)):
                self.add(beyond_one, beyond_two, -total.at_least(one + two + 1))
        return total

    def count(self, literals: Sequence[int], most: int) -> Number:
        """Return how many of the literals are true, or `most` if there are more."""
        total = Number.fixed(0, most)
        for index, literal in enumerate(literals, 1):
            after = self.number(min(index, most))
            padded = Number(after.steps + (FALSE,) * (most - after.most))
            self.equal([-literal], padded, total)
            for value in range(1, most + 1):
                before, then = total.at_least(value - 1), padded.at_least(value)
                self.add(-literal, -before, then)
                self.add(-literal, -then, before)
            total = padded
        return total
