"""Standard input and output as they come: in any encoding, closed, or on a full disk."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
import unicodedata
from typing import TextIO

__all__ = ["can_show", "complain", "explain", "prepare_streams", "settle_streams"]

STREAMS = {"stdin": "r", "stdout": "w", "stderr": "w"}

PLAIN = "hanabilab-plain"
"""Our way of handling characters that an encoding does not have."""
USUAL_ERRORS = {"strict", "surrogateescape", "backslashreplace"}
"""Python's own ways; any other was chosen by the user."""

SPELLED = {
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
    """Let nothing that is printed fail for its letters, nor a file take the place of a stream."""
    for name, mode in STREAMS.items():
        if getattr(sys, name) is None:  # closed, and its number free for the next file
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115
    codecs.register_error(PLAIN, _spell_out)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in USUAL_ERRORS:
            stream.reconfigure(errors=PLAIN)


def _spell_out(error: UnicodeError) -> tuple[str, int]:
    """Write characters that cannot be encoded in ASCII."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(map(_in_ascii, text)), error.end


def _in_ascii(letter: str) -> str:
    if letter in SPELLED:
        return SPELLED[letter]
    base = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    if base:
        return base
    name = unicodedata.name(letter, "")
    if name.startswith("GREEK ") and " LETTER " in name:
        spelled = name.split(" LETTER ")[1].split()[0]
        return spelled.lower() if "SMALL" in name else spelled.capitalize()
    return letter.encode("ascii", "backslashreplace").decode()


def can_show(text: str) -> bool:
    """Tell whether standard output has all these characters."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def complain(text: str) -> None:
    """Print a line on standard error, if anybody listens there."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def explain(error: OSError) -> str:
    """Say in a few words what could not be read or written."""
    where = error.filename or ("" if _flushes(sys.stdout) else "standard output")
    return f"{where}: {error.strerror or error}" if where else str(error.strerror or error)


def settle_streams(code: int) -> int:
    """Write what still waits, or drop it, so that Python ends quietly; return the exit code."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        if code == 0:
            complain(f"hanabilab: {explain(error)}")
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
    """Let a stream that cannot be written lead nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
