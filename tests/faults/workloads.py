"""Small commands that write files, and what is true of a file of theirs at any moment."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["WORKLOADS", "Workload"]


@dataclass(frozen=True)
class Workload:
    """A command that writes a file."""

    file: str
    words: str
    grows: bool = False
    """Whether the file grows line by line, and the same command goes on where the last stopped."""
    weight: int = 1
    """How often it is chosen; fast ones more often."""

    @property
    def argv(self) -> list[str]:
        """The command with its file."""
        return [*self.words.split(), "--save", self.file]

    def figures(self, data: bytes) -> Any:
        """Return what a finished file says, the same whenever it is written."""
        return data

    def is_beginning(self, data: bytes, whole: bytes, interrupted: bool) -> bool:
        """Return whether a file holds nothing but what belongs there, up to a last line cut off."""
        if self.grows:
            return whole.startswith(data)
        return data == whole or (interrupted and self.has_first_games(data, whole))

    def has_first_games(self, data: bytes, whole: bytes) -> bool:
        """Return whether a file holds the games that were played before an interruption."""
        if self.file.endswith(".parquet"):
            found, rows = (pq.read_table(pa.BufferReader(each)) for each in (data, whole))
            return bool(found == rows[: len(found)])
        return self.file == "games.csv" and data.endswith(b"\n") and whole.startswith(data)


class Decks(Workload):
    """Its pieces are as long as the machine is fast; only their sums are always the same."""

    def figures(self, data: bytes) -> Any:
        """Return the sums, each deck counted once."""
        rows = list(csv.DictReader(io.StringIO(data.decode())))
        done = 0
        for row in rows:
            assert int(row["first"]) == done
            done += int(row["decks"])
        names = [name for name in rows[0] if name not in ("rules", "players", "seed", "best")]
        return {name: sum(int(row[name]) for row in rows) for name in names if name != "first"}

    def is_beginning(self, data: bytes, whole: bytes, interrupted: bool) -> bool:
        """Return whether no deck is counted twice."""
        header = whole[: whole.index(b"\n") + 1]
        lines = data[: data.rfind(b"\n") + 1]
        if lines.count(b"\n") > 1:
            assert self.figures(lines)["decks"] <= self.figures(whole)["decks"]
        return header.startswith(data) or data.startswith(header)


GRID = "sweep rule-based --vary hint-rule=1,2,3,4 --threads 1 --players 2 --games 9"
SEARCH = "tune rule-based --threads 1 --players 2 --budget 2 --games 10 --final-games 12"
GAMES = "simulate random --threads 1 --players 2 --games"
DECKS = "winnable --threads 1 --players 2 --decks 400 --json"
PAIRS = "crossplay random cheat --threads 1 --players 2 --games 20"
WORKLOADS = [
    Workload("games.csv", f"{GAMES} 3000 --json", weight=4),
    Workload("games.parquet", f"{GAMES} 1000", weight=3),
    Workload("grid.csv", GRID, grows=True, weight=3),
    Workload("grid.jsonl", GRID, grows=True, weight=2),
    Workload("search.csv", SEARCH, grows=True),
    Decks("decks.csv", DECKS, grows=True, weight=4),
    Workload("table.csv", PAIRS, weight=2),
]
