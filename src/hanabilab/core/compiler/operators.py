"""Emits operators: arithmetic and comparisons with exactly Python's results."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from hanabilab.core.compiler import runtime
from hanabilab.core.compiler.builder import OVERFLOW, Builder, hexadecimal
from hanabilab.core.compiler.types import (
    BOOL,
    FLOAT,
    INT,
    VOID,
    ArrayType,
    ScalarType,
    TupleType,
    UnsupportedError,
    Value,
    describe,
)

__all__ = ["CallEmitter", "Operators"]

CallEmitter = Callable[[Any, list[Value], dict[str, Value]], Value]
"""Emits a call of a Python function with positional and keyword arguments."""

BITWISE: dict[type[ast.operator], str] = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("add", "fadd"),
    ast.Sub: ("sub", "fsub"),
    ast.Mult: ("mul", "fmul"),
}
SYMBOLS: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
    ast.MatMult: ("@", operator.matmul),
}
COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
}
ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
LONGEST_FOLDED = 4096
"""The largest number of bits of a constant that is folded at compile time."""


def _message(function: Callable[[], object]) -> str:
    """Return the message of the Python exception that a function raises."""
    try:
        function()
    except (ArithmeticError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError("it did not fail")


def _zero_division_messages() -> dict[str, str]:
    one, zero, real, nothing = 1, 0, 1.0, 0.0
    return {
        "//": _message(lambda: one // zero),
        "%": _message(lambda: one % zero),
        "/": _message(lambda: one / zero),
        "**": _message(lambda: nothing**-1.0),
        "float /": _message(lambda: real / nothing),
        "float //": _message(lambda: real // nothing),
        "float %": _message(lambda: real % nothing),
    }


ZERO_DIVISION = _zero_division_messages()


class Operators:
    """Emits operators into a builder; `call` emits calls of kernels that some of them need."""

    def __init__(self, builder: Builder, call: CallEmitter) -> None:
        self.builder, self._call_function = builder, call

    # Arithmetic

    def operation(self, how: ast.operator, left: Value, right: Value) -> Value:
        """Emit an operation on two numbers."""
        b, kind = self.builder, type(how)
        symbol, compute = SYMBOLS[kind]
        for each in (left, right):
            if not isinstance(each.type, ScalarType) or each.type is VOID:
                raise UnsupportedError(f"`{symbol}` of {describe(each.type)}")
        if left.is_constant and right.is_constant:
            folded = _folded(compute, left.constant, right.constant)
            if folded is not None:
                return b.constant(folded)
        if FLOAT in (left.type, right.type):
            return self._float_operation(kind, left, right)
        if kind in BITWISE and left.type is right.type is BOOL:
            line = f"{BITWISE[kind]} i1 {left.operand}, {right.operand}"
            return Value(BOOL, (b.emit_value(line),))
        return self._integer_operation(kind, left, right)

    def _integer_operation(self, kind: type[ast.operator], left: Value, right: Value) -> Value:
        b = self.builder
        one, other = b.scalar(left, INT), b.scalar(right, INT)
        if kind in BITWISE:
            return b.integer(b.emit_value(f"{BITWISE[kind]} i64 {one}, {other}"))
        if kind in ARITHMETIC:
            return b.integer(b.arithmetic(ARITHMETIC[kind][0], one, other))
        if kind in (ast.LShift, ast.RShift):
            return self._shift(kind, one, right)
        if kind in (ast.FloorDiv, ast.Mod):
            return b.integer(self.divide(one, right, modulo=kind is ast.Mod))
        if kind is ast.Div:
            return self._true_division(left, right)
        if kind is ast.Pow:
            return self._power(left, right)
        raise UnsupportedError(f"`{SYMBOLS[kind][0]}` of integers")

    def _shift(self, kind: type[ast.operator], one: str, right: Value) -> Value:
        b, count = self.builder, self.builder.scalar(right, INT)
        literal = right.is_constant and 0 <= right.constant < 64
        if not literal:
            b.check(b.emit_value(f"icmp sge i64 {count}, 0"), "ValueError: negative shift count")
            b.check(
                b.emit_value(f"icmp slt i64 {count}, 64"),
                "OverflowError: a shift by more than 63 bits",
            )
        if kind is ast.RShift:
            return b.integer(b.emit_value(f"ashr i64 {one}, {count}"))
        shifted = b.emit_value(f"shl i64 {one}, {count}")
        if b.checked:
            again = b.emit_value(f"ashr i64 {shifted}, {count}")
            b.check(b.emit_value(f"icmp eq i64 {again}, {one}"), OVERFLOW)
        return b.integer(shifted)

    def divide(self, one: str, right: Value, *, modulo: bool) -> str:
        """Emit an integer division that rounds down, or its remainder."""
        b, other = self.builder, self.builder.scalar(right, INT)
        if not (right.is_constant and right.constant):
            b.check(b.emit_value(f"icmp ne i64 {other}, 0"), ZERO_DIVISION["%" if modulo else "//"])
            if not b.checked:
                other = self._harmless(other, modulo=modulo)
            other = self._guard_minus_one(one, other, modulo=modulo)
        elif right.constant == -1:
            return "0" if modulo else b.arithmetic("sub", "0", one)
        rest = b.emit_value(f"srem i64 {one}, {other}")
        signs = b.emit_value(f"xor i64 {rest}, {other}")
        differ = b.emit_value(f"icmp slt i64 {signs}, 0")
        uneven = b.emit_value(f"icmp ne i64 {rest}, 0")
        down = b.emit_value(f"and i1 {differ}, {uneven}")
        if modulo:
            return b.select(down, "i64", b.emit_value(f"add i64 {rest}, {other}"), rest)
        quotient = b.emit_value(f"sdiv i64 {one}, {other}")
        return b.emit_value(f"sub i64 {quotient}, {b.emit_value(f'zext i1 {down} to i64')}")

    def _harmless(self, other: str, *, modulo: bool) -> str:
        """Replace a divisor that would trap by 1: zero, and -1 for a remainder."""
        b = self.builder
        above = b.emit_value(f"add i64 {other}, 1") if modulo else other
        harmful = b.emit_value(f"icmp ult i64 {above}, {2 if modulo else 1}")
        return b.select(harmful, "i64", "1", other)

    def _guard_minus_one(self, one: str, other: str, *, modulo: bool) -> str:
        """Keep the only overflowing division, -2**63 by -1, from trapping."""
        b = self.builder
        if not b.checked:
            return other
        least = b.emit_value(f"icmp eq i64 {one}, {-(1 << 63)}")
        minus = b.emit_value(f"icmp eq i64 {other}, -1")
        both = b.emit_value(f"and i1 {least}, {minus}")
        if modulo:
            return b.select(both, "i64", "1", other)
        b.check(b.emit_value(f"xor i1 {both}, true"), OVERFLOW)
        return other

    def _true_division(self, left: Value, right: Value) -> Value:
        b = self.builder
        other = b.scalar(right, INT)
        if not (right.is_constant and right.constant):
            b.check(b.emit_value(f"icmp ne i64 {other}, 0"), ZERO_DIVISION["/"])
        for each in (left, right):
            if b.checked and not (each.is_constant and abs(each.constant) <= 1 << 53):
                shifted = b.emit_value(f"add i64 {b.scalar(each, INT)}, {1 << 53}")
                b.check(
                    b.emit_value(f"icmp ule i64 {shifted}, {1 << 54}"),
                    "OverflowError: integers beyond 2**53 cannot be divided with /",
                )
        operands = f"{b.scalar(left, FLOAT)}, {b.scalar(right, FLOAT)}"
        return Value(FLOAT, (b.emit_value(f"fdiv double {operands}"),))

    def _power(self, left: Value, right: Value) -> Value:
        if right.is_constant and right.constant < 0:
            raise UnsupportedError("a negative power of an int is a float", "write float(...) ** n")
        return self._call_function(runtime.integer_power, [left, right], {})

    def _float_operation(self, kind: type[ast.operator], left: Value, right: Value) -> Value:
        b = self.builder
        one, other = b.scalar(left, FLOAT), b.scalar(right, FLOAT)
        if kind in ARITHMETIC:
            line = f"{ARITHMETIC[kind][1]} double {one}, {other}"
            return Value(FLOAT, (b.emit_value(line),))
        symbol = SYMBOLS[kind][0]
        if kind not in (ast.Div, ast.FloorDiv, ast.Mod, ast.Pow):
            raise UnsupportedError(f"`{symbol}` of a float", "convert it with int(...)")
        if kind is ast.Pow:
            return self.float_power(one, other)
        if not (right.is_constant and right.constant):
            nonzero = b.emit_value(f"fcmp une double {other}, 0.0")
            b.check(nonzero, ZERO_DIVISION["float " + symbol])
        if kind is ast.Div:
            return Value(FLOAT, (b.emit_value(f"fdiv double {one}, {other}"),))
        quotient, rest = self._float_divmod(one, other)
        return Value(FLOAT, (rest if kind is ast.Mod else quotient,))

    def _float_divmod(self, one: str, other: str) -> tuple[str, str]:
        """Divide floats as CPython does: the remainder has the sign of the divisor."""
        b = self.builder
        rest = b.emit_value(f"call double @fmod(double {one}, double {other})")
        quotient = b.emit_value(
            f"fdiv double {b.emit_value(f'fsub double {one}, {rest}')}, {other}"
        )
        is_zero = b.emit_value(f"fcmp oeq double {rest}, 0.0")
        signs = [b.emit_value(f"fcmp olt double {each}, 0.0") for each in (other, rest)]
        differ = b.emit_value(f"xor i1 {signs[0]}, {signs[1]}")
        adjust = b.emit_value(f"and i1 {differ}, {b.emit_value(f'xor i1 {is_zero}, true')}")
        signed_zero = f"call double @llvm.copysign.f64(double 0.0, double {other})"
        moved = b.select(adjust, "double", b.emit_value(f"fadd double {rest}, {other}"), rest)
        remainder = b.select(is_zero, "double", b.emit_value(signed_zero), moved)
        less = b.emit_value(f"fsub double {quotient}, {hexadecimal(1.0)}")
        quotient = b.select(adjust, "double", less, quotient)
        floor = b.emit_value(f"call double @llvm.floor.f64(double {quotient})")
        gap = b.emit_value(f"fsub double {quotient}, {floor}")
        far = b.emit_value(f"fcmp ogt double {gap}, {hexadecimal(0.5)}")
        rounded = b.select(
            far, "double", b.emit_value(f"fadd double {floor}, {hexadecimal(1.0)}"), floor
        )
        ratio = b.emit_value(f"fdiv double {one}, {other}")
        zero = b.emit_value(f"call double @llvm.copysign.f64(double 0.0, double {ratio})")
        nothing = b.emit_value(f"fcmp oeq double {quotient}, 0.0")
        return b.select(nothing, "double", zero, rounded), remainder

    def float_power(self, base: str, exponent: str) -> Value:
        """Emit a power of floats; complex results and overflows become failures."""
        b = self.builder
        power = b.emit_value(f"call double @pow(double {base}, double {exponent}) nobuiltin")
        if b.checked:
            self._check_power(base, exponent, power)
        return Value(FLOAT, (power,))

    def _check_power(self, base: str, exponent: str, power: str) -> None:
        b = self.builder
        zero = b.emit_value(f"fcmp oeq double {base}, 0.0")
        negative = b.emit_value(f"fcmp olt double {exponent}, 0.0")
        both = b.emit_value(f"and i1 {zero}, {negative}")
        b.check(b.emit_value(f"xor i1 {both}, true"), ZERO_DIVISION["**"])
        nan = b.emit_value(f"fcmp uno double {power}, {power}")
        known = b.emit_value(f"fcmp ord double {base}, {exponent}")
        both = b.emit_value(f"and i1 {nan}, {known}")
        b.check(
            b.emit_value(f"xor i1 {both}, true"),
            "ValueError: a fractional power of a negative number is complex",
        )
        infinite = self._is_infinite(power)
        inputs = [self._is_infinite(each) for each in (base, exponent)]
        either = b.emit_value(f"or i1 {inputs[0]}, {inputs[1]}")
        too_large = b.emit_value(f"and i1 {infinite}, {b.emit_value(f'xor i1 {either}, true')}")
        b.check(
            b.emit_value(f"xor i1 {too_large}, true"),
            "OverflowError: numerical result out of range",
        )

    def _is_infinite(self, number: str) -> str:
        b = self.builder
        size = b.emit_value(f"call double @llvm.fabs.f64(double {number})")
        return b.emit_value(f"fcmp oeq double {size}, {hexadecimal(float('inf'))}")

    # Comparisons

    def compare(self, how: ast.cmpop, left: Value, right: Value) -> str:
        """Emit one comparison and return its truth value."""
        b = self.builder
        if isinstance(how, ast.In | ast.NotIn):
            found = self._contains(left, right)
            return found if isinstance(how, ast.In) else b.emit_value(f"xor i1 {found}, true")
        if isinstance(how, ast.Is | ast.IsNot):
            if VOID not in (left.type, right.type):
                raise UnsupportedError("`is` can only compare with None", "write ==")
            return str((left.type is right.type) == isinstance(how, ast.Is)).lower()
        if VOID in (left.type, right.type) and isinstance(how, ast.Eq | ast.NotEq):
            return str((left.type is right.type) == isinstance(how, ast.Eq)).lower()
        if isinstance(left.type, TupleType) and isinstance(right.type, TupleType):
            return self._compare_tuples(how, left, right)
        return self._compare_numbers(how, left, right)

    def _compare_numbers(self, how: ast.cmpop, left: Value, right: Value) -> str:
        b = self.builder
        for each in (left, right):
            if not isinstance(each.type, ScalarType) or each.type is VOID:
                raise UnsupportedError(
                    f"{describe(left.type)} cannot be compared with {describe(right.type)}",
                    "compare numbers",
                )
        integers, floats = COMPARISONS[type(how)]
        if FLOAT not in (left.type, right.type):
            return b.emit_value(
                f"icmp {integers} i64 {b.scalar(left, INT)}, {b.scalar(right, INT)}"
            )
        one, other = b.scalar(left, FLOAT), b.scalar(right, FLOAT)
        rounded = b.emit_value(f"fcmp {floats} double {one}, {other}")
        if b.trusted and not b.checked:
            return rounded  # the package compares small numbers
        for number, real in ((left, other), (right, one)):
            if number.type is INT and not (number.is_constant and abs(number.constant) <= 1 << 53):
                return self._compare_exactly(integers, left, right, rounded, number, real)
        return rounded

    def _compare_exactly(
        self, how: str, left: Value, right: Value, rounded: str, number: Value, real: str
    ) -> str:
        """Compare an integer and a float exactly where the integer rounds to that float."""
        b = self.builder
        same = b.emit_value(f"fcmp oeq double {b.scalar(number, FLOAT)}, {real}")
        small = b.emit_value(f"fcmp olt double {real}, {hexadecimal(2.0**63)}")
        safe = b.select(b.emit_value(f"and i1 {same}, {small}"), "double", real, "0.0")
        whole = b.emit_value(f"fptosi double {safe} to i64")
        whole = b.select(small, "i64", whole, str((1 << 63) - 1))
        operands = [number.operand, whole] if number is left else [whole, number.operand]
        exact = b.emit_value(f"icmp {how} i64 {operands[0]}, {operands[1]}")
        # An int that rounds up to 2**63 is smaller than it.
        least = {"eq": "false", "ne": "true"}.get(how)
        if least is None:
            below = how in ("slt", "sle")
            least = str(below if number is left else not below).lower()
        exact = b.select(small, "i1", exact, least)
        return b.select(same, "i1", exact, rounded)

    def _compare_tuples(self, how: ast.cmpop, left: Value, right: Value) -> str:
        b = self.builder
        pairs = [*zip(b.members(left), b.members(right), strict=False)]
        lengths = [len(b.members(each)) for each in (left, right)]
        if any(FLOAT in (one.type, other.type) for one, other in pairs):
            raise UnsupportedError("tuples with floats cannot be compared", "compare the members")
        if isinstance(how, ast.Eq | ast.NotEq):
            equal = "true" if lengths[0] == lengths[1] else "false"
            for pair in pairs:
                same = self.compare(ast.Eq(), *pair)
                equal = same if equal == "true" else b.emit_value(f"and i1 {equal}, {same}")
            return equal if isinstance(how, ast.Eq) else b.emit_value(f"xor i1 {equal}, true")
        result = str(ORDERS[type(how)](*lengths)).lower()
        for pair in reversed(pairs):
            same, order = self.compare(ast.Eq(), *pair), self.compare(how, *pair)
            result = b.select(same, "i1", result, order)
        return result

    def _contains(self, left: Value, right: Value) -> str:
        if isinstance(right.type, ArrayType):
            answer = self._call_function(runtime.array_contains, [right, left], {})
            return self.builder.scalar(answer, BOOL)
        members = self.builder.members(right)
        if any(each.type is FLOAT for each in (left, *members)):
            raise UnsupportedError("`in` cannot compare floats", "compare the members with ==")
        if isinstance(right.type, TupleType) and right.type.named is runtime.Range:
            answer = self._call_function(runtime.range_contains, [left, *members], {})
            return self.builder.scalar(answer, BOOL)
        equal = "false"
        for each in members:
            same = self.compare(ast.Eq(), left, each)
            equal = same if equal == "false" else self.builder.emit_value(f"or i1 {equal}, {same}")
        return equal


def _folded(compute: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    """Fold an operation on constants; return None to leave it to run time."""
    if (
        isinstance(other, int)
        and abs(other) > LONGEST_FOLDED
        and compute
        in (
            operator.lshift,
            operator.pow,
        )
    ):
        return None
    try:
        found = compute(one, other)
    except (ArithmeticError, ValueError, TypeError):
        return None
    return None if isinstance(found, complex) else found
