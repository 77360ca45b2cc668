"""Compiles kernels and the functions they call into one LLVM module with C entry points."""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from hanabilab.core import bits
from hanabilab.core.compiler.builder import Builder, ConstantPool, pairs, struct_of
from hanabilab.core.compiler.builtins import BUILTINS, DECLARATIONS, Call
from hanabilab.core.compiler.expressions import Scope
from hanabilab.core.compiler.operators import Operators
from hanabilab.core.compiler.source import definition_of
from hanabilab.core.compiler.statements import Statements
from hanabilab.core.compiler.target import Target, host
from hanabilab.core.compiler.types import (
    BOOL,
    INT,
    VOID,
    RecordType,
    ScalarType,
    Type,
    UnsupportedError,
    Value,
    describe,
    flattened,
)
from hanabilab.core.failures import OBJECT_NUMBER, OBJECT_SHIFT, FailureTable
from hanabilab.core.kernel import COLD, INLINED, KERNELS, in_package
from hanabilab.errors import KernelError

__all__ = ["Program"]

COMPILED_FROM_SOURCE = (bits.drop_lowest_one_by_one, bits.spread_one_by_one, bits.spread_bytes)
"""Functions of `core` that are compiled like kernels."""

CANNOT_RUN_COMPILED = {
    print: "`print` cannot run compiled; `hanabilab play` runs your strategy interpreted and "
    "shows what it prints"
}


