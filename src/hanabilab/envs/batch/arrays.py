"""The arrays that `BatchEnv` fills and returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hanabilab.errors import HanabiError, one_line

__all__ = [
    "DTYPES",
    "Arrays",
    "Observations",
    "Snapshot",
    "Step",
    "array_to_fill",
    "as_bytes",
    "entries_of",
]

DTYPES = ("uint8", "float32")


Observations = NDArray[Any]
"""Rows of "uint8" or "float32" entries."""


class Step(NamedTuple):
    """What came of a turn in every game."""

    observations: Observations
    """A row for each game, of the player to move; of length 0 without an encoding."""
    rewards: NDArray[np.float32]
    done: NDArray[np.bool_]
    """Where a game has ended and another has begun."""
    action_masks: NDArray[np.bool_]
    """For each game, which actions the player to move may take."""


Snapshot = Mapping[str, NDArray[Any] | np.int64]
"""The seed and the arrays of all games, by name."""

Arrays = Step | Sequence[Any]
"""A `Step`, or its arrays in any other sequence; tensors in main memory do as well."""


def entries_of(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the type of the entries of observations."""
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
    """Return the array to fill, with the memory of what was given, or raise if it does not fit.

    Tensors of other libraries do if they lie in main memory.
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
    observations: Observations, room: NDArray[np.uint8] | None = None
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the bytes to write observations into, and the bits of the floats that they become.

    Floats are made of bytes in a room; bytes are written at once, and then there are no floats.
    """
    if observations.dtype == np.uint8:
        return observations, np.zeros((0, observations.shape[1]), np.int32)
    rows = np.zeros(observations.shape, np.uint8) if room is None else room
    return rows, observations.view(np.int32)
