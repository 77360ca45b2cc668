"""Store tables in an SQLite file: the setup of each, and every action.

The file has a write-ahead log. One thread writes; everything queued for it goes into one
transaction, and an action is confirmed only when its transaction is on disk. A file is locked by
its server: a second one would not see the actions that the first has confirmed.
"""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from hanabilab.errors import FormatError, HanabiError, SaveError
from hanabilab.lab.files import file_lock

__all__ = ["Store"]

LOG = logging.getLogger("uvicorn.error")
KEPT_DAYS = 30
"""Days for which a table is kept after its last action."""
UNUSED_DAYS = 1
"""Days for which a table without actions is kept."""
MAX_TABLES = 20_000
DAY = 86_400.0

APPLICATION_ID = 0x48616E61
"""SQLite's `application_id`, which marks the file as ours."""
SCHEMA_VERSION = 1
"""The version of the schema, SQLite's `user_version`; files before the first say 0."""
COLUMNS = {"tables": ["id", "touched", "setup"], "actions": ["id", "turn", "number"]}
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS tables (
    id TEXT PRIMARY KEY,
    touched REAL NOT NULL,
    setup TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS actions (
    id TEXT NOT NULL REFERENCES tables ON DELETE CASCADE,
    turn INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (id, turn)
) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""

REASONS = {"SQLITE_FULL": ": the disk is full"}
"""What a client is told about an error of SQLite, whose own text is for the log."""

Statement = tuple[str, tuple[str | float, ...]]
WriteRequest = tuple[list[Statement], "Future[None]"]


class Store:
    """The file that stores the tables of a server."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with contextlib.ExitStack() as stack:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                stack.enter_context(file_lock(path))
                _create(path)
                self._database = self._open()
            except (OSError, sqlite3.Error, FormatError) as error:
                raise HanabiError(f"{path}: cannot be used for tables: {error}") from None
            self._lock = stack.pop_all()
        self._requests: queue.SimpleQueue[WriteRequest | None] = queue.SimpleQueue()
        self._reading = threading.Lock()
        self._reader = sqlite3.connect(path, check_same_thread=False)
        self._writer = threading.Thread(target=self._write, name="store", daemon=True)
        self._writer.start()

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(
            self.path, isolation_level=None, check_same_thread=False, timeout=2
        )
        try:
            _check(database)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            database.execute("PRAGMA foreign_keys = ON")
            database.executescript(SCHEMA)
        except BaseException:
            database.close()
            raise
        return database

    def _write(self) -> None:
        """Write requests until told to stop; all that are queued share one transaction."""
        while (request := self._requests.get()) is not None:
            requests: list[WriteRequest | None] = [request]
            while not self._requests.empty():
                requests.append(self._requests.get())
            self._commit([request for request in requests if request is not None])
            if None in requests:
                return

    def _commit(self, requests: list[WriteRequest]) -> None:
        try:
            self._database.execute("BEGIN IMMEDIATE")
            for statements, _ in requests:
                for statement in statements:
                    self._database.execute(*statement)
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):  # it may be rolled back already
                self._database.execute("ROLLBACK")
            if len(requests) > 1:  # one of them fails the others: try each on its own
                for request in requests:
                    self._commit([request])
                return
            LOG.error("%s: a table could not be saved: %s", self.path, error)
            reason = REASONS.get(error.sqlite_errorname, "")
            problem = SaveError(f"the table could not be saved{reason}; nothing happened")
            requests[0][1].set_exception(problem)
            return
        for _, future in requests:
            future.set_result(None)

    def _enqueue(self, *statements: Statement) -> Future[None]:
        done: Future[None] = Future()
        self._requests.put((list(statements), done))
        return done

    def create(self, table: str, setup: Mapping[str, object]) -> Future[None]:
        """Save a new table."""
        row = (table, time.time(), json.dumps(setup))
        return self._enqueue(("INSERT INTO tables VALUES (?, ?, ?)", row))

    def act(self, table: str, turn: int, number: int) -> Future[None]:
        """Save the action of a turn; a second one for the same turn fails."""
        return self._enqueue(
            ("INSERT INTO actions VALUES (?, ?, ?)", (table, turn, number)),
            ("UPDATE tables SET touched = ? WHERE id = ?", (time.time(), table)),
        )

    def undo(self, table: str, turn: int) -> Future[None]:
        """Delete the actions from this turn on."""
        return self._enqueue(("DELETE FROM actions WHERE id = ? AND turn >= ?", (table, turn)))

    def delete_old(self, days: float = KEPT_DAYS, unused: float = UNUSED_DAYS) -> Future[None]:
        """Delete tables without an action in the last days, and sooner those without any at all."""
        now = time.time()
        return self._enqueue(
            ("DELETE FROM tables WHERE touched < ?", (now - days * DAY,)),
            (
                "DELETE FROM tables WHERE touched < ? "
                "AND NOT EXISTS (SELECT 1 FROM actions WHERE actions.id = tables.id)",
                (now - unused * DAY,),
            ),
        )

    def _read(self, query: str, *values: str) -> list[Any]:
        try:
            with self._reading:
                return self._reader.execute(query, values).fetchall()
        except sqlite3.Error as error:
            LOG.error("%s: the file of tables cannot be read: %s", self.path, error)
            raise SaveError("the file of tables cannot be read") from None

    def load(self, table: str) -> tuple[dict[str, Any], list[int]] | None:
        """Return a table's setup and actions, or None if there is no such table.

        Raise if its setup or one of its turns is missing: the game would go on from another board.
        """
        found = self._read("SELECT setup FROM tables WHERE id = ?", table)
        actions = self._read("SELECT turn, number FROM actions WHERE id = ? ORDER BY turn", table)
        if not found and not actions:
            return None
        if not found:
            raise SaveError("the table is damaged: its setup is missing")
        for expected, (turn, _) in enumerate(actions):
            if turn != expected:
                raise SaveError(f"the table is damaged: turn {expected} is missing")
        try:
            return json.loads(found[0][0]), [number for _, number in actions]
        except ValueError:
            raise SaveError("the file of tables cannot be read: a table is not JSON") from None

    def is_full(self) -> bool:
        """Return whether the file holds as many tables as it may."""
        return int(self._read("SELECT count(*) FROM tables")[0][0]) >= MAX_TABLES

    def close(self) -> None:
        """Write everything that is queued, then stop."""
        self._requests.put(None)
        self._writer.join()
        self._database.close()
        self._reader.close()
        self._lock.close()


def _create(path: Path) -> None:
    """Create a file that only its owner can read; raise if it exists and is empty."""
    if not path.exists():
        path.touch(0o600)
    elif path.is_file() and not path.stat().st_size:
        raise FormatError("it is empty, so any tables in it are lost; remove it to start anew")


def _check(database: sqlite3.Connection) -> None:
    """Raise if a file is damaged or not one of ours; change nothing."""
    names = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE sql != ''")}
    application, version = (
        database.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("application_id", "user_version")
    )
    if not names and application in (0, APPLICATION_ID):
        return
    if application not in (0, APPLICATION_ID) or not names <= set(COLUMNS):
        raise FormatError("it is a database of another program")
    if version > SCHEMA_VERSION:
        raise FormatError("a later version of hanabilab wrote it")
    for table, columns in COLUMNS.items():
        if [row[1] for row in database.execute(f"PRAGMA table_info({table})")] != columns:
            raise FormatError("it is a database of another program")
    (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise FormatError(f"it is damaged: {' '.join(found.split())}")
