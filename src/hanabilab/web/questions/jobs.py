"""The jobs where questions are asked: each is answered in a thread, within limits, or cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hanabilab.errors import FormatError, HanabiError
from hanabilab.web.connections import Connection
from hanabilab.web.messages import Fields, refusal
from hanabilab.web.questions.limits import MAX_SECONDS

__all__ = ["Job", "JobCancelledError", "Jobs", "QuestionKind"]

RUNS_AT_A_TIME = 2
"""Runs of the lab: each takes all cores."""
OTHERS_AT_A_TIME = 4
WAITING = 64
"""Questions that may wait, of everybody together."""
PER_VISITOR = 8
PAUSE = 0.2
"""Seconds between two reports of progress."""
LOOK = 0.25
"""Seconds between two looks at whether somebody still waits for an answer."""

LOG = logging.getLogger("uvicorn.error")

Tell = Callable[[dict[str, Any]], None]


class JobCancelledError(Exception):
    """Nobody wants the answer any more."""


class Job:
    """A question while it is being answered; what the thread that answers it holds on to."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._stop = threading.Event()
        self._deadline = time.monotonic() + MAX_SECONDS
        self._told = 0.0
        self.total: int | None = None
        """How much there is to do, if that is known."""

    def status(self, words: str) -> None:
        """Say what it is at."""
        self._tell({"type": "status", "words": words})

    def report(self, done: int, words: str) -> None:
        """Say how far it is; the place where a cancelled question ends."""
        self.show(done, words, None)

    def show(self, done: int, words: str, result: Callable[[], dict[str, Any]] | None) -> None:
        """The same, with the result so far."""
        self.check()
        now = time.monotonic()
        if now < self._told + PAUSE:
            return
        self._told = now
        message = {"type": "progress", "done": done, "total": self.total, "words": words}
        if result is not None:
            message["result"] = result()
        self._tell(message)

    def check(self) -> None:
        """End here if nobody waits any more, or if it takes too long."""
        if self._stop.is_set():
            raise JobCancelledError
        if self.is_late:
            raise HanabiError(f"this takes more than {MAX_SECONDS:g} seconds")

    @property
    def is_late(self) -> bool:
        """Has it taken all the time there is?"""
        return time.monotonic() > self._deadline

    def cancel(self) -> None:
        """Nobody waits any more."""
        self._stop.set()

    @property
    def is_cancelled(self) -> bool:
        """Does nobody wait any more?"""
        return self._stop.is_set()


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """A kind of question: how it is answered, and whether that takes all cores."""

    answer: Callable[[Fields, Job], dict[str, Any]]
    heavy: bool = False


class Jobs:
    """Takes questions of all kinds."""

    def __init__(self, kinds: Mapping[str, QuestionKind]) -> None:
        self.kinds = kinds
        self.heavy = asyncio.Semaphore(RUNS_AT_A_TIME)
        self.light = asyncio.Semaphore(OTHERS_AT_A_TIME)
        self.running: set[Job] = set()

    def kind(self, name: object) -> QuestionKind:
        """A kind of question by its name."""
        if not isinstance(name, str) or name not in self.kinds:
            raise FormatError(f"kind: {name!r:.60} is none of {', '.join(self.kinds)}")
        return self.kinds[name]

    async def run(self, kind: QuestionKind, fields: Fields, job: Job) -> dict[str, Any]:
        """Answer a question when it is its turn.

        A cancelled one keeps its place until its thread has noticed, so that no more threads
        than allowed are ever at work.
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
    ) -> dict[str, Any]:
        """Answer one question for somebody who waits for it."""
        job = Job(lambda message: None)
        answering = asyncio.ensure_future(self.run(self.kind(name), fields, job))
        while not answering.done():
            await asyncio.wait([answering], timeout=LOOK)
            if not answering.done() and await is_gone():
                job.cancel()
                answering.add_done_callback(_ignore)
                raise HanabiError("nobody waits for the answer")
        return answering.result()

    @contextlib.contextmanager
    def visitor(self, connection: Connection) -> Iterator[Visitor]:
        """Somebody with a socket; when it closes, the questions are cancelled."""
        visitor = Visitor(self, connection)
        try:
            yield visitor
        finally:
            visitor.leave()

    def close(self) -> None:
        """Cancel everything."""
        for job in self.running:
            job.cancel()


class Visitor:
    """One socket's questions."""

    def __init__(self, jobs: Jobs, connection: Connection) -> None:
        self.jobs = jobs
        self.connection = connection
        self.open: dict[int, tuple[Job, asyncio.Task[None]]] = {}

    def hear(self, fields: Fields) -> None:
        """A message: a question, or that one is not wanted any more."""
        number: int = fields.whole("id", 0, 1 << 53)
        kind = fields.take("type")
        try:
            if kind == "cancel":
                fields.finish()
                self.cancel(number)
            elif kind == "ask":
                self.ask(number, fields)
            else:
                raise FormatError("type: say ask or cancel")
        except HanabiError as error:
            self.connection.send({"type": "error", "id": number, "error": refusal(error)})

    def ask(self, number: int, fields: Fields) -> None:
        """A question."""
        kind = self.jobs.kind(fields.take("kind"))
        if number in self.open:
            raise FormatError(f"id: question {number} is not answered yet")
        if len(self.open) >= PER_VISITOR:
            raise FormatError(f"{PER_VISITOR} questions are open; wait or cancel one")
        loop = asyncio.get_running_loop()
        job = Job(lambda message: _soon(loop, self.tell, number, message))
        self.open[number] = job, asyncio.create_task(self._answer(number, kind, fields, job))

    async def _answer(self, number: int, kind: QuestionKind, fields: Fields, job: Job) -> None:
        try:
            answer = await self.jobs.run(kind, fields, job)
            message = {"type": "answer", "answer": answer}
        except JobCancelledError:
            return
        except HanabiError as error:
            message = {"type": "error", "error": refusal(error)}
        except Exception:
            LOG.exception("a question could not be answered")
            message = {"type": "error", "error": "something went wrong in the server"}
        self.tell(number, message)
        if not job.is_cancelled:
            del self.open[number]

    def tell(self, number: int, message: dict[str, Any]) -> None:
        """Send something about a question that is still wanted."""
        job, _ = self.open.get(number, (None, None))
        if job and not job.is_cancelled:
            self.connection.send({"id": number, **message})

    def cancel(self, number: int) -> None:
        """A question is not wanted any more; one that is answered already was."""
        if number in self.open:
            job, _ = self.open.pop(number)
            job.cancel()
            self.connection.send({"type": "cancelled", "id": number})

    def leave(self) -> None:
        """The socket is closed."""
        for job, _ in self.open.values():
            job.cancel()


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *arguments: Any) -> None:
    """Call a function in the server's own thread; a server that has ended hears nothing."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *arguments)


def _ignore(task: asyncio.Future[Any]) -> None:
    """Take note of an answer that nobody wants."""
    if not task.cancelled():
        task.exception()


async def _in_thread(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Work in a thread of its own, which does not keep the server from ending."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[dict[str, Any]] = loop.create_future()

    def settle(call: Callable[[Any], None], value: Any) -> None:
        if not done.cancelled():
            call(value)

    def run() -> None:
        try:
            answer = work()
        except BaseException as error:
            _soon(loop, settle, done.set_exception, error)
        else:
            _soon(loop, settle, done.set_result, answer)

    threading.Thread(target=run, name="question", daemon=True).start()
    return await done
