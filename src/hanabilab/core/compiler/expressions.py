"""The expressions of kernels."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import ModuleType
from typing import Any

from hanabilab.core.code_cache import CHECKED
from hanabilab.core.compiler.builder import Builder
from hanabilab.core.compiler.kinds import (
    BOOL,
    FLOAT,
    INT,
    ArrayKind,
    NumberKind,
    RecordKind,
    Stored,
    TupleKind,
    UnknownError,
    Value,
    joined,
    kind_in_memory,
)

__all__ = ["Expressions", "Place"]

Place = tuple[str, Stored | RecordKind]
"""An address in memory, and what lies there."""

INTEGER_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
FLOAT_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "fadd",
    ast.Sub: "fsub",
    ast.Mult: "fmul",
    ast.Div: "fdiv",
}
BIT_OPERATIONS = (ast.BitAnd, ast.BitOr, ast.BitXor)
COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
}


class Expressions:
    """Turns expressions into values; names mean variables first, then what the module knows."""

    def __init__(
        self, builder: Builder, names: dict[str, Any], call: Callable[[Any, list[Value]], Value]
    ) -> None:
        self.builder = builder
        self._names = names
        self._run = call

    def value(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        found: Callable[[Any], Value] | None = getattr(
            self, f"_{type(node).__name__.lower()}", None
        )
        if found is None:
            raise UnknownError(f"`{ast.unparse(node)}`")
        return found(node)

    def truth(self, node: ast.expr) -> str:
        """Return whether an expression is true."""
        return self.builder.number(self.value(node), BOOL)

    def known(self, node: ast.expr) -> Any:
        """Return what a name of the module, or of a module that it names, means."""
        if isinstance(node, ast.Name) and node.id in self._names:
            return self._names[node.id]
        if isinstance(node, ast.Attribute) and isinstance(self.known(node.value), ModuleType):
            return getattr(self.known(node.value), node.attr)
        return None

    def _constant(self, node: ast.Constant) -> Value:
        return self._literal(node.value)

    def _literal(self, value: object) -> Value:
        if isinstance(value, bool):
            return Value(BOOL, (str(value).lower(),))
        if isinstance(value, int):
            return self.builder.integer(value)
        if isinstance(value, float):
            return Value(FLOAT, (_bits_of(value),))
        if isinstance(value, tuple):
            return self.builder.tuple_of([self._literal(each) for each in value])
        raise UnknownError(f"the constant {value!r}")

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.builder.kinds:
            return self.builder.variable(node.id)
        if node.id not in self._names:
            raise UnknownError(f"`{node.id}` before anything is assigned to it")
        return self._literal(self._names[node.id])

    def _attribute(self, node: ast.Attribute) -> Value:
        if (known := self.known(node)) is not None:
            return self._literal(known)
        owner = self.value(node.value)
        if isinstance(owner.kind, TupleKind) and owner.kind.named is not None:
            place: int = owner.kind.named._fields.index(node.attr)
            return self.builder.members(owner)[place]
        return self._field(owner, node.attr)

    def _field(self, owner: Value, name: str) -> Value:
        if not isinstance(owner.kind, RecordKind):
            raise UnknownError(f"{name} of {owner.kind}")
        address, layout = self._field_place(owner, name)
        if layout.subdtype:
            element, shape = layout.subdtype
            return Value(ArrayKind(kind_in_memory(element), shape), (address,))
        return self.builder.load(address, kind_in_memory(layout))

    def _field_place(self, owner: Value, name: str) -> tuple[str, Any]:
        assert isinstance(owner.kind, RecordKind)
        fields = owner.kind.layout.fields
        if fields is None or name not in fields:
            raise UnknownError(f"the field {name}, which the record lacks")
        layout, distance = fields[name][:2]
        return self.builder.offset(owner.operand, distance), layout

    def place(self, node: ast.expr) -> Place:
        """Return where in memory an element of an array or a field of a record lies."""
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value)
            if not isinstance(owner.kind, RecordKind):
                raise UnknownError(f"`{ast.unparse(node)} = …`")
            address, layout = self._field_place(owner, node.attr)
            return address, kind_in_memory(layout)
        if isinstance(node, ast.Subscript):
            array = self.value(node.value)
            index = self.value(node.slice)
            if isinstance(array.kind, ArrayKind):
                address, rest = self._element(array, index)
                if not rest:
                    return address, array.kind.element
        raise UnknownError(f"`{ast.unparse(node)} = …`")

    def _element(self, array: Value, index: Value) -> tuple[str, list[str]]:
        """Return the address of an element or a row, and the lengths of what lies there."""
        assert isinstance(array.kind, ArrayKind)
        b, rest, address = self.builder, self.builder.lengths(array), array.operand
        indices = b.members(index) if isinstance(index.kind, TupleKind) else [index]
        for each in indices:
            place = self._place(b.number(each, INT), rest.pop(0))
            address = b.offset(address, self._product([place, *rest, array.kind.element.size]))
        return address, rest

    def _product(self, factors: list[Any]) -> str:
        total = str(factors[0])
        for factor in factors[1:]:
            total = self.builder.get(f"mul nsw i64 {total}, {factor}")
        return total

    def _place(self, index: str, length: str) -> str:
        """Return the place of an element; only a literal index may count from the end."""
        b = self.builder
        if index.startswith("-"):
            index = b.get(f"add i64 {length}, {index}")
        if CHECKED:
            b.make_sure(b.get(f"icmp ult i64 {index}, {length}"))
        return index

    def _wrapped(self, index: str, length: str) -> str:
        """Count a negative bound of a slice from the end."""
        b = self.builder
        negative = b.get(f"icmp slt i64 {index}, 0")
        from_end = b.get(f"add i64 {index}, {length}")
        return b.get(f"select i1 {negative}, i64 {from_end}, i64 {index}")

    def _subscript(self, node: ast.Subscript) -> Value:
        owner = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._sliced(owner, node.slice)
        index = self.value(node.slice)
        if isinstance(owner.kind, TupleKind) and index.operand.isdigit():
            return self.builder.members(owner)[int(index.operand)]
        if not isinstance(owner.kind, ArrayKind):
            raise UnknownError(f"`{ast.unparse(node)}`")
        address, rest = self._element(owner, index)
        if not rest:
            return self.builder.load(address, owner.kind.element)
        shape = owner.kind.shape[-len(rest) :]
        return self.builder.array(ArrayKind(owner.kind.element, shape), address, rest)

    def _sliced(self, array: Value, node: ast.Slice) -> Value:
        if not isinstance(array.kind, ArrayKind) or node.step is not None:
            raise UnknownError("such a slice")
        b = self.builder
        length, *rest = b.lengths(array)
        first, last = (
            otherwise if bound is None else self._bound(bound, length)
            for bound, otherwise in ((node.lower, "0"), (node.upper, length))
        )
        taken = self._clipped(b.get(f"sub i64 {last}, {first}"), "0", "sgt")
        address = b.offset(array.operand, self._product([first, *rest, array.kind.element.size]))
        kind = ArrayKind(array.kind.element, (None, *array.kind.shape[1:]))
        return self.builder.array(kind, address, [taken, *rest])

    def _bound(self, node: ast.expr, length: str) -> str:
        index = self._wrapped(self.builder.number(self.value(node), INT), length)
        return self._clipped(self._clipped(index, "0", "sgt"), length, "slt")

    def _clipped(self, number: str, limit: str, within: str) -> str:
        inside = self.builder.get(f"icmp {within} i64 {number}, {limit}")
        return self.builder.get(f"select i1 {inside}, i64 {number}, i64 {limit}")

    def _tuple(self, node: ast.Tuple) -> Value:
        return self.builder.tuple_of([self.value(each) for each in node.elts])

    def _call(self, node: ast.Call) -> Value:
        function = self.known(node.func)
        if function is None or node.keywords:
            raise UnknownError(f"`{ast.unparse(node)}`")
        return self._run(function, [self.value(each) for each in node.args])

    # Choices: what is not chosen is not evaluated

    def _ifexp(self, node: ast.IfExp) -> Value:
        return self._chosen(node, self.truth(node.test), node.body, node.orelse)

    def _boolop(self, node: ast.BoolOp) -> Value:
        b, name, end = self.builder, _name_of(node), self.builder.fresh("end")
        for place, each in enumerate(node.values):
            b.set(name, self.value(each))
            if place < len(node.values) - 1:
                on = b.fresh("on")
                true = b.number(b.variable(name), BOOL)
                b.branch(true, *((on, end) if isinstance(node.op, ast.And) else (end, on)))
                b.start_at(on)
        b.start(end)
        return b.variable(name)

    def _chosen(self, node: ast.expr, condition: str, yes: ast.expr, no: ast.expr) -> Value:
        b, name = self.builder, _name_of(node)
        first, second, end = b.fresh("yes"), b.fresh("no"), b.fresh("end")
        b.branch(condition, first, second)
        for label, each in ((first, yes), (second, no)):
            b.start_at(label)
            b.set(name, self.value(each))
            b.end(f"br label %{end}")
        b.start_at(end)
        return b.variable(name)

    # Arithmetic

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        b = self.builder
        if isinstance(node.op, ast.Not):
            return Value(BOOL, (b.get(f"xor i1 {self.truth(node.operand)}, true"),))
        value = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            if value.kind is FLOAT:
                return Value(FLOAT, (b.get(f"fneg double {value.operand}"),))
            if value.operand.isdigit():
                return b.integer(-int(value.operand))
            return b.integer(b.get(f"sub i64 0, {b.number(value, INT)}"))
        if isinstance(node.op, ast.Invert) and value.kind is not FLOAT:
            return b.integer(b.get(f"xor i64 {b.number(value, INT)}, -1"))
        raise UnknownError(f"`{ast.unparse(node)}`")

    def _binop(self, node: ast.BinOp) -> Value:
        return self.operation(node.op, self.value(node.left), self.value(node.right))

    def operation(self, operator: ast.operator, left: Value, right: Value) -> Value:
        """Return the result of an operation on two numbers."""
        b, kind = self.builder, joined(left.kind, right.kind)
        if not isinstance(kind, NumberKind):
            raise UnknownError(f"{operator} of {kind}")
        how = type(operator)
        if left.kind == right.kind == BOOL and how in BIT_OPERATIONS:
            line = f"{INTEGER_OPERATIONS[how]} i1 {left.operand}, {right.operand}"
            return Value(BOOL, (b.get(line),))
        if kind is FLOAT or how is ast.Div:
            if how not in FLOAT_OPERATIONS:
                raise UnknownError(f"{how.__name__} of floats")
            operands = f"{b.number(left, FLOAT)}, {b.number(right, FLOAT)}"
            return Value(FLOAT, (b.get(f"{FLOAT_OPERATIONS[how]} double {operands}"),))
        one, other = b.number(left, INT), b.number(right, INT)
        if how in (ast.FloorDiv, ast.Mod):
            return b.integer(self._divided(one, other, modulo=how is ast.Mod))
        return b.integer(b.get(f"{INTEGER_OPERATIONS[how]} i64 {one}, {other}"))

    def _divided(self, one: str, other: str, *, modulo: bool) -> str:
        """Divide as Python does, with the sign of the divisor; by zero, the result is anything."""
        b = self.builder
        if not other.isdigit():
            nothing = b.get(f"icmp eq i64 {other}, 0")
            other = b.get(f"select i1 {nothing}, i64 1, i64 {other}")
        rest = b.get(f"srem i64 {one}, {other}")
        differ = b.get(f"icmp slt i64 {b.get(f'xor i64 {rest}, {other}')}, 0")
        uneven = b.get(f"icmp ne i64 {rest}, 0")
        down = b.get(f"and i1 {differ}, {uneven}")
        if modulo:
            return b.get(f"select i1 {down}, i64 {b.get(f'add i64 {rest}, {other}')}, i64 {rest}")
        quotient = b.get(f"sdiv i64 {one}, {other}")
        return b.get(f"sub i64 {quotient}, {b.get(f'zext i1 {down} to i64')}")

    def _compare(self, node: ast.Compare) -> Value:
        left, results = self.value(node.left), []
        for operator, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(comparator)
            results.append(self._compared(operator, left, right))
            left = right
        return self._all(results, "and")

    def _all(self, results: list[str], how: str) -> Value:
        total = results[0]
        for result in results[1:]:
            total = self.builder.get(f"{how} i1 {total}, {result}")
        return Value(BOOL, (total,))

    def _compared(self, operator: ast.cmpop, left: Value, right: Value) -> str:
        b = self.builder
        if isinstance(operator, ast.In):
            equal = [self._compared(ast.Eq(), left, each) for each in b.members(right)]
            return self._all(equal, "or").operand
        kind = joined(left.kind, right.kind)
        if not isinstance(kind, NumberKind) or type(operator) not in COMPARISONS:
            raise UnknownError(f"{operator} of {kind}")
        kind = FLOAT if kind is FLOAT else INT
        integers, floats = COMPARISONS[type(operator)]
        test = f"fcmp {floats}" if kind is FLOAT else f"icmp {integers}"
        return b.get(f"{test} {kind.llvm} {b.number(left, kind)}, {b.number(right, kind)}")


def _name_of(node: ast.expr) -> str:
    """Return a name for the variable that holds a value of several origins."""
    return f"at {node.lineno} {node.col_offset} {node.end_lineno} {node.end_col_offset}"


def _bits_of(number: float) -> str:
    """Return a float as LLVM writes it exactly."""
    import struct

    return f"0x{struct.unpack('>Q', struct.pack('>d', number))[0]:016X}"
