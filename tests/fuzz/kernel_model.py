"""A model of what compiled kernels do: interpreted Python that stops where checks stop.

An instrumented copy of a module runs in Python and raises `CheckedError` at the first value that
the kernel language does not have: an integer beyond 63 bits, a computed negative index, a shift by
more than 63 bits, a function that ends without its value. Nothing else differs from Python.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["CheckedError", "GaveUpError", "Model", "instrumented"]

MOST_STEPS = 3000
"""Iterations of all loops of a run; a run with more is abandoned."""
MOST_BITS = 4096


class CheckedError(Exception):
    """A check of the kernel language does not hold; carries the name of its error."""


class GaveUpError(Exception):
    """The run takes too long."""


OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
NAMES = {kind.__name__: compute for kind, compute in OPERATORS.items()}


class Model:
    """What instrumented code calls; `strict` says whether checks stop it."""

    def __init__(self) -> None:
        self.strict, self.steps = True, 0

    def fail(self, error: str) -> None:
        """Stop with the error of a check, if the model is strict."""
        if self.strict:
            raise CheckedError(error)

    def operate(self, name: str, one: Any, other: Any) -> Any:
        """Return the result of an operation."""
        integers = isinstance(one, int) and isinstance(other, int)
        if integers:
            self._check_operands(name, int(one), int(other))
        found = NAMES[name](one, other)
        if isinstance(found, complex):
            self.fail("ValueError")
        return self.result(found)

    def _check_operands(self, name: str, one: int, other: int) -> None:
        if name in ("LShift", "RShift") and other > 63:
            self.fail("OverflowError")
        if name == "Div" and other and max(abs(one), abs(other)) > 1 << 53:
            self.fail("OverflowError")
        if name == "Pow" and other < 0:
            self.fail("ValueError")
        if name == "Pow" and abs(one) > 1 and other > 63:
            self.fail("OverflowError")
        if name in ("LShift", "Pow") and other > MOST_BITS and abs(one) > 1:
            raise GaveUpError

    def result(self, value: Any) -> Any:
        """Return a value; fail if it is an integer beyond 63 bits."""
        if isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 63:
                self.fail("OverflowError")
            if value.bit_length() > MOST_BITS:
                raise GaveUpError
        elif type(value) is tuple:
            for each in value:
                self.result(each)
        return value

    def index(self, value: Any) -> Any:
        """Return a computed index; fail if it is negative."""
        if isinstance(value, int) and value < 0:
            self.fail("IndexError")
        return value

    def ended(self) -> None:
        """Fail at the end of a function that returns values."""
        self.fail("TypeError")

    def sum(self, values: Iterable[Any], start: Any = 0) -> Any:
        """Add up, with every partial sum checked."""
        for value in values:
            start = self.result(start + value)
        return start

    def enumerate(self, values: Iterable[Any], start: int = 0) -> Iterator[tuple[int, Any]]:
        """Count, with every number checked."""
        for value in self.sequence(values):
            yield self.result(start), value
            start += 1

    def zip(self, *values: Any) -> Iterator[Any]:
        """Go through several sequences together."""
        return zip(*map(self.sequence, values), strict=False)

    def reversed(self, values: Any) -> Iterator[Any]:
        """Go through a sequence backwards."""
        found: Iterator[Any] = reversed(self.sequence(values))
        return found

    def sequence(self, values: Any) -> Any:
        """Return a sequence; fail if it is a range whose length does not fit."""
        if (
            isinstance(values, range)
            and values
            and (values[-1] - values[0]) // values.step + 1 >> 63
        ):
            self.fail("OverflowError")
        return values

    def each(self, values: Iterable[Any]) -> Iterator[Any]:
        """Go through values, up to a limit of all loops."""
        for value in values:
            self.step()
            yield value

    def step(self) -> None:
        """Count an iteration."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise GaveUpError


def instrumented(source: str, model: Model) -> dict[str, Any]:
    """Run a module with its kernels instrumented; return its names."""
    tree = ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            _Instrument().visit(node)
    ast.fix_missing_locations(tree)
    names: dict[str, Any] = {"__name__": "model", "model": model, "math": math}
    exec(compile(tree, "<model>", "exec"), names)
    return names


CHECKED_CALLS = {"abs", "int", "round", "divmod", "drop_lowest", "floor", "ceil"}


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    function = ast.Attribute(ast.Name("model", ast.Load()), name, ast.Load())
    return ast.Call(function, list(arguments), [])


class _Instrument(ast.NodeTransformer):
    """Rewrites operations to calls of the model."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        if any(isinstance(each, ast.Return) and each.value for each in ast.walk(node)):
            node.body.append(ast.Expr(_call("ended")))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return _call("operate", ast.Constant(type(node.op).__name__), node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return node if isinstance(node.op, ast.Not) else _call("result", node)

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """Evaluate the place once, then load, compute and store, as Python does."""
        before: list[ast.stmt] = []
        target, value = node.target, self.visit(node.value)
        if not isinstance(target, ast.Name):
            before.append(_stored("owner_", self.visit(target.value)))
            owner = ast.Name("owner_", ast.Load())
            if isinstance(target, ast.Subscript):
                before.append(_stored("index_", self._index(target.slice)))
                index = ast.Name("index_", ast.Load())
                target = ast.Subscript(owner, index, ast.Store())
            else:
                target = ast.Attribute(owner, target.attr, ast.Store())
        load = ast.parse(ast.unparse(target), mode="eval").body
        found = _call("operate", ast.Constant(type(node.op).__name__), load, value)
        return [*before, ast.Assign([target], found)]

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        node.value = self.visit(node.value)
        slices = isinstance(node.slice, ast.Slice)
        node.slice = self.visit(node.slice) if slices else self._index(node.slice)
        return node

    def _index(self, node: ast.expr) -> ast.expr:
        """Check an index that is not a literal."""
        literal = node.operand if isinstance(node, ast.UnaryOp) else node
        return node if isinstance(literal, ast.Constant) else _call("index", self.visit(node))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in ("sum", "enumerate", "zip", "reversed"):
            node.func = ast.Attribute(ast.Name("model", ast.Load()), name, ast.Load())
        elif name == "pow":
            return _call("operate", ast.Constant("Pow"), *node.args)
        return _call("result", node) if name in CHECKED_CALLS else node

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        node.iter = _call("each", node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.iter = _call("each", node.iter)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_call("step")))
        return node


def _stored(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)
