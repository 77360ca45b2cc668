"""The edge of the server: who may connect, and how long a request may take to arrive.

Uvicorn reads requests; what it does not limit is limited here. A connection that has not sent a
whole request yet is *unheard*. There is only so much time for that, and where there are too many
unheard connections the oldest give way, so that they never keep anybody out.
"""

from __future__ import annotations

import asyncio
from collections import Counter

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from hanabilab.web.quotas import network_of

__all__ = ["CONNECTIONS", "Door", "guarded_protocols"]

CONNECTIONS, PER_CLIENT = 4_000, 1_200
"""Connections at a time, of all clients and of one."""
WORDS = b"too many connections; close one or wait\n"
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 10\r\n"
    b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (len(WORDS), WORDS)
)


class Door:
    """Everybody who is connected, and whether they may be."""

    def __init__(
        self,
        *,
        connections: int = CONNECTIONS,
        per_client: int = PER_CLIENT,
        patience: float = 15.0,
        proxy: str | None = None,
    ) -> None:
        self.connections, self.per_client = connections, per_client
        self.proxy = proxy
        """The address of one that speaks for many clients."""
        self.patience = patience
        """Seconds in which a request has to arrive, and a client has to read what waits for it."""
        self._clients: dict[asyncio.Transport, str] = {}
        self._count: Counter[str] = Counter()
        self._unheard: dict[asyncio.Transport, asyncio.TimerHandle] = {}
        """Connections that have not sent a whole request yet, the oldest first."""

    def enter(self, transport: asyncio.Transport, address: str) -> bool:
        """Let a new connection in, or return False if there are too many."""
        client = network_of(address)
        many = self._count[client] >= self.per_client and address != self.proxy
        if many and not self._dismiss_unheard(client):
            return False
        if len(self._clients) >= self.connections and not self._dismiss_unheard(None):
            return False
        self._clients[transport] = client
        self._count[client] += 1
        self.await_request(transport)
        return True

    def _dismiss_unheard(self, client: str | None) -> bool:
        """Close the oldest unheard connection, of one client or of all; tell if there was one."""
        for transport in self._unheard:
            if client in (None, self._clients[transport]):
                transport.abort()
                self.leave(transport)
                return True
        return False

    def await_request(self, transport: asyncio.Transport) -> None:
        """Give a connection time to send a whole request, from its first byte on."""
        if transport in self._clients and transport not in self._unheard:
            loop = asyncio.get_running_loop()
            self._unheard[transport] = loop.call_later(self.patience, transport.abort)

    def hear_out(self, transport: asyncio.Transport) -> None:
        """Note that a whole request has arrived."""
        timer = self._unheard.pop(transport, None)
        if timer is not None:
            timer.cancel()

    def leave(self, transport: asyncio.Transport) -> None:
        """Forget a connection that has ended."""
        self.hear_out(transport)
        client = self._clients.pop(transport, None)
        if client is not None:
            self._count[client] -= 1
            if not self._count[client]:
                del self._count[client]


class GuardedProtocol(asyncio.Protocol):
    """What HTTP and WebSockets have in common: a client has to read, and leaves by the door."""

    door: Door
    transport: asyncio.Transport
    stalled: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        loop = asyncio.get_running_loop()
        self.stalled = loop.call_later(self.door.patience, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.stalled is not None:
            self.stalled.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.stalled is not None:
            self.stalled.cancel()
        self.door.leave(self.transport)


class GuardedHttp(GuardedProtocol, H11Protocol):
    """HTTP with a limited time for each request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not self.door.enter(transport, self.client[0] if self.client else ""):
            transport.write(FULL)
            transport.close()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        upgraded = self.transport.get_protocol() is not self
        if upgraded or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self.door.hear_out(self.transport)
        else:
            self.door.await_request(self.transport)


class GuardedWebSocket(GuardedProtocol, WebSocketsSansIOProtocol):
    """WebSockets whose text is UTF-8."""

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text" and not _is_utf_8(b"".join(self.frames)):
            self.conn.fail(1007, "text has to be UTF-8")
            self.handle_parser_exception()
        else:
            super().send_receive_event_to_app()


def guarded_protocols(door: Door) -> tuple[type[GuardedHttp], type[GuardedWebSocket]]:
    """Return the protocols of a server whose connections go through a door."""
    http = type("HttpThroughDoor", (GuardedHttp,), {"door": door})
    socket = type("WebSocketThroughDoor", (GuardedWebSocket,), {"door": door})
    return http, socket


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
