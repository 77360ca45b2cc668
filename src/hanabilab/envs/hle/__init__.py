"""HLE's `rl_env` and `pyhanabi` for agents written for DeepMind's environment.

Either change the import, or call `install`: then ``import hanabi_learning_environment`` finds these
modules. ``python -m hanabilab.envs.hle SCRIPT.py`` installs them and runs a program.
"""

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
from hanabilab.envs.hle.substitution import install

__all__ = [
    "MOVE_TYPES",
    "Agent",
    "Environment",
    "HanabiEnv",
    "color_char_to_idx",
    "install",
    "make",
    "pyhanabi",
]
