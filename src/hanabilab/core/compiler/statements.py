"""Emits statements: assignments, branches, loops, returns and failures."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hanabilab.core.compiler import runtime
from hanabilab.core.compiler.builder import Builder, Unresolved
from hanabilab.core.compiler.expressions import (
    CONSTANT_TRUTHS,
    REMEDIES,
    Expressions,
    Scope,
    name_of,
)
from hanabilab.core.compiler.operators import CallEmitter
from hanabilab.core.compiler.types import (
    BOOL,
    FLOAT,
    INT,
    VOID,
    ArrayType,
    RecordType,
    ScalarType,
    TupleType,
    Type,
    UnsupportedError,
    Value,
    describe,
    unify,
)

__all__ = ["Statements"]

MOST_UNROLLED = 32
"""The longest tuple of mixed types that a loop is unrolled over."""


@dataclass(slots=True)
class _Loop:
    """The targets of `continue` and `break`, and the variables assigned at every `break`."""

    again: str
    end: str
    breaks: list[set[str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Sequence:
    """An iterable: its length, and a function that loads an element."""

    length: str
    load: Callable[[str], Value]


class Statements(Expressions):
    """Emits the body of a function."""

    def __init__(self, builder: Builder, scope: Scope, call: CallEmitter) -> None:
        super().__init__(builder, scope, call)
        self.result: Type | None = None
        self._loops: list[_Loop] = []

    def block(self, statements: list[ast.stmt]) -> None:
        """Emit statements up to the first one that leaves the block."""
        for statement in statements:
            if self.builder.terminated:
                return
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        b, loops = self.builder, len(self._loops)
        emit: Callable[[Any], None] | None = getattr(
            self, f"_do_{type(node).__name__.lower()}", None
        )
        if emit is None:
            b.location = (b.location[0], node.lineno, b.location[2])
            unknown = f"`{ast.unparse(node)}` cannot be compiled", ""
            raise UnsupportedError(*REMEDIES.get(type(node), unknown))
        b.location = (b.location[0], node.lineno, b.location[2])
        try:
            emit(node)
        except Unresolved:
            b.unresolved = True
            del self._loops[loops:]

    # Simple statements

    def _do_expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def _do_pass(self, node: ast.Pass) -> None:
        pass

    def _do_assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.store(target, value, node.value)

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.store(node.target, self.value(node.value), node.value)

    def _do_augassign(self, node: ast.AugAssign) -> None:
        b = self.builder
        if isinstance(node.target, ast.Name):
            before = self.value(ast.copy_location(ast.Name(node.target.id), node.target))
            if isinstance(before.type, TupleType):
                raise UnsupportedError("a tuple cannot grow", "its length is part of its type")
            b.assign(node.target.id, self.operation(node.op, before, self.value(node.value)))
            return
        address, element = self.lvalue(node.target)
        before = b.load(address, element)
        b.store(address, element, self.operation(node.op, before, self.value(node.value)))

    def store(self, target: ast.expr, value: Value, source: ast.expr) -> None:
        """Emit the assignment of a value to a name, a field, an element or a tuple of those."""
        b = self.builder
        b.location = (b.location[0], target.lineno, b.location[2])
        if isinstance(target, ast.Name):
            self.check_bindable(value, source)
            if value.type is VOID:
                self._refuse_none(source)
            b.assign(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, value, source)
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            self._copy_elements(target, value)
        else:
            b.store(*self.lvalue(target), value)

    def _refuse_none(self, source: ast.expr) -> None:
        if isinstance(source, ast.Call):
            raise UnsupportedError(f"`{ast.unparse(source.func)}` returns nothing")

    def _unpack(self, target: ast.Tuple | ast.List, value: Value, source: ast.expr) -> None:
        if isinstance(value.type, ArrayType):
            value = self._elements(value, len(target.elts))
        members = self.builder.members(value)
        if len(members) != len(target.elts):
            raise UnsupportedError(f"{len(members)} values for {len(target.elts)} names")
        for each, member in zip(target.elts, members, strict=True):
            self.store(each, member, source)

    def _elements(self, array: Value, count: int) -> Value:
        """Return the elements of a short array as a tuple."""
        assert isinstance(array.type, ArrayType)
        if array.type.shape[0] != count:
            raise UnsupportedError(f"an array of {array.type.shape[0]} values for {count} names")
        element = self._of_array(array).load
        return self.builder.tuple_of([element(str(place)) for place in range(count)])

    def _copy_elements(self, target: ast.Subscript, value: Value) -> None:
        """Emit `target[:] = value`, a copy between arrays of numbers of the same length."""
        b, owner = self.builder, self.value(target.value)
        assert isinstance(target.slice, ast.Slice)
        whole = not (target.slice.lower or target.slice.upper or target.slice.step)
        arrays = isinstance(owner.type, ArrayType) and isinstance(value.type, ArrayType)
        if not whole or not arrays:
            raise UnsupportedError(
                f"`{ast.unparse(target)} = ...` cannot be compiled",
                "write a loop over the elements",
            )
        assert isinstance(owner.type, ArrayType)
        assert isinstance(value.type, ArrayType)
        if isinstance(owner.type.element, RecordType) or len(owner.type.shape) > 1:
            raise UnsupportedError("only an array of numbers can be copied", "write a loop")
        if owner.type.element != value.type.element or None in (
            owner.type.shape[0],
            value.type.shape[0],
        ):
            raise UnsupportedError("arrays of unknown length cannot be copied", "write a loop")
        if owner.type.shape != value.type.shape:
            raise UnsupportedError(
                f"{value.type.shape[0]} elements do not fit into {owner.type.shape[0]}"
            )
        b.copy(
            owner.operand, value.operand, int(owner.type.shape[0] or 0) * owner.type.element.size
        )

    def _do_return(self, node: ast.Return) -> None:
        b = self.builder
        value = Value(VOID, ()) if node.value is None else self.value(node.value)
        if isinstance(value.type, ArrayType) and value.type.temporary:
            raise UnsupportedError("a slice cannot be returned", "return what was computed from it")
        type_ = self._returned(value.type)
        b.return_(b.convert(value, type_).operands)

    def _returned(self, type_: Type) -> Type:
        """Record a returned type; if it widens the result, the function is emitted again."""
        if VOID in (self.result, type_) and self.result not in (None, type_):
            raise UnsupportedError("this returns a value in one place and None in another")
        try:
            wider = type_ if self.result is None else unify(self.result, type_)
        except UnsupportedError as error:
            raise UnsupportedError(str(error).replace("this", "the result", 1)) from error
        if self.result not in (None, wider):
            self.builder.changed = True
        self.result = wider
        return wider

    def _do_raise(self, node: ast.Raise) -> None:
        error, text = node.exc, ""
        if isinstance(error, ast.Call):
            if error.args and isinstance(error.args[0], ast.Constant):
                text = str(error.args[0].value)
            error = error.func
        if error is None or node.cause is not None:
            raise UnsupportedError(f"`{ast.unparse(node)}` cannot be compiled")
        found = self.scope.known(error)
        if not (isinstance(found, type) and issubclass(found, BaseException)):
            raise UnsupportedError(f"`{ast.unparse(error)}` is not an exception")
        self.builder.fail(f"{found.__name__}: {text}" if text else found.__name__)

    def _do_assert(self, node: ast.Assert) -> None:
        if not __debug__:
            return
        text = ""
        if isinstance(node.msg, ast.Constant):
            text = f": {node.msg.value!s}"
        self.builder.check(self.truth(node.test), f"AssertionError{text}")

    # Branches

    def _do_if(self, node: ast.If) -> None:
        b, true = self.builder, self.truth(node.test)
        if true in CONSTANT_TRUTHS:
            self.block(node.body if true == "true" else node.orelse)
            return
        then, otherwise, end = b.fresh("then"), b.fresh("otherwise"), b.fresh("end")
        b.branch(true, then, otherwise)
        before, reached = set(b.assigned), []
        for label, statements in ((then, node.body), (otherwise, node.orelse)):
            b.place_block(label)
            b.assigned = set(before)
            self.block(statements)
            if not b.terminated:
                reached.append(b.assigned)
            b.terminate(f"br label %{end}")
        if reached:
            b.place_block(end)
            b.assigned = set.intersection(*reached)

    # Loops

    def _do_while(self, node: ast.While) -> None:
        b = self.builder
        test, body, otherwise, end = (
            b.fresh(each) for each in ("test", "body", "otherwise", "end")
        )
        b.start_block(test)
        forever = isinstance(node.test, ast.Constant) and bool(node.test.value)
        if forever:
            b.terminate(f"br label %{body}")
        else:
            b.branch(self.truth(node.test), body, otherwise)
        before = set(b.assigned)
        b.place_block(body)
        loop = self._loop_body(lambda: self.block(node.body), test, end)
        b.terminate(f"br label %{test}")
        if forever:
            self._leave_endless(loop)
        else:
            self._leave(node.orelse, otherwise, loop, before)

    def _leave_endless(self, loop: _Loop) -> None:
        """Continue after a loop that only `break` leaves."""
        if loop.breaks:
            self.builder.place_block(loop.end)
            self.builder.assigned = set.intersection(*loop.breaks)

    def _leave(self, orelse: list[ast.stmt], otherwise: str, loop: _Loop, before: set[str]) -> None:
        b = self.builder
        b.place_block(otherwise)
        b.assigned = set(before)
        self.block(orelse)
        ended = b.terminated
        b.terminate(f"br label %{loop.end}")
        if ended and not loop.breaks:
            return
        b.place_block(loop.end)
        b.assigned = set.intersection(*([] if ended else [b.assigned]), *loop.breaks)

    def _do_for(self, node: ast.For) -> None:
        self._loop(node.target, node.iter, lambda: self.block(node.body), node.orelse)

    def _loop(
        self,
        target: ast.expr,
        iterable: ast.expr,
        body: Callable[[], None],
        orelse: list[ast.stmt],
    ) -> None:
        """Emit a loop over a range, an array or a tuple."""
        bounds = self._range_bounds(iterable) if isinstance(target, ast.Name) else None
        if bounds is not None and isinstance(target, ast.Name):
            self._range_loop(target, bounds, body, orelse)
            return
        found = self._iterated(iterable)
        if isinstance(found, list):
            self._unrolled(target, found, iterable, body, orelse)
        else:
            self._sequence_loop(target, found, iterable, body, orelse)

    def _range_bounds(self, node: ast.expr) -> list[Value] | None:
        """Return start, stop and step if an expression is a call of `range`."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
            return None
        if self.scope.known(node.func) is not range:
            return None
        if not 1 <= len(node.args) <= 3 or node.keywords:
            raise UnsupportedError(f"range() of {len(node.args)} arguments")
        bounds = [self._integer(each) for each in node.args]
        one, zero = self.builder.constant(1), self.builder.constant(0)
        return [zero, *bounds, one] if len(bounds) == 1 else [*bounds, one][:3]

    def _range_loop(
        self,
        target: ast.Name,
        bounds: list[Value],
        body: Callable[[], None],
        orelse: list[ast.stmt],
    ) -> None:
        b = self.builder
        first, last, step = (b.scalar(each, INT) for each in bounds)
        if not bounds[2].is_constant:
            b.check(b.emit_value(f"icmp ne i64 {step}, 0"), ZERO_STEP)
        elif bounds[2].constant == 0:
            raise UnsupportedError("range() with a step of 0")
        counter = f"counter {name_of(target)}"
        test, start, more, otherwise, end = (
            b.fresh(each) for each in ("test", "body", "more", "otherwise", "end")
        )
        b.assign(counter, b.integer(first))
        b.start_block(test)
        now = b.variable(counter).operand
        b.branch(self._continues(now, last, bounds[2]), start, otherwise)
        before = set(b.assigned)
        b.place_block(start)
        b.assign(target.id, Value(INT, (now,)))
        loop = self._loop_body(body, more, end)
        b.start_block(more)
        following = self._advanced(now, step, bounds[2], otherwise)
        b.assign(counter, Value(INT, (following,)))
        b.terminate(f"br label %{test}")
        self._leave(orelse, otherwise, loop, before)

    def _loop_body(self, body: Callable[[], None], again: str, end: str) -> _Loop:
        loop = _Loop(again, end)
        self._loops.append(loop)
        body()
        self._loops.pop()
        return loop

    def _advanced(self, now: str, step: str, bound: Value, leave: str) -> str:
        """Return the next number of a range; leave the loop where it would overflow."""
        b = self.builder
        if bound.is_constant and abs(bound.constant) == 1:
            return b.emit_value(f"add nsw i64 {now}, {step}")
        pair = b.emit_value(f"call {{i64, i1}} @llvm.sadd.with.overflow.i64(i64 {now}, i64 {step})")
        fits = b.fresh("fits")
        b.branch(b.emit_value(f"extractvalue {{i64, i1}} {pair}, 1"), leave, fits)
        b.place_block(fits)
        return b.emit_value(f"extractvalue {{i64, i1}} {pair}, 0")

    def _continues(self, now: str, last: str, step: Value) -> str:
        b = self.builder
        if step.is_constant:
            how = "slt" if step.constant > 0 else "sgt"
            return b.emit_value(f"icmp {how} i64 {now}, {last}")
        upward = b.emit_value(f"icmp slt i64 {now}, {last}")
        downward = b.emit_value(f"icmp sgt i64 {now}, {last}")
        backward = b.emit_value(f"icmp slt i64 {step.operand}, 0")
        return b.select(backward, "i1", downward, upward)

    def _sequence_loop(
        self,
        target: ast.expr,
        sequence: _Sequence,
        iterable: ast.expr,
        body: Callable[[], None],
        orelse: list[ast.stmt],
    ) -> None:
        b, counter = self.builder, f"counter {name_of(target)}"
        test, start, more, otherwise, end = (
            b.fresh(each) for each in ("test", "body", "more", "otherwise", "end")
        )
        b.assign(counter, b.integer(0))
        b.start_block(test)
        now = b.variable(counter).operand
        b.branch(b.emit_value(f"icmp slt i64 {now}, {sequence.length}"), start, otherwise)
        before = set(b.assigned)
        b.place_block(start)
        self.store(target, sequence.load(now), ast.copy_location(ast.Name("item"), iterable))
        loop = self._loop_body(body, more, end)
        b.start_block(more)
        b.assign(counter, Value(INT, (b.emit_value(f"add nsw i64 {now}, 1"),)))
        b.terminate(f"br label %{test}")
        self._leave(orelse, otherwise, loop, before)

    def _unrolled(
        self,
        target: ast.expr,
        members: list[Value],
        iterable: ast.expr,
        body: Callable[[], None],
        orelse: list[ast.stmt],
    ) -> None:
        """Emit the body once for each member of a tuple."""
        b, otherwise, end = self.builder, self.builder.fresh("otherwise"), self.builder.fresh("end")
        before, breaks = set(b.assigned), []
        for member in members:
            again = b.fresh("more")
            self.store(target, member, ast.copy_location(ast.Name("item"), iterable))
            loop = self._loop_body(body, again, end)
            breaks += loop.breaks
            b.start_block(again)
            b.assigned = set(before)
        b.terminate(f"br label %{otherwise}")
        self._leave(orelse, otherwise, _Loop("", end, breaks), before)

    # What a loop can go through

    def _iterated(self, node: ast.expr) -> _Sequence | list[Value]:
        """Return an iterable as a sequence, or as the members of a tuple of different types."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            known = self.scope.known(node.func)
            if known in (range, enumerate, zip, reversed):
                return self._sequence(node)
        value = self.value(node)
        if isinstance(value.type, TupleType) and not self._is_uniform(value):
            if len(value.type.members) > MOST_UNROLLED:
                raise UnsupportedError("a loop over a long tuple of different types")
            return self.builder.members(value)
        return self._of_value(value, node)

    def _sequence(self, node: ast.expr) -> _Sequence:
        known = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            known = self.scope.known(node.func)
        if known is range:
            return self._of_range(node)
        if known in (enumerate, zip, reversed):
            assert isinstance(node, ast.Call)
            emit = {enumerate: self._enumerated, zip: self._zipped, reversed: self._reversed}
            return emit[known](node)
        return self._of_value(self.value(node), node)

    def _is_uniform(self, value: Value) -> bool:
        assert isinstance(value.type, TupleType)
        types = {INT if each is BOOL else each for each in value.type.members}
        return len(types) == 1 and types <= {INT, FLOAT}

    def _of_value(self, value: Value, node: ast.expr) -> _Sequence:
        if isinstance(value.type, TupleType):
            if not value.type.members:
                return _Sequence("0", lambda place: self.builder.constant(0))
            value = self.as_array(value, node)
        if not isinstance(value.type, ArrayType):
            raise UnsupportedError(f"a loop over {describe(value.type)}", "loop over a range")
        return self._of_array(value)

    def _of_array(self, array: Value) -> _Sequence:
        b, type_ = self.builder, array.type
        assert isinstance(type_, ArrayType)
        length, *rest = b.lengths(array)

        def load(place: str) -> Value:
            step = self.product([place, *rest, type_.element.size])
            address = b.offset(array.operand, step)
            if not rest:
                return b.load(address, type_.element)
            return b.array(ArrayType(type_.element, type_.shape[1:]), address, rest)

        return _Sequence(length, load)

    def _of_range(self, node: ast.expr) -> _Sequence:
        b, bounds = self.builder, self._range_bounds(node)
        assert bounds is not None
        length = b.scalar(self._call_function(runtime.range_length, bounds, {}), INT)
        first, _, step = (b.scalar(each, INT) for each in bounds)

        def load(place: str) -> Value:
            return Value(INT, (b.emit_value(f"add i64 {first}, {self.product([place, step])}"),))

        return _Sequence(length, load)

    def _enumerated(self, node: ast.Call) -> _Sequence:
        b = self.builder
        given = [*node.args[1:], *(each.value for each in node.keywords)]
        if not node.args or len(given) > 1 or any(each.arg != "start" for each in node.keywords):
            raise UnsupportedError(f"`{ast.unparse(node)}` cannot be compiled")
        inner = self._sequence(node.args[0])
        start = b.scalar(self._integer(given[0]), INT) if given else "0"
        return _Sequence(
            inner.length,
            lambda place: b.tuple_of(
                [b.integer(b.arithmetic("add", start, place)), inner.load(place)]
            ),
        )

    def _zipped(self, node: ast.Call) -> _Sequence:
        b = self.builder
        if node.keywords or not node.args:
            raise UnsupportedError(
                f"`{ast.unparse(node)}` cannot be compiled", "leave out keywords"
            )
        inner = [self._sequence(each) for each in node.args]
        length = inner[0].length
        for each in inner[1:]:
            shorter = b.emit_value(f"icmp slt i64 {each.length}, {length}")
            length = b.select(shorter, "i64", each.length, length)
        return _Sequence(length, lambda place: b.tuple_of([each.load(place) for each in inner]))

    def _reversed(self, node: ast.Call) -> _Sequence:
        if len(node.args) != 1 or node.keywords or self._is_iterator(node.args[0]):
            raise UnsupportedError(
                f"`{ast.unparse(node)}` cannot be compiled", "reverse an array, a tuple or a range"
            )
        b, inner = self.builder, self._sequence(node.args[0])
        last = b.emit_value(f"sub i64 {inner.length}, 1")
        return _Sequence(
            inner.length, lambda place: inner.load(b.emit_value(f"sub i64 {last}, {place}"))
        )

    def _is_iterator(self, node: ast.expr) -> bool:
        """Return whether an expression is an iterator, which Python cannot reverse."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return False
        return self.scope.known(node.func) in (enumerate, zip, reversed)

    def _do_break(self, node: ast.Break) -> None:
        loop = self._loops[-1]
        loop.breaks.append(set(self.builder.assigned))
        self.builder.terminate(f"br label %{loop.end}")

    def _do_continue(self, node: ast.Continue) -> None:
        self.builder.terminate(f"br label %{self._loops[-1].again}")

    # Reductions over a generator

    def reduce(self, function: Any, node: ast.Call) -> Value:
        """Emit any, all, sum, min or max of a generator as a loop."""
        generator = node.args[0]
        assert isinstance(generator, ast.GeneratorExp)
        (first, *more) = generator.generators
        if more or len(node.args) > 1 or node.keywords or not isinstance(first.target, ast.Name):
            raise UnsupportedError(f"`{ast.unparse(node)}` cannot be compiled", "write a loop")
        b, name = self.builder, f"result {name_of(node)}"
        inner = f"{first.target.id} of {name_of(generator)}"
        renamed = _Renamed(first.target.id, inner)
        element, *tests = (
            renamed.visit(copy.deepcopy(each)) for each in (generator.elt, *first.ifs)
        )
        outer, self.scope = self.scope, Scope(self.scope.local | {inner}, self.scope._names)
        empty = f"empty {name_of(node)}"
        if function in (min, max):
            b.assign(empty, b.constant(True))
        else:
            b.assign(name, b.constant({any: False, all: True, sum: 0}[function]))

        def body() -> None:
            skip = b.fresh("skip")
            for test in tests:
                kept = b.fresh("kept")
                b.branch(self.truth(test), kept, skip)
                b.place_block(kept)
            self._accumulate(function, name, empty, element)
            b.start_block(skip)

        target = ast.copy_location(ast.Name(inner), first.target)
        try:
            self._loop(target, first.iter, body, [])
        finally:
            self.scope = outer
        if function in (min, max):
            some = b.scalar(b.variable(empty), INT)
            message = f"ValueError: {function.__name__}() iterable argument is empty"
            b.check(b.emit_value(f"icmp eq i64 {some}, 0"), message)
            b.assigned.add(name)
        return b.variable(name)

    def _accumulate(self, function: Any, name: str, empty: str, element: ast.expr) -> None:
        b = self.builder
        if function in (any, all):
            found, after = b.fresh("found"), b.fresh("after")
            truth = self.truth(element)
            b.branch(truth, *((found, after) if function is any else (after, found)))
            b.place_block(found)
            b.assign(name, b.constant(function is any))
            self._do_break(ast.Break())
            b.place_block(after)
            return
        value = self.value(element)
        if function is sum:
            if value.type is FLOAT:
                raise UnsupportedError("sum() adds integers only", "write a loop")
            b.assign(name, self.operation(ast.Add(), b.variable(name), value))
            return
        if not isinstance(value.type, ScalarType):
            raise UnsupportedError(f"{function.__name__}() of {describe(value.type)}")
        self._keep_best(function, name, empty, value)

    def _keep_best(self, function: Any, name: str, empty: str, value: Value) -> None:
        b = self.builder
        first, other, keep, after = (b.fresh(each) for each in ("first", "other", "keep", "after"))
        b.branch(b.variable(empty).operand, first, other)
        b.place_block(first)
        b.assign(empty, b.constant(False))
        b.terminate(f"br label %{keep}")
        b.place_block(other)
        if name in b.types:
            b.assigned.add(name)
            how = ast.Lt() if function is min else ast.Gt()
            b.branch(self.compare(how, value, b.variable(name)), keep, after)
        else:
            b.changed = True  # its type is known from the next pass on
            b.terminate(f"br label %{keep}")
        b.place_block(keep)
        b.assign(name, value)
        b.start_block(after)


class _Renamed(ast.NodeTransformer):
    """Renames the variable of a generator so that it cannot clash with the function's variables."""

    def __init__(self, before: str, after: str) -> None:
        self._before, self._after = before, after

    def visit_Name(self, node: ast.Name) -> ast.Name:  # called by its class
        if node.id == self._before:
            return ast.copy_location(ast.Name(self._after, node.ctx), node)
        return node


ZERO_STEP = "ValueError: range() arg 3 must not be zero"
