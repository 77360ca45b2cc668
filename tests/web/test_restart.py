"""A server that is killed in the middle of games and restarted."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import secrets
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hanabilab.errors import HanabiError
from hanabilab.web import server
from hanabilab.web.live.store import DAY, Store
from tests.conftest import Answer
from tests.web.clients import Message, Site, harmless
from tests.web.conftest import running
from tests.web.processes import process


def test_no_acknowledged_action_is_lost(tmp_path: Path) -> None:
    """Kill the server five times while ten sockets play: every confirmed action is still there."""
    data = tmp_path / "tables.sqlite"
    acknowledged: dict[str, int] = {}
    tables: list[Message] = []
    for kill in range(6):
        with process(data) as (site, server):
            if not tables:
                rules = {"lives": None, "hint_tokens": None}
                tables = [site.table(players=2, humans=[0, 1], rules=rules) for _ in range(5)]
            turns = [turn_of(site, table) for table in tables]
            for table, turn in zip(tables, turns, strict=True):
                done = acknowledged.get(table["table"], 0)
                assert done <= turn <= done + 1  # one may be done and not yet confirmed
            if kill == 5:
                server.send_signal(signal.SIGINT)
                assert server.wait(20) == 0
                assert server.stderr
                assert server.stderr.read() == ""
                break
            enough = threading.Event()
            players = [
                threading.Thread(
                    target=play_until_it_breaks, args=(site, table, turn, acknowledged, enough)
                )
                for table, turn in zip(tables, turns, strict=True)
            ]
            for player in players:
                player.start()
            enough.wait(60)
            server.send_signal(signal.SIGKILL)
            for player in players:
                player.join()
    assert max(acknowledged.values()) >= 50


def turn_of(site: Site, table: Message) -> int:
    """Return how many turns a table has seen."""
    with site.seat(table, 0) as seat:
        return int(seat.socket.until("board")["board"]["facts"]["turn"])


def play_until_it_breaks(
    site: Site, table: Message, first: int, acknowledged: dict[str, int], enough: threading.Event
) -> None:
    """Pass on hints, which never end a game, and note what is confirmed."""
    try:
        with site.seat(table, 0) as zero, site.seat(table, 1) as one:
            for turn in range(first, 10_000):
                seat = (zero, one)[turn % 2]
                facts = seat.socket.until("board")["board"]["facts"]
                while facts["turn"] < turn:
                    facts = seat.socket.until("board")["board"]["facts"]
                hint = next(each for each in facts["actions"] if each["type"] == "hint_rank")
                seat.act(facts, hint)
                acknowledged[table["table"]] = int(seat.socket.until("done")["turn"])
                if turn == first + 12:
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


def test_setups_and_actions_are_stored(tmp_path: Path) -> None:
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
    store.delete_old().result()
    assert store.load("b") == ({"x": 2}, [])
    store.delete_old(days=0).result()
    assert store.load("a") is None
    with sqlite3.connect(store.path) as base:
        assert base.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert base.execute("SELECT count(*) FROM actions").fetchone() == (0,)
    base.close()
    if os.name == "posix":
        assert store.path.stat().st_mode & 0o077 == 0
    store.close()


def test_many_writes_at_once(tmp_path: Path) -> None:
    """Write requests of which half fail: the others are unaffected."""
    store = Store(tmp_path / "tables.sqlite")
    store.create("a", {}).result()
    writes = [store.act("a", turn % 50, turn) for turn in range(100)]
    failed = [write for write in writes if write.exception()]
    assert len(failed) == 50
    found = store.load("a")
    assert found is not None
    assert found[1] == list(range(50))
    store.close()


def test_tables_without_an_action_go_first(tmp_path: Path) -> None:
    """Set up tables three days, and forty days, ago: those at which nobody acted go after a day."""
    store = Store(tmp_path / "tables.sqlite")
    now = time.time()
    for days in (0, 3, 40):
        for used in (True, False):
            name = f"{'used' if used else 'unused'} {days}"
            store.create(name, {}).result()
            if used:
                store.act(name, 0, 5).result()
            touch = ("UPDATE tables SET touched = ? WHERE id = ?", (now - days * DAY, name))
            store._enqueue(touch).result()
    store.delete_old().result()
    kept = [name for (name,) in store._read("SELECT id FROM tables ORDER BY id")]
    assert kept == ["unused 0", "used 0", "used 3"]
    store.close()


def of_another_program(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.executescript("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x');")


def with_our_names(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.executescript("CREATE TABLE tables (legs INTEGER); CREATE TABLE actions (x);")


def of_a_later_version(path: Path) -> None:
    Store(path).close()
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA user_version = 99")


def damaged(path: Path) -> None:
    store = Store(path)
    for number in range(300):
        store.create(f"table {number}", {"x": "y" * 200})
    store.close()
    content = bytearray(path.read_bytes())
    content[3 * 4096 : 5 * 4096] = b"\x55" * 2 * 4096
    path.write_bytes(content)


def cut_off(path: Path) -> None:
    damaged(path)
    path.write_bytes(path.read_bytes()[: 5 * 4096 + 100])


def of_another_kind(path: Path) -> None:
    path.write_bytes(b"no database at all, but long enough to look like one" * 20)


def emptied(path: Path) -> None:
    damaged(path)
    path.write_bytes(b"")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (emptied, "it is empty, so any tables in it are lost; remove it"),
        (of_another_program, "it is a database of another program"),
        (with_our_names, "it is a database of another program"),
        (of_a_later_version, "a later version of hanabilab wrote it"),
        (damaged, "damaged|malformed"),
        (cut_off, "damaged|malformed"),
        (of_another_kind, "file is not a database"),
    ],
)
def test_files_that_cannot_be_used(
    tmp_path: Path,
    command: Callable[..., Answer],
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], None],
    reason: str,
) -> None:
    """Start the server with such a file: one line, exit code 2, and the file stays as it is."""
    monkeypatch.setattr(server, "make_server", None)  # so that it could not run
    path = tmp_path / "tables.sqlite"
    make(path)
    content = path.read_bytes()
    code, out, err = command("web", "--port", "0", "--no-browser", "--data", path)
    assert (code, out) == (2, "")
    assert re.fullmatch(rf".*tables\.sqlite: cannot be used for tables: .*({reason}).*\n", err), err
    assert path.read_bytes() == content


def test_a_file_has_one_server(
    tmp_path: Path, command: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Start a second server with the same file, also by another name: it does not start."""
    monkeypatch.setattr(server, "make_server", None)  # so that it could not run
    data, link = tmp_path / "tables.sqlite", tmp_path / "link.sqlite"
    with process(data) as (site, first):
        table = site.table(players=2, humans=[0, 1])
        link.symlink_to(data)
        for name in (data, link):
            code, out, err = command("web", "--port", "0", "--no-browser", "--data", name)
            assert (code, out) == (2, "")
            assert f"{name} is being written by another command (process {first.pid})" in err
        assert turn_of(site, table) == 0
        first.send_signal(signal.SIGKILL)
        first.wait()
    with process(data) as (site, _):  # the lock ends with its process
        assert turn_of(site, table) == 0


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("DELETE FROM actions WHERE turn = 1", "the table is damaged: turn 1 is missing"),
        ("DELETE FROM actions WHERE turn = 0", "the table is damaged: turn 0 is missing"),
        ("DELETE FROM tables", "the table is damaged: its setup is missing"),
    ],
)
def test_a_damaged_table_is_noticed(tmp_path: Path, damage: str, reason: str) -> None:
    path = tmp_path / "tables.sqlite"
    store = Store(path)
    store.create("a", {}).result()
    for turn in range(3):
        store.act("a", turn, 5).result()
    store.close()
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.execute(damage)
        base.commit()
    store = Store(path)
    with pytest.raises(HanabiError, match=f"^{reason}$"):
        store.load("a")
    assert store.load("b") is None
    store.close()


