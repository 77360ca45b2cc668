"""Limits on connections: half-sent requests, too many connections, and whatever else arrives."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from hanabilab.web import application, clients, server
from hanabilab.web.live import tables
from hanabilab.web.server import ConnectionLimiter
from tests.web.clients import Site
from tests.web.conftest import running
from tests.web.processes import process

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


@contextmanager
def limited_site(folder: Path, limiter: ConnectionLimiter) -> Iterator[Site]:
    """Run a server with a connection limiter."""
    yield from running(folder / "tables.sqlite", limiter)


def connect(site: Site, text: bytes = b"", source: str = "127.0.0.1") -> socket.socket:
    """Connect and send some bytes."""
    host, port = site.host.split(":")
    found = socket.create_connection((host, int(port)), timeout=10, source_address=(source, 0))
    found.sendall(text)
    return found


def is_closed(connection: socket.socket, seconds: float = 10) -> bool:
    """Return whether the server closes a connection in that time."""
    connection.settimeout(seconds)
    try:
        while connection.recv(4096):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def test_half_sent_requests_do_not_block_others(tmp_path: Path) -> None:
    limiter = ConnectionLimiter(connections=60, per_client=50, timeout=600)
    with limited_site(tmp_path, limiter) as site, ExitStack() as stack:
        half = [stack.enter_context(connect(site, HALF)) for _ in range(200)]
        assert site.get("/static/board.css").status_code == 200
        with site.socket("/ws/ask") as asking:
            asking.send({"type": "cancel", "id": 1})
        assert all(is_closed(connection) for connection in half[:140])
        assert not is_closed(half[-1], 0.2)
        half[-1].sendall(b"\r\n\r\n")  # slow, but whole in the end
        assert half[-1].recv(100).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        HALF,
        b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
    ],
    ids=["silence", "headers", "body"],
)
def test_slow_requests_time_out(tmp_path: Path, text: bytes) -> None:
    with (
        limited_site(tmp_path, ConnectionLimiter(timeout=0.3)) as site,
        connect(site, text) as slow,
    ):
        assert is_closed(slow)


def test_slow_later_requests_time_out(tmp_path: Path) -> None:
    request = b"GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with (
        limited_site(tmp_path, ConnectionLimiter(timeout=0.3)) as site,
        connect(site, request) as slow,
    ):
        assert slow.recv(1000).startswith(b"HTTP/1.1 404")
        time.sleep(0.5)
        assert not is_closed(slow, 0.1)  # it may stay for a while and ask again
        slow.sendall(HALF)
        assert is_closed(slow)


def test_clients_that_do_not_read_are_disconnected(tmp_path: Path) -> None:
    """Ask for megabytes and read nothing: the connection does not stay for ever."""
    with limited_site(tmp_path, ConnectionLimiter(timeout=0.5)) as site:
        replay = {"strategy": "iggi", "players": 5, "seed": 1}
        size = len(site.post("/api/ask/replay", replay).content)
        body = b'{"strategy": "iggi", "players": 5, "seed": 1}'
        head = b"POST /api/ask/replay HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        head += b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        with socket.socket() as stalled:
            stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            host, port = site.host.split(":")
            stalled.connect((host, int(port)))
            stalled.sendall(head + body)
            time.sleep(2)
            stalled.settimeout(5)
            got = 0
            with contextlib.suppress(OSError):
                while part := stalled.recv(1 << 16):
                    got += len(part)
        assert got < size


def test_connections_of_one_client_are_limited(tmp_path: Path) -> None:
    with limited_site(tmp_path, ConnectionLimiter(per_client=3)) as site, ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(site.socket("/ws/ask"))
        with connect(site) as refused:
            assert b"503" in refused.recv(100)
        if sys.platform == "linux":  # where every 127.0.0.x is this computer
            request = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            with connect(site, request, "127.0.0.2") as other:
                assert other.recv(100).startswith(b"HTTP/1.1 200")
        stack.close()
        for _ in range(100):
            with contextlib.suppress(OSError), connect(site, HALF) as again:
                if not is_closed(again, 0.1):
                    return
        pytest.fail("places are not given back")


def test_idle_sockets_are_closed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application, "JOBS_IDLE_TIMEOUT", 0.3)
    with site.socket("/ws/ask") as silent:
        assert silent.is_closed()
    table = site.table(players=2, humans=[0, 1])
    with site.seat(table, 0) as seat:  # tables have more patience
        seat.socket.until("board")
        with pytest.raises(TimeoutError):
            seat.socket.hear(0.6)


def test_messages_are_throttled(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "BURST", 5)
    monkeypatch.setattr(clients, "RATE", 20)
    with site.seat(site.table(players=2, humans=[0, 1]), 0) as seat:
        seat.socket.until("board")
        started = time.monotonic()
        for _ in range(15):
            seat.socket.send({"type": "dance", "id": 1})
        for _ in range(15):
            assert seat.socket.hear()["type"] == "error"
        assert 0.45 < time.monotonic() - started < 10


def test_tables_of_one_client_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Headers that only a proxy may set do not make another client."""
    monkeypatch.setattr(tables, "NEW_TABLES", 2)
    with limited_site(tmp_path, ConnectionLimiter()) as site:
        answers = [
            site.post("/api/tables", {"players": 2}, **{"X-Forwarded-For": f"10.0.0.{number}"})
            for number in range(3)
        ]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "2 tables in an hour are enough" in answers[2].json()["error"]


