"""Files of a data set: the columns of its two tables, and their formats.

`TURNS` and `GAMES` list the columns with their meaning; `dataset.json` and the metadata of every
Parquet file repeat the list. ``legal`` and ``observation`` are packed bits (`PACKING`), which
`hanabilab.dataset.unpack_bits` unpacks.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np

from hanabilab.checks import check_choice
from hanabilab.errors import FormatError, HanabiError
from hanabilab.game.actions import count_actions
from hanabilab.game.encoding import KINDS, Encoder
from hanabilab.game.state import initial_state
from hanabilab.lab.files import atomic_write, import_pyarrow
from hanabilab.table.game import ENDS

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

    from hanabilab.game.rules import Rules
    from hanabilab.lab.run import Rows

    Frame = dict[str, NDArray[Any]]
    """A table, column by column."""

__all__ = [
    "BITS",
    "FORMATS",
    "PARQUET_KEY",
    "TABLES",
    "FileEntry",
    "Schema",
    "add_outcome",
    "arrow_table",
    "bytes_for",
    "game_frame",
    "import_pyarrow",
    "read_frame",
    "sha256_of",
    "write_frame",
]

TABLES = ("turns", "games")
FORMATS = ("parquet", "npz")

OBSERVATIONS = (*KINDS, "none")
"""The encodings of `hanabilab.game.encoding`, or none. In recorded play, the greedy action of the
last player is the action itself."""

PACKING = (
    "Bit i of a row is in byte i // 8 and has the value 128 >> i % 8: eight bits to a byte, the "
    "first one highest (numpy.packbits with bitorder='big'). Zeros fill the last byte. Integers "
    "are little-endian in .parquet; an .npz file states the order of its bytes."
)

Columns = dict[str, tuple[str, str]]
"""Type and meaning of each column."""

TURNS: Columns = {
    "game": ("int64", "number of the game in this data set, from 0"),
    "turn": ("int16", "number of the turn in its game, from 0"),
    "player": ("int8", "seat of the player who acts, from 0"),
    "strategy": ("int16", "who plays in that seat: a place in `strategies` of dataset.json"),
    "action": ("int16", "action taken, numbered as in the Hanabi Learning Environment"),
    "reward": ("int16", "change of the score by this action"),
    "score": ("int16", "score before this action"),
    "return_to_go": ("int16", "sum of the rewards from this action to the end, undiscounted"),
    "final_score": ("int16", "score at the end of the game"),
}
BITS = {
    "legal": "bit a is 1 if action a is legal",
    "observation": "what the player who acts observes, divided into `sections`",
}
GAMES: Columns = {
    "game": ("int64", "number of the game in this data set, from 0"),
    "deck": ("int64", "number of the deck under the seed"),
    "seed": ("int64", "seed of the decks"),
    "rules": ("text", "name of the rules; dataset.json has all fields"),
    "seats": ("list of text", "strategy in each seat"),
    "score": ("int16", "score at the end"),
    "turns": ("int16", "number of turns"),
    "misplays": ("int16", "number of misplays"),
    "end": ("text", "how the game ended: perfect, lives or deck"),
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
        columns: Frame = {name: np.zeros(turns, kind) for name, (kind, _) in TURNS.items()}
        for name in BITS:
            columns[name] = np.zeros((turns, bytes_for(self.length(name))), np.uint8)
        return columns

    def length(self, name: str) -> int:
        """Return the number of bits in each row of a column of bits."""
        return {"legal": self.actions, "observation": self.bits}[name]

    def to_dict(self) -> dict[str, Any]:
        """Return the schema as it is written to `dataset.json`."""
        bits = [name for name in BITS if self.length(name)]
        return {
            "turns": _described(TURNS) | {name: self._packed(name) for name in bits},
            "games": _described(GAMES),
            "packing": PACKING,
            "actions": self.actions,
            "observation_bits": self.bits,
            "sections": {name: list(place) for name, place in self.sections.items()},
        }

    def _packed(self, name: str) -> dict[str, Any]:
        bits = self.length(name)
        return {
            "type": f"{bits} bits",
            "bits": bits,
            "bytes": bytes_for(bits),
            "bit_order": "big",
            "meaning": BITS[name],
        }


def _described(columns: Columns) -> dict[str, Any]:
    return {name: {"type": kind, "meaning": meaning} for name, (kind, meaning) in columns.items()}


def bytes_for(bits: int) -> int:
    """Return the number of bytes for a number of bits."""
    return -(-bits // 8)


class FileEntry(TypedDict):
    """What `dataset.json` says about a file."""

    rows: int
    bytes: int
    sha256: str


def sha256_of(path: Path) -> str:
    """Return the checksum of a file, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


PARQUET_KEY = "hanabilab"
"""Key of the schema, as JSON, in the metadata of a Parquet file."""
LOCAL_HEADER = 30
"""Length of the fixed part of a member's header in a zip file."""


def write_frame(path: Path, frame: Frame, table: str, schema: Schema) -> FileEntry:
    """Write a table atomically: the file is complete or absent, whenever the process is killed."""
    try:
        with atomic_write(path) as part:
            TABLE_FORMATS[path.suffix].write(part, frame, table, schema)
            return {
                "rows": len(frame["game"]),
                "bytes": part.stat().st_size,
                "sha256": sha256_of(part),
            }
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


def _write_parquet(path: Path, frame: Frame, table: str, schema: Schema) -> None:
    pa, description = import_pyarrow(), schema.to_dict()
    arrays = {name: _to_arrow(pa, column) for name, column in frame.items()}
    fields = [
        pa.field(name, array.type, metadata=_as_text(description[table][name]))
        for name, array in arrays.items()
    ]
    described = pa.schema(fields, metadata={PARQUET_KEY: json.dumps(description)})
    rows = pa.Table.from_arrays(list(arrays.values()), schema=described)
    pa.parquet.write_table(rows, path, compression="zstd", use_dictionary=False)


def _as_text(description: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in description.items()}


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


def _write_npz(path: Path, frame: Frame, table: str, schema: Schema) -> None:
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

    write: Callable[[Path, Frame, str, Schema], None]
    read: Callable[[Path, Sequence[str] | None], Frame]


TABLE_FORMATS = {
    ".parquet": TableFormat(_write_parquet, _read_parquet),
    ".npz": TableFormat(_write_npz, _read_npz),
}


def add_outcome(
    frame: Frame, turns: NDArray[np.int64], scores: NDArray[np.int64], strategies: Sequence[int]
) -> None:
    """Fill in what is known only about whole games.

    `turns` and `scores` are those of each game, `strategies` the number of that in each seat.
    """
    frame["strategy"][:] = np.array(strategies)[frame["player"]]
    frame["final_score"][:] = np.repeat(scores, turns)
    np.subtract(frame["final_score"], frame["score"], out=frame["return_to_go"])


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
