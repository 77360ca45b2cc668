"""Executor on the workers of a Dask cluster.

A chunk is a Dask task: each worker thread runs one at a time, and the chunks of a worker that is
lost are run on another one. The work itself is a task that yields bytes, so each worker fetches it
once. Chunks are the same on all machines only if all machines run the same program, so a registry
compares fingerprints and rejects incompatible workers. Workers that join later are used.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import platform
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hanabilab import __version__
from hanabilab.core.code_cache import kernel_digest
from hanabilab.errors import ClusterError, HanabiError
from hanabilab.lab.workers.connection import Cluster, DaskConnection, connect
from hanabilab.lab.workers.serialization import deserialize_work, serialize_work

__all__ = [
    "cluster_executor",
    "differences",
    "fingerprint",
]

REFRESH_SECONDS = 0.5
"""Seconds between two updates of the worker registry."""
POLL_SECONDS = 0.05
MAX_ATTEMPTS = 20
"""How often a chunk is submitted before the run fails."""


@dataclass(eq=False, slots=True)
class PendingChunk:
    """A chunk that has been submitted to Dask."""

    first: int
    count: int
    future: Future[Any] = field(default_factory=Future)
    allowed: Sequence[str] | None = None
    """The workers that may run it; None for all."""
    task: Any = None
    """Its Dask future."""
    attempts: int = 0


class ClusterExecutor:
    """Runs chunks on the workers of a cluster."""

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
        """How many chunks run at once."""
        return max(1, self.registry.threads)

    def submit(self, first: int, count: int) -> Future[Any]:
        """Run a chunk as soon as a worker is free."""
        pending = PendingChunk(first, count)
        self._submit(pending)
        return pending.future

    def prepare(self, first: int, stop: threading.Event) -> None:
        """Let one worker per machine compile what the run needs; then the others load it."""
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
        """Submit a chunk to Dask, for the first time or again."""
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
        """Handle a finished task: its results, an error, or a lost worker or scheduler."""
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
                self._retry(pending)  # it ran, but its results are lost
            else:
                self._resolve(pending, error=scheduler_lost(self._connection))
        else:
            self._resolve(pending, ([_decompressed(chunk) for chunk in chunks], seconds))

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
        """Update the registry and retry stranded chunks; fail all if the scheduler is lost."""
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

    def shutdown(self) -> None:
        """Cancel all submitted chunks."""
        self._ended.set()
        with self._lock:
            tasks = [pending.task for pending in self._pending if pending.task is not None]
            self._pending.clear()
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.cancel([*tasks, self._work], force=True)


def scheduler_lost(connection: DaskConnection) -> ClusterError:
    """Return the error for a scheduler that does not answer any more."""
    return ClusterError(f"the scheduler at {connection.address} is gone")


@contextlib.contextmanager
def cluster_executor(work: Any, where: Cluster, stop: threading.Event) -> Iterator[ClusterExecutor]:
    """Provide the executor of a cluster, with all that the run needs compiled."""
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
        executor.shutdown()


@contextlib.contextmanager
def _dask_errors(connection: DaskConnection) -> Iterator[None]:
    """Turn any error that Dask raises without a scheduler into a `ClusterError`."""
    try:
        yield
    except HanabiError:
        raise
    except Exception:
        raise scheduler_lost(connection) from None


CACHED_RUNS = 8
"""How many deserialized runs a worker keeps."""


class IncompatibleWorkerError(ClusterError):
    """Raised on a worker that runs a different program."""


def run_chunk(serialized: bytes, expected: Fingerprint, first: int, count: int) -> Any:
    """Run a chunk on a worker; return its compressed results, and the seconds."""
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
    """Return an array of small integers with two bytes each: a game then takes eight bytes."""
    import numpy as np

    if isinstance(chunk, np.ndarray) and chunk.dtype == np.int64:
        small = chunk.astype(np.int16)
        return small if (small == chunk).all() else chunk
    return chunk


def _decompressed(chunk: Any) -> Any:
    """Return an array as it was before it was compressed."""
    import numpy as np

    return chunk.astype(np.int64) if isinstance(chunk, np.ndarray) else chunk


Fingerprint = dict[str, str]


@functools.cache
def source_digest() -> str:
    """Return a digest of the package's modules and of the compiler."""
    package = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256(kernel_digest().encode())
    for source in sorted(package.rglob("*.py")):
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def fingerprint() -> Fingerprint:
    """Return what must be the same on all machines: version, source digest and Python."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {
        "version": __version__,
        "source digest": source_digest(),
        "Python": f"{platform.python_implementation()} {python}",
    }


def differences(theirs: Fingerprint, ours: Fingerprint) -> str:
    """Describe how two fingerprints differ; empty if they do not."""
    return ", ".join(
        f"{name} {theirs.get(name, 'unknown')} (here {ours[name]})"
        for name in ours
        if theirs.get(name) != ours[name]
    )


WAIT_SECONDS = 0.2
QUIET_SECONDS = 5.0
"""Seconds without a worker before a message about it is printed."""
VERSION = "__import__('hanabilab').__version__"


class WorkerRegistry:
    """Registry of workers: compatible ones, and rejected ones with the reason."""

    def __init__(self, connection: DaskConnection) -> None:
        self.expected = fingerprint()
        self.workers: dict[str, int] = {}
        """Threads of each compatible worker, by address."""
        self.rejected: dict[str, str] = {}
        """The reason for each rejected worker, by address."""
        self._seen: set[str] = set()
        self._connection = connection
        self._lock = threading.Lock()

    @property
    def threads(self) -> int:
        """How many chunks can run at once."""
        return sum(self.workers.values())

    def refresh(self) -> None:
        """List the workers that are connected now, and fingerprint new ones."""
        if self._connection.local:
            self._connection.local.restart_workers()
        present: dict[str, int] = self._connection.client.nthreads()
        with self._lock:
            if new := [address for address in present if address not in self._seen]:
                self._fingerprint(new)
            self.workers = {
                address: threads
                for address, threads in present.items()
                if address in self._seen and address not in self.rejected
            }

    def wait(self, stop: threading.Event) -> None:
        """Wait for a compatible worker; raise if all connected workers are rejected."""
        since, announced = time.monotonic(), False
        self.refresh()
        while not self.workers and not stop.is_set():
            if self.rejected:
                reasons = "; ".join(self.rejected.values())
                raise ClusterError(f"no worker of the cluster can be used: {reasons}")
            if not announced and time.monotonic() - since > QUIET_SECONDS:
                announced = True
                _print(f"waiting for workers of the cluster at {self._connection.address} ...")
            stop.wait(WAIT_SECONDS)
            self.refresh()

    def allowed_workers(self) -> Sequence[str] | None:
        """Return the compatible workers, or None if none is rejected."""
        return list(self.workers) if self.rejected else None

    def is_stranded(self, allowed: Sequence[str] | None) -> bool:
        """Return whether all workers that a chunk is restricted to have gone."""
        return allowed is not None and bool(self.workers) and not self.workers.keys() & set(allowed)

    def reject(self, address: str, name: str, reason: str) -> None:
        """Exclude a worker and print the reason once."""
        if address in self.rejected:
            return
        self.rejected[address] = f"worker {name} ({address}): {reason}"
        self.workers = {known: n for known, n in self.workers.items() if known != address}
        _print(f"not used: {self.rejected[address]}")

    def _fingerprint(self, addresses: list[str]) -> None:
        """Compare the fingerprints of workers; those that do not answer are asked again later."""
        run = self._connection.client.run
        found = run(fingerprint, workers=addresses, on_error="return")
        for address, theirs in found.items():
            if isinstance(theirs, OSError):  # it has gone
                continue
            self._seen.add(address)
            if isinstance(theirs, ImportError):
                version = run(eval, VERSION, workers=[address], on_error="return")[address]
                known = isinstance(version, str)
                theirs = {"version": version} if known else {"version": "not installed"}
            if isinstance(theirs, Exception):
                self.reject(address, self._name_of(address), str(theirs))
            elif reason := differences(theirs, self.expected):
                self.reject(address, self._name_of(address), reason)

    def _name_of(self, address: str) -> str:
        info = self._connection.client.scheduler_info(n_workers=-1)["workers"]
        return str(info.get(address, {}).get("name", address))


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
