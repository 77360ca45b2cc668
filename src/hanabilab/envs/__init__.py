"""Reinforcement-learning environments: HLE's interface, many games at once, PettingZoo, Gymnasium.

from hanabilab.envs import hle as rl_env      # agents written for HLE
from hanabilab.envs import BatchEnv           # n games at once in NumPy arrays
from hanabilab.envs import Encoder            # a game as a vector
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hanabilab.envs.batch import BatchEnv
    from hanabilab.envs.batch.crowd import Crowd
    from hanabilab.game.encoding import Encoder

__all__ = ["BatchEnv", "Crowd", "Encoder"]

_MODULES = ("gymnasium", "hle", "pettingzoo", "pyhanabi")
_ROOM_OF = {"BatchEnv": "envs.batch", "Crowd": "envs.batch.crowd", "Encoder": "game.encoding"}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used."""
    if name in _MODULES:
        return importlib.import_module(f"hanabilab.envs.{name}")
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'hanabilab.envs' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"hanabilab.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
