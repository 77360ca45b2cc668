"""The one decorator for code that can be compiled.

A kernel is a plain Python function. Calling it runs it interpreted, where a debugger can step
through it; `hanabilab.core.compiler` compiles the same function for the loops that play millions
of games. Nothing is compiled until such a loop is needed.

What a kernel may contain is defined in docs/reference/kernels.md.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["COLD", "INLINED", "KERNELS", "PACKAGE", "cold", "in_package", "inlined", "kernel"]

PACKAGE = Path(__file__).resolve().parents[1]

Function = TypeVar("Function", bound=Callable[..., Any])

KERNELS: set[Callable[..., Any]] = set()
"""Every kernel."""

INLINED: set[Callable[..., Any]] = set()
"""The kernels that are compiled into each of their callers."""


COLD: set[Callable[..., Any]] = set()
"""The kernels that are never compiled into their callers."""


def kernel(function: Function) -> Function:
    """Mark a function that can also run compiled."""
    KERNELS.add(function)
    return function


def inlined(function: Function) -> Function:
    """Compile a kernel into each of its callers: one of a turn's many steps, called in few places.

    A call takes about as long as twenty instructions.
    """
    INLINED.add(function)
    return function


def cold(function: Function) -> Function:
    """Keep a kernel out of its callers: code for unusual rules must not slow down the usual ones.

    Whatever is inlined into a turn competes for its registers, executed or not.
    """
    COLD.add(function)
    return function


def in_package(function: Callable[..., Any]) -> bool:
    """Return whether a function is defined in this package."""
    code = getattr(function, "__code__", None)
    return code is not None and _is_inside(code.co_filename)


@functools.cache
def _is_inside(path: str) -> bool:
    """Return whether a file belongs to this package."""
    return Path(path).resolve().is_relative_to(PACKAGE)
