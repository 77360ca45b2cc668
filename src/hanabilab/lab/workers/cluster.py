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
from hanabilab.lab.workers.registry import Passport, Roster, differences, passport
from hanabilab.lab.workers.serialization import pack_work, unpack_work

__all__ = ["StrangerError", "cluster_for", "play_piece", "restored"]

ROUND = 0.5
"""Seconds between two looks at the workers."""
PATIENCE = 0.05
MOST_TRIES = 20
"""How often a piece is sent before something must be wrong with it."""


@dataclass(eq=False, slots=True)
class Sent:
    """A piece that is being played somewhere."""

    first: int
    count: int
    future: Future[Any] = field(default_factory=Future)
    only: Sequence[str] | None = None
    """The workers that may play it."""
    task: Any = None
    """Dask's future of it."""
    tries: int = 0


class ClusterCrew:
    """Plays the pieces of a run on the workers of a cluster."""

    def __init__(self, packed: bytes, connection: DaskConnection) -> None:
        self._connection, self._client = connection, connection.client
        self.roster = Roster(connection)
        name = hashlib.sha256(packed).hexdigest()[:16]
        self._work = self._client.submit(bytes, packed, key=f"hanabilab-work-{name}", pure=False)
        self._name, self._numbers = uuid.uuid4().hex[:8], itertools.count()
        self._sent: set[Sent] = set()
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._steward = threading.Thread(target=self._tend, daemon=True)
        self._steward.start()

    @property
    def threads(self) -> int:
        """How many pieces are played at once."""
        return max(1, self.roster.threads)

    def submit(self, first: int, count: int) -> Future[Any]:
        """Start a piece as soon as a worker is free."""
        sent = Sent(first, count)
        self._send(sent)
        return sent.future

    def prepare(self, first: int, stop: threading.Event) -> None:
        """Let one worker of each machine compile what the run needs, then the others load it."""
        hosts: dict[str, list[str]] = {}
        for address in self.roster.workers:
            hosts.setdefault(address.rpartition(":")[0], []).append(address)
        pioneers = [workers[0] for workers in hosts.values()]
        others = [worker for workers in hosts.values() for worker in workers[1:]]
        for workers in (pioneers, others):
            waiting = [Sent(first, 0, only=[worker]) for worker in workers]
            for sent in waiting:
                self._send(sent)
            while not stop.is_set() and not all(sent.future.done() for sent in waiting):
                stop.wait(PATIENCE)
            for sent in waiting:
                if sent.future.done():
                    sent.future.result()

    def _send(self, sent: Sent) -> None:
        """Hand a piece to Dask, once more if need be."""
        sent.tries += 1
        chosen = sent.only if sent.count == 0 else self.roster.restriction()
        sent.only = chosen
        try:
            with self._lock:
                self._sent.add(sent)
                sent.task = task = self._client.submit(
                    play_piece,
                    self._work,
                    self.roster.expected,
                    sent.first,
                    sent.count,
                    key=f"hanabilab-{self._name}-{next(self._numbers)}",
                    pure=False,
                    workers=chosen,
                    allow_other_workers=sent.count == 0,
                )
            task.add_done_callback(functools.partial(self._receive, sent))
        except Exception:  # whatever Dask raises without a scheduler
            self._answer(sent, error=gone(self._connection))

    def _receive(self, sent: Sent, task: Any) -> None:
        """Take what Dask has for a piece: its results, an error, or bad news."""
        if sent.task is not task or self._ended.is_set():
            return
        from distributed import CancelledError, KilledWorker

        try:
            pieces, seconds = task.result()
        except StrangerError as error:
            self.roster.refuse(*error.args)
            self._again(sent)
        except CancelledError:
            self._answer(sent, error=gone(self._connection))
        except KilledWorker as error:
            self._answer(sent, error=ClusterError(f"games from {sent.first} on: {error}"))
        except Exception as error:  # whatever a player raises, or Dask
            if task.status == "error":
                self._answer(sent, error=error)
            elif self._client.status == "running":
                self._again(sent)  # it was played, but its results are lost
            else:
                self._answer(sent, error=gone(self._connection))
        else:
            self._answer(sent, ([restored(piece) for piece in pieces], seconds))

    def _again(self, sent: Sent) -> None:
        if sent.tries < MOST_TRIES:
            self._send(sent)
        else:
            self._answer(sent, error=ClusterError(f"no worker can play games from {sent.first} on"))

    def _answer(self, sent: Sent, result: Any = None, error: BaseException | None = None) -> None:
        with self._lock:
            self._sent.discard(sent)
            sent.task = None  # Dask may forget the results
            if sent.future.done():
                return
            if error is None:
                sent.future.set_result(result)
            else:
                sent.future.set_exception(error)

    def _tend(self) -> None:
        """Look at the workers now and then; end the run if the scheduler is gone."""
        while not self._ended.wait(ROUND):
            try:
                self.roster.look()
                for sent in list(self._sent):
                    if sent.task is not None and self.roster.is_stuck(sent.only):
                        self._again(sent)
            except Exception:  # whatever Dask raises without a scheduler
                if self._client.status in ("closing", "closed", "connecting"):
                    for sent in list(self._sent):
                        self._answer(sent, error=gone(self._connection))

    def end(self) -> None:
        """Let nobody start what has been sent."""
        self._ended.set()
        with self._lock:
            tasks = [sent.task for sent in self._sent if sent.task is not None]
            self._sent.clear()
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.cancel([*tasks, self._work], force=True)


def gone(connection: DaskConnection) -> ClusterError:
    """Return the error that says that there is no scheduler any more."""
    return ClusterError(
        f"the scheduler at {connection.address} is gone; what was saved is there, and the same "
        "command goes on from it"
    )


@contextlib.contextmanager
def cluster_for(work: Any, where: Cluster, stop: threading.Event) -> Iterator[ClusterCrew]:
    """Provide the workers of a cluster for a run, with all that it needs compiled."""
    connection = connect(where)
    packed = pack_work(work, sources=True)
    with _dask_errors(connection):
        crew = ClusterCrew(packed, connection)
    try:
        with _dask_errors(connection):
            crew.roster.wait(stop)
        crew.prepare(work.first, stop)
        yield crew
    finally:
        crew.end()


@contextlib.contextmanager
def _dask_errors(connection: DaskConnection) -> Iterator[None]:
    """Turn whatever Dask raises without a scheduler into one line."""
    try:
        yield
    except HanabiError:
        raise
    except Exception:
        raise gone(connection) from None


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
