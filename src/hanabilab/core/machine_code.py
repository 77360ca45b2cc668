"""Machine code: compiled on demand, cached on disk, verified, linked and called.

Each loop that Python calls, and the functions of each strategy, are cached as one object file with
everything that they call. LLVM's linker loads such a file in milliseconds.

Python passes an entry point a single pointer to a record of its arguments: integers first, then the
address of each record, the address and lengths of each array, and the members of each tuple.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import platform
import struct
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from hanabilab.core.code_cache import (
    CHECKED,
    ObjectFile,
    cache_folder,
    load_object,
    save_object,
    user_path,
)
from hanabilab.core.kernel import in_package
from hanabilab.core.record import Record, dtype
from hanabilab.errors import KernelRunError

if TYPE_CHECKING:
    from pathlib import Path

    from hanabilab.core.dependencies import Dependencies

__all__ = [
    "Binding",
    "Callback",
    "bind",
    "callbacks",
    "dry_run",
    "is_cached",
    "missing",
    "prepare",
    "run",
    "without_checks",
]

MANY_LINES = 6_000
"""Strategies with more lines of IR are compiled without unrolling. Most of their loops are over the
cards of a hand: unrolled and vectorized, these take longer to compile, and no less time to run.
"""
RESULTS = {"int": ctypes.c_int64, "float": ctypes.c_double, "None": None}
Shape = tuple[Any, ...]


class Callback(NamedTuple):
    """A kernel that compiled code calls by its address."""

    function: Callable[..., Any]
    result: str
    """"int", or "None" if its result is ignored."""
    params: tuple[type[Record | int], ...]

    @property
    def name(self) -> str:
        """The name of the kernel, with its module."""
        return f"{self.function.__module__}.{self.function.__qualname__}"


class _Entry(NamedTuple):
    """A linked entry point: its address, result type and dependencies."""

    address: int
    result: str
    can_fail: bool
    dependencies: Dependencies | None


def run(function: Callable[..., Any], *arguments: Any) -> Any:
    """Compile a kernel for these arguments if necessary, and call it."""
    return prepare(function, *arguments)(*arguments)


def prepare(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return a kernel compiled for arguments of these types."""
    entry = _entry(function, arguments)
    key = entry.address
    if key not in _calls:
        _calls[key] = _call_of(entry, arguments)
    return _calls[key]


def callbacks(name: str, *wanted: Callback) -> list[int]:
    """Compile kernels together as `name` and return their addresses."""
    if not wanted:
        return []
    with _lock:
        known = _addresses.get((_thread.checked, wanted))
        if known is not None and all(each.are_current() for each in known[1]):
            return known[0]
        dependencies = _dependencies(each.function for each in wanted)
        path = _path(
            wanted[0].function,
            (
                "callbacks",
                *((each.name, each.result, *map(_layout, each.params)) for each in wanted),
            ),
            dependencies,
        )
        if (noted := missing()) is not None:
            if path is None or not path.exists():
                noted.append(name)
            return [0] * len(wanted)
        found = load_object(path) or _compile_callbacks(name, wanted, path, dependencies)
        addresses = _link(found)
        _addresses[_thread.checked, wanted] = addresses, dependencies
        return addresses


@contextmanager
def dry_run() -> Iterator[list[str]]:
    """In this thread, list what would be compiled instead of compiling it."""
    noted = _thread.missing = []
    try:
        yield noted
    finally:
        _thread.missing = None


@contextmanager
def without_checks() -> Iterator[None]:
    """In this thread, compile users' kernels without run-time checks, to measure their cost."""
    _thread.checked = False
    try:
        yield
    finally:
        _thread.checked = True


def missing() -> list[str] | None:
    """Return the list of this thread's current dry run, if any."""
    return _thread.missing


def is_cached(function: Callable[..., Any]) -> bool:
    """Return whether a loop of the package is cached, for any arguments."""
    return any(cache_folder().glob(f"{function.__qualname__}-*.o"))


class _Thread(threading.local):
    missing: list[str] | None = None
    checked = True


