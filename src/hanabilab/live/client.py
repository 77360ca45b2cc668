"""A client for hanab.live: logs in, waits for invitations, and plays with a strategy.

One task per table asks the strategy, in a thread, so that a long search delays no other table.
After a lost connection the client rebuilds every game from the server's list of actions.
"""

from __future__ import annotations

import asyncio
import dataclasses
import html
import json
import os
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from hanabilab.core.bits import LOW_62
from hanabilab.errors import HanabiError, LiveError, StrategyError, one_line
from hanabilab.lab.files import atomic_write
from hanabilab.live.commands import Commands, Request
from hanabilab.live.connection import Connection
from hanabilab.live.messages import (
    LONGEST_CHAT,
    Message,
    cut_to_bytes,
    plain_text,
    read_frame,
    write_frame,
)
from hanabilab.live.remote_game import RemoteGame, rules_of
from hanabilab.strategies.load import load_player
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.game import Game

__all__ = ["Client", "Settings", "Table"]

BOT = "Bot-"
"""The prefix of account names that may sit at several tables at once."""
ELSEWHERE = "logged on from somewhere else"
SILENCE = 20.0
"""Seconds after which an action not confirmed by the server is sent again."""
ATTEMPTS = 3
REPLAY_TIME = 90.0
"""Seconds after which a table that is gone from the lobby is left, should no replay follow."""
GAMES_KEPT = 20
"""The number of finished games whose turns can be explained on request."""
THANKS = "Thanks for the game!"


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """How a client behaves."""

    delay: float = 1.0
    """Seconds before each action, since instant replies confuse people; 0 in speedruns."""
    notes: bool = False
    """Whether explanations are written as notes on the cards."""
    save: Path | None = None
    """The folder for finished games."""
    dry_run: bool = False
    """Whether messages are logged instead of sent."""
    insecure: bool = False
    """Whether to skip the verification of certificates, for a server on this computer."""
    linger: float = 5.0
    """Seconds in the shared replay after a game; a leader stays for a minute, for /restart."""


@dataclasses.dataclass(slots=True)
class Table:
    """A table at which the client has a seat."""

    id: int
    strategy: Strategy
    names: list[str] = dataclasses.field(default_factory=list)
    game: RemoteGame | None = None
    paused: bool = False
    pauses: int = 0
    speedrun: bool = False
    time_left: float | None = None
    """Seconds left on our clock in a timed game."""
    database_id: int | None = None
    leader: str = ""
    cards: list[Message] = dataclasses.field(default_factory=list)
    running: bool = False
    """Whether the game has started."""
    in_replay: bool = False
    thinking: asyncio.Task[None] | None = None
    asked: int = -1
    """The turn in which the strategy was last asked."""
    changed: asyncio.Event = dataclasses.field(default_factory=asyncio.Event)
    """Set whenever the game continues or is paused."""


