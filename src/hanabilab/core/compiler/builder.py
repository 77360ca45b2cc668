"""Emits the LLVM IR of one function as text: blocks, variables, checks, numbers, memory."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hanabilab.core.compiler.types import (
    BOOL,
    FLOAT,
    INT,
    UNKNOWN,
    VOID,
    ArrayType,
    ElementType,
    RecordType,
    ScalarType,
    TupleType,
    Type,
    UnsupportedError,
    Value,
    describe,
    flattened,
    unify,
)

if TYPE_CHECKING:
    from hanabilab.core.failures import FailureTable

__all__ = ["OVERFLOW", "Builder", "ConstantPool", "Unresolved", "hexadecimal", "pairs", "struct_of"]

LIKELY = ", !prof !0"
"""Branch weights of a run-time check, which nearly always passes."""


class Unresolved(Exception):  # noqa: N818  # never leaves the compiler
    """Raised when a variable's type is not known yet; a later pass resolves it."""


class _Exit:
    """A return or a failure, rendered once it is known whether the function can fail."""

    def __init__(self, operands: Sequence[str] = (), status: str = "") -> None:
        self.operands, self.status = operands, status


class ConstantPool:
    """Constant tuples that kernels index with computed numbers, stored as arrays in memory."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, llvm: str, operands: Sequence[str]) -> str:
        """Return the address of an array with these elements."""
        text = f"[{len(operands)} x {llvm}] [{pairs([llvm] * len(operands), operands)}]"
        return self._names.setdefault(text, f"@constant.{len(self._names)}")

    def lines(self) -> list[str]:
        """Return the definitions of all constant arrays."""
        return [f"{name} = internal constant {text}" for text, name in self._names.items()]


class Builder:
    """Emits one function. Variables live in allocas, which LLVM turns into registers."""

    def __init__(
        self, failures: FailureTable, constants: ConstantPool, *, checked: bool, trusted: bool
    ) -> None:
        self.failures, self.constants = failures, constants
        self.checked = checked
        """Whether run-time checks are emitted."""
        self.trusted = trusted
        """True for a kernel of the package: its slices share memory, and it reports no line."""
        self.types: dict[str, Type] = {}
        """The inferred type of each variable."""
        self.flagged: set[str] = set()
        """Variables that may be read before they are assigned; a flag records the assignment."""
        self.location: tuple[str, int, str] = ("", 0, "")
        """The file, line and function that are being compiled."""
        self.can_fail = False
        self.changed = False
        """True if a later assignment widened a type, so the function must be emitted again."""
        self.unresolved = False
        """True if a statement was skipped because the type of a variable is not known yet."""
        self.reset()

    def reset(self) -> None:
        """Discard the emitted code and start again with the types inferred so far."""
        self.lines: list[str | _Exit] = []
        self.allocas: list[str] = []
        self.assigned: set[str] = set()
        """Variables that are assigned on every path to this point."""
        self.changed = self.unresolved = self.terminated = False
        self._count = 0
        self._failing: dict[str, str] = {}
        for name, type_ in self.types.items():
            self._allocate(name, type_)
        for name in sorted(self.flagged):
            self.allocas.append(f'  %"{name}.set" = alloca i1')
            self.allocas.append(f'  store i1 false, ptr %"{name}.set"')

    def body(self, result: Type) -> list[str]:
        """Return the lines of the finished function."""
        for status, label in self._failing.items():
            self.lines += [f"{label}:", _Exit(status=status)]
        self._failing = {}
        rendered = self._render(result)
        return [*self.allocas, *rendered]

    def _render(self, result: Type) -> list[str]:
        returned = struct_of(result, can_fail=self.can_fail)
        lines: list[str] = []
        for number, line in enumerate(self.lines):
            lines += [line] if isinstance(line, str) else _exit_lines(line, number, returned, self)
        return lines

    # Blocks

    def fresh(self, prefix: str = "%v") -> str:
        """Return a new name."""
        self._count += 1
        return f"{prefix}{self._count}"

    def emit(self, line: str) -> None:
        """Emit an instruction without a result."""
        if not self.terminated:
            self.lines.append(f"  {line}")

    def emit_value(self, line: str) -> str:
        """Emit an instruction and return the name of its result."""
        name = self.fresh()
        self.emit(f"{name} = {line}")
        return name

    def terminate(self, line: str) -> None:
        """Emit the terminator of a block."""
        self.emit(line)
        self.terminated = True

    def return_(self, operands: Sequence[str]) -> None:
        """Terminate the block with a return of these operands."""
        if not self.terminated:
            self.lines.append(_Exit(operands))
        self.terminated = True

    def start_block(self, label: str) -> None:
        """Start a block; the previous one falls through to it unless it is terminated."""
        self.terminate(f"br label %{label}")
        self.place_block(label)

    def place_block(self, label: str) -> None:
        """Start a block that is reached only by branches."""
        self.lines.append(f"{label}:")
        self.terminated = False

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        """Terminate the block with a conditional branch."""
        self.terminate(f"br i1 {condition}, label %{then}, label %{otherwise}")

    # Failures

    def check(self, condition: str, error: str) -> None:
        """Emit a check, if checks are on: fail with `error` unless the condition holds."""
        if self.checked and condition != "true":
            self.fail_unless(condition, self.failures.status(error, self._site()))

    def fail(self, error: str) -> None:
        """Emit an unconditional failure, whether checks are on or off."""
        if not self.terminated:
            self.can_fail = True
            self.lines.append(_Exit(status=self.failures.status(error, self._site())))
        self.terminated = True

    def fail_unless(self, condition: str, status: str) -> None:
        """Emit a return with this status unless the condition holds."""
        if self.terminated:
            return
        self.can_fail = True
        passed = self.fresh("passed")
        label = self._failing.setdefault(status, self.fresh("failed"))
        self.terminate(f"br i1 {condition}, label %{passed}, label %{label}{LIKELY}")
        self.place_block(passed)

    def propagate(self, status: str, *, from_library: bool) -> None:
        """Return early if a call failed; a failure inside the library reports the caller's line."""
        if self.terminated:
            return
        passed = self.emit_value(f"icmp eq i64 {status}, 0")
        if from_library and not self.failures.locate_all and (site := self._site()):
            status = self.emit_value(f"or i64 {status}, {self.failures.place(site)}")
        self.fail_unless(passed, status)

    def _site(self) -> tuple[str, int, str] | None:
        return None if self.trusted and not self.failures.locate_all else self.location

    # Variables

    def _allocate(self, name: str, type_: Type) -> None:
        for number, part in enumerate(flattened(type_)):
            self.allocas.append(f'  %"{name}.{number}" = alloca {part}')

    def buffer(self, name: str, size: int) -> str:
        """Return the address of `size` bytes of stack memory, the same one for each name."""
        line = f'  %"{name}" = alloca [{size} x i8], align 8'
        if line not in self.allocas:
            self.allocas.append(line)
        return f'%"{name}"'

    def assign(self, name: str, value: Value) -> None:
        """Store into a variable."""
        if self.terminated:
            return
        before = self.types.get(name)
        type_ = value.type if before is None else self._widened(name, before, value.type)
        if before is None:
            self._allocate(name, type_)
        elif type_ != before:
            self.changed = True
        self.types[name] = type_
        self.assigned.add(name)
        if self.changed:
            return  # everything is emitted again
        stored = zip(flattened(type_), self.convert(value, type_).operands, strict=True)
        for number, (part, operand) in enumerate(stored):
            self.emit(f'store {part} {operand}, ptr %"{name}.{number}"')
        if name in self.flagged:
            self.emit(f'store i1 true, ptr %"{name}.set"')

    def _widened(self, name: str, before: Type, after: Type) -> Type:
        try:
            return unify(before, after)
        except UnsupportedError as error:
            said = str(error).replace("this", f"`{name}`", 1) if name.isidentifier() else str(error)
            raise UnsupportedError(said) from error

    def variable(self, name: str) -> Value:
        """Load a variable."""
        if name not in self.types:
            raise Unresolved(name)
        if self.checked and name not in self.assigned:
            self._check_assigned(name)
        type_ = self.types[name]
        operands = [
            self.emit_value(f'load {part}, ptr %"{name}.{number}"')
            for number, part in enumerate(flattened(type_))
        ]
        return Value(type_, tuple(operands))

    def _check_assigned(self, name: str) -> None:
        if name not in self.flagged:
            self.flagged.add(name)
            self.changed = True
            return
        flag = self.emit_value(f'load i1, ptr %"{name}.set"')
        self.check(
            flag,
            f"UnboundLocalError: cannot access local variable '{name}' where it is not "
            "associated with a value",
        )

    # Scalars

    def constant(self, value: Any) -> Value:
        """Return a Python constant as a value."""
        if isinstance(value, bool):
            return Value(BOOL, (str(value).lower(),), value)
        if isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 63:
                text = value if value.bit_length() < 200 else "this number"
                raise UnsupportedError(
                    f"{text} is beyond 63 bits", "integers in a kernel have 64 bits, sign included"
                )
            return Value(INT, (str(int(value)),), int(value))
        if isinstance(value, float):
            return Value(FLOAT, (hexadecimal(value),), float(value))
        if value is None:
            return Value(VOID, (), None)
        if isinstance(value, tuple):
            named = type(value) if hasattr(value, "_fields") else None
            members = self.tuple_of([self.constant(each) for each in value], named)
            return Value(members.type, members.operands, value)
        raise UnsupportedError(_unusable(value))

    def convert(self, value: Value, type_: Type) -> Value:
        """Convert a value to the wider type that it was unified with."""
        if value.type == type_:
            return value
        match value.type, type_:
            case ScalarType(), ScalarType():
                return Value(type_, (self.scalar(value, type_),))
            case ArrayType(), ArrayType():
                return self.array(type_, value.operand, self.lengths(value))
            case TupleType(), TupleType():
                members = zip(self.members(value), type_.members, strict=True)
                return self.tuple_of([self.convert(*pair) for pair in members], type_.named)
        raise UnsupportedError(f"{describe(value.type)} where {describe(type_)} is expected")

    def scalar(self, value: Value, type_: ScalarType) -> str:
        """Convert a number to the operand type of an operation."""
        source = value.type
        if not isinstance(source, ScalarType) or source is VOID:
            raise UnsupportedError(f"{describe(source)} where a number is expected")
        if source is type_:
            return value.operand
        if value.is_constant and not (type_ is INT and source is FLOAT):
            return self.constant(
                {"int": int, "float": float, "bool": bool}[type_.name](value.constant)
            ).operand
        return self._converted(source, value.operand, type_)

    def _converted(self, source: ScalarType, operand: str, target: ScalarType) -> str:
        if target is BOOL:
            if source is FLOAT:
                return self.emit_value(f"fcmp une double {operand}, 0.0")
            return self.emit_value(f"icmp ne i64 {operand}, 0")
        if source is FLOAT:
            return self.truncated(operand)
        instruction = "uitofp" if source is BOOL else "sitofp"
        if target is INT:
            instruction = "zext"
        return self.emit_value(f"{instruction} {source.llvm} {operand} to {target.llvm}")

    def truncated(self, operand: str) -> str:
        """Return a float as an integer, rounded towards zero."""
        if self.checked:
            low = self.emit_value(f"fcmp oge double {operand}, {hexadecimal(-(2.0**63))}")
            high = self.emit_value(f"fcmp olt double {operand}, {hexadecimal(2.0**63)}")
            unknown = self.emit_value(f"fcmp uno double {operand}, {operand}")
            statuses = [self.failures.status(error, self._site()) for error in (NOT_A_NUMBER, HUGE)]
            status = self.select(unknown, "i64", *statuses)
            self.fail_unless(self.emit_value(f"and i1 {low}, {high}"), status)
        return self.emit_value(f"fptosi double {operand} to i64")

    def integer(self, operand: str | int) -> Value:
        """Return an integer operand as a value."""
        constant = int(operand) if str(operand).lstrip("-").isdigit() else UNKNOWN
        return Value(INT, (str(operand),), constant)

    def arithmetic(self, operation: str, one: str, other: str) -> str:
        """Return the sum, difference or product of two integers; check that it fits."""
        if not self.checked:
            return self.emit_value(f"{operation} i64 {one}, {other}")
        pair = self.emit_value(
            f"call {{i64, i1}} @llvm.s{operation}.with.overflow.i64(i64 {one}, i64 {other})"
        )
        overflow = self.emit_value(f"extractvalue {{i64, i1}} {pair}, 1")
        self.check(self.emit_value(f"xor i1 {overflow}, true"), OVERFLOW)
        return self.emit_value(f"extractvalue {{i64, i1}} {pair}, 0")

    def select(self, condition: str, type_: str, then: str, otherwise: str) -> str:
        """Return one of two operands."""
        return self.emit_value(f"select i1 {condition}, {type_} {then}, {type_} {otherwise}")

    # Tuples, arrays, records

    def tuple_of(self, members: list[Value], named: Any = None) -> Value:
        """Return a tuple."""
        if any(isinstance(each.type, ArrayType) and each.type.temporary for each in members):
            raise UnsupportedError(
                "a slice cannot be stored in a tuple", "pass it to a kernel directly"
            )
        type_ = TupleType(named, tuple(member.type for member in members))
        constant: Any = UNKNOWN
        if named is None and all(member.is_constant for member in members):
            constant = tuple(member.constant for member in members)
        return Value(type_, tuple(each for member in members for each in member.operands), constant)

    def members(self, value: Value) -> list[Value]:
        """Return the members of a tuple."""
        if not isinstance(value.type, TupleType):
            raise UnsupportedError(f"{describe(value.type)} where a tuple is expected")
        rest, members = iter(value.operands), []
        for place, type_ in enumerate(value.type.members):
            constant = value.constant[place] if value.is_constant else UNKNOWN
            operands = tuple(next(rest) for _ in flattened(type_))
            members.append(Value(type_, operands, constant))
        return members

    def lengths(self, array: Value) -> list[str]:
        """Return the length of an array in each dimension."""
        assert isinstance(array.type, ArrayType)
        dynamic = iter(array.operands[1:])
        return [str(length) if length is not None else next(dynamic) for length in array.type.shape]

    def array(self, type_: ArrayType, address: str, lengths: list[str]) -> Value:
        """Return an array with these lengths."""
        dynamic = [each for each, fixed in zip(lengths, type_.shape, strict=True) if fixed is None]
        return Value(type_, (address, *dynamic))

    def offset(self, base: str, offset: str | int) -> str:
        """Return the address `offset` bytes after `base`."""
        if str(offset) == "0":
            return base
        return self.emit_value(f"getelementptr inbounds i8, ptr {base}, i64 {offset}")

    def load(self, address: str, element: ElementType | RecordType) -> Value:
        """Load the number at an address; a record stays where it is."""
        if isinstance(element, RecordType):
            return Value(element, (address,))
        loaded = self.emit_value(f"load {element.llvm}, ptr {address}")
        if element.scalar is BOOL:
            loaded = self.emit_value(f"icmp ne i8 {loaded}, 0")
        elif element.extend:
            loaded = self.emit_value(f"{element.extend} {element.llvm} {loaded} to i64")
        elif element.llvm == "float":
            loaded = self.emit_value(f"fpext float {loaded} to double")
        return Value(element.scalar, (loaded,))

    def store(self, address: str, element: ElementType | RecordType, value: Value) -> None:
        """Store a number at an address."""
        if isinstance(element, RecordType) or not isinstance(value.type, ScalarType):
            raise UnsupportedError(
                f"{describe(value.type)} cannot be stored in a field or an element",
                "interpreted, both would become one object; copy a record with "
                "assign(target, source), and an array with target[:] = source",
            )
        operand = self._stored(element, value)
        self.emit(f"store {element.llvm} {operand}, ptr {address}")

    def _stored(self, element: ElementType, value: Value) -> str:
        scalar = element.scalar
        strict = not self.trusted and FLOAT in (scalar, value.type) and scalar is not value.type
        if strict or (value.type is FLOAT and scalar is not FLOAT):
            raise UnsupportedError(
                f"{describe(value.type)} is stored where {describe(scalar)} is declared",
                f"convert it with {scalar.name}(...)",
            )
        operand = self.scalar(value, scalar)
        if scalar is BOOL:
            return self.emit_value(f"zext i1 {operand} to i8")
        if element.extend:
            narrow = self.emit_value(f"trunc i64 {operand} to {element.llvm}")
            if self.checked:
                again = self.emit_value(f"{element.extend} {element.llvm} {narrow} to i64")
                self.check(
                    self.emit_value(f"icmp eq i64 {again}, {operand}"),
                    f"OverflowError: an integer does not fit into {element.size} bytes",
                )
            return narrow
        if element.llvm == "float":
            return self.emit_value(f"fptrunc double {operand} to float")
        return operand

    def copy(self, target: str, source: str, size: str | int) -> None:
        """Copy `size` bytes between aligned addresses, which may be equal but not overlap."""
        self.emit(
            f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {target}, ptr align 8 {source}, "
            f"i64 {size}, i1 false)"
        )


