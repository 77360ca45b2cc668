"""Executors on this machine: threads for compiled strategies, processes for plain Python.

Kernels release the interpreter's lock, so threads suffice for them. Plain Python holds it, so each
process is a fresh interpreter: the user's program is not imported again and needs no guard.
Requests and answers are pickled through standard input and output. A process exits at once,
whatever it is doing, when its standard input is closed, which also happens if its parent is killed.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any, BinaryIO

from hanabilab.core.threads import DaemonThreads
from hanabilab.errors import HanabiError, StrategyError
from hanabilab.lab.workers.serialization import deserialize_work, serialize_work

__all__ = [
    "ChildProcess",
    "child_command",
    "cores",
    "main",
    "process_executor",
    "read_requests",
    "take_over_stdio",
    "thread_executor",
]

START = "import sys; sys.path[:] = {path!r}; from {module} import main; main()"


def child_command(module: str) -> list[str]:
    """Return the command of a child interpreter that runs the function `main` of a module.

    The child has the module path of this process. Without `-P`, Python would put the current folder
    first, where a file such as ``string.py`` would replace a module of the standard library.
    """
    return [sys.executable, "-P", "-c", START.format(path=sys.path, module=module)]


class ChildProcess:
    """A child interpreter that runs the function `main` of a module."""

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(
            child_command(module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for this process alone
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout
        self._ended = threading.Event()

    @property
    def is_ended(self) -> bool:
        """Whether this process has ended it."""
        return self._ended.is_set()

    def send(self, message: object) -> None:
        """Send a message; if the child has exited, `receive` raises."""
        with contextlib.suppress(OSError, ValueError):
            pickle.dump(message, self._requests)
            self._requests.flush()

    def receive(self) -> Any:
        """Return the next message, or raise `EOFError` if none will come."""
        try:
            return pickle.load(self._answers)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise EOFError from None

    def exit_code(self) -> int:
        """Wait until the child exits; return its exit code."""
        return self._process.wait()

    @property
    def is_alive(self) -> bool:
        """Whether the child is running."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kill the child without waiting until it has exited."""
        self._ended.set()
        self._process.kill()

    def end(self) -> None:
        """Kill the child, wait for it, and close its streams."""
        self.kill()
        self._process.wait()
        for stream in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                stream.close()


def take_over_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Return a child's streams of requests and answers; redirect what it prints to stderr."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return requests, answers


def read_requests(stream: BinaryIO) -> Iterator[Any]:
    """Yield the requests to a child; exit when the stream ends, even during a request."""
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def read() -> None:
        with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                waiting.put(pickle.load(stream))
        os._exit(0)

    threading.Thread(target=read, name="requests", daemon=True).start()
    while True:
        yield waiting.get()


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class ThreadExecutor:
    """Runs chunks on a number of threads."""

    def __init__(self, work: Any, threads: int) -> None:
        self.threads = threads
        self._work = work
        self._pool = DaemonThreads(threads)

    def submit(self, first: int, count: int) -> Future[Any]:
        """Run a chunk as soon as a thread is free."""
        return self._pool.submit(self._work.play, first, count)

    def shutdown(self) -> None:
        """Cancel waiting chunks, and stop what other processes do for running ones."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._work.halt(self._pool.threads)


@contextlib.contextmanager
def thread_executor(work: Any, threads: int) -> Iterator[ThreadExecutor]:
    """Provide an executor with threads."""
    executor = ThreadExecutor(work, threads)
    try:
        yield executor
    finally:
        executor.shutdown()


PROCESS_START_DELAY = 1.0
"""Seconds of a run before processes are started: starting one takes about a second."""


class ProcessExecutor:
    """Runs chunks in this process at first, then on a number of other processes."""

    def __init__(self, work: Any, processes: int, serialized: bytes) -> None:
        self._processes, self._serialized = processes, serialized
        self._in_process = ThreadExecutor(work, 1)
        self._since = time.perf_counter()
        self._pool: DaemonThreads | None = None
        """A thread per process, which waits for its answers."""
        self._children: list[WorkerProcess] = []
        self._free: queue.SimpleQueue[WorkerProcess] = queue.SimpleQueue()

    @property
    def threads(self) -> int:
        """How many chunks run at once."""
        return 1 if self._pool is None else self._processes

    def submit(self, first: int, count: int) -> Future[Any]:
        """Run a chunk as soon as a process is free."""
        if self._pool is None and time.perf_counter() - self._since > PROCESS_START_DELAY:
            self._pool = DaemonThreads(self._processes)
            self._children = [WorkerProcess(self._serialized) for _ in range(self._processes)]
            for child in self._children:
                self._free.put(child)
        if self._pool is None:
            return self._in_process.submit(first, count)
        return self._pool.submit(self._play, first, count)

    def _play(self, first: int, count: int) -> Any:
        child = self._free.get()
        try:
            return child.play(first, count)
        finally:
            self._free.put(child)

    def shutdown(self) -> None:
        """Kill all processes."""
        self._in_process.shutdown()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.end()


class WorkerProcess(ChildProcess):
    """A child interpreter that runs chunks of one run."""

    def __init__(self, serialized: bytes) -> None:
        super().__init__(__name__)
        self.send(serialized)

    def play(self, first: int, count: int) -> Any:
        """Return the results of a chunk, or raise the error that a player raised there."""
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
def process_executor(
    work: Any, processes: int | None
) -> Iterator[ProcessExecutor | ThreadExecutor]:
    """Provide an executor with processes, by default one per core.

    Players that cannot be serialized are an error if `processes` is given; otherwise they play in
    this process, on one thread.
    """
    executor = _make_executor(work, processes)
    try:
        yield executor
    finally:
        executor.shutdown()


def _make_executor(work: Any, processes: int | None) -> ProcessExecutor | ThreadExecutor:
    wanted = processes or cores()
    if wanted == 1:
        return ThreadExecutor(work, 1)
    try:
        serialized = serialize_work(work, sources=False)
    except StrategyError:
        if processes:
            raise
        return ThreadExecutor(work, 1)
    return ProcessExecutor(work, wanted, serialized)


def main() -> None:
    """Run in a child: receive the work, then run its chunks one after the other."""
    stream, answers = take_over_stdio()
    requests = read_requests(stream)
    serialized = next(requests)
    work: Any = None
    for first, count in requests:
        try:
            work = work or deserialize_work(serialized)
            answer = True, work.play(first, count)
        except Exception as error:  # whatever a user's code raises
            answer = False, error
        with contextlib.suppress(BrokenPipeError):  # the parent was killed
            answers.write(_pickle_answer(*answer))
            answers.flush()


def _pickle_answer(fine: bool, answer: Any) -> bytes:
    """Return a pickled answer; an error that cannot be pickled is replaced by its text."""
    if fine:
        return pickle.dumps((True, answer), pickle.HIGHEST_PROTOCOL)
    try:
        serialized = pickle.dumps((False, answer))
        pickle.loads(serialized)
    except Exception:  # whatever an error of a user's own is made of
        return pickle.dumps((False, HanabiError(f"{type(answer).__name__}: {answer}")))
    return serialized
