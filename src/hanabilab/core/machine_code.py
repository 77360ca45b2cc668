"""Machine code, kept on disk, linked and called.

Each loop that Python calls, and the callbacks of each strategy, are kept as one object file with
all that they call in it, which LLVM's linker loads in milliseconds. If there is none yet,
`hanabilab.core.compiler` makes it.

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
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from hanabilab.core.code_cache import cache_folder, say_unkept
from hanabilab.core.record import Record, dtype

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Binding",
    "Callback",
    "ObjectFile",
    "bind",
    "callbacks",
    "is_kept",
    "prepare",
    "rehearsal",
    "rehearsed",
    "run",
]

RESULTS = {"int": ctypes.c_int64, "float": ctypes.c_double, "nothing": None}
Shape = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """Machine code with the names of its entries, and what each returns."""

    entries: tuple[tuple[str, str], ...]
    code: bytes

    @property
    def sum(self) -> str:
        """What tells damaged code, which would end the program, from whole code."""
        return hashlib.sha256(repr(self.entries).encode() + self.code).hexdigest()

    def save(self, path: Path) -> None:
        """Write it, whole or not at all."""
        part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
        entries = " ".join(f"{name}:{result}" for name, result in self.entries)
        try:
            part.write_bytes(f"{entries}\n{self.sum}\n".encode() + self.code)
            part.replace(path)
        except OSError as error:
            part.unlink(missing_ok=True)
            say_unkept(error.strerror or "cannot be written")

    @classmethod
    def load(cls, path: Path) -> ObjectFile | None:
        """Read it, if it is there and whole."""
        try:
            names, checksum, code = path.read_bytes().split(b"\n", 2)
            entries = [each.partition(":") for each in names.decode().split()]
            found = cls(tuple((name, result) for name, _, result in entries), code)
            return found if found.sum == checksum.decode() else None
        except (OSError, ValueError):
            return None


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


class Callback(NamedTuple):
    """A kernel of ours for compiled code to call: what it returns, and the records it takes."""

    function: Callable[..., Any]
    result: str
    kinds: tuple[type[Record | int], ...]

    @property
    def name(self) -> str:
        """The name of the kernel, with its module."""
        return f"{self.function.__module__}.{self.function.__qualname__}"


def callbacks(name: str, *wanted: Callback) -> list[int]:
    """Return the addresses of kernels of ours, which are compiled together as `name`."""
    if not wanted:
        return []
    if (missing := rehearsed()) is not None:
        if wanted not in _addresses and not _callbacks_path(wanted).exists():
            missing.append(name)
        return [0] * len(wanted)
    with _lock:
        if wanted not in _addresses:
            path = _callbacks_path(wanted)
            found = ObjectFile.load(path)
            if found is None:
                entries = [
                    EntryPoint(each.name, each.function, _kinds(each.kinds)) for each in wanted
                ]
                found = _compile(name, entries, path)
            _addresses[wanted] = _link(found)
        return _addresses[wanted]


@contextmanager
def rehearsal() -> Iterator[list[str]]:
    """Note in a list what would have to be compiled, instead of compiling it, in this thread."""
    missing = _stage.missing = []
    try:
        yield missing
    finally:
        _stage.missing = None


def rehearsed() -> list[str] | None:
    """Return the list of the rehearsal that is under way in this thread, if one is."""
    return _stage.missing


def is_kept(function: Callable[..., Any]) -> bool:
    """Tell whether a loop is there, for whatever arguments."""
    return any(cache_folder().glob(f"{function.__qualname__}-*.o"))


class _Stage(threading.local):
    """What each thread is about to find out."""

    missing: list[str] | None = None


_stage = _Stage()
_lock = threading.RLock()
_entries: dict[tuple[Callable[..., Any], Shape], Callable[..., Any]] = {}
_addresses: dict[tuple[Callback, ...], list[int]] = {}
_engines: list[Any] = []
"""What has been linked must live as long as the process."""


def _load_call(
    function: Callable[..., Any], shapes: Shape, arguments: tuple[Any, ...]
) -> Callable[..., Any]:
    result, address = _load_entry(function, shapes, arguments)
    kinds = [
        ctypes.c_double if isinstance(each, float) else ctypes.c_int64
        for each in flatten(arguments)
    ]
    entry = ctypes.CFUNCTYPE(RESULTS[result], *kinds)(address)
    return lambda *arguments: entry(*flatten(arguments))


def _load_entry(
    function: Callable[..., Any], shapes: Shape, arguments: tuple[Any, ...]
) -> tuple[str, int]:
    """Return what the machine code of a function returns, and its address."""
    path = _path(function.__qualname__, (function.__module__, shapes))
    found = ObjectFile.load(path)
    if found is None:
        from hanabilab.core.compiler.kinds import kind_of

        name = function.__qualname__
        found = _compile(name, [EntryPoint(name, function, tuple(map(kind_of, arguments)))], path)
    ((_, result),) = found.entries
    (address,) = _link(found)
    return result, address


class EntryPoint(NamedTuple):
    """A kernel to compile: the name of its entry, and the kinds of its arguments."""

    name: str
    function: Callable[..., Any]
    kinds: tuple[Any, ...]


def _compile(what: str, entries: Sequence[EntryPoint], path: Path) -> ObjectFile:
    from hanabilab.core.compiler.functions import Program
    from hanabilab.core.compiler.llvm import assemble
    from hanabilab.core.compiler.times import announced

    program = Program()
    results = tuple((entry.name, program.add_entry(*entry)) for entry in entries)
    text = str(program)
    with announced(what, text.count("\n")):
        made = ObjectFile(results, assemble(text))
    made.save(path)
    return made


def _kinds(kinds: tuple[type[Record | int], ...]) -> tuple[Any, ...]:
    from hanabilab.core.compiler.kinds import INT, kind_in_memory

    return tuple(kind_in_memory(dtype(kind)) if issubclass(kind, Record) else INT for kind in kinds)


def _callbacks_path(wanted: tuple[Callback, ...]) -> Path:
    about = [(each.name, *map(_layout, each.kinds)) for each in wanted]
    module = wanted[0].function.__module__.rpartition(".")[2]
    return _path(module, ("callbacks", *about))


def _path(name: str, about: Shape) -> Path:
    """Return where the code is kept: it depends on the types, the processor, and Python."""
    digest = hashlib.sha256(repr((about, _machine())).encode()).hexdigest()[:16]
    return cache_folder() / f"{name}-{digest}.o"


@functools.cache
def _machine() -> tuple[str, ...]:
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features().flatten()
    return platform.python_version(), llvm.get_process_triple(), llvm.get_host_cpu_name(), features


def _link(found: ObjectFile) -> list[int]:
    """Load an object file in a room of its own and return the addresses of its entries."""
    engine = _new_engine()
    import llvmlite.binding as llvm

    engine.add_object_file(llvm.ObjectFileRef.from_data(found.code))
    engine.finalize_object()
    _engines.append(engine)
    return [int(engine.get_function_address(name)) for name, _ in found.entries]


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


class Binding:
    """A kernel bound to its arguments: arrays once and for all, integers from call to call.

    C is passed a single pointer to a record of all arguments. To convert each of them anew would
    take a tenth of a microsecond for a number and ten times that for an array.
    """

    __slots__ = ("_arguments", "_entry", "_places", "_words", "call", "numbers")

    call: Callable[[], Any]
    """Runs the kernel and returns its result."""
    numbers: memoryview
    """Begins with the integers among the arguments; write here what the next call takes."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], gil: bool) -> None:
        result, address = _bindable(function, arguments)
        flat = [tuple(flatten((each,))) for each in arguments]
        places = _places_in_record(arguments, flat)
        words: list[Any] = [address] + [0] * sum(map(len, flat))
        for place, numbers in zip(places, flat, strict=True):
            words[place : place + len(numbers)] = numbers
        order = [
            start + each
            for start, numbers in zip(places, flat, strict=True)
            for each in range(len(numbers))
        ]
        kind = ctypes.PYFUNCTYPE if gil else ctypes.CFUNCTYPE
        self._entry = kind(RESULTS[result])(_spreading(result, tuple(order)))
        self._places, self._arguments = places, list(arguments)
        self._keep(words)

    def _keep(self, words: list[int]) -> None:
        record = array("q", words)
        self._words = memoryview(record)
        self.numbers = self._words[1:]
        self.call = functools.partial(self._entry, ctypes.c_void_p(record.buffer_info()[0]))

    def replace(self, place: int, argument: Any) -> None:
        """Bind another array, or tuple of arrays, of the same types instead of an argument."""
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
        """Return a binding to `new`, a copy of an array in whose memory arguments lie.

        This takes a tenth of the time of binding each of them.
        """
        twin = Binding.__new__(Binding)
        twin._entry, twin._places = self._entry, self._places
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
    """Tell whether the same machine code does for both arrays."""
    same = one.dtype is other.dtype or one.dtype == other.dtype  # of records that takes long
    return same and one.ndim == other.ndim and bool(one.flags.c_contiguous)


