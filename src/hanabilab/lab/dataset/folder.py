"""The folder of a data set: its owner, its files with their checksums, and `dataset.json`."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hanabilab.checks import shorten
from hanabilab.errors import FormatError, HanabiError
from hanabilab.lab.dataset.storage import (
    FORMATS,
    TABLES,
    FileEntry,
    read_frame,
    sha256_of,
    write_frame,
)
from hanabilab.lab.files import atomic_write, file_lock, write_text
from hanabilab.lab.tally import Tally
from hanabilab.table.game import ENDS

if TYPE_CHECKING:
    from hanabilab.lab.dataset.storage import Frame, Schema

__all__ = ["KIND", "METADATA_FILE", "DatasetFolder", "check_file", "file_numbers", "read_metadata"]

Entries = Mapping[str, FileEntry]
"""Rows, size and checksum of each complete file, by its name."""

METADATA_FILE = "dataset.json"
KIND = "hanabilab dataset"
CARD_FILE = "README.md"
LOCK_FILE = "dataset.lock"
LEFTOVERS = (".part", ".lock")
"""Suffixes of files that a killed command may leave."""
REMEDY = "re-run the command that made the data set to write the file again"


class DatasetFolder:
    """The folder of a data set: `dataset.json`, and numbered files of turns and of games."""

    def __init__(self, path: Path, suffix: str) -> None:
        self.path, self.suffix = path, suffix

    def file(self, table: str, number: int) -> Path:
        """Return the path of a file of a table, by its number."""
        return self.path / f"{table}-{number:06}{self.suffix}"

    def has(self, number: int) -> bool:
        """Return whether the turns and games with this number exist."""
        return all(self.file(table, number).exists() for table in TABLES)

    def is_intact(self, number: int, entries: Entries) -> bool:
        """Return whether the turns and games with this number are those of their entries."""
        try:
            for table in TABLES:
                check_file(self.file(table, number), entries, sha256_of)
        except FormatError:
            return False
        return True

    def write(
        self, number: int, turns: Frame, games: Frame, schema: Schema
    ) -> dict[str, FileEntry]:
        """Write a file of turns, then one of games; return their entries."""
        entries = {}
        for table, frame in zip(TABLES, (turns, games), strict=True):
            path = self.file(table, number)
            entries[path.name] = write_frame(path, frame, table, schema)
        return entries

    def tally(self, number: int, max_score: int) -> Tally:
        """Add up the games of a file."""
        games = read_frame(self.file("games", number), ("score", "turns", "misplays", "end"))
        codes = {word: code for code, word in ENDS.items()}
        ends = [codes[str(word)] for word in games["end"]]
        columns = (games["score"], games["turns"], games["misplays"], ends)
        return Tally.of(np.column_stack(columns), max_score)

    def write_metadata(self, metadata: Mapping[str, Any]) -> None:
        """Write `dataset.json`."""
        try:
            with atomic_write(self.path / METADATA_FILE) as part:
                part.write_text(json.dumps(metadata, indent=1, ensure_ascii=False) + "\n", "utf-8")
        except OSError as error:
            raise HanabiError(f"{self.path}: {error.strerror}") from None

    def write_card(self, schema: Schema) -> None:
        """Write README.md, the index for Hugging Face's `datasets`, unless there is one."""
        if not (self.path / CARD_FILE).exists():
            write_text(self.path / CARD_FILE, dataset_card(schema))

    @contextlib.contextmanager
    def owned(self) -> Iterator[None]:
        """Create the folder and lock it; raise if another command writes to it.

        The lock file is inside the folder, since the user may not be able to write beside it.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise HanabiError(f"{self.path}: {error.strerror}") from None
        with file_lock(self.path, Path(os.path.realpath(self.path)) / LOCK_FILE):
            yield

    def prepare(self, metadata: Mapping[str, Any], settings: Sequence[str]) -> Entries:
        """Write the metadata into an empty folder; return the entries of the files in another.

        Raise if the folder has a data set with different settings.
        """
        try:
            others = [path for path in self.path.iterdir() if path.suffix not in LEFTOVERS]
        except OSError as error:
            raise HanabiError(f"{self.path}: {error.strerror}") from None
        if not others:
            self.write_metadata(metadata)
            return {}
        known = read_metadata(self.path)
        for name in settings:
            if known[name] != metadata[name]:
                raise HanabiError(
                    f"{self.path}: this data set has {name} {shorten(known[name])}, not "
                    f"{shorten(metadata[name])}; remove it or choose another folder"
                )
        entries: Entries = known["files"]
        return entries


CARD = """\
---
{yaml}
---
# Games of Hanabi

