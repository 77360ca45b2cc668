"""What runs on the workers of a cluster."""

from __future__ import annotations

import functools
import threading
from typing import Any

from hanabilab.errors import ClusterError
from hanabilab.lab.workers.passport import Passport, differences, passport
from hanabilab.lab.workers.travel import unpack_work

__all__ = ["StrangerError", "play_piece", "restored"]

KEPT = 8
"""How many runs a worker keeps unpacked."""


class StrangerError(ClusterError):
    """A piece came to a worker that runs another program."""


def play_piece(packed: bytes, expected: Passport, first: int, count: int) -> Any:
    """Play a piece on a worker; return its results, as small as they are, and the seconds."""
    if reason := differences(passport(), expected):
        from distributed import get_worker

        worker = get_worker()
        raise StrangerError(worker.address, str(worker.name), reason)
    pieces, seconds = _unpacked(packed).play(first, count)
    return [_small(piece) for piece in pieces], seconds


_unpacking = threading.Lock()


def _unpacked(packed: bytes) -> Any:
    with _unpacking:  # a user's file is loaded once, not by each thread
        return _known_work(packed)


@functools.lru_cache(KEPT)
def _known_work(packed: bytes) -> Any:
    return unpack_work(packed)


def _small(piece: Any) -> Any:
    """Return an array of small numbers as one of two bytes each; a game then takes eight bytes."""
    import numpy as np

    if isinstance(piece, np.ndarray) and piece.dtype == np.int64:
        small = piece.astype(np.int16)
        return small if (small == piece).all() else piece
    return piece


def restored(piece: Any) -> Any:
    """Return an array as it was before it was sent."""
    import numpy as np

    return piece.astype(np.int64) if isinstance(piece, np.ndarray) else piece
