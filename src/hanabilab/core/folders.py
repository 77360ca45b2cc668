"""Where machine code is kept: in the first folder that can be written."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from hanabilab.errors import HanabiError

__all__ = ["first_writable", "forget_oldest"]

ROOM = 32 << 20
"""Bytes that must be free where nothing is kept yet."""


def first_writable(name: str) -> Path:
    """Create this folder in the first place that takes it; say so if it is not the usual one."""
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
        print(f"{refusals[0]}; compiled code is kept in {base}", file=sys.stderr, flush=True)
    return folder


def _chosen() -> Path | None:
    chosen = os.environ.get("HANABILAB_CACHE")
    return Path(chosen) if chosen else None


def _usual() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hanabilab"


def _temporary() -> Path:
    """Return a folder that nobody else can write: what is read from it is run."""
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
    if not any(folder.iterdir()) and shutil.disk_usage(folder).free < ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    return folder


def forget_oldest(folder: Path, kept: int) -> None:
    """Keep only the folders used last: more than one, so that two checkouts can take turns."""
    with suppress(OSError):  # another process may be doing the same
        used = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for old in used[kept:]:
            shutil.rmtree(old, ignore_errors=True)
