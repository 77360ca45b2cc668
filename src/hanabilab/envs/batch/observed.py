"""What can be observed of the games of a batch: by the player to move, a seat, or everyone."""

from __future__ import annotations

from typing import Any

import numpy as np

from hanabilab.checks import check_integer
from hanabilab.core.record import pack
from hanabilab.envs.batch.arrays import DTYPES, Observations, array_to_fill, as_bytes
from hanabilab.envs.batch.kernels import encode_games, encode_seats
from hanabilab.envs.batch.tables import BatchTables
from hanabilab.errors import HanabiError
from hanabilab.game.encoding import Encoder

__all__ = ["ObservedTables"]


class ObservedTables(BatchTables):
    """Many games as players observe them, or as all that lies on the tables."""

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
        """Return what the player `player_offset` seats after the one to move observes now.

        With `seat`, what that player observes in every game. Beside partners, offsets are counted
        from the learner.
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
        """Return what each player observes now: for each game a row for each seat."""
        players = self.rules.players
        rows, filled = self._rows(self._observing(), (self.num_envs, players), out)
        flat = filled.reshape(-1, self.observation_length)
        self._loops.run(encode_seats, (0, players), self._batch, *as_bytes(flat))
        return rows

    def full_states(self, *, out: Observations | None = None) -> Observations:
        """Return all that lies on each table, all hands included, for central critics.

        It is the vector "state" of `hanabilab.game.encoding`, whatever players observe.
        """
        rows, filled = self._rows(self._state_encoder, (self.num_envs,), out)
        seen = self._batch._replace(layout=pack(self._state_encoder.layout))
        self._loops.run(encode_seats, (0, 1), seen, *as_bytes(filled))
        return rows

    @property
    def state_length(self) -> int:
        """How many entries a row of `full_states` has."""
        return self._state_encoder.length

    def _observing(self) -> Encoder:
        if self.encoder is None:
            raise HanabiError("observation: this environment was made without an encoding")
        return self.encoder

    def _rows(
        self, encoder: Encoder, shape: tuple[int, ...], out: Observations | None
    ) -> tuple[Observations, Observations]:
        """Return rows to give back, and the array to fill."""
        shape = (*shape, encoder.length)
        rows = np.zeros(shape, self.dtype) if out is None else out
        return rows, array_to_fill("out", rows, shape, DTYPES)
