"""Checks of what `BatchEnv` is given: seeds, places, actions, and arrays to fill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hanabilab.checks import check_integer
from hanabilab.envs.batch.arrays import DTYPES, Arrays, Step, array_to_fill
from hanabilab.errors import ActionError, HanabiError
from hanabilab.game.deck import check_seed

__all__ = ["Seeds", "read_actions", "read_places", "read_seeds", "step_to_fill"]

Seeds = int | Sequence[int] | NDArray[np.integer[Any]]
"""One seed for all places, or one for each."""


def read_seeds(seed: Seeds, games: int) -> int | list[int]:
    """Return one seed, or one for each place."""
    if not np.ndim(seed):
        return check_seed("seed", seed)
    seeds = [check_seed("seed", each) for each in np.asarray(seed).tolist()]
    if len(seeds) != games:
        raise HanabiError(f"seed: {len(seeds)} seeds for {games} places")
    return seeds


def read_places(places: ArrayLike, games: int) -> NDArray[np.bool_]:
    """Return a mask of places that are given as such or by their numbers."""
    given = np.asarray(places)
    if given.dtype.kind == "b" and given.shape == (games,):
        return given
    if given.dtype.kind not in "iu" and given.size:
        raise HanabiError(f"places: expected {games} booleans, or numbers of places")
    chosen = np.zeros(games, np.bool_)
    for place in given.reshape(-1).tolist():
        chosen[check_integer("places", place, 0, games - 1)] = True
    return chosen


def read_actions(name: str, actions: ArrayLike, games: int) -> NDArray[np.int64]:
    """Return the numbers of actions, one for each game, legal or not."""
    given = np.asarray(actions)
    if given.shape != (games,) or given.dtype.kind not in "iu":
        raise ActionError(
            f"{name}: expected {games} whole numbers, not an array of "
            f"{given.dtype.name} and shape {given.shape}"
        )
    return np.ascontiguousarray(given, np.int64)


def step_to_fill(out: Arrays, shapes: Sequence[tuple[int, ...]]) -> Step:
    """Return the arrays to fill, of these shapes, with the memory of those given."""
    if not isinstance(out, Sequence) or len(out) != len(Step._fields):
        what = f"{len(out)} arrays" if isinstance(out, Sequence) else f"a {type(out).__name__}"
        raise HanabiError(f"out: expected {', '.join(Step._fields)}, not {what}")
    kinds = (DTYPES, ("float32",), ("bool",), ("bool",))
    return Step(*map(array_to_fill, Step._fields, out, shapes, kinds))
