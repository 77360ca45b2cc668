"""One game in compiled code, for the environments that play one game at a time.

Every call takes a turn, deals what is to be dealt, and writes down what each player sees: the
table, the vector and the legal moves. Python reads from that only what someone asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hanabilab.core.machine_code import bind, run
from hanabilab.core.record import dtype, pack, unpack
from hanabilab.envs.round_kernels import DEAL_GAME, HINTS, LOOK, Round, Sight, advance
from hanabilab.game.actions import count_actions
from hanabilab.game.cards import SLOT_BITS
from hanabilab.game.deck import card_multiset
from hanabilab.game.encoding import Encoder, encode, no_event
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, initial_state

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


ROUND_TYPE, SIGHT_TYPE = dtype(Round), dtype(Sight)
LIVE = words_of(ROUND_TYPE)
SIGHT = words_of(SIGHT_TYPE)

NO_STREAM: NDArray[np.int64] = np.zeros(1, np.int64)
"""The random numbers of a game whose deck is known."""

SIGHT_SIZE = SIGHT_TYPE.itemsize
STREAM = 4
"""Which argument of `advance` the random numbers are."""


class LiveRound:
    """A game as it stands, what everyone sees of it, and which moves are legal.

    `words` are the numbers of a `Round`, to be found by `LIVE`; `legal` are the moves of the player
    to move, whether or not the game has ended.
    """

    def __init__(self, rules: Rules, encoder: Encoder, *, shown: int = HINTS) -> None:
        table = Round(shown=shown, by_chance=1, greedy_action=-1)
        table.state, table.last, table.layout = initial_state(rules), no_event(), encoder.layout
        table.greedy = no_event()
        copies = [count for suit in rules.copies for count in suit]
        table.undealt[: len(copies)] = copies
        self._plan = _Plan(rules, encoder)
        self._memory = np.zeros(self._plan.size, np.int64)
        self._memory[: self._plan.deck] = pack(table).view(np.int64)
        self._stream = NO_STREAM
        self._connect()
        self._deal_in_order(card_multiset(rules))
        self._bind()
        self.run(LOOK)

    def _connect(self) -> None:
        """Look at the memory word by word and byte by byte, quicker than through NumPy."""
        self.words = self._memory.data
        self._bytes = self.words.cast("B")
        self._rounds: NDArray[np.void] | None = None

    def _bind(self) -> None:
        """Let compiled code find the arrays."""
        arrays = self._plan.arrays(self._memory)
        deck, *rest = arrays[1:]
        self._binding = bind(advance, arrays[0], LOOK, -1, deck, self._stream, *rest, gil=True)

    @property
    def rounds(self) -> NDArray[np.void]:
        """The game as an array with one `Round`."""
        if self._rounds is None:
            self._rounds = self._memory[: self._plan.deck].view(ROUND_TYPE)
        return self._rounds

    def deal_game(self, seed: int, number: int) -> None:
        """Deal a game of a seed."""
        self.words[LIVE["by_chance"]] = 0
        self.words[LIVE["seed"]] = seed
        self.run(DEAL_GAME, number)

    def plan(self, deck: Sequence[int]) -> None:
        """Deal the cards of this deck from now on, instead of dealing by chance."""
        self._deal_in_order(deck)
        self.words[LIVE["by_chance"]] = 0

    def _deal_in_order(self, deck: Sequence[int]) -> None:
        self._memory[self._plan.deck : self._plan.sights] = deck

    def exchange(self, place: int, player: int, slot: int, card: int) -> None:
        """Put a card that is still to be dealt in a slot; `place` is where its card was dealt."""
        words, deck, dealt = self.words, self._plan.deck, len(self.cards())
        old = words[deck + place]
        if not words[LIVE["by_chance"]]:
            words[deck + dealt + self.deck()[dealt:].index(card)] = old
        words[deck + place] = card
        words[LIVE["state.hands"] + player] ^= (old ^ card) << SLOT_BITS * slot
        words[LIVE["undealt"] + old] += 1
        words[LIVE["undealt"] + card] -= 1
        self.run(LOOK)

    def run(self, task: int, number: int = -1, stream: NDArray[np.int64] = NO_STREAM) -> None:
        """Do a task of `hanabilab.envs.round_kernels`."""
        binding, moves = self._binding, self._plan.moves
        if stream is not self._stream:
            binding.replace(STREAM, stream)
            self._stream = stream
        binding.numbers[0] = task
        binding.numbers[1] = number
        count: int = binding.call()
        self.legal: list[int] = self.words[moves : moves + count].tolist()

    def sight(self, player: int) -> bytes:
        """Return what a player is shown now: the numbers of `Sight`, to be found by `SIGHT`."""
        return self._bytes[self._plan.sight_of[player]].tobytes()

    def row(self, player: int) -> bytes:
        """Return the vector of what a player sees now, and the digest of it (`write_digest`)."""
        return self._bytes[self._plan.row_of[player]].tobytes()

    def shown(self) -> list[tuple[bytes, bytes]]:
        """Return the same of all players."""
        memory = self._bytes
        return [(memory[sight].tobytes(), memory[row].tobytes()) for sight, row in self._plan.shown]

    def vector(self, player: int) -> NDArray[np.uint8]:
        """Return the vector as an array."""
        row = self._bytes[self._plan.vector_of[player]]
        return np.frombuffer(bytearray(row), np.uint8)

    def vector_of_table(self, encoder: Encoder) -> NDArray[np.uint8]:
        """Return all that lies on the table, as "state" of `hanabilab.game.encoding`."""
        vector = np.zeros(encoder.length, np.uint8)
        table = self.rounds[0]
        run(encode, table["state"], table["last"], 0, pack(encoder.layout)[0], vector)
        return vector

    @property
    def state(self) -> State:
        """A copy of the table."""
        state = State()
        unpack(state, self.rounds[0]["state"])
        return state

    def deck(self) -> list[int]:
        """Return the cards in order; if they are dealt by chance, those to come mean nothing."""
        return self.words[self._plan.deck : self._plan.sights].tolist()

    def cards(self) -> list[int]:
        """Return the cards dealt so far, in order."""
        deck = self.deck()
        return deck[: len(deck) - self.words[LIVE["state.draw_pile"]]]

    def copy(self) -> Self:
        """Return an equal game that goes its own way."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._memory = self._memory.copy()
        twin._connect()
        twin._binding = self._binding.moved(self._memory, twin._memory)
        return twin

    def assign(self, other: LiveRound) -> None:
        """Become equal to another game of the same rules, which is quicker than a copy of it."""
        self._memory[:] = other._memory
        self.legal = other.legal

    def __getstate__(self) -> dict[str, Any]:
        views = ("words", "_bytes", "_rounds", "_binding")
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._connect()
        self._bind()


