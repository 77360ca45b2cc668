"""File locks, atomic writes, and small tables as .csv, .jsonl and .parquet files.

A file is locked by an operating-system lock on a lock file beside it, which is released when the
process exits, however that happens. The file itself cannot carry the lock because it may be
replaced. A lock file that a killed process left behind is reused by the next one, which removes it.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import math
import os
import re
import secrets
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from hanabilab.checks import alternatives
from hanabilab.errors import FormatError, HanabiError, MissingExtraError, SaveError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = [
    "LINE_FORMATS",
    "CsvFormat",
    "File",
    "atomic_write",
    "check_folder",
    "checked_suffix",
    "file_errors",
    "file_lock",
    "flush_folder",
    "import_pandas",
    "import_pyarrow",
    "is_same_file",
    "json_safe",
    "line_format",
    "write_parquet",
    "write_table",
    "write_text",
]

File = str | os.PathLike[str]

LOCK_TIMEOUT = 1.0
"""Seconds to wait for the lock: another process may be about to release it."""
POLL_SECONDS = 0.02
LOCKED_BYTE = 1 << 20
"""Windows locks a byte and makes it unreadable; this one is far behind the process number."""


@contextlib.contextmanager
def file_errors(file: File) -> Iterator[None]:
    """Turn an `OSError` into a `SaveError` that names the file."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise SaveError(f"{os.fspath(file)}: {reason}") from None


@contextlib.contextmanager
def file_lock(file: File, lock: Path | None = None) -> Iterator[Path]:
    """Lock a file and provide its path, links resolved; raise if another process has the lock.

    `lock` is the lock file, by default one beside the file.
    """
    try:
        target = Path(os.path.realpath(file))
        lock = lock or target.with_name(f"{target.name}.lock")
        with file_errors(file):
            handle = _acquire(lock)
    except ValueError as error:  # a name that no file can have
        raise SaveError(f"{os.fspath(file)}: {error}") from None
    if handle is None:
        raise SaveError(f"{os.fspath(file)} is being written by another command{_holder(lock)}")
    try:
        yield target
    finally:
        _release(handle, lock)


def _acquire(lock: Path) -> io.FileIO | None:
    """Return the locked lock file, or None if another process keeps the lock."""
    end = time.monotonic() + LOCK_TIMEOUT
    while (handle := _try_acquire(lock)) is None and time.monotonic() < end:
        time.sleep(POLL_SECONDS)
    return handle


def _try_acquire(lock: Path) -> io.FileIO | None:
    """Return the locked lock file, or None if another process has the lock."""
    while True:  # again if the last holder has just removed it
        with contextlib.ExitStack() as stack:
            handle = stack.enter_context(io.FileIO(lock, "a+"))
            if not _try_lock(handle):
                return None
            if is_same_file(handle, lock):
                _write_pid(handle)
                stack.pop_all()
                return handle


def _write_pid(handle: io.FileIO) -> None:
    """Write the process number into the lock file, unless the disk is full."""
    with contextlib.suppress(OSError):
        handle.truncate(0)
        handle.write(f"{os.getpid()}\n".encode())


def is_same_file(handle: io.FileIO, path: Path) -> bool:
    """Return whether a path leads to this open file, which may have been removed or replaced."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(handle.fileno()))


def _holder(lock: Path) -> str:
    try:
        return f" (process {int(lock.read_text(encoding='ascii'))})"
    except (OSError, ValueError):
        return ""


def _release(handle: io.FileIO, lock: Path) -> None:
    if sys.platform == "win32":  # only a closed file can be removed there
        handle.close()
        with contextlib.suppress(OSError):
            lock.unlink()
        return
    with handle, contextlib.suppress(OSError):
        if is_same_file(handle, lock):
            lock.unlink()


def _try_lock(handle: io.FileIO) -> bool:
    """Lock an open file; return False if another process has the lock."""
    try:
        if sys.platform == "win32":
            handle.seek(LOCKED_BYTE)
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


@contextlib.contextmanager
def atomic_write(file: File) -> Iterator[Path]:
    """Provide a temporary path to write to; it replaces the file when it is complete and on disk.

    The file is locked meanwhile, so temporary files beside it were left by a killed process.
    """
    with file_lock(file) as target:
        if target.is_dir():
            raise SaveError(f"{os.fspath(file)}: {os.strerror(errno.EISDIR)}")
        part = target.with_name(f"{target.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
        try:
            with file_errors(file):
                _remove_parts(target)
                part.touch(exist_ok=False)
            yield part
            with file_errors(file):
                _flush_to_disk(part, os.O_RDWR)
                part.replace(target)
                flush_folder(target)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)


def _remove_parts(target: Path) -> None:
    """Remove the temporary files of killed processes, if the folder can be listed."""
    ours = re.compile(re.escape(target.name) + r"(\.\d+-[0-9a-f]{8})?\.part")
    with contextlib.suppress(PermissionError):
        for path in target.parent.iterdir():
            if ours.fullmatch(path.name):
                path.unlink(missing_ok=True)


def flush_folder(file: Path) -> None:
    """Flush the directory entry of a file to disk; Windows does that by itself."""
    if os.name == "posix":
        with contextlib.suppress(PermissionError):  # a folder that cannot be read
            _flush_to_disk(file.parent, os.O_RDONLY)


def _flush_to_disk(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_text(file: File, text: str) -> None:
    """Write a text file atomically."""
    with atomic_write(file) as part, file_errors(file):
        part.write_text(text, encoding="utf-8", newline="")


def write_table(file: File, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table as .csv or .jsonl (one object per line)."""
    lines = line_format(file, list(rows[0]) if rows else [])
    write_text(file, lines.header + "".join(map(lines.format, rows)))


