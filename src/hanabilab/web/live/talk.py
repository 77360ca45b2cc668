"""What the people at a table say to each other: short messages and ready-made reactions.

Messages are text, never HTML. They are kept in memory as long as the table is, and never saved.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass

from hanabilab.errors import FormatError
from hanabilab.web.clients import QuotaError
from hanabilab.web.schema import JsonObject, RequestFields

__all__ = ["MAX_LETTERS", "REACTIONS", "Talk"]

REACTIONS = {
    "nice": "Nice!",
    "thanks": "Thanks!",
    "wow": "Wow!",
    "oops": "Oops!",
    "sorry": "Sorry!",
    "hm": "Hm …",
}
"""The ready-made reactions: the name that is sent, and the words that are shown."""
MAX_LETTERS = 160
"""The longest message, in characters."""
KEPT = 50
"""Messages that someone who joins later is sent."""
AT_ONCE, SECONDS_EACH = 5, 2.0
"""The token bucket of a seat: messages at once, and seconds for each one after that."""


@dataclass(slots=True)
class Allowance:
    """How many messages a seat may send now."""

    left: float = AT_ONCE
    since: float = 0.0

    def take(self, now: float) -> None:
        """Count one message, or raise if they come too fast."""
        self.left = min(AT_ONCE, self.left + (now - self.since) / SECONDS_EACH)
        self.since = now
        if self.left < 1:
            raise QuotaError(f"text: wait {SECONDS_EACH:g} seconds before the next message")
        self.left -= 1


class Talk:
    """The messages of one table."""

    def __init__(self) -> None:
        self.messages: deque[JsonObject] = deque(maxlen=KEPT)
        self._allowances: dict[int, Allowance] = {}

    def say(self, seat: int, turn: int, fields: RequestFields) -> JsonObject:
        """Add the message or reaction of a seat and return it, or raise if it is refused."""
        reaction = fields.text("reaction", 20, None)
        text = fields.text("text", MAX_LETTERS, None)
        fields.finish()
        if (reaction is None) == (text is None):
            raise FormatError("say: send a text or a reaction")
        words = _reaction(reaction) if reaction is not None else _line(text or "")
        self._allowances.setdefault(seat, Allowance(since=time.monotonic())).take(time.monotonic())
        message: JsonObject = {"player": seat, "turn": turn, "text": words}
        self.messages.append(message)
        return message


def _reaction(name: str) -> str:
    if name not in REACTIONS:
        raise FormatError(f"reaction: expected one of {', '.join(REACTIONS)}")
    return REACTIONS[name]


def _line(text: str) -> str:
    """Return a message without surrounding spaces; raise if it is empty or not one plain line."""
    line = text.strip()
    if not line:
        raise FormatError("text: the message is empty")
    if not line.isprintable():
        raise FormatError("text: use printable characters in one line")
    return line
