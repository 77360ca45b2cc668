"""One owner per file: a lock that dies with its owner.

The lock is held on a file beside the one that is written, since that one may be replaced meanwhile.
The operating system drops it when its owner ends, however that happens; a lock file that a killed
owner left behind is taken over by the next one and removed with its end.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from hanabilab.errors import SaveError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["File", "file_errors", "is_still_at", "owning"]

File = str | os.PathLike[str]

PATIENCE = 1.0
"""Seconds to wait for another owner: one that is just writing a table, or that is about to end."""
PAUSE = 0.02
LOCKED_BYTE = 1 << 20
"""Windows locks a byte, which nobody else can read then; this one is behind the owner's number."""


@contextlib.contextmanager
def file_errors(file: File) -> Iterator[None]:
    """Turn an error of the operating system into one that names the file."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise SaveError(f"{os.fspath(file)}: {reason}") from None


@contextlib.contextmanager
def owning(file: File) -> Iterator[Path]:
    """Own a file, and provide the path that links lead to; raise if another command owns it."""
    try:
        target = Path(os.path.realpath(file))
        lock = target.with_name(f"{target.name}.lock")
        with file_errors(file):
            handle = _wait_for(lock)
    except ValueError as error:  # a name that no file can have
        raise SaveError(f"{os.fspath(file)}: {error}") from None
    if handle is None:
        raise SaveError(f"{os.fspath(file)} is being written by another command{_owner(lock)}")
    try:
        yield target
    finally:
        _release(handle, lock)


def _wait_for(lock: Path) -> io.FileIO | None:
    """Return the lock file, locked, or None if another owner keeps it."""
    end = time.monotonic() + PATIENCE
    while (handle := _take(lock)) is None and time.monotonic() < end:
        time.sleep(PAUSE)
    return handle


def _take(lock: Path) -> io.FileIO | None:
    """Return the lock file, locked, or None if somebody else has locked it."""
    while True:  # until it is not one that its last owner has just removed
        with contextlib.ExitStack() as stack:
            handle = stack.enter_context(io.FileIO(lock, "a+"))
            if not _try_lock(handle):
                return None
            if is_still_at(handle, lock):
                _sign(handle)
                stack.pop_all()
                return handle


def _sign(handle: io.FileIO) -> None:
    """Write down who owns the file; on a full disk the owner remains nameless."""
    with contextlib.suppress(OSError):
        handle.truncate(0)
        handle.write(f"{os.getpid()}\n".encode())


def is_still_at(handle: io.FileIO, path: Path) -> bool:
    """Tell whether a path still leads to an open file, which may have been removed or replaced."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(handle.fileno()))


def _owner(lock: Path) -> str:
    try:
        return f" (process {int(lock.read_text(encoding='ascii'))})"
    except (OSError, ValueError):
        return ""


def _release(handle: io.FileIO, lock: Path) -> None:
    if sys.platform == "win32":  # where only a closed file can be removed, and no file of another
        handle.close()
        with contextlib.suppress(OSError):
            lock.unlink()
        return
    with handle, contextlib.suppress(OSError):
        if is_still_at(handle, lock):
            lock.unlink()


def _try_lock(handle: io.FileIO) -> bool:
    """Lock an open file for this process; return False if somebody else has locked it."""
    try:
        if sys.platform == "win32":
            handle.seek(LOCKED_BYTE)
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
