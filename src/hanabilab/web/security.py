"""Decide who may talk to the server, and what its answers allow a browser to do.

A page from another site must reach neither the tables nor the processor: the Host header rules out
names that point here by mistake or by malice (DNS rebinding), the Origin header rules out other
sites' WebSockets and forms, and a browser runs and loads only what this server sends.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hanabilab.web.messages import MAX_BYTES

__all__ = ["LOCAL", "Guard", "is_ip_address", "known_hosts"]

LOCAL = ("localhost", "127.0.0.1", "::1")
ANYWHERE = ("0.0.0.0", "::", "")

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def known_hosts(host: str, others: Iterable[str] = ()) -> Callable[[str], bool]:
    """Return a test of whether a Host header names a server that listens on `host`.

    `others` are names by which people reach it through a proxy.

    A server that listens everywhere accepts every IP address and the computer's own name: unlike a
    name, an IP address cannot be made to point elsewhere.
    """
    names = {*LOCAL, host.lower(), *(name.lower() for name in others)}
    everywhere = host in ANYWHERE
    if everywhere:
        names.add(socket.gethostname().lower())

    def known(header: str) -> bool:
        name = _host_name(header)
        return name is not None and (name in names or (everywhere and is_ip_address(name)))

    return known


def _host_name(header: str) -> str | None:
    """Return the name in a Host header without its port, or None if the header is malformed."""
    try:
        parts = urlsplit(f"//{header}")
        port = parts.port
    except ValueError:
        return None
    if parts.path or parts.query or parts.fragment or parts.username is not None or port == 0:
        return None
    return parts.hostname


def is_ip_address(name: str) -> bool:
    """Tell whether a text is an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """Middleware that refuses foreign requests and adds the security headers."""

    def __init__(self, app: ASGIApp, known: Callable[[str], bool]) -> None:
        self.app = app
        self.known = known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        problem = self.problem(headers)
        if problem is None and scope["type"] == "websocket":
            await self.app(scope, receive, send)
        elif problem is None:
            await self.app(scope, _limited(receive), _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": problem})
        else:
            refused = PlainTextResponse(problem, status_code=403)
            await refused(scope, receive, _with_headers(send))

    def problem(self, headers: Headers) -> str | None:
        """Return why a request is refused, or None."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.known(hosts[0]):
            return "this server does not answer to that host name"
        if not all(_is_own(origin, hosts[0]) for origin in headers.getlist("origin")):
            return "requests from other sites are refused"
        return None


def _is_own(origin: str, host: str) -> bool:
    """Tell whether an Origin header names the server that a Host header names."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc == host


class TooLongError(Exception):
    """The body of a request is too long to be read."""


def _limited(receive: Receive) -> Receive:
    """Stop reading a body that is too long, whatever length its header states."""
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BYTES:
            raise TooLongError
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return answer
