"""Answer questions as jobs: each runs in a thread, within limits, and can be cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from hanabilab.errors import FormatError, HanabiError
from hanabilab.web.connections import Connection
from hanabilab.web.messages import Fields, JsonObject, error_text
from hanabilab.web.questions.limits import MAX_SECONDS

__all__ = ["Job", "JobCancelledError", "Jobs", "QuestionKind"]

RUNS_AT_A_TIME = 2
"""Heavy jobs, which take all cores."""
OTHERS_AT_A_TIME = 4
WAITING = 64
"""Questions of all visitors that may be open at a time."""
PER_VISITOR = 8
"""Questions of one socket that may be open at a time."""
PAUSE = 0.2
"""Seconds between two reports of progress."""
LOOK = 0.25
"""Seconds between two checks of whether somebody still waits for an answer."""

LOG = logging.getLogger("uvicorn.error")

Outcome = TypeVar("Outcome")
Tell = Callable[[JsonObject], None]


class JobCancelledError(Exception):
    """Nobody wants the answer any longer."""


class Job:
    """A question that is being answered, as the answering thread sees it."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._stop = threading.Event()
        self._deadline = time.monotonic() + MAX_SECONDS
        self._told = 0.0
        self.total: int | None = None
        """The amount of work, if it is known."""

    def status(self, words: str) -> None:
        """Report what is being done."""
        self._tell({"type": "status", "words": words})

    def report(self, done: int, words: str) -> None:
        """Report progress; raise if the job is cancelled or takes too long."""
        self.show(done, words, None)

    def show(self, done: int, words: str, result: Callable[[], JsonObject] | None) -> None:
        """Report progress with the result so far."""
        self.check()
        now = time.monotonic()
        if now < self._told + PAUSE:
            return
        self._told = now
        message: JsonObject = {
            "type": "progress",
            "done": done,
            "total": self.total,
            "words": words,
        }
        if result is not None:
            message["result"] = result()
        self._tell(message)

    def check(self) -> None:
        """Raise if the job is cancelled or takes too long."""
        if self._stop.is_set():
            raise JobCancelledError
        if self.is_late:
            raise HanabiError(f"this takes more than {MAX_SECONDS:g} seconds")

    @property
    def is_late(self) -> bool:
        """Whether the time for the job is up."""
        return time.monotonic() > self._deadline

    def cancel(self) -> None:
        """Ask the thread to stop at its next report."""
        self._stop.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether the job was cancelled."""
        return self._stop.is_set()


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """A kind of question: the function that answers it, and whether it takes all cores."""

    answer: Callable[[Fields, Job], JsonObject]
    heavy: bool = False


class Jobs:
    """All jobs of a server: runs each when it is its turn."""

    def __init__(self, kinds: Mapping[str, QuestionKind]) -> None:
        self.kinds = kinds
        self.heavy = asyncio.Semaphore(RUNS_AT_A_TIME)
        self.light = asyncio.Semaphore(OTHERS_AT_A_TIME)
        self.running: set[Job] = set()

    def kind(self, name: object) -> QuestionKind:
        """Return the kind of question of this name."""
        if not isinstance(name, str) or name not in self.kinds:
            raise FormatError(f"unknown kind {name!r:.60}; expected one of {', '.join(self.kinds)}")
        return self.kinds[name]

    async def run(self, kind: QuestionKind, fields: Fields, job: Job) -> JsonObject:
        """Answer a question when it is its turn.

        A cancelled job keeps its place until its thread notices, so that there are never more
        threads at work than allowed.
        """
        if len(self.running) >= WAITING:
            raise HanabiError("too many questions are waiting; ask again later")
        self.running.add(job)
        try:
            job.status("waiting")
            async with self.heavy if kind.heavy else self.light:
                job.check()
                job.status("preparing")
                return await _in_thread(lambda: kind.answer(fields, job))
        finally:
            self.running.discard(job)

    async def answer(
        self, name: str, fields: Fields, is_gone: Callable[[], Awaitable[bool]]
    ) -> JsonObject:
        """Answer one question, unless whoever asked it goes away."""
        job = Job(lambda message: None)
        answering = asyncio.ensure_future(self.run(self.kind(name), fields, job))
        while not answering.done():
            await asyncio.wait([answering], timeout=LOOK)
            if not answering.done() and await is_gone():
                job.cancel()
                answering.add_done_callback(_ignore)
                raise HanabiError("nobody is waiting for the answer")
        return answering.result()

    @contextlib.contextmanager
    def visitor(self, connection: Connection) -> Iterator[Visitor]:
        """Serve one socket; cancel its questions when it closes."""
        visitor = Visitor(self, connection)
        try:
            yield visitor
        finally:
            visitor.leave()

    def close(self) -> None:
        """Cancel all jobs."""
        for job in self.running:
            job.cancel()


class Visitor:
    """The questions of one socket."""

    def __init__(self, jobs: Jobs, connection: Connection) -> None:
        self.jobs = jobs
        self.connection = connection
        self.open: dict[int, tuple[Job, asyncio.Task[None]]] = {}

    def hear(self, fields: Fields) -> None:
        """Handle a message: a question, or the cancellation of one."""
        number: int = fields.whole("id", 0, 1 << 53)
        kind = fields.take("type")
        try:
            if kind == "cancel":
                fields.finish()
                self.cancel(number)
            elif kind == "ask":
                self.ask(number, fields)
            else:
                raise FormatError("type: expected ask or cancel")
        except HanabiError as error:
            self.connection.send({"type": "error", "id": number, "error": error_text(error)})

    def ask(self, number: int, fields: Fields) -> None:
        """Start to answer a question."""
        kind = self.jobs.kind(fields.take("kind"))
        if number in self.open:
            raise FormatError(f"id: question {number} is not answered yet")
        if len(self.open) >= PER_VISITOR:
            raise FormatError(f"{PER_VISITOR} questions are open; wait or cancel one")
        loop = asyncio.get_running_loop()
        job = Job(lambda message: _soon(loop, partial(self.tell, number, message)))
        self.open[number] = job, asyncio.create_task(self._answer(number, kind, fields, job))

    async def _answer(self, number: int, kind: QuestionKind, fields: Fields, job: Job) -> None:
        try:
            answer = await self.jobs.run(kind, fields, job)
            message: JsonObject = {"type": "answer", "answer": answer}
        except JobCancelledError:
            return
        except HanabiError as error:
            message = {"type": "error", "error": error_text(error)}
        except Exception:
            LOG.exception("a question failed")
            message = {"type": "error", "error": "something went wrong in the server"}
        self.tell(number, message)
        if not job.is_cancelled:
            del self.open[number]

    def tell(self, number: int, message: JsonObject) -> None:
        """Send a message about a question, unless it was cancelled."""
        job, _ = self.open.get(number, (None, None))
        if job and not job.is_cancelled:
            self.connection.send({"id": number, **message})

    def cancel(self, number: int) -> None:
        """Cancel a question; do nothing if it has already been answered."""
        if number in self.open:
            job, _ = self.open.pop(number)
            job.cancel()
            self.connection.send({"type": "cancelled", "id": number})

    def leave(self) -> None:
        """Cancel all questions of the closed socket."""
        for job, _ in self.open.values():
            job.cancel()


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Call a function in the server's own thread, unless the server has stopped."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call)


def _ignore(task: asyncio.Future[JsonObject]) -> None:
    """Consume the error of an answer that nobody wants."""
    if not task.cancelled():
        task.exception()


async def _in_thread(work: Callable[[], JsonObject]) -> JsonObject:
    """Work in a new thread that does not keep the server from stopping."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[JsonObject] = loop.create_future()

    def settle(call: Callable[[Outcome], None], value: Outcome) -> None:
        if not done.cancelled():
            call(value)

    def run() -> None:
        try:
            answer = work()
        except BaseException as error:
            _soon(loop, partial(settle, done.set_exception, error))
        else:
            _soon(loop, partial(settle, done.set_result, answer))

    threading.Thread(target=run, name="question", daemon=True).start()
    return await done