class Client:
    """A player at hanab.live.

    `strategy` is named as on the command line; `report` receives a line for every notable event.
    Passwords and secrets of the games never reach it.
    """

    def __init__(
        self,
        user: str,
        password: str,
        strategy: str = "conventions",
        *,
        server: str = "https://hanab.live",
        settings: Settings | None = None,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.settings = settings or Settings()
        self._connection = Connection(
            server, user, password, insecure=self.settings.insecure, report=report
        )
        self.server, self.user = self._connection.server, user
        self.strategy = self.playable(load_player(strategy))
        self.tables: dict[int, Table] = {}
        """The tables at which the client has a seat, by number."""
        self.lobby: dict[int, Message] = {}
        """All tables of the server."""
        self.finished: deque[tuple[Table, Game | None]] = deque(maxlen=GAMES_KEPT)
        self._closing: set[str] = set()
        self.report = report
        self._commands = Commands(self)
        self._streams: dict[int, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @staticmethod
    def playable(strategy: Strategy) -> Strategy:
        """Return a strategy, or raise if it cannot play at a server."""
        if strategy.sees_own_hand:
            raise StrategyError(f"{strategy.name} looks at its own cards, which a server hides")
        if strategy.name == "human":
            raise StrategyError("human: people play at the site itself")
        return strategy

    async def run(self) -> None:
        """Play until `stop` is called; raise if the server rejects the login or the session."""
        await self._connection.run(self._receive, self._forget_games)

    async def stop(self) -> None:
        """Leave all tables and end `run`."""
        for table in list(self.tables.values()):
            self.leave(table)
        await self._connection.close()

    def _forget_games(self) -> None:
        """Drop what a new session rebuilds: games, the lobby and requests without an answer."""
        for table in self.tables.values():
            _cancel(table)
        self.tables.clear()
        self.lobby.clear()
        self._commands.forget()

    # --- sending ----------------------------------------------------------------------------------

    def send(self, name: str, /, **fields: Any) -> None:
        """Queue a message, to be sent as soon as the rate limit allows."""
        frame = write_frame(name, fields)
        if self.settings.dry_run:
            self.report(f"would send: {_without_passwords(name, fields)}")
        else:
            self._connection.send(frame)

    def whisper(self, user: str, text: str) -> None:
        """Send a private message, in parts if it is long."""
        for part in _parts(text):
            self.send("chatPM", msg=part, recipient=user)

    def say(self, table: Table, text: str) -> None:
        """Write to a table's chat."""
        self.send("chat", msg=cut_to_bytes(text), room=f"table{table.id}")

    def leave(self, table: Table) -> None:
        """Leave a table: before, during or after its game."""
        _cancel(table)
        started = table.running or table.in_replay
        self.send("tableUnattend" if started else "tableLeave", tableID=table.id)
        self.tables.pop(table.id, None)

    # --- receiving --------------------------------------------------------------------------------

    def _receive(self, frame: str | bytes) -> None:
        """Handle a message; one that cannot be parsed is reported and ignored."""
        message = read_frame(frame)
        if message is None:
            return
        name, data = message
        handler = getattr(self, f"_on_{name}", None)
        if handler is None:
            return
        try:
            handler(data)
        except Exception as error:  # no other message of a server may end the client
            if name == "error" and isinstance(error, LiveError):
                raise
            self.report(f"{name}: ignored: {type(error).__name__}: {one_line(str(error))}")

    def _on_welcome(self, data: Message) -> None:
        self.user = str(data.get("username", self.user))
        self._on_maintenance(data)
        self._on_shutdown(data)
        self.report(f"logged in to {self.server} as {self.user}, playing {self.strategy.label}")
        if data.get("firstTimeUser"):
            self.report(f"{self.user} is a new account: check the spelling of the name")
        if data.get("muted"):
            self.report(f"{self.user} is muted: nobody sees what it writes")
        for number in data.get("playingAtTables") or []:
            self.seat_at(int(number))
            self.send("tableReattend", tableID=int(number))

    def seat_at(self, number: int) -> Table:
        """Return our table with this number, a new one if need be."""
        return self.tables.setdefault(number, Table(number, self.strategy))

    def _on_warning(self, data: Message) -> None:
        text = plain_text(data.get("warning", ""))
        self.report(f"warning: {text}")
        self._commands.refused(text)

    def _on_error(self, data: Message) -> None:
        text = plain_text(data.get("error", ""))
        if ELSEWHERE in text.lower():
            raise LiveError(f"{self.user} logged on from somewhere else; this client stops")
        self.report(f"error: {text}")

    def _on_maintenance(self, data: Message) -> None:
        self._note_closing("maintenance", bool(data.get("maintenanceMode")))

    def _on_shutdown(self, data: Message) -> None:
        self._note_closing("shutdown", bool(data.get("shuttingDown")))

    def _note_closing(self, reason: str, holds: bool) -> None:
        (self._closing.add if holds else self._closing.discard)(reason)

    @property
    def shutting_down(self) -> bool:
        """Whether the server is about to stop, or in maintenance: it accepts no new tables."""
        return bool(self._closing)

    def _on_chat(self, data: Message) -> None:
        if data.get("server") or data.get("who") == self.user:
            return
        if str(data.get("recipient", "")) == self.user:
            self._commands.execute(Request(str(data["who"]), html.unescape(str(data.get("msg")))))

    def _on_tableList(self, data: list[Message]) -> None:  # noqa: N802  the site's name
        self.lobby = {int(table["id"]): table for table in data}

    def _on_table(self, data: Message) -> None:
        self.lobby[int(data["id"])] = data
        table = self.tables.get(int(data["id"]))
        if table is None or data.get("running") or data.get("sharedReplay"):
            return
        people = [name for name in data.get("players") or [] if not _is_bot(name, self.user)]
        if self.user in (data.get("players") or []) and not people:
            self._commands.abandoned(table)

    def _on_tableGone(self, data: Message) -> None:  # noqa: N802
        number = int(data["tableID"])
        self.lobby.pop(number, None)
        table = self.tables.get(number)
        if table is not None and table.game is None:
            self.tables.pop(number)
        elif table is not None and not table.in_replay:  # its replay has the same number
            self._start(self._leave_later(table, REPLAY_TIME))

    def _on_joined(self, data: Message) -> None:
        table = self.seat_at(int(data["tableID"]))
        self._commands.joined(table)

    def _on_left(self, data: Message) -> None:
        table = self.tables.pop(int(data["tableid"]), None)
        if table is not None:
            _cancel(table)

    _on_boot = _on_left

    def _on_game(self, data: Message) -> None:
        """Handle a table before its game; leave if the strategy cannot play its rules."""
        table = self.tables.get(int(data["tableID"]))
        if table is None:
            return
        if reason := self.objection(table.strategy, data, len(data.get("players") or [])):
            self._commands.decline(table, reason)

    @staticmethod
    def objection(strategy: Strategy, table: Message, players: int) -> str:
        """Return why a strategy cannot play at a table, or an empty text.

        More people may come: it can if it could with any number from `players` to all seats.
        """
        reason = ""
        for count in range(max(2, players), max(players, int(table.get("maxPlayers") or 5)) + 1):
            try:
                strategy.check(rules_of(table.get("options"), count))
            except HanabiError as error:
                reason = reason or one_line(str(error))
            else:
                return ""
        return reason

    # --- a game -----------------------------------------------------------------------------------

    def _on_tableStart(self, data: Message) -> None:  # noqa: N802
        if data.get("replay"):
            return
        table = self.seat_at(int(data["tableID"]))
        table.running = True
        self._commands.started(table)
        self.send("getGameInfo1", tableID=table.id)

    def _on_init(self, data: Message) -> None:
        table = self.tables.get(int(data["tableID"]))
        if table is None or table.in_replay:
            return
        if data.get("spectating") or data.get("replay"):
            self.tables.pop(table.id)
            return
        table.names = [str(name) for name in data["playerNames"]]
        table.paused = bool(data.get("paused"))
        table.speedrun = bool(data["options"].get("speedrun"))
        _cancel(table)
        try:
            rules = rules_of(data["options"], len(table.names))
            stream = self._streams.setdefault(table.id, _random_stream())
            table.game = RemoteGame(table.strategy, rules, data["ourPlayerIndex"], stream)
        except HanabiError as error:
            self._give_up(table, f"I cannot play this game: {one_line(str(error))}")
            return
        self.send("getGameInfo2", tableID=table.id)
        self.send("loaded", tableID=table.id)

    def _on_gameActionList(self, data: Message) -> None:  # noqa: N802
        table = self.tables.get(int(data["tableID"]))
        if table is not None and table.game is not None and not table.in_replay:
            self._follow(table, data["list"])

    def _on_gameAction(self, data: Message) -> None:  # noqa: N802
        table = self.tables.get(int(data["tableID"]))
        if table is not None and table.game is not None and not table.in_replay:
            self._follow(table, [data["action"]])

    def _follow(self, table: Table, actions: list[Message]) -> None:
        """Follow the game, and act if it is our turn."""
        assert table.game is not None
        try:
            if len(actions) == 1:
                table.game.receive(actions[0])
            else:
                table.game.receive_all(actions)
        except HanabiError as error:
            self._give_up(table, f"I lost track of the game: {one_line(str(error))}")
            return
        table.changed.set()
        ready = len(actions) != 1 or actions[0].get("type") == "turn"
        if ready and table.game.my_turn and table.asked != table.game.turn:
            table.asked = table.game.turn
            table.thinking = self._start(self._act(table, table.game))

    async def _act(self, table: Table, game: RemoteGame) -> None:
        """Ask the strategy for an action and send it until the server confirms it."""
        turn = game.turn
        hurry = None
        try:
            await asyncio.sleep(self._delay(table))
            hurry = self._hurry_up(table, game)
            number = await asyncio.to_thread(game.choose)
            reason = game.explain(number, table.names)
        except asyncio.CancelledError:
            game.hurry()
            raise
        except Exception as error:  # a strategy may raise anything; the table must not hang
            self.report(f"table {table.id}: {type(error).__name__}: {one_line(str(error))}")
            self._give_up(table, "Sorry, my strategy failed, so I leave.")
            return
        finally:
            if hurry is not None:
                hurry.cancel()
        self.report(f"table {table.id}, turn {turn + 1}: {reason}")
        if self.settings.notes:
            self._note(table, game, number, reason)
        command = game.command(number)
        silent = 0
        while silent < ATTEMPTS:
            await self._until_running(table)
            if game.turn != turn or game.over:
                return
            self.send("action", tableID=table.id, **command)
            pauses = table.pauses
            if await self._confirmed(table, game, turn):
                return
            silent += table.pauses == pauses
        self._give_up(table, "The server does not take my action, so I leave.")

    def _delay(self, table: Table) -> float:
        """Return how long to wait before an action: less if our clock is about to run out."""
        if table.speedrun:
            return 0.0
        left = self.settings.delay if table.time_left is None else table.time_left / 4
        return min(self.settings.delay, left)

    def _hurry_up(self, table: Table, game: RemoteGame) -> asyncio.TimerHandle | None:
        """Interrupt a long search when half of the time on our clock is used up."""
        if table.time_left is None:
            return None
        loop = asyncio.get_running_loop()
        return loop.call_later(max(0.2, table.time_left / 2), game.hurry)

    async def _until_running(self, table: Table) -> None:
        while table.paused:
            table.changed.clear()
            await table.changed.wait()

    async def _confirmed(self, table: Table, game: RemoteGame, turn: int) -> bool:
        """Return whether the turn has passed on; after a pause the action must be sent again."""
        pauses = table.pauses
        while game.turn == turn and not game.over:
            if table.pauses != pauses:
                return False
            table.changed.clear()
            try:
                await asyncio.wait_for(table.changed.wait(), SILENCE)
            except TimeoutError:
                return False
        return True

    def _note(self, table: Table, game: RemoteGame, number: int, reason: str) -> None:
        order = game.note_place(number)
        if order is not None:
            self.send("note", tableID=table.id, order=order, note=cut_to_bytes(reason))

    def _on_pause(self, data: Message) -> None:
        table = self.tables.get(int(data["tableID"]))
        if table is not None:
            table.paused = bool(data.get("active"))
            table.pauses += table.paused
            table.changed.set()

    def _on_clock(self, data: Message) -> None:
        table = self.tables.get(int(data["tableID"]))
        if table is None or table.game is None:
            return
        left = data["times"][table.game.player] / 1000
        table.time_left = left if left > 0 else None  # untimed games count the time used, below 0

    def _give_up(self, table: Table, text: str) -> None:
        """Leave a game with a message instead of letting the others wait."""
        self.report(f"table {table.id}: {text}")
        self.say(table, text)
        self.leave(table)

    # --- after the game ---------------------------------------------------------------------------

    def _on_cardIdentities(self, data: Message) -> None:  # noqa: N802
        table = self.tables.get(int(data["tableID"]))
        if table is not None and table.game is not None and table.game.over:
            table.cards = data["cardIdentities"]

    def _on_finishOngoingGame(self, data: Message) -> None:  # noqa: N802
        table = self.tables.get(int(data["tableID"]))
        if table is None or table.game is None or table.in_replay:
            return
        _cancel(table)
        table.in_replay, table.database_id = True, int(data["databaseID"])
        table.leader = str(data.get("sharedReplayLeader", ""))
        self._streams.pop(table.id, None)
        game = self._whole_game(table)
        self.finished.append((table, game))
        self.say(table, f"{THANKS} {self.server}/replay/{table.database_id}")
        if game is not None and self.settings.save is not None:
            self._save(table, game, self.settings.save)
        linger = 60.0 if table.leader == self.user else self.settings.linger
        self._start(self._leave_later(table, linger))

    def _whole_game(self, table: Table) -> Game | None:
        assert table.game is not None
        try:
            return table.game.finished(table.cards)
        except HanabiError as error:
            self.report(f"table {table.id}: no record: {one_line(str(error))}")
            return None

    def _save(self, table: Table, game: Game, folder: Path) -> None:
        assert table.game is not None
        data = game.to_dict()
        for turn, action in enumerate(data["actions"]):
            if turn in table.game.reasons:
                action["why"] = table.game.reasons[turn]
        data["hanablive"] = {"players": table.names, "id": table.database_id}
        if not game.is_over:
            data["hanablive"]["end"] = table.game.end
        data["link"] = game.link()
        file = folder / f"{table.database_id}.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with atomic_write(file) as part:
                part.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        except (HanabiError, OSError) as error:
            self.report(f"{file}: not saved: {one_line(str(error))}")
            return
        points = f"{game.score} points" if game.is_over else f"{table.game.end}, 0 points"
        self.report(f"table {table.id}: {points}; saved as {file}")

    def _on_spectators(self, data: Message) -> None:
        """Leave a replay when only bots remain."""
        table = self.tables.get(int(data["tableID"]))
        if table is None or not table.in_replay:
            return
        names = [str(each.get("name", "")) for each in data.get("spectators") or []]
        if names and all(_is_bot(name, self.user) for name in names):
            self.leave(table)

    async def _leave_later(self, table: Table, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if self.tables.get(table.id) is table:
            self.leave(table)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _cancel(table: Table) -> None:
    if table.thinking is not None:
        table.thinking.cancel()
        table.thinking = None
    table.asked = -1


def _is_bot(name: str, user: str) -> bool:
    return name == user or name.startswith(BOT)


def _random_stream() -> int:
    return int.from_bytes(os.urandom(8)) & LOW_62


def _parts(text: str) -> list[str]:
    """Split a text between words into parts that the chat accepts."""
    parts, line = [], ""
    for word in text.split():
        if line and len(f"{line} {word}".encode()) > LONGEST_CHAT:
            parts.append(line)
            line = ""
        line = f"{line} {cut_to_bytes(word)}".strip()
    return [*parts, line] if line else parts


def _without_passwords(name: str, fields: Mapping[str, Any]) -> str:
    return write_frame(name, {**fields, **({"password": "***"} if fields.get("password") else {})})
