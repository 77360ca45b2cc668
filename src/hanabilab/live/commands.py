"""The commands that people can send to a bot in private messages, and its replies."""

from __future__ import annotations

import shlex
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from hanabilab.errors import HanabiError, one_line
from hanabilab.live.messages import Message
from hanabilab.strategies import registered_strategy

if TYPE_CHECKING:
    from hanabilab.live.client import Client, Table

__all__ = ["Commands", "Request"]

NEW = -1
"""Placeholder for the number of a table that is being created."""
REPLY_TIME = 10.0
"""Seconds within which the server replies to a request; later warnings have other causes."""
PATIENCE = 600.0
"""Seconds that our own table waits for its first guest."""
MOST_ANSWERS = 30
"""The number of requests per person and minute that are answered."""
HELP = (
    "/join [password]: sit at your table. /leave, /rejoin. /create [name [players [password]]], "
    "/start, /restart: tables of mine. /strategy [NAME:option=value]: who plays. /settings. "
    "/why TURN: after a game, why I acted so. /version"
)


class Request(NamedTuple):
    """A private message."""

    who: str
    text: str


class Expected(NamedTuple):
    """A request whose success or refusal the server has not reported yet."""

    request: Request
    table: int
    when: float
    password: str = ""
    """Another reading of the password, to be tried next."""


