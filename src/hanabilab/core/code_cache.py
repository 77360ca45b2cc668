"""The folder that keeps machine code, named after everything that the code depends on.

That is a digest of the modules that hold kernels, records or the compiler (`kernel_sources`). With
it no stale code survives an edit, and editing any other module recompiles nothing. The folders used
last are kept, so that two checkouts can take turns; older ones are removed.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import re
import sys
from pathlib import Path

from hanabilab.core.folders import first_writable, forget_oldest
from hanabilab.core.kernel import PACKAGE

__all__ = ["CHECKED", "cache_folder", "kernel_digest", "kernel_sources", "say_unkept"]

SHAPES_MACHINE_CODE = re.compile(
    r"^(@kernel|@overload|FLAGS|class Record|class \w+\((Record|Memory)\))", re.MULTILINE
)
"""Matches every module that machine code depends on: those with kernels, records, or what Numba
needs for them. Constants that kernels use belong in such modules too."""
COMPILER = "core/compiler/"
CHECKED = bool(os.environ.get("HANABILAB_CHECKED"))
"""Is every index in our own kernels compared with the length? That is slower, and for tests."""
KEPT_DIGESTS = 4


def kernel_sources(package: Path = PACKAGE) -> dict[str, str]:
    """Return the modules that machine code depends on, as path and text."""
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
    """Return a digest of all that decides how games are played: the kernels, and what compiles."""
    versions = map(importlib.metadata.version, ("numba", "llvmlite"))
    digest = hashlib.sha256(" ".join(versions).encode())
    for path, text in kernel_sources().items():
        digest.update(f"{path}\n{text}".encode())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path:
    """Return the folder in which this version of the package keeps its machine code."""
    folder = first_writable(f"kernels/{kernel_digest()}{'-checked' if CHECKED else ''}")
    forget_oldest(folder.parent, KEPT_DIGESTS)
    return folder


@functools.cache
def say_unkept(why: str) -> None:
    """Say once that machine code cannot be kept."""
    print(f"{cache_folder()}: {why}; code is compiled in every run", file=sys.stderr, flush=True)
