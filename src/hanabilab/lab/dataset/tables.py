"""Tables on disk, column by column: .parquet by way of Arrow, or .npz by NumPy alone."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hanabilab.errors import FormatError, HanabiError
from hanabilab.lab.files.parquet import arrow
from hanabilab.lab.files.save import writing

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

    from hanabilab.lab.dataset.schema import Frame

__all__ = ["FORMATS", "arrow", "arrow_table", "read_frame", "write_frame"]

LOCAL_HEADER = 30
"""The length of the fixed part of a member's header in a zip file."""


def write_frame(path: Path, frame: Frame) -> None:
    """Write a table; after a kill at any moment the file is complete or absent."""
    try:
        with writing(path) as part:
            FORMATS[path.suffix].write(part, frame)
    except OSError as error:
        raise HanabiError(f"{path}: {error.strerror or error}") from None


def read_frame(path: Path, columns: Sequence[str] | None = None) -> Frame:
    """Return the columns of a table, or some of them, as views of what was read."""
    try:
        return FORMATS[path.suffix].read(path, columns)
    except KeyError as error:
        raise FormatError(f"{path}: no column {error}") from None
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise FormatError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _write_parquet(path: Path, frame: Frame) -> None:
    pa = arrow()
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
    """Return a table as Arrow's."""
    pa = arrow("an Arrow table")
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
    pa = arrow()
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
    """Map the columns into memory where they stand in the file."""
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
    """How tables are written and read."""

    write: Callable[[Path, Frame], None]
    read: Callable[[Path, Sequence[str] | None], Frame]


FORMATS = {
    ".parquet": TableFormat(_write_parquet, _read_parquet),
    ".npz": TableFormat(_write_npz, _read_npz),
}
