"""Let whoever waits for a long search stop it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

__all__ = ["check_interruption", "interruptible"]

_mine = threading.local()


@contextlib.contextmanager
def interruptible(check: Callable[[], None]) -> Iterator[None]:
    """Let the searches of this thread call `check` now and then; it may raise to stop them."""
    _mine.check = check
    try:
        yield
    finally:
        del _mine.check


def check_interruption() -> None:
    """Call the check of this thread, if there is one."""
    check: Callable[[], None] | None = getattr(_mine, "check", None)
    if check is not None:
        check()
