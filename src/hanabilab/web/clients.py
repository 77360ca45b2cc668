"""Clients of the server: who they are, what they may use, and their WebSockets.

A client is an address. Of an IPv6 address only the network counts, because one computer may have
any number of addresses in it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import math
import time
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from hanabilab.errors import FormatError, HanabiError
from hanabilab.web.schema import JsonObject, dump_json, parse_object

__all__ = [
    "BusyError",
    "ConcurrencyQuota",
    "Connection",
    "FairQueue",
    "HourlyQuota",
    "QuotaError",
    "client_of",
    "network_of",
]

HOUR = 3600.0
NETWORK_BITS = 64
MAX_BUFFERED = 8 << 20
"""Characters queued for a client that does not read; with more it is disconnected."""
BURST, RATE = 100, 50
"""The token bucket of a connection: messages at once, and messages per second after that."""
IDLE_TIMEOUT = 3600.0
"""Seconds without a message from either side after which a connection is closed."""


class QuotaError(HanabiError):
    """A client exceeded its own quota."""


class BusyError(HanabiError):
    """The server as a whole is overloaded or full."""


def network_of(address: str) -> str:
    """Return the address that identifies a client, or for IPv6 its network."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, NETWORK_BITS), strict=False))


def client_of(connection: HTTPConnection) -> str:
    """Return the client that a request or a socket comes from."""
    return network_of(connection.client.host) if connection.client else ""


class HourlyQuota:
    """A rate limit: how often each client may do something in an hour."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._times: defaultdict[str, deque[float]] = defaultdict(deque)

    def take(self, client: str, refusal: str) -> None:
        """Count one more use by a client, or raise an error that starts with `refusal`."""
        now = time.monotonic()
        self._expire(now)
        if len(self._times[client]) >= self.most:
            minutes = math.ceil((self._times[client][0] + HOUR - now) / 60)
            unit = "minute" if minutes == 1 else "minutes"
            raise QuotaError(f"{refusal}; the next one is possible in {minutes} {unit}")
        self._times[client].append(now)

    def _expire(self, now: float) -> None:
        """Drop uses older than an hour, and clients without any."""
        for client, times in list(self._times.items()):
            while times and times[0] < now - HOUR:
                times.popleft()
            if not times:
                del self._times[client]


class ConcurrencyQuota:
    """A concurrency limit, for each client and for all of them together."""

    def __init__(self, per_client: int, total: int) -> None:
        self.per_client, self.total = per_client, total
        self._open: Counter[str] = Counter()

    @contextlib.contextmanager
    def acquire(self, client: str, things: str) -> Iterator[None]:
        """Hold one more for the duration of a `with` block, or raise if that is too many."""
        if self._open[client] >= self.per_client:
            raise QuotaError(
                f"{self.per_client} {things} are open on your side; wait for one or stop it"
            )
        if self._open.total() >= self.total:
            raise BusyError(f"too many {things} are waiting; ask again later")
        self._open[client] += 1
        try:
            yield
        finally:
            self._open[client] -= 1
            self._open += Counter()  # drop clients that have none


@dataclass(eq=False, slots=True)
class Waiter:
    """A client that waits in a queue."""

    client: str
    turn: asyncio.Future[None]
    on_position: Callable[[int], None]


class FairQueue:
    """A fair FIFO queue with a concurrency limit.

    No client can occupy all slots: one is kept for clients that have none.
    """

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        self._running: Counter[str] = Counter()
        self._waiting: list[Waiter] = []

    @contextlib.asynccontextmanager
    async def slot(self, client: str, on_position: Callable[[int], None]) -> AsyncIterator[None]:
        """Wait for a slot and hold it; `on_position` is called with the number of jobs ahead."""
        waiter = Waiter(client, asyncio.get_running_loop().create_future(), on_position)
        self._waiting.append(waiter)
        self._advance()
        try:
            await waiter.turn
            yield
        finally:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            else:
                self._running[client] -= 1
                self._running += Counter()  # drop clients that have none
            self._advance()

    def _advance(self) -> None:
        """Start waiters while slots are free; report their positions to the others."""
        for waiter in list(self._waiting):
            if self._running.total() < self.concurrency and self._may_start(waiter.client):
                self._waiting.remove(waiter)
                self._running[waiter.client] += 1
                if not waiter.turn.done():
                    waiter.turn.set_result(None)
        for position, waiter in enumerate(self._waiting):
            waiter.on_position(position + self._running.total())

    def _may_start(self, client: str) -> bool:
        return self._running[client] < max(1, self.concurrency - 1)


class Connection:
    """A client's WebSocket; it is closed after `idle_timeout` seconds without a message.

    Messages are sent through a queue, so the sender never waits for a slow client.
    """

    def __init__(self, socket: WebSocket, idle_timeout: float = IDLE_TIMEOUT) -> None:
        self.socket = socket
        self.client = client_of(socket)
        self.idle_timeout = idle_timeout
        self.last_refill = self.last_activity = time.monotonic()
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue()
        self.buffered = 0
        self.tokens = float(BURST)

    async def __aenter__(self) -> Connection:
        await self.socket.accept()
        self.writer = asyncio.create_task(self._write())
        self._close_if_idle()
        return self

    async def __aexit__(self, *reason: object) -> None:
        self.idle_timer.cancel()
        self.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.writer, 2)

    def _close_if_idle(self) -> None:
        """Close the connection if it has been idle for too long; else check again later."""
        left = self.last_activity + self.idle_timeout - time.monotonic()
        if left <= 0:
            self.close()
        else:
            self.idle_timer = asyncio.get_running_loop().call_later(left, self._close_if_idle)

    def send(self, message: JsonObject) -> None:
        """Queue an object to be sent."""
        self.send_text(dump_json(message))

    def send_text(self, text: str) -> None:
        """Queue an object that is already text."""
        if self.buffered > MAX_BUFFERED:
            self.close()
        else:
            self.buffered += len(text)
            self.last_activity = time.monotonic()
            self.outbox.put_nowait(text)

    def close(self) -> None:
        """Close the socket after everything in the queue has been sent."""
        self.outbox.put_nowait(None)

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while (text := await self.outbox.get()) is not None:
                await self.socket.send_text(text)
                self.buffered -= len(text)
            if self.socket.application_state == WebSocketState.CONNECTED:
                await self.socket.close()

    async def throttle(self) -> None:
        """Wait if messages arrive faster than anybody can click; nothing is read meanwhile."""
        now = time.monotonic()
        self.tokens = min(BURST, self.tokens + RATE * (now - self.last_refill)) - 1
        self.last_refill = now
        if self.tokens < 0:
            await asyncio.sleep(-self.tokens / RATE)

    async def receive(self) -> JsonObject | None:
        """Return the next object, or None when the client is gone; raise if it is not an object."""
        message = await self.socket.receive()
        self.last_activity = time.monotonic()
        if message["type"] == "websocket.disconnect":
            return None
        text = message.get("text")
        if text is None:
            raise FormatError("messages are text")
        return parse_object(text)
