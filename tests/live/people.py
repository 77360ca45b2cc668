"""People at the stand-in server: a raw connection, driven by what the server knows."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
from websockets.asyncio.client import connect

from hanabilab.formats.hanablive.options import colours_of
from hanabilab.live import Client, Settings
from tests.live.stand_in import StandIn, Table

PROMPT = Settings(delay=0, linger=0)


class Person:
    """Someone who invites a bot and plays legal actions at random."""

    def __init__(self, server: StandIn, name: str, socket: Any) -> None:
        self.server, self.name, self.socket = server, name, socket
        self.heard: list[tuple[str, Any]] = []
        self.random = random.Random(name)

    async def listen(self) -> None:
        """Note down everything that arrives, and load games."""
        async for frame in self.socket:
            command, _, text = frame.partition(" ")
            data = json.loads(text)
            self.heard.append((command, data))
            if command == "tableStart" and not data["replay"]:
                for each in ("getGameInfo1", "getGameInfo2", "loaded"):
                    await self.send(each, tableID=data["tableID"])

    async def send(self, command: str, **fields: Any) -> None:
        await self.socket.send(f"{command} {json.dumps(fields)}")

    async def whisper(self, bot: str, text: str) -> None:
        await self.send("chatPM", msg=text, recipient=bot)

    def whispers(self) -> list[str]:
        """What bots wrote to this person."""
        chats = [data for command, data in self.heard if command == "chat"]
        return [
            chat["msg"] for chat in chats if chat["recipient"] == self.name and not chat["server"]
        ]

    async def open_table(self, **fields: Any) -> Table:
        known = set(self.server.tables)

        def own() -> list[Table]:
            tables = self.server.tables.items()
            return [each for key, each in tables if key not in known and each.owner == self.name]

        await self.send("tableCreate", name="test", **fields)
        await until(own)
        return own()[0]

    async def invite(self, bot: str, table: Table, password: str = "") -> None:
        for _ in range(10):  # the bot may be offline for a moment
            await self.whisper(bot, f"/join {password}".strip())
            with contextlib.suppress(AssertionError):
                await until(lambda: bot in table.players, 2)
                return
        raise AssertionError(f"the bot does not come: {self.whispers()}")

    async def play(self, table: Table, turns: int = 1000) -> None:
        """Act at random whenever it is this person's turn, until the game is over."""
        for _ in range(turns):
            await until(lambda: table.replay or self.is_to_move(table))
            if table.replay:
                return
            await self.act(table)

    def is_to_move(self, table: Table) -> bool:
        game = table.game
        return game is not None and table.players[game.player] == self.name and not table.paused

    async def act(self, table: Table) -> None:
        game = table.game
        assert game is not None
        turn, legal = game.turn, game.legal_actions()
        hints = [each for each in legal if each.type.startswith("hint")]
        discards = [each for each in legal if each.type == "discard"]
        action = self.random.choice(hints or discards or legal)
        fields: dict[str, Any] = {"type": 3, "target": action.target, "value": action.value}
        if action.type == "hint_suit":
            fields |= {"type": 2, "value": colours_of(game.rules).index(action.value)}
        elif not hints:
            kind = 0 if action.type == "play" else 1
            fields = {"type": kind, "target": table.orders[game.player][action.slot]}
        await self.send("action", tableID=table.id, **fields)
        await until(lambda: table.replay or game.turn != turn)


async def until(condition: Callable[[], object], seconds: float = 20) -> None:
    """Wait for something that must happen."""
    for _ in range(int(seconds / 0.005)):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not happen")


@contextlib.asynccontextmanager
async def person(server: StandIn, name: str = "alice") -> AsyncIterator[Person]:
    form = {"username": name, "password": "p", "version": "bot"}
    async with httpx.AsyncClient() as http:
        answer = await http.post(f"{server.address}/login", data=form)
    cookie = "; ".join(text.partition(";")[0] for text in answer.headers.get_list("set-cookie"))
    address = f"ws://127.0.0.1:{server.port}/ws"
    async with connect(address, additional_headers={"Cookie": cookie}) as socket:
        someone = Person(server, name, socket)
        task = asyncio.create_task(someone.listen())
        await until(lambda: name in server.online)
        try:
            yield someone
        finally:
            task.cancel()


@contextlib.asynccontextmanager
async def bot(
    server: StandIn,
    name: str = "Bot-Hanna",
    strategy: str = "piers",
    settings: Settings = PROMPT,
) -> AsyncIterator[tuple[Client, list[str]]]:
    """Run a client until the block ends; also return what it reported."""
    lines: list[str] = []
    client = Client(
        name, "secret", strategy, server=server.address, settings=settings, report=lines.append
    )
    task = asyncio.create_task(client.run())
    try:
        await until(lambda: name in server.online)
        yield client, lines
    finally:
        await client.stop()
        with contextlib.suppress(Exception):
            await asyncio.wait_for(task, 10)
