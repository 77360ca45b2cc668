"""What a kernel from outside the package reaches: the functions it calls, and the values it uses.

Machine code depends on all of this, so its digest names the folder where the code is kept; where
something cannot be followed, nothing is kept.
"""

from __future__ import annotations

import builtins
import dis
import enum
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from hanabilab.core.kernel import KERNELS, is_ours
from hanabilab.errors import KernelError

__all__ = ["Place", "Reach", "names_used", "reach"]

CANNOT_RUN_COMPILED = {
    "print": "`print` cannot run compiled; `hanabilab play` runs your strategy interpreted and "
    "shows what it prints",
    "objmode": "`objmode` cannot be used in a kernel, which never calls back into Python",
}
CALLED_WITH = {2: ("view", "memory"), 3: ("view", "event", "memory")}


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a function."""

    function: FunctionType
    line: int

    def error(self, *explanation: str) -> KernelError:
        """Return an error that shows this line and says what is wrong with it."""
        import linecache

        file = self.function.__code__.co_filename
        text = linecache.getline(file, self.line).strip()
        where = f"{file}, line {self.line}, in {self.function.__name__}:"
        return KernelError("\n".join([where, *([f"    {text}"] if text else []), *explanation]))


@dataclass(slots=True)
class Reach:
    """The functions from outside that a kernel calls, itself first, and a digest of everything."""

    functions: list[FunctionType] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    complete: bool = True

    @property
    def digest(self) -> str:
        """A digest of all that the machine code depends on; empty if that is not known."""
        text = "\n".join(self.facts)
        return hashlib.sha256(text.encode()).hexdigest()[:24] if self.complete else ""

    def check(self, arguments: int) -> None:
        """Raise if it takes another number of arguments, or uses what cannot run compiled."""
        entry = self.functions[0]
        names = entry.__code__.co_varnames[: entry.__code__.co_argcount]
        if len(names) != arguments:
            written, given = ", ".join(names), ", ".join(CALLED_WITH[arguments])
            raise Place(entry, entry.__code__.co_firstlineno).error(
                f"{entry.__name__}({written}) is called with {arguments} arguments: {given}"
            )
        for function in self.functions:
            for name, line in names_used(function.__code__):
                if name in CANNOT_RUN_COMPILED and name not in function.__code__.co_varnames:
                    raise Place(function, line).error(CANNOT_RUN_COMPILED[name])

    def follow(self, function: FunctionType) -> None:
        """Add a function and everything that it names."""
        if function in self.functions:
            self.facts.append(f"again {self.functions.index(function)}")
            return
        self.functions.append(function)
        cells = function.__closure__ or ()
        code = function.__code__
        enclosed = dict(zip(code.co_freevars, cells, strict=True))
        self._add_code(code)
        for value in function.__defaults__ or ():
            self._add("default", value)
        for name, cell in enclosed.items():
            self._add(name, cell.cell_contents)
        names = dict.fromkeys(name for name, _ in names_used(code))
        for name in names:
            if name in function.__globals__:
                value = function.__globals__[name]
            elif hasattr(builtins, name):
                value = getattr(builtins, name)
            else:
                continue  # the name of an attribute, or a mistake that Numba reports
            self._add(name, value)
            if isinstance(value, ModuleType):
                for attribute in names:
                    if hasattr(value, attribute):
                        self._add(f"{name}.{attribute}", getattr(value, attribute))

    def _add_code(self, code: CodeType) -> None:
        parts = (code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars)
        self.facts.append(repr(parts))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._add_code(constant)
            else:
                self.facts.append(repr(constant))

    def _add(self, name: str, value: Any) -> None:
        """Add a value that a function names."""
        inner = getattr(value, "py_func", value)  # a function that Numba compiles itself
        if isinstance(inner, FunctionType):
            options = getattr(value, "targetoptions", "")
            self.facts.append(f"{name} {inner.__module__}.{inner.__qualname__} {options}")
            if not is_ours(inner) and not _is_from_a_library(inner):
                self.follow(inner)
        elif isinstance(value, ModuleType | BuiltinFunctionType | type):
            self.facts.append(f"{name} is {getattr(value, '__name__', value)}")
        elif isinstance(value, enum.Enum):
            self.facts.append(f"{name} = {value!r} {value.value!r}")
        elif _is_plain(value):
            self.facts.append(f"{name} = {value!r}")
        elif hasattr(value, "dtype") and hasattr(value, "tobytes"):
            self.facts.append(f"{name} = {value.dtype} {value.shape} {value.tobytes().hex()}")
        else:
            self.complete = False


def reach(function: FunctionType) -> Reach:
    """Return what a kernel reaches."""
    found = Reach()
    found.follow(function)
    return found


def names_used(code: CodeType) -> Iterator[tuple[str, int]]:
    """Yield each global name and attribute that code uses, with its line; inner functions too."""
    for instruction in dis.get_instructions(code):
        if instruction.opcode in dis.hasname:
            line = instruction.positions.lineno if instruction.positions else None
            yield str(instruction.argval), line or code.co_firstlineno
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_used(constant)


def _is_from_a_library(function: Callable[..., Any]) -> bool:
    """Tell whether it is part of Numba or NumPy, which the name of the folder covers."""
    return function.__module__.partition(".")[0] in ("numba", "numpy") and function not in KERNELS


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, complex, str, bytes)
