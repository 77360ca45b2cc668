"""Dependencies of a user's kernel: the functions it reaches and the values they name.

A digest of all of these names the cache file. Within a process, compiled code is used only while
every name still has the value with which it was compiled.
"""

from __future__ import annotations

import builtins
import dis
import enum
import hashlib
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from hanabilab.core.kernel import in_package

__all__ = ["Dependencies"]

DEEPEST = 3
"""How deep attributes of modules and classes are followed."""


class Dependencies:
    """Everything that a kernel's machine code depends on outside the package."""

    def __init__(self, function: FunctionType) -> None:
        self.functions: list[FunctionType] = []
        self._facts: list[str] = []
        self._complete = True
        self._values: list[tuple[Callable[[], Any], Any]] = []
        self._follow(function)

    @property
    def digest(self) -> str:
        """A digest of everything, or the empty string if a value has no stable representation."""
        text = "\n".join(self._facts)
        return hashlib.sha256(text.encode()).hexdigest()[:24] if self._complete else ""

    def are_current(self) -> bool:
        """Return whether every name still has the value that it had."""
        return all(_is_same(look_up(), value) for look_up, value in self._values)

    def _follow(self, function: FunctionType) -> None:
        """Add a function and everything that it names."""
        if function in self.functions:
            self._facts.append(f"again {self.functions.index(function)}")
            return
        self.functions.append(function)
        code = function.__code__
        self._values.append((lambda: function.__code__, code))
        self._values.append((lambda: function.__defaults__, function.__defaults__))
        self._add_code(code)
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self._add("default", value, frozenset(), 0)
        names = frozenset(_names(code))
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._add_looked_up(name, lambda cell=cell: cell.cell_contents, names)  # type: ignore[misc]
        for name in sorted(names):
            if name in function.__globals__ or hasattr(builtins, name):
                self._add_looked_up(name, _global(function, name), names)

    def _add_looked_up(self, name: str, look_up: Callable[[], Any], names: frozenset[str]) -> None:
        try:
            value = look_up()
        except ValueError:  # a cell that is still empty
            return
        self._values.append((look_up, value))
        self._add(name, value, names, 0)

    def _add_code(self, code: CodeType) -> None:
        """Add the code of a function and its location, which messages name."""
        place = (code.co_filename, code.co_firstlineno, code.co_linetable.hex())
        parts = (code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, *place)
        self._facts.append(repr(parts))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._add_code(constant)
            else:
                self._facts.append(repr(constant))

    def _add(self, name: str, value: Any, names: frozenset[str], depth: int) -> None:
        """Add a value that a function names; `names` may be attributes of it."""
        if isinstance(value, FunctionType):
            self._facts.append(f"{name} {value.__module__}.{value.__qualname__}")
            if not in_package(value):
                self._follow(value)
        elif isinstance(value, enum.Enum):
            self._facts.append(f"{name} = {value!r} {value.value!r}")
        elif isinstance(value, ModuleType | BuiltinFunctionType | type):
            self._facts.append(f"{name} is {getattr(value, '__name__', value)}")
            if depth < DEEPEST and not isinstance(value, BuiltinFunctionType):
                self._add_attributes(name, value, names, depth)
        elif _is_plain(value):
            self._facts.append(f"{name} = {value!r}")
        else:
            self._complete = False

    def _add_attributes(self, name: str, owner: Any, names: frozenset[str], depth: int) -> None:
        for attribute in sorted(names & frozenset(dir(owner))):
            value = getattr(owner, attribute)
            if isinstance(value, FunctionType) and in_package(value):
                continue
            if isinstance(value, FunctionType | ModuleType | type) or _is_plain(value):
                self._values.append((_attribute(owner, attribute), value))
                self._add(f"{name}.{attribute}", value, names, depth + 1)


def _global(function: FunctionType, name: str) -> Callable[[], Any]:
    def look_up() -> Any:
        found = function.__globals__.get(name, _is_same)
        return getattr(builtins, name, None) if found is _is_same else found

    return look_up


def _attribute(owner: Any, name: str) -> Callable[[], Any]:
    return lambda: getattr(owner, name, None)


def _names(code: CodeType) -> Iterator[str]:
    """Yield each global name and attribute that code uses, including inner functions."""
    for instruction in dis.get_instructions(code):
        if instruction.opcode in dis.hasname:
            yield str(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, complex, str, bytes)


def _is_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    return type(one) is type(other) and _is_plain(one) and repr(one) == repr(other)
