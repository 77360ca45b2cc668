"""On-disk cache of machine code: folders, object files, and their verification.

The folder is named after a digest of everything that the package's code depends on: the modules
that contain kernels, records or the compiler, and the version of LLVM. An edit to one of them
therefore never runs stale code, and an edit to any other module recompiles nothing. The most
recently used folders are kept, so that two checkouts can be used in turn.

A file is loaded only if it is a regular file of the current user that nobody else can write, has
the requested key, and matches its checksum. Any other file is compiled again.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hanabilab.core.kernel import PACKAGE
from hanabilab.errors import HanabiError

__all__ = [
    "CHECKED",
    "ObjectFile",
    "cache_folder",
    "first_writable",
    "forget_oldest",
    "kernel_digest",
    "kernel_sources",
    "load_object",
    "save_object",
    "user_path",
    "warn_uncached",
]

SHAPES_MACHINE_CODE = re.compile(
    r"^(@kernel|class Record|class \w+\((Record|Memory)\))", re.MULTILINE
)
"""Matches every module that machine code depends on: modules with kernels or records. Constants
that kernels use must be defined in such modules too.
"""
COMPILER = "core/"
CHECKED = bool(os.environ.get("HANABILAB_CHECKED"))
"""Whether the package's own kernels are compiled with run-time checks: slower, for tests."""
KEPT_DIGESTS = 4
KEPT_USER_FILES = 400
FREE_SPACE = 32 << 20
"""Bytes of free disk space required to create a cache."""
MAGIC = b"hanabilab machine code 2\n"


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """Machine code with its entry points, and the errors that it can report."""

    entries: tuple[tuple[str, str, bool], ...]
    """Name, result type, and whether it can fail, for each entry point."""
    errors: tuple[str, ...]
    sites: tuple[tuple[str, int, str], ...]
    code: bytes

    def to_bytes(self, key: str) -> bytes:
        """Serialize the object file: a header, a checksum, and the code."""
        about = [key, self.entries, self.errors, self.sites]
        header = json.dumps(about).encode() + b"\n"
        return MAGIC + header + _checksum(header, self.code) + self.code

    @classmethod
    def from_bytes(cls, data: bytes, key: str) -> ObjectFile | None:
        """Deserialize an object file; return None if it is damaged or has a different key."""
        if not data.startswith(MAGIC):
            return None
        header, newline, rest = data[len(MAGIC) :].partition(b"\n")
        checksum, code = rest[:64], rest[64:]
        if checksum != _checksum(header + newline, code):
            return None
        found, entries, errors, sites = json.loads(header)
        if found != key:
            return None
        return cls(tuple(map(tuple, entries)), tuple(errors), tuple(map(tuple, sites)), code)


def _checksum(header: bytes, code: bytes) -> bytes:
    return hashlib.sha256(header + code).hexdigest().encode()


def load_object(path: Path | None) -> ObjectFile | None:
    """Read an object file; return None if it is missing, damaged or untrusted."""
    if path is None:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | _BINARY)
    except OSError:
        return None
    try:
        if path.is_symlink() or not _is_private(os.fstat(descriptor)):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return ObjectFile.from_bytes(file.read(), path.name)
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)


_BINARY = getattr(os, "O_BINARY", 0)


def _is_private(status: os.stat_result) -> bool:
    """Return whether a file is regular, owned by this user, and writable by nobody else."""
    if not stat.S_ISREG(status.st_mode):
        return False
    if not hasattr(os, "getuid"):  # Windows: the cache is in the user's own folder
        return True
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def save_object(made: ObjectFile, path: Path | None) -> None:
    """Write an object file atomically; warn once if that is impossible."""
    if path is None:
        return
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(made.to_bytes(path.name))
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        warn_uncached(error.strerror or "cannot be written")


def user_path(digest: str) -> Path:
    """Return the cache path for a user's kernel, after deleting the oldest files."""
    path = cache_folder() / "user" / f"{digest[:32]}.o"
    with suppress(OSError):
        os.utime(path)
    forget_oldest(path.parent, KEPT_USER_FILES, path)
    return path


def kernel_sources(package: Path = PACKAGE) -> dict[str, str]:
    """Return the path and text of each module that machine code depends on."""
    texts = {
        source.relative_to(package).as_posix(): source.read_text(encoding="utf-8")
        for source in sorted(package.rglob("*.py"))
    }
    return {
        path: text
        for path, text in texts.items()
        if path.startswith(COMPILER) or SHAPES_MACHINE_CODE.search(text)
    }


@functools.cache
def kernel_digest() -> str:
    """Return a digest of everything that decides how games are played: kernels and compiler."""
    digest = hashlib.sha256(importlib.metadata.version("llvmlite").encode())
    for path, text in kernel_sources().items():
        digest.update(f"{path}\n{text}".encode())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path:
    """Return the folder in which this version of the package caches its machine code."""
    folder = first_writable(f"kernels/{kernel_digest()}{'-checked' if CHECKED else ''}")
    forget_oldest(folder.parent, KEPT_DIGESTS, folder)
    return folder


@functools.cache
def warn_uncached(why: str) -> None:
    """Warn once that machine code cannot be cached."""
    print(f"{cache_folder()}: {why}; code is compiled in every run", file=sys.stderr, flush=True)


def first_writable(name: str) -> Path:
    """Create a folder in the first writable location; warn if it is not the usual one."""
    refusals = []
    for place in (_chosen, _usual, _temporary):
        try:
            base = place()
            if base is not None:
                folder = _create(base / name)
                break
        except (OSError, RuntimeError) as error:
            refusals.append(str(error).rstrip("."))
    else:
        raise HanabiError(
            f"no folder for compiled code can be written ({'; '.join(refusals)}); "
            "set HANABILAB_CACHE to one"
        )
    if refusals:
        print(f"{refusals[0]}; compiled code is cached in {base}", file=sys.stderr, flush=True)
    return folder


def _chosen() -> Path | None:
    chosen = os.environ.get("HANABILAB_CACHE")
    return Path(chosen) if chosen else None


def _usual() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hanabilab"


def _temporary() -> Path:
    """Return a temporary folder that only this user can write, because files in it are executed."""
    if not hasattr(os, "getuid"):  # Windows has a temporary folder for each user
        return Path(tempfile.gettempdir()) / "hanabilab"
    folder = Path(tempfile.gettempdir()) / f"hanabilab-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if folder.is_symlink() or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise PermissionError(errno.EPERM, "others can write it", str(folder))
    return folder


def _create(folder: Path) -> Path:
    """Create a folder and mark it as used; raise if it is new and its disk is full."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    if not any(folder.iterdir()) and shutil.disk_usage(folder).free < FREE_SPACE:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    return folder


def forget_oldest(folder: Path, kept: int, in_use: Path | None = None) -> None:
    """Delete all but the most recently used entries; keep entries that are in use."""
    with suppress(OSError):  # another process may be doing the same
        used = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for old in [each for each in used if each != in_use][max(kept - 1, 0) :]:
            if old.is_dir() and not old.is_symlink():
                shutil.rmtree(old, ignore_errors=True)
            else:
                old.unlink(missing_ok=True)
