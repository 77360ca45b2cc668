"""Kernels as LLVM functions: statements, calls of other kernels, entries for C."""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

from hanabilab.core import bits
from hanabilab.core.compiler.builder import Builder
from hanabilab.core.compiler.builtin import BUILTINS, DECLARATIONS, drop_lowest
from hanabilab.core.compiler.expressions import Expressions
from hanabilab.core.compiler.kinds import (
    BOOL,
    INT,
    NOTHING,
    ArrayKind,
    Kind,
    NumberKind,
    RecordKind,
    UnknownError,
    Value,
    joined,
    parts,
)
from hanabilab.core.compiler.llvm import deposits_quickly
from hanabilab.core.kernel import INLINED, KERNELS

__all__ = ["Program"]

PLAIN = (bits.drop_lowest, bits.spread, bits.spread_bytes)
"""Functions that are compiled from their source like kernels."""


class Program:
    """Functions that call each other, each once for each combination of kinds of arguments."""

    def __init__(self) -> None:
        self._functions: dict[tuple[Any, tuple[Kind, ...]], tuple[str, Kind]] = {}
        self._texts: list[str] = []
        self._kernels: set[Any] = {*KERNELS, *PLAIN}

    def __str__(self) -> str:
        deposit = "declare i64 @llvm.x86.bmi.pdep.64(i64, i64)" if deposits_quickly() else ""
        return "\n".join([DECLARATIONS, deposit, *self._texts])

    def add(self, function: Any, kinds: Sequence[Kind]) -> tuple[str, Kind]:
        """Compile a function, if it is not there yet; return its name and what it returns."""
        key = function, tuple(kinds)
        if key not in self._functions:
            name = f"@{function.__name__}.{len(self._functions)}"
            self._functions[key] = name, NOTHING  # keeps its place: numbers are given once
            writer = _Function(self, function, kinds)
            self._functions[key] = name, writer.result or NOTHING
            self._texts.append(writer.text(name))
        return self._functions[key]

    def add_entry(self, name: str, function: Any, kinds: Sequence[Kind]) -> str:
        """Add a function for C, which takes numbers and addresses; return what it returns."""
        inside, result = self.add(function, kinds)
        b = Builder()
        given = [part for kind in kinds for part in _given(kind)]
        names = [f"%given{place}" for place in range(len(given))]
        operands = iter(names)
        passed = [each for kind in kinds for each in _taken(b, kind, operands)]
        types = [part for kind in kinds for part in parts(kind)]
        call = f"call {_returned(result)} {inside}({_pairs(types, passed)})"
        if not isinstance(result, NumberKind):
            raise UnknownError(f"an entry that returns {result}")
        returned = INT if result is BOOL else result
        if returned is NOTHING:
            b.do(call)
            b.end("ret void")
        else:
            answer = b.number(Value(result, (b.get(call),)), returned)
            b.end(f"ret {returned.llvm} {answer}")
        head = f'define {returned.llvm} @"{name}"({_pairs(given, names)}) nounwind {{'
        self._texts.append("\n".join([head, *b.lines, "}"]))
        return returned.name

    def call(self, b: Builder, function: Any, arguments: list[Value]) -> Value:
        """Call whatever a kernel may call."""
        if function in BUILTINS:
            return BUILTINS[function](b, *arguments)
        if isinstance(function, type) and hasattr(function, "_fields"):
            return b.tuple_of(arguments, function)
        if function is bits.drop_lowest and deposits_quickly():
            return drop_lowest(b, *arguments)
        if function is bits.spread and _of_bytes(arguments[2]):
            function = bits.spread_bytes
        if not isinstance(function, FunctionType) or function not in self._kernels:
            raise UnknownError(f"{function!r} is not a kernel")
        name, result = self.add(function, [argument.kind for argument in arguments])
        types = [part for argument in arguments for part in parts(argument.kind)]
        operands = [each for argument in arguments for each in argument.operands]
        call = f"call {_returned(result)} {name}({_pairs(types, operands)})"
        if result is NOTHING:
            b.do(call)
            return Value(NOTHING, ())
        answer = b.get(call)
        if len(parts(result)) == 1:
            return Value(result, (answer,))
        taken = [
            b.get(f"extractvalue {_returned(result)} {answer}, {place}")
            for place in range(len(parts(result)))
        ]
        return Value(result, tuple(taken))


