"""One WebSocket: messages come in one by one, and go out through a queue that nobody waits for."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from hanabilab.errors import FormatError
from hanabilab.web.messages import read_object, written

__all__ = ["Connection"]

WAITING = 8 << 20
"""Letters that may wait for a client that does not read; then it is cut off."""


class Connection:
    """A client, as long as it lasts."""

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

    def send(self, message: dict[str, Any]) -> None:
        """Send an object, some time soon."""
        self.send_text(written(message))

    def send_text(self, text: str) -> None:
        """Send an object that is text already."""
        if self.letters > WAITING:
            self.close()
        else:
            self.letters += len(text)
            self.waiting.put_nowait(text)

    def close(self) -> None:
        """End it after what waits."""
        self.waiting.put_nowait(None)

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while (text := await self.waiting.get()) is not None:
                await self.socket.send_text(text)
                self.letters -= len(text)
            if self.socket.application_state == WebSocketState.CONNECTED:
                await self.socket.close()

    async def receive(self) -> dict[str, Any] | None:
        """The next object; None when the client is gone. What is none raises FormatError."""
        message = await self.socket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        text = message.get("text")
        if text is None:
            raise FormatError("messages are text")
        return read_object(text)
