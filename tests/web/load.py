"""Measure how long people wait for a confirmation and for their next turn at many tables at once.

    python -m tests.web.load --tables 400 --turns 10 --idle 1000

Each table has one person and two strategies; the person thinks for `--think` seconds on average,
then acts. `--idle` spectators sit at one more table, where nothing happens. The server runs in a
process of its own. The load of the machine is printed too, because it decides the figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect

from tests.web.clients import WORDS, Message, Site, harmless
from tests.web.processes import process

STRATEGIES = ("information", "rule-based", "piers", "iggi")


@dataclass
class Waits:
    """Seconds from an action to its confirmation, and to this person's next turn."""

    confirmed: list[float] = field(default_factory=list)
    own_turn: list[float] = field(default_factory=list)


async def play(site: Site, table: Message, turns: int, think: float, waits: Waits) -> None:
    """Play the first turns of one person's game."""
    async with connect(f"ws://{site.host}/ws/table/{table['table']}", max_size=None) as socket:
        await socket.send(json.dumps({"type": "join", "seat": table["seats"]["0"]}))
        facts = await own_turn(socket)
        for turn in range(turns):
            if facts is None:
                return
            await asyncio.sleep(random.uniform(0, 2 * think))
            action = {key: each for key, each in harmless(facts).items() if key not in WORDS}
            started = time.perf_counter()
            message = {"type": "act", "id": turn, "turn": facts["turn"], "action": action}
            await socket.send(json.dumps(message))
            await until_done(socket)
            waits.confirmed.append(time.perf_counter() - started)
            facts = await own_turn(socket)
            waits.own_turn.append(time.perf_counter() - started)


async def own_turn(socket: ClientConnection) -> Message | None:
    """Return the facts when it is this person's turn, or None if the game is over."""
    while True:
        message: Message = json.loads(await socket.recv())
        if message["type"] == "over":
            return None
        if message["type"] == "board" and message["board"]["facts"]["actions"]:
            facts: Message = message["board"]["facts"]
            return facts


async def until_done(socket: ClientConnection) -> None:
    """Wait for the confirmation; skip the boards that come before it."""
    while True:
        message: Message = json.loads(await socket.recv())
        assert message["type"] != "error", message
        if message["type"] == "done":
            return


async def play_all(site: Site, count: int, turns: int, think: float, idle: int = 0) -> Waits:
    """Play at all tables at once, while others look on at a table where nothing happens."""
    tables = [
        site.table(players=3, humans=[0], strategies=STRATEGIES[number % 4], rules={"lives": None})
        for number in range(count)
    ]
    quiet = site.table(players=2, humans=[0, 1])
    waits = Waits()
    async with AsyncExitStack() as stack:
        spectators = [
            await stack.enter_async_context(connect(f"ws://{site.host}/ws/table/{quiet['table']}"))
            for _ in range(idle)
        ]
        for spectator in spectators:
            await spectator.send(json.dumps({"type": "join"}))
        await asyncio.gather(*(play(site, table, turns, think, waits) for table in tables))
        assert all(spectator.close_code is None for spectator in spectators)
    return waits


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process, where the system tells (Linux)."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return math.nan
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def in_words(waits: list[float]) -> str:
    """Return the median, the 99th percentile and the longest wait in milliseconds."""
    late = statistics.quantiles(waits, n=100)[98]
    numbers = [f"{1000 * wait:.0f}" for wait in (statistics.median(waits), late, max(waits))]
    return "median {}, 99 % within {}, longest {} ms".format(*numbers)


def main() -> None:
    """Play and print how long people waited."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--think", type=float, default=3.0)
    parser.add_argument("--idle", type=int, default=0)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        process(Path(folder) / "tables.sqlite") as (site, server),
    ):
        started, used = time.perf_counter(), cpu_seconds(server.pid)
        play = play_all(site, arguments.tables, arguments.turns, arguments.think, arguments.idle)
        waits = asyncio.run(play)
        seconds, used = time.perf_counter() - started, cpu_seconds(server.pid) - used
    actions = len(waits.confirmed)
    print(f"{arguments.tables} tables, {arguments.idle} spectators; load {os.getloadavg()[0]:.1f}")
    print(f"{actions} actions in {seconds:.1f} s, {1000 * used / actions:.1f} ms of processor each")
    print(f"confirmed: {in_words(waits.confirmed)}")
    print(f"own turn again: {in_words(waits.own_turn)}")


if __name__ == "__main__":
    main()
