"""Answer questions: each in a process of its own, when it is its turn, and within limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from hanabilab.errors import FormatError, HanabiError
from hanabilab.web.lanes import Lane
from hanabilab.web.messages import Fields, write_object
from hanabilab.web.questions import limits
from hanabilab.web.questions.efforts import PLACES, LaneKind
from hanabilab.web.questions.registry import QuestionKind
from hanabilab.web.questions.workers import Hear, OutOfTimeError, Workers
from hanabilab.web.quotas import OpenQuota

__all__ = ["Jobs"]

PER_CLIENT = 16
"""Questions of one client that may be open at a time, in all its pages."""
OPEN = 128
"""Questions of all clients that may be open at a time."""
LOOK = 0.25
"""Seconds between two checks of whether somebody still waits for an answer."""


class Jobs:
    """All questions of a server that are not answered yet."""

    def __init__(self, kinds: Mapping[str, QuestionKind], workers: Workers) -> None:
        self.kinds = kinds
        self.workers = workers
        self.lanes = {kind: Lane(places) for kind, places in PLACES.items()}
        self.open = OpenQuota(PER_CLIENT, OPEN)

    def kind(self, name: object) -> str:
        """Return the name of a kind of question, or raise if there is no such kind."""
        if not isinstance(name, str) or name not in self.kinds:
            raise FormatError(f"unknown kind {name!r:.60}; expected one of {', '.join(self.kinds)}")
        return name

    async def answer(self, client: str, name: str, fields: dict[str, Any], hear: Hear) -> str:
        """Return the answer as JSON; `hear` is told what is being done meanwhile.

        Whoever cancels this ends the process that works on it.
        """
        with self.open.one(client, "questions"):
            hear(_status("waiting"))
            lane = await asyncio.to_thread(self.kinds[name].effort, Fields(fields))
            if lane is LaneKind.QUICK:
                try:
                    return await self._in_lane(
                        lane, client, name, fields, limits.QUICK_SECONDS, hear
                    )
                except OutOfTimeError:
                    lane = LaneKind.SEARCH
            return await self._in_lane(lane, client, name, fields, limits.MAX_SECONDS, hear)

    async def _in_lane(
        self,
        lane: LaneKind,
        client: str,
        name: str,
        fields: dict[str, Any],
        seconds: float,
        hear: Hear,
    ) -> str:
        def tell_ahead(ahead: int) -> None:
            hear(_status(f"waiting: {ahead} come first" if ahead > 1 else "waiting: 1 comes first"))

        async with self.lanes[lane].place(client, tell_ahead), self.workers.one() as worker:
            hear(_status("preparing"))
            return await worker.answer(name, fields, seconds, hear)

    async def answer_request(
        self,
        client: str,
        name: str,
        fields: dict[str, Any],
        is_gone: Callable[[], Awaitable[bool]],
    ) -> str:
        """Answer one question, unless whoever asked it goes away."""
        work = self.answer(client, self.kind(name), fields, lambda text: None)
        answering = asyncio.create_task(work)
        try:
            while not answering.done():
                await asyncio.wait([answering], timeout=LOOK)
                if not answering.done() and await is_gone():
                    raise HanabiError("nobody is waiting for the answer")
            return answering.result()
        finally:
            answering.cancel()

    def close(self) -> None:
        """End all processes."""
        self.workers.close()


def _status(words: str) -> str:
    return write_object({"type": "status", "words": words})
