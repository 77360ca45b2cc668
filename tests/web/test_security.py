"""Who may talk to the server, and what a browser may do with its answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.exceptions import InvalidStatus

from hanabilab.web.schema import MAX_BYTES
from hanabilab.web.security import host_checker, is_ip_address, network_address
from tests.web.clients import Site

PATHS = ("/api/about", "/static/board.css", "/nowhere", "/ws/ask")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "a@127.0.0.1"])
def test_a_forged_host_is_rejected(site: Site, path: str, host: str) -> None:
    assert site.get(path, Host=host).status_code in (400, 403)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_its_own_names_are_accepted(site: Site, name: str) -> None:
    port = site.host.partition(":")[2]
    assert site.get("/static/board.css", Host=f"{name}:{port}").status_code == 200
    assert site.get("/static/board.css", Host=name.upper()).status_code == 200


def test_the_address_in_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a server on all interfaces has one; without a network it has none."""
    assert network_address("127.0.0.1") is None
    assert network_address("192.0.2.8") is None
    found = network_address("0.0.0.0")
    assert found is None or (is_ip_address(found) and not found.startswith("127."))
    for address, said in (
        ("192.168.1.20", "192.168.1.20"),
        ("2001:db8::5", "[2001:db8::5]"),
        ("127.0.0.1", None),
        (None, None),
    ):
        monkeypatch.setattr("hanabilab.web.security.socket", FakeSockets(address))
        assert network_address("::") == said


class FakeSockets:
    """A module `socket` on a computer with this address, or without a network."""

    AF_INET = AF_INET6 = SOCK_DGRAM = 0

    def __init__(self, address: str | None) -> None:
        self.address = address

    def socket(self, *kind: int) -> FakeSockets:
        return self

    def connect(self, address: tuple[str, int]) -> None:
        if self.address is None:
            raise OSError("Network is unreachable")

    def getsockname(self) -> tuple[str, int]:
        assert self.address
        return (self.address, 40_000)

    def __enter__(self) -> FakeSockets:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def test_hosts_when_listening_elsewhere() -> None:
    here = host_checker("hanabi.example")
    assert here("hanabi.example:8000")
    assert not here("other.example")
    assert not here("192.168.1.5")
    behind = host_checker("127.0.0.1", ["Hanabi.example"])
    assert behind("hanabi.example")
    assert behind("127.0.0.1:8765")
    assert not behind("other.example")
    everywhere = host_checker("0.0.0.0")
    assert everywhere("192.168.1.5:8000")
    assert everywhere("[fe80::1]:8000")
    assert not everywhere("evil.example")


@settings(max_examples=300)
@given(st.text(max_size=30))
def test_any_host_header_gets_an_answer(text: str) -> None:
    assert host_checker("127.0.0.1")(text) in (True, False)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://", "https://localhost"]
)
def test_a_foreign_origin_is_rejected(site: Site, origin: str) -> None:
    for path in ("/ws/ask", "/ws/table/x"):
        with pytest.raises(InvalidStatus) as refused, site.socket(path, Origin=origin):
            pass
        assert refused.value.response.status_code == 403
    assert site.post("/api/tables", {"players": 2}, Origin=origin).status_code == 403


def test_its_own_origin_is_accepted(site: Site) -> None:
    origin = f"http://{site.host}"
    with site.socket("/ws/ask", Origin=origin) as socket:
        socket.send({"type": "cancel", "id": 1})
    assert site.post("/api/tables", {"players": 2}, Origin=origin).status_code == 200


@pytest.mark.parametrize("path", ["/", "/play", "/static/board.css", "/api/about", "/nowhere"])
def test_every_response_has_the_security_headers(site: Site, path: str) -> None:
    headers = site.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in headers


def test_forms_of_other_sites_are_not_read(site: Site) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = site.post("/api/tables", {"players": 2}, **{"Content-Type": kind})
        assert answer.status_code == 400
        assert "content-type" in answer.json()["error"]
    assert site.get("/api/tables").status_code == 405


def test_long_requests_are_not_read(site: Site) -> None:
    assert site.post("/api/tables", " " * (MAX_BYTES + 1)).status_code == 413
    with site.socket("/ws/ask") as socket:
        socket.send("x" * (MAX_BYTES + 1))
        assert socket.is_closed()


@pytest.mark.parametrize(
    "path", ["/static/../server.py", "/static/..%2fserver.py", "/static/%2e%2e/catalog.py", "/../x"]
)
def test_only_the_static_folder_is_served(site: Site, path: str) -> None:
    assert site.get(path).status_code == 404
