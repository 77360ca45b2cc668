"""Data sets on disk: the columns of their two tables, the files, and the folder.

turns
    ``game`` and ``turn`` from 0, ``player`` who acts, ``action`` by its number
    (`hanabilab.game.actions`), ``legal`` the legal actions, ``reward`` the change of the score,
    ``score`` so far, that is before the action, and ``observation`` of the player who acts.
games
    ``game``, ``deck`` the game number of the deck under the seed, ``seed``, ``rules``, ``seats``
    the strategy in each seat, ``score`` at the end, ``turns``, ``misplays`` and ``end``.

``legal`` and ``observation`` are packed bits, eight to a byte, the first one highest:
``numpy.unpackbits(bytes, axis=1, count=bits)`` unpacks them.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hanabilab.checks import check_choice, shorten
from hanabilab.errors import FormatError, HanabiError
from hanabilab.game.actions import count_actions
from hanabilab.game.encoding import KINDS, Encoder
from hanabilab.game.state import initial_state
from hanabilab.lab.files import atomic_write, file_lock, import_pyarrow
from hanabilab.lab.tally import Tally
from hanabilab.table.game import ENDS

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

    from hanabilab.game.rules import Rules
    from hanabilab.lab.run import Rows

    Frame = dict[str, NDArray[Any]]
    """A table, column by column."""

__all__ = [
    "KIND",
    "DatasetFolder",
    "Schema",
    "arrow_table",
    "game_frame",
    "import_pyarrow",
    "read_frame",
    "read_metadata",
]

OBSERVATIONS = (*KINDS, "none")
"""The encodings of `hanabilab.game.encoding`, or none. In recorded play, the greedy action of the
last player is the action itself."""

NUMBERS = {
    "game": np.int64,
    "turn": np.int16,
    "player": np.int8,
    "action": np.int16,
    "reward": np.int16,
    "score": np.int16,
}
GAME_COLUMNS = {
    "game": "int64",
    "deck": "int64",
    "seed": "int64",
    "rules": "text",
    "seats": "list of text",
    "score": "int16",
    "turns": "int16",
    "misplays": "int16",
    "end": "text",
}


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a data set under given rules."""

    sections: dict[str, tuple[int, int]]
    """Start and end of each section of an observation."""
    actions: int
    bits: int
    """Length of an observation."""

    @classmethod
    def of(cls, rules: Rules, observations: str) -> Schema:
        """Return the columns of games under these rules."""
        check_choice("observations", observations, OBSERVATIONS)
        actions = count_actions(initial_state(rules))
        if observations == "none":
            return cls({}, actions, 0)
        encoder = Encoder(rules, observations)
        sections = {name: (place.start, place.stop) for name, place in encoder.sections.items()}
        return cls(sections, actions, encoder.length)

    def empty_columns(self, turns: int) -> Frame:
        """Return zeroed columns for a number of turns."""
        columns: Frame = {name: np.zeros(turns, kind) for name, kind in NUMBERS.items()}
        columns["legal"] = np.zeros((turns, bytes_for(self.actions)), np.uint8)
        columns["observation"] = np.zeros((turns, bytes_for(self.bits)), np.uint8)
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as it is written to `dataset.json`."""
        turns = {name: np.dtype(kind).name for name, kind in NUMBERS.items()}
        turns["legal"] = f"{self.actions} bits"
        if self.bits:
            turns["observation"] = f"{self.bits} bits"
        return {
            "turns": turns,
            "games": GAME_COLUMNS,
            "actions": self.actions,
            "observation_bits": self.bits,
            "sections": {name: list(place) for name, place in self.sections.items()},
        }


def bytes_for(bits: int) -> int:
    """Return the number of bytes for a number of bits."""
    return -(-bits // 8)


LOCAL_HEADER = 30
"""Length of the fixed part of a member's header in a zip file."""


def write_frame(path: Path, frame: Frame) -> None:
    """Write a table atomically: the file is complete or absent, whenever the process is killed."""
    try:
        with atomic_write(path) as part:
            TABLE_FORMATS[path.suffix].write(part, frame)
    except OSError as error:
        raise HanabiError(f"{path}: {error.strerror or error}") from None


def read_frame(path: Path, columns: Sequence[str] | None = None) -> Frame:
    """Return all columns of a table, or the given ones, without copying where possible."""
    try:
        return TABLE_FORMATS[path.suffix].read(path, columns)
    except KeyError as error:
        raise FormatError(f"{path}: no column {error}") from None
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise FormatError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _write_parquet(path: Path, frame: Frame) -> None:
    pa = import_pyarrow()
    table = pa.table({name: _to_arrow(pa, column) for name, column in frame.items()})
    pa.parquet.write_table(table, path, compression="zstd", use_dictionary=False)


def _to_arrow(pa: ModuleType, column: NDArray[Any]) -> Any:
    """Return a column as an Arrow array, without copying numbers and bits."""
    if column.dtype.kind == "U":
        if column.ndim == 1:
            return pa.array(column.tolist(), pa.string()).dictionary_encode()
        return pa.array(column.tolist(), pa.list_(pa.string()))
    if column.ndim == 1:
        return pa.array(column)
    rows, width = column.shape
    buffers = [None, pa.py_buffer(np.ascontiguousarray(column))]
    return pa.Array.from_buffers(pa.binary(width), rows, buffers)


