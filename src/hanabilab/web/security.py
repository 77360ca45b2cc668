"""Middleware against requests from other sites, and security headers.

A page of another site must not reach the tables or use the processor. The Host header rules out
foreign names that resolve to this server (DNS rebinding), the Origin header rules out WebSockets
and forms of other sites, and browsers run and load only what this server sends.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hanabilab.web.schema import MAX_BYTES

__all__ = [
    "LOCAL_HOSTS",
    "SecurityMiddleware",
    "host_checker",
    "is_ip_address",
    "network_address",
]

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
ALL_INTERFACES = ("0.0.0.0", "::", "")

CONTENT_SECURITY_POLICY = "; ".join(
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
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def host_checker(host: str, others: Iterable[str] = ()) -> Callable[[str], bool]:
    """Return a test of whether a Host header names a server that listens on `host`.

    `others` are names by which people reach it through a proxy.

    A server that listens everywhere accepts every IP address and the computer's own name: unlike a
    name, an IP address cannot be made to point elsewhere.
    """
    names = {*LOCAL_HOSTS, host.lower(), *(name.lower() for name in others)}
    everywhere = host in ALL_INTERFACES
    if everywhere:
        names.add(socket.gethostname().lower())

    def is_known_host(header: str) -> bool:
        name = _host_name(header)
        return name is not None and (name in names or (everywhere and is_ip_address(name)))

    return is_known_host


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
    """Return whether a text is an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def network_address(host: str) -> str | None:
    """Return this computer's address in its network, as a URL names it.

    None unless the server listens on all interfaces, or if there is no network.
    """
    if host not in ALL_INTERFACES:
        return None
    family, outside = (
        (socket.AF_INET6, "2001:db8::1") if host == "::" else (socket.AF_INET, "192.0.2.1")
    )
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((outside, 9))  # picks the interface; a datagram socket sends nothing yet
            found: str = probe.getsockname()[0]
    except OSError:
        return None
    if ipaddress.ip_address(found).is_loopback:
        return None
    return f"[{found}]" if ":" in found else found


class SecurityMiddleware:
    """Rejects requests of other sites and adds the security headers."""

    def __init__(self, app: ASGIApp, is_known_host: Callable[[str], bool]) -> None:
        self.app = app
        self.is_known_host = is_known_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with the headers, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        rejection = self.rejection(headers)
        if rejection is None and scope["type"] == "websocket":
            await self.app(scope, receive, send)
        elif rejection is None:
            await self.app(scope, _limit_body(receive), _add_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": rejection})
        else:
            refused = PlainTextResponse(rejection, status_code=403)
            await refused(scope, receive, _add_headers(send))

    def rejection(self, headers: Headers) -> str | None:
        """Return why a request is rejected, or None."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.is_known_host(hosts[0]):
            return "this server does not answer to that host name"
        if not all(_is_same_origin(origin, hosts[0]) for origin in headers.getlist("origin")):
            return "requests from other sites are refused"
        return None


def _is_same_origin(origin: str, host: str) -> bool:
    """Return whether an Origin header names the server of a Host header."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc == host


class BodyTooLargeError(Exception):
    """The body of a request is too long to be read."""


def _limit_body(receive: Receive) -> Receive:
    """Stop reading a body that is too long, whatever length its header states."""
    taken = 0

    async def limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > MAX_BYTES:
            raise BodyTooLargeError
        return message

    return limited


def _add_headers(send: Send) -> Send:
    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-cache")
        await send(message)

    return answer
