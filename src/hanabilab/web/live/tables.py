"""All live tables: set up, found, loaded into memory, and dropped again."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from hanabilab.errors import FormatError, HanabiError
from hanabilab.web.connections import Connection
from hanabilab.web.lanes import Lane
from hanabilab.web.live.setup import Setup, read_setup
from hanabilab.web.live.shared_game import SharedGame
from hanabilab.web.live.standing import MAX_ASKED, standings
from hanabilab.web.live.store import Store
from hanabilab.web.live.table import LiveTable
from hanabilab.web.messages import Fields, JsonObject
from hanabilab.web.quotas import BusyError, HourlyQuota

__all__ = ["LiveTables"]

THREADS = 2
"""More would only take Python's lock from the thread that confirms actions."""
SLOW_THREADS = 3
LOOKING = 2
"""Requests for how tables stand that are answered at a time."""
ID_BYTES = 12
NEW_TABLES = 600
"""Tables that one client may set up in an hour: too few to fill the file within a day."""
CLEANING = 3600.0
"""Seconds between two removals of old tables."""

Result = TypeVar("Result")


class LiveTables:
    """All tables: on disk, and in memory while somebody is connected."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.new_tables = HourlyQuota(NEW_TABLES)
        self.open: dict[str, LiveTable] = {}
        self.loading: dict[str, asyncio.Task[LiveTable]] = {}
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="tables")
        self.looking, self.thinking = Lane(LOOKING), Lane(SLOW_THREADS)
        self.slow_threads = ThreadPoolExecutor(SLOW_THREADS, thread_name_prefix="slow-tables")

    async def in_thread(self, work: Callable[[], Result], *, slow: bool = False) -> Result:
        """Work in a thread while the server goes on; slow work only holds up other slow work."""
        pool = self.slow_threads if slow else self.threads
        return await asyncio.get_running_loop().run_in_executor(pool, work)

    async def create(self, client: str, fields: Fields) -> JsonObject:
        """Set up a table for a client; return its name and its keys."""
        setup, keys = await self.in_thread(lambda: read_setup(fields))
        if await self.in_thread(self.store.is_full):
            raise BusyError("there are too many tables; come back later")
        self.new_tables.take(client, f"{self.new_tables.most} tables in an hour are enough")
        name = secrets.token_urlsafe(ID_BYTES)
        await asyncio.wrap_future(self.store.create(name, setup.to_dict()))
        return {
            "table": name,
            "seats": {str(player): key for player, key in keys.items()},
            "watch": f"/play?table={name}",
            "warning": setup.warning,
        }

    async def now(self, client: str, fields: Fields) -> JsonObject:
        """Return how tables stand, as any spectator can see; tables that are gone are left out."""
        names = fields.texts("tables", MAX_ASKED, 40)
        fields.finish()
        async with self.looking.place(client, lambda ahead: None):
            return {"tables": await asyncio.to_thread(standings, self.store, names)}

    async def enter(self, name: str, key: str | None, connection: Connection) -> LiveTable:
        """Add a connection to the table of this name and return the table."""
        table = await self._find(name)
        seat = None if key is None else table.setup.seat_of(key)
        if key is not None and seat is None:
            table.settle()
            raise FormatError("seat: this key opens no seat of this table")
        table.join(connection, seat)
        return table

    async def _find(self, name: str) -> LiveTable:
        """Return a table in memory; whoever asks while it is being loaded gets the same one."""
        if name not in self.open:
            if name not in self.loading:
                load = self.in_thread(lambda: self._load(name))
                self.loading[name] = asyncio.create_task(load)
            try:
                loaded = await asyncio.shield(self.loading[name])
            finally:
                self.loading.pop(name, None)
            self.open.setdefault(name, loaded)
        return self.open[name]

    def _load(self, name: str) -> LiveTable:
        found = self.store.load(name)
        if found is None:
            raise FormatError("no such table")
        setup = Setup.from_dict(found[0])
        return LiveTable(self, name, setup, SharedGame(setup, found[1]))

    def drop(self, table: LiveTable) -> None:
        """Drop a table from memory; whoever is still connected has to join again.

        After a failed save the file decides how the game stands.
        """
        if self.open.get(table.name) is table:
            del self.open[table.name]
        for connection in list(table.connections):
            connection.close()

    async def clean(self) -> None:
        """Remove old tables from time to time."""
        while True:
            with contextlib.suppress(HanabiError):
                await asyncio.wrap_future(self.store.forget_old())
            await asyncio.sleep(CLEANING)

    def close(self) -> None:
        """Stop with everything on disk."""
        for pool in (self.threads, self.slow_threads):
            pool.shutdown(wait=False, cancel_futures=True)
        self.store.close()
