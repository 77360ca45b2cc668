"""The games of a batch: their properties, observations and snapshots."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabilab.checks import check_integer
from hanabilab.core.record import dtype as layout_of
from hanabilab.core.record import pack, unpack
from hanabilab.envs.batch.arrays import DTYPES, Observations, Snapshot, array_to_fill, as_bytes
from hanabilab.envs.batch.kernels import Batch, BatchOptions, EnvRecord, encode_games, encode_seats
from hanabilab.envs.batch.loops import Loops
from hanabilab.envs.batch.partners import LearnerPartners
from hanabilab.errors import HanabiError
from hanabilab.game.actions import (
    MAX_MASK_BITS,
    Event,
    count_actions,
    legal_actions,
    write_legal_mask,
)
from hanabilab.game.deck import card_multiset
from hanabilab.game.encoding import Encoder, Layout, no_event
from hanabilab.game.rules import Rules
from hanabilab.game.state import GOING_ON, State, initial_state
from hanabilab.table.game import Game

__all__ = ["BatchTables", "ObservedTables", "new_batch"]


def new_batch(rules: Rules, games: int, encoder: Encoder | None, options: BatchOptions) -> Batch:
    """Return the arrays of `games` games that have not been dealt yet."""
    layout = Layout() if encoder is None else encoder.layout
    copies = games if layout.greedy_action else 1
    places = np.zeros(games, layout_of(EnvRecord))
    places["final"] = -1
    places["learner"] = -1
    return Batch(
        np.zeros(games, layout_of(State)),
        np.zeros((games, rules.deck_size), np.int64),
        np.zeros(games, layout_of(Event)),
        np.zeros((games, count_actions(initial_state(rules))), np.bool_),
        places,
        np.zeros(copies, layout_of(Event)),
        np.zeros(copies, layout_of(State)),
        pack(options),
        pack(initial_state(rules)),
        pack(no_event()),
        pack(layout),
        np.array(card_multiset(rules), np.int64),
    )


class BatchTables:
    """Many games in progress; every array has one entry per game."""

    rules: Rules
    num_envs: int
    _batch: Batch
    _loops: Loops
    _partners: LearnerPartners | None

    @property
    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, one row per game."""
        return self._batch.masks.copy()

    @property
    def current_players(self) -> NDArray[np.int64]:
        """The player to move in each game."""
        return self._field("player")

    @property
    def scores(self) -> NDArray[np.int64]:
        """The sum of the fireworks of each game so far, even if all lives are lost."""
        return self._field("score")

    @property
    def turns(self) -> NDArray[np.int64]:
        """The number of turns taken in each game."""
        return self._field("turn")

    @property
    def lives(self) -> NDArray[np.int64]:
        """The number of lives left in each game."""
        return self._field("lives")

    @property
    def hint_tokens(self) -> NDArray[np.int64]:
        """The number of hint tokens left in each game."""
        return self._field("hint_tokens")

    @property
    def final_scores(self) -> NDArray[np.int64]:
        """The score of the last finished game of each sub-environment; -1 before the first one."""
        return self._noted("final")

    @property
    def final_turns(self) -> NDArray[np.int64]:
        """The number of turns of the last finished games."""
        return self._noted("final_turn")

    @property
    def final_ends(self) -> NDArray[np.int64]:
        """How the last finished games ended: 1 perfect, 2 no lives left, 3 draw pile used up."""
        return self._noted("final_end")

    @property
    def game_numbers(self) -> NDArray[np.int64]:
        """The number of each game within its seed."""
        return self._noted("number")

    @property
    def seeds(self) -> NDArray[np.int64]:
        """The seed of each sub-environment."""
        return self._noted("seed")

    @property
    def seats(self) -> NDArray[np.int64]:
        """The learner's seat in each game; -1 if everyone learns."""
        return self._noted("learner")

    @property
    def teams(self) -> NDArray[np.int64]:
        """The team of the population that plays with the learner in each game, from 0."""
        return self._noted("team")

    def _field(self, name: str) -> NDArray[np.int64]:
        field: NDArray[np.int64] = self._batch.states[name].copy()
        return field

    def _noted(self, name: str) -> NDArray[np.int64]:
        field: NDArray[np.int64] = self._batch.places[name].copy()
        return field

    def state(self, index: int) -> State:
        """Return a copy of the state of one game."""
        state = State()
        unpack(state, self._batch.states[self._place(index)])
        state.observer = 0  # left there by partners who have looked
        return state

    def last_event(self, index: int) -> Event | None:
        """Return the last turn of one game; None before the first turn."""
        event = Event()
        unpack(event, self._batch.events[self._place(index)])
        return event if event.player >= 0 else None

    def set_game(self, index: int, game: Game) -> None:
        """Replace one game of the batch with the current state of another game."""
        place = self._place(index)
        if self._partners is not None:
            raise HanabiError("set_game: the partners have not seen that game")
        if game.rules != self.rules:
            raise HanabiError("game: not played by the rules of the environment")
        if game.state.end != GOING_ON:
            raise HanabiError(f"game: it is over ({game.end})")
        batch = self._batch
        batch.states[place] = pack(game.state)[0]
        batch.decks[place] = list(game.deck)
        batch.events[place] = pack(game.events[-1] if game.events else no_event())[0]
        if len(batch.greedies) > 1 or self.num_envs == 1:
            batch.greedies[place] = batch.events[place]
        write_legal_mask(game.state, batch.masks[place])
        legal = legal_actions(game.state)
        batch.places["legal"][place] = sum(
            1 << action for action in legal if action < MAX_MASK_BITS
        )

    def snapshot(self) -> Snapshot:
        """Return all games in progress as plain arrays (for `numpy.savez`, pickle, …)."""
        return {name: array.copy() for name, array in self._kept().items()}

    def _kept(self) -> dict[str, NDArray[Any]]:
        names = ("states", "decks", "events", "masks", "places", "greedies")
        kept = {name: getattr(self._batch, name) for name in names}
        kept["stride"] = self._batch.options["stride"]
        if self._partners is not None:
            kept["memories"] = self._partners.memories
        return kept

    def restore(self, snapshot: Snapshot) -> None:
        """Continue from a snapshot of an environment of the same size, rules and partners."""
        ours = self._kept()
        if ours.keys() != snapshot.keys():
            raise HanabiError(f"snapshot: expected {', '.join(ours)}")
        for name, array in ours.items():
            theirs = np.asarray(snapshot[name])
            if theirs.shape != array.shape or theirs.dtype != array.dtype:
                raise HanabiError(f"{name}: these are not games of this environment")
        for name, array in ours.items():
            array[...] = snapshot[name]
        if self._partners is not None:
            self._partners.find_memories(self._batch, self._loops)

    def _place(self, index: int) -> int:
        return check_integer("index", index, 0, self.num_envs - 1)


