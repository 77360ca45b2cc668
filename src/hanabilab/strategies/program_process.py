"""A child process that receives lines on standard input and answers with lines.

No call blocks for longer than its time limit. All three pipes are non-blocking, so a program may
write as much as it likes to standard error, and need not read its input at once.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import IO, cast

from hanabilab.checks import shorten
from hanabilab.errors import StrategyError

__all__ = ["Process", "kill_children_on_signals", "kill_descendants"]

MAX_LINE = 1 << 20
BLOCK_SIZE = 1 << 16
STDERR_TAIL = 300
"""The number of characters of the last line on standard error that a message quotes."""
EXIT_WAIT = 0.5
"""Seconds within which a process that has closed its standard output should exit."""
POLL_SECONDS = 0.1
"""Seconds between checks whether a process that was asked still runs."""
GRACE = 1.0
"""Seconds that a process gets to exit after its standard input was closed."""

TOKENS = "HANABILAB_PROGRAM"
"""Environment variable that marks a process and all its descendants."""
TOKEN_BYTES = 16
KILL_ROUNDS = 5
"""How often to look for descendants, since one may start another before it is killed."""

RUNNING: weakref.WeakSet[Process] = weakref.WeakSet()


class Process:
    """A running program in a session of its own, so that Ctrl-C does not reach it."""

    def __init__(self, words: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self.token = secrets.token_hex(TOKEN_BYTES)
        tokens = ":".join(filter(None, [os.environ.get(TOKENS), self.token]))
        try:
            self._popen = subprocess.Popen(
                words,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                bufsize=0,
                start_new_session=True,
                env={**os.environ, TOKENS: tokens},
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StrategyError(f"{words[0]} cannot be started: {reason}") from None
        self._stdin = cast("IO[bytes]", self._popen.stdin)
        self._stdout = cast("IO[bytes]", self._popen.stdout)
        self._stderr_pipe = cast("IO[bytes]", self._popen.stderr)
        self._outgoing = self._incoming = self._stderr = b""
        self._stopped = False
        self._io_lock, self._kill_lock = threading.Lock(), threading.Lock()
        self._pipes = selectors.PollSelector()
        for end in (self._stdin, self._stdout, self._stderr_pipe):
            os.set_blocking(end.fileno(), False)
        for end in (self._stdout, self._stderr_pipe):
            self._pipes.register(end, selectors.EVENT_READ)
        RUNNING.add(self)

    def send(self, line: bytes) -> None:
        """Send a line as far as the program reads it now; the rest follows with the next line."""
        with self._io_lock:
            self._check_running()
            self._outgoing += line
            self._transfer(0)

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the answer; raise if there is none in time."""
        deadline = time.monotonic() + seconds
        with self._io_lock:
            self._check_running()
            self._transfer(0)
            if self._incoming.strip():
                raise StrategyError(f"it spoke without being asked: {_shortened(self._incoming)}")
            self._outgoing += line
            exited = False
            while (answer := self._next_line()) is None:
                if self._stdout not in self._pipes.get_map() or exited:
                    raise StrategyError(self._exit_reason())
                exited = self._has_exited()  # what it wrote before that is read once more
                left = deadline - time.monotonic()
                if left <= 0:
                    raise StrategyError(f"it gave no answer within {seconds:g} seconds")
                self._transfer(0 if exited else min(left, POLL_SECONDS))
            return answer

    def stderr_tail(self) -> str:
        """Return its last line on standard error, to be appended to a message."""
        lines = self._stderr.decode(errors="replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"; its last line on standard error: {said[:STDERR_TAIL]}" if said else ""

    def close_input(self) -> None:
        """Close its standard input if it is idle; a well-behaved program then exits."""
        if self._io_lock.acquire(blocking=False):
            self._close_stdin()
            self._io_lock.release()

    def stop(self, *, graceful: bool) -> None:
        """End the process and its children; any thread may call this at any time.

        With `graceful`, an idle process may exit by itself first, and `kill_descendants` is left to
        the caller, who may call it once for many processes.
        """
        idle = self._io_lock.acquire(blocking=False)
        if idle and graceful and not self._stopped:
            self._close_stdin()
            self._drain(GRACE)
        self._kill()
        if not graceful:
            kill_descendants([self.token])
        if idle or self._io_lock.acquire(timeout=GRACE):
            self._close()
            self._io_lock.release()

    def kill_group(self) -> None:
        """Kill the process, if it has not been waited for, and its children."""
        if self._popen.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)

    def _check_running(self) -> None:
        if self._stopped:
            raise StrategyError("it has been stopped")

    def _next_line(self) -> bytes | None:
        """Take the next line that is not blank out of what was read."""
        line, newline, rest = self._incoming.lstrip().partition(b"\n")
        if not newline:
            if len(line) > MAX_LINE:
                raise StrategyError(f"it answered with more than {MAX_LINE:,} bytes")
            return None
        self._incoming = rest
        return line

    def _transfer(self, seconds: float) -> None:
        """Write and read what the pipes allow, waiting up to `seconds` for input."""
        self._write()
        for key, _ in self._pipes.select(seconds):
            if key.fileobj is self._stdout:
                self._incoming += self._read(self._stdout)
            elif key.fileobj is self._stderr_pipe:
                self._stderr = (self._stderr + self._read(self._stderr_pipe))[-BLOCK_SIZE:]

    def _write(self) -> None:
        if not self._outgoing:
            return
        try:
            sent = self._stdin.write(self._outgoing) or 0
            self._outgoing = self._outgoing[sent:]
        except BrokenPipeError:  # it reads no more: whether that matters, its answers will show
            self._outgoing = b""
        watched = self._stdin in self._pipes.get_map()
        if self._outgoing and not watched:
            self._pipes.register(self._stdin, selectors.EVENT_WRITE)
        elif watched and not self._outgoing:
            self._pipes.unregister(self._stdin)

    def _read(self, pipe: IO[bytes]) -> bytes:
        data = pipe.read(BLOCK_SIZE)
        if data == b"":
            self._pipes.unregister(pipe)
        return data or b""

    def _drain(self, seconds: float) -> bool:
        """Read until both pipes are closed; return False if that takes too long."""
        deadline = time.monotonic() + seconds
        while self._pipes.get_map() and (left := deadline - time.monotonic()) > 0:
            self._transfer(left)
        return not self._pipes.get_map()

    def _close_stdin(self) -> None:
        self._outgoing = b""
        if not self._stdin.closed:
            if self._stdin in self._pipes.get_map():
                self._pipes.unregister(self._stdin)
            self._stdin.close()

    def _exit_reason(self) -> str:
        """Return how a process that has closed its standard output ended."""
        self._close_stdin()
        if not self._has_exited() and not self._drain(EXIT_WAIT):
            return "it closed its standard output"
        self._kill()
        code = self._popen.returncode
        if code is not None and code < 0:
            return f"it was ended by {signal.Signals(-code).name}"
        return f"it ended with exit code {code}"

    def _has_exited(self) -> bool:
        """Return whether the process has exited; a child may still hold its pipes open.

        The process stays a zombie, because its number must not be reused before its group is
        killed.
        """
        if self._popen.returncode is not None:
            return True
        if not hasattr(os, "waitid"):  # an old Python on macOS: its time limit ends the wait
            return False
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        with self._kill_lock, contextlib.suppress(ChildProcessError):
            return os.waitid(os.P_PID, self._popen.pid, options) is not None
        return True

    def _kill(self) -> None:
        """Kill the process group and wait for the process, so that no zombie is left."""
        with self._kill_lock:
            if self._popen.returncode is None:
                self.kill_group()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._popen.wait(GRACE)

    def _close(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._close_stdin()
            self._pipes.close()
            self._stdout.close()
            self._stderr_pipe.close()


def kill_descendants(tokens: Collection[str]) -> None:
    """Kill the descendants of processes by their tokens; only on Linux, which exposes environments.

    A child that calls `setsid` leaves the process group, and an orphan has no parent to name it.
    """
    marks = [token.encode() for token in tokens if len(token) == 2 * TOKEN_BYTES]
    if marks and hasattr(os, "pidfd_open") and Path("/proc/self/environ").exists():
        for _ in range(KILL_ROUNDS):
            if not sum(_kill_marked(int(name), marks) for name in _process_numbers()):
                return


def _process_numbers() -> list[str]:
    return [name for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208


def _kill_marked(pid: int, marks: Sequence[bytes]) -> bool:
    """Kill a process if its environment has one of these marks; return whether it did."""
    with contextlib.suppress(OSError):
        handle = os.pidfd_open(pid)  # it keeps its process even if the number is used again
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            if any(mark in environment for mark in marks):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                return True
        finally:
            os.close(handle)
    return False


def kill_children_on_signals() -> None:
    """Kill all child processes on SIGTERM and SIGHUP, before they end Python; main thread only."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _kill_all)


def _kill_all(number: int, frame: object) -> None:
    running = list(RUNNING)
    for process in running:
        process.kill_group()
    kill_descendants([process.token for process in running])
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _shortened(data: bytes) -> str:
    return shorten(data.decode(errors="replace").strip())
