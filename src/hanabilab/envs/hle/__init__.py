"""HLE's `rl_env` and `pyhanabi`: agents written for DeepMind's environment change one import."""

from __future__ import annotations

from hanabilab.envs.hle.rl_env import (
    MOVE_TYPES,
    Agent,
    Environment,
    HanabiEnv,
    color_char_to_idx,
    make,
    pyhanabi,
)

__all__ = [
    "MOVE_TYPES",
    "Agent",
    "Environment",
    "HanabiEnv",
    "color_char_to_idx",
    "make",
    "pyhanabi",
]
