"""Programs in any language as strategies (docs/reference/protocol.md).

Every seat has its own process, which plays one game after another and receives, as lines of JSON,
what a strategy would be shown. `ProtocolClient` speaks the protocol with one process, `ProcessPool`
assigns processes to seats, and `from_program` turns them into a strategy.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import threading
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, TypeVar

from hanabilab.core.record import Record
from hanabilab.errors import HanabiError, StrategyError
from hanabilab.formats.protocol import (
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
from hanabilab.game.rules_record import rules_of
from hanabilab.game.state import GOING_ON, View
from hanabilab.strategies.program_process import (
    Process,
    kill_children_on_signals,
    kill_descendants,
)
from hanabilab.strategies.strategy import About, Memory, Option, RuleSupport, Strategy

__all__ = ["EXEC", "from_command", "from_program"]

EXEC = "exec:"
TIME_LIMIT = 60.0
LIMIT = Option(default=TIME_LIMIT, least=0.001, most=86_400, help="seconds for each action")
SETTING = re.compile(r"([A-Za-z][\w-]*)=(.*)", re.DOTALL)
GREETING_TIME = 10.0
"""Seconds for a program to start and to greet, unless the limit for an action is longer."""

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class ProgramCommand:
    """How to start a program, and the options passed to it."""

    words: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the program in messages."""
        return EXEC + shlex.join(self.words)


class ProtocolClient:
    """Speaks the protocol with one process."""

    def __init__(self, command: ProgramCommand) -> None:
        self.command = command
        self.process = Process(command.words)
        self._rules: Rules
        self._event_views: bool | None = None
        """Whether the program wants a view with each event; None before the greeting."""

    def start(self, view: View, stream: int, seconds: float) -> None:
        """Start a game, after the greeting if it is the first one."""
        if self._event_views is None:
            self._event_views = self._guarded(lambda: self._greet(max(seconds, GREETING_TIME)))
        self._rules = rules_of(view.rules)
        message = start_message(view, self._rules, stream, self.command.options)
        self._guarded(lambda: self.process.send(write_line(message)))

    def act(self, view: View, seconds: float) -> int:
        """Ask for an action and return its number."""

        def ask() -> int:
            line = self.process.ask(write_line(turn_message(view)), seconds)
            return read_action(read_line(line, "action"), view, self._rules)

        return self._guarded(ask)

    def see(self, view: View, event: Event) -> None:
        """Send a turn, and the end of the game if that turn ended it."""
        lines = write_line(event_message(view, event, with_view=bool(self._event_views)))
        if view.end != GOING_ON:
            lines += write_line(end_message(view))
        self._guarded(lambda: self.process.send(lines))

    def _greet(self, seconds: float) -> bool:
        answer = read_line(self.process.ask(write_line(hello_message()), seconds), "hello")
        check_version(answer)
        return answer.get("event_views") is True

    def _guarded(self, exchange: Callable[[], Answer]) -> Answer:
        """Exchange messages; stop the process after an error or Ctrl-C: it may be out of step."""
        try:
            return exchange()
        except HanabiError as error:
            self.process.stop(graceful=False)
            raise StrategyError(f"{error}{self.process.stderr_tail()}") from None
        except BaseException:
            self.process.stop(graceful=False)
            raise


@dataclass(frozen=True, slots=True)
class BusyProcess:
    """A process that is playing a game."""

    client: ProtocolClient
    thread: threading.Thread
    """The thread that runs the game."""
    abandoned: weakref.finalize[Any, Any]
    """Stops the process if the game is abandoned."""


class ProcessPool:
    """The processes of one program: busy ones by game, idle ones by seat.

    A process that has finished a game waits for the next one in the same seat. All processes end
    with this object, or with Python.
    """

    def __init__(self, command: ProgramCommand) -> None:
        self.command = command
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._busy: dict[int, BusyProcess] = {}
        self._idle: dict[int, list[ProtocolClient]] = {}
        self._halted: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        weakref.finalize(self, _end_all, self._busy, self._idle)

    def acquire(self, seat: int, game: Record) -> int:
        """Assign a process to a seat; return its number. It is stopped if `game` is abandoned."""
        thread = threading.current_thread()
        with self._lock:
            waiting = self._idle.get(seat)
            client = waiting.pop() if waiting else ProtocolClient(self.command)
            number = next(self._numbers)
            abandoned = weakref.finalize(game, _stop_one, self._busy, number)
            self._busy[number] = BusyProcess(client, thread, abandoned)
            late = thread in self._halted
        if late:
            self.halt([thread])
        return number

    def __getitem__(self, number: int) -> ProtocolClient:
        """Return the client of a busy process."""
        found = self._busy.get(number)
        if found is None:
            raise StrategyError("the game was stopped")
        return found.client

    def release(self, number: int, seat: int) -> None:
        """Make a process idle after its game."""
        with self._lock:
            found = self._busy.pop(number, None)
            if found:
                found.abandoned.detach()
                self._idle.setdefault(seat, []).append(found.client)

    def halt(self, threads: Collection[threading.Thread]) -> None:
        """Stop the processes in games of these threads, which can play no further game."""
        with self._lock:
            self._halted.update(threads)
            left = [number for number in self._busy if self._busy[number].thread in threads]
        for number in left:
            _stop_one(self._busy, number)


