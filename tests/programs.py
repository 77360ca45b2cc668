"""Programs for the tests of the protocol: scripts, and a stand-in that needs no process."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import ClassVar

from hanabilab.errors import StrategyError
from hanabilab.formats.protocol import write_line
from hanabilab.strategies import find_strategy
from hanabilab.table.served_seat import ServedSeat

FIRST = """
import json, os, sys, time
{before}
for line in sys.stdin:
    message = json.loads(line)
    view = message.get("view")
    {hear}
    if message["type"] == "hello":
        print('{{"type": "hello", "protocol": 1, "name": "first"}}', flush=True)
    elif message["type"] == "turn":
        answer = view["legal"][0]["text"]
        {turn}
        print(json.dumps({{"type": "action", "action": answer}}), flush=True)
"""


def script(folder: Path, *, turn: str = "pass", hear: str = "", before: str = "") -> str:
    """Write a program that takes the first legal action; return it as a player."""
    path = folder / "a program.py"
    path.write_text(FIRST.format(turn=turn, hear=hear, before=before))
    return f"exec:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def alive(pid: int) -> bool:
    """Return whether there is such a process, be it a zombie."""
    return Path(f"/proc/{pid}").exists()


class InProcess:
    """A stand-in for a process: it hears the same bytes, and keeps them."""

    heard: ClassVar[dict[int, list[bytes]]] = {}
    """What was sent to each seat, of all games."""
    token = ""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.seat = ServedSeat(find_strategy(" ".join(words)))
        self.place = -1

    def send(self, lines: bytes) -> None:
        for line in lines.splitlines(keepends=True):
            message = json.loads(line)
            if message["type"] == "start":
                self.place = message["seat"]
            self.heard.setdefault(self.place, []).append(line)
            assert self.seat.hear(message) is None

    def ask(self, line: bytes, seconds: float) -> bytes:
        if self.place >= 0:
            self.heard.setdefault(self.place, []).append(line)
        answer = self.seat.hear(json.loads(line))
        if answer is None:
            raise StrategyError("it has no answer")
        return write_line(answer)

    def stderr_tail(self) -> str:
        return ""

    def close_input(self) -> None:
        pass

    def stop(self, *, graceful: bool) -> None:
        pass
