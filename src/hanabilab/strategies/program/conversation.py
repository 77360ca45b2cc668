"""The conversation with a program that sits in one seat, game after game."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from hanabilab.errors import HanabiError, StrategyError
from hanabilab.formats.protocol.messages import (
    check_version,
    end_message,
    event_message,
    hello_message,
    read_action,
    read_line,
    start_message,
    turn_message,
    write_line,
)
from hanabilab.game.actions import Event
from hanabilab.game.rules import Rules
from hanabilab.game.state import GOING_ON, rules_of
from hanabilab.game.view import View
from hanabilab.strategies.program.process import Process

__all__ = ["EXEC", "CommandLine", "Conversation"]

EXEC = "exec:"
STARTING = 10.0
"""Seconds that a program has to start and to greet, if it does not have more for an action."""

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """How to start a program, and the options to tell it."""

    words: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The program as messages call it."""
        return EXEC + shlex.join(self.words)


class Conversation:
    """A process that speaks the protocol."""

    def __init__(self, command: CommandLine) -> None:
        self.command = command
        self.process = Process(command.words)
        self._rules: Rules
        self._event_views: bool | None = None
        """Does the program want a view with each event? None before the greeting."""

    def start(self, view: View, stream: int, seconds: float) -> None:
        """Start a game, after the greeting if it is the first one."""
        if self._event_views is None:
            self._event_views = self._guarded(lambda: self._greet(max(seconds, STARTING)))
        self._rules = rules_of(view)
        message = start_message(view, self._rules, stream, self.command.options)
        self._guarded(lambda: self.process.send(write_line(message)))

    def act(self, view: View, seconds: float) -> int:
        """Ask for an action and return its number."""

        def ask() -> int:
            line = self.process.ask(write_line(turn_message(view)), seconds)
            return read_action(read_line(line, "action"), view, self._rules)

        return self._guarded(ask)

    def see(self, view: View, event: Event) -> None:
        """Tell what happened, and the end of the game if it was that."""
        lines = write_line(event_message(view, event, with_view=bool(self._event_views)))
        if view.end != GOING_ON:
            lines += write_line(end_message(view))
        self._guarded(lambda: self.process.send(lines))

    def _greet(self, seconds: float) -> bool:
        answer = read_line(self.process.ask(write_line(hello_message()), seconds), "hello")
        check_version(answer)
        return answer.get("event_views") is True

    def _guarded(self, talk: Callable[[], Answer]) -> Answer:
        """Talk; after an error or Ctrl-C the process is stopped, since it may be out of step."""
        try:
            return talk()
        except HanabiError as error:
            self.process.stop(farewell=False)
            raise StrategyError(f"{error}{self.process.last_words()}") from None
        except BaseException:
            self.process.stop(farewell=False)
            raise
