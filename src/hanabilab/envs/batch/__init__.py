"""Many games at once in NumPy arrays."""

from hanabilab.envs.batch.arrays import Step
from hanabilab.envs.batch.env import BatchEnv

__all__ = ["BatchEnv", "Step"]
