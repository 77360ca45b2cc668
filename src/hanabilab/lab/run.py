"""Run many games in parallel: chunks, executors and Ctrl-C, for everything that plays games.

A run is a range of game numbers. A chunk of it is a pure function of its first game and its count,
and chunks are consumed in the order of their games. So results depend neither on the executor nor
on the size of the chunks.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from hanabilab.checks import check_integer
from hanabilab.errors import HanabiError
from hanabilab.game.deck import MAX_SEED, check_seed
from hanabilab.game.rules import Rules
from hanabilab.lab.workers.connection import Cluster
from hanabilab.lab.workers.local import cores, process_executor, thread_executor
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.loop import play_chunk
from hanabilab.table.play import Team, strategies_for

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    """The results of games, a row of `hanabilab.table.loop.COLUMNS` each."""

__all__ = [
    "Outcome",
    "Parallelism",
    "Run",
    "Work",
    "chunk_size",
    "is_io_bound",
    "play_run",
]

CHUNK_SECONDS = 0.5
"""How long a chunk should take: long compared with its overhead, short for a progress bar."""
MAX_CHUNKS_PER_SECOND = 100
"""On a large cluster chunks are longer, so that at most this many end in a second."""
MAX_GROWTH = 64
MAX_SHRINKAGE = 32
"""Near the end chunks shrink, by this factor at most, so that all threads finish together."""
MAX_ROWS = 1 << 18
MAX_REPEATS = 10_000
MAX_THREADS = 1024
UNLIMITED = MAX_SEED
FIRST_STOPPING_POINT = 100
POLL_SECONDS = 0.05

ChunkResult = TypeVar("ChunkResult")
"""What a chunk yields: `Rows` where games are played."""

Consume = Callable[[int, list[ChunkResult]], bool]
"""Takes the first game of a chunk and its results, one per team; returns True to stop the run."""


class Work(Protocol[ChunkResult]):
    """Anything that can be computed for a range of game numbers, chunk by chunk."""

    @property
    def first(self) -> int:
        """Number of the first game."""

    @property
    def games(self) -> int:
        """Number of games."""

    @property
    def repeats(self) -> int:
        """How often each deck is played."""

    @property
    def releases_gil(self) -> bool:
        """Whether threads run in parallel; otherwise processes are needed."""

    def play(self, first: int, count: int) -> tuple[list[ChunkResult], float]:
        """Return the results of a chunk, and the seconds it took."""

    def halt(self, threads: Collection[threading.Thread]) -> None:
        """Stop what other processes do for these threads, whose chunks are not needed any more."""


class Executor(Protocol[ChunkResult]):
    """Runs the chunks of a run (`hanabilab.lab.workers`)."""

    @property
    def threads(self) -> int:
        """How many chunks run at once; this may change in the course of a run."""

    def submit(self, first: int, count: int) -> Future[tuple[list[ChunkResult], float]]:
        """Run a chunk as soon as a worker is free."""


@dataclass(frozen=True, slots=True)
class Run:
    """Teams and games: each team plays all games, every deck `repeats` times."""

    rules: Rules
    teams: tuple[tuple[Strategy, ...], ...]
    seed: int
    games: int
    repeats: int = 1
    first: int = 0
    compiled: bool = True

    @classmethod
    def of(
        cls,
        rules: Rules,
        teams: Sequence[Team],
        *,
        seed: int,
        games: int,
        repeats: int = 1,
        first: int = 0,
        compiled: bool | None = None,
    ) -> Run:
        """Return a run; raise if a number or the rules do not suit the strategies."""
        seed, first = check_seed("seed", seed), check_seed("first", first)
        games = check_integer("games", games, 1, MAX_SEED - first)
        repeats = check_integer("repeats", repeats, 1, MAX_REPEATS)
        seats = tuple(tuple(strategies_for(team, rules.players)) for team in teams)
        everyone = [strategy for team in seats for strategy in team]
        for strategy in everyone:
            strategy.check(rules)
        if compiled is None:
            compiled = all(strategy.can_compile for strategy in everyone)
        return cls(rules, seats, seed, games, repeats, first, compiled)

    @property
    def releases_gil(self) -> bool:
        """Whether threads run in parallel; otherwise processes are needed."""
        return self.compiled or is_io_bound(itertools.chain(*self.teams))

    def halt(self, threads: Collection[threading.Thread]) -> None:
        """Stop what other processes do for these threads, whose games are not needed any more."""
        for strategy in itertools.chain(*self.teams):
            strategy.halt(threads)

    def play(self, first: int, count: int) -> tuple[list[Rows], float]:
        """Play a chunk of the run; return the rows of each team, and the seconds it took."""
        import numpy as np

        start = time.perf_counter()
        rows = [
            np.asarray(
                play_chunk(
                    self.rules,
                    team,
                    self.seed,
                    first,
                    count,
                    repeats=self.repeats,
                    compiled=self.compiled,
                ),
                np.int64,
            )
            for team in self.teams
        ]
        return rows, time.perf_counter() - start


def is_io_bound(strategies: Iterable[Strategy]) -> bool:
    """Return whether strategies mostly wait for other processes, so that threads pay off."""
    everyone = list(strategies)
    plain = any(not (each.can_compile or each.external) for each in everyone)
    return any(each.external for each in everyone) and not plain


@dataclass(frozen=True, slots=True)
class Parallelism:
    """How a run is executed; this never changes a result."""

    threads: int | None = None
    """All cores by default. For players in plain Python these are processes."""
    chunk: int | None = None
    """Games per chunk; about half a second of work by default."""
    cluster: Cluster = None
    """A Dask cluster: ``tcp://HOST:PORT``, a scheduler file, ``local:N``, or a `Client`."""

    @classmethod
    def of(
        cls, threads: int | None = None, chunk: int | None = None, cluster: Cluster = None
    ) -> Parallelism:
        """Return what a user asks for; `HANABILAB_CLUSTER` is the default cluster."""
        if cluster is not None and threads is not None:
            raise HanabiError("threads: a cluster has threads of its own; give one of the two")
        if cluster is None and threads is None:
            cluster = os.environ.get("HANABILAB_CLUSTER") or None
        return cls(threads, chunk, cluster)

    def __post_init__(self) -> None:
        if self.threads is not None:
            check_integer("threads", self.threads, 1, MAX_THREADS)
        if self.chunk is not None:
            check_integer("chunk", self.chunk, 1, MAX_SEED)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run went."""

    seconds: float
    threads: int
    interrupted: bool


def play_run(
    run: Work[ChunkResult],
    consume: Consume[ChunkResult],
    parallelism: Parallelism,
    *,
    stopping_points: bool = False,
    stop: threading.Event | None = None,
) -> Outcome:
    """Play all games and pass them to `consume`, in order, until it returns True.

    With `stopping_points`, chunks also end at each `next_stopping_point`, so that a decision to
    stop there does not depend on their size. Ctrl-C, or the event `stop` that several runs may
    share, ends the run after the games consumed so far.
    """
    with (
        interrupt_event(stop) as interrupted,
        _executor_for(run, parallelism, interrupted) as executor,
    ):
        start = time.perf_counter()
        sizes = _ChunkSizes(run, executor, parallelism.chunk, stopping_points)
        done = _play_chunks(run, consume, sizes, executor, interrupted)
        seconds, threads = time.perf_counter() - start, executor.threads
    if interrupted.is_set() and not done:
        raise KeyboardInterrupt
    return Outcome(seconds, threads, interrupted.is_set() and done < run.games)


def _executor_for(
    run: Work[ChunkResult], parallelism: Parallelism, stop: threading.Event
) -> AbstractContextManager[Executor[ChunkResult]]:
    """Return the executor: a cluster, threads, or processes for plain Python.

    Kernels are compiled before the clock starts.
    """
    if parallelism.cluster is not None:
        from hanabilab.lab.workers.cluster import cluster_executor

        return cluster_executor(run, parallelism.cluster, stop)
    run.play(run.first, 0)
    if run.releases_gil:
        return thread_executor(run, parallelism.threads or cores())
    return process_executor(run, parallelism.threads)


def _play_chunks(
    run: Work[ChunkResult],
    consume: Consume[ChunkResult],
    sizes: _ChunkSizes,
    executor: Executor[ChunkResult],
    interrupted: threading.Event,
) -> int:
    """Run all chunks; return how many game numbers were consumed."""
    waiting: deque[tuple[int, int, Future[tuple[list[ChunkResult], float]]]] = deque()
    following, end = run.first, run.first + run.games
    done = 0
    while following < end or waiting:
        while following < end and len(waiting) < 2 * executor.threads:
            count = sizes.at(following)
            waiting.append((following, count, executor.submit(following, count)))
            following += count
        first, count, future = waiting.popleft()
        if not _wait(future, interrupted):
            break
        rows, seconds = future.result()
        sizes.adapt(count, seconds)
        done += count
        if consume(first, rows):
            break
    return done


def _wait(future: Future[tuple[list[ChunkResult], float]], interrupted: threading.Event) -> bool:
    """Wait for a chunk; return False if Ctrl-C comes first."""
    while not interrupted.is_set():
        with contextlib.suppress(TimeoutError):
            future.exception(timeout=POLL_SECONDS)
            return not interrupted.is_set()
    return False


class _ChunkSizes:
    """Sizes of chunks: about half a second of work, and even shares near the end."""

    def __init__(
        self,
        run: Work[ChunkResult],
        executor: Executor[ChunkResult],
        chunk: int | None,
        stopping_points: bool,
    ) -> None:
        self.end = run.first + run.games
        self.first = run.first
        self.executor = executor
        self.chunk = chunk
        self.stopping_points = stopping_points
        self.limit = max(1, MAX_ROWS // run.repeats)
        self.size = 1

    def adapt(self, count: int, seconds: float) -> None:
        """Adjust the size to the time that a chunk took."""
        aim = max(CHUNK_SECONDS, self.executor.threads / MAX_CHUNKS_PER_SECOND)
        self.size = min(chunk_size(count, seconds, aim), self.limit)

    def at(self, first: int) -> int:
        """Return the size of the chunk that starts with this game."""
        left = self.end - first
        share = max(math.ceil(left / (2 * self.executor.threads)), self.size // MAX_SHRINKAGE)
        count = min(left, self.chunk or min(self.size, share))
        if self.stopping_points:
            done = first - self.first
            count = min(count, next_stopping_point(done) - done)
        return count


def chunk_size(count: int, seconds: float, aim: float = CHUNK_SECONDS) -> int:
    """Return how many games take `aim` seconds if `count` games took `seconds`."""
    return max(1, min(int(count * aim / max(seconds, 1e-6)), MAX_GROWTH * count))


def next_stopping_point(done: int) -> int:
    """Return the next number of games after which a run may stop: each a tenth larger."""
    point = FIRST_STOPPING_POINT
    while point <= done:
        point += point // 10
    return point


def is_stopping_point(done: int) -> bool:
    """Return whether a run may stop after this many games."""
    return done >= FIRST_STOPPING_POINT and next_stopping_point(done - 1) == done


@contextlib.contextmanager
def interrupt_event(stop: threading.Event | None = None) -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into an event, so that it never interrupts a half-done sum.

    A second Ctrl-C raises `KeyboardInterrupt`. Only the main thread can handle signals; other
    threads, and callers that pass their own event `stop`, handle Ctrl-C themselves.
    """
    event = stop or threading.Event()
    if stop or threading.current_thread() is not threading.main_thread():
        yield event
        return

    def handle(number: int, frame: object) -> None:
        if event.is_set():
            raise KeyboardInterrupt
        event.set()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)
