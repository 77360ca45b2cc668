"""Emits expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from hanabilab.core import bits
from hanabilab.core.compiler import runtime
from hanabilab.core.compiler.builder import Builder
from hanabilab.core.compiler.operators import CallEmitter, Operators
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
"""An address in memory and the type of its contents."""

CONSTANT_TRUTHS = ("true", "false")
"""Conditions decided at compile time, such as `x is None`; the other branch is not emitted."""
LEAST = -(1 << 63)
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
    """Resolves names in a kernel: locals first, then the closure, the module and the builtins."""

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


class Expressions(Operators):
    """Emits expressions into a builder; a scope resolves names."""

    def __init__(self, builder: Builder, scope: Scope, call: CallEmitter) -> None:
        super().__init__(builder, call)
        self.scope = scope

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
        """Emit an expression of which only the truth value is needed."""
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
        """Return the product of lengths and an index, without an overflow check."""
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
        """Emit a bounds check and return the index; only a literal index may be negative."""
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
        """Reject binding a slice to a name: its buffer is reused when the line runs again."""
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
        """Emit a reduction over a generator; overridden in `Statements`, which can emit loops."""
        raise NotImplementedError

    def _is_method(self, node: ast.Attribute) -> bool:
        return self.scope.known(node) is None

    def _method(self, node: ast.Call) -> Value:
        """Emit a call of an integer's method."""
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
        """Emit `and` or `or` where only the truth is needed, so operand types may differ."""
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
        assert isinstance(node, ast.Call)
        if not 1 <= len(node.args) <= 3 or node.keywords:
            raise UnsupportedError(f"range() of {len(node.args)} arguments")
        bounds = [self.builder.scalar(self._integer(each), INT) for each in node.args]
        first, last, step = ["0", *bounds, "1"] if len(bounds) == 1 else [*bounds, "1"][:3]
        return self.builder.tuple_of(
            [self.builder.integer(each) for each in (first, last, step)], runtime.Range
        )

    def _integer(self, node: ast.expr) -> Value:
        value = self.value(node)
        if value.type not in (INT, BOOL):
            raise UnsupportedError(f"{describe(value.type)} where an int is expected")
        return value


REDUCTIONS = (any, all, sum, min, max)
OUT_OF_RANGE = "IndexError: {} index out of range"


def name_of(node: ast.expr) -> str:
    """Return a unique name for an expression's temporary."""
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
    """Return whether an expression is 2**63, which is valid only after a minus sign."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == -LEAST


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
