"""Checkpoint logs: tables on disk that grow row by row and survive a kill at any moment."""

from __future__ import annotations

import contextlib
import csv
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hanabilab.errors import ClusterError, FormatError, HanabiError, SaveError
from hanabilab.lab.files import (
    CsvFormat,
    File,
    file_errors,
    file_lock,
    flush_folder,
    is_same_file,
    line_format,
)

__all__ = ["CheckpointLog", "open_checkpoint_log", "resume_hint"]

Row = dict[str, str]


@contextlib.contextmanager
def open_checkpoint_log(
    file: File | None, settings: Mapping[str, Any], columns: Sequence[str]
) -> Iterator[CheckpointLog | None]:
    """Provide the checkpoint log in a file, which is locked meanwhile; None without a file."""
    if file is None:
        yield None
        return
    with CheckpointLog(file, settings, columns) as log, resume_hint(log.has_rows):
        yield log


@contextlib.contextmanager
def resume_hint(has_saved: Callable[[], bool]) -> Iterator[None]:
    """Add to the error of a cluster how to resume, but only if some work has been saved."""
    try:
        yield
    except ClusterError as error:
        if not has_saved():
            raise
        raise ClusterError(
            f"{error}; re-run the same command to resume from what is saved"
        ) from None


class CheckpointLog:
    """The rows of a .csv or .jsonl file, all of which start with the same `settings`.

    `rows` are those found in the file, as the text of .csv cells. Different columns or settings are
    rejected, and the file is left unchanged. An incomplete last line is dropped: the file is
    truncated before a row is appended, or else when it is closed. A complete line is never written
    again.
    """

    def __init__(self, file: File, settings: Mapping[str, Any], columns: Sequence[str]) -> None:
        self.file = os.fspath(file)
        self.settings = dict(settings)
        self.lines = line_format(file, [*settings, *columns])
        self.rows: list[Row] = []
        with contextlib.ExitStack() as stack:
            self.path = stack.enter_context(file_lock(file))
            with file_errors(file):
                is_new = not self.path.exists()
                self._stream = stack.enter_context(self.path.open("a+b", buffering=0))
                if is_new:
                    stack.callback(self._remove_if_empty)
                self._stream.seek(0)
                found = self._stream.readall()
            self._size = len(found)
            self._whole = found.rfind(b"\n") + 1
            self._read(found[: self._whole], found[self._whole :])
            self._resources = stack.pop_all()

    def __enter__(self) -> CheckpointLog:
        return self

    def __exit__(self, kind: type[BaseException] | None, *about: object) -> None:
        with self._resources, file_errors(self.file):
            if kind is None:
                self._repair()

    def append(self, row: Mapping[str, Any]) -> None:
        """Append a row durably: all of it is on disk on return, and none of it on an error."""
        with file_errors(self.file):
            self._repair()
            self._write(self.lines.format({**self.settings, **row}))

    def has_rows(self) -> bool:
        """Return whether the file holds a complete row."""
        return self._whole > len(self.lines.header.encode())

    def mismatch(self, reason: str) -> FormatError:
        """Return the error for a file that cannot be resumed from."""
        return FormatError(
            f"{self.file}: this file holds something else ({reason}); remove it or save elsewhere"
        )

    def restore(self, use: Callable[[Row], None]) -> None:
        """Pass every row found in the file to `use`; an error names the line."""
        for number, row in enumerate(self.rows, 1 + self.lines.header.count("\n")):
            try:
                use(row)
            except (ValueError, HanabiError) as error:
                raise self.mismatch(f"line {number}: {error}") from None

    def _read(self, whole: bytes, cut: bytes) -> None:
        """Parse the complete lines; `cut` is an incomplete last one."""
        start = self.lines.start_of_file(self.settings).encode()
        try:
            text = whole.decode()
        except UnicodeDecodeError:
            raise self.mismatch("it is not a text file") from None
        matches = text.startswith(self.lines.header) if text else _agree(cut, start)
        if not matches:
            raise self.mismatch("its first line is not the header of this table")
        expected = {name: str(CsvFormat.cell(value)) for name, value in self.settings.items()}
        above = self.lines.header.count("\n")
        for number, line in enumerate(text.split("\n")[above:-1], 1 + above):
            try:
                row = self.lines.parse(line)
            except (ValueError, RecursionError, csv.Error) as error:
                raise self.mismatch(f"line {number}: {error}") from None
            for name, value in expected.items():
                if row[name] != value:
                    raise self.mismatch(f"line {number} has {name} {row[name]}, not {value}")
            self.rows.append(row)

    def _repair(self) -> None:
        """Truncate an incomplete last line; write the header of an empty file."""
        there = is_same_file(self._stream, self.path)
        if not there or os.fstat(self._stream.fileno()).st_size != self._size:
            raise SaveError(f"{self.file} was changed by another program while it was written")
        if self._whole < self._size:
            self._stream.truncate(self._whole)
            self._size = self._whole
        if not self._whole:
            self._write(self.lines.header)
            flush_folder(self.path)

    def _write(self, text: str) -> None:
        """Write a line and flush it to disk; truncate it again on an error."""
        left = data = text.encode()
        try:
            while left:
                left = left[self._stream.write(left) :]
            os.fsync(self._stream.fileno())
        except BaseException:
            self._stream.truncate(self._size)
            raise
        self._size = self._whole = self._size + len(data)

    def _remove_if_empty(self) -> None:
        """Remove the file if it was created here and is empty."""
        with contextlib.suppress(OSError):
            if is_same_file(self._stream, self.path) and not self.path.stat().st_size:
                self.path.unlink()


def _agree(one: bytes, other: bytes) -> bool:
    """Return whether one of two texts starts with the other."""
    return one.startswith(other) or other.startswith(one)
