"""Long searches look up now and then: whoever waited for the answer may have left."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

__all__ = ["interruptible", "look_up"]

_mine = threading.local()


@contextlib.contextmanager
def interruptible(check: Callable[[], None]) -> Iterator[None]:
    """While this lasts, searches of this thread call `check` now and then; it may raise."""
    _mine.check = check
    try:
        yield
    finally:
        del _mine.check


def look_up() -> None:
    """Give whoever waits the chance to say that nobody does."""
    check: Callable[[], None] | None = getattr(_mine, "check", None)
    if check is not None:
        check()
