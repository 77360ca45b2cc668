"""Numba: what it compiles and calls.

Kernels of ours become machine code without Numba (`hanabilab.core.machine_code`). `compile_loop`
returns a function that Numba itself compiled and calls, and `run` calls it.

Kernels from outside the package, and whatever kernels of ours they call, are compiled by Numba with
checks: a wrong index or a division by zero is an error there, never a number
(`compile_guarded`). Their machine code is kept under a digest of all that they reach
(`hanabilab.core.outside.reach`).
"""

from __future__ import annotations

import hashlib
import pickle
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.core import event as numba_event
from numba.core.caching import Cache
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import typeof_impl

from hanabilab.core import intrinsics  # noqa: F401  # registers what kernels call with Numba
from hanabilab.core.code_cache import cache_folder, say_unkept
from hanabilab.core.compiler.times import announced
from hanabilab.core.folders import forget_oldest
from hanabilab.core.kernel import INLINED, KERNELS, is_ours
from hanabilab.core.outside.diagnosis import diagnose
from hanabilab.core.outside.reach import reach
from hanabilab.core.record import Record, dtype

__all__ = [
    "compile_guarded",
    "compile_loop",
    "entry_point",
    "integer",
    "is_kept",
    "label_of",
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
KEPT_OUTSIDE = 200

integer = types.int64
RESULTS = {"int": types.int64, "float": types.float64, "nothing": types.void}
typeof = numba.typeof


@contextmanager
def _forgive(cache: Cache) -> Iterator[None]:
    """Go on without machine code on disk where it cannot be written or read, and say so once."""
    try:
        yield
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        say_unkept(getattr(error, "strerror", None) or "damaged")


Cache._guard_against_spurious_io_errors = _forgive


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
    forget_oldest(folder.parent, KEPT_OUTSIDE)
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
            inline = function in INLINED
            _dispatchers[key] = numba.njit(cache=ours, forceinline=inline, **flags, **NO_WRAPPERS)(
                entry
            )
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


def record_type(kind: type[Record | int]) -> Any:
    """Return the Numba type of a record, or of a number."""
    if not issubclass(kind, Record):
        return types.int64
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


def compile_guarded(
    guard: Callable[..., Any], function: Callable[..., Any], result: str, *kinds: type[Record]
) -> int:
    """Return the address of a guard compiled around a kernel from outside, which it calls `asked`.

    The kernel is compiled with checks, and the guard sees to what it raises.
    """
    key = guard, result, *kinds
    made = _once(function, key, lambda: _guarded(guard, function, result, kinds))
    return int(made.address)


def label_of(function: Any) -> str:
    """Return what a kernel is called where people read it: its name and its file."""
    return f"{function.__qualname__} of {Path(function.__code__.co_filename).name}"


def is_kept(guard: Callable[..., Any], function: Callable[..., Any]) -> bool:
    """Tell whether a kernel from outside need not be compiled any more."""
    digest = reach(_around(guard, function)).digest
    folder = cache_folder() / "outside" / digest
    return bool(digest) and folder.is_dir() and any(folder.iterdir())


@contextmanager
def _compiling(what: str) -> Iterator[None]:
    """Compile alone, and say so if it takes long."""
    listener = _Listener()
    with _lock, announced(what, begun=listener.compiling), warnings.catch_warnings():
        # A record with more fields passes as one with fewer: `below` takes any memory.
        warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
        numba_event.register("numba:compile", listener)
        try:
            yield
        finally:
            numba_event.unregister("numba:compile", listener)


def _once(function: Callable[..., Any], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    with _lock:
        if (function, *key) not in _compiled:
            with _compiling(label_of(function)):
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


def _around(guard: Any, function: Any) -> FunctionType:
    """Return a guard that calls this function."""
    around = FunctionType(guard.__code__, {**guard.__globals__, "asked": function})
    around.__module__, around.__qualname__ = guard.__module__, guard.__qualname__
    return around


def _guarded(guard: Any, function: Any, result: str, kinds: Sequence[type[Record]]) -> Any:
    reached = reach(function)
    reached.check(len(kinds))
    around = _around(guard, function)
    folder = _outside_folder(reach(around).digest)
    signature = RESULTS[result](*map(record_type, kinds))
    try:
        with _caching_in(folder or cache_folder()), _checks(True):
            return numba.cfunc(signature, cache=folder is not None, error_model="python")(around)
    except Exception as error:  # Numba raises whatever it likes
        raise diagnose(error, reached, [list(kind.fields) for kind in kinds]) from error


@contextmanager
def _checks(wanted: bool) -> Iterator[None]:
    """Compile with or without checks."""
    global _checking
    before, _checking = _checking, wanted
    try:
        yield
    finally:
        _checking = before


class _Listener(numba_event.Listener):  # type: ignore[misc]  # Numba is untyped
    """Notices that something is being compiled, not merely loaded."""

    def __init__(self) -> None:
        self.compiling = threading.Event()

    def on_start(self, event: object) -> None:
        self.compiling.set()

    def on_end(self, event: object) -> None:
        pass