_thread = _Thread()
_lock = threading.RLock()
_entries: dict[tuple[Callable[..., Any], Shape], _Entry] = {}
_calls: dict[int, Callable[..., Any]] = {}
_addresses: dict[tuple[bool, tuple[Callback, ...]], tuple[list[int], list[Dependencies]]] = {}
_engines: list[Any] = []
"""Linked engines, which must live as long as the process."""
_objects: list[ObjectFile] = []
"""Linked object files; a failure carries the index of its file."""


def _dependencies(functions: Any) -> list[Dependencies]:
    users = [function for function in functions if not in_package(function)]
    if not users:
        return []
    from hanabilab.core.dependencies import Dependencies

    return [Dependencies(function) for function in users]


def _entry(
    function: Callable[..., Any], arguments: tuple[Any, ...], *, small: bool = False
) -> _Entry:
    key = function, (small, _thread.checked, *map(_shape, arguments))
    found = _entries.get(key)
    if found is None or not (found.dependencies is None or found.dependencies.are_current()):
        with _lock:
            found = _entries[key] = _load_entry(function, key[1], arguments, small)
    return found


def _load_entry(
    function: Callable[..., Any], shapes: Shape, arguments: tuple[Any, ...], small: bool
) -> _Entry:
    dependencies = _dependencies([function])
    path = _path(function, (function.__module__, shapes), dependencies)
    found = load_object(path)
    if found is None:
        found = _compile_entry(function, arguments, path, dependencies, small)
    ((_, result, can_fail),) = found.entries
    return _Entry(_link(found)[0], result, can_fail, dependencies[0] if dependencies else None)


# Compilation


def _compile_entry(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    path: Path | None,
    dependencies: Sequence[Dependencies],
    small: bool,
) -> ObjectFile:
    from hanabilab.core.compiler.types import type_of

    name = function.__qualname__
    program = _new_program(dependencies)

    def emit() -> list[tuple[str, str, bool]]:
        result, can_fail = program.add_entry(name, function, tuple(map(type_of, arguments)))
        return [(name, result, can_fail)]

    return _compile(name, program, emit, path, small=small)


def _compile_callbacks(
    what: str,
    wanted: Sequence[Callback],
    path: Path | None,
    dependencies: Sequence[Dependencies],
) -> ObjectFile:
    from hanabilab.core.compiler.types import INT, element_type

    program = _new_program(dependencies)

    def emit() -> list[tuple[str, str, bool]]:
        entries = []
        for number, each in enumerate(wanted):
            types = [
                element_type(dtype(param)) if issubclass(param, Record) else INT
                for param in each.params
            ]
            name = f"{each.name}.{number}"
            program.add_callback(name, each.function, types, each.result)
            entries.append((name, each.result, True))
        return entries

    return _compile(what, program, emit, path, short_loops=True)


def _compile(
    what: str,
    program: Any,
    emit: Callable[[], list[tuple[str, str, bool]]],
    path: Path | None,
    *,
    small: bool = False,
    short_loops: bool = False,
) -> ObjectFile:
    from hanabilab.core.compile_times import announced
    from hanabilab.core.compiler.target import emit_object

    with announced(what) as estimate:
        entries = emit()
        text = str(program)
        lines = text.count("\n")
        estimate(lines)
        code = emit_object(text, small=small, unrolled=not short_loops or lines < MANY_LINES)
    made = ObjectFile(
        tuple(entries), tuple(program.failures.errors), tuple(program.failures.sites), code
    )
    save_object(made, path)
    return made


def _new_program(dependencies: Sequence[Dependencies]) -> Any:
    """Return an empty program: users' kernels get run-time checks and report their own lines."""
    from hanabilab.core.compiler.functions import Program

    checked = CHECKED or (bool(dependencies) and _thread.checked)
    return Program(checked=checked, locate_all=CHECKED and not dependencies)


