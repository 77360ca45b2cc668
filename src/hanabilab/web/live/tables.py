"""Live tables: people and strategies in their seats, each shown what that seat may see."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from hanabilab.errors import ActionError, FormatError, HanabiError
from hanabilab.web.connections import Connection
from hanabilab.web.game_codes import encode_game
from hanabilab.web.live.setup import Setup, read_setup
from hanabilab.web.live.shared_game import SharedGame
from hanabilab.web.live.store import Store
from hanabilab.web.messages import Fields, refusal, safe_number, written

__all__ = ["LiveTable", "LiveTables"]

THREADS = 4
SLOW_THREADS = 2
ID_BYTES = 12
CLEANING = 3600.0
"""Seconds between two looks for old tables."""

LOG = logging.getLogger("uvicorn.error")

Result = TypeVar("Result")
Confirm = Callable[[int], None]


class LiveTable:
    """One table and whoever is connected to it."""

    def __init__(self, tables: LiveTables, name: str, setup: Setup, shared: SharedGame) -> None:
        self.tables, self.name = tables, name
        self.setup, self.shared = setup, shared
        self.connections: dict[Connection, int | None] = {}
        self.lock = asyncio.Lock()
        self.playing: asyncio.Task[None] | None = None

    def join(self, connection: Connection, seat: int | None) -> None:
        """Somebody sits down, or watches."""
        self.connections[connection] = seat

    async def welcome(self, connection: Connection) -> None:
        """Tell everybody who is here, and the newcomer how things stand."""
        async with self.lock:
            self.introduce()
            turns = self.shared.turns_for(self.connections.get(connection))
            connection.send({"type": "turns", "turns": turns})
            await self.show([connection])
        self.wake()

    def leave(self, connection: Connection) -> None:
        """Somebody is gone."""
        if self.connections.pop(connection, -1) != -1:
            self.introduce()
        self.settle()

    def settle(self) -> None:
        """A table that nobody looks at, and where nobody is about to act, waits on disk."""
        idle = self.playing is None and not self.lock.locked()
        if idle and not self.connections:
            self.tables.drop(self)

    def introduce(self) -> None:
        """Say who sits where and who is here."""
        here = set(self.connections.values())
        setup = self.setup
        for connection, viewer in self.connections.items():
            told_seed = setup.tells_seed(viewer)
            seats = [
                {
                    "player": player,
                    "name": name,
                    "human": player in setup.keys,
                    "here": player in here or player not in setup.keys,
                }
                for player, name in enumerate(setup.names(viewer))
            ]
            connection.send(
                {
                    "type": "table",
                    "table": self.name,
                    "rules": setup.rules.to_dict(),
                    "players": setup.rules.players,
                    "seats": seats,
                    "you": viewer,
                    "practice": setup.practice,
                    "given": setup.given_deck,
                    "seed": safe_number(setup.seed) if told_seed else None,
                    "game": safe_number(setup.game) if told_seed else None,
                }
            )

    async def show(self, connections: list[Connection]) -> None:
        """Send each one the board as that viewer sees it, and the end of the game if it is over."""
        viewers = {self.connections[one] for one in connections if one in self.connections}
        texts = await self.tables.in_thread(
            lambda: {viewer: written(self.board_message(viewer)) for viewer in viewers}
        )
        for one in connections:
            if one in self.connections:
                one.send_text(texts[self.connections[one]])
                if self.shared.game.is_over:
                    one.send(self.ending())

    def board_message(self, viewer: int | None) -> dict[str, Any]:
        """The board as a viewer sees it."""
        return {
            "type": "board",
            "board": self.shared.board_for(viewer),
            "can_undo": self.can_undo(viewer),
            "thinking": self.shared.partner_to_move is not None,
        }

    def ending(self) -> dict[str, Any]:
        """The whole game, for everybody."""
        game = self.shared.game
        code = encode_game(game)
        return {
            "type": "over",
            "score": game.score,
            "end": game.end,
            "code": code,
            "replay": f"/watch?code={code}",
            "seed": None if self.setup.given_deck else safe_number(self.setup.seed),
            "game_number": None if self.setup.given_deck else safe_number(self.setup.game),
            "game": game.to_dict(),
        }

    def can_undo(self, seat: int | None) -> bool:
        """May this viewer take a turn back?"""
        return (
            self.setup.practice and seat is not None and self.shared.turn_before(seat) is not None
        )

    async def act(self, seat: int | None, fields: Fields, confirm: Confirm) -> None:
        """A person acts; it is confirmed with the number of turns once it is on disk."""
        turn: int = fields.whole("turn", 0, 1 << 30)
        action = fields.take("action")
        fields.finish()
        if seat is None:
            raise ActionError("whoever only watches cannot act")
        async with self.lock:
            game = self.shared.game
            if turn != game.turn:
                raise ActionError(f"turn: {turn} is not the turn to be taken, which is {game.turn}")
            if not game.is_over and game.player != seat:
                raise ActionError(f"it is player {game.player}'s turn, not yours")
            number = self.shared.number_of(action)
            await self.keep(number, confirm)

    async def keep(self, number: int, confirm: Confirm) -> None:
        """Put an action on disk and confirm it, then take it and show it."""
        try:
            await asyncio.wrap_future(
                self.tables.store.act(self.name, self.shared.game.turn, number)
            )
        except HanabiError:
            self.tables.drop(self)  # the file is right, whatever it says
            raise
        confirm(self.shared.game.turn + 1)
        shared = self.shared
        await self.tables.in_thread(lambda: shared.take(number))
        await self.show(list(self.connections))

    async def undo(self, seat: int | None, confirm: Confirm) -> None:
        """Go back to this player's turn before."""
        async with self.lock:
            if not self.setup.practice:
                raise ActionError("turns can be taken back in practice only")
            turn = None if seat is None else self.shared.turn_before(seat)
            if turn is None:
                raise ActionError("there is no turn of yours to take back")
            await asyncio.wrap_future(self.tables.store.undo(self.name, turn))
            confirm(turn)
            setup, numbers = self.setup, self.shared.numbers[:turn]
            self.shared = await self.tables.in_thread(lambda: SharedGame(setup, numbers))
            await self.show(list(self.connections))

    def wake(self) -> None:
        """Let strategies act if it is their turn."""
        if self.shared.partner_to_move and self.playing is None:
            self.playing = asyncio.create_task(self.play_on())

    async def play_on(self) -> None:
        """Take strategies' turns until it is a person's."""
        status = ""
        try:
            while self.connections and (partner := self.shared.partner_to_move):
                if partner.strategy.slow and not status:
                    status = f"{partner.strategy.name} is thinking (it is compiled the first time)"
                    self.say({"type": "status", "words": status})
                async with self.lock:
                    if self.shared.partner_to_move:
                        number = await self.tables.in_thread(
                            self.shared.choose, slow=partner.strategy.slow
                        )
                        await self.keep(number, lambda turn: None)
        except HanabiError as error:
            self.say({"type": "error", "id": None, "error": refusal(error)})
        except Exception:
            LOG.exception("a strategy could not act")
            self.say({"type": "error", "id": None, "error": "something went wrong in the server"})
        finally:
            self.playing = None
            if status:
                self.say({"type": "status", "words": ""})
            self.settle()

    def say(self, message: dict[str, Any]) -> None:
        """Tell everybody who is connected."""
        for connection in self.connections:
            connection.send(message)


