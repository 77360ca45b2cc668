"""HLE's `pyhanabi` by its names: ``from hanabilab.envs import pyhanabi``."""

from __future__ import annotations

from hanabilab.envs.hle.game import HanabiEndOfGameType, HanabiGame, HanabiState
from hanabilab.envs.hle.observation import (
    HanabiObservation,
    ObservationEncoder,
    ObservationEncoderType,
)
from hanabilab.envs.hle.pieces import (
    CHANCE_PLAYER_ID,
    COLOR_CHAR,
    AgentObservationType,
    HanabiCard,
    HanabiCardKnowledge,
    HanabiHistoryItem,
    HanabiMove,
    HanabiMoveType,
    IllegalMoveError,
    color_char_to_idx,
    color_idx_to_char,
)

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
    """HLE reads a header file here; there is none to read."""
    return True


def try_load(*arguments: object, **named: object) -> bool:
    """HLE loads its library here; there is none to load."""
    return True


def cdef_loaded() -> bool:
    """Always."""
    return True


def lib_loaded() -> bool:
    """Always."""
    return True