def _path(function: Any, about: Shape, dependencies: Sequence[Dependencies]) -> Path | None:
    """Return the cache path; None if a dependency has no stable representation."""
    facts = [each.digest for each in dependencies]
    digest = hashlib.sha256(repr((about, facts, _thread.checked, _machine())).encode()).hexdigest()
    if dependencies:
        return user_path(digest) if all(facts) else None
    name = function.__qualname__ if about[0] != "callbacks" else function.__module__.split(".")[-1]
    return cache_folder() / f"{name}-{digest[:32]}.o"


@functools.cache
def _machine() -> tuple[str, ...]:
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    return platform.python_version(), llvm.get_process_triple(), llvm.get_host_cpu_name(), features


# Linking


def _link(found: ObjectFile) -> list[int]:
    """Load an object file and return the addresses of its entry points."""
    engine = _new_engine()
    import llvmlite.binding as llvm

    from hanabilab.core.failures import OBJECT_NUMBER

    engine.add_object_file(llvm.ObjectFileRef.from_data(found.code))
    engine.finalize_object()
    _engines.append(engine)
    _objects.append(found)
    number = engine.get_global_value_address(OBJECT_NUMBER)
    ctypes.c_int64.from_address(number).value = len(_objects)
    return [int(engine.get_function_address(name)) for name, *_ in found.entries]


def _new_engine() -> Any:
    import llvmlite.binding as llvm

    _initialize()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@functools.cache
def _initialize() -> None:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


# Calls


def _call_of(entry: _Entry, example: tuple[Any, ...]) -> Callable[..., Any]:
    """Return a function that writes its arguments into a record and calls an entry point."""
    words = sum(1 for _ in flatten(example))
    record = struct.Struct(
        "".join("d" if isinstance(each, float) else "q" for each in _in_order(example))
    )
    kind = ctypes.c_char * (8 * (words + 1))
    call = _c_function(entry, gil=False)

    def compiled(*arguments: Any) -> Any:
        buffer = kind()
        try:
            record.pack_into(buffer, 0, *_in_order(arguments))
        except struct.error as error:
            raise KernelRunError("OverflowError: an argument is beyond 63 bits") from error
        result = call(ctypes.addressof(buffer))
        if not entry.can_fail:
            return result
        if result:
            raise failure(result)
        return _result_at(entry.result, buffer, 8 * words)

    return compiled


def _c_function(entry: _Entry, *, gil: bool) -> Callable[[Any], Any]:
    result = ctypes.c_int64 if entry.can_fail else RESULTS[entry.result]
    prototype = ctypes.PYFUNCTYPE if gil else ctypes.CFUNCTYPE
    return prototype(result, ctypes.c_void_p)(entry.address)


def _result_at(result: str, buffer: Any, offset: int) -> Any:
    if result == "None":
        return None
    return struct.unpack_from("d" if result == "float" else "q", buffer, offset)[0]


def failure(status: int) -> KernelRunError:
    """Return the error that a status encodes."""
    from hanabilab.core.failures import OBJECT_SHIFT, decode

    found = _objects[(status >> OBJECT_SHIFT) - 1]
    return KernelRunError(str(decode(status, found.errors, found.sites)))


