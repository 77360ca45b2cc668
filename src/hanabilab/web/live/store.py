"""Keep tables on disk: how each was set up, and every action since.

SQLite with a write-ahead log. One thread writes; everything that waits for it goes into one
transaction, and an action is confirmed only when its transaction is on the disk.
"""

from __future__ import annotations

import json
import queue
import sqlite3
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from hanabilab.errors import HanabiError

__all__ = ["KEPT_DAYS", "Store"]

KEPT_DAYS = 30
"""Days for which a table is kept after its last action."""
MAX_TABLES = 20_000
DAY = 86_400.0

SCHEMA = """
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
"""

Statement = tuple[str, tuple[str | float, ...]]
Order = tuple[list[Statement], "Future[None]"]


class Store:
    """The file in which a server keeps its tables."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(0o600)
            self._base = self._open()
        except (OSError, sqlite3.Error) as error:
            raise HanabiError(f"{path}: cannot be used for tables: {error}") from None
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._reading = threading.Lock()
        self._reader = sqlite3.connect(path, check_same_thread=False)
        self._writer = threading.Thread(target=self._write, name="store", daemon=True)
        self._writer.start()

    def _open(self) -> sqlite3.Connection:
        base = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=2)
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = FULL")
        base.execute("PRAGMA foreign_keys = ON")
        base.executescript(SCHEMA)
        return base

    def _write(self) -> None:
        """Carry out orders until told to stop; those that wait share one transaction."""
        while (order := self._orders.get()) is not None:
            orders: list[Order | None] = [order]
            while not self._orders.empty():
                orders.append(self._orders.get())
            self._commit([order for order in orders if order is not None])
            if None in orders:
                return

    def _commit(self, orders: list[Order]) -> None:
        try:
            self._base.execute("BEGIN IMMEDIATE")
            for statements, _ in orders:
                for statement in statements:
                    self._base.execute(*statement)
            self._base.execute("COMMIT")
        except sqlite3.Error as error:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            if len(orders) > 1:  # one of them fails the others: try each on its own
                for order in orders:
                    self._commit([order])
                return
            problem = HanabiError(f"the table could not be saved: {error}")
            orders[0][1].set_exception(problem)
            return
        for _, future in orders:
            future.set_result(None)

    def _order(self, *statements: Statement) -> Future[None]:
        done: Future[None] = Future()
        self._orders.put((list(statements), done))
        return done

    def create(self, table: str, setup: Mapping[str, object]) -> Future[None]:
        """Save a new table."""
        row = (table, time.time(), json.dumps(setup))
        return self._order(("INSERT INTO tables VALUES (?, ?, ?)", row))

    def act(self, table: str, turn: int, number: int) -> Future[None]:
        """Save the action of a turn; a second one for the same turn fails."""
        return self._order(
            ("INSERT INTO actions VALUES (?, ?, ?)", (table, turn, number)),
            ("UPDATE tables SET touched = ? WHERE id = ?", (time.time(), table)),
        )

    def undo(self, table: str, turn: int) -> Future[None]:
        """Delete the actions from this turn on."""
        return self._order(("DELETE FROM actions WHERE id = ? AND turn >= ?", (table, turn)))

    def forget_old(self, days: float = KEPT_DAYS) -> Future[None]:
        """Delete tables without an action in the last `days` days."""
        limit = time.time() - days * DAY
        return self._order(("DELETE FROM tables WHERE touched < ?", (limit,)))

    def load(self, table: str) -> tuple[dict[str, Any], list[int]] | None:
        """Return a table's setup and actions, or None if there is no such table."""
        with self._reading:
            row = self._reader.execute("SELECT setup FROM tables WHERE id = ?", (table,)).fetchone()
            if row is None:
                return None
            actions = self._reader.execute(
                "SELECT number FROM actions WHERE id = ? ORDER BY turn", (table,)
            ).fetchall()
        return json.loads(row[0]), [number for (number,) in actions]

    def is_full(self) -> bool:
        """Tell whether there are as many tables as may be kept."""
        with self._reading:
            count = self._reader.execute("SELECT count(*) FROM tables").fetchone()[0]
        return int(count) >= MAX_TABLES

    def close(self) -> None:
        """Write what waits and stop."""
        self._orders.put(None)
        self._writer.join()
        self._base.close()
        self._reader.close()