OVERFLOW = "OverflowError: an integer grows beyond 63 bits"
NOT_A_NUMBER = "ValueError: cannot convert float NaN to integer"
HUGE = "OverflowError: a float that is infinite or beyond 63 bits cannot become an int"


def struct_of(type_: Type, *, can_fail: bool) -> str:
    """Return the LLVM type that a function returns: its result, and a status if it can fail."""
    types = [*flattened(type_), *(["i64"] if can_fail else [])]
    return "void" if not types else types[0] if len(types) == 1 else f"{{{', '.join(types)}}}"


def pairs(types: Sequence[str], operands: Sequence[str]) -> str:
    """Return operands with their types, as arguments and parameters are written."""
    return ", ".join(f"{part} {operand}" for part, operand in zip(types, operands, strict=True))


def hexadecimal(number: float) -> str:
    """Return a float in LLVM's exact hexadecimal notation."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', number))[0]:016X}"


def _exit_lines(leave: _Exit, number: int, returned: str, builder: Builder) -> list[str]:
    """Return the instructions of a return or a failure."""
    operands = [*leave.operands]
    if builder.can_fail:
        operands = [*(operands or ["undef"] * (returned.count(","))), leave.status or "0"]
    if returned == "void":
        return ["  ret void"]
    if not returned.startswith("{"):
        return [f"  ret {returned} {operands[0]}"]
    types = returned[1:-1].split(", ")
    lines, before = [], "undef"
    for place, operand in enumerate(operands):
        name = f"%exit{number}.{place}"
        lines.append(
            f"  {name} = insertvalue {returned} {before}, {types[place]} {operand}, {place}"
        )
        before = name
    return [*lines, f"  ret {returned} {before}"]


def _unusable(value: object) -> str:
    """Return the reason why a Python object cannot be a constant of a kernel."""
    if isinstance(value, list):
        return "a kernel cannot use a list as a constant; make it a tuple"
    name = type(value).__name__
    if type(value).__module__ == "numpy":
        return (
            f"a kernel cannot use a NumPy {name} as a constant; make it an int, a float or a tuple"
        )
    if callable(value) and hasattr(value, "__name__"):
        return f"`{value.__name__}` can only be called in a kernel"
    return f"a kernel cannot use a {name}; numbers, truth values and tuples of them it can"