class Program:
    """The functions of one LLVM module, each compiled once per combination of argument types.

    With `checked`, the code tests at run time whatever the language cannot guarantee.
    """

    def __init__(
        self, *, checked: bool, locate_all: bool = False, target: Target | None = None
    ) -> None:
        self.target = target or host()
        self.failures = FailureTable(locate_all)
        self._checked = checked
        self._constants = ConstantPool()
        self._functions: dict[tuple[Any, tuple[Type, ...]], _Function | None] = {}
        self._texts: list[str] = []

    def __str__(self) -> str:
        number = f'@"{OBJECT_NUMBER}" = global i64 0'
        head = [DECLARATIONS, self.target.declarations, number, *self._constants.lines()]
        return "\n".join([*head, *self._texts])

    def function(self, function: Any, types: Sequence[Type]) -> _Function:
        """Compile a function for these argument types unless that has been done."""
        key = function, tuple(types)
        if key not in self._functions:
            self._functions[key] = None
            name = f"{function.__name__}.{len(self._functions)}"
            compiled = _Function(self, function, types, name)
            self._functions[key] = compiled
            self._texts.append(compiled.text())
        found = self._functions[key]
        if found is None:
            raise UnsupportedError(f"`{function.__name__}` calls itself", "write a loop")
        return found

    def builder(self, function: Any = None) -> Builder:
        """Return a builder for a function of the package or of a user."""
        trusted = function is None or in_package(function)
        return Builder(self.failures, self._constants, checked=self._checked, trusted=trusted)

    def operators(self, builder: Builder) -> Operators:
        """Return the operators, for builtins that are composed of them."""
        return Operators(builder, lambda *call: self.call(builder, *call))

    # Calls

    def call(
        self, b: Builder, function: Any, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        """Emit a call of anything that a kernel may call."""
        emit = _builtin(function)
        if emit is not None:
            return self._call_builtin(b, function, emit, arguments, keywords)
        if isinstance(function, type) and hasattr(function, "_fields"):
            return b.tuple_of(_bound_tuple(b, function, arguments, keywords), function)
        self._check_callable(function)
        values = _bound(b, function, arguments, keywords)
        callee = self.function(function, [value.type for value in values])
        types = [part for value in values for part in flattened(value.type)]
        operands = [operand for value in values for operand in value.operands]
        returned = struct_of(callee.result, can_fail=callee.can_fail)
        line = f'call {returned} @"{callee.name}"({pairs(types, operands)})'
        if returned == "void":
            b.emit(line)
            return Value(VOID, ())
        answer = b.emit_value(line)
        parts = _extracted(b, returned, answer)
        if callee.can_fail:
            b.propagate(parts.pop(), from_library=in_package(function))
        return Value(callee.result, tuple(parts))

    def _call_builtin(
        self,
        b: Builder,
        function: Any,
        emit: Any,
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> Value:
        name = getattr(function, "__name__", str(function))
        if keywords:
            raise UnsupportedError(f"{name}() takes no keywords in a kernel")
        try:
            found: Value = emit(Call(self, b), *arguments)
        except TypeError as error:
            if "positional argument" not in str(error):
                raise
            raise UnsupportedError(f"{name}() of {len(arguments)} arguments") from error
        return found

    def _check_callable(self, function: Any) -> None:
        if isinstance(function, FunctionType) and (
            function in KERNELS or function in COMPILED_FROM_SOURCE
        ):
            return
        if function in CANNOT_RUN_COMPILED:
            raise UnsupportedError(CANNOT_RUN_COMPILED[function])
        name = getattr(function, "__name__", repr(function))
        if isinstance(function, FunctionType):
            raise UnsupportedError(f"`{name}` is not a kernel: mark `{name}` with @kernel")
        if isinstance(function, type) and hasattr(function, "fields"):
            raise UnsupportedError(
                "a kernel cannot create a record", "declare one in the Memory with nested(...)"
            )
        raise UnsupportedError(f"a kernel cannot use `{name}`")

    # Entry points

    def add_entry(self, name: str, function: Any, types: Sequence[Type]) -> tuple[str, bool]:
        """Add an entry point that Python calls with the address of a record of its arguments.

        Return its result type and whether it can fail. An entry point that can fail returns the
        status and writes its result after the arguments.
        """
        callee, b = self.function(function, types), self.builder()
        result = callee.result
        if not isinstance(result, ScalarType):
            raise UnsupportedError(f"an entry point that returns {describe(result)}")
        returned = INT if result is BOOL else result
        operands, words = _unmarshal(b, types)
        parts = self._called(b, callee, types, operands)
        status = self._with_object_number(b, parts.pop()) if callee.can_fail else ""
        answer = b.scalar(Value(result, tuple(parts)), returned) if parts else ""
        if status and answer:
            b.emit(f"store {returned.llvm} {answer}, ptr {b.offset('%words', 8 * words)}")
        llvm = "i64" if status else returned.llvm
        b.terminate(f"ret {llvm} {status or answer}".rstrip())
        self._add_text(f'define {llvm} @"{name}"(ptr %words) nounwind {{', b)
        return returned.name, callee.can_fail

    def add_callback(self, name: str, function: Any, types: Sequence[Type], result: str) -> None:
        """Add a function that compiled code calls by its address.

        It returns its status, and its result if that is an integer.
        """
        _check_arguments(function, len(types))
        callee, b = self.function(function, types), self.builder()
        if result == "int" and callee.result is not INT:
            self._refuse_result(function, callee.result)
        params = [part for each in types for part in flattened(each)]
        names = [f"%given{place}" for place in range(len(params))]
        parts = self._called(b, callee, types, names)
        status = self._with_object_number(b, parts.pop()) if callee.can_fail else "0"
        if result == "int":
            pair = b.emit_value(f"insertvalue {{i64, i64}} undef, i64 {parts[0]}, 0")
            pair = b.emit_value(f"insertvalue {{i64, i64}} {pair}, i64 {status}, 1")
            b.terminate(f"ret {{i64, i64}} {pair}")
        else:
            b.terminate(f"ret i64 {status}")
        returned = "{i64, i64}" if result == "int" else "i64"
        declared = pairs(_pointers(types), names)
        self._add_text(f'define {returned} @"{name}"({declared}) nounwind {{', b)

    def _refuse_result(self, function: Any, result: Type) -> None:
        raise _located(
            function,
            function.__code__.co_firstlineno,
            f"`{function.__name__}` returns {describe(result)}; it must return the number of an "
            "action, an int",
        )

    def _called(
        self, b: Builder, callee: _Function, types: Sequence[Type], operands: list[str]
    ) -> list[str]:
        parts = [part for each in types for part in flattened(each)]
        returned = struct_of(callee.result, can_fail=callee.can_fail)
        line = f'call {returned} @"{callee.name}"({pairs(parts, operands)})'
        if returned == "void":
            b.emit(line)
            return []
        return _extracted(b, returned, b.emit_value(line))

    def _with_object_number(self, b: Builder, status: str) -> str:
        """Add this object file's number to a new failure; others carry theirs already."""
        number = b.emit_value(f'load i64, ptr @"{OBJECT_NUMBER}"')
        high = b.emit_value(f"shl i64 {number}, {OBJECT_SHIFT}")
        marked = b.emit_value(f"or i64 {status}, {high}")
        before = b.emit_value(f"sub i64 {status}, 1")
        ours = b.emit_value(f"icmp ult i64 {before}, {(1 << OBJECT_SHIFT) - 1}")
        return b.select(ours, "i64", marked, status)

    def _add_text(self, head: str, b: Builder) -> None:
        self._texts.append("\n".join([head, *map(str, b.lines), "}"]))


class _Function:
    """A kernel, compiled for one combination of argument types."""

    def __init__(self, program: Program, function: Any, types: Sequence[Type], name: str) -> None:
        self.name = name
        self._function, self._types = function, list(types)
        self._builder = program.builder(function)
        code = function.__code__
        self._builder.location = (code.co_filename, code.co_firstlineno, function.__name__)
        try:
            self._definition = definition_of(function, verify=not self._builder.trusted)
            _check_parameters(self._definition)
            self._statements = Statements(
                self._builder,
                _scope(function),
                lambda *call: program.call(self._builder, *call),
            )
            self._emit()
        except UnsupportedError as error:
            raise self._explained(error) from error
        self.result: Type = self._statements.result or VOID
        self.can_fail = self._builder.can_fail

    def _explained(self, error: UnsupportedError) -> Exception:
        """Return the error with the user's line; an error in the package gets that of the call."""
        _, line, _ = self._builder.location
        if self._builder.trusted:
            return UnsupportedError(f"{self._function.__qualname__}, line {line}: {error}")
        return _located(self._function, line, str(error))

    def text(self) -> str:
        """Return the finished function."""
        types = [part for each in self._types for part in flattened(each)]
        params = pairs(types, [f"%given{place}" for place in range(len(types))])
        returned = struct_of(self.result, can_fail=self.can_fail)
        inline = " alwaysinline" if self._function in INLINED else ""
        inline += " noinline cold" if self._function in COLD else ""
        head = f'define internal {returned} @"{self.name}"({params}) nounwind{inline} {{'
        return "\n".join([head, *self._builder.body(self.result), "}"])

    def _emit(self) -> None:
        """Emit the function repeatedly until all types are known."""
        b = self._builder
        while True:
            before = dict(b.types), self._statements.result, set(b.flagged)
            b.reset()
            self._emit_once()
            if b.unresolved and before == (b.types, self._statements.result, b.flagged):
                self._refuse_unresolved()
            if not b.unresolved and not b.changed:
                return

    def _refuse_unresolved(self) -> None:
        local = self._statements.scope.local
        names = [node for node in ast.walk(self._definition) if isinstance(node, ast.Name)]
        for node in sorted(names, key=lambda each: not isinstance(each.ctx, ast.Load)):
            if node.id in local - self._builder.types.keys():
                file, _, name = self._builder.location
                self._builder.location = (file, node.lineno, name)
                raise UnsupportedError(
                    f"`{node.id}` is never assigned a value that can be compiled"
                )
        raise UnsupportedError("the types of its variables cannot be inferred")

    def _emit_once(self) -> None:
        b, given = self._builder, iter(range(10_000))
        for name, type_ in zip(_parameters(self._definition), self._types, strict=True):
            operands = tuple(f"%given{next(given)}" for _ in flattened(type_))
            b.assign(name, Value(type_, operands))
        self._statements.block(self._definition.body)
        if b.terminated:
            return
        if self._statements.result in (None, VOID):
            b.return_([])
        elif b.checked:
            b.fail(f"TypeError: {self._function.__name__} ends without returning a value")
        else:
            b.terminate("unreachable")


def _builtin(function: Any) -> Any:
    try:
        return BUILTINS.get(function)
    except TypeError:  # not hashable
        return None


def _extracted(b: Builder, returned: str, answer: str) -> list[str]:
    """Extract the members of a function's return value."""
    if not returned.startswith("{"):
        return [answer]
    count = returned.count(",") + 1
    return [b.emit_value(f"extractvalue {returned} {answer}, {place}") for place in range(count)]


def _pointers(types: Sequence[Type]) -> list[str]:
    """Return the parameter types of a callback: pointers to distinct, fully allocated records."""
    return [
        f"ptr noalias nonnull align 8 dereferenceable({each.size})"
        if isinstance(each, RecordType)
        else part
        for each in types
        for part in flattened(each)
    ]


def _unmarshal(b: Builder, types: Sequence[Type]) -> tuple[list[str], int]:
    """Load the arguments from a record: integers first, then the others in order."""
    order = [place for place, each in enumerate(types) if each in (INT, BOOL)]
    order += [place for place, each in enumerate(types) if each not in (INT, BOOL)]
    loaded: dict[int, list[str]] = {}
    words = 0
    for place in order:
        loaded[place] = []
        for part in flattened(types[place]):
            address = b.offset("%words", 8 * words)
            loaded[place].append(b.emit_value(f"load {part}, ptr {address}"))
            words += 1
    return [operand for place in range(len(types)) for operand in loaded[place]], words


def _scope(function: Any) -> Scope:
    """Return the scope that resolves the names in a function."""
    code = function.__code__
    names = {**vars(builtins), **function.__globals__}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:
            names.pop(name, None)
    return Scope(frozenset((*code.co_varnames, *code.co_cellvars)), names)


def _parameters(node: ast.FunctionDef) -> list[str]:
    given = node.args
    return [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _check_parameters(node: ast.FunctionDef) -> None:
    if node.args.vararg or node.args.kwarg:
        raise UnsupportedError("a kernel cannot take `*args` or `**kwargs`", "name the parameters")


def _check_arguments(function: Any, count: int) -> None:
    """Raise if a strategy's function takes a different number of arguments than it is given."""
    code = function.__code__
    if code.co_argcount != count or code.co_kwonlyargcount:
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        given = {2: "view, memory", 3: "view, event, memory"}.get(count, str(count))
        raise _located(
            function,
            code.co_firstlineno,
            f"{function.__name__}({', '.join(names)}) is called with {count} arguments: {given}",
        )


def _bound(
    b: Builder, function: Any, arguments: list[Value], keywords: dict[str, Value]
) -> list[Value]:
    """Bind arguments to parameters: by position, by name, or by default."""
    code = function.__code__
    count, named = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames[: count + named]
    if len(arguments) > count:
        raise UnsupportedError(
            f"{function.__name__}() takes {count} arguments but {len(arguments)} are given"
        )
    values = dict(zip(names, arguments, strict=False))
    for name, value in keywords.items():
        if name not in names[code.co_posonlyargcount :]:
            raise UnsupportedError(f"{function.__name__}() has no parameter `{name}`")
        if name in values:
            raise UnsupportedError(f"{function.__name__}() is given `{name}` twice")
        values[name] = value
    defaults = function.__defaults__ or ()
    known = dict(zip(names[count - len(defaults) : count], defaults, strict=True))
    known |= function.__kwdefaults__ or {}
    for name in names:
        if name not in values:
            if name not in known:
                raise UnsupportedError(f"{function.__name__}() is called without `{name}`")
            values[name] = b.constant(known[name])
    return [_variable(values[name]) for name in names]


def _variable(value: Value) -> Value:
    """Return a value without its compile-time constant, which is not part of a function's types."""
    return Value(value.type, value.operands)


def _bound_tuple(
    b: Builder, named: Any, arguments: list[Value], keywords: dict[str, Value]
) -> list[Value]:
    names = named._fields
    values = dict(zip(names, arguments, strict=False)) | keywords
    for name, default in named._field_defaults.items():
        values.setdefault(name, b.constant(default))
    unknown = [name for name in (*keywords, *names) if (name in names) != (name in values)]
    if unknown or len(arguments) > len(names):
        raise UnsupportedError(f"{named.__name__}() takes {', '.join(names)}")
    return [values[name] for name in names]


def _located(function: Any, line: int, message: str) -> KernelError:
    """Return an error with the offending line of a user's kernel and the reason."""
    file = function.__code__.co_filename
    text = linecache.getline(file, line).strip()
    where = f"{file}, line {line}, in {function.__name__}:"
    return KernelError("\n".join([where, *([f"    {text}"] if text else []), message]))
