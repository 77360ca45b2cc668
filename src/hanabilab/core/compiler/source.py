"""The source of a kernel as a syntax tree."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import marshal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

from hanabilab.core.compiler.types import UnsupportedError

__all__ = ["definition_of"]


def definition_of(function: FunctionType, *, verify: bool) -> ast.FunctionDef:
    """Return the definition of a function; raise `UnsupportedError` if it cannot be found.

    With `verify`, check that the file still defines the function that Python has imported.
    """
    code = function.__code__
    if code.co_name == "<lambda>":
        raise UnsupportedError("a lambda cannot be compiled", "define the kernel with def")
    for node in ast.walk(_parsed(_text_of(function))):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            first = node.decorator_list[0] if node.decorator_list else node
            if first.lineno == code.co_firstlineno:
                if verify:
                    _check_unchanged(function)
                return node
        if isinstance(node, ast.AsyncFunctionDef) and node.name == function.__name__:
            raise UnsupportedError("an async function cannot be compiled", "remove `async`")
    raise UnsupportedError(CHANGED)


CHANGED = (
    "the source of this kernel has changed since it was imported; "
    "reload the module, or restart Python"
)


def _text_of(function: FunctionType) -> str:
    """Return the text of the file or the cell that defines a function."""
    file = function.__code__.co_filename
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file, function.__globals__)) or _text_at_prompt(function)
    if not text:
        raise UnsupportedError(
            f"the source of `{function.__name__}` cannot be read",
            "define the kernel in a file or a notebook; this Python keeps no source of what is "
            "typed at its prompt or passed to exec()",
        )
    return text


@contextmanager
def _silently() -> Iterator[None]:
    """Suppress warnings that Python already gave when it imported the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _text_at_prompt(function: FunctionType) -> str:
    """Return the source typed at a prompt, if this Python keeps it (3.13 and newer)."""
    try:
        return "".join(inspect.findsource(function)[0])
    except (OSError, TypeError):
        return ""


@functools.lru_cache(maxsize=256)
def _parsed(text: str) -> ast.Module:
    try:
        with _silently():
            return ast.parse(text)
    except SyntaxError as error:
        raise UnsupportedError(CHANGED) from error


def _check_unchanged(function: FunctionType) -> None:
    """Raise if the file on disk no longer defines the function that Python runs."""
    for code in _code_objects(_text_of(function)):
        if _signature(code) == _signature(function.__code__):
            return
    if not any(name.startswith("@py") for name in function.__code__.co_varnames):  # pytest's own
        raise UnsupportedError(CHANGED)


@functools.lru_cache(maxsize=256)
def _code_objects(text: str) -> list[CodeType]:
    with _silently():
        found = [compile(text, "<kernel>", "exec", dont_inherit=True)]
    for code in found:
        found += [each for each in code.co_consts if isinstance(each, CodeType)]
    return found


def _signature(code: CodeType) -> tuple[Any, ...]:
    """Return the properties in which a running function and its source must agree."""
    constants = tuple(_text(each) for each in code.co_consts if not isinstance(each, CodeType))
    return (
        code.co_name,
        code.co_firstlineno,
        code.co_code,
        code.co_names,
        code.co_varnames,
        constants,
    )


def _text(constant: Any) -> str:
    try:
        return repr(constant)
    except ValueError:  # an integer of thousands of digits
        return repr(marshal.dumps(constant, 2))