Written by `hanabilab dataset`; `dataset.json` has rules, strategies, seed and the command. A row of
`turns` is a turn, a row of `games` a game.

{packing} `hanabilab.dataset.unpack_bits` unpacks them.
"""


def dataset_card(schema: Schema) -> str:
    """Return README.md: for Hugging Face's `datasets` each table is a configuration."""
    tables = schema.to_dict()
    lines = ["configs:"]
    for table in TABLES:
        lines += [f"- config_name: {table}", f'  data_files: "{table}-*.parquet"']
    lines.append("dataset_info:")
    for table in TABLES:
        lines += [f"- config_name: {table}", "  features:"]
        for name, column in tables[table].items():
            lines += [f"  - name: {name}", f"    {_feature(column['type'])}"]
    return CARD.format(yaml="\n".join(lines), packing=tables["packing"])


def _feature(kind: str) -> str:
    """Return the type of a column as a feature of a dataset card."""
    if kind.endswith("bits"):
        return "dtype: binary"
    return {"text": "dtype: string", "list of text": "sequence: string"}.get(kind, f"dtype: {kind}")


@functools.lru_cache(maxsize=1 << 16)
def _known_sha256(path: Path, changed: int) -> str:
    """Return the checksum of a file, which is read once as long as it does not change."""
    return sha256_of(path)


def _sha256_once(path: Path) -> str:
    return _known_sha256(path, path.stat().st_mtime_ns)


def check_file(path: Path, entries: Entries, sha256: Callable[[Path], str] = _sha256_once) -> None:
    """Raise if a file is not the one that `dataset.json` describes."""
    try:
        entry = entries[path.name]
        size = path.stat().st_size
        if size != entry["bytes"]:
            raise FormatError(f"{path}: {size:,} bytes instead of {entry['bytes']:,}; {REMEDY}")
        if sha256(path) != entry["sha256"]:
            raise FormatError(f"{path}: the content is damaged (wrong SHA-256); {REMEDY}")
    except KeyError:
        raise FormatError(f"{path}: {METADATA_FILE} does not list this file") from None
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror}; {REMEDY}") from None


def file_numbers(metadata: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the numbers of all complete files, in order."""
    names = [re.fullmatch(r"(\w+)-(\d{6,})\.\w+", name) for name in metadata["files"]]
    found = [{int(name[2]) for name in names if name and name[1] == table} for table in TABLES]
    return tuple(sorted(set.intersection(*found)))


FIELDS: dict[str, type | tuple[type, ...]] = {
    "version": str,
    "digest": str,
    "rules": (str, dict),
    "players": int,
    "seeds": list,
    "teams": list,
    "strategies": list,
    "sources": dict,
    "games": int,
    "file_games": int,
    "observations": str,
    "format": str,
    "schema": dict,
    "complete": bool,
    "counts": dict,
    "files": dict,
}
"""The required fields of `dataset.json`."""
ENTRY, TYPES = ("rows", "bytes", "sha256"), [int, int, str]
"""The required fields of each file's entry."""


def read_metadata(path: Path) -> dict[str, Any]:
    """Return the content of `dataset.json`; raise if the folder is not a data set."""
    file = path / METADATA_FILE
    if not file.is_file():
        raise FormatError(f"{path}: no data set, since there is no {METADATA_FILE} in it")
    try:
        metadata = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise HanabiError(f"{file}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{file}: the file is damaged: {error}") from None
    if not isinstance(metadata, dict) or metadata.get("kind") != KIND:
        raise FormatError(f"{file}: it does not describe a data set of hanabilab")
    if wrong := _wrong_field(metadata):
        raise FormatError(
            f"{file}: {wrong} is missing or wrong; the file is damaged, or written by another "
            f"version than this one"
        )
    return metadata


def _wrong_field(metadata: Mapping[str, Any]) -> str:
    """Return the name of a field that is missing or of the wrong type, or ""."""
    for name, kind in FIELDS.items():
        if not isinstance(metadata.get(name), kind):
            return name
    if metadata["format"] not in FORMATS:
        return "format"
    for name, entry in metadata["files"].items():
        if not isinstance(entry, dict) or [type(entry.get(name)) for name in ENTRY] != TYPES:
            return f"files: {name}"
    return ""
