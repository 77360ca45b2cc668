"""Many games of the client at the stand-in server, with faults: `make live-test`.

Connections are lost, games paused, terminated and voted to an end, bots kicked, and strangers chat
while several tables play at once. Every game must end, every record must equal the server's game,
and the address must never be banned.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import tempfile
from collections import Counter
from pathlib import Path

from hanabilab.live import Settings, commands, connection
from hanabilab.table.game import Game
from tests.live.people import Person, bot, person, until
from tests.live.stand_in import StandIn, Table

BOT = "Bot-Hanna"
GAMES = int(os.environ.get("HANABILAB_LIVE_GAMES", "200"))
PEOPLE = ("alice", "bob", "cathy", "donald")
VARIANTS = (
    "No Variant",
    "Rainbow (5 Suits)",
    "6 Suits",
    "Clue Starved (6 Suits)",
    "Null (5 Suits)",
)
FAULTS = ("none", "none", "drop", "pause", "terminate", "kick", "vote", "chatter")


async def one_game(server: StandIn, someone: Person, number: int) -> str:
    """Play a game with one fault in it; return the fault."""
    chance = random.Random(number)
    fault = chance.choice(FAULTS)
    options = {"variantName": chance.choice(VARIANTS), "deckPlays": chance.random() < 0.3}
    table = await someone.open_table(options=options)
    await someone.invite(BOT, table)
    if fault == "kick":
        await server.kick(table, BOT)
        await someone.send("tableLeave", tableID=table.id)
        await until(lambda: table.id not in server.tables)
        return fault
    await begin(someone, table)
    await someone.play(table, turns=chance.randrange(12))
    await inject(server, someone, table, fault)
    await someone.play(table)
    await someone.send("tableUnattend", tableID=table.id)
    await until(lambda: BOT not in table.spectators, 60)
    return fault


async def begin(someone: Person, table: Table) -> None:
    """Start a game; the bot may lose its seat when another table makes it lose its connection."""
    for _ in range(20):
        await someone.send("tableStart", tableID=table.id)
        with contextlib.suppress(AssertionError):
            await until(lambda: table.game is not None, 1)
            return
        await someone.invite(BOT, table)
    raise AssertionError("the game does not start")


async def inject(server: StandIn, someone: Person, table: Table, fault: str) -> None:
    if table.replay:
        return
    if fault == "drop":
        await server.drop(BOT)
        await until(lambda: BOT in table.loaded or table.replay, 60)
    elif fault == "pause":
        await server.set_pause(table, active=True)
        await asyncio.sleep(0.05)
        await server.set_pause(table, active=False)
    elif fault in ("terminate", "vote"):
        await server.end(table, 4 if fault == "terminate" else 10)
    elif fault == "chatter":
        for text in ("/why 1", "/help", "hello <b>", "/join", "/settings 99", "/strategy"):
            await someone.whisper(BOT, text)


async def soak(folder: Path) -> Counter[str]:
    faults: Counter[str] = Counter()
    settings = Settings(delay=0, linger=0, save=folder)
    async with (
        StandIn(7).running() as server,
        bot(server, strategy="random", settings=settings) as (_, lines),
    ):
        finished: dict[int, Game] = {}

        async def visitor(name: str, seat: int) -> None:
            for number in range(seat, GAMES, len(PEOPLE)):
                async with person(server, name) as someone:
                    faults[await one_game(server, someone, number)] += 1

        original = server._finish

        async def remember(table: Table) -> None:
            await original(table)
            assert table.game is not None
            finished[server.next_game] = table.game

        server._finish = remember  # type: ignore[method-assign]
        try:
            await asyncio.gather(*(visitor(name, seat) for seat, name in enumerate(PEOPLE)))
        except AssertionError:
            print(*lines[-20:], sep="\n")
            raise
        assert not server.banned
    compare(folder, finished)
    print(f"{len(finished)} games finished, {len(list(folder.iterdir()))} records equal")
    return faults


def compare(folder: Path, finished: dict[int, Game]) -> None:
    """Compare every record with the game that the server played."""
    for file in folder.iterdir():
        data = json.loads(file.read_text())
        assert Game.from_json(data) == finished[int(file.stem)], file


def main() -> None:
    """Run the soak and print what was injected."""
    connection.PER_SECOND = 90.0
    connection.FIRST_DELAY = 0.05
    connection.STEADY = 0.2
    commands.MOST_ANSWERS = 10_000
    with tempfile.TemporaryDirectory() as folder:
        print(dict(asyncio.run(soak(Path(folder)))))


if __name__ == "__main__":
    main()
