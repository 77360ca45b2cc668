"""Schedule jobs: each runs in a worker process, when it is its turn, and within limits.

Starting a process takes about half a second, so one is kept ready, and idle ones are reused.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from hanabilab.errors import FormatError, HanabiError
from hanabilab.lab.workers.local import ChildProcess
from hanabilab.web.clients import BusyError, ConcurrencyQuota, Connection, FairQueue
from hanabilab.web.jobs.job import CONCURRENCY, Priority
from hanabilab.web.jobs.worker import JobKind
from hanabilab.web.schema import RequestFields, dump_json, error_text

__all__ = ["ClientSession", "JobScheduler", "JobTimeoutError", "Worker", "WorkerPool"]

IDLE_WORKERS = 2
"""Idle processes that are kept for the next job."""
GRACE_SECONDS = 0.5
"""Seconds after its deadline at which a worker that has not exited is killed."""
OnProgress = Callable[[str], None]
"""Called with a message about progress, as JSON."""
Offered = tuple[str, str]
"""A strategy that the server's owner offers, and its name."""
MAX_OPEN_PER_CLIENT = 16
"""Open jobs of one client, in all its pages."""
MAX_OPEN = 128
"""Open jobs of all clients."""
POLL_SECONDS = 0.25
"""Seconds between two checks of whether the client of a request is still connected."""
QUICK_SECONDS = 10.0
"""Seconds for a job of quick priority; one that takes longer is queued again as a search."""
MAX_SECONDS = 900.0
"""Seconds for any job; a run then ends with the games played so far."""
MAX_OPEN_PER_SESSION = 8
"""Open jobs of one socket."""
LOG = logging.getLogger("uvicorn.error")


