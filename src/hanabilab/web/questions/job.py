"""A question that is being answered, as the one who answers it sees it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from hanabilab.game.rules import Rules
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.compilation import compilation_due
from hanabilab.table.play import seat
from hanabilab.web.messages import JsonObject

__all__ = ["Job", "announce_compilation"]

PAUSE = 0.2
"""Seconds between two reports of progress."""

Tell = Callable[[JsonObject], None]


class Job:
    """Takes reports of progress; nobody has to ask it whether to stop, a process is just ended."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._told = 0.0
        self.total: int | None = None
        """The amount of work, if it is known."""
        self.so_far: Callable[[], JsonObject] | None = None
        """Makes the answer to give if the time is up now; None if there is none yet."""

    def status(self, words: str) -> None:
        """Report what is being done."""
        self._tell({"type": "status", "words": words})

    def report(self, done: int, words: str) -> None:
        """Report progress."""
        self.show(done, words, None)

    def show(self, done: int, words: str, result: Callable[[], JsonObject] | None) -> None:
        """Report progress with the result so far."""
        now = time.monotonic()
        if now < self._told + PAUSE:
            return
        self._told = now
        message: JsonObject = {
            "type": "progress",
            "done": done,
            "total": self.total,
            "words": words,
        }
        if result is not None:
            message["result"] = result()
        self._tell(message)


def announce_compilation(job: Job, rules: Rules, teams: Sequence[Sequence[Strategy]]) -> None:
    """Report what must be compiled before these teams can play, and how long that usually takes."""
    for team in teams:
        seated = seat(list(team), rules.players)
        for strategy in seated:
            strategy.check(rules)
        if due := compilation_due(rules, seated):
            job.status(f"compiling {due}")
