"""The messages: what the laboratory says to a player's program, and what that answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hanabilab.checks import whole_number
from hanabilab.errors import ActionError, FormatError
from hanabilab.formats.action import Action
from hanabilab.formats.deck_text import short
from hanabilab.formats.protocol.views import (
    event_dict,
    rules_dict,
    turn_view,
    view_dict,
)
from hanabilab.formats.state_dict import ENDS
from hanabilab.formats.table_text import choices, legal_texts
from hanabilab.game.actions import Event, legal_actions
from hanabilab.game.rules import Rules
from hanabilab.game.turn import final_score
from hanabilab.game.view import View

__all__ = [
    "OLDEST",
    "VERSION",
    "action_message",
    "check_version",
    "end_message",
    "event_message",
    "hello_answer",
    "hello_message",
    "read_action",
    "read_line",
    "start_message",
    "turn_message",
    "write_line",
]

VERSION = 1
"""The newest version of the protocol that is spoken here."""
OLDEST = 1

Message = dict[str, Any]


def hello_message() -> Message:
    """Greet a program, with the versions that it may choose from."""
    return {"type": "hello", "protocol": VERSION, "oldest": OLDEST, "name": "hanabilab"}


def hello_answer(greeting: Message, name: str, *, event_views: bool) -> Message:
    """Answer the laboratory's greeting, as a program."""
    version = _agree(greeting)
    return {"type": "hello", "protocol": version, "name": name, "event_views": event_views}


def start_message(view: View, rules: Rules, stream: int, options: Mapping[str, str]) -> Message:
    """Start a game. The stream is text, since JavaScript rounds numbers of this size."""
    return {
        "type": "start",
        "rules": rules_dict(rules),
        "seat": view.observer,
        "options": dict(options),
        "stream": str(stream),
        "view": view_dict(view),
    }


def turn_message(view: View) -> Message:
    """Ask for an action."""
    return {"type": "turn", "view": turn_view(view)}


def action_message(view: View, number: int) -> Message:
    """Answer with an action."""
    names = {number: text for text, number in legal_texts(view).items()}
    return {"type": "action", "action": names.get(number, number), "turn": view.turn}


def event_message(view: View, event: Event, *, with_view: bool) -> Message:
    """Tell what happened; a program that asked for views also gets the one after it."""
    message: Message = {"type": "event", "event": event_dict(view, event)}
    return {**message, "view": view_dict(view)} if with_view else message


def end_message(view: View) -> Message:
    """Tell how the game ended."""
    return {
        "type": "end",
        "end": ENDS[view.end],
        "score": final_score(view),
        "turns": view.turn,
        "view": view_dict(view),
    }


def write_line(message: Mapping[str, Any]) -> bytes:
    """Return a message as a line of ASCII."""
    return json.dumps(message).encode() + b"\n"


def read_line(line: bytes, *expected: str) -> Message:
    """Return the message of a line, which must be of one of the expected types."""
    text = line.decode(errors="replace").strip()
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise FormatError(f"{short(text)} is not JSON") from None
    if not isinstance(message, dict) or message.get("type") not in expected:
        types = " or ".join(f'"type": "{name}"' for name in expected)
        raise FormatError(f"{short(text)} is not an object with {types}")
    return message


def check_version(answer: Message) -> None:
    """Raise unless the version that a program answers with is spoken here."""
    version = whole_number("protocol", answer.get("protocol"), error=FormatError)
    if not OLDEST <= version <= VERSION:
        raise FormatError(f"protocol: version {version} is not spoken here, only {_spoken()}")


def _agree(greeting: Message) -> int:
    """Return the newest version that both sides speak, given the laboratory's greeting."""
    newest = whole_number("protocol", greeting.get("protocol"), 1, error=FormatError)
    oldest = whole_number("oldest", greeting.get("oldest", newest), 1, newest, error=FormatError)
    if newest < OLDEST or oldest > VERSION:
        offered = _range(oldest, newest)
        raise FormatError(f"protocol: version {offered} is not spoken here, only {_spoken()}")
    return min(newest, VERSION)


def _spoken() -> str:
    return _range(OLDEST, VERSION)


def _range(oldest: int, newest: int) -> str:
    return str(newest) if oldest == newest else f"{oldest} to {newest}"


def read_action(message: Message, view: View, rules: Rules) -> int:
    """Return the number of the legal action that an answer names: in words, as data, by number."""
    if message.get("turn", view.turn) != view.turn:
        raise FormatError(f"it answered turn {short(message['turn'])}, not turn {view.turn}")
    given = message.get("action")
    if isinstance(given, str):
        number = Action.from_text(given, rules).number(view)
    elif isinstance(given, Mapping):
        number = Action.from_dict(given, rules).number(view)
    else:
        number = whole_number("action", given, error=FormatError)
    if number not in legal_actions(view):
        legal = choices(list(legal_texts(view)))
        raise ActionError(f"{short(given)} is not a legal action; expected {legal}")
    return number
