"""A server that is killed in the middle of games and restarted."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
from pathlib import Path

import pytest

from hanabilab.errors import HanabiError
from hanabilab.web.live.store import Store
from tests.web.clients import Message, Site, harmless
from tests.web.processes import process


def test_no_acknowledged_action_is_lost(tmp_path: Path) -> None:
    """Kill the server while several people play: every confirmed action is still there."""
    data = tmp_path / "tables.sqlite"
    acknowledged: dict[str, int] = {}
    with process(data) as (site, server):
        tables = [site.table(players=2, humans=[0, 1], rules={"lives": None}) for _ in range(3)]
        enough = threading.Event()
        players = [
            threading.Thread(target=play_until_it_breaks, args=(site, table, acknowledged, enough))
            for table in tables
        ]
        for player in players:
            player.start()
        enough.wait(60)
        server.send_signal(signal.SIGKILL)
        for player in players:
            player.join()
    assert max(acknowledged.values()) >= 10
    with process(data) as (site, server):
        for table in tables:
            with site.seat(table, 0) as seat:
                facts = seat.socket.until("board")["board"]["facts"]
                done = acknowledged.get(table["table"], 0)
                assert done <= facts["turn"] <= done + 1  # one may be done and not yet confirmed
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0
        assert server.stderr
        assert server.stderr.read() == ""


def play_until_it_breaks(
    site: Site, table: Message, acknowledged: dict[str, int], enough: threading.Event
) -> None:
    try:
        with site.seat(table, 0) as zero, site.seat(table, 1) as one:
            for turn in range(1_000):
                seat = (zero, one)[turn % 2]
                seat.act({"turn": turn}, {"type": "play", "slot": 0})
                acknowledged[table["table"]] = int(seat.socket.until("done")["turn"])
                if turn == 12:
                    enough.set()
    except Exception:  # the server is gone, in whatever way it shows
        enough.set()


def test_a_game_with_strategies_goes_on(tmp_path: Path) -> None:
    data = tmp_path / "tables.sqlite"
    setup = {"players": 3, "humans": [1], "strategies": ["information"], "seed": 3}
    ends = []
    for kill in (True, False):
        with process(data) as (site, server):
            table = site.table(**setup)
            with site.seat(table, 1) as seat:
                last = seat.play(harmless, 4)
            if kill:
                server.send_signal(signal.SIGKILL)
                server.wait()
                with process(data) as (again, _), again.seat(table, 1) as seat:
                    first = seat.play(harmless, 0)
                    assert first == last
                    seat.act(first["board"]["facts"], harmless(first["board"]["facts"]))
                    ends.append(seat.play(harmless)["game"])
            else:
                with site.seat(table, 1) as seat:
                    ends.append(seat.play(harmless)["game"])
    assert ends[0] == ends[1]


def test_what_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "tables.sqlite")
    store.create("a", {"x": 1}).result()
    store.create("b", {"x": 2}).result()
    for turn, number in enumerate([5, 7, 9]):
        store.act("a", turn, number).result()
    assert store.load("a") == ({"x": 1}, [5, 7, 9])
    with pytest.raises(HanabiError, match="could not be saved"):
        store.act("a", 2, 1).result()  # a turn has one action
    store.undo("a", 1).result()
    assert store.load("a") == ({"x": 1}, [5])
    assert store.load("c") is None
    store.forget_old().result()
    assert store.load("b") == ({"x": 2}, [])
    store.forget_old(days=0).result()
    assert store.load("a") is None
    with sqlite3.connect(store.path) as base:
        assert base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert base.execute("SELECT count(*) FROM actions").fetchone() == (0,)
    base.close()
    if os.name == "posix":
        assert store.path.stat().st_mode & 0o077 == 0
    store.close()


def test_many_orders_at_once(tmp_path: Path) -> None:
    """Save orders of which half are bad: the good ones are unaffected."""
    store = Store(tmp_path / "tables.sqlite")
    store.create("a", {}).result()
    orders = [store.act("a", turn % 50, turn) for turn in range(100)]
    failed = [order for order in orders if order.exception()]
    assert len(failed) == 50
    found = store.load("a")
    assert found is not None
    assert found[1] == list(range(50))
    store.close()


@pytest.mark.parametrize("content", [b"no database at all, but long enough to look like one" * 20])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(HanabiError, match="cannot be used for tables"):
        Store(path)
    assert path.read_bytes() == content