def check_folder(file: str) -> None:
    """Raise if the folder of a file does not exist."""
    folder = Path(file).parent
    if not folder.is_dir():
        raise HanabiError(f"{file}: folder {folder} does not exist")


def json_safe(data: Any) -> Any:
    """Return data for JSON: infinities and NaN become null."""
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, dict):
        return {key: json_safe(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [json_safe(value) for value in data]
    return data


class CsvFormat:
    """Rows as lines of a .csv file; a list is joined by spaces, a missing value is empty."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.header = self._line(names)

    def format(self, row: Mapping[str, Any]) -> str:
        """Return a row as a line of text."""
        return self._line([self.cell(row[name]) for name in self.names])

    def start_of_file(self, settings: Mapping[str, Any]) -> str:
        """Return how a file starts whose rows start with these settings."""
        return self.header

    def parse(self, line: str) -> dict[str, str]:
        """Parse a line of text."""
        cells = next(csv.reader([line]))
        if len(cells) != len(self.names):
            raise ValueError(f"{len(cells)} cells for {len(self.names)} columns")
        return dict(zip(self.names, cells, strict=True))

    @staticmethod
    def cell(value: Any) -> Any:
        """Return a value as it is written in a cell."""
        if isinstance(value, list | tuple):
            return " ".join(map(str, value))
        if isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False)
        return "" if value is None or value != value else value

    @staticmethod
    def _line(cells: Sequence[Any]) -> str:
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerow(cells)
        return stream.getvalue()


class JsonLinesFormat:
    """Rows as lines of a .jsonl file."""

    header = ""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)

    def format(self, row: Mapping[str, Any]) -> str:
        """Return a row as a line of text."""
        return json.dumps(json_safe(dict(row)), ensure_ascii=False) + "\n"

    def start_of_file(self, settings: Mapping[str, Any]) -> str:
        """Return how a file starts whose rows start with these settings."""
        return self.format(settings).removesuffix("}\n")

    def parse(self, line: str) -> dict[str, str]:
        """Parse a line of text, with cells as in a .csv file."""
        data = json.loads(line)
        if not isinstance(data, dict) or list(data) != self.names:
            raise ValueError("it is not an object with the columns of this table")
        return {name: str(CsvFormat.cell(value)) for name, value in data.items()}


LINE_FORMATS: dict[str, type[CsvFormat] | type[JsonLinesFormat]] = {
    ".csv": CsvFormat,
    ".jsonl": JsonLinesFormat,
}
"""Formats to which rows can be appended, by suffix."""


def line_format(file: File, names: Sequence[str]) -> CsvFormat | JsonLinesFormat:
    """Return the format of a file, by its suffix."""
    return LINE_FORMATS[checked_suffix(file, "tables", LINE_FORMATS)](names)


def checked_suffix(file: File, things: str, known: Iterable[str]) -> str:
    """Return the suffix of a file; raise if it is not one of the `known` formats of `things`."""
    suffix, known = Path(file).suffix.lower(), list(known)
    if suffix not in known:
        raise FormatError(f"{file}: {things} are saved as {alternatives(known)}")
    return suffix


def import_pandas() -> ModuleType:
    """Return pandas; raise if it is not installed."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("pandas", "frame", "a data frame") from None
    module: ModuleType = pandas
    return module


def import_pyarrow(purpose: str = "a .parquet file") -> ModuleType:
    """Return pyarrow with its submodule for Parquet; raise if it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", purpose) from None
    module: ModuleType = pyarrow
    return module


def write_parquet(file: File, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table as .parquet; objects become JSON text."""
    pa = import_pyarrow()
    plain = [
        {name: _parquet_cell(value) for name, value in row.items()} for row in json_safe(list(rows))
    ]
    with atomic_write(file) as part, file_errors(file):
        pa.parquet.write_table(pa.Table.from_pylist(plain), part)


def _parquet_cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
