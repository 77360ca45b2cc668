"""Processes of this machine, for players in plain Python: these hold the interpreter's lock.

Each process is a fresh interpreter (`hanabilab.lab.workers.child`). Starting one takes about a
second: until a run has taken that long, its pieces are played here.
"""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

from hanabilab.core.threads import DaemonThreads
from hanabilab.errors import HanabiError, StrategyError
from hanabilab.lab.workers.interpreters import Interpreter
from hanabilab.lab.workers.threads import ThreadCrew, cores
from hanabilab.lab.workers.travel import pack_work

__all__ = ["processes_for"]

HERE_FIRST = 1.0
"""Seconds of a run before other processes are started."""


class ProcessCrew:
    """Plays pieces here at first, and then on a number of processes."""

    def __init__(self, work: Any, processes: int, packed: bytes) -> None:
        self._most, self._packed = processes, packed
        self._here = ThreadCrew(work, 1)
        self._since = time.perf_counter()
        self._pool: DaemonThreads | None = None
        """A thread for each process, which waits for its answers."""
        self._children: list[Child] = []
        self._free: queue.SimpleQueue[Child] = queue.SimpleQueue()

    @property
    def threads(self) -> int:
        """How many pieces are played at once."""
        return 1 if self._pool is None else self._most

    def submit(self, first: int, count: int) -> Future[Any]:
        """Start a piece as soon as a process is free."""
        if self._pool is None and time.perf_counter() - self._since > HERE_FIRST:
            self._pool = DaemonThreads(self._most)
            self._children = [Child(self._packed) for _ in range(self._most)]
            for child in self._children:
                self._free.put(child)
        if self._pool is None:
            return self._here.submit(first, count)
        return self._pool.submit(self._play, first, count)

    def _play(self, first: int, count: int) -> Any:
        child = self._free.get()
        try:
            return child.play(first, count)
        finally:
            self._free.put(child)

    def end(self) -> None:
        """End all processes at once."""
        self._here.end()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.end()


class Child(Interpreter):
    """Another interpreter that plays pieces of one run."""

    def __init__(self, packed: bytes) -> None:
        super().__init__("hanabilab.lab.workers.child")
        self.send(packed)

    def play(self, first: int, count: int) -> Any:
        """Return the results of a piece, or raise what the player raised there."""
        self.send((first, count))
        try:
            fine, answer = self.receive()
        except EOFError:
            if self.is_ended:
                raise HanabiError("interrupted") from None
            raise StrategyError(
                f"a process that played games from {first} on ended by itself, "
                f"with code {self.exit_code()}"
            ) from None
        if not fine:
            raise answer
        return answer


@contextlib.contextmanager
def processes_for(work: Any, processes: int | None) -> Iterator[ProcessCrew | ThreadCrew]:
    """Provide processes for a run, by default as many as there are cores.

    Players who cannot be sent to them are an error if processes were asked for; otherwise they play
    here, on one thread.
    """
    crew = _crew_for(work, processes)
    try:
        yield crew
    finally:
        crew.end()


def _crew_for(work: Any, processes: int | None) -> ProcessCrew | ThreadCrew:
    wanted = processes or cores()
    if wanted == 1:
        return ThreadCrew(work, 1)
    try:
        packed = pack_work(work, sources=False)
    except StrategyError:
        if processes:
            raise
        return ThreadCrew(work, 1)
    return ProcessCrew(work, wanted, packed)
