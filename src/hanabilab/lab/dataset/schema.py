"""The columns of a data set: one row a turn, and one row a game.

turns
    ``game`` and ``turn`` from 0, ``player`` who acts, ``action`` by its number
    (`hanabilab.game.actions`), ``legal`` the legal actions, ``reward`` the change of the score,
    ``score`` so far, that is before the action, and ``observation`` of the player who acts.
games
    ``game``, ``deck`` the number of the game of the seed, ``seed``, ``rules``, ``seats`` who sits
    where, ``score`` at the end, ``turns``, ``misplays`` and ``end``.

``legal`` and ``observation`` are packed bits, eight to a byte, the first one highest:
``numpy.unpackbits(bytes, axis=1, count=bits)`` unpacks them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hanabilab.checks import one_of
from hanabilab.game.actions import count_actions
from hanabilab.game.encoding import KINDS, Encoder
from hanabilab.game.state import opening

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hanabilab.game.rules import Rules

    Frame = dict[str, NDArray[Any]]
    """A table, column by column."""

__all__ = ["OBSERVATIONS", "Schema"]

OBSERVATIONS = (*KINDS, "none")
"""What a row holds of the observation: one of the vectors of `hanabilab.game.encoding`, or nothing.
In recorded play, the greedy action of the last player is the action itself."""

NUMBERS = {
    "game": np.int64,
    "turn": np.int16,
    "player": np.int8,
    "action": np.int16,
    "reward": np.int16,
    "score": np.int16,
}
GAME_COLUMNS = {
    "game": "int64",
    "deck": "int64",
    "seed": "int64",
    "rules": "text",
    "seats": "list of text",
    "score": "int16",
    "turns": "int16",
    "misplays": "int16",
    "end": "text",
}


@dataclass(frozen=True, slots=True)
class Schema:
    """How many bits the rows have under given rules."""

    sections: dict[str, tuple[int, int]]
    """Where each section of an observation starts and ends."""
    actions: int
    bits: int
    """Of an observation."""

    @classmethod
    def of(cls, rules: Rules, observations: str) -> Schema:
        """Return the columns of games under these rules."""
        one_of("observations", observations, OBSERVATIONS)
        actions = count_actions(opening(rules))
        if observations == "none":
            return cls({}, actions, 0)
        encoder = Encoder(rules, observations)
        sections = {name: (place.start, place.stop) for name, place in encoder.sections.items()}
        return cls(sections, actions, encoder.length)

    def room_for_turns(self, turns: int) -> Frame:
        """Return empty columns for so many turns."""
        columns: Frame = {name: np.zeros(turns, kind) for name, kind in NUMBERS.items()}
        columns["legal"] = np.zeros((turns, bytes_for(self.actions)), np.uint8)
        columns["observation"] = np.zeros((turns, bytes_for(self.bits)), np.uint8)
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as `dataset.json` describes it."""
        turns = {name: np.dtype(kind).name for name, kind in NUMBERS.items()}
        turns["legal"] = f"{self.actions} bits"
        if self.bits:
            turns["observation"] = f"{self.bits} bits"
        return {
            "turns": turns,
            "games": GAME_COLUMNS,
            "actions": self.actions,
            "observation_bits": self.bits,
            "sections": {name: list(place) for name, place in self.sections.items()},
        }


def bytes_for(bits: int) -> int:
    """Return how many bytes so many bits take."""
    return -(-bits // 8)