def test_files_from_before_there_was_a_version(tmp_path: Path) -> None:
    path = tmp_path / "tables.sqlite"
    store = Store(path)
    store.create("a", {"x": 1}).result()
    store.close()
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.executescript("PRAGMA user_version = 0; PRAGMA application_id = 0;")
    store = Store(path)
    assert store.load("a") == ({"x": 1}, [])
    store.close()


def test_a_failed_save_is_reported(tmp_path: Path) -> None:
    """Fill the file: the player is told before the socket closes, and what was confirmed stays."""
    store = Store(tmp_path / "tables.sqlite")
    for site in running(store):
        table = site.table(players=2, humans=[0, 1], rules={"lives": None})
        other = site.table(players=2, humans=[0, 1])["table"]
        (pages,) = store._database.execute("PRAGMA page_count").fetchone()
        store._database.execute(f"PRAGMA max_page_count = {pages}")
        with contextlib.suppress(HanabiError):
            for turn in itertools.count():  # until there is no room left
                store.act(other, turn, 0).result()
        with contextlib.suppress(HanabiError):
            while True:
                store.create(secrets.token_hex(), {"x": "y" * 100}).result()
        confirmed = 0
        with site.seat(table, 0) as zero, site.seat(table, 1) as one:
            one.socket.until("board")
            for turn in range(1_000):
                seat = (zero, one)[turn % 2]
                seat.act({"turn": turn}, {"type": "play", "slot": 0})
                message = seat.socket.until("done", "error")
                if message["type"] == "error":
                    break
                confirmed = message["turn"]
            assert message["id"] == seat.number
            words = "could not be saved: the disk is full; nothing happened"
            assert words in message["error"]
            assert zero.socket.is_closed()
            assert one.socket.is_closed()
        found = store.load(table["table"])
        assert found is not None
        assert len(found[1]) == confirmed
        refused = site.post("/api/tables", {"players": 2})
        assert refused.status_code == 503
        assert "could not be saved" in refused.json()["error"]
        with site.seat(table, 0) as again:  # what is on disk can be seen
            assert again.socket.until("board")["board"]["facts"]["turn"] == confirmed
        store._database.execute("PRAGMA max_page_count = 100000")
        with site.seat(table, confirmed % 2) as again:  # and goes on when there is room again
            again.act({"turn": confirmed}, {"type": "play", "slot": 0})
            assert again.socket.until("done", "error")["turn"] == confirmed + 1


