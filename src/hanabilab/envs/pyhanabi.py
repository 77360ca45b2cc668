"""HLE's `pyhanabi`, under the same names: ``from hanabilab.envs import pyhanabi``."""

from __future__ import annotations

from hanabilab.envs.hle.cards import (
    COLOR_CHAR,
    HanabiCard,
    HanabiCardKnowledge,
    color_char_to_idx,
    color_idx_to_char,
)
from hanabilab.envs.hle.game import HanabiGame
from hanabilab.envs.hle.moves import (
    CHANCE_PLAYER_ID,
    HanabiHistoryItem,
    HanabiMove,
    HanabiMoveType,
    IllegalMoveError,
)
from hanabilab.envs.hle.observation import (
    AgentObservationType,
    HanabiObservation,
    ObservationEncoder,
    ObservationEncoderType,
)
from hanabilab.envs.hle.state import HanabiEndOfGameType, HanabiState

__all__ = [
    "CHANCE_PLAYER_ID",
    "COLOR_CHAR",
    "AgentObservationType",
    "HanabiCard",
    "HanabiCardKnowledge",
    "HanabiEndOfGameType",
    "HanabiGame",
    "HanabiHistoryItem",
    "HanabiMove",
    "HanabiMoveType",
    "HanabiObservation",
    "HanabiState",
    "IllegalMoveError",
    "ObservationEncoder",
    "ObservationEncoderType",
    "cdef_loaded",
    "color_char_to_idx",
    "color_idx_to_char",
    "lib_loaded",
    "try_cdef",
    "try_load",
]


def try_cdef(*arguments: object, **named: object) -> bool:
    """Return True; HLE reads a header file here, which we do not need."""
    return True


def try_load(*arguments: object, **named: object) -> bool:
    """Return True; HLE loads its library here, which we do not need."""
    return True


def cdef_loaded() -> bool:
    """Return True."""
    return True


def lib_loaded() -> bool:
    """Return True."""
    return True
