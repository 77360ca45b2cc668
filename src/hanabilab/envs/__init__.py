"""Reinforcement-learning environments: HLE's interface, many games at once, PettingZoo, Gymnasium.

>>> from hanabilab.envs import BatchEnv
>>> env = BatchEnv(4, players=2, seed=1)
>>> env.reset().observations.shape[0]
4

from hanabilab.envs import hle as rl_env      # agents written for HLE
from hanabilab.envs import BatchEnv           # n games at once in NumPy arrays
from hanabilab.envs import Encoder            # a game as a vector
from hanabilab.envs import Actor              # a strategy in one seat, action by action
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hanabilab.envs.batch import BatchEnv
    from hanabilab.envs.batch.partners import BatchPartners
    from hanabilab.game.encoding import Encoder
    from hanabilab.table.players import Actor

__all__ = ["Actor", "BatchEnv", "BatchPartners", "Encoder"]

_MODULES = ("gymnasium", "hle", "pettingzoo", "pyhanabi")
_MODULE_OF = {
    "Actor": "table.players",
    "BatchEnv": "envs.batch",
    "BatchPartners": "envs.batch.partners",
    "Encoder": "game.encoding",
}


def __getattr__(name: str) -> Any:
    """Import a name on first use."""
    if name in _MODULES:
        return importlib.import_module(f"hanabilab.envs.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'hanabilab.envs' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"hanabilab.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
