"""Read a data set as Arrow tables, NumPy arrays or training batches."""

from __future__ import annotations

import dataclasses
import itertools
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from hanabilab.checks import check_choice, check_integer
from hanabilab.errors import FormatError, HanabiError
from hanabilab.game.rules import Rules, preset
from hanabilab.lab.dataset.folder import (
    METADATA_FILE,
    DatasetFolder,
    check_file,
    file_numbers,
    read_metadata,
)
from hanabilab.lab.dataset.storage import (
    BITS,
    TABLES,
    Schema,
    arrow_table,
    bytes_for,
    import_pyarrow,
    read_frame,
)

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from hanabilab.lab.dataset.storage import Frame

__all__ = ["Dataset", "TurnRows", "load", "unpack_bits"]

EXAMPLE = ("observation", "legal", "action")
"""The usual columns to learn from."""
FILES_IN_MEMORY = 8
"""How many files `TurnRows` keeps open."""
GOLDEN, MIX = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9
"""The constants of the mixing function splitmix64."""


@overload
def unpack_bits(packed: bytes | bytearray | memoryview, bits: int) -> list[int]: ...
@overload
def unpack_bits(packed: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]: ...
@overload
def unpack_bits(packed: Any, bits: int) -> Any: ...


def unpack_bits(packed: Any, bits: int) -> Any:
    """Return the bits of packed rows as zeros and ones, `bits` to a row.

    A row in plain Python, as `bytes`, becomes a list of integers. A NumPy array or a PyTorch tensor
    of bytes becomes one of the same type; its last axis is unpacked.

    >>> unpack_bits(bytes([0b10100000, 0b01000000]), 10)
    [1, 0, 1, 0, 0, 0, 0, 0, 0, 1]
    """
    plain = isinstance(packed, bytes | bytearray | memoryview)
    width = len(packed) if plain else packed.shape[-1]
    if bytes_for(check_integer("bits", bits, 0)) != width:
        raise HanabiError(f"bits: {bits} bits do not take {width} bytes")
    if plain:
        return [packed[bit // 8] >> 7 - bit % 8 & 1 for bit in range(bits)]
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(packed, torch.Tensor):
        shifts = torch.arange(7, -1, -1, dtype=torch.uint8, device=packed.device)
        return (packed.unsqueeze(-1) >> shifts & 1).flatten(-2)[..., :bits]
    return np.unpackbits(packed, axis=-1, count=bits)


def load(folder: str | os.PathLike[str], *, verify: bool = True) -> Dataset:
    """Return the data set in a folder; an incomplete one has the files written so far.

    Each file is compared with its size and checksum in `dataset.json` when it is first read;
    `verify=False` omits that.
    """
    path = Path(folder)
    metadata = read_metadata(path)
    files = DatasetFolder(path, f".{metadata['format']}")
    data = Dataset(files, metadata, file_numbers(metadata), verify=verify)
    _check_schema(data, path / METADATA_FILE)
    return data


def _check_schema(data: Dataset, file: Path) -> None:
    """Raise if the rules and the schema of `dataset.json` are not those of a data set."""
    try:
        schema, known = data.schema.to_dict(), data.metadata["schema"]
    except (HanabiError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise FormatError(f"{file}: the file is damaged: {error}") from None
    for name in ("actions", "observation_bits", "sections"):
        if known.get(name) != schema[name]:
            raise FormatError(f"{file}: {name} of the schema is not that of the rules")


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set on disk, or one part of a split."""

    folder: DatasetFolder
    metadata: dict[str, Any]
    """The content of `dataset.json`."""
    files: tuple[int, ...]
    low: float = 0.0
    high: float = 1.0
    seed: int = 0
    verify: bool = True
    """Whether files are compared with their checksums."""

    @property
    def rules(self) -> Rules:
        """The rules of all games."""
        data, players = self.metadata["rules"], self.metadata["players"]
        return preset(data, players) if isinstance(data, str) else Rules.from_dict(data)

    @property
    def schema(self) -> Schema:
        """The columns, and the sections of an observation."""
        return Schema.of(self.rules, self.metadata["observations"])

    @property
    def is_part(self) -> bool:
        """Whether it is a part of a split."""
        return (self.low, self.high) != (0.0, 1.0)

    def split(self, *shares: float, seed: int = 0) -> list[Dataset]:
        """Split by game, so that all turns of a game are in one part: ``split(0.9, 0.1)``.

        A game's part depends only on its number and the seed, so shares hold on average.
        """
        if self.is_part:
            raise HanabiError("split: this is a part of a split already")
        if not shares or min(shares) <= 0 or sum(shares) > 1 + 1e-9:
            raise HanabiError(f"split: {shares} are not shares above 0 that add up to 1 at most")
        check_integer("seed", seed, 0)
        bounds = np.minimum(np.cumsum([0.0, *shares]), 1.0).tolist()
        return [
            dataclasses.replace(self, low=low, high=high, seed=seed)
            for low, high in itertools.pairwise(bounds)
        ]

    def numpy(
        self, table: str = "turns", columns: Sequence[str] | None = None
    ) -> Iterator[dict[str, NDArray[Any]]]:
        """Yield the columns of each file as arrays, bits packed.

        Numbers and bits are views of the data read, or of the file itself (.npz), unless this is a
        part of a split.
        """
        check_choice("table", table, TABLES)
        for number in self.files:
            wanted = columns if columns is None else list(dict.fromkeys(["game", *columns]))
            frame = read_frame(self._checked(table, number), wanted)
            if self.is_part:
                chosen = self._chosen(frame["game"])
                frame = {name: column[chosen] for name, column in frame.items()}
            yield frame if columns is None else {name: frame[name] for name in columns}

    def arrow(self, table: str = "turns", columns: Sequence[str] | None = None) -> Any:
        """Return a whole table as an Arrow table; bits are fixed-size binary."""
        check_choice("table", table, TABLES)
        if not self.files:
            raise FormatError(f"{self.folder.path}: no file is complete yet")
        pa = import_pyarrow("an Arrow table")
        parts = []
        for number in self.files:
            path = self._checked(table, number)
            part = arrow_table(path, columns)
            if self.is_part:
                games = read_frame(path, ["game"])["game"]
                part = part.filter(pa.array(self._chosen(games)))
            parts.append(part)
        return pa.concat_tables(parts)

    def batches(
        self,
        size: int,
        columns: Sequence[str] = EXAMPLE,
        *,
        dtype: DTypeLike = "uint8",
        shuffle: int | None = None,
    ) -> Iterator[Frame]:
        """Yield `size` turns at a time with their bits unpacked; the last batch may be shorter.

        Observations are zeros and ones of type `dtype`, `legal` is boolean. `shuffle` is a seed:
        files come in random order, and turns in random order within each file.
        """
        size = check_integer("size", size, 1)
        order = None if shuffle is None else np.random.default_rng(shuffle)
        files = self.files if order is None else tuple(order.permutation(self.files).tolist())
        left: Frame = {}
        for frame in dataclasses.replace(self, files=files).numpy("turns", columns):
            if order is not None:
                places = order.permutation(len(frame[columns[0]]))
                frame = {name: column[places] for name, column in frame.items()}
            if left:
                frame = {name: np.concatenate([left[name], frame[name]]) for name in frame}
            rows = len(frame[columns[0]])
            whole = rows - rows % size
            for first in range(0, whole, size):
                yield self.unpacked(frame, slice(first, first + size), dtype)
            left = {name: column[whole:] for name, column in frame.items()}
        if left and len(left[columns[0]]):
            yield self.unpacked(left, slice(None), dtype)

    def shard(self, index: int, count: int) -> Dataset:
        """Return the files of one of `count` readers that share all files among them."""
        check_integer("count", count, 1)
        check_integer("index", index, 0, count - 1)
        return dataclasses.replace(self, files=self.files[index::count])

    def rows(self, columns: Sequence[str] = EXAMPLE, *, dtype: DTypeLike = "uint8") -> TurnRows:
        """Return all turns as a sequence, such as a `DataLoader` of PyTorch takes.

        Fastest with .npz files, whose rows can be read one by one; of a Parquet file every column
        is decoded as a whole.
        """
        return TurnRows(self, tuple(columns), dtype)

    def torch(
        self,
        size: int,
        columns: Sequence[str] = EXAMPLE,
        *,
        dtype: DTypeLike = "uint8",
        shuffle: int | None = None,
    ) -> Any:
        """Return `batches` as an iterable data set of PyTorch, with tensors instead of arrays.

        ``DataLoader(data.torch(512), batch_size=None, num_workers=4)`` reads with four processes,
        each of which reads files of its own.
        """
        from hanabilab.lab.dataset.batches import TurnBatches

        check_integer("size", size, 1)
        options = {"columns": tuple(columns), "dtype": dtype, "shuffle": shuffle}
        return TurnBatches(self, size, options)

    def _checked(self, table: str, number: int) -> Path:
        """Return the path of a file; raise if the file is damaged."""
        path = self.folder.file(table, number)
        if self.verify:
            check_file(path, self.metadata["files"])
        return path

    def unpacked(
        self, frame: Frame, rows: slice | NDArray[np.int64], dtype: DTypeLike = "uint8"
    ) -> Frame:
        """Return some rows of a frame, with their bits unpacked."""
        batch, schema = {name: column[rows] for name, column in frame.items()}, self.schema
        for name in batch.keys() & BITS.keys():
            unpacked = np.unpackbits(batch[name], axis=1, count=schema.length(name))
            batch[name] = unpacked.astype(np.bool_ if name == "legal" else dtype, copy=False)
        return batch

    def _chosen(self, games: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return a mask of the games that belong to this part."""
        with np.errstate(over="ignore"):
            mixed = games.astype(np.uint64) * np.uint64(GOLDEN) + np.uint64(self.seed)
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(MIX)
            mixed ^= mixed >> np.uint64(31)
        share = (mixed >> np.uint64(11)) / 2.0**53
        chosen: NDArray[np.bool_] = (share >= self.low) & (share < self.high)
        return chosen

    def __repr__(self) -> str:
        part = f", {self.low:g} to {self.high:g} of the games" if self.is_part else ""
        return f"<Dataset {self.folder.path}: {len(self.files)} files{part}>"


class TurnRows:
    """The turns of a data set by their number, across all files, each as a dictionary.

    It has what PyTorch's `DataLoader` needs of a data set, and can be sent to its workers.
    """

    def __init__(self, data: Dataset, columns: tuple[str, ...], dtype: DTypeLike) -> None:
        self.data, self.columns, self.dtype = data, columns, dtype
        self.ends = np.cumsum([_count_turns(data, number) for number in data.files], dtype=np.int64)
        self._frames: dict[int, Frame] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_frames": {}}

    def __len__(self) -> int:
        return int(self.ends[-1]) if len(self.ends) else 0

    def __iter__(self) -> Iterator[Frame]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> Frame:
        """Return one turn."""
        if not -len(self) <= number < len(self):
            raise IndexError(f"turn {number} of {len(self)}")
        return self.__getitems__([number % len(self)])[0]

    def __getitems__(self, numbers: Sequence[int]) -> list[Frame]:
        """Return several turns, reading each file once; a `DataLoader` fetches batches this way."""
        wanted = np.asarray(numbers, np.int64)
        files = np.searchsorted(self.ends, wanted, "right")
        found: list[Frame] = [{}] * len(wanted)
        for file in np.unique(files).tolist():
            places = np.flatnonzero(files == file)
            rows = wanted[places] - (self.ends[file - 1] if file else 0)
            batch = self.data.unpacked(self._frame(file), rows, self.dtype)
            for row, place in enumerate(places.tolist()):
                found[place] = {name: np.asarray(column)[row] for name, column in batch.items()}
        return found

    def _frame(self, file: int) -> Frame:
        """Return the columns of a file; the files used last stay in memory."""
        frame = self._frames.pop(file, None)
        if frame is None:
            one = dataclasses.replace(self.data, files=(self.data.files[file],))
            frame = next(one.numpy("turns", self.columns))
        self._frames[file] = frame
        if len(self._frames) > FILES_IN_MEMORY:
            del self._frames[next(iter(self._frames))]
        return frame


def _count_turns(data: Dataset, number: int) -> int:
    """Return how many turns of a file belong to the data set, which may be part of a split."""
    if not data.is_part:
        rows: int = data.metadata["files"][data.folder.file("turns", number).name]["rows"]
        return rows
    one = dataclasses.replace(data, files=(number,))
    return int(next(one.numpy("games", ["turns"]))["turns"].sum())