def test_a_strategy_whose_action_cannot_be_saved(tmp_path: Path) -> None:
    store = Store(tmp_path / "tables.sqlite")
    for site in running(store):
        table = site.table(players=2, humans=[1], strategies="random")
        store._database.execute(
            "CREATE TRIGGER x BEFORE INSERT ON actions BEGIN SELECT RAISE(ABORT, 'no room'); END"
        )
        with site.seat(table, 1) as seat:
            words = "the table could not be saved; nothing happened"
            assert seat.socket.until("error")["error"] == words
            assert seat.socket.is_closed()
        store._database.execute("DROP TABLE actions")
        with site.seat(table, 1) as seat:
            assert seat.socket.until("error")["error"] == "the file of tables cannot be read"


def test_a_table_that_makes_no_sense(tmp_path: Path) -> None:
    store = Store(tmp_path / "tables.sqlite")
    for site in running(store):
        odd: list[Message] = [{}, {"rules": 5}, {"rules": "classic", "players": 2}]
        for number, setup in enumerate(odd):
            store.create(f"odd{number}", setup).result()
            with site.socket(f"/ws/table/odd{number}") as socket:
                socket.send({"type": "join"})
                assert "cannot be read" in socket.until("error")["error"]
                assert socket.is_closed()
            asked = site.post("/api/tables/now", {"tables": [f"odd{number}"]})
            assert asked.status_code == 400
        store._enqueue(("INSERT INTO tables VALUES ('text', 0, 'no JSON')", ())).result()
        with site.socket("/ws/table/text") as socket:
            socket.send({"type": "join"})
            assert "cannot be read" in socket.until("error")["error"]
