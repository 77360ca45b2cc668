"""Kernels as machine code: everything that knows Numba.

`run` compiles a function and calls it; `compile_loop` returns the compiled function;
`compile_callback` returns a pointer that a compiled loop can call, so that one loop serves every
strategy without being compiled again.

Machine code is kept on disk in a folder named after a digest of the modules that hold kernels or
records (`kernel_sources`). Numba itself checks only the file of the function it stored, so an edit
of `turn.py` would leave loops that still play by the old rules; with the digest no stale code
survives an edit, and editing any other module recompiles nothing. The folders used last are kept,
so that two checkouts can take turns; older ones are removed. Kernels from outside the package are
not kept.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaExperimentalFeatureWarning

from hanabilab.core import intrinsics  # noqa: F401  # registers what kernels call with Numba
from hanabilab.core.kernel import KERNELS
from hanabilab.core.record import Record, dtype

__all__ = [
    "cache_folder",
    "compile_callback",
    "compile_loop",
    "entry_point",
    "integer",
    "kernel_digest",
    "kernel_sources",
    "nothing",
    "record_type",
    "run",
    "typeof",
]

FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
NO_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Only kernels call kernels: wrappers for Python and C would take a sixth of the compilation."""
PACKAGE = Path(__file__).resolve().parents[1]
SHAPES_MACHINE_CODE = re.compile(
    r"^(@kernel|@overload|FLAGS|class Record|class \w+\((Record|Memory)\))", re.MULTILINE
)
"""Matches every module that machine code depends on: those with kernels, records, or parts of the
compiler. Constants that kernels use belong in such modules too."""
KEPT_DIGESTS = 4

integer, nothing = types.int64, types.void
typeof = numba.typeof


def kernel_sources(package: Path = PACKAGE) -> dict[str, str]:
    """Return the modules that machine code depends on, as path and text."""
    texts = {
        source.relative_to(package).as_posix(): source.read_text(encoding="utf-8")
        for source in sorted(package.rglob("*.py"))
    }
    return {path: text for path, text in texts.items() if SHAPES_MACHINE_CODE.search(text)}


@functools.cache
def kernel_digest() -> str:
    """Return a digest of all that decides how games are played: the kernels, and Numba."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path, text in kernel_sources().items():
        digest.update(f"{path}\n{text}".encode())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path:
    """Return the folder in which this version of the package keeps its machine code."""
    for base in _cache_bases():
        folder = base / "kernels" / kernel_digest()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            folder.touch()
        except OSError:
            continue
        _forget_old_digests(folder.parent)
        return folder
    raise OSError("no folder for compiled code can be written; set HANABILAB_CACHE to one")


def _cache_bases() -> Iterator[Path]:
    if chosen := os.environ.get("HANABILAB_CACHE"):
        yield Path(chosen)
        return
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hanabilab"
    yield Path(tempfile.gettempdir()) / "hanabilab"


def _forget_old_digests(folder: Path) -> None:
    """Keep only the folders used last: more than one, so that two checkouts can take turns."""
    used = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in used[KEPT_DIGESTS:]:
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _our_cache() -> Iterator[None]:
    """Point Numba's cache to our folder while a function is being set up."""
    theirs = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        yield
    finally:
        numba.config.CACHE_DIR = theirs


_lock = threading.RLock()


def _introduce_kernels() -> None:
    """Let Numba see a dispatcher wherever one kernel names another."""
    for function in KERNELS:
        if not hasattr(function, "_numba_type_"):
            _dispatch(function)


def _dispatch(function: Callable[..., Any]) -> None:
    with _our_cache():
        dispatcher = numba.njit(**_keeping(function), **FLAGS, **NO_WRAPPERS)(function)
    function._dispatcher = dispatcher  # type: ignore[attr-defined]  # Numba holds it weakly
    function._numba_type_ = types.Dispatcher(dispatcher)  # type: ignore[attr-defined]


def _keeping(function: Callable[..., Any]) -> dict[str, bool]:
    """Keep our own kernels on disk, since the digest of their sources covers them.

    Others are compiled in every process, because what they call may have changed in any file, and
    with bounds checks, so that they cannot read what lies beside a view.
    """
    ours = Path(function.__code__.co_filename).resolve().is_relative_to(PACKAGE)
    return {"cache": ours, "boundscheck": not ours}


_record_types: dict[Any, Any] = {}


def record_type(kind: type[Record]) -> Any:
    """Return the Numba type of a record."""
    if kind not in _record_types:
        _record_types[kind] = numba.from_dtype(dtype(kind))
    return _record_types[kind]


_compiled: dict[tuple[Any, ...], Any] = {}


def compile_loop(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return the function compiled for these argument types."""
    loop: Callable[..., Any] = _once(function, arguments, lambda: _loop(function, arguments))
    return loop


def run(function: Callable[..., Any], *arguments: Any) -> Any:
    """Compile the function for these arguments, once, and call it with them."""
    return compile_loop(function, *map(typeof, arguments))(*arguments)


def entry_point(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return a compiled loop that skips the check of its arguments (a tenth of a millisecond).

    The arguments must have exactly the types that the loop was compiled for.
    """
    (compiled,) = loop.overloads.values()  # type: ignore[attr-defined]  # Numba's dispatcher
    entry: Callable[..., Any] = compiled.entry_point
    return entry


def compile_callback(function: Callable[..., Any], result: Any, *arguments: Any) -> int:
    """Return the address of the function compiled with C's calling convention."""
    made = _once(function, (result, *arguments), lambda: _callback(function, result, arguments))
    return int(made.address)


def _once(function: Callable[..., Any], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    with _lock:
        if (function, *key) not in _compiled:
            _introduce_kernels()
            with _notice(), warnings.catch_warnings():
                # A record with more fields passes as one with fewer: `below` takes any memory.
                warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
                _compiled[function, *key] = make()
        return _compiled[function, *key]


def _loop(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Compile the code under another name: only what Python calls needs Python's wrapper."""
    entry = FunctionType(function.__code__, function.__globals__, function.__name__)
    entry.__module__ = function.__module__
    entry.__qualname__ = f"{function.__qualname__}_loop"
    with _our_cache():
        dispatcher: Callable[..., Any] = numba.njit(**_keeping(function), **FLAGS)(entry)
        dispatcher.compile(arguments)  # type: ignore[attr-defined]  # Numba's dispatcher
    return dispatcher


def _callback(function: Any, result: Any, arguments: tuple[Any, ...]) -> Any:
    signature = result(*arguments)
    with _our_cache():
        flags = _keeping(function) | {"error_model": FLAGS["error_model"]}
        return numba.cfunc(signature, **flags)(function)


@contextmanager
def _notice() -> Iterator[None]:
    """Say on standard error that a compilation is under way, once it takes noticeably long."""
    done = threading.Event()

    def speak() -> None:
        if not done.wait(0.7):
            print("compiling (once for this version) ...", file=sys.stderr, flush=True)

    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield
    finally:
        done.set()