def _address(array: Any) -> int:
    """Return where an array lies."""
    if array.dtype.names is None and array.size and array.flags.writeable:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # four times as fast
    (address, *_) = flatten((array,))
    return int(address)


def bind(function: Callable[..., Any], *arguments: Any, gil: bool = False) -> Binding:
    """Compile a kernel of ours for these arguments and bind it to them.

    With `gil`, other threads of Python wait: for what takes no longer than letting them run.
    """
    return Binding(function, arguments, gil)


_bindable_entries: dict[tuple[Callable[..., Any], Shape], tuple[str, int]] = {}


def _bindable(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, int]:
    """Return what a kernel for such arguments returns, and its address."""
    key = function, tuple(map(_shape, arguments))
    if "float" in key[1]:
        raise TypeError("a float cannot be bound")
    with _lock:
        if key not in _bindable_entries:
            _bindable_entries[key] = _load_entry(function, key[1], arguments)
        return _bindable_entries[key]


def _places_in_record(arguments: tuple[Any, ...], flat: Sequence[tuple[Any, ...]]) -> list[int]:
    """Return where in the record each argument starts: the kernel's address, integers, the rest."""
    places, place = [0] * len(arguments), 1
    for integers in (True, False):
        for number, argument in enumerate(arguments):
            if isinstance(argument, int) is integers:
                places[number] = place
                place += len(flat[number])
    return places


@functools.cache
def _spreading(result: str, order: tuple[int, ...]) -> int:
    """Return the address of code that calls a kernel with the words of a record in this order."""
    types = {"int": "i64", "float": "double", "nothing": "void"}
    loads = [
        line
        for place in (0, *order)
        for line in (
            f"%at{place} = getelementptr i64, ptr %words, i64 {place}",
            f"%word{place} = load i64, ptr %at{place}",
        )
    ]
    passed = ", ".join(f"i64 %word{place}" for place in order)
    call = f"call {types[result]} %kernel({passed})"
    ending = (
        [call, "ret void"]
        if result == "nothing"
        else [f"%result = {call}", f"ret {types[result]} %result"]
    )
    body = [*loads, "%kernel = inttoptr i64 %word0 to ptr", *ending]
    text = "\n".join([f"define {types[result]} @spread(ptr %words) nounwind {{", *body, "}"])
    path = _path("spread", (text,))
    found = ObjectFile.load(path)
    if found is None:
        from hanabilab.core.compiler.llvm import assemble

        found = ObjectFile((("spread", result),), assemble(text))
        found.save(path)
    (address,) = _link(found)
    return address