def _stop_one(busy: dict[int, BusyProcess], number: int) -> None:
    found = busy.pop(number, None)
    if found:
        found.abandoned.detach()
        found.client.process.stop(graceful=False)


def _end_all(busy: dict[int, BusyProcess], idle: dict[int, list[ProtocolClient]]) -> None:
    """Stop busy processes at once; let idle ones exit by themselves, all at the same time."""
    for number in list(busy):
        _stop_one(busy, number)
    waiting = [client.process for seat in idle.values() for client in seat]
    for process in waiting:
        process.close_input()
    for process in waiting:
        process.stop(graceful=True)
    kill_descendants([process.token for process in waiting])


class ProgramMemory(Memory):
    """The number of the process that plays, and how long it may think."""

    process: int
    time_limit: float


@dataclass(frozen=True, slots=True)
class ProgramStrategy(Strategy):
    """A strategy whose players are processes."""

    pool: ProcessPool = field(kw_only=True)

    @property
    def label(self) -> str:
        """The command with the chosen options, in the syntax of the command line.

        On a page, which accepts no commands, it is the name under which it was registered.
        """
        command = self.pool.command
        limit = [f"time-limit={value:g}" for value in self.chosen.values()]
        if self.name != command.name:
            return ":".join([self.name, *limit])
        options = [f"{name}={value}" for name, value in command.options.items()]
        return EXEC + shlex.join([*limit, *options, *command.words])

    def halt(self, threads: Collection[Thread]) -> None:
        """Stop the processes in games of these threads."""
        self.pool.halt(threads)


def from_program(
    words: str | Sequence[str],
    *,
    time_limit: float = TIME_LIMIT,
    options: Mapping[str, object] | None = None,
) -> Strategy:
    """Return a strategy whose players are processes (docs/reference/protocol.md).

    `words` is the command, split like a shell command unless it is a list; no shell is involved.
    Every seat has its own process, started when a game needs it and ended with the strategy. Each
    action may take `time_limit` seconds; `options` are passed on to the program.
    """
    split = tuple(_split(words) if isinstance(words, str) else map(str, words))
    if not split:
        raise StrategyError(f"{EXEC} which program? write {EXEC}COMMAND")
    if os.name != "posix":
        raise StrategyError(f"{EXEC} programs can play only on Linux, macOS and the like")
    told = {name: str(value) for name, value in (options or {}).items()}
    pool = ProcessPool(ProgramCommand(split, told))
    return _strategy_of(pool).with_options(time_limit=time_limit)


def from_command(text: str) -> Strategy:
    """Return the strategy of ``exec:[OPTION=VALUE …] PROGRAM [ARGUMENT …]``.

    The option ``time-limit`` is ours; the others are the program's. This is for command lines: if
    SIGTERM or SIGHUP ends Python, the processes end too.
    """
    words = _split(text.removeprefix(EXEC))
    options: dict[str, Any] = {}
    while words and (setting := SETTING.fullmatch(words[0])):
        options[setting[1]] = setting[2]
        del words[0]
    limit = options.pop("time-limit", TIME_LIMIT)
    kill_children_on_signals()
    return from_program(words, time_limit=limit, options=options)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise StrategyError(f"{EXEC}{text}: {error}") from None


def _strategy_of(pool: ProcessPool) -> Strategy:
    def begin(view: View, memory: ProgramMemory) -> int:
        memory.process = pool.acquire(view.observer, memory)
        pool[memory.process].start(view, memory.stream, memory.time_limit)
        return 0

    def act(view: View, memory: ProgramMemory) -> int:
        """Ask a program."""
        return pool[memory.process].act(view, memory.time_limit)

    def observe(view: View, event: Event, memory: ProgramMemory) -> None:
        pool[memory.process].see(view, event)
        if view.end != GOING_ON:
            pool.release(memory.process, view.observer)

    return ProgramStrategy(
        pool.command.name,
        act,
        observe,
        begin,
        memory=ProgramMemory,
        options={"time_limit": LIMIT},
        external=True,
        support=RuleSupport(special_hints=True),
        about=About(source="a program"),
        pool=pool,
    )
