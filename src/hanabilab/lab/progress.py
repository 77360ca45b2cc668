"""Progress on standard error: a bar on a terminal, elsewhere a line every ten seconds."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

__all__ = ["Progress", "Report", "note_progress", "offset_progress", "progress_bar"]

Report = Callable[[int, str], None]
"""Called with the number of games done and a short text."""

Progress = bool | Report | None
"""True: a bar; False: nothing; None: a bar on a terminal, lines elsewhere; or a function to call.

An error raised by the function aborts the command.
"""

SECONDS_BETWEEN_LINES = 10.0
PAUSE = 1.0
"""Seconds without a report after which the next task counts as new."""


class _Log:
    """Prints a line every ten seconds, also across several short tasks."""

    def __init__(self) -> None:
        self.printed = self.reported = time.monotonic()

    def start(self) -> None:
        """Start a task."""
        now = time.monotonic()
        if now - self.reported > PAUSE:
            self.printed = now
        self.reported = now

    def write(self, text: str) -> None:
        """Print a line, unless one was printed in the last ten seconds."""
        self.reported = now = time.monotonic()
        if now - self.printed >= SECONDS_BETWEEN_LINES:
            self.printed = now
            print(text, file=sys.stderr, flush=True)


_LOG = _Log()


def note_progress(text: str) -> None:
    """Print a line: each one on a terminal, elsewhere one every ten seconds."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)
    else:
        _LOG.write(text)


@contextlib.contextmanager
def progress_bar(title: str, games: int | None, wanted: Progress = None) -> Iterator[Report]:
    """Show a progress bar, and provide the function that updates it."""
    if callable(wanted):
        yield wanted
        return
    if wanted is False:
        yield lambda done, words: None
        return
    if wanted is None and not sys.stderr.isatty():
        _LOG.start()
        of_all = "" if games is None else f" of {games:,}"
        yield lambda done, words: _LOG.write(
            f"{title}: {done:,}{of_all}; {words}".removesuffix("; ")
        )
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[words]}"),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=games, words="")
        yield lambda done, words: bar.update(task, completed=done, words=words)


def offset_progress(report: Report, done: int) -> Report:
    """Return a function that adds `done` games of earlier parts to what it reports."""
    return lambda more, words: report(done + more, words)
