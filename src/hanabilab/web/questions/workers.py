"""Processes that answer questions: one at a time each, and a process can always be ended.

Starting one takes about half a second, so one is kept ready, and those that are free are used
again.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from hanabilab.errors import HanabiError
from hanabilab.lab.workers.local import ChildProcess
from hanabilab.web.quotas import BusyError

__all__ = ["OutOfTimeError", "Worker", "Workers"]

KEPT = 2
"""Free processes that are kept."""
GRACE = 0.5
"""Seconds beyond its time after which a process that has not ended itself is ended."""

Hear = Callable[[str], None]
"""Takes a message, as JSON, about how far the work has come."""
Offered = tuple[str, str]
"""A strategy of the owner's, and the name under which it is offered."""


class OutOfTimeError(HanabiError):
    """The time for a question is up, and there is nothing to show for it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"this takes more than {seconds:g} seconds")


class Worker:
    """Another interpreter that answers questions."""

    def __init__(self, offered: Sequence[Offered]) -> None:
        self._interpreter = ChildProcess("hanabilab.web.questions.answering")
        self._interpreter.send(list(offered))
        self.goes_on = True

    @property
    def is_ready(self) -> bool:
        """Whether it can take another question."""
        return self.goes_on and self._interpreter.is_alive

    async def answer(self, name: str, fields: dict[str, Any], seconds: float, hear: Hear) -> str:
        """Return the answer as JSON, or raise what went wrong; if cancelled, end the process."""
        deadline = time.time() + seconds
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[tuple[str, str]] = loop.create_future()

        def listen(kind: str, text: str, goes_on: bool) -> None:
            if ended.done():
                return
            if kind in ("status", "progress"):
                hear(text)
            else:
                self.goes_on = goes_on
                ended.set_result((kind, text))

        def converse() -> None:
            self._interpreter.send((name, fields, deadline))
            kind = "status"
            while kind in ("status", "progress"):
                try:
                    kind, text, goes_on = self._interpreter.receive()
                except EOFError:
                    kind, text, goes_on = "gone", "", False
                with contextlib.suppress(RuntimeError):  # the server has stopped
                    loop.call_soon_threadsafe(listen, kind, text, goes_on)

        self.goes_on = False
        threading.Thread(target=converse, name="question", daemon=True).start()
        try:
            kind, text = await asyncio.wait_for(ended, seconds + GRACE)
        except TimeoutError:
            raise OutOfTimeError(seconds) from None
        if kind == "answer":
            return text
        if kind == "late":
            raise OutOfTimeError(seconds)
        raise HanabiError(text or "the process that worked on this ended by itself")

    def end(self) -> None:
        """End the process at once, whatever it is doing."""
        self._interpreter.kill()
        threading.Thread(target=self._interpreter.end, daemon=True).start()


class Workers:
    """All processes of a server."""

    def __init__(self, offered: Sequence[Offered] = ()) -> None:
        self._offered = offered
        self._free: list[Worker] = []
        self._busy: set[Worker] = set()
        self._starting: asyncio.Task[None] | None = None

    def prepare(self) -> None:
        """Have a process ready soon."""
        if not self._free and self._starting is None:
            self._starting = asyncio.create_task(self._start_spare())

    async def _start_spare(self) -> None:
        try:
            with contextlib.suppress(OSError):  # whoever needs one will be told
                self._free.append(await asyncio.to_thread(Worker, self._offered))
        finally:
            self._starting = None

    @contextlib.asynccontextmanager
    async def one(self) -> AsyncIterator[Worker]:
        """Provide a process; if it is not free again at the end, it is ended."""
        worker = await self._take()
        self._busy.add(worker)
        self.prepare()
        try:
            yield worker
        finally:
            self._busy.discard(worker)
            if worker.is_ready and len(self._free) < KEPT:
                self._free.append(worker)
            else:
                worker.end()

    async def _take(self) -> Worker:
        if not self._free and self._starting is not None:
            await asyncio.wait([self._starting])
        while self._free:
            worker = self._free.pop()
            if worker.is_ready:
                return worker
            worker.end()
        try:
            return await asyncio.to_thread(Worker, self._offered)
        except OSError:
            raise BusyError("the server has no process to spare; ask again later") from None

    def close(self) -> None:
        """End all processes."""
        for worker in (*self._free, *self._busy):
            worker.end()
        self._free.clear()