class JobTimeoutError(HanabiError):
    """A job ran out of time without a partial result."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"this takes more than {seconds:g} seconds")


class Worker:
    """A process that runs one job at a time and can be killed at any time."""

    def __init__(self, offered: Sequence[Offered]) -> None:
        self._process = ChildProcess("hanabilab.web.jobs.worker")
        self._process.send(list(offered))
        self.reusable = True

    @property
    def is_ready(self) -> bool:
        """True if the worker can take another job."""
        return self.reusable and self._process.is_alive

    async def run(
        self, name: str, fields: dict[str, Any], seconds: float, on_progress: OnProgress
    ) -> str:
        """Return the result as JSON, or raise what went wrong."""
        deadline = time.time() + seconds
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[tuple[str, str]] = loop.create_future()

        def on_message(kind: str, text: str, reusable: bool) -> None:
            if ended.done():
                return
            if kind in ("status", "progress"):
                on_progress(text)
            else:
                self.reusable = reusable
                ended.set_result((kind, text))

        def exchange() -> None:
            self._process.send((name, fields, deadline))
            kind = "status"
            while kind in ("status", "progress"):
                try:
                    kind, text, reusable = self._process.receive()
                except EOFError:
                    kind, text, reusable = "gone", "", False
                with contextlib.suppress(RuntimeError):  # the server has stopped
                    loop.call_soon_threadsafe(on_message, kind, text, reusable)

        self.reusable = False
        threading.Thread(target=exchange, name="job", daemon=True).start()
        try:
            kind, text = await asyncio.wait_for(ended, seconds + GRACE_SECONDS)
        except TimeoutError:
            raise JobTimeoutError(seconds) from None
        if kind == "answer":
            return text
        if kind == "late":
            raise JobTimeoutError(seconds)
        raise HanabiError(text or "the process that worked on this ended by itself")

    def end(self) -> None:
        """End the process at once, whatever it is doing."""
        self._process.kill()
        threading.Thread(target=self._process.end, daemon=True).start()


class WorkerPool:
    """The worker processes of a server."""

    def __init__(self, offered: Sequence[Offered] = ()) -> None:
        self._offered = offered
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._starting: asyncio.Task[None] | None = None

    def warm_up(self) -> None:
        """Start a worker in the background unless one is idle."""
        if not self._idle and self._starting is None:
            self._starting = asyncio.create_task(self._start_worker())

    async def _start_worker(self) -> None:
        try:
            with contextlib.suppress(OSError):  # reported when a worker is needed
                self._idle.append(await asyncio.to_thread(Worker, self._offered))
        finally:
            self._starting = None

    @contextlib.asynccontextmanager
    async def acquire(self) -> AsyncIterator[Worker]:
        """Provide a worker; kill it at the end unless it is ready for another job."""
        worker = await self._take()
        self._busy.add(worker)
        self.warm_up()
        try:
            yield worker
        finally:
            self._busy.discard(worker)
            if worker.is_ready and len(self._idle) < IDLE_WORKERS:
                self._idle.append(worker)
            else:
                worker.end()

    async def _take(self) -> Worker:
        if not self._idle and self._starting is not None:
            await asyncio.wait([self._starting])
        while self._idle:
            worker = self._idle.pop()
            if worker.is_ready:
                return worker
            worker.end()
        try:
            return await asyncio.to_thread(Worker, self._offered)
        except OSError:
            raise BusyError("the server has no process to spare; ask again later") from None

    def close(self) -> None:
        """End all processes."""
        for worker in (*self._idle, *self._busy):
            worker.end()
        self._idle.clear()


class JobScheduler:
    """Runs the jobs of all clients: queues them by priority and limits how many are open."""

    def __init__(self, kinds: Mapping[str, JobKind], workers: WorkerPool) -> None:
        self.kinds = kinds
        self.workers = workers
        self.queues = {priority: FairQueue(most) for priority, most in CONCURRENCY.items()}
        self.open = ConcurrencyQuota(MAX_OPEN_PER_CLIENT, MAX_OPEN)

    def check_kind(self, name: object) -> str:
        """Return the name of a kind of job, or raise if there is no such kind."""
        if not isinstance(name, str) or name not in self.kinds:
            raise FormatError(f"unknown kind {name!r:.60}; expected one of {', '.join(self.kinds)}")
        return name

    async def run(
        self, client: str, name: str, fields: dict[str, Any], on_progress: OnProgress
    ) -> str:
        """Return the result as JSON; `on_progress` is called with messages about progress.

        Cancelling this kills the worker that runs the job.
        """
        with self.open.acquire(client, "requests"):
            on_progress(_status("waiting"))
            priority = await asyncio.to_thread(
                self.kinds[name].estimate_cost, RequestFields(fields)
            )
            if priority is Priority.QUICK:
                try:
                    return await self._run_queued(
                        priority, client, name, fields, QUICK_SECONDS, on_progress
                    )
                except JobTimeoutError:
                    priority = Priority.SEARCH
            return await self._run_queued(priority, client, name, fields, MAX_SECONDS, on_progress)

    async def _run_queued(
        self,
        priority: Priority,
        client: str,
        name: str,
        fields: dict[str, Any],
        seconds: float,
        on_progress: OnProgress,
    ) -> str:
        def on_position(ahead: int) -> None:
            on_progress(
                _status(f"waiting: {ahead} come first" if ahead > 1 else "waiting: 1 comes first")
            )

        async with (
            self.queues[priority].slot(client, on_position),
            self.workers.acquire() as worker,
        ):
            on_progress(_status("preparing"))
            return await worker.run(name, fields, seconds, on_progress)

    async def run_for_request(
        self,
        client: str,
        name: str,
        fields: dict[str, Any],
        is_disconnected: Callable[[], Awaitable[bool]],
    ) -> str:
        """Run the job of an HTTP request, unless its client disconnects."""
        work = self.run(client, self.check_kind(name), fields, lambda text: None)
        running = asyncio.create_task(work)
        try:
            while not running.done():
                await asyncio.wait([running], timeout=POLL_SECONDS)
                if not running.done() and await is_disconnected():
                    raise HanabiError("nobody is waiting for the answer")
            return running.result()
        finally:
            running.cancel()

    def close(self) -> None:
        """End all processes."""
        self.workers.close()


def _status(words: str) -> str:
    return dump_json({"type": "status", "words": words})


class ClientSession:
    """The jobs of one WebSocket."""

    def __init__(self, jobs: JobScheduler, connection: Connection) -> None:
        self.jobs, self.connection = jobs, connection
        self.open: dict[int, asyncio.Task[None]] = {}
        jobs.workers.warm_up()

    def handle(self, fields: RequestFields) -> None:
        """Handle a message: start a job or cancel one."""
        number: int = fields.integer("id", 0, 1 << 53)
        kind = fields.take("type")
        try:
            if kind == "cancel":
                fields.finish()
                self.cancel(number)
            elif kind == "ask":
                self.start(number, fields)
            else:
                raise FormatError("type: expected ask or cancel")
        except HanabiError as error:
            self.connection.send({"type": "error", "id": number, "error": error_text(error)})

    def start(self, number: int, fields: RequestFields) -> None:
        """Start a job."""
        kind = self.jobs.check_kind(fields.take("kind"))
        if number in self.open:
            raise FormatError(f"id: request {number} is not answered yet")
        if len(self.open) >= MAX_OPEN_PER_SESSION:
            raise FormatError(f"{MAX_OPEN_PER_SESSION} requests are open; wait or cancel one")
        self.open[number] = asyncio.create_task(self._run(number, kind, fields))

    async def _run(self, number: int, kind: str, fields: RequestFields) -> None:
        try:
            on_progress = partial(self._send, number)
            answer = await self.jobs.run(
                self.connection.client, kind, fields.remaining, on_progress
            )
            text = f'{{"type":"answer","answer":{answer}}}'
        except HanabiError as error:
            text = _error(error_text(error))
        except Exception:
            LOG.exception("a job failed")
            text = _error("something went wrong in the server")
        del self.open[number]
        self._send(number, text)

    def _send(self, number: int, text: str) -> None:
        """Send an object that is already text, with the number of its job."""
        self.connection.send_text(f'{{"id":{number},{text[1:]}')

    def cancel(self, number: int) -> None:
        """Cancel a job; do nothing if it is already done."""
        if number in self.open:
            self.open.pop(number).cancel()
            self.connection.send({"type": "cancelled", "id": number})

    def close(self) -> None:
        """Cancel all jobs of the closed socket."""
        for task in self.open.values():
            task.cancel()


def _error(words: str) -> str:
    return json.dumps({"type": "error", "error": words})
