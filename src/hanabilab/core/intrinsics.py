"""Machine code for what kernels use and Numba, for users' kernels, cannot compile from its source.

Each `overload` belongs to a plain function of `bits`, `clock`, `record` or `invoke`; interpreted
kernels run the plain one.
"""

from __future__ import annotations

import sys
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload

from hanabilab.core import bits, clock, invoke, record

__all__: list[str] = []

BYTE_POINTER = ir.IntType(8).as_pointer()
WORD_POINTER = ir.IntType(64).as_pointer()


@intrinsic
def _popcount(typingctx: Any, x: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def _lowest(typingctx: Any, x: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@intrinsic
def _multiply(typingctx: Any, a: Any, b: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.and_(builder.mul(*args), ir.Constant(ir.IntType(64), bits.LOW_62))

    return types.int64(types.int64, types.int64), codegen


@overload(bits.popcount)
def _overload_popcount(bits: Any) -> Any:
    def native(bits: Any) -> Any:
        return _popcount(bits)

    return native


@overload(bits.lowest)
def _overload_lowest(bits: Any) -> Any:
    def native(bits: Any) -> Any:
        return _lowest(bits)

    return native


@intrinsic
def _deposit(typingctx: Any, number: Any, bits: Any) -> Any:
    """Put bit n of one number where the other has its n-th lowest member."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word])
        deposit = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64")
        return builder.call(deposit, args)

    return types.int64(types.int64, types.int64), codegen


def _deposits_quickly() -> bool:
    """Tell whether the processor has that instruction, and not a slow imitation of it."""
    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    return "+bmi2" in features.split(",") and processor not in ("znver1", "znver2")


@overload(bits.drop_lowest)
def _overload_drop_lowest(bits: Any, count: Any) -> Any:
    def one_by_one(bits: Any, count: Any) -> Any:
        for _ in range(count):
            bits &= bits - 1
        return bits

    def at_once(bits: Any, count: Any) -> Any:
        return _deposit(-1 << count, bits)

    return at_once if _deposits_quickly() else one_by_one


@overload(bits.multiply)
def _overload_multiply(a: Any, b: Any) -> Any:
    def native(a: Any, b: Any) -> Any:
        return _multiply(a, b)

    return native


@intrinsic
def _spread_byte(typingctx: Any, byte: Any, out: Any, first: Any) -> Any:
    """Write eight bits as eight bytes, in one store."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        array = context.make_array(signature.args[1])(context, builder, args[1])
        start = builder.gep(builder.bitcast(array.data, BYTE_POINTER), [args[2]])
        # A copy of the byte in each byte, of which byte n keeps bit n; then any bit becomes 1.
        copies = builder.mul(args[0], ir.Constant(word, 0x0101_0101_0101_0101))
        kept = builder.and_(copies, ir.Constant(word, 0x8040_2010_0804_0201))
        carried = builder.add(kept, ir.Constant(word, 0x7F7F_7F7F_7F7F_7F7F))
        ones = builder.and_(
            builder.lshr(carried, ir.Constant(word, 7)), ir.Constant(word, 0x0101_0101_0101_0101)
        )
        builder.store(ones, builder.bitcast(start, WORD_POINTER), align=1)
        return context.get_dummy_value()

    return types.void(types.int64, out, types.int64), codegen


@overload(bits.spread)
def _overload_spread(bits: Any, count: Any, out: Any, first: Any) -> Any:
    def entries(bits: Any, count: Any, out: Any, first: Any) -> Any:
        for bit in range(count):
            out[first + bit] = (bits >> bit) & 1

    def bytes_at_once(bits: Any, count: Any, out: Any, first: Any) -> Any:
        bit = 0
        while bit + 8 <= count:
            _spread_byte((bits >> bit) & 255, out, first + bit)
            bit += 8
        while bit < count:
            out[first + bit] = (bits >> bit) & 1
            bit += 1

    of_bytes = out.dtype in (types.uint8, types.boolean) and out.layout == "C"
    return bytes_at_once if of_bytes and sys.byteorder == "little" else entries


@intrinsic
def _copy_record(typingctx: Any, target: Any, source: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = ir.Constant(ir.IntType(64), signature.args[1].size)
        cgutils.raw_memcpy(builder, args[0], args[1], size, 1)
        return context.get_dummy_value()

    return types.void(target, source), codegen


@overload(record.assign)
def _overload_assign(target: Any, source: Any) -> Any:
    def native(target: Any, source: Any) -> Any:
        _copy_record(target, source)

    return native


@overload(invoke.snapshot)
def _overload_snapshot(source: Any, room: Any) -> Any:
    def native(source: Any, room: Any) -> Any:
        _copy_record(room, source)
        return room

    return native


@intrinsic
def _restart(typingctx: Any, memory: Any, template: Any, words: Any, stream: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target, source, words, stream = args
        to = builder.inttoptr(target, WORD_POINTER)
        cgutils.raw_memcpy(builder, to, builder.inttoptr(source, WORD_POINTER), words, 8)
        builder.store(stream, to)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4), codegen


@overload(invoke.restart)
def _overload_restart(memory: Any, template: Any, words: Any, stream: Any) -> Any:
    def native(memory: Any, template: Any, words: Any, stream: Any) -> Any:
        _restart(memory, template, words, stream)

    return native


def _call(builder: Any, args: Any, result: Any) -> Any:
    """Call the function at the address given first, with pointers to the other arguments."""
    function, *records, memory = args
    pointers = [builder.bitcast(record, BYTE_POINTER) for record in records]
    pointers.append(builder.inttoptr(memory, BYTE_POINTER))
    kind = ir.FunctionType(result, [BYTE_POINTER] * len(pointers))
    return builder.call(builder.inttoptr(function, kind.as_pointer()), pointers)


@intrinsic
def _ask(typingctx: Any, function: Any, first: Any, memory: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, args, ir.IntType(64))

    return types.int64(types.int64, first, types.int64), codegen


@intrinsic
def _tell(typingctx: Any, function: Any, first: Any, second: Any, memory: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _call(builder, args, ir.VoidType())
        return context.get_dummy_value()

    return types.void(types.int64, first, second, types.int64), codegen


@intrinsic
def _call_with_number(typingctx: Any, function: Any, record: Any, number: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [BYTE_POINTER, word])
        pointer = builder.bitcast(args[1], BYTE_POINTER)
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), [pointer, args[2]])

    return types.int64(types.int64, record, types.int64), codegen


@overload(invoke.call)
def _overload_call(function: Any, record: Any, number: Any) -> Any:
    def native(function: Any, record: Any, number: Any) -> Any:
        return _call_with_number(function, record, number)

    return native


@overload(invoke.ask)
def _overload_ask(function: Any, first: Any, memory: Any) -> Any:
    def native(function: Any, first: Any, memory: Any) -> Any:
        return _ask(function, first, memory)

    return native


@overload(invoke.tell)
def _overload_tell(function: Any, first: Any, second: Any, memory: Any) -> Any:
    def native(function: Any, first: Any, second: Any, memory: Any) -> Any:
        _tell(function, first, second, memory)

    return native


@intrinsic
def _ticks(typingctx: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        counter = cgutils.get_or_insert_function(builder.module, kind, "llvm.readcyclecounter")
        return builder.call(counter, [])

    return types.int64(), codegen


@overload(clock.ticks)
def _overload_ticks() -> Any:
    def native() -> Any:
        return _ticks()

    return native


@overload(invoke.whole_or)
def _overload_whole_or(answer: Any, otherwise: Any) -> Any:
    def whole(answer: Any, otherwise: Any) -> Any:
        return answer

    def whole_or_none(answer: Any, otherwise: Any) -> Any:
        return otherwise if answer is None else int(answer)

    def anything_else(answer: Any, otherwise: Any) -> Any:
        return otherwise

    if isinstance(answer, types.Integer):
        return whole
    maybe = isinstance(answer, types.Optional) and isinstance(answer.type, types.Integer)
    return whole_or_none if maybe else anything_else
