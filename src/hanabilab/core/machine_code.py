"""Machine code that starts without its compiler.

Importing Numba, and letting it load what it has cached, takes most of a second. So each loop that
Python calls, and each callback, is kept as one object file with all that it calls in it, which
LLVM's linker loads in milliseconds; `hanabilab.core.native` is imported only if there is none yet.

An object file is called with plain numbers and addresses (`flatten`): a record is the address of
its memory, an array its address and its shape, a named tuple all its members.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import platform
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hanabilab.core.code_cache import cache_folder, say_unkept
from hanabilab.core.record import Record, dtype

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ObjectFile", "callback", "prepare", "run"]

RESULTS = {"int": ctypes.c_int64, "float": ctypes.c_double, "nothing": None}
MISSING = (
    "NRT_Free",
    "NRT_Allocate",
    "NRT_MemInfo_call_dtor",
    "numba_do_raise",
    "numba_gil_ensure",
    "numba_gil_release",
    "numba_runtime_build_excinfo_struct",
    "numba_unpickle",
)
"""What the code refers to for raising exceptions and for freeing arrays, which our kernels never
do; without Numba, it leads to the end of the program."""

Shape = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """Machine code with the name of its entry, and what that returns."""

    entry: str
    result: str
    code: bytes

    @property
    def sum(self) -> str:
        """What tells damaged code, which would end the program, from whole code."""
        return hashlib.sha256(self.code).hexdigest()

    def save(self, path: Path) -> None:
        """Write it, whole or not at all."""
        part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
        try:
            part.write_bytes(f"{self.entry}\n{self.result}\n{self.sum}\n".encode() + self.code)
            part.replace(path)
        except OSError as error:
            part.unlink(missing_ok=True)
            say_unkept(error.strerror or "cannot be written")

    @classmethod
    def load(cls, path: Path) -> ObjectFile | None:
        """Read it, if it is there and whole."""
        try:
            entry, result, checksum, code = path.read_bytes().split(b"\n", 3)
        except (OSError, ValueError):
            return None
        found = cls(entry.decode(), result.decode(), code)
        return found if found.sum == checksum.decode() else None


def run(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a kernel of ours compiled for these arguments."""
    return prepare(function, *arguments)(*arguments)


def prepare(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return a kernel of ours compiled for such arguments."""
    key = function, tuple(map(_shape, arguments))
    if key not in _entries:
        with _lock:
            if key not in _entries:
                _entries[key] = _load_call(function, key[1], arguments)
    return _entries[key]


def callback(function: Callable[..., Any], result: str, *kinds: type[Record | int]) -> int:
    """Return the address of a kernel of ours that takes such records, for compiled code to call."""
    key = function, (result, *kinds)
    with _lock:
        if key not in _addresses:
            shapes = ("callback", result, *map(_layout, kinds))
            found = _kept(function, shapes)
            if found is None:
                from hanabilab.core import native

                found = native.export_callback(function, result, kinds)
                found.save(_path(function, shapes))
            _addresses[key] = _link(found)
        return _addresses[key]


_lock = threading.RLock()
_entries: dict[tuple[Callable[..., Any], Shape], Callable[..., Any]] = {}
_addresses: dict[tuple[Callable[..., Any], Shape], int] = {}
_engines: list[Any] = []
"""What has been linked must live as long as the process."""


def _load_call(
    function: Callable[..., Any], shapes: Shape, arguments: tuple[Any, ...]
) -> Callable[..., Any]:
    found = _kept(function, shapes)
    if found is None:
        from hanabilab.core import native

        found = native.export_call(function, arguments)
        found.save(_path(function, shapes))
    kinds = [
        ctypes.c_double if isinstance(each, float) else ctypes.c_int64
        for each in flatten(arguments)
    ]
    prototype = ctypes.CFUNCTYPE(RESULTS[found.result], *kinds)
    entry = prototype(_link(found))
    return lambda *arguments: entry(*flatten(arguments))


def _kept(function: Callable[..., Any], shapes: Shape) -> ObjectFile | None:
    return ObjectFile.load(_path(function, shapes))


def _path(function: Callable[..., Any], shapes: Shape) -> Path:
    """Return where the code is kept: it depends on the types, the processor, and Python."""
    about = repr((function.__module__, shapes, _machine()))
    digest = hashlib.sha256(about.encode()).hexdigest()[:16]
    return cache_folder() / f"{function.__qualname__}-{digest}.o"


@functools.cache
def _machine() -> tuple[str, ...]:
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    return platform.python_version(), llvm.get_process_triple(), llvm.get_host_cpu_name(), features


def _link(found: ObjectFile) -> int:
    """Load an object file in a room of its own and return the address of its entry."""
    engine = _new_engine()
    import llvmlite.binding as llvm

    engine.add_object_file(llvm.ObjectFileRef.from_data(found.code))
    engine.finalize_object()
    _engines.append(engine)
    return int(engine.get_function_address(found.entry))


def _new_engine() -> Any:
    import llvmlite.binding as llvm

    _make_ready()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@functools.cache
def _make_ready() -> None:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    end = ctypes.cast(ctypes.pythonapi.Py_FatalError, ctypes.c_void_p).value
    for name in MISSING:
        if not llvm.address_of_symbol(name):
            llvm.add_symbol(name, end)


def flatten(arguments: tuple[Any, ...]) -> Iterator[int | float]:
    """Yield arguments as numbers and addresses."""
    import numpy as np

    for each in arguments:
        if isinstance(each, int | float):
            yield each
        elif isinstance(each, tuple):
            yield from flatten(each)
        elif hasattr(each, "ndim") and each.ndim:
            yield each.ctypes.data
            yield from each.shape
        else:
            yield np.frombuffer(each, np.uint8).ctypes.data


def _shape(argument: Any) -> Shape | str:
    """Return what the machine code depends on in an argument."""
    if isinstance(argument, float):
        return "float"
    if isinstance(argument, int):
        return "int"
    if isinstance(argument, tuple):
        return (type(argument).__qualname__, *map(_shape, argument))
    if argument.ndim and not argument.flags.c_contiguous:
        raise TypeError("an array whose elements do not follow each other")
    return (argument.ndim, _fingerprint(argument.dtype))


def _layout(kind: type[Record | int]) -> str:
    return _fingerprint(dtype(kind)) if issubclass(kind, Record) else "int"


@functools.cache
def _fingerprint(layout: Any) -> str:
    return hashlib.sha256(repr(layout).encode()).hexdigest()[:16]
