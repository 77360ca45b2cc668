"""Lay the public states of a game out as arrays for the compiled search.

With them come the values of the game in which all hands are open, though not the draw pile: the
search starts from these upper bounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from hanabilab.solver.optimum import kernels
from hanabilab.solver.optimum.kernels import GameTables
from hanabilab.solver.optimum.public_state import (
    Outcome,
    PublicState,
    States,
    bits_of,
    renamed_cards,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fill_open_values", "game_tables", "list_states"]

UNKNOWN = -1


def list_states(states: States) -> list[PublicState]:
    """Return all public states that can be reached, each one after those that follow it."""
    found: list[PublicState] = []
    waiting = [states.get(states.start)]
    while waiting:
        state = waiting[-1]
        if state.number >= 0:
            waiting.pop()
            continue
        missing = [after for after in _next_states(state) if after.number < 0]
        if not missing:
            state.number = len(found)
            found.append(state)
        waiting += missing
    return found


def _next_states(state: PublicState) -> Iterator[PublicState]:
    for outcome in _outcomes(state):
        if outcome.state is not None:
            yield outcome.state


def _outcomes(state: PublicState) -> Iterator[Outcome]:
    for choice in range(len(state.choices)):
        yield from state.outcomes_of(choice)


def fill_open_values(state: PublicState) -> list[int]:
    """Return the value of each deal if everyone sees all hands from now on, but not the pile.

    A value is a sum over the orders of the draw pile.
    """
    if not state.open_values:
        choices = len(state.choices)
        turns = [UNKNOWN] * (len(state.deals) * choices)
        for choice in range(choices):
            for outcome in state.outcomes_of(choice):
                for deal, value in _open_outcome(state, outcome):
                    turns[deal * choices + choice] = value
        state.open_turns = turns
        state.open_values = [
            max(turns[place : place + choices]) for place in range(0, len(turns), choices)
        ]
    return state.open_values


def _open_outcome(state: PublicState, outcome: Outcome) -> Iterator[tuple[int, int]]:
    """Yield each deal of an outcome with its value."""
    if outcome.state is None:
        for deal in bits_of(outcome.deals):
            yield deal, state.weights[deal] * outcome.final
        return
    sums = [0, *itertools.accumulate(fill_open_values(outcome.state))]
    for deal in bits_of(outcome.deals):
        first = outcome.firsts[deal]
        yield deal, sums[first + outcome.counts[deal]] - sums[first]


def game_tables(states: States) -> GameTables:
    """Return the arrays of all public states of a game."""
    layout = _Layout(list_states(states))
    return layout.tables(states.rules.ranks)


class _Layout:
    """Collects the rows of the tables, state by state."""

    def __init__(self, states: list[PublicState]) -> None:
        self.all = states
        self.states: list[list[int]] = []
        self.choices: list[list[int]] = []
        self.outcomes: list[list[int]] = []
        self.observation: list[int] = []
        self.weight: list[int] = []
        self.turns: list[NDArray[Any]] = []
        self.open_value: list[int] = []
        self.inverse: list[NDArray[Any]] = []

    def tables(self, ranks: int) -> GameTables:
        """Return the arrays."""
        turn_at = symmetry_at = 0
        for state in self.all:
            fill_open_values(state)
            deals, choices = len(state.deals), len(state.choices)
            inverse = _inverse_permutations(state, ranks)
            row = [0] * (kernels.WIDEST + 1)
            row[kernels.DEALS], row[kernels.WORDS] = deals, _words(state)
            row[kernels.CHOICES] = choices
            row[kernels.OBSERVATIONS] = len(state.observations)
            row[kernels.IS_LAST] = state.key.turns_left == 1
            row[kernels.SYMMETRIES] = len(inverse)
            row[kernels.DEAL_AT], row[kernels.TURN_AT] = len(self.weight), turn_at
            row[kernels.CHOICE_AT], row[kernels.SYMMETRY_AT] = len(self.choices), symmetry_at
            row[kernels.CELLS], row[kernels.WIDEST] = self._add_choices(state)
            turn_at += deals * choices
            symmetry_at += inverse.size
            self.states.append(row)
            self._add_deals(state)
            self.inverse.append(inverse.ravel())
        turns: Any = np.concatenate(self.turns)
        inverse_all: Any = np.concatenate(self.inverse)
        return GameTables(
            _integers(self.states),
            _integers(self.choices),
            _integers(self.outcomes or [[0] * (kernels.SIZE + 1)]),
            _integers(self.observation),
            _integers(self.weight),
            turns[:, 0].copy(),
            turns[:, 1].copy(),
            turns[:, 2].copy(),
            _integers(self.open_value),
            inverse_all,
        )

    def _add_choices(self, state: PublicState) -> tuple[int, int]:
        """Add the choices and outcomes of a state; return the words of all cells, and the most."""
        cells = widest = 0
        for choice in range(len(state.choices)):
            first, size = len(self.outcomes), 0
            for outcome in state.outcomes_of(choice):
                after = outcome.state
                words = 1 if after is None else _words(after)
                number = UNKNOWN if after is None else after.number
                self.outcomes.append([number, outcome.final, size, words])
                size += words
            self.choices.append([first, len(self.outcomes) - first, cells, size])
            cells += size
            widest = max(widest, size)
        return cells, widest

    def _add_deals(self, state: PublicState) -> None:
        choices = len(state.choices)
        turns = np.full((len(state.deals), choices, 3), UNKNOWN, np.int32)
        for choice in range(choices):
            for number, outcome in enumerate(state.outcomes_of(choice)):
                mine = list(bits_of(outcome.deals))
                turns[mine, choice, 0] = number
                if outcome.state is not None:
                    turns[mine, choice, 1] = [outcome.firsts[deal] for deal in mine]
                    turns[mine, choice, 2] = [outcome.counts[deal] for deal in mine]
        self.turns.append(turns.reshape(-1, 3))
        self.open_value += state.open_turns
        self.weight += state.weights
        seen = [0] * len(state.deals)
        for number, deals in enumerate(state.observations):
            for deal in bits_of(deals):
                seen[deal] = number
        self.observation += seen


def _words(state: PublicState) -> int:
    """Return the words of a set of deals."""
    return -(-len(state.deals) // kernels.WORD_BITS)


def _integers(values: list[Any]) -> Any:
    return np.array(values, np.int64)


def _inverse_permutations(state: PublicState, ranks: int) -> NDArray[Any]:
    """Return for each symmetry and deal, the deal that moves to its place."""
    deals = len(state.deals)
    if len(state.relabellings) == 1:
        return np.arange(deals, dtype=np.int32)[None]
    cards = np.array([[card for hand in deal for card in hand] for deal in state.deals], np.int64)
    cards = cards.reshape(deals, -1)
    suits = len(state.key.suits)
    scale = (suits * ranks) ** np.arange(cards.shape[1])[::-1]
    codes = cards @ scale
    found = np.empty((len(state.relabellings), deals), np.int32)
    for number, names in enumerate(state.relabellings):
        renamed = np.array(renamed_cards(names.suits, ranks))
        starts = [sum(state.key.cards[:seat]) for seat in range(len(state.key.cards))]
        pairs = zip(starts, names.slots, strict=True)
        order = [start + old for start, slots in pairs for old in slots]
        places = np.searchsorted(codes, renamed[cards[:, order]] @ scale)
        found[number, places] = np.arange(deals)
    return found
