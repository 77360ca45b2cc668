"""The one decorator of compiled code.

A kernel is a plain Python function. Calling it runs it interpreted, where a debugger can step
through it; `hanabilab.core.native` compiles the same function for the loops that play millions
of games. Nothing is compiled, and Numba is not even imported, before such a loop is asked for.

What a kernel may use: integers, floats, records (`hanabilab.core.record`), sequences of
integers, other kernels and module constants. It never raises, and integers stay below 2**63 in
size, so that both ways of running it give the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["KERNELS", "kernel"]

Function = TypeVar("Function", bound=Callable[..., Any])

KERNELS: list[Callable[..., Any]] = []
"""Every kernel, in the order of definition; `native` makes them known to Numba."""


def kernel(function: Function) -> Function:
    """Mark a function as one that can also run compiled."""
    KERNELS.append(function)
    return function