def test_a_configured_proxy_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "NEW_TABLES", 1)
    with (
        limited_site(tmp_path, ConnectionLimiter(proxy="127.0.0.1", per_client=1)) as site,
        ExitStack() as stack,
    ):
        answers = [
            site.post("/api/tables", {"players": 2}, **{"X-Forwarded-For": client})
            for client in ("10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.0.9, 10.0.0.2")
        ]
        for _ in range(3):  # it may have more connections than a client
            stack.enter_context(site.socket("/ws/ask"))
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]


def test_open_files_are_enough_for_all_connections() -> None:
    allowed = server.raise_file_limit(300)
    assert 1 <= allowed <= 300
    if sys.platform == "linux":
        import resource

        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= allowed + server.RESERVED_FILES


LINE = b"GET %b HTTP/1.1\r\nHost: %b\r\n"
WS = (
    b"GET /ws/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
)
ODD = [
    LINE % (b"/", b"127.0.0.1") + b"Origin: http://[\r\n\r\n",
    LINE % (b"/", b"127.0.0.1") + b"Origin: http://[::1\r\nOrigin: //\r\n\r\n",
    LINE % (b"/", b"[") + b"\r\n",
    LINE % (b"/", b"127.0.0.1:99999999") + b"\r\n",
    LINE % (b"/", b"\xff\xfe") + b"\r\n",
    LINE % (b"/", b"127.0.0.1") + b"X: \xff\xfe\x80\r\n\r\n",
    LINE % (b"/static/%00", b"127.0.0.1") + b"\r\n",
    LINE % (b"/static/%ff%fe", b"127.0.0.1") + b"\r\n",
    LINE % (b"/static/" + b"x" * 4_000, b"127.0.0.1") + b"\r\n",
    LINE % (b"/static/" + b"a/" * 2_000, b"127.0.0.1") + b"\r\n",
    LINE % (b"/ws/table/%00%ff", b"127.0.0.1") + b"\r\n",
    LINE % (b"//evil.example/%2e%2e", b"127.0.0.1") + b"\r\n",
    LINE % (b"http://[/", b"127.0.0.1") + b"\r\n",
    LINE % (b"*", b"127.0.0.1") + b"\r\n",
    LINE % (b"/?" + b"a=1&" * 5_000, b"127.0.0.1") + b"\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
    b"BREW / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),
    b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
    b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: -5\r\n\r\n",
    b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: 3\r\n\r\n\xff{}",
    WS + b"Origin: http://[\r\n\r\n",
    WS + b"Sec-WebSocket-Protocol: a, b\r\n\r\n",
    WS.replace(b"13", b"7") + b"\r\n",
    WS + b"\r\n" + b"\x81\xfe\xff\xff" + bytes(70_000),
    WS + b"\r\n" + b"\x81\x82\x00\x00\x00\x00\xff\xff",  # text that is not UTF-8
    WS + b"\r\n" + b"\x81\x05hello",  # not masked
    WS + b"\r\n" + b"\xf1\x80\x00\x00\x00\x00",  # reserved bits
    WS + b"\r\n" + b"\x80\x80\x00\x00\x00\x00",  # the rest of nothing
    WS + b"\r\n" + b"\x88\x81\x00\x00\x00\x00\x01",  # half a reason to close
    WS + b"\r\n" + b"\x82\x81\x00\x00\x00\x00\x01",  # bytes
    WS + b"\r\n" + b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00",  # exabytes
    WS + b"\r\n" + (b"\x01\xfe\xf0\x00\x00\x00\x00\x00" + bytes(0xF000)) * 6,  # in pieces
    WS + b"\r\n" + b"\x89\x80\x00\x00\x00\x00" * 500,  # pings
]


def test_malformed_requests_raise_nothing(tmp_path: Path) -> None:
    """Send what no browser sends: nothing of it is an error of the server, or said on stderr."""
    with process(tmp_path / "tables.sqlite") as (site, server):
        for text in ODD:
            with contextlib.suppress(OSError), connect(site, text) as odd:
                odd.settimeout(0.1)
                answer = b""
                with contextlib.suppress(TimeoutError):
                    while part := odd.recv(1 << 16):
                        answer += part
                assert b" 500 " not in answer[:30], (text[:200], answer[:200])
        refused = site.get("/", Origin="http://[")
        assert (refused.status_code, refused.text) == (403, "requests from other sites are refused")
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0
        assert server.stderr
        assert server.stderr.read() == ""
