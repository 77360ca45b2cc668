"""One WebSocket: messages are read one by one and sent through a queue, so that nobody waits."""

from __future__ import annotations

import asyncio
import contextlib

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from hanabilab.errors import FormatError
from hanabilab.web.messages import JsonObject, read_object, write_object

__all__ = ["Connection"]

WAITING = 8 << 20
"""Letters that may wait for a client that does not read; beyond that it is disconnected."""


class Connection:
    """A connected client."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self.letters = 0

    async def __aenter__(self) -> Connection:
        await self.socket.accept()
        self.writer = asyncio.create_task(self._write())
        return self

    async def __aexit__(self, *reason: object) -> None:
        self.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.writer, 2)

    def send(self, message: JsonObject) -> None:
        """Queue an object to be sent."""
        self.send_text(write_object(message))

    def send_text(self, text: str) -> None:
        """Queue an object that is already text."""
        if self.letters > WAITING:
            self.close()
        else:
            self.letters += len(text)
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

    async def receive(self) -> JsonObject | None:
        """Return the next object, or None when the client is gone; raise if it is not an object."""
        message = await self.socket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        text = message.get("text")
        if text is None:
            raise FormatError("messages are text")
        return read_object(text)
