"""Lay the public states of a game out as arrays for the compiled search.

With them come the values of the game in which all hands are open, though not the draw pile: the
search starts from these upper bounds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hanabilab.core import machine_code
from hanabilab.solver.optimum import beliefs
from hanabilab.solver.optimum.beliefs import GameTables
from hanabilab.solver.optimum.deals import DealSpace, bits_of, renamed_cards
from hanabilab.solver.optimum.public_state import Outcome, PublicState, States

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["game_tables", "list_states"]

UNKNOWN = -1

Check = Callable[[int], None]
"""Called with the number of states found so far; raises to give up."""


def list_states(states: States, check: Check | None = None) -> list[PublicState]:
    """Return all public states that can be reached, each one after those that follow it."""
    found: list[PublicState] = []
    waiting = [states.get(states.start)]
    while waiting:
        state = waiting[-1]
        if state.number >= 0:
            waiting.pop()
            continue
        missing = [after for after in state.next_states() if after.number < 0]
        if not missing:
            state.number = len(found)
            found.append(state)
            if check:
                check(len(found))
        waiting += missing
    return found


def game_tables(states: States, check: Check | None = None) -> GameTables:
    """Return the arrays of all public states of a game."""
    found = _Layout(list_states(states, check), states.rules.ranks).tables()
    machine_code.run(beliefs.fill_open_values, found)
    return found


class _Layout:
    """Collects the rows of the tables, state by state; states may share parts of the arrays."""

    def __init__(self, states: list[PublicState], ranks: int) -> None:
        self.all, self.ranks = states, ranks
        self.choices: list[list[int]] = []
        self.outcomes: list[list[int]] = []
        self.observation: list[int] = []
        self.seen: list[int] = []
        self.weight: list[int] = []
        self.turns = _SharedArrays()
        self.inverse = _SharedArrays()
        self.deals_at: dict[DealSpace, tuple[int, int]] = {}

    def tables(self) -> GameTables:
        """Return the arrays; those of open values are still empty."""
        open_at = value_at = 0
        rows: Any = np.zeros((len(self.all), beliefs.STATE_WORDS), np.int64)
        for row, state in zip(rows, self.all, strict=True):
            row[:] = self._row(state, open_at, value_at)
            open_at += len(state.deals) * len(state.choices)
            value_at += len(state.deals)
        turns = self.turns.joined()
        return GameTables(
            rows,
            _integers(self.choices),
            _integers(self.outcomes or [[0] * (beliefs.SIZE + 1)]),
            _integers(self.observation),
            _integers(self.seen or [0]),
            _integers(self.weight),
            turns[:, 0].copy(),
            turns[:, 1].copy(),
            turns[:, 2].copy(),
            _integers([0] * open_at),
            _integers([0] * value_at),
            self.inverse.joined(),
        )

    def _row(self, state: PublicState, open_at: int, value_at: int) -> list[int]:
        """Return the row of a state, and add what it refers to."""
        outcomes = [state.outcomes_of(choice) for choice in range(len(state.choices))]
        symmetries = self._add_symmetries(state)
        row = [0] * beliefs.STATE_WORDS
        row[beliefs.DEALS], row[beliefs.WORDS] = len(state.deals), _words(state)
        row[beliefs.CHOICES] = len(state.choices)
        row[beliefs.OBSERVATIONS] = len(state.observations)
        row[beliefs.IS_LAST] = state.key.turns_left == 1
        row[beliefs.SYMMETRIES] = len(state.relabellings)
        own, *others = map(math.factorial, state.key.cards)
        row[beliefs.OWN_ORDERS], row[beliefs.OTHER_ORDERS] = own, math.prod(others)
        row[beliefs.DEAL_AT], row[beliefs.SEEN_AT] = self._add_deals(state.space)
        row[beliefs.SLOTS] = sum(state.key.cards[1:])
        row[beliefs.CARDS] = len(state.key.suits) * self.ranks
        row[beliefs.TURN_AT] = self._add_turns(state, outcomes)
        row[beliefs.CHOICE_AT], row[beliefs.SYMMETRY_AT] = len(self.choices), symmetries
        row[beliefs.CELLS], row[beliefs.WIDEST] = self._add_choices(outcomes)
        row[beliefs.MOVES], row[beliefs.MESSAGES] = _moves_and_messages(state, outcomes)
        if row[beliefs.MESSAGES]:
            self._add_nameless_hint(row)
        elif not all(choice.moves_card for choice in state.choices):
            row[beliefs.NAMED_HINTS] = 1
        row[beliefs.OPEN_AT], row[beliefs.DEAL_VALUE_AT] = open_at, value_at
        return row

    def _add_choices(self, outcomes: list[list[Outcome]]) -> tuple[int, int]:
        """Add the choices and outcomes of a state; return the words of all cells, and the most."""
        cells = widest = 0
        for mine in outcomes:
            first, size = len(self.outcomes), 0
            for outcome in mine:
                after = outcome.state
                words = 1 if after is None else _words(after)
                number = UNKNOWN if after is None else after.number
                self.outcomes.append([number, outcome.final, size, words])
                size += words + (after is not None)
            self.choices.append([first, len(mine), cells, size])
            cells += size
            widest = max(widest, size)
        return cells, widest

    def _add_nameless_hint(self, row: list[int]) -> None:
        """Add a choice that stands for any hint; all hints lead to the same state."""
        first, _, cells, _ = self.choices[row[beliefs.CHOICE_AT] + row[beliefs.MOVES]]
        row[beliefs.HINT_WORDS] = self.outcomes[first][beliefs.SIZE] + 1
        self.choices.append([first, 1, cells, row[beliefs.HINT_WORDS]])
        row[beliefs.CELLS] = cells + row[beliefs.HINT_WORDS]

    def _add_deals(self, space: DealSpace) -> tuple[int, int]:
        """Return where the weights and observations of deals begin, and the cards seen."""
        if space not in self.deals_at:
            self.deals_at[space] = len(self.weight), len(self.seen)
            self.weight += space.weights
            seen = [0] * len(space.deals)
            for number, deals in enumerate(space.observations):
                _, *others = space.deals[next(bits_of(deals))]
                self.seen += itertools.chain.from_iterable(others)
                for deal in bits_of(deals):
                    seen[deal] = number
            self.observation += seen
        return self.deals_at[space]

    def _add_turns(self, state: PublicState, outcomes: list[list[Outcome]]) -> int:
        """Return where the outcomes of each deal and choice begin."""
        orders = tuple([tuple([outcome.suit_order for outcome in mine]) for mine in outcomes])
        key = (state.space, id(state.choices), orders)
        return self.turns.place(key, lambda: _turns(len(state.deals), outcomes))

    def _add_symmetries(self, state: PublicState) -> int:
        """Return where the symmetries of a state begin."""
        key = (state.space, state.twins)
        return self.inverse.place(key, lambda: _inverse_permutations(state, self.ranks))


class _SharedArrays:
    """Arrays one after the other; one with the key of an earlier array is not stored again."""

    def __init__(self) -> None:
        self._places: dict[Any, int] = {}
        self._arrays: list[NDArray[Any]] = []
        self._length = 0

    def place(self, key: object, make: Callable[[], NDArray[Any]]) -> int:
        """Return where the array with a key begins, and add it if it is new."""
        found = self._places.get(key)
        if found is None:
            found = self._places[key] = self._length
            self._arrays.append(make())
            self._length += len(self._arrays[-1])
        return found

    def joined(self) -> Any:
        """Return all arrays as one."""
        return np.concatenate(self._arrays)


def _turns(deals: int, outcomes: list[list[Outcome]]) -> NDArray[Any]:
    """Return for each deal and choice the outcome, and the first and number of the next deals."""
    turns = np.full((deals, len(outcomes), 3), UNKNOWN, np.int32)
    for choice, mine in enumerate(outcomes):
        for number, outcome in enumerate(mine):
            places = list(bits_of(outcome.deals))
            turns[places, choice, 0] = number
            if outcome.images is not None:
                firsts, counts = outcome.images
                turns[places, choice, 1] = [firsts[deal] for deal in places]
                turns[places, choice, 2] = [counts[deal] for deal in places]
    return turns.reshape(-1, 3)


def _moves_and_messages(state: PublicState, outcomes: list[list[Outcome]]) -> tuple[int, int]:
    """Return how many choices come before the hints, and how many outcomes hints have together.

    Without hints, or if a set of bits cannot hold all these messages, each choice counts as a move.
    """
    moves = sum(choice.moves_card for choice in state.choices)
    messages = sum(len(mine) for mine in outcomes[moves:])
    return (moves, messages) if 0 < messages <= beliefs.WORD_BITS else (len(state.choices), 0)


def _words(state: PublicState) -> int:
    """Return the words of a set of deals."""
    return -(-len(state.deals) // beliefs.WORD_BITS)


def _integers(values: list[Any]) -> Any:
    return np.array(values, np.int64)


def _inverse_permutations(state: PublicState, ranks: int) -> NDArray[Any]:
    """Return for each symmetry and deal, the deal that moves to its place."""
    deals = len(state.deals)
    if len(state.relabellings) == 1:
        return np.arange(deals, dtype=np.int32)
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
    return found.ravel()