class Commands:
    """Executes requests; the server's replies are matched with requests in order."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._expected: deque[Expected] = deque(maxlen=50)
        self._answered: dict[str, deque[float]] = {}
        self._created: dict[int, float] = {}
        self._creators: deque[str] = deque(maxlen=50)
        self._commands: Mapping[str, Callable[[Request, list[str]], str]] = {
            "join": self._join,
            "rejoin": self._join,
            "leave": self._leave,
            "create": self._create,
            "start": self._start,
            "restart": self._restart,
            "settings": self._settings,
            "strategy": self._strategy,
            "why": self._why,
            "terminate": self._terminate,
            "help": lambda request, words: HELP,
            "version": self._version,
        }

    def execute(self, request: Request) -> None:
        """Execute a request and reply; text that is not a command is ignored."""
        if not request.text.startswith("/") or self._too_many(request.who):
            return
        words = _words(request.text)
        command = self._commands.get(words[0].lstrip("/").lower()) if words else None
        try:
            if command is None:
                answer = f"I do not know {request.text[:40]}; /help lists what I do."
            else:
                answer = command(request, words[1:])
        except HanabiError as error:
            answer = one_line(str(error))
        if answer:
            self._client.whisper(request.who, answer)

    def _too_many(self, who: str) -> bool:
        times = self._answered.setdefault(who, deque(maxlen=MOST_ANSWERS))
        now = time.monotonic()
        full = len(times) == MOST_ANSWERS and now - times[0] < 60
        if not full:
            times.append(now)
        return full

    # --- replies of the server --------------------------------------------------------------------

    def forget(self) -> None:
        """Drop the requests to which a lost connection brings no reply."""
        self._expected.clear()

    def _expect(self, request: Request, table: int, password: str = "") -> None:
        self._expected.append(Expected(request, table, time.monotonic(), password))

    def refused(self, text: str) -> None:
        """Pass a warning on to the person whose request caused it."""
        while self._expected:
            expected = self._expected.popleft()
            if time.monotonic() - expected.when > REPLY_TIME:
                continue
            if expected.password and "password" in text:
                self._expect(expected.request, expected.table)
                self._client.send("tableJoin", tableID=expected.table, password=expected.password)
            else:
                self._client.whisper(expected.request.who, text)
            return

    def started(self, table: Table) -> None:
        """Note that the game of a table has started: a request to start it has its reply."""
        waiting = [each for each in self._expected if each.table != table.id]
        self._expected = deque(waiting, maxlen=self._expected.maxlen)

    def joined(self, table: Table) -> None:
        """Record that a table was entered: after an invitation, or as a new one of ours."""
        for expected in list(self._expected):
            if expected.table in (table.id, NEW):
                self._expected.remove(expected)
                if expected.table == NEW:
                    self._created[table.id] = time.monotonic()
                    who = expected.request.who
                    self._client.whisper(who, "My table is open: join it, then say /start.")
                return

    def abandoned(self, table: Table) -> None:
        """Leave a table without people, unless it is ours and new."""
        if time.monotonic() - self._created.get(table.id, -PATIENCE) >= PATIENCE:
            self._client.leave(table)

    def decline(self, table: Table, reason: str) -> None:
        """Leave a table whose rules the strategy cannot play."""
        self._client.say(table, f"I cannot play this: {reason}")
        self._client.leave(table)

    # --- commands ---------------------------------------------------------------------------------

    def _join(self, request: Request, words: list[str]) -> str:
        client = self._client
        found = self._table_of(request.who)
        if found is None:
            if (running := self._left_game(request.who)) is not None:
                client.send("tableReattend", tableID=running)
                return ""
            return "Please sit at a table that has not started, then ask me again."
        if int(found["id"]) in client.tables:
            return "I am at your table already."
        if self._is_busy():
            return "I am at another table."
        if found.get("passwordProtected") and not words:
            return "That table has a password: /join PASSWORD"
        if len(found.get("players") or []) >= int(found.get("maxPlayers") or 5):
            return "That table is full."
        number = int(found["id"])
        if reason := client.objection(client.strategy, found, len(found.get("players") or []) + 1):
            return f"I cannot play there: {reason}"
        literal, unquoted = request.text.partition(" ")[2].strip(), " ".join(words)
        self._expect(request, number, unquoted if unquoted != literal else "")
        client.send("tableJoin", tableID=number, **({"password": literal} if literal else {}))
        return ""

    def _is_busy(self) -> bool:
        """Return whether our only seat is taken; a replay takes none."""
        seats = [table for table in self._client.tables.values() if not table.in_replay]
        return bool(seats) and not self._client.user.startswith("Bot-")

    def _left_game(self, who: str) -> int | None:
        """Return the number of a running game with this person that we have left."""
        for number, table in sorted(self._client.lobby.items(), reverse=True):
            running = table.get("running") and not table.get("sharedReplay")
            players = {*(table.get("players") or [])}
            together = {who, self._client.user} <= players
            if running and together and number not in self._client.tables:
                return number
        return None

    def _table_of(self, who: str) -> Message | None:
        """Return the newest table at which a person waits for a game, if there is one."""
        waiting = [
            table
            for _, table in sorted(self._client.lobby.items(), reverse=True)
            if not table.get("running") and not table.get("sharedReplay")
        ]
        for table in waiting:
            if who in (table.get("players") or []):
                return table
        for table in waiting:
            if who in [each.get("name") for each in table.get("spectators") or []]:
                return table
        return None

    def _shared_table(self, request: Request) -> Table | None:
        """Return a table of ours at which a person sits or watches."""
        for table in reversed(list(self._client.tables.values())):
            listed = self._client.lobby.get(table.id, {})
            watching = [each.get("name") for each in listed.get("spectators") or []]
            if request.who in (*table.names, *(listed.get("players") or []), *watching):
                return table
        return None

    def _leave(self, request: Request, words: list[str]) -> str:
        table = self._shared_table(request)
        if table is None:
            return "We share no table."
        self._client.leave(table)
        return ""

    def _create(self, request: Request, words: list[str]) -> str:
        client = self._client
        if client.shutting_down:
            return "The site is about to restart; please ask me later."
        if self._is_busy():
            return "I am at another table."
        name, players, password = (*words, "", "", "")[:3]
        if players and not (players.isdecimal() and 2 <= int(players) <= 6):
            return "/create [name [players [password]]]: players from 2 to 6."
        fields: dict[str, object] = {"name": name, "maxPlayers": int(players or 5)}
        if password:
            fields["password"] = password
        self._expect(request, NEW)
        client.send("tableCreate", options={"variantName": "No Variant"}, **fields)
        return ""

    def _start(self, request: Request, words: list[str]) -> str:
        table = self._shared_table(request)
        if table is None or table.running:
            return "We share no table that waits for its start."
        self._expect(request, table.id)
        self._client.send("tableStart", tableID=table.id)
        return ""

    def _restart(self, request: Request, words: list[str]) -> str:
        table = self._shared_table(request)
        if table is None or not table.in_replay:
            return "I am not in a replay with you; open a table and /join me."
        if table.leader != self._client.user:
            return f"Only the leader of the replay, {table.leader}, can restart it."
        self._expect(request, table.id)
        self._client.send("tableRestart", tableID=table.id, hidePregame=True)
        return ""

    def _terminate(self, request: Request, words: list[str]) -> str:
        table = self._shared_table(request)
        if table is None or table.game is None or table.in_replay:
            return "We share no running game."
        self._client.send("tableTerminate", tableID=table.id)
        return ""

    def _settings(self, request: Request, words: list[str]) -> str:
        """Describe the settings; a number is the level of the conventions, as for other bots."""
        if words and words[0].isdecimal():
            return self._strategy(request, [f"conventions:level={words[0]}"])
        settings = self._client.settings
        notes = "I write notes on cards." if settings.notes else "I write no notes."
        return f"I play {self._client.strategy.label}. {notes} /strategy changes who plays."

    def _strategy(self, request: Request, words: list[str]) -> str:
        """Choose the strategy for the tables joined from now on."""
        client = self._client
        if not words:
            return f"I play {client.strategy.label}: {client.strategy.summary}"
        client.strategy = client.playable(registered_strategy(words[0]))
        return f"From the next table on I play {client.strategy.label}."

    def _why(self, request: Request, words: list[str]) -> str:
        if not words or not words[0].isdecimal():
            return "/why TURN, with the number of a turn of mine in our last game."
        turn = int(words[0])
        for table, _ in reversed(self._client.finished):
            if request.who in table.names and table.game is not None:
                reason = table.game.reasons.get(turn - 1)
                return reason or f"Turn {turn} was not mine, or I was not asked in it."
        if self._shared_table(request) is not None:
            return "After the game: now it would tell you what I see in your hand."
        return "I do not remember a game with you."

    def _version(self, request: Request, words: list[str]) -> str:
        from hanabilab import __version__

        return f"hanabilab {__version__}, {self._client.strategy.label}"


def _words(text: str) -> list[str]:
    """Split a command into words; quotes keep a name together."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
