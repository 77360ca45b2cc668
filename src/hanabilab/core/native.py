"""Kernels as machine code: everything that knows Numba.

`run` compiles a function and calls it; `compile_loop` returns the compiled function;
`compile_callback` returns a pointer that a compiled loop can call, so that one loop serves every
strategy without being compiled again.

Machine code is kept on disk in a folder named after a digest of the modules that hold kernels or
records (`kernel_sources`). Numba itself checks only the file of the function it stored, so an edit
of `turn.py` would leave loops that still play by the old rules; with the digest no stale code
survives an edit, and editing any other module recompiles nothing. The folders used last are kept,
so that two checkouts can take turns; older ones are removed.

Kernels from outside the package, and whatever kernels of ours they call, are compiled another time
with checks: a wrong index or a division by zero is an error there, never a number
(`compile_guarded`). Their machine code is kept under a digest of all that they reach
(`hanabilab.core.reach`).
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
from numba.core import event as numba_event
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import typeof_impl

from hanabilab.core import intrinsics  # noqa: F401  # registers what kernels call with Numba
from hanabilab.core.diagnosis import diagnose
from hanabilab.core.kernel import KERNELS, PACKAGE, is_ours
from hanabilab.core.reach import reach
from hanabilab.core.record import Record, dtype

__all__ = [
    "cache_folder",
    "compile_callback",
    "compile_guarded",
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

UNCOUNTED: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
"""Kernels of ours own no array, so nothing is gained by counting references to one."""
FLAGS: dict[str, Any] = {"nogil": True, **UNCOUNTED}
CHECKED: dict[str, Any] = {"nogil": True, "error_model": "python", "boundscheck": True}
NO_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Only kernels call kernels: wrappers for Python and C would take a sixth of the compilation."""
SHAPES_MACHINE_CODE = re.compile(
    r"^(@kernel|@overload|FLAGS|class Record|class \w+\((Record|Memory)\))", re.MULTILINE
)
"""Matches every module that machine code depends on: those with kernels, records, or parts of the
compiler. Constants that kernels use belong in such modules too."""
KEPT_DIGESTS = 4
KEPT_OUTSIDE = 200

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
        _forget_oldest(folder.parent, KEPT_DIGESTS)
        return folder
    raise OSError("no folder for compiled code can be written; set HANABILAB_CACHE to one")


def _cache_bases() -> Iterator[Path]:
    if chosen := os.environ.get("HANABILAB_CACHE"):
        yield Path(chosen)
        return
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hanabilab"
    yield Path(tempfile.gettempdir()) / "hanabilab"


def _forget_oldest(folder: Path, kept: int) -> None:
    """Keep only the folders used last: more than one, so that two checkouts can take turns."""
    used = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in used[kept:]:
        shutil.rmtree(old, ignore_errors=True)


def _outside_folder(digest: str) -> Path | None:
    """Return the folder for the machine code of a kernel from outside; None if it is not kept."""
    if not digest:
        return None
    folder = cache_folder() / "outside" / digest
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.touch()
    except OSError:
        return None
    _forget_oldest(folder.parent, KEPT_OUTSIDE)
    return folder


@contextmanager
def _caching_in(folder: Path) -> Iterator[None]:
    """Point Numba's cache to a folder while a function is being set up."""
    theirs = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = theirs


_lock = threading.RLock()
_checking = False
"""Is a kernel from outside being compiled, with all that it calls? Guarded by the lock."""
_dispatchers: dict[tuple[Callable[..., Any], bool], Any] = {}


@typeof_impl.register(FunctionType)  # type: ignore[untyped-decorator]  # Numba is untyped
def _typeof_function(function: FunctionType, context: object) -> Any:
    """Let Numba see a dispatcher wherever one kernel names another."""
    return types.Dispatcher(_dispatcher(function)) if function in KERNELS else None


