"""The decorators that mark functions for compilation.

A kernel is a plain Python function. A call runs it interpreted, so a debugger can step through it;
`hanabilab.core.compiler` compiles the same function for the loops that play millions of games.
Nothing is compiled until such a loop needs it.

docs/reference/kernels.md defines what a kernel may contain.
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
"""All kernels."""

INLINED: set[Callable[..., Any]] = set()
"""Kernels that are always inlined into their callers."""


COLD: set[Callable[..., Any]] = set()
"""Kernels that are never inlined into their callers."""


def kernel(function: Function) -> Function:
    """Mark a function that can also run compiled."""
    KERNELS.add(function)
    return function


def inlined(function: Function) -> Function:
    """Inline a kernel into each of its callers; for steps of a turn that are called in few places.

    A call costs about twenty instructions.
    """
    INLINED.add(function)
    return function


def cold(function: Function) -> Function:
    """Never inline a kernel: code for unusual rules must not slow down the usual ones.

    Inlined code competes for registers even when it does not run.
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
