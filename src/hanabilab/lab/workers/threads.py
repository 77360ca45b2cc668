"""Threads of this process: kernels release the interpreter's lock."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

from hanabilab.core.threads import DaemonThreads

__all__ = ["ThreadCrew", "cores", "threads_for"]


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class ThreadCrew:
    """Plays pieces on a number of threads."""

    def __init__(self, work: Any, threads: int) -> None:
        self.threads = threads
        self._work = work
        self._pool = DaemonThreads(threads)

    def submit(self, first: int, count: int) -> Future[Any]:
        """Start a piece as soon as a thread is free."""
        return self._pool.submit(self._work.play, first, count)

    def end(self) -> None:
        """Let nobody wait for the pieces that have started."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._work.halt(self._pool.threads)


@contextlib.contextmanager
def threads_for(work: Any, threads: int) -> Iterator[ThreadCrew]:
    """Provide threads for a run."""
    crew = ThreadCrew(work, threads)
    try:
        yield crew
    finally:
        crew.end()
