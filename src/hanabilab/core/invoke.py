"""Calls of functions, and restarts of memories, that a loop is handed.

Interpreted, the loop holds functions and records. Compiled, it holds addresses, and
`hanabilab.core.intrinsics` turns each of these into one call or one copy.
"""

from __future__ import annotations

from typing import Any

from hanabilab.core.record import assign

__all__ = ["ask", "call", "restart", "snapshot", "tell", "whole_or"]


def ask(function: Any, first: Any, memory: Any) -> int:
    """Call a function of a record and a memory, and return its answer."""
    answer: int = function(first, memory)
    return answer


def tell(function: Any, first: Any, second: Any, memory: Any) -> None:
    """Call a function of two records and a memory."""
    function(first, second, memory)


def call(function: Any, record: Any, number: int) -> int:
    """Call a function of a record and a number for its answer.

    What is called by its address is compiled by itself, once, and not again with every caller.
    """
    answer: int = function(record, number)
    return answer


def restart(memory: Any, template: Any, words: int, stream: int) -> None:
    """Reset a memory to its template and set its first field, the stream of random numbers.

    `words` is its length in 64-bit words, all that compiled code knows about it.
    """
    vars(memory).clear()  # whatever a strategy left there
    assign(memory, template)
    memory.stream = stream


def snapshot(source: Any, room: Any) -> Any:
    """Return a copy of a record; compiled, write it into `room` and return that."""
    return source.copy()


def whole_or(answer: Any, otherwise: int) -> int:
    """Return an answer if it is a whole number, else `otherwise`."""
    return answer if type(answer) is int else otherwise
