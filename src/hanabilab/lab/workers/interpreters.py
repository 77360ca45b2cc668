"""Other interpreters of this machine, asked in pickles through their standard input.

Each is a fresh interpreter, so a user's program is not run again and needs no guard. It ends at
once, whatever it is doing, when its standard input is closed; that also happens if the process
that asks is killed.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

__all__ = ["Interpreter", "own_streams", "requests_from"]

START = "import sys; sys.path[:] = {path!r}; from {module} import main; main()"


class Interpreter:
    """An interpreter that runs the function `main` of a module."""

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", START.format(path=sys.path, module=module)],
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
        """Whether somebody here has ended it."""
        return self._ended.is_set()

    def send(self, message: object) -> None:
        """Send a message; if the interpreter has ended, `receive` will say so."""
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
        """Wait for the end and return the exit code."""
        return self._process.wait()

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End the interpreter, whatever it is doing; do not wait until it is gone."""
        self._ended.set()
        self._process.kill()

    def end(self) -> None:
        """End the interpreter, whatever it is doing, and tidy up."""
        self.kill()
        self._process.wait()
        for stream in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                stream.close()


def own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return where an interpreter is asked and answers; what its code prints goes to stderr."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return requests, answers


def requests_from(stream: BinaryIO) -> Iterator[Any]:
    """Yield the requests to an interpreter; end it, even in the middle of one, after the last."""
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def read() -> None:
        with contextlib.suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                waiting.put(pickle.load(stream))
        os._exit(0)

    threading.Thread(target=read, name="requests", daemon=True).start()
    while True:
        yield waiting.get()
