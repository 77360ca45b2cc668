"""Types of the kernel language, and the LLVM values that represent them.

A scalar is one LLVM value and a record a pointer. An array is a pointer followed by the lengths
that are unknown at compile time. A tuple is flattened into its members.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "BOOL",
    "FLOAT",
    "INT",
    "VOID",
    "ArrayType",
    "ElementType",
    "RecordType",
    "ScalarType",
    "TupleType",
    "Type",
    "UnsupportedError",
    "Value",
    "describe",
    "element_type",
    "flattened",
    "type_of",
    "unify",
]


class UnsupportedError(Exception):
    """A construct outside the kernel language: what is wrong, and the remedy."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(f"{message}; {remedy}" if remedy else message)


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A number or truth value in a register; `VOID` is the type of None."""

    name: str
    llvm: str


INT = ScalarType("int", "i64")
FLOAT = ScalarType("float", "double")
BOOL = ScalarType("bool", "i1")
VOID = ScalarType("None", "void")


@dataclass(frozen=True, slots=True)
class ElementType:
    """A number as an array or a record stores it."""

    scalar: ScalarType
    llvm: str
    size: int
    extend: str = ""
    """The instruction that widens it to 64 bits, for narrow integers."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordType:
    """A record with this memory layout; there is one object per layout."""

    layout: np.dtype[Any]

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.layout.itemsize


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A contiguous array; a length is None if it is unknown at compile time."""

    element: ElementType | RecordType
    shape: tuple[int | None, ...]
    capacity: int | None = None
    """An upper bound for an unknown first length: the length of the array that was sliced."""
    temporary: bool = False
    """True for a slice, whose elements are stored in a buffer of the function that took it."""


@dataclass(frozen=True, slots=True)
class TupleType:
    """A tuple, with its class if it is a named tuple."""

    named: Any
    members: tuple[Type, ...]


Type = ScalarType | RecordType | ArrayType | TupleType

UNKNOWN: Any = object()
"""Marks a value that is not a compile-time constant."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value in the emitted code: its type, its LLVM operands, and its constant if it has one."""

    type: Type
    operands: tuple[str, ...]
    constant: Any = UNKNOWN

    @property
    def operand(self) -> str:
        """The first operand, which is the only one of a scalar or a record."""
        return self.operands[0]

    @property
    def is_constant(self) -> bool:
        """Whether the value is known at compile time."""
        return self.constant is not UNKNOWN


def flattened(type_: Type) -> list[str]:
    """Return the LLVM types of the operands of a value."""
    match type_:
        case ScalarType():
            return [] if type_ is VOID else [type_.llvm]
        case RecordType():
            return ["ptr"]
        case ArrayType():
            return ["ptr", *["i64"] * type_.shape.count(None)]
    return [part for member in type_.members for part in flattened(member)]


def describe(type_: Type) -> str:
    """Describe a type in words, for messages."""
    match type_:
        case ScalarType():
            names = {"int": "an int", "float": "a float", "bool": "a bool", "None": "None"}
            return names[type_.name]
        case RecordType():
            return "a record"
        case ArrayType():
            return "a slice" if type_.temporary else "an array"
    return f"a tuple of {len(type_.members)}"


def unify(one: Type, other: Type) -> Type:
    """Return the type of a variable that holds values of both types.

    Integers and floats do not unify: interpreted, the variable would hold an exact integer, and
    compiled a rounded float.
    """
    if one == other:
        return one
    match one, other:
        case ScalarType(), ScalarType() if {one, other} == {BOOL, INT}:
            return INT
        case ArrayType(), ArrayType() if one.element == other.element and len(one.shape) == len(
            other.shape
        ):
            return _unify_arrays(one, other)
        case TupleType(), TupleType() if len(one.members) == len(other.members):
            members = zip(one.members, other.members, strict=True)
            named = one.named if one.named is other.named else None
            return TupleType(named, tuple(unify(*pair) for pair in members))
    remedy = "in a kernel a name has one type"
    if {one, other} == {INT, FLOAT} or {one, other} == {BOOL, FLOAT}:
        remedy = "write a float literal such as 0.0, or convert with float(...) or int(...)"
    raise UnsupportedError(f"this is {describe(one)} here and {describe(other)} there", remedy)


def _unify_arrays(one: ArrayType, other: ArrayType) -> ArrayType:
    shape = tuple(a if a == b else None for a, b in zip(one.shape, other.shape, strict=True))
    bounds = [_capacity(each) for each in (one, other)]
    capacity = None if shape[0] is not None or None in bounds else max(filter(None, bounds))
    return ArrayType(one.element, shape, capacity, one.temporary or other.temporary)


def _capacity(array: ArrayType) -> int | None:
    return array.shape[0] if array.shape[0] is not None else array.capacity


_ELEMENTS = {
    "int64": ElementType(INT, "i64", 8),
    "float64": ElementType(FLOAT, "double", 8),
    "float32": ElementType(FLOAT, "float", 4),
    "bool": ElementType(BOOL, "i8", 1),
    "uint8": ElementType(INT, "i8", 1, "zext"),
    "int8": ElementType(INT, "i8", 1, "sext"),
    "uint16": ElementType(INT, "i16", 2, "zext"),
    "int16": ElementType(INT, "i16", 2, "sext"),
    "uint32": ElementType(INT, "i32", 4, "zext"),
    "int32": ElementType(INT, "i32", 4, "sext"),
}


@functools.cache
def _record_type(layout: np.dtype[Any]) -> RecordType:
    return RecordType(layout)


def element_type(layout: np.dtype[Any]) -> ElementType | RecordType:
    """Return the type of an array's element, or of a field without a shape."""
    if layout.names:
        return _record_type(layout)
    if layout.name not in _ELEMENTS:
        raise UnsupportedError(f"a kernel cannot use arrays of {layout.name}")
    return _ELEMENTS[layout.name]


def type_of(argument: Any) -> Type:
    """Return the type of an argument from Python: a number, a packed record, an array, a tuple."""
    if isinstance(argument, bool | int | float):
        return FLOAT if isinstance(argument, float) else INT
    if isinstance(argument, tuple):
        named = type(argument) if hasattr(argument, "_fields") else None
        return TupleType(named, tuple(map(type_of, argument)))
    element = element_type(argument.dtype)
    if argument.ndim:
        return ArrayType(element, (None,) * argument.ndim)
    if isinstance(element, ElementType):
        return element.scalar
    return element


def as_temporary(array: ArrayType) -> ArrayType:
    """Return the type of a slice of an array."""
    return replace(array, shape=(None, *array.shape[1:]), capacity=_capacity(array), temporary=True)
