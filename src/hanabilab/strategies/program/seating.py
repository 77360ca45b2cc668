"""The processes of one program: every seat has its own, which plays one game after another."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from hanabilab.core.record import Record
from hanabilab.errors import StrategyError
from hanabilab.strategies.program.conversation import CommandLine, Conversation

__all__ = ["Seating"]


@dataclass(frozen=True, slots=True)
class Sitting:
    """A process in a game."""

    conversation: Conversation
    thread: threading.Thread
    """Who plays the game."""
    forgotten: weakref.finalize[Any, Any]
    """What happens if nobody plays it any more."""


class Seating:
    """Which of a program's processes sits where.

    A process that has finished a game waits for the next one in the same seat. All of them end
    with this object, or with Python.
    """

    def __init__(self, command: CommandLine) -> None:
        self.command = command
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._busy: dict[int, Sitting] = {}
        self._idle: dict[int, list[Conversation]] = {}
        self._halted: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        weakref.finalize(self, _end_all, self._busy, self._idle)

    def take(self, seat: int, game: Record) -> int:
        """Seat a process and return its number; it is stopped when `game` is forgotten."""
        thread = threading.current_thread()
        with self._lock:
            waiting = self._idle.get(seat)
            found = waiting.pop() if waiting else Conversation(self.command)
            number = next(self._numbers)
            forgotten = weakref.finalize(game, _stop_one, self._busy, number)
            self._busy[number] = Sitting(found, thread, forgotten)
            late = thread in self._halted
        if late:
            self.halt([thread])
        return number

    def __getitem__(self, number: int) -> Conversation:
        """Return the conversation of a seat that was taken."""
        sitting = self._busy.get(number)
        if sitting is None:
            raise StrategyError("the game was stopped")
        return sitting.conversation

    def leave(self, number: int, seat: int) -> None:
        """Let a process wait for its next game."""
        with self._lock:
            sitting = self._busy.pop(number, None)
            if sitting:
                sitting.forgotten.detach()
                self._idle.setdefault(seat, []).append(sitting.conversation)

    def halt(self, threads: Collection[threading.Thread]) -> None:
        """Stop the processes in games of these threads, which can play no other game."""
        with self._lock:
            self._halted.update(threads)
            left = [number for number in self._busy if self._busy[number].thread in threads]
        for number in left:
            _stop_one(self._busy, number)


def _stop_one(busy: dict[int, Sitting], number: int) -> None:
    sitting = busy.pop(number, None)
    if sitting:
        sitting.forgotten.detach()
        sitting.conversation.process.stop(farewell=False)


def _end_all(busy: dict[int, Sitting], idle: dict[int, list[Conversation]]) -> None:
    """End those in a game at once, and let the others say goodbye, all at the same time."""
    for number in list(busy):
        _stop_one(busy, number)
    waiting = [conversation.process for seat in idle.values() for conversation in seat]
    for process in waiting:
        process.hang_up()
    for process in waiting:
        process.stop(farewell=True)
