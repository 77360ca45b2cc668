"""The folder of a data set: `dataset.json`, and numbered files of turns and of games."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hanabilab.errors import FormatError, HanabiError
from hanabilab.lab.dataset.tables import read_frame, write_frame
from hanabilab.lab.files.save import writing
from hanabilab.lab.tally import Tally
from hanabilab.table.game import ENDS

if TYPE_CHECKING:
    from hanabilab.lab.dataset.schema import Frame
    from hanabilab.lab.run import Rows

__all__ = ["KIND", "Folder", "game_frame", "read_about"]

ABOUT = "dataset.json"
KIND = "hanabilab dataset"
LEFT_BEHIND = (".part", ".lock")
"""What a killed command may leave."""


class Folder:
    """Where a data set lies."""

    def __init__(self, path: Path, suffix: str) -> None:
        self.path, self.suffix = path, suffix

    def file(self, table: str, number: int) -> Path:
        """Return the file with this number of the turns or of the games."""
        return self.path / f"{table}-{number:06}{self.suffix}"

    def has(self, number: int) -> bool:
        """Tell whether turns and games with this number are there, and so complete."""
        return all(self.file(table, number).exists() for table in ("turns", "games"))

    def numbers(self) -> list[int]:
        """Return the numbers of the files that are there, in order."""
        names = (re.fullmatch(r"games-(\d+)", path.stem) for path in self.path.iterdir())
        found = sorted({int(name[1]) for name in names if name})
        return [number for number in found if self.has(number)]

    def write(self, number: int, turns: Frame, games: Frame) -> None:
        """Write a file of each table, the games last."""
        write_frame(self.file("turns", number), turns)
        write_frame(self.file("games", number), games)

    def tally(self, number: int, max_score: int) -> Tally:
        """Add up the games of a file."""
        games = read_frame(self.file("games", number), ("score", "turns", "misplays", "end"))
        codes = {word: code for code, word in ENDS.items()}
        ends = [codes[str(word)] for word in games["end"]]
        columns = (games["score"], games["turns"], games["misplays"], ends)
        return Tally.of(np.column_stack(columns), max_score)

    def describe(self, about: Mapping[str, Any]) -> None:
        """Write `dataset.json`."""
        try:
            with writing(self.path / ABOUT) as part:
                part.write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", "utf-8")
        except OSError as error:
            raise HanabiError(f"{self.path}: {error.strerror}") from None

    def prepare(self, about: Mapping[str, Any], settings: tuple[str, ...]) -> None:
        """Create the folder, or make sure that the one that is there has the same settings."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            others = [path for path in self.path.iterdir() if path.suffix not in LEFT_BEHIND]
        except OSError as error:
            raise HanabiError(f"{self.path}: {error.strerror}") from None
        if not others:
            self.describe(about)
            return
        known = read_about(self.path)
        for name in settings:
            if known.get(name) != about[name]:
                raise HanabiError(
                    f"{self.path}: this data set has {name} {_short(known.get(name))}, not "
                    f"{_short(about[name])}; remove it or choose another folder"
                )


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:80]}…"


def read_about(path: Path) -> dict[str, Any]:
    """Return what `dataset.json` says, or raise if this is no data set."""
    if not (path / ABOUT).is_file():
        raise FormatError(f"{path}: no data set, since there is no {ABOUT} in it")
    try:
        about = json.loads((path / ABOUT).read_text(encoding="utf-8"))
    except OSError as error:
        raise HanabiError(f"{path / ABOUT}: {error.strerror}") from None
    except ValueError as error:
        raise FormatError(f"{path / ABOUT}: {error}") from None
    if not isinstance(about, dict) or about.get("kind") != KIND:
        raise FormatError(f"{path / ABOUT}: it does not describe a data set of hanabilab")
    return about


def game_frame(rows: Rows, seats: list[str], deck: int, game: int, seed: int, rules: str) -> Frame:
    """Return a row for each of some games of one team, from deck and game number on."""
    count = len(rows)
    return {
        "game": np.arange(game, game + count),
        "deck": np.arange(deck, deck + count),
        "seed": np.full(count, seed),
        "rules": np.full(count, rules),
        "seats": np.full((count, len(seats)), seats),
        "score": rows[:, 0].astype(np.int16),
        "turns": rows[:, 1].astype(np.int16),
        "misplays": rows[:, 2].astype(np.int16),
        "end": np.array([ENDS[end] for end in rows[:, 3].tolist()], np.str_),
    }
