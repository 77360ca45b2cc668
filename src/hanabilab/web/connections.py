"""One WebSocket: messages are read one by one and sent through a queue, so that nobody waits."""

from __future__ import annotations

import asyncio
import contextlib
import time

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from hanabilab.errors import FormatError
from hanabilab.web.messages import JsonObject, read_object, write_object
from hanabilab.web.quotas import client_of

__all__ = ["Connection"]

WAITING = 8 << 20
"""Letters that may wait for a client that does not read; beyond that it is disconnected."""
MESSAGES, PER_SECOND = 100, 50
"""Messages that are read at once, and then in a second: whoever sends more waits for their turn."""
IDLE = 3600.0
"""Seconds after which a connection is closed in which nothing was said by either side."""


class Connection:
    """A connected client; it is closed after `idle` seconds in which nobody said anything."""

    def __init__(self, socket: WebSocket, idle: float = IDLE) -> None:
        self.socket = socket
        self.client = client_of(socket)
        self.idle = idle
        self.paced = self.spoke = time.monotonic()
        self.waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self.letters = 0
        self.allowance = float(MESSAGES)

    async def __aenter__(self) -> Connection:
        await self.socket.accept()
        self.writer = asyncio.create_task(self._write())
        self._watch()
        return self

    async def __aexit__(self, *reason: object) -> None:
        self.watching.cancel()
        self.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.writer, 2)

    def _watch(self) -> None:
        """Close the connection if it has been silent for too long; else look again later."""
        left = self.spoke + self.idle - time.monotonic()
        if left <= 0:
            self.close()
        else:
            self.watching = asyncio.get_running_loop().call_later(left, self._watch)

    def send(self, message: JsonObject) -> None:
        """Queue an object to be sent."""
        self.send_text(write_object(message))

    def send_text(self, text: str) -> None:
        """Queue an object that is already text."""
        if self.letters > WAITING:
            self.close()
        else:
            self.letters += len(text)
            self.spoke = time.monotonic()
            self.waiting.put_nowait(text)

    def close(self) -> None:
        """Close the socket after everything in the queue has been sent."""
        self.waiting.put_nowait(None)

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while (text := await self.waiting.get()) is not None:
                await self.socket.send_text(text)
                self.letters -= len(text)
            if self.socket.application_state == WebSocketState.CONNECTED:
                await self.socket.close()

    async def pace(self) -> None:
        """Wait if messages come faster than anybody can click; meanwhile nothing is read."""
        now = time.monotonic()
        self.allowance = min(MESSAGES, self.allowance + PER_SECOND * (now - self.paced)) - 1
        self.paced = now
        if self.allowance < 0:
            await asyncio.sleep(-self.allowance / PER_SECOND)

    async def receive(self) -> JsonObject | None:
        """Return the next object, or None when the client is gone; raise if it is not an object."""
        message = await self.socket.receive()
        self.spoke = time.monotonic()
        if message["type"] == "websocket.disconnect":
            return None
        text = message.get("text")
        if text is None:
            raise FormatError("messages are text")
        return read_object(text)
