"""Workers of a Dask cluster.

A piece is a task of the cluster: Dask gives each worker thread one at a time, and starts the pieces
of a worker that is gone on another one. The work itself is another task, which yields bytes: each
worker fetches it once. Workers that join later are used; those with another program are not.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import threading
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from hanabilab.errors import ClusterError, HanabiError
from hanabilab.lab.workers.connection import Cluster, DaskConnection, connect
from hanabilab.lab.workers.registry import Fingerprint, WorkerRegistry, differences, fingerprint
from hanabilab.lab.workers.serialization import deserialize_work, serialize_work

__all__ = ["IncompatibleWorkerError", "cluster_executor", "decompressed", "run_chunk"]

REFRESH_SECONDS = 0.5
"""Seconds between two looks at the workers."""
POLL_SECONDS = 0.05
MAX_ATTEMPTS = 20
"""How often a piece is sent before something must be wrong with it."""


@dataclass(eq=False, slots=True)
class PendingChunk:
    """A piece that is being played somewhere."""

    first: int
    count: int
    future: Future[Any] = field(default_factory=Future)
    allowed: Sequence[str] | None = None
    """The workers that may play it."""
    task: Any = None
    """Dask's future of it."""
    attempts: int = 0


class ClusterExecutor:
    """Plays the pieces of a run on the workers of a cluster."""

    def __init__(self, serialized: bytes, connection: DaskConnection) -> None:
        self._connection, self._client = connection, connection.client
        self.registry = WorkerRegistry(connection)
        name = hashlib.sha256(serialized).hexdigest()[:16]
        self._work = self._client.submit(
            bytes, serialized, key=f"hanabilab-work-{name}", pure=False
        )
        self._name, self._numbers = uuid.uuid4().hex[:8], itertools.count()
        self._pending: set[PendingChunk] = set()
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._refresher = threading.Thread(target=self._refresh, daemon=True)
        self._refresher.start()

    @property
    def threads(self) -> int:
        """How many pieces are played at once."""
        return max(1, self.registry.threads)

    def submit(self, first: int, count: int) -> Future[Any]:
        """Start a piece as soon as a worker is free."""
        pending = PendingChunk(first, count)
        self._submit(pending)
        return pending.future

    def prepare(self, first: int, stop: threading.Event) -> None:
        """Let one worker of each machine compile what the run needs, then the others load it."""
        hosts: dict[str, list[str]] = {}
        for address in self.registry.workers:
            hosts.setdefault(address.rpartition(":")[0], []).append(address)
        compiling = [workers[0] for workers in hosts.values()]
        others = [worker for workers in hosts.values() for worker in workers[1:]]
        for workers in (compiling, others):
            waiting = [PendingChunk(first, 0, allowed=[worker]) for worker in workers]
            for pending in waiting:
                self._submit(pending)
            while not stop.is_set() and not all(pending.future.done() for pending in waiting):
                stop.wait(POLL_SECONDS)
            for pending in waiting:
                if pending.future.done():
                    pending.future.result()

    def _submit(self, pending: PendingChunk) -> None:
        """Hand a piece to Dask, once more if need be."""
        pending.attempts += 1
        chosen = pending.allowed if pending.count == 0 else self.registry.allowed_workers()
        pending.allowed = chosen
        try:
            with self._lock:
                self._pending.add(pending)
                pending.task = task = self._client.submit(
                    run_chunk,
                    self._work,
                    self.registry.expected,
                    pending.first,
                    pending.count,
                    key=f"hanabilab-{self._name}-{next(self._numbers)}",
                    pure=False,
                    workers=chosen,
                    allow_other_workers=pending.count == 0,
                )
            task.add_done_callback(functools.partial(self._on_done, pending))
        except Exception:  # whatever Dask raises without a scheduler
            self._resolve(pending, error=scheduler_lost(self._connection))

    def _on_done(self, pending: PendingChunk, task: Any) -> None:
        """Take what Dask has for a piece: its results, an error, or bad news."""
        if pending.task is not task or self._ended.is_set():
            return
        from distributed import CancelledError, KilledWorker

        try:
            chunks, seconds = task.result()
        except IncompatibleWorkerError as error:
            self.registry.reject(*error.args)
            self._retry(pending)
        except CancelledError:
            self._resolve(pending, error=scheduler_lost(self._connection))
        except KilledWorker as error:
            self._resolve(pending, error=ClusterError(f"games from {pending.first} on: {error}"))
        except Exception as error:  # whatever a player raises, or Dask
            if task.status == "error":
                self._resolve(pending, error=error)
            elif self._client.status == "running":
                self._retry(pending)  # it was played, but its results are lost
            else:
                self._resolve(pending, error=scheduler_lost(self._connection))
        else:
            self._resolve(pending, ([decompressed(chunk) for chunk in chunks], seconds))

    def _retry(self, pending: PendingChunk) -> None:
        if pending.attempts < MAX_ATTEMPTS:
            self._submit(pending)
        else:
            self._resolve(
                pending, error=ClusterError(f"no worker can play games from {pending.first} on")
            )

    def _resolve(
        self, pending: PendingChunk, result: Any = None, error: BaseException | None = None
    ) -> None:
        with self._lock:
            self._pending.discard(pending)
            pending.task = None  # Dask may forget the results
            if pending.future.done():
                return
            if error is None:
                pending.future.set_result(result)
            else:
                pending.future.set_exception(error)

    def _refresh(self) -> None:
        """Look at the workers now and then; end the run if the scheduler is gone."""
        while not self._ended.wait(REFRESH_SECONDS):
            try:
                self.registry.refresh()
                for pending in list(self._pending):
                    if pending.task is not None and self.registry.is_stranded(pending.allowed):
                        self._retry(pending)
            except Exception:  # whatever Dask raises without a scheduler
                if self._client.status in ("closing", "closed", "connecting"):
                    for pending in list(self._pending):
                        self._resolve(pending, error=scheduler_lost(self._connection))

    def end(self) -> None:
        """Let nobody start what has been sent."""
        self._ended.set()
        with self._lock:
            tasks = [pending.task for pending in self._pending if pending.task is not None]
            self._pending.clear()
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.cancel([*tasks, self._work], force=True)


