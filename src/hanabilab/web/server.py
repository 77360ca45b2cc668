"""Run the server: listen, limit connections, stop.

Uvicorn reads requests; what it does not limit is limited here. A connection that has not sent a
whole request yet is *pending*. Pending connections have limited time, and if there are too many,
the oldest are evicted, so they never keep other clients out.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
import webbrowser
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from hanabilab.errors import HanabiError
from hanabilab.formats.qr_code import qr_code, qr_text
from hanabilab.web.application import application
from hanabilab.web.clients import network_of
from hanabilab.web.jobs.scheduler import Offered
from hanabilab.web.live.store import Store
from hanabilab.web.schema import MAX_BYTES
from hanabilab.web.security import ALL_INTERFACES, LOCAL_HOSTS, is_ip_address, network_address

__all__ = ["ConnectionLimiter", "default_data_file", "make_server", "serve"]

MAX_CONNECTIONS, MAX_PER_CLIENT = 4_000, 1_200
"""Connections at a time, of all clients and of one."""
FULL_MESSAGE = b"too many connections; close one or wait\n"
FULL_RESPONSE = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 10\r\n"
    b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (len(FULL_MESSAGE), FULL_MESSAGE)
)
UNENCRYPTED = (
    "Connections are not encrypted: others in the network can read the games and keys. "
    "Use a network that you trust, or a proxy with HTTPS."
)
RESERVED_FILES = 200
"""Open files reserved for everything but connections."""
SWITCH_INTERVAL = 0.001
"""Seconds after which a thread that draws boards yields to the one that confirms actions."""
SHUTDOWN_TIMEOUT = 3
"""Seconds that open connections get to finish when the server stops."""


def default_data_file() -> Path:
    """Return the default file for tables."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "hanabilab" / "tables.sqlite"


def serve(
    host: str,
    port: int,
    data: Path,
    *,
    browser: bool,
    offered: Sequence[Offered] = (),
    names: Sequence[str] = (),
    proxy: str | None = None,
) -> None:
    """Serve until Ctrl-C.

    `offered` and `names` are arguments of `application`, `proxy` of `ConnectionLimiter`.
    """
    if proxy is not None and not is_ip_address(proxy):
        raise HanabiError(f"--proxy: {proxy!r} is not an IP address")
    listening = _listening_socket(host, port)
    with listening:
        store = Store(data)
        address = _address(host, listening)
        print(f"hanabilab is at {address}  (Ctrl-C stops it)", flush=True)
        if found := network_address(host):
            reached = f"http://{found}:{listening.getsockname()[1]}/"
            print(f"in your network: {reached}", flush=True)
            if sys.stdout.isatty():
                print(qr_text(qr_code(reached)), flush=True)
        if host not in LOCAL_HOSTS:
            print(UNENCRYPTED, flush=True)
        if browser:
            threading.Thread(target=_open_browser, args=(address,), daemon=True).start()
        sys.setswitchinterval(SWITCH_INTERVAL)
        limiter = ConnectionLimiter(connections=raise_file_limit(MAX_CONNECTIONS), proxy=proxy)
        make_server(application(store, host, offered, names), limiter).run(sockets=[listening])


def _listening_socket(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family, backlog=512)
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None) or 0
        reason = os.strerror(number) if number > 0 else getattr(error, "strerror", None) or error
        raise HanabiError(
            f"--host {host} --port {port}: the server cannot listen there: {reason}; "
            "--port 0 takes any free port"
        ) from None
    listening.setblocking(False)
    return listening


def _address(host: str, listening: socket.socket) -> str:
    name = "127.0.0.1" if host in ALL_INTERFACES else f"[{host}]" if ":" in host else host
    return f"http://{name}:{listening.getsockname()[1]}/"


def _open_browser(address: str) -> None:
    """Open a browser if there is a display."""
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not screen:
        return
    webbrowser.open(address)


def make_server(app: ASGIApp, limiter: ConnectionLimiter | None = None) -> uvicorn.Server:
    """Return a server that trusts X-Forwarded-For from the limiter's proxy only."""
    limiter = limiter or ConnectionLimiter()
    http, websocket = limited_protocols(limiter)
    config = uvicorn.Config(
        app,
        http=http,
        ws=websocket,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=limiter.proxy is not None,
        forwarded_allow_ips=limiter.proxy,
        ws_max_size=MAX_BYTES,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
        lifespan="on",
    )
    return uvicorn.Server(config)


