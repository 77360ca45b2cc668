"""What a value in a kernel can be, and which LLVM values it consists of.

A number is one LLVM value, a record its address, an array its address and the lengths that are not
known beforehand, a tuple all its members one after the other.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "BOOL",
    "FLOAT",
    "INT",
    "NOTHING",
    "ArrayKind",
    "Kind",
    "NumberKind",
    "RecordKind",
    "Stored",
    "TupleKind",
    "UnknownError",
    "Value",
    "joined",
    "kind_in_memory",
    "kind_of",
    "parts",
]


class UnknownError(Exception):
    """A kernel uses something that the compiler does not know."""


@dataclass(frozen=True, slots=True)
class NumberKind:
    """A number in a register, or nothing at all."""

    name: str
    llvm: str


INT, FLOAT, BOOL = NumberKind("int", "i64"), NumberKind("float", "double"), NumberKind("bool", "i1")
NOTHING = NumberKind("nothing", "void")


@dataclass(frozen=True, slots=True)
class Stored:
    """A number as it lies in an array or a record; wider or of another kind once it is loaded."""

    kind: NumberKind
    llvm: str
    size: int
    widen: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class RecordKind:
    """A record of such a layout; one object for each layout."""

    layout: np.dtype[Any]

    @property
    def size(self) -> int:
        """Return its length in bytes."""
        return self.layout.itemsize


@dataclass(frozen=True, slots=True)
class ArrayKind:
    """An array without gaps; a length is None if only the running code knows it."""

    element: Stored | RecordKind
    shape: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class TupleKind:
    """A tuple, with its class if its members have names."""

    named: Any
    members: tuple[Kind, ...]


Kind = NumberKind | RecordKind | ArrayKind | TupleKind


@dataclass(frozen=True, slots=True)
class Value:
    """A value at some place of the code: its kind and the LLVM operands."""

    kind: Kind
    operands: tuple[str, ...]

    @property
    def operand(self) -> str:
        """Return the first operand, which is the only one of a number or a record."""
        return self.operands[0]


def parts(kind: Kind) -> list[str]:
    """Return the LLVM types of the operands of a kind."""
    match kind:
        case NumberKind():
            return [] if kind is NOTHING else [kind.llvm]
        case RecordKind():
            return ["ptr"]
        case ArrayKind():
            return ["ptr", *["i64"] * kind.shape.count(None)]
    return [part for member in kind.members for part in parts(member)]


def joined(one: Kind, other: Kind) -> Kind:
    """Return the kind of a variable that holds values of both kinds."""
    if one == other:
        return one
    match one, other:
        case NumberKind(), NumberKind() if NOTHING not in (one, other):
            return FLOAT if FLOAT in (one, other) else INT
        case ArrayKind(), ArrayKind() if one.element == other.element and len(one.shape) == len(
            other.shape
        ):
            shape = tuple(
                a if a == b else None for a, b in zip(one.shape, other.shape, strict=True)
            )
            return ArrayKind(one.element, shape)
        case TupleKind(), TupleKind() if len(one.members) == len(other.members):
            members = zip(one.members, other.members, strict=True)
            return TupleKind(one.named, tuple(joined(*pair) for pair in members))
    raise UnknownError(f"a variable is both {one} and {other}")


_STORED = {
    "int64": Stored(INT, "i64", 8),
    "float64": Stored(FLOAT, "double", 8),
    "bool": Stored(BOOL, "i8", 1),
    "uint8": Stored(INT, "i8", 1, "zext"),
    "int8": Stored(INT, "i8", 1, "sext"),
    "uint16": Stored(INT, "i16", 2, "zext"),
    "int16": Stored(INT, "i16", 2, "sext"),
    "uint32": Stored(INT, "i32", 4, "zext"),
    "int32": Stored(INT, "i32", 4, "sext"),
}


@functools.cache
def _record_kind(layout: np.dtype[Any]) -> RecordKind:
    return RecordKind(layout)


def kind_in_memory(layout: np.dtype[Any]) -> Stored | RecordKind:
    """Return what one element of an array, or a field without shape, is."""
    if layout.names:
        return _record_kind(layout)
    if layout.name not in _STORED:
        raise UnknownError(f"numbers of type {layout.name}")
    return _STORED[layout.name]


def kind_of(argument: Any) -> Kind:
    """Return the kind of an argument from Python: a number, a packed record, an array, a tuple."""
    if isinstance(argument, bool | int | float):
        return FLOAT if isinstance(argument, float) else INT
    if isinstance(argument, tuple):
        return TupleKind(type(argument), tuple(map(kind_of, argument)))
    element = kind_in_memory(argument.dtype)
    if argument.ndim:
        return ArrayKind(element, (None,) * argument.ndim)
    if isinstance(element, Stored):
        return element.kind
    return element