class _Plan:
    """Where in the memory of a game its arrays lie: one block is copied faster than five."""

    def __init__(self, rules: Rules, encoder: Encoder) -> None:
        self.players, self.length = rules.players, encoder.length
        self.width = encoder.length + 2 * rules.players * rules.hand_size + rules.suits
        """Of a row: the vector and its digest."""
        self.deck = ROUND_TYPE.itemsize // 8
        self.sights = self.deck + rules.deck_size
        self.moves = self.sights + rules.players * SIGHT_SIZE // 8
        self.rows = self.moves + count_actions(initial_state(rules))
        self.size = self.rows + -(-rules.players * self.width // 8)
        self.sight_of = _pieces(8 * self.sights, SIGHT_SIZE, rules.players)
        self.row_of = _pieces(8 * self.rows, self.width, rules.players)
        self.vector_of = [slice(row.start, row.start + self.length) for row in self.row_of]
        self.shown = list(zip(self.sight_of, self.row_of, strict=True))

    def arrays(self, memory: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
        """Return the round, the deck, what players are shown, their rows, and the legal moves."""
        rows = memory[self.rows :].view(np.uint8)[: self.players * self.width]
        return (
            memory[: self.deck].view(ROUND_TYPE),
            memory[self.deck : self.sights],
            memory[self.sights : self.moves].view(SIGHT_TYPE),
            rows.reshape(self.players, self.width),
            memory[self.moves : self.rows],
        )


def _pieces(first: int, size: int, count: int) -> list[slice]:
    """Return where pieces of this size are."""
    return [slice(first + place * size, first + (place + 1) * size) for place in range(count)]