class LiveTables:
    """All tables: on disk, and in memory while somebody is connected."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.open: dict[str, LiveTable] = {}
        self.loading: dict[str, asyncio.Task[LiveTable]] = {}
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="tables")
        self.slow_threads = ThreadPoolExecutor(SLOW_THREADS, thread_name_prefix="slow-tables")

    async def in_thread(self, work: Callable[[], Result], *, slow: bool = False) -> Result:
        """Do some work while the server goes on answering; who is slow waits for the slow only."""
        pool = self.slow_threads if slow else self.threads
        return await asyncio.get_running_loop().run_in_executor(pool, work)

    async def create(self, fields: Fields) -> dict[str, Any]:
        """Set up a table; the answer has its keys."""
        setup, keys = await self.in_thread(lambda: read_setup(fields))
        if await self.in_thread(self.store.is_full):
            raise HanabiError("there are too many tables; come back later")
        name = secrets.token_urlsafe(ID_BYTES)
        await asyncio.wrap_future(self.store.create(name, setup.to_dict()))
        return {
            "table": name,
            "seats": {str(player): key for player, key in keys.items()},
            "watch": f"/play?table={name}",
        }

    async def enter(self, name: str, key: str | None, connection: Connection) -> LiveTable:
        """The table of this name, with one more connection."""
        table = await self._find(name)
        seat = None if key is None else table.setup.seat_of(key)
        if key is not None and seat is None:
            table.settle()
            raise FormatError("seat: this key opens no seat of this table")
        table.join(connection, seat)
        return table

    async def _find(self, name: str) -> LiveTable:
        """A table in memory; who comes while it is being loaded waits for the same one."""
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
            raise FormatError("there is no such table")
        setup = Setup.from_json(found[0])
        return LiveTable(self, name, setup, SharedGame(setup, found[1]))

    def drop(self, table: LiveTable) -> None:
        """Forget what is in memory of a table; whoever is still there has to join again."""
        if self.open.get(table.name) is table:
            del self.open[table.name]
        for connection in list(table.connections):
            connection.close()

    async def clean(self) -> None:
        """Remove old tables, now and then."""
        while True:
            with contextlib.suppress(HanabiError):
                await asyncio.wrap_future(self.store.forget_old())
            await asyncio.sleep(CLEANING)

    def close(self) -> None:
        """End with everything on disk."""
        for pool in (self.threads, self.slow_threads):
            pool.shutdown(wait=False, cancel_futures=True)
        self.store.close()
