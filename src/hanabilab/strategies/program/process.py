"""A process that is sent lines and answers with lines.

Nothing here waits for longer than it is told to. All three pipes are read and written as far as
they allow, so a program may write as much as it likes to its standard error, and need not read.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Sequence
from typing import IO, cast

from hanabilab.errors import StrategyError
from hanabilab.formats.deck_text import short

__all__ = ["Process", "end_before_python"]

LONGEST_LINE = 1 << 20
BLOCK = 1 << 16
LAST_WORDS = 300
"""Characters of the last line on standard error that a message quotes."""
DYING = 0.5
"""Seconds in which a process that has closed its standard output should come to its end."""
FAREWELL = 1.0
"""Seconds that a process gets to end by itself after its input has ended."""

RUNNING: weakref.WeakSet[Process] = weakref.WeakSet()


class Process:
    """A running program in a session of its own, so that Ctrl-C does not reach it."""

    def __init__(self, words: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        try:
            self._child = subprocess.Popen(
                words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StrategyError(f"{words[0]} cannot be started: {reason}") from None
        self._input = cast("IO[bytes]", self._child.stdin)
        self._output = cast("IO[bytes]", self._child.stdout)
        self._errors = cast("IO[bytes]", self._child.stderr)
        self._unsent = self._unread = self._said = b""
        self._stopped = False
        self._talking, self._ending = threading.Lock(), threading.Lock()
        self._pipes = selectors.PollSelector()
        for end in (self._input, self._output, self._errors):
            os.set_blocking(end.fileno(), False)
        for end in (self._output, self._errors):
            self._pipes.register(end, selectors.EVENT_READ)
        RUNNING.add(self)

    def send(self, line: bytes) -> None:
        """Send a line, as far as the program reads it now; the rest follows with the next one."""
        with self._talking:
            self._check_running()
            self._unsent += line
            self._exchange(0)

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the answer; raise if there is none in time."""
        deadline = time.monotonic() + seconds
        with self._talking:
            self._check_running()
            self._exchange(0)
            if self._unread.strip():
                raise StrategyError(f"it spoke without being asked: {_quoted(self._unread)}")
            self._unsent += line
            while (answer := self._next_line()) is None:
                if self._output not in self._pipes.get_map():
                    raise StrategyError(self._obituary())
                left = deadline - time.monotonic()
                if left <= 0:
                    raise StrategyError(f"it gave no answer within {seconds:g} seconds")
                self._exchange(left)
            return answer

    def last_words(self) -> str:
        """Return its last line on standard error, to be put after a message."""
        lines = self._said.decode(errors="replace").split("\n")
        said = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"; its last line on standard error: {said[:LAST_WORDS]}" if said else ""

    def hang_up(self) -> None:
        """End its input, if nobody is talking to it: a good program then ends by itself."""
        if self._talking.acquire(blocking=False):
            self._end_input()
            self._talking.release()

    def stop(self, *, farewell: bool) -> None:
        """End the process and its children; any thread may call this at any time.

        With `farewell`, a process that nobody is talking to may end by itself.
        """
        idle = self._talking.acquire(blocking=False)
        if idle and farewell and not self._stopped:
            self._end_input()
            self._read_to_the_end(FAREWELL)
        self._kill()
        if idle or self._talking.acquire(timeout=FAREWELL):
            self._close()
            self._talking.release()

    def kill_group(self) -> None:
        """Kill the process, if it has not been waited for, and its children."""
        if self._child.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child.pid, signal.SIGKILL)

    def _check_running(self) -> None:
        if self._stopped:
            raise StrategyError("it has been stopped")

    def _next_line(self) -> bytes | None:
        """Take the next line that is not blank out of what was read."""
        line, newline, rest = self._unread.lstrip().partition(b"\n")
        if not newline:
            if len(line) > LONGEST_LINE:
                raise StrategyError(f"it answered with more than {LONGEST_LINE:,} bytes")
            return None
        self._unread = rest
        return line

    def _exchange(self, seconds: float) -> None:
        """Write what can be written and read what there is, waiting for it if need be."""
        self._write()
        for key, _ in self._pipes.select(seconds):
            if key.fileobj is self._output:
                self._unread += self._read(self._output)
            elif key.fileobj is self._errors:
                self._said = (self._said + self._read(self._errors))[-BLOCK:]

    def _write(self) -> None:
        if not self._unsent:
            return
        try:
            sent = self._input.write(self._unsent) or 0
            self._unsent = self._unsent[sent:]
        except BrokenPipeError:  # it reads no more: whether that matters, its answers will show
            self._unsent = b""
        watched = self._input in self._pipes.get_map()
        if self._unsent and not watched:
            self._pipes.register(self._input, selectors.EVENT_WRITE)
        elif watched and not self._unsent:
            self._pipes.unregister(self._input)

    def _read(self, pipe: IO[bytes]) -> bytes:
        data = pipe.read(BLOCK)
        if data == b"":
            self._pipes.unregister(pipe)
        return data or b""

    def _read_to_the_end(self, seconds: float) -> bool:
        """Read until both pipes are closed; return False if that takes too long."""
        deadline = time.monotonic() + seconds
        while self._pipes.get_map() and (left := deadline - time.monotonic()) > 0:
            self._exchange(left)
        return not self._pipes.get_map()

    def _end_input(self) -> None:
        self._unsent = b""
        if not self._input.closed:
            if self._input in self._pipes.get_map():
                self._pipes.unregister(self._input)
            self._input.close()

    def _obituary(self) -> str:
        """Say how a process ended that has closed its standard output."""
        self._end_input()
        if not self._read_to_the_end(DYING):
            return "it closed its standard output"
        self._kill()
        code = self._child.returncode
        if code is not None and code < 0:
            return f"it was ended by {signal.Signals(-code).name}"
        return f"it ended with exit code {code}"

    def _kill(self) -> None:
        """Kill the process group and wait for the process, so that no zombie is left."""
        with self._ending:
            if self._child.returncode is None:
                self.kill_group()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._child.wait(FAREWELL)

    def _close(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._end_input()
            self._pipes.close()
            self._output.close()
            self._errors.close()


def end_before_python() -> None:
    """Let the signals that end Python at once kill all processes first; for the main thread."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _kill_all)


def _kill_all(number: int, frame: object) -> None:
    for process in list(RUNNING):
        process.kill_group()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _quoted(said: bytes) -> str:
    return short(said.decode(errors="replace").strip())
