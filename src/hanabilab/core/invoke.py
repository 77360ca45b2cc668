"""Calls by address and resets of memories, for loops that receive functions and memories.

An interpreted loop holds functions and records. A compiled loop holds their addresses, and the
compiler turns each operation into one call or one copy. A failure of the called function propagates
to its caller, interpreted as an exception and compiled as a status.
"""

from __future__ import annotations

from typing import Any

from hanabilab.core.record import assign

__all__ = ["indirect_call", "indirect_notify", "reset", "snapshot"]


def indirect_call(function: Any, *arguments: Any) -> int:
    """Call a function and return the integer that it returns."""
    answer: int = function(*arguments)
    return answer


def indirect_notify(function: Any, *arguments: Any) -> None:
    """Call a function that returns nothing."""
    function(*arguments)


def reset(memory: Any, template: Any, words: int, stream: int) -> None:
    """Reset a memory to its template and set its first field, the random stream.

    `words` is its length in 64-bit words, which is all that compiled code knows about it.
    """
    vars(memory).clear()  # whatever a strategy left there
    assign(memory, template)
    memory.stream = stream


def snapshot(source: Any, buffer: Any) -> Any:
    """Return a copy of a record; compiled code writes it into `buffer` and returns that."""
    return source.copy()
