"""Programs in any language as strategies: they are shown what a strategy is shown, as JSON."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

from hanabilab.errors import StrategyError
from hanabilab.game.actions import Event
from hanabilab.game.state import GOING_ON
from hanabilab.game.view import View
from hanabilab.strategies.program.conversation import EXEC, CommandLine
from hanabilab.strategies.program.process import end_before_python
from hanabilab.strategies.program.seating import Seating
from hanabilab.strategies.strategy import Memory, Option, Strategy

__all__ = ["EXEC", "TIME_LIMIT", "from_command", "from_program"]

TIME_LIMIT = 60.0
LIMIT = Option(default=TIME_LIMIT, least=0.001, most=86_400, help="seconds for each action")
SETTING = re.compile(r"([A-Za-z][\w-]*)=(.*)", re.DOTALL)


class Seated(Memory):
    """The number of the process that plays, and how long it may think."""

    process: int
    time_limit: float


@dataclass(frozen=True, slots=True)
class ProgramStrategy(Strategy):
    """A strategy whose players are processes."""

    seating: Seating = field(kw_only=True)

    @property
    def label(self) -> str:
        """The command with the chosen options, as the command line takes it.

        On a page, which takes no commands, it is the name it was registered with.
        """
        command = self.seating.command
        limit = [f"time-limit={value:g}" for value in self.chosen.values()]
        if self.name != command.name:
            return ":".join([self.name, *limit])
        options = [f"{name}={value}" for name, value in command.options.items()]
        return EXEC + shlex.join([*limit, *options, *command.words])

    def halt(self, threads: Collection[Thread]) -> None:
        """Stop the processes in games of these threads."""
        self.seating.halt(threads)


def from_program(
    words: str | Sequence[str],
    *,
    time_limit: float = TIME_LIMIT,
    options: Mapping[str, object] | None = None,
) -> Strategy:
    """Return a strategy whose players are processes (docs/reference/protocol.md).

    `words` is the command, split like a shell command unless it is a list; no shell reads it. Every
    seat has a process of its own, started when a game needs it and ended with the strategy. Each
    action may take `time_limit` seconds; `options` are passed on to the program.
    """
    split = tuple(_split(words) if isinstance(words, str) else map(str, words))
    if not split:
        raise StrategyError(f"{EXEC} which program? write {EXEC}COMMAND")
    if os.name != "posix":
        raise StrategyError(f"{EXEC} programs can play only on Linux, macOS and the like")
    told = {name: str(value) for name, value in (options or {}).items()}
    seating = Seating(CommandLine(split, told))
    return _seated(seating).with_options(time_limit=time_limit)


def from_command(text: str) -> Strategy:
    """Return the strategy of ``exec:[OPTION=VALUE …] PROGRAM [ARGUMENT …]``.

    The option ``time-limit`` is ours, the others are the program's. This is for command lines: if
    Python is told to end by SIGTERM or SIGHUP, the processes end too.
    """
    words = _split(text.removeprefix(EXEC))
    options: dict[str, Any] = {}
    while words and (setting := SETTING.fullmatch(words[0])):
        options[setting[1]] = setting[2]
        del words[0]
    limit = options.pop("time-limit", TIME_LIMIT)
    end_before_python()
    return from_program(words, time_limit=limit, options=options)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise StrategyError(f"{EXEC}{text}: {error}") from None


def _seated(seating: Seating) -> Strategy:
    def begin(view: View, memory: Seated) -> int:
        memory.process = seating.take(view.observer, memory)
        seating[memory.process].start(view, memory.stream, memory.time_limit)
        return 0

    def act(view: View, memory: Seated) -> int:
        """Ask a program."""
        return seating[memory.process].act(view, memory.time_limit)

    def observe(view: View, event: Event, memory: Seated) -> None:
        seating[memory.process].see(view, event)
        if view.end != GOING_ON:
            seating.leave(memory.process, view.observer)

    return ProgramStrategy(
        seating.command.name,
        act,
        observe,
        begin,
        memory=Seated,
        options={"time_limit": LIMIT},
        any_touching=True,
        source="a program",
        elsewhere=True,
        seating=seating,
    )
