"""The memory of a search: arrays that grow up to a limit, and that can be saved and restored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hanabilab.solver.optimum import beliefs
from hanabilab.solver.optimum.beliefs import GameTables, Store
from hanabilab.solver.optimum.frames import frame_words
from hanabilab.solver.optimum.size import TooManyBeliefsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["StoreSizes", "deals_of", "saved_arrays", "words_of"]

FIRST_BELIEFS = 1 << 12
RECENT, MOST_RECENT = 1 << 15, 1 << 21
"""Sets of deals whose beliefs are remembered, at first and at most."""
SAVED = {"beliefs": beliefs.BELIEFS, "pool": beliefs.POOL, "plans": beliefs.PLANS}
"""The arrays to save, with the place of the cursor that tells how much of each is in use."""
FORGOTTEN = ("beliefs", "pool")
"""The arrays that have room again if beliefs are forgotten; they leave some memory to others."""


class StoreSizes(NamedTuple):
    """The largest sizes in a game, which tell how much space a step of the search may need."""

    words: int
    deals: int
    observations: int
    turns: int
    """Pairs of an observation and a choice."""
    margin: int
    """New beliefs in one step."""
    frame: int
    """Words of a frame of the stack."""

    @classmethod
    def of(cls, game: GameTables) -> StoreSizes:
        """Return the sizes of a game."""
        frame = margin = turns = 1
        for row in np.asarray(game.states).tolist():
            observations, first = row[beliefs.OBSERVATIONS], row[beliefs.CHOICE_AT]
            choices = np.asarray(game.choices[first : first + row[beliefs.CHOICES]])
            outcomes = int(choices[:, beliefs.OUTCOMES].sum())
            turns = max(turns, observations * row[beliefs.CHOICES])
            frame = max(frame, frame_words(row, observations))
            margin = max(margin, 3 * (observations + 1) * outcomes)
        words, deals, observations = (
            int(np.asarray(game.states)[:, column].max())
            for column in (beliefs.WORDS, beliefs.DEALS, beliefs.OBSERVATIONS)
        )
        return cls(words, deals, observations, turns, margin, frame)

    def store(self) -> Store:
        """Return an empty store."""
        rows = FIRST_BELIEFS + self.margin
        return Store(
            _zeros(beliefs.CURSOR_WORDS),
            _zeros(rows, beliefs.BELIEF_WORDS),
            _zeros(2 << rows.bit_length()),
            _zeros(rows * self.words),
            np.zeros(rows + self.observations, np.int8),
            _zeros(RECENT, beliefs.KNOWN_DEALS + self.words),
            _zeros(4 * self.frame),
            _zeros(self.deals),
            _zeros(self.deals),
            _zeros(self.words),
            _zeros(self.turns),
            _zeros(self.observations),
        )

    def enlarged(self, store: Store, memory_limit: int) -> Store:
        """Return the store with larger arrays where the next step might need more."""
        limit = memory_limit << 20
        for name, least in self._needed(store).items():
            old = getattr(store, name)
            if least > len(old):
                length = least + least // 4
                kept_free = limit // 8 if name in FORGOTTEN else 0
                _check_memory(store, length * old[:1].nbytes - old.nbytes + kept_free, limit)
                store = store._replace(**{name: _extended(old, length)})
        if 2 * len(store.beliefs) > len(store.slots):
            store = store._replace(slots=_zeros(4 << len(store.beliefs).bit_length()))
            recent = min(len(store.slots), MOST_RECENT)
            if recent > len(store.recent):
                words = beliefs.KNOWN_DEALS + self.words
                store = store._replace(recent=_zeros(recent, words))
        _check_memory(store, 0, limit)
        return store

    def _needed(self, store: Store) -> dict[str, int]:
        """Return the length that each array must have before the next step."""
        cursor = [int(place) for place in store.cursor]
        return {
            "beliefs": cursor[beliefs.BELIEFS] + self.margin,
            "pool": cursor[beliefs.POOL] + self.margin * self.words,
            "plans": cursor[beliefs.PLANS] + self.observations,
            "stack": cursor[beliefs.STACK] + self.frame,
        }

    def restored(self, saved: Mapping[str, NDArray[Any]]) -> Store:
        """Return the store that was saved, with an empty hash table and an empty stack."""
        store = self.store()
        store.cursor[:] = saved["cursor"].tolist()
        store.cursor[beliefs.STACK] = store.cursor[beliefs.DEPTH] = 0
        array: Any
        for name in SAVED:
            array = saved[name]
            store = store._replace(**{name: array})
        for name, least in self._needed(store).items():
            if least > len(getattr(store, name)):
                store = store._replace(**{name: _extended(getattr(store, name), least)})
        return store._replace(slots=_zeros(4 << len(store.beliefs).bit_length()))


def saved_arrays(store: Store) -> dict[str, NDArray[Any]]:
    """Return all that is known about beliefs, to be saved."""
    cursor: Any = store.cursor
    used = {name: getattr(store, name)[: int(cursor[place])] for name, place in SAVED.items()}
    return {"cursor": cursor.copy(), **used}


def _check_memory(store: Store, more: int, limit: int) -> None:
    """Give up if the arrays, and this many bytes more, are larger than the limit."""
    if sum(np.asarray(array).nbytes for array in store) + more > limit:
        raise TooManyBeliefsError(f"the optimum needs more than {limit >> 20:,} megabytes")


def _zeros(*shape: int) -> Any:
    return np.zeros(shape, np.int64)


def _extended(old: Any, length: int) -> Any:
    """Return a longer array with the same beginning."""
    larger = np.zeros((length, *old.shape[1:]), old.dtype)
    larger[: len(old)] = old
    return larger


def words_of(deals: int, count: int) -> Any:
    """Return a set of deals as words of bits."""
    mask = (1 << beliefs.WORD_BITS) - 1
    words = [deals >> place * beliefs.WORD_BITS & mask for place in range(count)]
    return np.array(words, np.int64)


def deals_of(words: Any) -> int:
    """Return words of bits as a set of deals."""
    return sum(int(word) << place * beliefs.WORD_BITS for place, word in enumerate(words))
