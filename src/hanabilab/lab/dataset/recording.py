"""Recording: replay logged games, and write a row for every turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hanabilab.core.kernel import kernel
from hanabilab.core.random import Rng
from hanabilab.core.record import Ints, assign, pack
from hanabilab.game.actions import Event, decode_action, write_legal_mask
from hanabilab.game.deck import card_multiset, shuffle_deck
from hanabilab.game.encoding.encoder import Encoder
from hanabilab.game.encoding.kernels import encode, encode_greedy, no_event
from hanabilab.game.encoding.layout import Layout
from hanabilab.game.rules import Rules
from hanabilab.game.state import GOING_ON, State, initial_state
from hanabilab.game.turn import deal, final_score, take_turn
from hanabilab.lab.dataset.storage import BITS, Schema

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hanabilab.lab.dataset.storage import Frame

__all__ = ["Recorder"]

BYTE = 8


class Replay(NamedTuple):
    """The state of a replay, with scratch space for one row of bits."""

    initial_state: State
    cards: Ints
    deck: list[int]
    rng: Rng
    state: State
    nothing: Event
    """The event before the first turn."""
    event: Event
    layout: Layout
    """Has length 0 without observations."""
    mask: Ints
    """Padded to whole bytes, like `vector`."""
    vector: Ints


class Columns(NamedTuple):
    """The output columns."""

    game: Ints
    turn: Ints
    player: Ints
    action: Ints
    reward: Ints
    score: Ints
    legal: Sequence[Ints]
    observation: Sequence[Ints]


@kernel
def record_games(
    replay: Replay, seed: int, deck: int, game: int, turns: Ints, logs: Sequence[Ints], out: Columns
) -> None:
    """Replay logged games, the first of which has deck `deck`, and write a row per turn."""
    row = 0
    for place in range(len(turns)):
        shuffle_deck(replay.deck, replay.cards, replay.rng, seed, deck + place)
        deal(replay.state, replay.initial_state, replay.deck)
        assign(replay.event, replay.nothing)
        for turn in range(turns[place]):
            out.game[row] = game + place
            record_turn(replay, logs[place][turn], row, out)
            row += 1


@kernel
def record_decks(
    replay: Replay, decks: Sequence[Ints], turns: Ints, logs: Sequence[Ints], out: Columns
) -> int:
    """Replay games with the given decks, and write a row per turn.

    Return the number of the first game with an illegal action, at which it stops, or that of games.
    """
    row = 0
    for game in range(len(turns)):
        for place in range(len(replay.cards)):
            replay.deck[place] = decks[game][place]
        deal(replay.state, replay.initial_state, replay.deck)
        assign(replay.event, replay.nothing)
        for turn in range(turns[game]):
            action = logs[game][turn]
            write_legal_mask(replay.state, replay.mask)
            if replay.state.end != GOING_ON or replay.mask[action] == 0:
                return game
            out.game[row] = game
            record_turn(replay, action, row, out)
            row += 1
    return len(turns)


@kernel
def record_turn(replay: Replay, action: int, row: int, out: Columns) -> None:
    """Write a row: what the player to move observes and does, and the reward."""
    state = replay.state
    before = final_score(state)
    out.turn[row] = state.turn
    out.player[row] = state.player
    out.action[row] = action
    out.score[row] = before
    write_legal_mask(state, replay.mask)
    pack_bits(replay.mask, out.legal[row])
    if replay.layout.length > 0:
        observe_turn(replay, out.observation[row])
    decode_action(state, action, replay.event)
    take_turn(state, replay.deck, replay.event)
    out.reward[row] = final_score(state) - before


@kernel
def observe_turn(replay: Replay, out: Ints) -> None:
    """Write the observation of the player to move."""
    vector = replay.vector
    for place in range(len(vector)):
        vector[place] = 0
    state = replay.state
    encode(state, replay.event, state.player, replay.layout, vector)
    encode_greedy(state, replay.event, state.player, replay.layout, vector)
    pack_bits(vector, out)


@kernel
def pack_bits(bits: Ints, out: Ints) -> None:
    """Pack eight entries into a byte, the first one highest, like `numpy.packbits`."""
    for byte in range(len(out)):
        first = BYTE * byte  # written out, it becomes a few vector instructions
        high = bits[first] << 7 | bits[first + 1] << 6 | bits[first + 2] << 5 | bits[first + 3] << 4
        low = bits[first + 4] << 3 | bits[first + 5] << 2 | bits[first + 6] << 1 | bits[first + 7]
        out[byte] = high | low


class Recorder:
    """Records games of given rules; not thread-safe."""

    def __init__(self, rules: Rules, observations: str) -> None:
        self.schema = Schema.of(rules, observations)
        layout = Encoder(rules, observations).layout if self.schema.bits else Layout()
        start, state, nothing, event, rng, layout = (
            pack(record)[0]
            for record in (initial_state(rules), State(), no_event(), Event(), Rng(), layout)
        )
        cards: Any = np.array(card_multiset(rules), np.int64)
        empty = self.schema.empty_columns(1)
        mask, vector = (np.zeros(BYTE * empty[name].size, np.uint8) for name in BITS)
        self._replay = Replay(
            start, cards, cards.copy(), rng, state, nothing, event, layout, mask, vector
        )

    def record(
        self, seed: int, deck: int, game: int, turns: NDArray[np.int64], logs: NDArray[np.int64]
    ) -> Frame:
        """Return a row for each turn of logged games.

        `deck` is the number of the first deck, `game` the number that the first game gets.
        """
        from hanabilab.core import machine_code

        frame = self.schema.empty_columns(int(turns.sum()))
        columns = Columns._make(frame[name] for name in Columns._fields)
        machine_code.run(record_games, self._replay, seed, deck, game, turns, logs, columns)
        if not self.schema.bits:
            del frame["observation"]
        return frame

    def replay(
        self, decks: NDArray[np.int64], turns: NDArray[np.int64], logs: NDArray[np.int64]
    ) -> tuple[Frame, int]:
        """Return a row for each turn of games with given decks.

        The second result is the number of the first game with an illegal action, if there is one,
        and otherwise the number of games. Actions must be numbers of actions.
        """
        from hanabilab.core import machine_code

        frame = self.schema.empty_columns(int(turns.sum()))
        columns = Columns._make(frame[name] for name in Columns._fields)
        legal = machine_code.run(record_decks, self._replay, decks, turns, logs, columns)
        return frame, int(legal)
