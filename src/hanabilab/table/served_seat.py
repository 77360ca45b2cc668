"""A strategy that plays a seat of an external game over the protocol of docs/reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hanabilab.core.bits import LOW_62
from hanabilab.errors import FormatError, HanabiError, RulesError, StrategyError
from hanabilab.formats.protocol import (
    action_message,
    hello_answer,
    read_event,
    read_line,
    read_view,
    write_line,
)
from hanabilab.game.rules import Rules
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Strategy

__all__ = ["ServedSeat", "conversation"]

MOST_DIGITS = 19

Message = dict[str, Any]


class ServedSeat:
    """A strategy that receives messages and answers with actions, for one game after another.

    It runs interpreted unless it is too slow for that, and plays exactly as at a table of our own:
    views are equal in every field, and its random stream is that of its seat.
    """

    def __init__(self, strategy: Strategy) -> None:
        if strategy.sees_own_hand:
            raise StrategyError(
                f"{strategy.name} looks at its own cards, which are not sent to a player"
            )
        self.strategy = strategy
        self._rules: Rules
        self._seat: Seat | None = None

    def hear(self, message: Message) -> Message | None:
        """Process a message; return the answer if one is expected."""
        kind = message["type"]
        if kind == "hello":
            return hello_answer(message, self.strategy.label, event_views=True)
        if kind == "start":
            self._start(message)
            return None
        if self._seat is None:
            raise FormatError(f"{kind}: no game has been started")
        if kind == "turn":
            view = read_view(message.get("view"), self._rules)
            return action_message(view, self._seat.act(view))
        if kind == "event":
            if "view" not in message:
                raise FormatError("event: its view is missing; the answer to hello asked for it")
            event = read_event(message.get("event"), self._rules)
            self._seat.observe(read_view(message.get("view"), self._rules), event)
        else:
            self._seat = None
        return None

    def _start(self, message: Message) -> None:
        options = message.get("options", {})
        if not isinstance(options, dict):
            raise FormatError("options: not an object")
        strategy = self.strategy.with_options(**options)
        self._rules = _read_rules(message.get("rules"))
        strategy.check(self._rules)
        view = read_view(message.get("view"), self._rules)
        stream = _read_stream(message.get("stream", "0"))
        self._seat = Seat(strategy, view.observer, stream, compiled=strategy.slow)
        self._seat.begin(view)


def conversation(strategy: Strategy, lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the answers to the lines of the other side; error messages name the line."""
    seat = ServedSeat(strategy)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            message = read_line(line, "hello", "start", "turn", "event", "end")
            answer = seat.hear(message)
        except HanabiError as error:
            raise type(error)(f"line {number}: {error}") from None
        if answer is not None:
            yield write_line(answer)


def _read_rules(data: object) -> Rules:
    if not isinstance(data, str | dict):
        raise RulesError("rules: neither an object nor the name of a preset")
    return Rules.from_dict(data)


def _read_stream(text: object) -> int:
    """Parse the start of the random stream, which is sent as text."""
    if not isinstance(text, str) or not (text.isascii() and text.isdigit()):
        raise FormatError(f"stream: {text!r:.60} is not a number as text")
    if len(text) > MOST_DIGITS or int(text) > LOW_62:
        raise FormatError(f"stream: {text:.60} is not below 2**62")
    return int(text)
