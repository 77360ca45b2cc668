"""How commands end when they are asked to."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

__all__ = ["ending_like_ctrl_c"]


@contextlib.contextmanager
def ending_like_ctrl_c() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does at that moment, unless it is ignored or handled already."""
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