class ObservedTables(BatchTables):
    """Many games and their encoded observations, or their encoded full states."""

    dtype: np.dtype[Any]
    encoder: Encoder | None
    observation_length: int
    _state_encoder: Encoder

    def encode(
        self,
        player_offset: int = 0,
        *,
        seat: int | None = None,
        out: Observations | None = None,
    ) -> Observations:
        """Return the current observation of the player `player_offset` seats after the one to move.

        With `seat`, return that player's observation in every game. With partners, offsets are
        counted from the learner.
        """
        rows, filled = self._rows(self._observing(), (self.num_envs,), out)
        most = self.rules.players - 1
        if seat is None:
            offset = check_integer("player_offset", player_offset, 0, most)
            self._loops.run(encode_games, (offset,), self._batch, *as_bytes(filled))
        else:
            seat = check_integer("seat", seat, 0, most)
            self._loops.run(encode_seats, (seat, 1), self._batch, *as_bytes(filled))
        return rows

    def encode_everyone(self, *, out: Observations | None = None) -> Observations:
        """Return the current observations of all players: one row per seat for each game."""
        players = self.rules.players
        rows, filled = self._rows(self._observing(), (self.num_envs, players), out)
        flat = filled.reshape(-1, self.observation_length)
        self._loops.run(encode_seats, (0, players), self._batch, *as_bytes(flat))
        return rows

    def full_states(self, *, out: Observations | None = None) -> Observations:
        """Return the full state of each game, hidden hands included, for central critics.

        It is the vector "state" of `hanabilab.game.encoding`, whatever kind the players observe.
        """
        rows, filled = self._rows(self._state_encoder, (self.num_envs,), out)
        seen = self._batch._replace(layout=pack(self._state_encoder.layout))
        self._loops.run(encode_seats, (0, 1), seen, *as_bytes(filled))
        return rows

    @property
    def state_length(self) -> int:
        """The number of entries of a row of `full_states`."""
        return self._state_encoder.length

    def _observing(self) -> Encoder:
        if self.encoder is None:
            raise HanabiError("observation: this environment was made without an encoding")
        return self.encoder

    def _rows(
        self, encoder: Encoder, shape: tuple[int, ...], out: Observations | None
    ) -> tuple[Observations, Observations]:
        """Return the rows to hand back, and the array to fill."""
        shape = (*shape, encoder.length)
        rows = np.zeros(shape, self.dtype) if out is None else out
        return rows, array_to_fill("out", rows, shape, DTYPES)
