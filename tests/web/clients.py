"""Clients for the tests: requests, sockets, and a person who plays."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

Message = dict[str, Any]
Choose = Callable[[Message], Message]

LONG: Message = {"strategy": "hatter", "players": 5, "games": 1_000_000}
"""A run of half a minute on two cores."""

WORDS = ("words", "touches", "player")


@dataclass(frozen=True)
class Site:
    """The address of a server."""

    host: str

    def get(self, path: str, **headers: str) -> httpx.Response:
        """Send a GET request."""
        return httpx.get(f"http://{self.host}{path}", headers=headers)

    def post(self, path: str, data: object, **headers: str) -> httpx.Response:
        """Post an object, or any text as it is."""
        body = data if isinstance(data, str | bytes) else json.dumps(data)
        given = {"Content-Type": "application/json", **headers}
        return httpx.post(f"http://{self.host}{path}", content=body, headers=given, timeout=120)

    def ask(self, kind: str, **fields: Any) -> Any:
        """Return the answer to a question."""
        answer = self.post(f"/api/ask/{kind}", fields)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refuse(self, kind: str, **fields: Any) -> str:
        """Ask a question that is refused; return the reason."""
        answer = self.post(f"/api/ask/{kind}", fields)
        assert answer.status_code == 400, answer.text
        return str(answer.json()["error"])

    def table(self, **fields: Any) -> Any:
        """Set up a table."""
        answer = self.post("/api/tables", fields)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @contextmanager
    def socket(self, path: str, source: str = "127.0.0.1", **headers: str) -> Iterator[Socket]:
        """Open a WebSocket."""
        with connect(
            f"ws://{self.host}{path}",
            additional_headers=headers,
            max_size=None,
            close_timeout=2,
            source_address=(source, 0),
        ) as connection:
            yield Socket(connection)

    @contextmanager
    def seat(self, table: Message, player: int | None, source: str = "127.0.0.1") -> Iterator[Seat]:
        """Join a table in a seat, or as a spectator."""
        with self.socket(f"/ws/table/{table['table']}", source) as socket:
            join = {"type": "join"}
            if player is not None:
                join["seat"] = table["seats"][str(player)]
            socket.send(join)
            yield Seat(socket)


@dataclass
class Socket:
    """A connection that remembers everything it received."""

    connection: ClientConnection
    heard: list[str] = field(default_factory=list)

    def send(self, message: object) -> None:
        """Send an object, or any text as it is."""
        text = message if isinstance(message, str | bytes) else json.dumps(message)
        self.connection.send(text)

    def hear(self, timeout: float = 60) -> Message:
        """Return the next message."""
        text = self.connection.recv(timeout)
        assert isinstance(text, str)
        self.heard.append(text)
        message: Message = json.loads(text)
        return message

    def until(self, *types: str) -> Message:
        """Return the next message of one of these types."""
        while (message := self.hear())["type"] not in types:
            pass
        return message

    def is_closed(self) -> bool:
        """Return whether the server closes this connection."""
        try:
            while True:
                self.hear(5)
        except ConnectionClosed:
            return True
        except TimeoutError:
            return False


@dataclass
class Seat:
    """A person at a table."""

    socket: Socket
    number: int = 0

    def act(self, facts: Message, action: Message) -> None:
        """Send an action."""
        self.number += 1
        plain = {key: value for key, value in action.items() if key not in WORDS}
        message = {"type": "act", "id": self.number, "turn": facts["turn"], "action": plain}
        self.socket.send(message)

    def play(self, choose: Choose, turns: int = 1_000) -> Message:
        """Act in this person's next `turns` turns; return the board after them, or the end."""
        done = 0
        while True:
            message = self.socket.until("board", "over", "error")
            assert message["type"] != "error", message
            if message["type"] == "over":
                return message
            facts: Message = message["board"]["facts"]
            if facts["actions"]:
                if done == turns:
                    return message
                done += 1
                self.act(facts, choose(facts))


def harmless(facts: Message) -> Message:
    """Discard the oldest card, or else give a hint: this makes a game of many turns."""
    actions: list[Message] = facts["actions"]
    order = ("discard", "hint_rank", "hint_suit", "pass", "play")
    return min(actions, key=lambda action: order.index(action["type"]))
