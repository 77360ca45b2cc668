"""Start the server and stop it."""

from __future__ import annotations

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from hanabilab.errors import HanabiError
from hanabilab.web.application import application
from hanabilab.web.edge import CONNECTIONS, Door, guarded_protocols
from hanabilab.web.live.store import Store
from hanabilab.web.messages import MAX_BYTES
from hanabilab.web.questions.workers import Offered
from hanabilab.web.security import ANYWHERE, is_ip_address

__all__ = ["data_file", "serve", "server"]

RESERVE = 200
"""Open files that are kept for everything but connections."""
SWITCH = 0.001
"""Seconds after which a thread that draws boards lets the one that confirms actions go on."""
PATIENCE = 3
"""Seconds that open connections get to finish when the server stops."""


def data_file() -> Path:
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
    """Serve until Ctrl-C; `offered` and `names` are those of `application`, `proxy` of `Door`."""
    if proxy is not None and not is_ip_address(proxy):
        raise HanabiError(f"--proxy: {proxy!r} is not an IP address")
    listening = _listen(host, port)
    with listening:
        store = Store(data)
        address = _address(host, listening)
        print(f"hanabilab is at {address}  (Ctrl-C stops it)", flush=True)
        if browser:
            threading.Thread(target=_open, args=(address,), daemon=True).start()
        sys.setswitchinterval(SWITCH)
        door = Door(connections=allow_connections(CONNECTIONS), proxy=proxy)
        server(application(store, host, offered, names), door).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
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
    name = "127.0.0.1" if host in ANYWHERE else f"[{host}]" if ":" in host else host
    return f"http://{name}:{listening.getsockname()[1]}/"


def _open(address: str) -> None:
    """Open a browser if there is a display."""
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform.startswith("linux") and not screen:
        return
    webbrowser.open(address)


def server(app: ASGIApp, door: Door | None = None) -> uvicorn.Server:
    """Return a server for an application, with the limits that hold for all of it.

    Only what the door's proxy says about the address of a client is believed.
    """
    door = door or Door()
    http, websocket = guarded_protocols(door)
    config = uvicorn.Config(
        app,
        http=http,
        ws=websocket,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=door.proxy is not None,
        forwarded_allow_ips=door.proxy,
        ws_max_size=MAX_BYTES,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=PATIENCE,
        lifespan="on",
    )
    return uvicorn.Server(config)


def allow_connections(wanted: int) -> int:
    """Return how many connections this process may have, after asking for enough open files."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows, where there is no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = wanted + RESERVE
    if hard != resource.RLIM_INFINITY:
        enough = min(enough, hard)
    if soft != resource.RLIM_INFINITY and soft < enough:
        resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))
        soft = enough
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft - RESERVE))
