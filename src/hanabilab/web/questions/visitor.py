"""The questions of one socket."""

from __future__ import annotations

import asyncio
import json
import logging
from functools import partial

from hanabilab.errors import FormatError, HanabiError
from hanabilab.web.connections import Connection
from hanabilab.web.messages import Fields, error_text
from hanabilab.web.questions.jobs import Jobs

__all__ = ["Visitor"]

PER_VISITOR = 8
"""Questions of one socket that may be open at a time."""

LOG = logging.getLogger("uvicorn.error")


class Visitor:
    """Whoever asks questions through a socket."""

    def __init__(self, jobs: Jobs, connection: Connection) -> None:
        self.jobs, self.connection = jobs, connection
        self.open: dict[int, asyncio.Task[None]] = {}
        jobs.workers.prepare()

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
        self.open[number] = asyncio.create_task(self._answer(number, kind, fields))

    async def _answer(self, number: int, kind: str, fields: Fields) -> None:
        try:
            hear = partial(self._pass_on, number)
            answer = await self.jobs.answer(self.connection.client, kind, fields.left, hear)
            text = f'{{"type":"answer","answer":{answer}}}'
        except HanabiError as error:
            text = _error(error_text(error))
        except Exception:
            LOG.exception("a question failed")
            text = _error("something went wrong in the server")
        del self.open[number]
        self._pass_on(number, text)

    def _pass_on(self, number: int, text: str) -> None:
        """Send an object that is already text, with the number of the question."""
        self.connection.send_text(f'{{"id":{number},{text[1:]}')

    def cancel(self, number: int) -> None:
        """Cancel a question; do nothing if it has already been answered."""
        if number in self.open:
            self.open.pop(number).cancel()
            self.connection.send({"type": "cancelled", "id": number})

    def leave(self) -> None:
        """Cancel all questions of the closed socket."""
        for task in self.open.values():
            task.cancel()


def _error(words: str) -> str:
    return json.dumps({"type": "error", "error": words})
