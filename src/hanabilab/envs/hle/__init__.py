"""HLE's `rl_env` and `pyhanabi`: agents written for DeepMind's environment change one import."""

from __future__ import annotations

from hanabilab.envs.hle.rl_env import Agent, Environment, HanabiEnv, make, pyhanabi

__all__ = ["Agent", "Environment", "HanabiEnv", "make", "pyhanabi"]
