"""The other end of `hanabilab.lab.workers.processes`: play pieces until nobody asks any more."""

from __future__ import annotations

import contextlib
import pickle
from typing import Any

from hanabilab.lab.workers.interpreters import own_streams, requests_from

__all__ = ["main"]


def main() -> None:
    """Receive the work, then play one piece after the other."""
    from hanabilab.lab.workers.travel import unpack_work

    stream, answers = own_streams()
    requests = requests_from(stream)
    packed = next(requests)
    work: Any = None
    for first, count in requests:
        try:
            work = work or unpack_work(packed)
            answer = True, work.play(first, count)
        except Exception as error:  # whatever a user's code raises
            answer = False, error
        with contextlib.suppress(BrokenPipeError):  # whoever asked was killed
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
