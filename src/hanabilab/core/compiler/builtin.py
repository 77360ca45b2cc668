"""What kernels call that is not a kernel: Python's own functions, and those of `core`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hanabilab.core import bits, clock, invoke, record
from hanabilab.core.compiler.builder import Builder
from hanabilab.core.compiler.kinds import (
    BOOL,
    FLOAT,
    INT,
    NOTHING,
    ArrayKind,
    NumberKind,
    RecordKind,
    TupleKind,
    UnknownError,
    Value,
    joined,
)

__all__ = ["BUILTINS", "DECLARATIONS", "drop_lowest"]

DECLARATIONS = """
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.abs.i64(i64, i1)
declare double @llvm.fabs.f64(double)
declare double @llvm.sqrt.f64(double)
declare i64 @llvm.readcyclecounter()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @dprintf(i32, ptr, ...)
declare void @abort() noreturn
"""


def _popcount(b: Builder, members: Value) -> Value:
    return b.integer(b.get(f"call i64 @llvm.ctpop.i64(i64 {b.number(members, INT)})"))


def _lowest(b: Builder, members: Value) -> Value:
    return b.integer(b.get(f"call i64 @llvm.cttz.i64(i64 {b.number(members, INT)}, i1 true)"))


def drop_lowest(b: Builder, members: Value, count: Value) -> Value:
    """Drop members at once: put ones only where the members from `count` on are."""
    ones = b.get(f"shl i64 -1, {b.number(count, INT)}")
    rest = f"call i64 @llvm.x86.bmi.pdep.64(i64 {ones}, i64 {b.number(members, INT)})"
    return b.integer(b.get(rest))


def _multiply(b: Builder, one: Value, other: Value) -> Value:
    product = b.get(f"mul i64 {b.number(one, INT)}, {b.number(other, INT)}")
    return b.integer(b.get(f"and i64 {product}, {bits.LOW_62}"))


def _store_eight(b: Builder, out: Value, place: Value, byte: Value) -> Value:
    """Write eight bits as eight bytes, in one store."""
    # A copy of the byte in each byte, of which byte n keeps bit n; then any bit becomes 1.
    copies = b.get(f"mul i64 {b.number(byte, INT)}, {0x0101_0101_0101_0101}")
    kept = b.get(f"and i64 {copies}, {0x8040_2010_0804_0201 - (1 << 64)}")
    carried = b.get(f"add i64 {kept}, {0x7F7F_7F7F_7F7F_7F7F}")
    ones = b.get(f"and i64 {b.get(f'lshr i64 {carried}, 7')}, {0x0101_0101_0101_0101}")
    b.do(f"store i64 {ones}, ptr {b.offset(out.operand, b.number(place, INT))}, align 1")
    return Value(NOTHING, ())


def _ticks(b: Builder) -> Value:
    return b.integer(b.get("call i64 @llvm.readcyclecounter()"))


def _assign(b: Builder, target: Value, source: Value) -> Value:
    if not isinstance(source.kind, RecordKind) or not isinstance(target.kind, RecordKind):
        raise UnknownError("assign copies records")
    b.copy(target.operand, source.operand, source.kind.size)
    return Value(NOTHING, ())


def _snapshot(b: Builder, source: Value, room: Value) -> Value:
    _assign(b, room, source)
    return room


def _restart(b: Builder, memory: Value, template: Value, words: Value, stream: Value) -> Value:
    to, source = (b.get(f"inttoptr i64 {each.operand} to ptr") for each in (memory, template))
    b.copy(to, source, b.get(f"shl i64 {b.number(words, INT)}, 3"))
    b.do(f"store i64 {b.number(stream, INT)}, ptr {to}")
    return Value(NOTHING, ())


def _ask(b: Builder, function: Value, first: Value, memory: Value) -> Value:
    code, notes = (b.get(f"inttoptr i64 {each.operand} to ptr") for each in (function, memory))
    return b.integer(b.get(f"call i64 {code}(ptr {first.operand}, ptr {notes})"))


def _tell(b: Builder, function: Value, first: Value, second: Value, memory: Value) -> Value:
    code, notes = (b.get(f"inttoptr i64 {each.operand} to ptr") for each in (function, memory))
    b.do(f"call void {code}(ptr {first.operand}, ptr {second.operand}, ptr {notes})")
    return Value(NOTHING, ())


def _call(b: Builder, function: Value, given: Value, number: Value) -> Value:
    code = b.get(f"inttoptr i64 {function.operand} to ptr")
    return b.integer(b.get(f"call i64 {code}(ptr {given.operand}, i64 {b.number(number, INT)})"))


def _sqrt(b: Builder, number: Value) -> Value:
    root = b.get(f"call double @llvm.sqrt.f64(double {b.number(number, FLOAT)})")
    return Value(FLOAT, (root,))


def _abs(b: Builder, number: Value) -> Value:
    if number.kind is FLOAT:
        return Value(FLOAT, (b.get(f"call double @llvm.fabs.f64(double {number.operand})"),))
    return b.integer(b.get(f"call i64 @llvm.abs.i64(i64 {b.number(number, INT)}, i1 false)"))


def _len(b: Builder, value: Value) -> Value:
    if isinstance(value.kind, TupleKind):
        return b.integer(len(value.kind.members))
    if not isinstance(value.kind, ArrayKind):
        raise UnknownError(f"the length of {value.kind}")
    return b.integer(b.lengths(value)[0])


def _converted(kind: NumberKind) -> Callable[[Builder, Value], Value]:
    return lambda b, number: Value(kind, (b.number(number, kind),))


def _extreme(integers: str, floats: str) -> Callable[..., Value]:
    def choose(b: Builder, best: Value, *others: Value) -> Value:
        for other in others:
            kind = joined(best.kind, other.kind)
            assert isinstance(kind, NumberKind)
            a, c = b.number(best, kind), b.number(other, kind)
            test = floats if kind is FLOAT else integers
            better = b.get(f"{test} {kind.llvm} {c}, {a}")
            best = Value(kind, (b.get(f"select i1 {better}, {kind.llvm} {c}, {kind.llvm} {a}"),))
        return best

    return choose


BUILTINS: dict[Any, Callable[..., Value]] = {
    bits.popcount: _popcount,
    bits.lowest: _lowest,
    bits.multiply: _multiply,
    bits.store_eight: _store_eight,
    clock.ticks: _ticks,
    record.assign: _assign,
    invoke.snapshot: _snapshot,
    invoke.restart: _restart,
    invoke.ask: _ask,
    invoke.tell: _tell,
    invoke.call: _call,
    math.sqrt: _sqrt,
    abs: _abs,
    len: _len,
    int: _converted(INT),
    float: _converted(FLOAT),
    bool: _converted(BOOL),
    min: _extreme("icmp slt", "fcmp olt"),
    max: _extreme("icmp sgt", "fcmp ogt"),
}
