"""Progress on standard error: a bar on a terminal, elsewhere a line every ten seconds."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

__all__ = ["Progress", "Report", "note_progress", "offset_progress", "progress_bar"]

Report = Callable[[int, str], None]
"""Called with the number of games done and a few words."""

Progress = bool | Report | None
"""True: a bar; False: nothing; None: a bar on a terminal, lines elsewhere; or a function to call.

An error that such a function raises ends the work.
"""

SECONDS_BETWEEN_LINES = 10.0
PAUSE = 1.0
"""Seconds without a report after which the next work counts as new."""


class _Log:
    """Lines about work that takes long: one every ten seconds, also over several short works."""

    def __init__(self) -> None:
        self.said = self.heard = time.monotonic()

    def begin(self) -> None:
        """Begin a work."""
        now = time.monotonic()
        if now - self.heard > PAUSE:
            self.said = now
        self.heard = now

    def say(self, text: str) -> None:
        """Print a line, unless the last one was printed a moment ago."""
        self.heard = now = time.monotonic()
        if now - self.said >= SECONDS_BETWEEN_LINES:
            self.said = now
            print(text, file=sys.stderr, flush=True)


_LOG = _Log()


def note_progress(text: str) -> None:
    """Print every line on a terminal, and elsewhere one every ten seconds."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)
    else:
        _LOG.say(text)


@contextlib.contextmanager
def progress_bar(title: str, games: int | None, wanted: Progress = None) -> Iterator[Report]:
    """Show a bar while the work lasts, and provide the function to report progress to."""
    if callable(wanted):
        yield wanted
        return
    if wanted is False:
        yield lambda done, words: None
        return
    if wanted is None and not sys.stderr.isatty():
        _LOG.begin()
        of_all = "" if games is None else f" of {games:,}"
        yield lambda done, words: _LOG.say(f"{title}: {done:,}{of_all}; {words}".removesuffix("; "))
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
    """Return a function that reports the progress of one part after `done` games of others."""
    return lambda more, words: report(done + more, words)
