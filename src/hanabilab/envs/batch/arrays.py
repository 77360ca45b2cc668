"""The arrays that `BatchEnv` takes, fills and returns, and their validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from hanabilab.checks import check_integer
from hanabilab.errors import ActionError, HanabiError, one_line
from hanabilab.game.deck import check_seed

__all__ = [
    "DTYPES",
    "Arrays",
    "Observations",
    "Seeds",
    "Snapshot",
    "Step",
    "array_to_fill",
    "as_bytes",
    "entries_of",
    "read_actions",
    "read_places",
    "read_seeds",
    "step_to_fill",
]

DTYPES = ("uint8", "float32")


Observations = NDArray[Any]
"""Rows of "uint8" or "float32" entries."""


class Step(NamedTuple):
    """The result of one step in every game."""

    observations: Observations
    """One row per game, for the player to move; of length 0 without an encoding."""
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    """Whether a game has ended and the next has begun."""
    action_masks: NDArray[np.bool_]
    """The legal actions of the player to move, one row per game."""


Snapshot = Mapping[str, NDArray[Any] | np.int64]
"""The seed and the arrays of all games, by name."""

Arrays = Step | Sequence[Any]
"""A `Step`, or its arrays in any other sequence; tensors in main memory work too."""


def entries_of(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the dtype of observations."""
    try:
        kind: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        kind = np.dtype(object)
    if kind.name not in DTYPES:
        raise HanabiError(f"dtype: unknown {dtype!r}; expected {' or '.join(DTYPES)}")
    return kind


def array_to_fill(
    name: str, given: object, shape: tuple[int, ...], kinds: tuple[str, ...]
) -> NDArray[Any]:
    """Return a caller's array or tensor as an array that shares its memory, or raise.

    Tensors of other libraries must be in main memory.
    """
    wanted = f"{name}: expected an array of {' or '.join(kinds)} and shape {shape}"
    if isinstance(given, np.ndarray):
        array = given
    elif hasattr(given, "__dlpack__"):
        try:
            array = np.asarray(given)
        except (TypeError, ValueError, RuntimeError, BufferError) as error:
            raise HanabiError(f"{wanted} in main memory: {one_line(str(error))}") from None
    else:
        raise HanabiError(f"{wanted}, not a {type(given).__name__}")
    fits = array.shape == shape and array.dtype.name in kinds
    if not (fits and array.flags.c_contiguous and array.flags.writeable):
        raise HanabiError(
            f"{wanted} (C order, writeable), not of {array.dtype.name} and shape {array.shape}"
        )
    return array


def as_bytes(
    observations: Observations, scratch: NDArray[np.uint8] | None = None
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the bytes to write observations into, and the bit patterns of their floats.

    Floats are converted from bytes in `scratch`; for byte observations the second array is empty.
    """
    if observations.dtype == np.uint8:
        return observations, np.zeros((0, observations.shape[1]), np.int32)
    rows = np.zeros(observations.shape, np.uint8) if scratch is None else scratch
    return rows, observations.view(np.int32)


Seeds = int | Sequence[int] | NDArray[np.integer[Any]]
"""One seed for all sub-environments, or one for each."""


def read_seeds(seed: Seeds, games: int) -> int | list[int]:
    """Return one seed, or one for each sub-environment."""
    if not np.ndim(seed):
        return check_seed("seed", seed)
    seeds = [check_seed("seed", each) for each in np.asarray(seed).tolist()]
    if len(seeds) != games:
        raise HanabiError(f"seed: {len(seeds)} seeds for {games} places")
    return seeds


def read_places(places: ArrayLike, games: int) -> NDArray[np.bool_]:
    """Return a mask of sub-environments from a mask or from indices."""
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
    """Return action numbers, one for each game, legal or not."""
    given = np.asarray(actions)
    if given.shape != (games,) or given.dtype.kind not in "iu":
        raise ActionError(
            f"{name}: expected {games} integers, not an array of "
            f"{given.dtype.name} and shape {given.shape}"
        )
    return np.ascontiguousarray(given, np.int64)


def step_to_fill(out: Arrays, shapes: Sequence[tuple[int, ...]]) -> Step:
    """Return the arrays to fill, sharing the memory of the caller's arrays if there are any."""
    if not isinstance(out, Sequence) or len(out) != len(Step._fields):
        what = f"{len(out)} arrays" if isinstance(out, Sequence) else f"a {type(out).__name__}"
        raise HanabiError(f"out: expected {', '.join(Step._fields)}, not {what}")
    kinds = (DTYPES, ("float32",), ("bool",), ("bool",))
    return Step(*map(array_to_fill, Step._fields, out, shapes, kinds))