def arrow_table(path: Path, columns: Sequence[str] | None = None) -> Any:
    """Return a table as an Arrow table."""
    pa = import_pyarrow("an Arrow table")
    if path.suffix != ".parquet":
        frame = read_frame(path, columns)
        return pa.table({name: _to_arrow(pa, column) for name, column in frame.items()})
    wanted = None if columns is None else list(columns)
    return pa.parquet.read_table(path, columns=wanted, memory_map=True)


def _read_parquet(path: Path, columns: Sequence[str] | None) -> Frame:
    table = arrow_table(path, columns)
    for name in columns or ():
        table.column(name)  # raises for an unknown one
    return {name: _to_numpy(table.column(name)) for name in table.column_names}


def _to_numpy(column: Any) -> NDArray[Any]:
    """Return a column as a NumPy array, without copying numbers and bits of a single chunk."""
    pa = import_pyarrow()
    array = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if pa.types.is_fixed_size_binary(array.type):
        width = array.type.byte_width
        bits = np.frombuffer(array.buffers()[1], np.uint8).reshape(-1, width)
        return bits[array.offset : array.offset + len(array)]
    if pa.types.is_integer(array.type):
        numbers: NDArray[Any] = array.to_numpy(zero_copy_only=True)
        return numbers
    return np.array(array.to_pylist(), np.str_)


def _write_npz(path: Path, frame: Frame) -> None:
    with path.open("wb") as stream:
        np.savez(stream, **frame)  # type: ignore[arg-type]  # a column is not its option


def _read_npz(path: Path, columns: Sequence[str] | None) -> Frame:
    """Memory-map the columns of an uncompressed .npz file."""
    with zipfile.ZipFile(path) as archive, path.open("rb") as stream:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        frame = {}
        for name in members if columns is None else columns:
            stream.seek(members[name].header_offset)
            header = stream.read(LOCAL_HEADER)
            name_length, extra = (int.from_bytes(header[n : n + 2], "little") for n in (26, 28))
            stream.seek(name_length + extra, 1)
            np.lib.format.read_magic(stream)
            shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
            if 0 in shape:
                frame[name] = np.zeros(shape, dtype)
            else:
                frame[name] = np.memmap(path, dtype, "r", stream.tell(), shape)
    return frame


class TableFormat(NamedTuple):
    """Writer and reader of a file format."""

    write: Callable[[Path, Frame], None]
    read: Callable[[Path, Sequence[str] | None], Frame]


TABLE_FORMATS = {
    ".parquet": TableFormat(_write_parquet, _read_parquet),
    ".npz": TableFormat(_write_npz, _read_npz),
}


METADATA_FILE = "dataset.json"
KIND = "hanabilab dataset"
LOCK_FILE = "dataset.lock"
LEFTOVERS = (".part", ".lock")
"""Suffixes of files that a killed command may leave."""


class DatasetFolder:
    """The folder of a data set: `dataset.json`, and numbered files of turns and of games."""

    def __init__(self, path: Path, suffix: str) -> None:
        self.path, self.suffix = path, suffix

    def file(self, table: str, number: int) -> Path:
        """Return the path of a file of a table, by its number."""
        return self.path / f"{table}-{number:06}{self.suffix}"

    def has(self, number: int) -> bool:
        """Return whether the turns and games with this number exist, and so are complete."""
        return all(self.file(table, number).exists() for table in ("turns", "games"))

    def numbers(self) -> list[int]:
        """Return the numbers of all complete files, in order."""
        names = (re.fullmatch(r"games-(\d+)", path.stem) for path in self.path.iterdir())
        found = sorted({int(name[1]) for name in names if name})
        return [number for number in found if self.has(number)]

    def write(self, number: int, turns: Frame, games: Frame) -> None:
        """Write a file of turns, then one of games."""
        write_frame(self.file("turns", number), turns)
        write_frame(self.file("games", number), games)

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

    def prepare(self, metadata: Mapping[str, Any], settings: tuple[str, ...]) -> None:
        """Write the metadata into an empty folder; raise if it has a different data set."""
        try:
            others = [path for path in self.path.iterdir() if path.suffix not in LEFTOVERS]
        except OSError as error:
            raise HanabiError(f"{self.path}: {error.strerror}") from None
        if not others:
            self.write_metadata(metadata)
            return
        known = read_metadata(self.path)
        for name in settings:
            if known.get(name) != metadata[name]:
                raise HanabiError(
                    f"{self.path}: this data set has {name} {shorten(known.get(name))}, not "
                    f"{shorten(metadata[name])}; remove it or choose another folder"
                )


def read_metadata(path: Path) -> dict[str, Any]:
    """Return the content of `dataset.json`; raise if the folder is not a data set."""
    if not (path / METADATA_FILE).is_file():
        raise FormatError(f"{path}: no data set, since there is no {METADATA_FILE} in it")
    try:
        metadata = json.loads((path / METADATA_FILE).read_text(encoding="utf-8"))
    except OSError as error:
        raise HanabiError(f"{path / METADATA_FILE}: {error.strerror}") from None
    except ValueError as error:
        raise FormatError(f"{path / METADATA_FILE}: {error}") from None
    if not isinstance(metadata, dict) or metadata.get("kind") != KIND:
        raise FormatError(f"{path / METADATA_FILE}: it does not describe a data set of hanabilab")
    return metadata


def game_frame(rows: Rows, seats: list[str], deck: int, game: int, seed: int, rules: str) -> Frame:
    """Return a row per game of one team; `deck` and `game` are the numbers of the first."""
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