class _Function:
    """One kernel for one combination of kinds of arguments."""

    def __init__(self, program: Program, function: Any, kinds: Sequence[Kind]) -> None:
        self.builder = Builder()
        self.result: Kind | None = None
        names = {**vars(builtins), **function.__globals__}
        self._expressions = Expressions(
            self.builder, names, lambda called, given: program.call(self.builder, called, given)
        )
        self._manner = "nounwind alwaysinline" if function in INLINED else "nounwind"
        self._loops: list[tuple[str, str]] = []
        self._kinds = list(kinds)
        self._module = function.__module__
        self._definition = _definition(function)
        self._parameters = [argument.arg for argument in self._definition.args.args]
        if len(self._parameters) != len(self._kinds):
            raise UnknownError(f"{function.__name__} of {len(kinds)} arguments")
        try:
            self._write()
            while self.builder.changed:
                self.builder.restart()
                self._write()
        except UnknownError as error:
            raise UnknownError(f"{function.__module__}.{function.__name__}: {error}") from error
        self.result = self.result or NOTHING

    def text(self, name: str) -> str:
        """Return the finished function."""
        assert self.result is not None
        types = [part for kind in self._kinds for part in parts(kind)]
        given = [f"%given{place}" for place in range(len(types))]
        taken = _pairs(types, given)
        head = f"define internal {_returned(self.result)} {name}({taken}) {self._manner} {{"
        return "\n".join([head, *self.builder.rooms, *self.builder.lines, "}"])

    def _write(self) -> None:
        b, place = self.builder, 0
        for name, kind in zip(self._parameters, self._kinds, strict=True):
            count = len(parts(kind))
            b.set(name, Value(kind, tuple(f"%given{place + each}" for each in range(count))))
            place += count
        self._block(self._definition.body)
        b.end("ret void" if self.result in (None, NOTHING) else "unreachable")

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.builder.finished:
                return
            found: Callable[[Any], None] | None = getattr(
                self, f"_{type(statement).__name__.lower()}", None
            )
            if found is None:
                raise UnknownError(f"`{ast.unparse(statement)}`")
            self.builder.source = f"{self._module}, line {statement.lineno}"
            found(statement)

    def _expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self._expressions.value(node.value)

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _assign(self, node: ast.Assign) -> None:
        value = self._expressions.value(node.value)
        for target in node.targets:
            self._store(target, value)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._store(node.target, self._expressions.value(node.value))

    def _augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            before = self._expressions.value(ast.Name(node.target.id))
            after = self._expressions.operation(
                node.op, before, self._expressions.value(node.value)
            )
            self.builder.set(node.target.id, after)
            return
        address, cell = self._expressions.place(node.target)
        before = self.builder.load(address, cell)
        after = self._expressions.operation(node.op, before, self._expressions.value(node.value))
        self.builder.store(address, cell, after)

    def _store(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.builder.set(target.id, value)
        elif isinstance(target, ast.Tuple):
            for each, member in zip(target.elts, self.builder.members(value), strict=True):
                self._store(each, member)
        else:
            self.builder.store(*self._expressions.place(target), value)

    def _return(self, node: ast.Return) -> None:
        b = self.builder
        if node.value is None:
            self._returns(NOTHING)
            b.end("ret void")
            return
        value = self._expressions.value(node.value)
        kind = self._returns(value.kind)
        value = b.cast(value, kind)
        types, returned = parts(kind), value.operand
        if len(types) > 1:
            returned = "undef"
            for place, pair in enumerate(zip(types, value.operands, strict=True)):
                line = f"insertvalue {_returned(kind)} {returned}, {' '.join(pair)}, {place}"
                returned = b.get(line)
        b.end(f"ret {_returned(kind)} {returned}")

    def _returns(self, kind: Kind) -> Kind:
        """Note what is returned; whatever was written for another kind is written again."""
        wider = kind if self.result is None else joined(self.result, kind)
        if self.result not in (None, wider):
            self.builder.changed = True
        self.result = wider
        return wider

    def _if(self, node: ast.If) -> None:
        b = self.builder
        yes, no, end = b.fresh("yes"), b.fresh("no"), b.fresh("end")
        b.branch(self._expressions.truth(node.test), yes, no)
        ended = True
        for label, statements in ((yes, node.body), (no, node.orelse)):
            b.start_at(label)
            self._block(statements)
            ended = ended and b.finished
            b.end(f"br label %{end}")
        if ended:
            return  # nothing leads to what follows
        b.start_at(end)

    def _while(self, node: ast.While) -> None:
        b = self.builder
        test, body, otherwise, end = (b.fresh(each) for each in ("test", "body", "else", "end"))
        b.start(test)
        b.branch(self._expressions.truth(node.test), body, otherwise)
        b.start_at(body)
        self._loop(node.body, test, end)
        b.end(f"br label %{test}")
        self._after(node, otherwise, end)

    def _for(self, node: ast.For) -> None:
        b, expressions = self.builder, self._expressions
        calls_range = isinstance(node.iter, ast.Call) and expressions.known(node.iter.func) is range
        if not calls_range or not isinstance(node.target, ast.Name):
            raise UnknownError(f"`for {ast.unparse(node.target)} in {ast.unparse(node.iter)}`")
        assert isinstance(node.iter, ast.Call)
        bounds = [b.number(expressions.value(each), INT) for each in node.iter.args]
        first, last, step = ["0", *bounds, "1"] if len(bounds) == 1 else [*bounds, "1"][:3]
        counter = f"count {node.lineno} {node.col_offset}"
        test, body, more, otherwise, end = (
            b.fresh(each) for each in ("test", "body", "more", "else", "end")
        )
        b.set(counter, b.integer(first))
        b.start(test)
        now = b.variable(counter).operand
        b.branch(self._goes_on(now, last, step), body, otherwise)
        b.start_at(body)
        b.set(node.target.id, b.integer(now))
        self._loop(node.body, more, end)
        b.start(more)
        b.set(counter, b.integer(b.get(f"add nsw i64 {now}, {step}")))
        b.end(f"br label %{test}")
        self._after(node, otherwise, end)

    def _goes_on(self, now: str, last: str, step: str) -> str:
        b = self.builder
        upward = b.get(f"icmp slt i64 {now}, {last}")
        if step.isdigit():
            return upward
        downward = b.get(f"icmp sgt i64 {now}, {last}")
        backward = b.get(f"icmp slt i64 {step}, 0")
        return b.get(f"select i1 {backward}, i1 {downward}, i1 {upward}")

    def _loop(self, body: list[ast.stmt], again: str, end: str) -> None:
        self._loops.append((again, end))
        self._block(body)
        self._loops.pop()

    def _after(self, node: ast.For | ast.While, otherwise: str, end: str) -> None:
        self.builder.start_at(otherwise)
        self._block(node.orelse)
        self.builder.start(end)

    def _break(self, node: ast.Break) -> None:
        self.builder.end(f"br label %{self._loops[-1][1]}")

    def _continue(self, node: ast.Continue) -> None:
        self.builder.end(f"br label %{self._loops[-1][0]}")


def _definition(function: Any) -> ast.FunctionDef:
    """Return the source of a function as a tree."""
    first = function.__code__.co_firstlineno
    for node in ast.walk(_tree(function.__code__.co_filename)):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            start = node.decorator_list[0] if node.decorator_list else node
            if start.lineno == first:
                return node
    raise UnknownError("its source, which is not there")


@functools.cache
def _tree(path: str) -> ast.Module:
    return ast.parse("".join(linecache.getlines(path)))


def _of_bytes(value: Value) -> bool:
    return (
        sys.byteorder == "little"
        and isinstance(value.kind, ArrayKind)
        and not isinstance(value.kind.element, RecordKind)
        and value.kind.element.size == 1
    )


def _returned(kind: Kind) -> str:
    """Return the LLVM type that a function returns."""
    types = parts(kind)
    return "void" if not types else types[0] if len(types) == 1 else f"{{ {', '.join(types)} }}"


def _pairs(types: list[str], operands: list[str]) -> str:
    return ", ".join(f"{part} {operand}" for part, operand in zip(types, operands, strict=True))


def _given(kind: Kind) -> list[str]:
    """Return how C passes a kind: addresses as numbers."""
    return ["i64" if part == "ptr" else part for part in parts(kind)]


def _taken(b: Builder, kind: Kind, operands: Iterator[str]) -> list[str]:
    """Return what C passed as the function takes it."""
    return [
        b.get(f"inttoptr i64 {next(operands)} to ptr") if part == "ptr" else next(operands)
        for part in parts(kind)
    ]