def scheduler_lost(connection: DaskConnection) -> ClusterError:
    """Return the error that says that there is no scheduler any more."""
    return ClusterError(
        f"the scheduler at {connection.address} is gone; what was saved is there, and the same "
        "command goes on from it"
    )


@contextlib.contextmanager
def cluster_executor(work: Any, where: Cluster, stop: threading.Event) -> Iterator[ClusterExecutor]:
    """Provide the workers of a cluster for a run, with all that it needs compiled."""
    connection = connect(where)
    serialized = serialize_work(work, sources=True)
    with _dask_errors(connection):
        executor = ClusterExecutor(serialized, connection)
    try:
        with _dask_errors(connection):
            executor.registry.wait(stop)
        executor.prepare(work.first, stop)
        yield executor
    finally:
        executor.end()


@contextlib.contextmanager
def _dask_errors(connection: DaskConnection) -> Iterator[None]:
    """Turn whatever Dask raises without a scheduler into one line."""
    try:
        yield
    except HanabiError:
        raise
    except Exception:
        raise scheduler_lost(connection) from None


CACHED_RUNS = 8
"""How many runs a worker keeps unpacked."""


class IncompatibleWorkerError(ClusterError):
    """A piece came to a worker that runs another program."""


def run_chunk(serialized: bytes, expected: Fingerprint, first: int, count: int) -> Any:
    """Play a piece on a worker; return its results, as small as they are, and the seconds."""
    if reason := differences(fingerprint(), expected):
        from distributed import get_worker

        worker = get_worker()
        raise IncompatibleWorkerError(worker.address, str(worker.name), reason)
    chunks, seconds = _deserialized(serialized).play(first, count)
    return [_compressed(chunk) for chunk in chunks], seconds


_deserializing = threading.Lock()


def _deserialized(serialized: bytes) -> Any:
    with _deserializing:  # a user's file is loaded once, not by each thread
        return _cached_work(serialized)


@functools.lru_cache(CACHED_RUNS)
def _cached_work(serialized: bytes) -> Any:
    return deserialize_work(serialized)


def _compressed(chunk: Any) -> Any:
    """Return an array of small numbers as one of two bytes each; a game then takes eight bytes."""
    import numpy as np

    if isinstance(chunk, np.ndarray) and chunk.dtype == np.int64:
        small = chunk.astype(np.int16)
        return small if (small == chunk).all() else chunk
    return chunk


def decompressed(chunk: Any) -> Any:
    """Return an array as it was before it was sent."""
    import numpy as np

    return chunk.astype(np.int64) if isinstance(chunk, np.ndarray) else chunk
