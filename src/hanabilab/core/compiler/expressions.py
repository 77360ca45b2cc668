"""Emits expressions."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from hanabilab.core import bits
from hanabilab.core.compiler.builder import OVERFLOW, Builder, hexadecimal
from hanabilab.core.compiler.types import (
    BOOL,
    FLOAT,
    INT,
    VOID,
    ArrayType,
    ElementType,
    RecordType,
    ScalarType,
    TupleType,
    UnsupportedError,
    Value,
    as_temporary,
    describe,
    element_type,
    unify,
)

__all__ = ["CONSTANT_TRUTHS", "REMEDIES", "Expressions", "Scope"]

Lvalue = tuple[str, ElementType | RecordType]
"""An address in memory, and what it holds."""

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
CONSTANT_TRUTHS = ("true", "false")
"""Conditions that are decided when compiling, such as `x is None`: one branch is left out."""
LEAST = -(1 << 63)
LONGEST_FOLDED = 4096
"""Bits of a constant that is computed while compiling."""

REMEDIES: dict[type[ast.AST], tuple[str, str]] = {
    ast.List: ("a kernel cannot create a list", "use a tuple, or declare an array in the Memory"),
    ast.Dict: ("a kernel cannot create a dictionary", "use a tuple, or an array of the Memory"),
    ast.Set: ("a kernel cannot create a set", "use an integer with a bit for each member"),
    ast.ListComp: ("a kernel cannot create a list", "write a loop that fills an array"),
    ast.SetComp: ("a kernel cannot create a set", "write a loop that sets bits of an integer"),
    ast.DictComp: ("a kernel cannot create a dictionary", "write a loop that fills an array"),
    ast.GeneratorExp: (
        "a generator can only be an argument of any, all, sum, min or max",
        "write a loop",
    ),
    ast.Lambda: ("a kernel cannot define a function", "define a kernel outside and call it"),
    ast.JoinedStr: ("a kernel cannot use text", "use numbers"),
    ast.Starred: ("a kernel cannot unpack with `*`", "write the members one by one"),
    ast.Await: ("a kernel cannot wait", "remove `await`"),
    ast.Yield: ("generators cannot be compiled", "write a loop"),
    ast.YieldFrom: ("generators cannot be compiled", "write a loop"),
    ast.FunctionDef: ("a kernel cannot define a function", "define a kernel outside and call it"),
    ast.AsyncFunctionDef: ("a kernel cannot define a function", "define a kernel outside"),
    ast.ClassDef: ("a kernel cannot define a class", "define it outside"),
    ast.With: ("`with` cannot be compiled", "kernels hold no resources"),
    ast.Try: ("`try` cannot be compiled", "test the condition beforehand"),
    ast.Import: ("a kernel cannot import", "import at the top of the file"),
    ast.ImportFrom: ("a kernel cannot import", "import at the top of the file"),
    ast.Global: ("a kernel cannot change globals", "store it in the Memory"),
    ast.Nonlocal: ("a kernel cannot change variables of other functions", "return the value"),
    ast.Delete: ("`del` cannot be compiled", "remove it"),
    ast.Match: ("`match` cannot be compiled", "use if and elif"),
}


class Scope:
    """What names mean in a kernel: locals first, then the closure, the module and the builtins."""

    def __init__(self, local: frozenset[str], names: dict[str, Any]) -> None:
        self.local, self._names = local, names

    def known(self, node: ast.expr) -> Any:
        """Return the Python object that a name or an attribute of a module or class denotes."""
        if isinstance(node, ast.Name) and node.id not in self.local:
            if node.id not in self._names:
                raise UnsupportedError(f"name '{node.id}' is not defined")
            return self._names[node.id]
        if isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Constant):
            if not isinstance(node.value, ast.Name | ast.Attribute):
                return None
            owner = self.known(node.value)
            if isinstance(owner, ModuleType | type):
                if not hasattr(owner, node.attr):
                    raise UnsupportedError(f"`{owner.__name__}` has no `{node.attr}`")
                return getattr(owner, node.attr)
            if hasattr(owner, "_fields") and node.attr in owner._fields:
                return getattr(owner, node.attr)
        return None

    def is_defined(self, name: str) -> bool:
        """Return whether a name has a meaning outside the function."""
        return name in self._names


class Expressions:
    """Emits expressions into a builder; `call` emits a call of a Python function."""

    def __init__(
        self,
        builder: Builder,
        scope: Scope,
        call: Callable[[Any, list[Value], dict[str, Value]], Value],
    ) -> None:
        self.builder, self.scope, self._call_function = builder, scope, call

    def value(self, node: ast.expr) -> Value:
        """Emit an expression and return its value."""
        b = self.builder
        emit: Callable[[Any], Value] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if emit is None:
            unknown = f"`{ast.unparse(node)}` cannot be compiled", ""
            raise UnsupportedError(*REMEDIES.get(type(node), unknown))
        before, b.location = b.location, (b.location[0], node.lineno, b.location[2])
        found = emit(node)
        b.location = before
        return found

    def truth(self, node: ast.expr) -> str:
        """Emit an expression whose truth alone matters."""
        b = self.builder
        if isinstance(node, ast.BoolOp):
            return self._any_or_all(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            true = self.truth(node.operand)
            known = {"true": "false", "false": "true"}.get(true)
            return known or b.emit_value(f"xor i1 {true}, true")
        return self.truth_of(self.value(node))

    def truth_of(self, value: Value) -> str:
        """Return whether a value is true."""
        b = self.builder
        if isinstance(value.type, TupleType):
            return str(bool(value.type.members)).lower()
        if value.type is VOID:
            return "false"
        if isinstance(value.type, ArrayType):
            return b.emit_value(f"icmp ne i64 {b.lengths(value)[0]}, 0")
        if isinstance(value.type, RecordType):
            raise UnsupportedError("a record is always true", "test one of its fields")
        return b.scalar(value, BOOL)

    # Names, constants, fields

    def _constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, str | bytes):
            raise UnsupportedError("a kernel cannot use text", "use numbers")
        return self.builder.constant(node.value)

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.scope.local:
            return self.builder.variable(node.id)
        return self._known(self.scope.known(node), node)

    def _known(self, value: Any, node: ast.expr) -> Value:
        try:
            return self.builder.constant(value)
        except UnsupportedError as error:
            raise UnsupportedError(f"`{ast.unparse(node)}`: {error}") from error

    def _namedexpr(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.check_bindable(value, node.value)
        self.builder.assign(node.target.id, value)
        return self.builder.variable(node.target.id)

    def _attribute(self, node: ast.Attribute) -> Value:
        if (known := self.scope.known(node)) is not None:
            return self._known(known, node)
        owner = self.value(node.value)
        if isinstance(owner.type, TupleType) and owner.type.named is not None:
            names: tuple[str, ...] = owner.type.named._fields
            if node.attr in names:
                return self.builder.members(owner)[names.index(node.attr)]
        return self._field(owner, node)

    def _field(self, owner: Value, node: ast.Attribute) -> Value:
        address, layout = self._field_address(owner, node)
        if layout.subdtype:
            element, shape = layout.subdtype
            return Value(ArrayType(element_type(element), shape), (address,))
        return self.builder.load(address, element_type(layout))

    def _field_address(self, owner: Value, node: ast.Attribute) -> tuple[str, Any]:
        text = ast.unparse(node.value)
        if not isinstance(owner.type, RecordType):
            raise UnsupportedError(f"`{text}` is {describe(owner.type)} and has no `{node.attr}`")
        fields: Mapping[str, Any] = owner.type.layout.fields or {}
        if node.attr not in fields:
            raise UnsupportedError(*_no_field(text, node.attr, list(fields)))
        layout, distance = fields[node.attr][:2]
        return self.builder.offset(owner.operand, distance), layout

    # Elements

    def lvalue(self, node: ast.expr) -> Lvalue:
        """Emit the address of a field or an element that is assigned to."""
        if isinstance(node, ast.Attribute):
            address, layout = self._field_address(self.value(node.value), node)
            if layout.subdtype:
                raise UnsupportedError(
                    f"an array cannot be assigned to `{ast.unparse(node)}`: interpreted, both "
                    "names would share it",
                    f"copy the elements with {ast.unparse(node)}[:] = ...",
                )
            return address, element_type(layout)
        if isinstance(node, ast.Subscript):
            array, index = self.value(node.value), self.value(node.slice)
            if isinstance(array.type, TupleType):
                raise UnsupportedError("a tuple cannot be changed")
            if isinstance(array.type, ArrayType):
                address, rest = self.element(array, index)
                if not rest:
                    return address, array.type.element
                raise UnsupportedError(
                    f"an array cannot be assigned to `{ast.unparse(node)}`: interpreted, both "
                    "names would share it",
                    f"copy the elements with {ast.unparse(node)}[:] = ...",
                )
        raise UnsupportedError(f"`{ast.unparse(node)}` cannot be assigned to")

    def element(self, array: Value, index: Value) -> tuple[str, list[str]]:
        """Emit the address of an element or a row; return it with the lengths of the row."""
        assert isinstance(array.type, ArrayType)
        b, rest, address = self.builder, self.builder.lengths(array), array.operand
        indices = b.members(index) if isinstance(index.type, TupleType) else [index]
        if len(indices) > len(rest):
            raise UnsupportedError(f"{len(indices)} indices for an array of {len(rest)} dimensions")
        if isinstance(index.type, TupleType) and not b.trusted:
            raise UnsupportedError("an array takes one index at a time", "write a[i][j]")
        for each in indices:
            place = self.bounds_checked(each, rest.pop(0), "list")
            address = b.offset(address, self.product([place, *rest, array.type.element.size]))
        return address, rest

    def product(self, factors: list[Any]) -> str:
        """Return the product of lengths and an index, which is known to fit."""
        total, *rest = (str(factor) for factor in factors)
        for factor in rest:
            if factor == "1":
                continue
            if total.isdigit() and factor.isdigit():
                total = str(int(total) * int(factor))
            else:
                total = self.builder.emit_value(f"mul nsw i64 {total}, {factor}")
        return total

    def bounds_checked(self, index: Value, length: str, what: str) -> str:
        """Return an index that lies within a length; only a literal may count from the end."""
        b = self.builder
        if index.type is FLOAT or not isinstance(index.type, ScalarType) or index.type is VOID:
            raise UnsupportedError(f"{describe(index.type)} cannot be an index")
        place = b.scalar(index, INT)
        if index.is_constant and index.constant < 0:
            place = b.emit_value(f"add i64 {length}, {place}")
        if index.is_constant and length.isdigit():
            counted = index.constant + (int(length) if index.constant < 0 else 0)
            if 0 <= counted < int(length):
                return str(counted)
            if not b.trusted:
                raise UnsupportedError(f"index {index.constant} is out of range: length {length}")
        b.check(b.emit_value(f"icmp ult i64 {place}, {length}"), OUT_OF_RANGE.format(what))
        return place

    def _subscript(self, node: ast.Subscript) -> Value:
        owner = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._slice(owner, node)
        index = self.value(node.slice)
        if isinstance(owner.type, TupleType):
            return self._member(owner, index, node)
        if not isinstance(owner.type, ArrayType):
            raise UnsupportedError(
                f"`{ast.unparse(node.value)}` is {describe(owner.type)} and has no elements"
            )
        address, rest = self.element(owner, index)
        if not rest:
            return self.builder.load(address, owner.type.element)
        row = ArrayType(
            owner.type.element, owner.type.shape[-len(rest) :], temporary=owner.type.temporary
        )
        return self.builder.array(row, address, rest)

    def _member(self, owner: Value, index: Value, node: ast.Subscript) -> Value:
        b = self.builder
        assert isinstance(owner.type, TupleType)
        count = len(owner.type.members)
        if index.is_constant and isinstance(index.constant, int):
            if not -count <= index.constant < count:
                raise UnsupportedError(f"index {index.constant} is out of range: length {count}")
            return b.members(owner)[index.constant]
        if not count:
            raise UnsupportedError("an empty tuple has no members")
        return self.array_member(self.as_array(owner, node), index, "tuple")

    def array_member(self, array: Value, index: Value, what: str) -> Value:
        """Load an element of a one-dimensional array of numbers."""
        assert isinstance(array.type, ArrayType)
        place = self.bounds_checked(index, self.builder.lengths(array)[0], what)
        size = array.type.element.size
        address = self.builder.offset(array.operand, self.product([place, size]))
        return self.builder.load(address, array.type.element)

    def as_array(self, value: Value, node: ast.expr) -> Value:
        """Return a tuple of numbers of one type as an array in memory."""
        b, members = self.builder, self.builder.members(value)
        type_ = members[0].type
        for member in members[1:]:
            type_ = unify(type_, member.type)
        if not isinstance(type_, ScalarType) or type_ is VOID:
            raise UnsupportedError(
                f"`{ast.unparse(node)}`: only a tuple of numbers of one type has an index that is "
                "computed",
                "use a literal index",
            )
        scalar = INT if type_ is BOOL else type_
        element = ElementType(scalar, scalar.llvm, 8)
        operands = [b.scalar(member, scalar) for member in members]
        if value.is_constant:
            address = b.constants.name(scalar.llvm, operands)
        else:
            address = b.buffer(f"members {name_of(node)}", 8 * len(members))
            for place, operand in enumerate(operands):
                b.emit(f"store {scalar.llvm} {operand}, ptr {b.offset(address, 8 * place)}")
        return Value(ArrayType(element, (len(members),)), (address,))

    # Slices

    def _slice(self, owner: Value, node: ast.Subscript) -> Value:
        b = self.builder
        assert isinstance(node.slice, ast.Slice)
        if isinstance(owner.type, TupleType):
            return self._tuple_slice(owner, node.slice)
        if not isinstance(owner.type, ArrayType):
            raise UnsupportedError(f"{describe(owner.type)} has no slices")
        if node.slice.step is not None:
            raise UnsupportedError("a slice with a step cannot be compiled", "write a loop")
        length, *rest = b.lengths(owner)
        first, last = self._bounds(node.slice, length)
        taken = self._clamp(b.emit_value(f"sub i64 {last}, {first}"), "0", "sgt")
        size = self.product([*(rest or ["1"]), owner.type.element.size])
        address = b.offset(owner.operand, self.product([first, size]))
        if b.trusted:
            type_ = ArrayType(owner.type.element, (None, *owner.type.shape[1:]))
            return b.array(type_, address, [taken, *rest])
        return self._copied_slice(owner, node, address, taken)

    def _copied_slice(self, owner: Value, node: ast.expr, address: str, taken: str) -> Value:
        b = self.builder
        assert isinstance(owner.type, ArrayType)
        type_ = as_temporary(owner.type)
        if len(type_.shape) > 1 or isinstance(type_.element, RecordType):
            raise UnsupportedError("only an array of numbers has slices", "write a loop")
        if type_.capacity is None:
            raise UnsupportedError(
                "an array whose length is unknown at compile time has no slices",
                "pass the bounds beside the array",
            )
        buffer = b.buffer(f"slice {name_of(node)}", type_.capacity * type_.element.size)
        size = self.product([taken, type_.element.size])
        b.emit(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {buffer}, ptr {address}, i64 {size}, i1 false)"
        )
        return b.array(type_, buffer, [taken])

    def _tuple_slice(self, owner: Value, node: ast.Slice) -> Value:
        bounds = []
        for bound in (node.lower, node.upper, node.step):
            value = None if bound is None else self.value(bound)
            if value is not None and not value.is_constant:
                raise UnsupportedError("a slice of a tuple needs constant bounds")
            bounds.append(None if value is None else value.constant)
        return self.builder.tuple_of(self.builder.members(owner)[slice(*bounds)])

    def _bounds(self, node: ast.Slice, length: str) -> tuple[str, str]:
        first = "0" if node.lower is None else self._bound(node.lower, length)
        last = length if node.upper is None else self._bound(node.upper, length)
        return first, last

    def _bound(self, node: ast.expr, length: str) -> str:
        b, index = self.builder, self.value(node)
        if index.type is FLOAT:
            raise UnsupportedError("a float cannot be an index")
        place = b.scalar(index, INT)
        negative = b.emit_value(f"icmp slt i64 {place}, 0")
        from_end = b.emit_value(f"add i64 {place}, {length}")
        place = b.select(negative, "i64", from_end, place)
        return self._clamp(self._clamp(place, "0", "sgt"), length, "slt")

    def _clamp(self, number: str, limit: str, within: str) -> str:
        inside = self.builder.emit_value(f"icmp {within} i64 {number}, {limit}")
        return self.builder.select(inside, "i64", number, limit)

    def check_bindable(self, value: Value, node: ast.expr) -> None:
        """Refuse to give a slice a name: its buffer is reused when the line runs again."""
        temporary = isinstance(value.type, ArrayType) and value.type.temporary
        if temporary and not isinstance(node, ast.Name):
            raise UnsupportedError(
                "a slice is a copy, which a kernel cannot keep under a name",
                "pass it to a kernel directly, loop over it, or use the bounds",
            )

    def _tuple(self, node: ast.Tuple) -> Value:
        return self.builder.tuple_of([self.value(each) for each in node.elts])

    def _call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute) and self._is_method(node.func):
            return self._method(node)
        function = self.scope.known(node.func)
        text = ast.unparse(node.func)
        if function is None:
            raise UnsupportedError(f"`{text}` is a value of the kernel and cannot be called")
        if node.args and isinstance(node.args[0], ast.GeneratorExp) and function in REDUCTIONS:
            return self.reduce(function, node)
        if any(isinstance(each, ast.Starred) for each in node.args):
            raise UnsupportedError(*REMEDIES[ast.Starred])
        if any(keyword.arg is None for keyword in node.keywords):
            raise UnsupportedError("a kernel cannot unpack with `**`", "name the arguments")
        if function is bits.require:
            return self._call_function(function, self._requirement(node), {})
        arguments = [self.value(each) for each in node.args]
        keywords = {str(each.arg): self.value(each.value) for each in node.keywords}
        return self._call_function(function, arguments, keywords)

    def _requirement(self, node: ast.Call) -> list[Value]:
        condition, message = node.args
        assert isinstance(message, ast.Constant)
        truth = self.truth(condition) if self.builder.checked else "true"
        return [Value(BOOL, (truth,)), Value(VOID, (), message.value)]

    def reduce(self, function: Any, node: ast.Call) -> Value:
        """Emit a reduction over a generator; `Statements` knows loops and replaces this."""
        raise NotImplementedError

    def _is_method(self, node: ast.Attribute) -> bool:
        return self.scope.known(node) is None

    def _method(self, node: ast.Call) -> Value:
        """Emit a method of integers."""
        assert isinstance(node.func, ast.Attribute)
        name, b = node.func.attr, self.builder
        owner = self.value(node.func.value)
        if owner.type in (INT, BOOL) and name in ("bit_count", "bit_length") and not node.args:
            number = b.scalar(owner, INT)
            size = b.emit_value(f"call i64 @llvm.abs.i64(i64 {number}, i1 false)")
            if name == "bit_count":
                return b.integer(b.emit_value(f"call i64 @llvm.ctpop.i64(i64 {size})"))
            zeros = b.emit_value(f"call i64 @llvm.ctlz.i64(i64 {size}, i1 false)")
            return b.integer(b.emit_value(f"sub i64 64, {zeros}"))
        raise UnsupportedError(
            f"`{ast.unparse(node.func)}`: {describe(owner.type)} has no method `{name}` in a "
            "kernel",
            "call a kernel instead",
        )

    # Choices: only the chosen operand is evaluated

    def _ifexp(self, node: ast.IfExp) -> Value:
        b, name = self.builder, f"choice {name_of(node)}"
        true = self.truth(node.test)
        if true in CONSTANT_TRUTHS:
            return self.value(node.body if true == "true" else node.orelse)
        then, otherwise, end = b.fresh("then"), b.fresh("otherwise"), b.fresh("end")
        b.branch(true, then, otherwise)
        assigned = []
        before = set(b.assigned)
        for label, each in ((then, node.body), (otherwise, node.orelse)):
            b.place_block(label)
            b.assigned = set(before)
            b.assign(name, self.value(each))
            assigned.append(b.assigned)
            b.terminate(f"br label %{end}")
        b.place_block(end)
        b.assigned = assigned[0] & assigned[1]
        return b.variable(name)

    def _boolop(self, node: ast.BoolOp) -> Value:
        b, name, end = self.builder, f"choice {name_of(node)}", self.builder.fresh("end")
        assigned = None
        for place, each in enumerate(node.values):
            b.assign(name, self.value(each))
            assigned = assigned or set(b.assigned)
            if place < len(node.values) - 1:
                following = b.fresh("next")
                true = self.truth_of(b.variable(name))
                isand = isinstance(node.op, ast.And)
                b.branch(true, *((following, end) if isand else (end, following)))
                b.place_block(following)
        b.start_block(end)
        b.assigned = assigned or set()
        return b.variable(name)

    def _any_or_all(self, node: ast.BoolOp) -> str:
        """Emit `and` or `or` where only the truth matters: operands may have different types."""
        b, name, end = self.builder, f"truth {name_of(node)}", self.builder.fresh("end")
        assigned = None
        for place, each in enumerate(node.values):
            true = self.truth(each)
            b.assign(name, Value(BOOL, (true,)))
            assigned = assigned or set(b.assigned)
            if place < len(node.values) - 1:
                following = b.fresh("next")
                isand = isinstance(node.op, ast.And)
                b.branch(true, *((following, end) if isand else (end, following)))
                b.place_block(following)
        b.start_block(end)
        b.assigned = assigned or set()
        return b.variable(name).operand

    # Arithmetic

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        b = self.builder
        if isinstance(node.op, ast.Not):
            return Value(BOOL, (self.truth(node),))
        if isinstance(node.op, ast.USub) and _is_least(node.operand):
            return b.constant(LEAST)
        value = self.value(node.operand)
        if value.type is FLOAT:
            return self._unary_float(node, value)
        if isinstance(node.op, ast.Invert) and value.type is BOOL:
            raise UnsupportedError("`~` of a bool is an int", "write `not`, or ~int(...)")
        number = b.scalar(value, INT)
        if value.is_constant:
            known = int(value.constant)
            if isinstance(node.op, ast.USub):
                known = -known
            return b.constant(~known if isinstance(node.op, ast.Invert) else known)
        if isinstance(node.op, ast.USub):
            return b.integer(b.arithmetic("sub", "0", number))
        if isinstance(node.op, ast.Invert):
            return b.integer(b.emit_value(f"xor i64 {number}, -1"))
        return Value(INT, (number,))

    def _unary_float(self, node: ast.UnaryOp, value: Value) -> Value:
        if isinstance(node.op, ast.Invert):
            raise UnsupportedError("`~` of a float")
        if isinstance(node.op, ast.UAdd):
            return value
        if value.is_constant:
            return self.builder.constant(-value.constant)
        return Value(FLOAT, (self.builder.emit_value(f"fneg double {value.operand}"),))

    def _binop(self, node: ast.BinOp) -> Value:
        left = self.value(node.left)
        if isinstance(left.type, TupleType) and isinstance(node.op, ast.Add):
            right = self.value(node.right)
            return self.builder.tuple_of(
                [*self.builder.members(left), *self.builder.members(right)]
            )
        return self.operation(node.op, left, self.value(node.right))

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
        """Replace a divisor that would stop the process: 0, and for a remainder -1 by 1."""
        b = self.builder
        above = b.emit_value(f"add i64 {other}, 1") if modulo else other
        harmful = b.emit_value(f"icmp ult i64 {above}, {2 if modulo else 1}")
        return b.select(harmful, "i64", "1", other)

    def _guard_minus_one(self, one: str, other: str, *, modulo: bool) -> str:
        """Keep the one division that overflows, -2**63 by -1, from stopping the process."""
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
        from hanabilab.core.compiler.runtime import integer_power

        if right.is_constant and right.constant < 0:
            raise UnsupportedError("a negative power of an int is a float", "write float(...) ** n")
        return self._call_function(integer_power, [left, right], {})

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
        """Emit a power of floats; Python's complex results and overflows are failures."""
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

    def _compare(self, node: ast.Compare) -> Value:
        b, left = self.builder, self.value(node.left)
        name, end = f"chain {name_of(node)}", b.fresh("end")
        found = ""
        simple = all(_is_simple(each, self) for each in node.comparators[1:])
        assigned = None
        for place, (how, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
            following = b.fresh("next")
            if place and not simple:
                b.branch(found, following, end)
                b.place_block(following)
            right = self._iterable_or_value(how, comparator)
            result = self.compare(how, left, right)
            found = b.select(found, "i1", result, "false") if place and simple else result
            if not simple:
                b.assign(name, Value(BOOL, (found,)))
                assigned = assigned or set(b.assigned)
            left = right
        if simple:
            return Value(BOOL, (found,))
        b.start_block(end)
        b.assigned = assigned or set()
        return b.variable(name)

    def _iterable_or_value(self, how: ast.cmpop, node: ast.expr) -> Value:
        """Emit the right side of a comparison; a range becomes the tuple of its bounds."""
        is_range = isinstance(how, ast.In | ast.NotIn) and isinstance(node, ast.Call)
        if not is_range or self.scope.known(node.func) is not range:  # type: ignore[attr-defined]
            return self.value(node)
        from hanabilab.core.compiler.runtime import Range

        assert isinstance(node, ast.Call)
        if not 1 <= len(node.args) <= 3 or node.keywords:
            raise UnsupportedError(f"range() of {len(node.args)} arguments")
        bounds = [self.builder.scalar(self._integer(each), INT) for each in node.args]
        first, last, step = ["0", *bounds, "1"] if len(bounds) == 1 else [*bounds, "1"][:3]
        return self.builder.tuple_of(
            [self.builder.integer(each) for each in (first, last, step)], Range
        )

    def _integer(self, node: ast.expr) -> Value:
        value = self.value(node)
        if value.type not in (INT, BOOL):
            raise UnsupportedError(f"{describe(value.type)} where an int is expected")
        return value

    def compare(self, how: ast.cmpop, left: Value, right: Value) -> str:
        """Emit one comparison and return its truth."""
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
        """Compare an int with the float that it rounds to as integers."""
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
        from hanabilab.core.compiler import runtime

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


REDUCTIONS = (any, all, sum, min, max)
OUT_OF_RANGE = "IndexError: {} index out of range"


def _message(function: Callable[[], object]) -> str:
    """Return an exception of Python as Python prints it."""
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


def name_of(node: ast.expr) -> str:
    """Return a unique name for the temporary that belongs to an expression."""
    return f"{node.lineno} {node.col_offset} {node.end_lineno} {node.end_col_offset}"


def _is_simple(node: ast.expr, expressions: Expressions) -> bool:
    """Return whether evaluating an expression can neither fail nor have an effect."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        b = expressions.builder
        return node.id not in expressions.scope.local or node.id in b.assigned or not b.checked
    if isinstance(node, ast.Attribute):
        return _is_simple(node.value, expressions)
    return not expressions.builder.checked and not any(
        isinstance(each, ast.Call | ast.NamedExpr) for each in ast.walk(node)
    )


def _is_least(node: ast.expr) -> bool:
    """Return whether an expression is 2**63, which only fits with a minus sign before it."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == -LEAST


def _folded(compute: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    """Return the result of an operation on constants, or None to leave it to run time."""
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


def _no_field(owner: str, name: str, known: list[str]) -> tuple[str, str]:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    close += [each for each in known if name in each.split("_")]
    meant = f"; did you mean `{close[0]}`?" if close else ""
    remedy = ""
    if known[:1] == ["stream"]:
        remedy = (
            f"declare `{name}` in your Memory (`{name}: int`), and give that class to the "
            "Strategy (`memory=`)"
        )
    return f"`{owner}` has no field `{name}`{meant}", remedy