def _dispatcher(function: FunctionType) -> Any:
    """Return what Numba calls for a kernel: plain, or with checks while those are wanted."""
    key = function, _checking
    if key not in _dispatchers:
        ours = is_ours(function)
        entry = _renamed(function, "checked") if _checking else function
        if not ours:
            # Cached code is found again by modules that can be imported, and by unique names.
            code = function.__code__
            text = f"{code.co_filename} {code.co_firstlineno} {code.co_code.hex()}"
            entry = _renamed(function, hashlib.sha256(text.encode()).hexdigest()[:16])
            entry.__module__ = __name__
        flags = CHECKED if _checking else FLAGS
        with _caching_in(cache_folder()):
            _dispatchers[key] = numba.njit(cache=ours, **flags, **NO_WRAPPERS)(entry)
    return _dispatchers[key]


def _renamed(function: Any, ending: str) -> Any:
    """Return the same code under another name, by which Numba's cache tells them apart."""
    twin = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    twin.__module__ = function.__module__
    twin.__qualname__ = f"{function.__qualname__}_{ending}"
    return twin


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
    """Return the address of a kernel of ours compiled with C's calling convention."""
    made = _once(function, (result, *arguments), lambda: _callback(function, result, arguments))
    return int(made.address)


def compile_guarded(
    guard: Callable[..., Any], function: Callable[..., Any], result: Any, *arguments: Any
) -> int:
    """Return the address of a guard compiled around a kernel from outside, which it calls `asked`.

    The kernel is compiled with checks, and the guard sees to what it raises.
    """
    key = guard, result, *arguments
    made = _once(function, key, lambda: _guarded(guard, function, result, arguments))
    return int(made.address)


def _once(function: Callable[..., Any], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    with _lock:
        if (function, *key) not in _compiled:
            with _notice(), warnings.catch_warnings():
                # A record with more fields passes as one with fewer: `below` takes any memory.
                warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
                _compiled[function, *key] = make()
        return _compiled[function, *key]


def _loop(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """Compile the code under another name: only what Python calls needs Python's wrapper."""
    ours = is_ours(function)
    with _caching_in(cache_folder()), _checks(not ours):
        flags = FLAGS if ours else CHECKED
        dispatcher: Callable[..., Any]
        dispatcher = numba.njit(cache=ours, **flags)(_renamed(function, "loop"))
        dispatcher.compile(arguments)  # type: ignore[attr-defined]  # Numba's dispatcher
    return dispatcher


def _callback(function: Any, result: Any, arguments: tuple[Any, ...]) -> Any:
    with _caching_in(cache_folder()):
        signature = result(*arguments)
        return numba.cfunc(signature, cache=True, **UNCOUNTED)(function)


def _guarded(guard: Any, function: Any, result: Any, arguments: tuple[Any, ...]) -> Any:
    reached = reach(function)
    reached.check(len(arguments))
    around = FunctionType(guard.__code__, {**guard.__globals__, "asked": function})
    around.__module__, around.__qualname__ = guard.__module__, guard.__qualname__
    folder = _outside_folder(reach(around).digest)
    try:
        with _caching_in(folder or cache_folder()), _checks(True):
            keep, signature = folder is not None, result(*arguments)
            return numba.cfunc(signature, cache=keep, error_model="python")(around)
    except Exception as error:  # Numba raises whatever it likes
        fields = [list(argument.fields) for argument in arguments]
        raise diagnose(error, reached, fields) from error


@contextmanager
def _checks(wanted: bool) -> Iterator[None]:
    """Compile with or without checks."""
    global _checking
    before, _checking = _checking, wanted
    try:
        yield
    finally:
        _checking = before


class _Notice(numba_event.Listener):  # type: ignore[misc]  # Numba is untyped
    """Notices that something is being compiled, not merely loaded."""

    def __init__(self) -> None:
        self.compiling = threading.Event()

    def on_start(self, event: object) -> None:
        self.compiling.set()

    def on_end(self, event: object) -> None:
        pass


_noticed = threading.Event()


@contextmanager
def _notice() -> Iterator[None]:
    """Say on standard error, once, that a compilation is under way if it takes noticeably long."""
    if _noticed.is_set():
        yield
        return
    listener, done = _Notice(), threading.Event()

    def speak() -> None:
        if not done.wait(0.7) and listener.compiling.wait(60) and not done.is_set():
            _noticed.set()
            print("compiling (once for this version) ...", file=sys.stderr, flush=True)

    numba_event.register("numba:compile", listener)
    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield
    finally:
        done.set()
        numba_event.unregister("numba:compile", listener)