def raise_file_limit(wanted: int) -> int:
    """Raise the limit on open files; return how many connections this process may have."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows, where there is no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = wanted + RESERVED_FILES
    if hard != resource.RLIM_INFINITY:
        enough = min(enough, hard)
    if soft != resource.RLIM_INFINITY and soft < enough:
        resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))
        soft = enough
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - RESERVED_FILES))


class ConnectionLimiter:
    """Limits the number of connections, and the time that a request may take to arrive."""

    def __init__(
        self,
        *,
        connections: int = MAX_CONNECTIONS,
        per_client: int = MAX_PER_CLIENT,
        timeout: float = 15.0,
        proxy: str | None = None,
    ) -> None:
        self.connections, self.per_client = connections, per_client
        self.proxy = proxy
        """The address of a reverse proxy, which may have any number of connections."""
        self.timeout = timeout
        """Seconds for a request to arrive, and for a client to read what was sent."""
        self._clients: dict[asyncio.Transport, str] = {}
        self._count: Counter[str] = Counter()
        self._pending: dict[asyncio.Transport, asyncio.TimerHandle] = {}
        """The timers of pending connections, the oldest first."""

    def admit(self, transport: asyncio.Transport, address: str) -> bool:
        """Accept a new connection, or return False if there are too many."""
        client = network_of(address)
        many = self._count[client] >= self.per_client and address != self.proxy
        if many and not self._evict_pending(client):
            return False
        if len(self._clients) >= self.connections and not self._evict_pending(None):
            return False
        self._clients[transport] = client
        self._count[client] += 1
        self.expect_request(transport)
        return True

    def _evict_pending(self, client: str | None) -> bool:
        """Close the oldest pending connection of a client, or of all; return whether one was."""
        for transport in self._pending:
            if client in (None, self._clients[transport]):
                transport.abort()
                self.release(transport)
                return True
        return False

    def expect_request(self, transport: asyncio.Transport) -> None:
        """Start the timer in which a connection has to send a whole request."""
        if transport in self._clients and transport not in self._pending:
            loop = asyncio.get_running_loop()
            self._pending[transport] = loop.call_later(self.timeout, transport.abort)

    def request_received(self, transport: asyncio.Transport) -> None:
        """Stop the timer: a whole request has arrived."""
        timer = self._pending.pop(transport, None)
        if timer is not None:
            timer.cancel()

    def release(self, transport: asyncio.Transport) -> None:
        """Forget a connection that has ended."""
        self.request_received(transport)
        client = self._clients.pop(transport, None)
        if client is not None:
            self._count[client] -= 1
            if not self._count[client]:
                del self._count[client]


class LimitedProtocol(asyncio.Protocol):
    """Base of both protocols: disconnects clients that do not read, and updates the limiter."""

    limiter: ConnectionLimiter
    transport: asyncio.Transport
    stall_timer: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        loop = asyncio.get_running_loop()
        self.stall_timer = loop.call_later(self.limiter.timeout, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.stall_timer is not None:
            self.stall_timer.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.stall_timer is not None:
            self.stall_timer.cancel()
        self.limiter.release(self.transport)


class LimitedHttp(LimitedProtocol, H11Protocol):
    """HTTP with a limited time for each request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if not self.limiter.admit(transport, self.client[0] if self.client else ""):
            transport.write(FULL_RESPONSE)
            transport.close()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        upgraded = self.transport.get_protocol() is not self
        if upgraded or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self.limiter.request_received(self.transport)
        else:
            self.limiter.expect_request(self.transport)


class LimitedWebSocket(LimitedProtocol, WebSocketsSansIOProtocol):
    """WebSockets whose text is UTF-8."""

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text" and not _is_utf_8(b"".join(self.frames)):
            self.conn.fail(1007, "text has to be UTF-8")
            self.handle_parser_exception()
        else:
            super().send_receive_event_to_app()


def limited_protocols(
    limiter: ConnectionLimiter,
) -> tuple[type[LimitedHttp], type[LimitedWebSocket]]:
    """Return the protocol classes of a server whose connections are limited by `limiter`."""
    http = type("ServerHttp", (LimitedHttp,), {"limiter": limiter})
    socket = type("ServerWebSocket", (LimitedWebSocket,), {"limiter": limiter})
    return http, socket


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