class Binding:
    """A kernel bound to its arguments: arrays stay fixed, integers vary from call to call.

    Converting the arguments for each call would cost 0.1 µs per number and 1 µs per array.
    """

    __slots__ = ("_arguments", "_entry", "_function", "_places", "_words", "call", "numbers")

    call: Callable[[], Any]
    """Runs the kernel and returns its result."""
    numbers: memoryview
    """Starts with the integer arguments; write the values for the next call here."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], gil: bool) -> None:
        if any(isinstance(each, float) for each in flatten(arguments)):
            raise TypeError("a float cannot be bound")
        self._entry = _entry(function, arguments, small=gil)
        self._function = _c_function(self._entry, gil=gil)
        self._places, self._arguments = _places(arguments), list(arguments)
        self._keep([*_in_order(arguments), 0])

    def _keep(self, words: list[Any]) -> None:
        record = array("q", words)
        self._words = self.numbers = memoryview(record)
        address = ctypes.c_void_p(record.buffer_info()[0])
        self.call = (
            _failing_call(self._function, address, self._words, self._entry.result)
            if self._entry.can_fail
            else functools.partial(self._function, address)
        )

    def replace(self, place: int, argument: Any) -> None:
        """Replace a bound array, or tuple of arrays, by another one of the same types."""
        before, word = self._arguments[place], self._places[place]
        if argument is before:
            return
        for new, old in zip(_leaves(argument), _leaves(before), strict=True):
            if new is not old:
                if not _alike(new, old):
                    raise TypeError(f"argument {place}: a {new.dtype} array of another kind")
                self._words[word] = _address(new)
                for dimension, length in enumerate(new.shape, word + 1):
                    self._words[dimension] = length
            word += 1 + old.ndim
        self._arguments[place] = argument

    def moved(self, old: Any, new: Any) -> Binding:
        """Return a binding to `new`, a copy of the array whose memory holds the arguments.

        This takes a tenth of the time of a new binding.
        """
        twin = Binding.__new__(Binding)
        twin._entry, twin._function, twin._places = self._entry, self._function, self._places
        twin._arguments = [*self._arguments[: len(self._places)], new]
        words, start = self._words.tolist(), _address(old)
        distance, end = _address(new) - start, start + old.nbytes
        for place, argument in zip(self._places, self._arguments, strict=False):
            if start <= words[place] < end and not isinstance(argument, int | tuple):
                words[place] += distance
        twin._keep(words)
        return twin


def _leaves(argument: Any) -> Sequence[Any]:
    """Return the arrays of an argument."""
    if isinstance(argument, tuple):
        return [leaf for each in argument for leaf in _leaves(each)]
    return (argument,)


def _alike(one: Any, other: Any) -> bool:
    """Return whether the same machine code can be used for both arrays."""
    same = one.dtype is other.dtype or one.dtype == other.dtype  # slow for records
    return same and one.ndim == other.ndim and bool(one.flags.c_contiguous)


def _address(array: Any) -> int:
    """Return the address of an array."""
    if array.dtype.names is None and array.size and array.flags.writeable:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # four times as fast
    (address, *_) = flatten((array,))
    return int(address)


def bind(function: Callable[..., Any], *arguments: Any, gil: bool = False) -> Binding:
    """Compile a kernel for these arguments and bind it to them.

    Set `gil` for calls of about a microsecond: holding the lock then costs less than releasing it.
    Their code is optimized for size, which compiles in two thirds of the time.
    """
    return Binding(function, arguments, gil)


def _failing_call(
    call: Callable[[Any], Any], address: Any, words: memoryview, result: str
) -> Callable[[], Any]:
    def checked() -> Any:
        if status := call(address):
            raise failure(status)
        return None if result == "None" else words[-1]

    return checked


def _places(arguments: tuple[Any, ...]) -> list[int]:
    """Return the position of each argument in the record: integers first, then the rest."""
    places, place = [0] * len(arguments), 0
    for integers in (True, False):
        for number, argument in enumerate(arguments):
            if isinstance(argument, int) is integers:
                places[number] = place
                place += sum(1 for _ in flatten((argument,)))
    return places


def _in_order(arguments: tuple[Any, ...]) -> Iterator[int | float]:
    """Yield flattened arguments in the order of the record: integers first."""
    yield from (each for each in arguments if isinstance(each, int))
    yield from flatten(tuple(each for each in arguments if not isinstance(each, int)))


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
    """Return the properties of an argument that its machine code depends on."""
    if isinstance(argument, float):
        return "float"
    if isinstance(argument, int):
        return "int"
    if isinstance(argument, tuple):
        return (type(argument).__qualname__, *map(_shape, argument))
    if argument.ndim and not argument.flags.c_contiguous:
        raise TypeError("an array must be contiguous")
    return (argument.ndim, _fingerprint(argument.dtype))


def _layout(param: type[Record | int]) -> str:
    return _fingerprint(dtype(param)) if issubclass(param, Record) else "int"


@functools.cache
def _fingerprint(layout: Any) -> str:
    return hashlib.sha256(repr(layout).encode()).hexdigest()[:16]
