"""Progress messages of the compiler, with estimates of the time that a compilation takes.

Each compilation records its duration beside the machine code, so that the next compilation of the
same function on this machine can be announced with a true estimate. A function that was never
compiled here is estimated from its length.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hanabilab.core.code_cache import cache_folder

__all__ = ["PendingCompilation", "announced", "due", "usual_seconds"]

PATIENCE = 0.7
"""Seconds before a compilation is announced."""
LINES_PER_SECOND = 6_000
"""Lines of LLVM IR compiled per second, measured on a cloud server."""
FIRST_GUESS = 1.0
"""Estimated seconds where not even the length is known."""


@dataclass(frozen=True, slots=True)
class PendingCompilation:
    """The functions to compile before something can run, with an estimate in seconds."""

    what: tuple[str, ...]
    seconds: float

    def __bool__(self) -> bool:
        return bool(self.what)

    def __str__(self) -> str:
        return f"{' and '.join(self.what)}: usually {said(self.seconds)}"


def due(missing: Iterable[str]) -> PendingCompilation:
    """Estimate the compilation of the functions with these names."""
    names = tuple(missing)
    return PendingCompilation(names, sum(map(usual_seconds, names)))


def usual_seconds(what: str, lines: int | None = None) -> float:
    """Return how long the last compilation took, or an estimate if there was none."""
    times = _times()
    if what in times:
        return times[what]
    return FIRST_GUESS if lines is None else lines / LINES_PER_SECOND


def said(seconds: float) -> str:
    """Format a number of seconds for people."""
    return f"{max(seconds, 0.1):.{0 if seconds >= 9.5 else 1}f} s"


@contextmanager
def announced(what: str) -> Iterator[Callable[[int], None]]:
    """Announce a compilation on standard error if it takes noticeably long; record its duration.

    Call the yielded function with the number of lines of LLVM IR once it is known.
    """
    done = threading.Event()
    lines: list[int] = []

    def report() -> None:
        if done.wait(PATIENCE):
            return
        usually = said(usual_seconds(what, lines[0] if lines else None))
        line = f"compiling {what} (once for this version; usually {usually}) ..."
        print(line, file=sys.stderr, flush=True)

    threading.Thread(target=report, daemon=True).start()
    start = time.thread_time()
    try:
        yield lines.append
    finally:
        done.set()
    _note(what, time.thread_time() - start)


def _times() -> dict[str, float]:
    """Return the durations recorded for this version, or else for the version used last."""
    here = cache_folder() / "times.json"
    with suppress(OSError):
        for path in (here, *sorted(here.parent.parent.glob("*/times.json"), key=_age)):
            if found := _read(path):
                return found
    return {}


def _age(path: Path) -> float:
    return -path.stat().st_mtime


def _read(path: Path) -> dict[str, float]:
    with suppress(OSError, ValueError, AttributeError):
        noted = json.loads(path.read_text(encoding="utf-8")).items()
        return {what: float(seconds) for what, seconds in noted}
    return {}


def _note(what: str, seconds: float) -> None:
    path = cache_folder() / "times.json"
    noted = json.dumps({**_times(), what: round(seconds, 3)})
    part = path.with_name(f"times.{threading.get_ident()}")
    try:
        part.write_text(noted, encoding="utf-8")
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
