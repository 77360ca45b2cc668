"""The other end of `hanabilab.lab.workers.processes`: play pieces until nobody asks any more."""

from __future__ import annotations

import os
import pickle
from typing import Any, BinaryIO

__all__ = ["main"]


def main() -> None:
    """Answer requests on standard input; what players print goes to standard error."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    try:
        serve(requests, answers)
    except (EOFError, BrokenPipeError):
        os._exit(0)  # the run is over, or whoever asked was killed


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Receive the work, then play one piece after the other."""
    from hanabilab.lab.workers.travel import unpack_work

    packed = pickle.load(requests)
    work: Any = None
    while True:
        first, count = pickle.load(requests)
        try:
            work = work or unpack_work(packed)
            answer = True, work.play(first, count)
        except Exception as error:  # whatever a user's code raises
            answer = False, error
        answers.write(_pickled(*answer))
        answers.flush()


def _pickled(fine: bool, answer: Any) -> bytes:
    """Return an answer as bytes; an error that cannot be sent is sent as its text."""
    from hanabilab.errors import HanabiError

    if fine:
        return pickle.dumps((True, answer), pickle.HIGHEST_PROTOCOL)
    try:
        packed = pickle.dumps((False, answer))
        pickle.loads(packed)
    except Exception:  # whatever an error of a user's own is made of
        return pickle.dumps((False, HanabiError(f"{type(answer).__name__}: {answer}")))
    return packed
