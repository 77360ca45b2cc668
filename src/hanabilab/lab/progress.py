"""A progress bar on standard error where someone is watching, and nothing elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

__all__ = ["Progress", "Report", "continued", "progress_bar"]

Report = Callable[[int, str], None]
"""Called with the number of games done and a few words."""

Progress = bool | Report | None
"""Whether to show a bar (None: if standard error is a terminal), or a function to call instead.

An error that such a function raises ends the work.
"""


@contextlib.contextmanager
def progress_bar(title: str, games: int | None, wanted: Progress = None) -> Iterator[Report]:
    """Show a bar while the work lasts, and provide the function to report progress to."""
    if callable(wanted):
        yield wanted
        return
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda done, words: None
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


def continued(report: Report, done: int) -> Report:
    """Return a function that reports the progress of one part after `done` games of others."""
    return lambda more, words: report(done + more, words)
