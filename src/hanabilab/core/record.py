"""Records: named 64-bit numbers and arrays of them, one source for both ways of running.

A class lists its fields::

    class Clock(Record):
        hour: int
        drift: float
        alarms: list[int] = ints(4)
        pages: list[list[int]] = ints(3, 8)
        strap: Strap = nested(Strap)  # another record

Interpreted, an instance is an ordinary object with integers and lists, quick and easy to inspect.
Compiled, `dtype(Clock)` describes the same fields as one block of memory; `pack` and `unpack` copy
from one to the other. Kernels read `clock.pages[i][j]` in both.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from hanabilab.display import TEXT_RENDERERS, Displayable

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "Ints",
    "Record",
    "aligned_buffer",
    "assign",
    "dtype",
    "ints",
    "nested",
    "pack",
    "unpack",
]

Shape = tuple[int, ...]
Kind = Any
"""What a field holds: "int", "float", or the class of a record."""

APART = 16
"""Padding in words between memory that different threads write: two cache lines."""


class Ints(Protocol):
    """A list of integers, or an array in compiled code."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> int: ...

    def __setitem__(self, place: int, value: int, /) -> None: ...


class _Ints:
    def __init__(self, shape: Shape) -> None:
        self.shape = shape


def ints(*shape: int) -> Any:
    """Declare an array field of one or two dimensions."""
    return _Ints(shape)


class _Nested:
    def __init__(self, kind: type[Record]) -> None:
        self.kind = kind


def nested(kind: type[Record]) -> Any:
    """Declare a field that is a record itself."""
    return _Nested(kind)


def _blank(kind: Kind, shape: Shape) -> Any:
    """Return the initial value of a field."""
    if shape:
        return _zeros(shape)
    return 0 if kind == "int" else 0.0 if kind == "float" else kind()


def _zeros(shape: Shape) -> Any:
    if len(shape) == 1:
        return [0] * shape[0]
    return [_zeros(shape[1:]) for _ in range(shape[0])]


class Record(Displayable):
    """Base class of all records; a subclass's fields follow those of its bases."""

    fields: ClassVar[dict[str, tuple[Kind, Shape]]] = {}
    """Type and shape of each field."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.fields = {}
        for base in cls.__bases__:
            cls.fields.update(getattr(base, "fields", {}))
        for name, annotation in inspect.get_annotations(cls).items():
            kind: Kind = annotation if isinstance(annotation, str) else annotation.__name__
            declared = cls.__dict__.get(name)
            shape: Shape = ()
            if isinstance(declared, _Ints):
                shape, kind = declared.shape, "int"
                delattr(cls, name)
            elif isinstance(declared, _Nested):
                kind = declared.kind
                delattr(cls, name)
            elif kind not in ("int", "float"):
                raise TypeError(f"{cls.__name__}.{name}: {kind} is not a field of a record")
            cls.fields[name] = (kind, shape)

    def __init__(self, **values: int | float | list[int]) -> None:
        for name, (kind, shape) in self.fields.items():
            setattr(self, name, _blank(kind, shape))
        for name, value in values.items():
            if name not in self.fields:
                raise TypeError(f"{type(self).__name__} has no field {name}")
            setattr(self, name, value)

    def copy(self) -> Self:
        """Return a deep copy."""
        twin = type(self).__new__(type(self))
        assign(twin, self)
        return twin

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield each field with its value."""
        return ((name, getattr(self, name)) for name in self.fields)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record) or self.fields != other.fields:
            return NotImplemented
        return all(value == getattr(other, name) for name, value in self.items())

    __hash__ = None  # type: ignore[assignment]  # a record is mutable

    def __repr__(self) -> str:
        if show := TEXT_RENDERERS.get(type(self).__name__):
            return show(self)
        inside = ", ".join(f"{name}={value}" for name, value in self.items())
        return f"{type(self).__name__}({inside})"


def assign(target: Any, source: Any) -> None:
    """Copy all fields of `source` to `target` in place; compiled, this is one memory copy.

    References to the target's rows and nested records stay valid.
    """
    held = vars(target)
    for name, (kind, shape) in source.fields.items():
        value = getattr(source, name)
        if not shape and isinstance(kind, str):
            setattr(target, name, value)
        elif name not in held:
            setattr(target, name, _copy(value))
        elif not shape:
            assign(held[name], value)
        elif len(shape) == 1:
            held[name][:] = value
        else:
            for row, others in zip(held[name], value, strict=True):
                row[:] = others


def _copy(value: Any) -> Any:
    """Return a copy of an array or a record."""
    if isinstance(value, Record):
        return value.copy()
    return [row[:] for row in value] if isinstance(value[0], list) else value[:]


def dtype(record: type[Record]) -> np.dtype[np.void]:
    """Return the memory layout of a record, in which every number takes 64 bits."""
    import numpy as np

    formats = {"int": "i8", "float": "f8"}
    fields = [
        (name, formats[kind] if isinstance(kind, str) else dtype(kind), shape)
        for name, (kind, shape) in record.fields.items()
    ]
    return np.dtype(fields, align=True)


def aligned_buffer(words: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return a buffer of 64-bit numbers in cache lines of its own.

    If two threads wrote to the same cache line, each would wait for the other at every store.
    """
    import numpy as np

    buffer = np.zeros(words + 2 * APART, np.int64)
    start = APART - buffer.ctypes.data // 8 % APART
    return buffer[start : start + words]


def pack(record: Record) -> np.ndarray[Any, np.dtype[np.void]]:
    """Return an array that holds this one record, for compiled code."""
    layout = dtype(type(record))
    packed = aligned_buffer(layout.itemsize // 8).view(layout)
    _fill(packed[0], record)
    return packed


def _fill(packed: Any, record: Record) -> None:
    for name, value in record.items():
        if isinstance(value, Record):
            _fill(packed[name], value)
        else:
            packed[name] = value


def unpack(target: Record, packed: Any) -> None:
    """Copy a compiled record back into an interpreted one."""
    for name, (kind, _) in target.fields.items():
        if isinstance(kind, str):
            setattr(target, name, packed[name].tolist())
        else:
            unpack(getattr(target, name), packed[name])
