"""What the deck has in store: which useful cards are still to come, and when."""

from __future__ import annotations

from typing import NamedTuple

from hanabilab.core.kernel import kernel
from hanabilab.solver.kernels.node import Node, Problem, held_by_all

__all__ = ["Upcoming", "look_ahead"]

LATE = 6


class Upcoming(NamedTuple):
    """The deck, and what is still to come at each of its places."""

    deck: list[int]
    later: list[int]
    """The useful cards from each place on."""
    coming: list[list[int]]
    """Where each card comes next, from each place on; the size of the deck if it never does."""


@kernel
def look_ahead(problem: Problem, root: Node, upcoming: Upcoming) -> None:
    """Fill in what is still to come, from the next card of the draw pile on."""
    deck, later, coming = upcoming.deck, upcoming.later, upcoming.coming
    size = len(deck)
    kinds = problem.rules.ranks * problem.rules.suits
    for card in range(kinds):
        coming[size][card] = size
    later[size] = 0
    for place in range(size - 1, root.drawn - 1, -1):
        for card in range(kinds):
            coming[place][card] = coming[place + 1][card]
        later[place] = later[place + 1]
        if place < size - 1 or not comes_too_late(problem, root, deck):
            later[place] |= 1 << deck[place]
            coming[place][deck[place]] = place
    problem.late = find_late(problem, root, coming)


@kernel
def comes_too_late(problem: Problem, root: Node, deck: list[int]) -> bool:
    """Is the last card of the deck useless because higher ones must be played after it?

    Whoever draws it acts on the last turn of the game.
    """
    if not problem.rules.deck_ends:
        return False
    bit = 1 << deck[len(deck) - 1]
    return bit & (problem.highest | root.played >> 1) == 0


@kernel
def find_late(problem: Problem, root: Node, coming: list[list[int]]) -> int:
    """Return the cards that can be played only when at most `LATE` cards are left to draw."""
    held = held_by_all(problem, root)
    ahead = coming[root.drawn]
    late = 0
    for suit in range(problem.rules.suits):
        there = root.drawn
        for rank in range(problem.rules.ranks):
            bit = 1 << (suit * problem.rules.ranks + rank)
            if not bit & (held | root.played):
                there = max(there, ahead[suit * problem.rules.ranks + rank] + 1)
            if not bit & root.played and there >= problem.rules.deck_size - LATE:
                late |= bit
    return late
