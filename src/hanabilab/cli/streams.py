"""Standard streams in any encoding, closed, or on a full disk; and SIGTERM."""

from __future__ import annotations

import _thread
import codecs
import contextlib
import io
import os
import signal
import sys
import threading
import unicodedata
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

__all__ = [
    "can_encode",
    "describe_os_error",
    "flush_streams",
    "prepare_streams",
    "print_error",
    "sigterm_as_interrupt",
]

STREAMS = {"stdin": "r", "stdout": "w", "stderr": "w"}
ERROR_HANDLER = "hanabilab-plain"
"""The name of our error handler for characters that an encoding lacks."""
DEFAULT_HANDLERS = {"strict", "surrogateescape", "backslashreplace"}
"""Python's default error handlers; any other was chosen by the user."""
TRANSLITERATIONS = {
    "±": "+-",
    "−": "-",
    "×": "x",
    "·": "*",
    "→": "->",
    "≤": "<=",
    "≥": ">=",
    "∞": "inf",
    "⋮": ":",
    "∎": "#",
    "“": '"',
    "”": '"',
    "ß": "ss",
    **dict.fromkeys("█▉▊▋▌", "#"),
    **dict.fromkeys("▍▎▏", ""),
    **dict.fromkeys("─┌┐└┘├┤┬┴┼━╸╺", "-"),
    **dict.fromkeys("│┃", "|"),
}


def prepare_streams() -> None:
    """Make sure that printing never fails on a character, and that no file replaces a stream."""
    for name, mode in STREAMS.items():
        if getattr(sys, name) is None:  # closed: the next file opened would get its descriptor
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    codecs.register_error(ERROR_HANDLER, _transliterate)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in DEFAULT_HANDLERS:
            stream.reconfigure(errors=ERROR_HANDLER)


def _transliterate(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that cannot be encoded by ASCII."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(map(_in_ascii, text)), error.end


def _in_ascii(letter: str) -> str:
    if letter in TRANSLITERATIONS:
        return TRANSLITERATIONS[letter]
    base = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    if base:
        return base
    name = unicodedata.name(letter, "")
    if name.startswith("GREEK ") and " LETTER " in name:
        spelled = name.split(" LETTER ")[1].split()[0]
        return spelled.lower() if "SMALL" in name else spelled.capitalize()
    return letter.encode("ascii", "backslashreplace").decode()


def can_encode(text: str) -> bool:
    """Return whether the encoding of standard output has all these characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def print_error(text: str) -> None:
    """Print a line on standard error, which may be closed."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def describe_os_error(error: OSError) -> str:
    """Return what could not be read or written, and why."""
    where = error.filename or ("" if _flushes(sys.stdout) else "standard output")
    return f"{where}: {error.strerror or error}" if where else str(error.strerror or error)


def flush_streams(code: int) -> int:
    """Flush the streams, or discard their buffers so that Python exits quietly; return the code."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        if code == 0:
            print_error(f"hanabilab: {describe_os_error(error)}")
            code = 2
    for stream in (sys.stdout, sys.stderr):
        if not _flushes(stream):
            _discard(stream)
    return code


def _flushes(stream: TextIO) -> bool:
    try:
        stream.flush()
    except OSError:
        return False
    return True


def _discard(stream: TextIO) -> None:
    """Redirect an unwritable stream to the null device."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@contextlib.contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Handle SIGTERM like Ctrl-C, unless it is ignored or handled already."""
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with redeliver_lost_interrupts():
            yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Act like Ctrl-C, even if SIGINT is ignored as in a background job of a script."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


REDELIVERY_DELAY = 0.01
"""Seconds after which a lost interrupt is redelivered; the finalizer should be done by then."""


@contextlib.contextmanager
def redeliver_lost_interrupts() -> Iterator[None]:
    """Redeliver a `KeyboardInterrupt` raised where Python cannot propagate it.

    Python only prints exceptions in finalizers and in callbacks of weak references. Every import
    runs such a callback, so signals are often lost while a command starts.
    """
    before = sys.unraisablehook

    def redeliver(lost: UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            before(lost)
            return
        timer = threading.Timer(REDELIVERY_DELAY, _thread.interrupt_main, (signal.SIGTERM,))
        timer.daemon = True
        timer.start()

    sys.unraisablehook = redeliver
    try:
        yield
    finally:
        sys.unraisablehook = before
