"""One game in compiled code, for the environments that play one game at a time.

Every call takes a turn, deals what is to be dealt, and writes down what each player sees: the
table, the vector and the legal moves. Python reads from that only what someone asks for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hanabilab.core.record import dtype, pack, unpack
from hanabilab.envs.round_kernels import DEAL_GAME, HINTS, LOOK, Round, Sight, advance
from hanabilab.game.actions import count_actions
from hanabilab.game.cards import SLOT_BITS
from hanabilab.game.deck import box
from hanabilab.game.encoding import Encoder, encode, no_event
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, opening

__all__ = ["LIVE", "NO_STREAM", "SIGHT", "LiveRound", "words_of"]


def words_of(layout: np.dtype[np.void]) -> dict[str, int]:
    """Return where each number or array of a record stands in it, counted in 64-bit words.

    What is inside another record is named `outer.inner`.
    """
    places = {}
    for name, (kind, place, *_) in (layout.fields or {}).items():
        places[name] = place // 8
        for inner, deeper in words_of(kind).items():
            places[f"{name}.{inner}"] = place // 8 + deeper
    return places


LIVE = words_of(dtype(Round))
SIGHT = words_of(dtype(Sight))

NO_STREAM: NDArray[np.int64] = np.zeros(1, np.int64)
"""The random numbers of a game whose deck is known."""


class LiveRound:
    """A game as it stands, what everyone sees of it, and which moves are legal.

    `rounds` holds the one `Round`; `words` are its numbers, to be found by `LIVE`; `legal` are the
    moves of the player to move, whether or not the game has ended.
    """

    def __init__(self, rules: Rules, encoder: Encoder, *, shown: int = HINTS) -> None:
        table = Round(shown=shown, by_chance=1, greedy_action=-1)
        table.state, table.last, table.layout = opening(rules), no_event(), encoder.layout
        table.greedy = no_event()
        copies = [count for suit in rules.copies for count in suit]
        table.undealt[: len(copies)] = copies
        self.rounds = pack(table)
        self._deck = np.array(box(rules), np.int64)
        self._sights = np.zeros(rules.players, dtype(Sight))
        self._length = encoder.length
        digest = 2 * rules.players * rules.hand_size + rules.suits
        self._rows = np.zeros((rules.players, encoder.length + digest), np.uint8)
        self._moves = np.zeros(count_actions(table.state), np.int64)
        self._connect()
        self.run(LOOK)

    def _connect(self) -> None:
        """Look at the arrays word by word and byte by byte, which is quicker than through NumPy."""
        self.words = self.rounds.view(np.int64).data
        self._seen = self._sights.view(np.uint8).data
        self._entries = self._rows.reshape(-1).data
        self._size, self._width = self._sights.itemsize, self._rows.shape[1]

    def deal_game(self, seed: int, number: int) -> None:
        """Deal a game of a seed."""
        self.words[LIVE["by_chance"]] = 0
        self.words[LIVE["seed"]] = seed
        self.run(DEAL_GAME, number)

    def plan(self, deck: Sequence[int]) -> None:
        """Deal the cards of this deck from now on, instead of dealing by chance."""
        self._deck[:] = deck
        self.words[LIVE["by_chance"]] = 0

    def exchange(self, place: int, player: int, slot: int, card: int) -> None:
        """Put a card that is still to be dealt in a slot; `place` is where its card was dealt."""
        words, old, dealt = self.words, int(self._deck[place]), len(self.cards())
        if not words[LIVE["by_chance"]]:
            self._deck[dealt + self.deck()[dealt:].index(card)] = old
        self._deck[place] = card
        words[LIVE["state.hands"] + player] ^= (old ^ card) << SLOT_BITS * slot
        words[LIVE["undealt"] + old] += 1
        words[LIVE["undealt"] + card] -= 1
        self.run(LOOK)

    def run(self, task: int, number: int = -1, stream: NDArray[np.int64] = NO_STREAM) -> None:
        """Do a task of `hanabilab.envs.round_kernels`."""
        arrays = self._deck, stream, self._sights, self._rows, self._moves
        count = _compiled()(self.rounds, task, number, *arrays)
        self.legal: list[int] = self._moves[:count].tolist()

    def sight(self, player: int) -> bytes:
        """Return what a player is shown now: the numbers of `Sight`, to be found by `SIGHT`."""
        return bytes(self._seen[player * self._size : (player + 1) * self._size])

    def row(self, player: int) -> bytes:
        """Return the vector of what a player sees now, and the digest of it (`write_digest`)."""
        return bytes(self._entries[player * self._width : (player + 1) * self._width])

    def vector(self, player: int) -> NDArray[np.uint8]:
        """Return the vector as an array."""
        vector: NDArray[np.uint8] = self._rows[player, : self._length].copy()
        return vector

    def vector_of_table(self, encoder: Encoder) -> NDArray[np.uint8]:
        """Return all that lies on the table, as "state" of `hanabilab.game.encoding`."""
        from hanabilab.core import machine_code

        vector = np.zeros(encoder.length, np.uint8)
        table = self.rounds[0]
        machine_code.run(encode, table["state"], table["last"], 0, pack(encoder.layout)[0], vector)
        return vector

    @property
    def state(self) -> State:
        """A copy of the table."""
        state = State()
        unpack(state, self.rounds[0]["state"])
        return state

    def deck(self) -> list[int]:
        """Return the cards in order; if they are dealt by chance, those to come mean nothing."""
        cards: list[int] = self._deck.tolist()
        return cards

    def cards(self) -> list[int]:
        """Return the cards dealt so far, in order."""
        return self.deck()[: len(self._deck) - self.words[LIVE["state.draw_pile"]]]

    def copy(self) -> Self:
        """Return an equal game that goes its own way."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.rounds, twin._sights = _twin(self.rounds), _twin(self._sights)
        twin._deck, twin._rows = self._deck.copy(), self._rows.copy()
        twin._moves = self._moves.copy()
        twin._connect()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        views = ("words", "_seen", "_entries")
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._connect()


def _twin(records: NDArray[np.void]) -> NDArray[np.void]:
    """Return a copy of records, made word by word: NumPy would go through all fields."""
    return records.view(np.int64).copy().view(records.dtype)


@functools.cache
def _compiled() -> Callable[..., int]:
    """Return the compiled kernel, which is the same for all rules."""
    from hanabilab.core import native

    def array(kind: Any, dimensions: int = 1) -> Any:
        return native.typeof(np.zeros((1,) * dimensions, kind))

    words = array(np.int64)
    types = (
        array(dtype(Round)),
        native.integer,
        native.integer,
        words,
        words,
        array(dtype(Sight)),
        array(np.uint8, 2),
        words,
    )
    return native.entry_point(native.compile_loop(advance, *types))
