"""Emits calls of builtins: functions of Python and of `core` that are not kernels."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hanabilab.core import bits, clock, invoke, record
from hanabilab.core.compiler import runtime
from hanabilab.core.compiler.builder import OVERFLOW, Builder, hexadecimal
from hanabilab.core.compiler.types import (
    BOOL,
    FLOAT,
    INT,
    VOID,
    ArrayType,
    RecordType,
    ScalarType,
    TupleType,
    UnsupportedError,
    Value,
    describe,
    flattened,
    unify,
)

if TYPE_CHECKING:
    from hanabilab.core.compiler.functions import Program

__all__ = ["BUILTINS", "DECLARATIONS"]

DECLARATIONS = """
declare {i64, i1} @llvm.sadd.with.overflow.i64(i64, i64)
declare {i64, i1} @llvm.ssub.with.overflow.i64(i64, i64)
declare {i64, i1} @llvm.smul.with.overflow.i64(i64, i64)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.abs.i64(i64, i1)
declare double @llvm.fabs.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.rint.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @fmod(double, double)
declare double @pow(double, double)
declare double @exp(double)
declare double @log(double)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
!0 = !{!"branch_weights", i32 30, i32 1}
"""

NOTHING = Value(VOID, ())


class Call:
    """A call of a builtin: the builder to emit it into, and its program."""

    def __init__(self, program: Program, builder: Builder) -> None:
        self.program, self.builder = program, builder

    def int_(self, value: Value) -> str:
        """Return the operand of an integer argument."""
        if value.type not in (INT, BOOL):
            raise UnsupportedError(f"{describe(value.type)} where an int is expected")
        return self.builder.scalar(value, INT)

    def float_(self, value: Value) -> str:
        """Return the operand of an argument that Python converts to a float."""
        return self.builder.scalar(value, FLOAT)

    def kernel(self, function: Any, *arguments: Value) -> Value:
        """Call a kernel of the run-time library."""
        return self.program.call(self.builder, function, list(arguments), {})


# Sets of bits


def _popcount(call: Call, members: Value) -> Value:
    b, number = call.builder, call.int_(members)
    if b.checked:
        b.check(b.emit_value(f"icmp sge i64 {number}, 0"), f"ValueError: {bits.NEGATIVE_SET}")
    return b.integer(b.emit_value(f"call i64 @llvm.ctpop.i64(i64 {number})"))


def _lowest(call: Call, members: Value) -> Value:
    b, number = call.builder, call.int_(members)
    if b.checked:
        b.check(b.emit_value(f"icmp ne i64 {number}, 0"), f"ValueError: {bits.EMPTY_SET}")
    return b.integer(b.emit_value(f"call i64 @llvm.cttz.i64(i64 {number}, i1 true)"))


def _drop_lowest(call: Call, members: Value, count: Value) -> Value:
    """Deposit ones only where the members from `count` on are, if the processor can."""
    b = call.builder
    if not call.program.target.has_fast_pdep:
        return call.kernel(bits.drop_lowest_one_by_one, members, count)
    bitset, number = call.int_(members), call.int_(count)
    if b.checked:
        within = b.emit_value(f"icmp ult i64 {number}, 64")
        b.check(within, f"ValueError: {bits.COUNT_OUT_OF_RANGE}")
        positive = b.emit_value(f"icmp sge i64 {bitset}, 0")
        b.check(positive, f"ValueError: {bits.NEGATIVE_SET}")
    ones = b.emit_value(f"shl i64 -1, {number}")
    rest = f"call i64 @llvm.x86.bmi.pdep.64(i64 {ones}, i64 {bitset})"
    return b.integer(b.emit_value(rest))


def _multiply(call: Call, one: Value, other: Value) -> Value:
    b = call.builder
    product = b.emit_value(f"mul i64 {call.int_(one)}, {call.int_(other)}")
    return b.integer(b.emit_value(f"and i64 {product}, {bits.LOW_62}"))


def _spread(call: Call, members: Value, count: Value, out: Value, first: Value) -> Value:
    if not isinstance(out.type, ArrayType):
        raise UnsupportedError("spread writes to an array")
    of_bytes = not isinstance(out.type.element, RecordType) and out.type.element.size == 1
    quick = of_bytes and call.program.target.little_endian
    function = bits.spread_bytes if quick else bits.spread_one_by_one
    return call.kernel(function, members, count, out, first)


def _spread_byte(call: Call, byte: str) -> str:
    """Return a number whose n-th byte is the n-th bit of a byte."""
    b, lowest_bits = call.builder, 0x0101_0101_0101_0101
    if call.program.target.has_fast_pdep:
        return b.emit_value(f"call i64 @llvm.x86.bmi.pdep.64(i64 {byte}, i64 {lowest_bits})")
    # A copy of the byte in each byte, of which byte n keeps bit n; then any bit becomes 1.
    copies = b.emit_value(f"mul i64 {byte}, {lowest_bits}")
    kept = b.emit_value(f"and i64 {copies}, {0x8040_2010_0804_0201 - (1 << 64)}")
    carried = b.emit_value(f"add i64 {kept}, {0x7F7F_7F7F_7F7F_7F7F}")
    shifted = b.emit_value(f"lshr i64 {carried}, 7")
    return b.emit_value(f"and i64 {shifted}, {lowest_bits}")


def _store_eight(call: Call, out: Value, place: Value, byte: Value) -> Value:
    """Write eight bits as eight bytes, in one store."""
    b, first = call.builder, call.int_(place)
    if b.checked:
        last = b.emit_value(f"add i64 {first}, 7")
        (length,) = b.lengths(out)
        for each in (first, last):
            within = b.emit_value(f"icmp ult i64 {each}, {length}")
            b.check(within, "IndexError: list assignment index out of range")
    ones = _spread_byte(call, call.int_(byte))
    b.emit(f"store i64 {ones}, ptr {b.offset(out.operand, first)}, align 1")
    return NOTHING


# Records, calls by address


def _assign(call: Call, target: Value, source: Value) -> Value:
    if not isinstance(source.type, RecordType) or not isinstance(target.type, RecordType):
        raise UnsupportedError("assign copies a record to a record")
    if not _begins_with(target.type.layout, source.type.layout):
        raise UnsupportedError(
            "assign copies between records whose fields are the same",
            "copy the fields one by one",
        )
    call.builder.copy(target.operand, source.operand, source.type.size)
    return NOTHING


def _begins_with(target: Any, source: Any) -> bool:
    """Return whether a record begins with all fields of another record."""
    if target == source:
        return True
    theirs, ours = source.fields or {}, target.fields or {}
    same = all(name in ours and ours[name][:2] == theirs[name][:2] for name in theirs)
    return same and target.itemsize >= source.itemsize


def _snapshot(call: Call, source: Value, buffer: Value) -> Value:
    _assign(call, buffer, source)
    return buffer


def _reset(call: Call, memory: Value, template: Value, words: Value, stream: Value) -> Value:
    b = call.builder
    to, source = (
        b.emit_value(f"inttoptr i64 {each.operand} to ptr") for each in (memory, template)
    )
    b.copy(to, source, b.emit_value(f"shl i64 {call.int_(words)}, 3"))
    b.emit(f"store i64 {call.int_(stream)}, ptr {to}")
    return NOTHING


def _indirect_call(call: Call, function: Value, *arguments: Value) -> Value:
    b = call.builder
    answer = b.emit_value(f"call {{i64, i64}} {_address(call, function)}({_passed(arguments)})")
    b.propagate(b.emit_value(f"extractvalue {{i64, i64}} {answer}, 1"), from_library=False)
    return b.integer(b.emit_value(f"extractvalue {{i64, i64}} {answer}, 0"))


def _indirect_notify(call: Call, function: Value, *arguments: Value) -> Value:
    status = call.builder.emit_value(f"call i64 {_address(call, function)}({_passed(arguments)})")
    call.builder.propagate(status, from_library=False)
    return NOTHING


def _address(call: Call, function: Value) -> str:
    return call.builder.emit_value(f"inttoptr i64 {call.int_(function)} to ptr")


def _passed(arguments: tuple[Value, ...]) -> str:
    types = [part for each in arguments for part in flattened(each.type)]
    operands = [operand for each in arguments for operand in each.operands]
    return ", ".join(map(" ".join, zip(types, operands, strict=True)))


def _ticks(call: Call) -> Value:
    return call.builder.integer(call.builder.emit_value(call.program.target.cycle_counter))


def _require(call: Call, condition: Value, message: Value) -> Value:
    call.builder.check(call.builder.scalar(condition, BOOL), f"ValueError: {message.constant}")
    return NOTHING


# Numbers


def _sqrt(call: Call, number: Value) -> Value:
    b, operand = call.builder, call.float_(number)
    if b.checked:
        valid = b.emit_value(f"fcmp uge double {operand}, 0.0")
        b.check(valid, "ValueError: math domain error")
    root = b.emit_value(f"call double @llvm.sqrt.f64(double {operand})")
    return Value(FLOAT, (root,))


def _log(call: Call, number: Value) -> Value:
    b, operand = call.builder, call.float_(number)
    b.check(b.emit_value(f"fcmp ugt double {operand}, 0.0"), "ValueError: math domain error")
    return Value(FLOAT, (b.emit_value(f"call double @log(double {operand})"),))


def _exp(call: Call, number: Value) -> Value:
    b, operand = call.builder, call.float_(number)
    power = b.emit_value(f"call double @exp(double {operand})")
    finite = b.emit_value(f"fcmp une double {power}, {hexadecimal(math.inf)}")
    infinite = b.emit_value(f"fcmp oeq double {operand}, {hexadecimal(math.inf)}")
    b.check(b.emit_value(f"or i1 {finite}, {infinite}"), "OverflowError: math range error")
    return Value(FLOAT, (power,))


def _rounding(instruction: str) -> Callable[[Call, Value], Value]:
    def emit(call: Call, number: Value) -> Value:
        b = call.builder
        if number.type is not FLOAT:
            return b.integer(call.int_(number))
        rounded = b.emit_value(f"call double @llvm.{instruction}.f64(double {number.operand})")
        return b.integer(b.truncated(rounded))

    return emit


def _abs(call: Call, number: Value) -> Value:
    b = call.builder
    if number.type is FLOAT:
        return Value(FLOAT, (b.emit_value(f"call double @llvm.fabs.f64(double {number.operand})"),))
    operand = call.int_(number)
    if not b.checked:
        return b.integer(b.emit_value(f"call i64 @llvm.abs.i64(i64 {operand}, i1 false)"))
    negative = b.emit_value(f"icmp slt i64 {operand}, 0")
    size = b.emit_value(f"call i64 @llvm.abs.i64(i64 {operand}, i1 false)")
    fits = b.emit_value(f"icmp sge i64 {size}, 0")
    b.check(b.emit_value(f"or i1 {fits}, {b.emit_value(f'xor i1 {negative}, true')}"), OVERFLOW)
    return b.integer(size)


def _len(call: Call, value: Value) -> Value:
    if isinstance(value.type, TupleType):
        return call.builder.constant(len(value.type.members))
    if not isinstance(value.type, ArrayType):
        raise UnsupportedError(f"{describe(value.type)} has no length")
    return call.builder.integer(call.builder.lengths(value)[0])


def _conversion(type_: ScalarType) -> Callable[..., Value]:
    def emit(call: Call, *given: Value) -> Value:
        if len(given) != 1:
            zero = {"int": 0, "float": 0.0, "bool": False}[type_.name]
            if given:
                raise UnsupportedError(f"{type_.name}() takes one argument in a kernel")
            return call.builder.constant(zero)
        if given[0].type is VOID or not isinstance(given[0].type, ScalarType):
            raise UnsupportedError(f"{type_.name}() of {describe(given[0].type)}")
        return Value(type_, (call.builder.scalar(given[0], type_),))

    return emit


def _divmod(call: Call, one: Value, other: Value) -> Value:
    operation = call.program.operators(call.builder).operation
    return call.builder.tuple_of(
        [operation(ast.FloorDiv(), one, other), operation(ast.Mod(), one, other)]
    )


def _pow(call: Call, one: Value, other: Value) -> Value:
    return call.program.operators(call.builder).operation(ast.Pow(), one, other)


def _sum(call: Call, values: Value, start: Value | None = None) -> Value:
    b, total = call.builder, start or call.builder.constant(0)
    if isinstance(values.type, ArrayType):
        element = values.type.element
        if isinstance(element, RecordType) or FLOAT in (element.scalar, total.type):
            raise UnsupportedError(*FLOAT_SUM)
        return call.kernel(runtime.array_sum, values, total)
    for member in b.members(values):
        if FLOAT in (member.type, total.type):
            raise UnsupportedError(*FLOAT_SUM)
        total = call.program.operators(b).operation(ast.Add(), total, member)
    return total


FLOAT_SUM = "sum() adds integers only: Python's versions add floats differently", "write a loop"


def _extreme(how: str, of_array: Any) -> Callable[..., Value]:
    integers, floats = {"min": ("slt", "olt"), "max": ("sgt", "ogt")}[how]

    def emit(call: Call, *values: Value) -> Value:
        b = call.builder
        if len(values) == 1:
            if isinstance(values[0].type, ArrayType):
                return call.kernel(of_array, values[0])
            values = tuple(b.members(values[0]))
        if not values:
            raise UnsupportedError(f"{how}() of nothing")
        best = values[0]
        for other in values[1:]:
            type_ = unify(best.type, other.type)
            if not isinstance(type_, ScalarType) or type_ is VOID:
                raise UnsupportedError(f"{how}() of {describe(type_)}")
            compared = FLOAT if type_ is FLOAT else INT
            a, c = b.scalar(best, compared), b.scalar(other, compared)
            test = f"fcmp {floats} double" if compared is FLOAT else f"icmp {integers} i64"
            better = b.emit_value(f"{test} {c}, {a}")
            a, c = b.scalar(best, type_), b.scalar(other, type_)
            best = Value(type_, (b.select(better, type_.llvm, c, a),))
        return best

    return emit


def _any(call: Call, values: Value) -> Value:
    if isinstance(values.type, ArrayType):
        return call.kernel(runtime.array_any, values)
    return _truths(call, values, "or", "false")


def _all(call: Call, values: Value) -> Value:
    if isinstance(values.type, ArrayType):
        return call.kernel(runtime.array_all, values)
    return _truths(call, values, "and", "true")


def _truths(call: Call, values: Value, how: str, neutral: str) -> Value:
    b, found = call.builder, neutral
    for member in b.members(values):
        found = b.emit_value(f"{how} i1 {found}, {b.scalar(member, BOOL)}")
    return Value(BOOL, (found,))


BUILTINS: dict[Any, Callable[..., Value]] = {
    bits.popcount: _popcount,
    bits.lowest: _lowest,
    bits.drop_lowest: _drop_lowest,
    bits.multiply: _multiply,
    bits.spread: _spread,
    bits.store_eight: _store_eight,
    bits.require: _require,
    clock.ticks: _ticks,
    record.assign: _assign,
    invoke.snapshot: _snapshot,
    invoke.reset: _reset,
    invoke.indirect_call: _indirect_call,
    invoke.indirect_notify: _indirect_notify,
    math.sqrt: _sqrt,
    math.log: _log,
    math.exp: _exp,
    math.floor: _rounding("floor"),
    math.ceil: _rounding("ceil"),
    round: _rounding("rint"),
    abs: _abs,
    len: _len,
    int: _conversion(INT),
    float: _conversion(FLOAT),
    bool: _conversion(BOOL),
    divmod: _divmod,
    pow: _pow,
    sum: _sum,
    any: _any,
    all: _all,
    min: _extreme("min", runtime.array_min),
    max: _extreme("max", runtime.array_max),
}
