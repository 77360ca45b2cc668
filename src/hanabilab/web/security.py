"""Who may talk to the server, and what its answers allow a browser to do.

A page from elsewhere must reach neither the tables nor the computer's time: a name that leads here
by mistake or by malice (DNS rebinding) is refused by the Host header, a foreign page's WebSocket or
form by its Origin, and a browser runs and loads nothing but what this server sends.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hanabilab.web.messages import MAX_BYTES

__all__ = ["Guard", "known_hosts"]

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


def known_hosts(host: str) -> Callable[[str], bool]:
    """Whether a Host header names this server, when it listens on `host`.

    Listening everywhere, it goes by any of the computer's numbers and by its own name: a number
    cannot be made to lead elsewhere, as a name can.
    """
    names = {*LOCAL, host.lower()}
    everywhere = host in ANYWHERE
    if everywhere:
        names.add(socket.gethostname().lower())

    def known(header: str) -> bool:
        name = _host_name(header)
        return name is not None and (name in names or (everywhere and _is_number(name)))

    return known


def _host_name(header: str) -> str | None:
    """The name in a Host header, without its port; None if it is none."""
    try:
        parts = urlsplit(f"//{header}")
        port = parts.port
    except ValueError:
        return None
    if parts.path or parts.query or parts.fragment or parts.username is not None or port == 0:
        return None
    return parts.hostname


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """Stands before everything else."""

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
        """Why a request is refused, or None."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.known(hosts[0]):
            return "this server does not go by that name"
        for origin in headers.getlist("origin"):
            parts = urlsplit(origin)
            if parts.scheme not in ("http", "https") or parts.netloc != hosts[0]:
                return "requests from other sites are refused"
        return None


class TooLongError(Exception):
    """A request's body is longer than anything that is read."""


def _limited(receive: Receive) -> Receive:
    """Stop reading a body that is too long, whatever its header says of its length."""
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
    async def answer(message: Any) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return answer
