"""A stand-in for the server of hanab.live, on loopback, as faithful as the client's tests need.

It deals and judges with our own `Game`, and speaks the site's protocol: frames, refusals, ends,
shared replays, bans, and all that makes a client stumble (messages of other tables, unknown
messages, escaped chat, history with old commands, secrets that a fair client must not use).
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
import random
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from hanabilab.formats.action import Action
from hanabilab.formats.hanablive import live_rules
from hanabilab.formats.hanablive.encoding import is_inverted
from hanabilab.formats.hanablive.options import colours_of
from hanabilab.game.actions import PLAY, Event
from hanabilab.table.game import Game

FIRST_TABLE = 37
BURST, REFILL = 200, 100
LONGEST_FRAME = 8192
OPTIONS = {
    "numPlayers": 0,
    "startingPlayer": 0,
    "variantID": 0,
    "variantName": "No Variant",
    "timed": False,
    "timeBase": 0,
    "timePerTurn": 0,
    "speedrun": False,
    "cardCycle": False,
    "deckPlays": False,
    "emptyClues": False,
    "oneExtraCard": False,
    "oneLessCard": False,
    "allOrNothing": False,
    "detrimentalCharacters": False,
}
NORMAL, STRIKES, TERMINATED, SPEEDRUN, VOTED = 1, 2, 4, 5, 10


@dataclass(eq=False)
class User:
    """A person with a connection."""

    name: str
    id: int
    socket: WebSocket
    allowance: float = BURST
    seen: float = field(default_factory=time.monotonic)


@dataclass(eq=False)
class Table:
    """A table before, during and after its game."""

    id: int
    name: str
    owner: str
    options: dict[str, Any]
    password: str = ""
    most: int = 5
    players: list[str] = field(default_factory=list)
    """In seats, once the game has started."""
    spectators: list[str] = field(default_factory=list)
    game: Game | None = None
    replay: bool = False
    loaded: set[str] = field(default_factory=set)
    present: set[str] = field(default_factory=set)
    log: list[dict[str, Any]] = field(default_factory=list)
    """All actions of the game, with every card."""
    orders: list[list[int]] = field(default_factory=list)
    paused: bool = False
    votes: set[str] = field(default_factory=set)
    notes: dict[str, dict[int, str]] = field(default_factory=dict)
    ended: int = 0
    kicked: set[str] = field(default_factory=set)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


@contextlib.asynccontextmanager
async def serving(app: Starlette) -> AsyncIterator[int]:
    """Serve an application on a free port of loopback, which is returned."""
    config = uvicorn.Config(app, port=0, log_level="error", ws="websockets-sansio")
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await task


class StandIn:
    """The server: users, tables and games."""

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.passwords: dict[str, str] = {}
        self.cookies: dict[str, str] = {}
        self.online: dict[str, User] = {}
        self.tables: dict[int, Table] = {}
        self.received: list[tuple[str, str, dict[str, Any]]] = []
        """What clients sent: user, command, fields."""
        self.logins: list[str] = []
        self.banned = False
        self.down = False
        self.next_table, self.next_game = FIRST_TABLE, 1001
        self.seeds = seed
        self.port = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[StandIn]:
        """Serve on a free port."""
        app = Starlette(
            routes=[
                Route("/login", self._login, methods=["POST"]),
                WebSocketRoute("/ws", self._connection),
            ]
        )
        async with serving(app) as self.port:
            try:
                yield self
            finally:
                for user in list(self.online.values()):
                    await self.drop(user.name)

    # --- HTTP -------------------------------------------------------------------------------------

    async def _login(self, request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode()))
        name, password = form.get("username", ""), form.get("password", "")
        self.logins.append(name)
        if self.down:
            return PlainTextResponse("Internal Server Error\n", 500)
        if self.banned:
            return PlainTextResponse("Your IP address has been <b>banned</b>.\n", 401)
        if not name or not password or form.get("version") != "bot":
            return PlainTextResponse("You are running an outdated version.\n", 401)
        if self.passwords.setdefault(name, password) != password:
            return PlainTextResponse("That is not the correct password for this user.\n", 401)
        cookie = f"{self.random.getrandbits(64):x}"
        self.cookies[cookie] = name
        answer = PlainTextResponse("OK\n")
        answer.set_cookie("proxy", "x")
        answer.set_cookie("hanabi.sid", cookie, domain="hanab.live", secure=True, httponly=True)
        return answer

    async def _connection(self, socket: WebSocket) -> None:
        name = self.cookies.get(socket.cookies.get("hanabi.sid", ""))
        if name is None or self.banned:
            await socket.close(4001)
            return
        await socket.accept()
        if name in self.online:
            text = "You have logged on from somewhere else, so you have been disconnected here."
            await self._tell(name, "error", error=text)
            await self.drop(name)
        user = self.online[name] = User(name, 1 + len(self.passwords), socket)
        await self._greet(name)
        try:
            while True:
                await self._frame(user, await socket.receive_text())
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            if self.online.get(name) is user:
                await self._gone(name)

    async def drop(self, name: str) -> None:
        """Close the connection of a user, as a failing network does."""
        user = self.online.get(name)
        if user is not None:
            await self._gone(name)
            with contextlib.suppress(RuntimeError):
                await user.socket.close(1011)

    async def _gone(self, name: str) -> None:
        self.online.pop(name, None)
        for table in list(self.tables.values()):
            table.loaded.discard(name)
            table.present.discard(name)
            if table.game is None and name in table.players:
                await self._remove(table, name)
            elif name in table.spectators:
                table.spectators.remove(name)

    # --- sending ----------------------------------------------------------------------------------

    async def _tell(self, name: str, command: str, /, data: Any = None, **fields: Any) -> None:
        user = self.online.get(name)
        if user is not None:
            content = fields if data is None else data
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):
                await user.socket.send_text(f"{command} {json.dumps(content)}")

    async def _tell_all(self, command: str, /, data: Any = None, **fields: Any) -> None:
        for name in list(self.online):
            await self._tell(name, command, data, **fields)

    async def _greet(self, name: str) -> None:
        playing = [t.id for t in self.tables.values() if name in t.players and not t.replay]
        about = {"userID": self.online[name].id, "name": name, "status": 0, "tableID": 0}
        first = self.random.random() < 0.5
        if first:
            await self._tell_all("user", about)
        await self._tell(
            name,
            "welcome",
            username=name,
            playingAtTables=playing,
            maintenanceMode=False,
            shuttingDown=False,
            firstTimeUser=self.logins.count(name) == 1,
            muted=False,
            settings={},
            somethingNew={"a": [1]},
        )
        await self._tell(name, "userList", [about])
        await self._tell(name, "tableList", [self._about(t) for t in self.tables.values()])
        old = self._chat_message("mallory", "/join", recipient=name)
        await self._tell(name, "chatList", list=[old], unread=1)
        notice = self._chat_message("Hanab Live", "/leave", recipient=name, server=True)
        await self._tell(name, "chat", notice)
        await self._tell(name, "neverHeardOf", field=[1, {"x": None}])
        if not first:
            await self._tell_all("user", about)

    @staticmethod
    def _chat_message(who: str, text: str, **fields: Any) -> dict[str, Any]:
        message = {"msg": html.escape(text), "who": who, "discord": False, "server": False}
        return {
            **message,
            "datetime": "2026-11-17T00:00:00Z",
            "room": "",
            "recipient": "",
            **fields,
        }

    def _about(self, table: Table) -> dict[str, Any]:
        return {
            "id": table.id,
            "name": table.name,
            "passwordProtected": bool(table.password),
            "joined": False,
            "numPlayers": len(table.players),
            "running": table.game is not None,
            "variant": table.options["variantName"],
            "options": table.options,
            "sharedReplay": table.replay,
            "progress": 0,
            "players": table.players,
            "spectators": [{"name": name} for name in table.spectators],
            "maxPlayers": table.most,
        }

    async def _changed(self, table: Table) -> None:
        await self._tell_all("table", self._about(table))
        if table.game is None and not table.replay:
            for name in table.players:
                seats = [{"index": i, "name": n} for i, n in enumerate(table.players)]
                fields = {"name": table.name, "owner": 1, "players": seats}
                await self._tell(name, "game", tableID=table.id, options=table.options, **fields)

    # --- receiving --------------------------------------------------------------------------------

    async def _frame(self, user: User, frame: str) -> None:
        now = time.monotonic()
        user.allowance = min(BURST, user.allowance + (now - user.seen) * REFILL) - 1
        user.seen = now
        if user.allowance < 0 or len(frame.encode()) > LONGEST_FRAME:
            self.banned = user.allowance < 0
            await self.drop(user.name)
            return
        command, _, text = frame.partition(" ")
        try:
            fields = json.loads(text)
        except ValueError:
            return
        self.received.append((user.name, command, fields))
        handler = getattr(self, f"_do_{command}", None)
        if handler is not None and isinstance(fields, dict):
            table = self.tables.get(fields.get("tableID", -1))
            if "tableID" in fields and table is None:
                await self._warn(user.name, f"Table {fields['tableID']} does not exist.")
            elif table is not None:
                async with table.lock:  # as the site: one command of a table at a time
                    await handler(user.name, fields, table)
            elif command in ("tableCreate", "chat", "chatPM"):
                await handler(user.name, fields)

    async def _warn(self, name: str, text: str) -> None:
        await self._tell(name, "warning", warning=text)

    async def _do_chat(self, name: str, fields: dict[str, Any], table: Table | None = None) -> None:
        await self._tell_all("chat", self._chat_message(name, fields["msg"], room=fields["room"]))

    async def _do_chatPM(self, name: str, fields: dict[str, Any]) -> None:  # noqa: N802
        if fields["recipient"] not in self.online:
            await self._warn(name, f'User "{fields["recipient"]}" is not currently online.')
            return
        message = self._chat_message(name, fields["msg"], recipient=fields["recipient"])
        for each in (fields["recipient"], name):
            await self._tell(each, "chat", message)

    # --- before a game ----------------------------------------------------------------------------

    def _seated_elsewhere(self, name: str) -> bool:
        seats = [t for t in self.tables.values() if name in t.players and not t.replay]
        return bool(seats) and not name.startswith("Bot-")

    async def _do_tableCreate(self, name: str, fields: dict[str, Any]) -> None:  # noqa: N802
        if self._seated_elsewhere(name):
            await self._warn(name, "You cannot join more than one table at a time.")
            return
        options = {**OPTIONS, **fields.get("options", {}), "variantID": 0}
        most = fields.get("maxPlayers", 5)
        table = Table(self.next_table, fields.get("name") or "random words", name, options)
        table.password, table.most = fields.get("password", ""), most if 2 <= most <= 6 else 5
        self.next_table += 3
        self.tables[table.id] = table
        await self._enter(table, name)

    async def _enter(self, table: Table, name: str) -> None:
        table.players.append(name)
        await self._changed(table)
        await self._tell(name, "joined", tableID=table.id)
        await self._tell(name, "chatList", list=[], unread=0)

    async def _do_tableJoin(self, name: str, fields: dict[str, Any], table: Table) -> None:  # noqa: N802
        if table.game is not None or table.replay:
            await self._warn(name, "That game has already started, so you cannot join it.")
        elif name in table.kicked:
            await self._warn(name, "You have been kicked from that table.")
        elif self._seated_elsewhere(name):
            await self._warn(name, "You cannot join more than one table at a time.")
        elif len(table.players) >= table.most:
            await self._warn(name, "That table is already full.")
        elif table.password and fields.get("password") != table.password:
            await self._warn(name, "That is not the correct password for this game.")
        elif name not in table.players:
            await self._enter(table, name)

    async def _do_tableLeave(self, name: str, fields: dict[str, Any], table: Table) -> None:  # noqa: N802
        if table.game is None and name in table.players:
            await self._remove(table, name)

    async def _remove(self, table: Table, name: str) -> None:
        table.players.remove(name)
        await self._tell(name, "left", TableID=table.id)
        if not table.players:
            del self.tables[table.id]
            await self._tell_all("tableGone", tableID=table.id)
            return
        table.owner = table.players[0]
        await self._changed(table)

    async def kick(self, table: Table, name: str) -> None:
        """Remove a player before the game, for good."""
        table.kicked.add(name)
        await self._remove(table, name)

    # --- a game -----------------------------------------------------------------------------------

    async def _do_tableStart(self, name: str, fields: dict[str, Any], table: Table) -> None:  # noqa: N802
        intended = fields.get("intendedPlayers")
        if name != table.owner:
            await self._warn(name, "Only the owner of a table can start the game.")
        elif len(table.players) < 2:
            await self._warn(name, "You need to have at least 2 players to start a game.")
        elif intended is None or sorted(intended) == sorted(table.players):
            await self._begin(table)

    async def _begin(self, table: Table) -> None:
        self.random.shuffle(table.players)
        table.options["numPlayers"] = len(table.players)
        wanted = {k: v for k, v in table.options.items() if v and k != "variantID"}
        self.seeds += 1
        table.game = Game(live_rules(wanted, len(table.players)), seed=self.seeds)
        rules = table.game.rules
        size = rules.hand_size
        table.orders = [list(range(s * size, s * size + size)) for s in range(rules.players)]
        table.log = [
            self._card_action(table, "draw", seat, order)
            for seat, hand in enumerate(table.orders)
            for order in hand
        ]
        table.present = set(table.players)
        await self._changed(table)
        for name in table.players:
            await self._tell(name, "tableStart", tableID=table.id, replay=False)

    @staticmethod
    def _card_action(table: Table, kind: str, seat: int, order: int, **more: Any) -> dict[str, Any]:
        assert table.game is not None
        card, rules = table.game.deck.cards[order], table.game.rules
        shown = {"suitIndex": card // rules.ranks, "rank": rules.printed_ranks[card]}
        return {"type": kind, "playerIndex": seat, "order": order, **shown, **more}

    @staticmethod
    def _scrubbed(table: Table, action: dict[str, Any], name: str) -> dict[str, Any]:
        own = action["type"] == "draw" and table.players[action["playerIndex"]] == name
        played = action["type"] == "play" or action.get("failed") is True
        hidden = played and table.game is not None and table.game.rules.hidden_plays
        return {**action, "suitIndex": -1, "rank": -1} if own or hidden else action

    async def _do_getGameInfo1(self, name: str, fields: dict[str, Any], table: Table) -> None:  # noqa: N802
        if table.game is None:
            return
        seat = table.players.index(name) if name in table.players else -1
        await self._tell(
            name,
            "init",
            tableID=table.id,
            playerNames=table.players,
            ourPlayerIndex=seat,
            spectating=seat < 0,
            shadowing=False,
            replay=table.replay,
            databaseID=-1,
            hasCustomSeed=False,
            seed=f"p{len(table.players)}v0s{self.seeds}",
            options=table.options,
            characterAssignments=[],
            paused=table.paused,
            pausePlayerIndex=-1,
            pauseQueued=False,
            newThing=7,
        )

    async def _do_getGameInfo2(self, name: str, fields: dict[str, Any], table: Table) -> None:  # noqa: N802
        shown = [self._scrubbed(table, each, name) for each in table.log]
        await self._tell(name, "gameActionList", tableID=table.id, list=shown)
        connected = [each in table.present for each in table.players]
        await self._tell(name, "connected", tableID=table.id, list=connected)
        await self._clock(table, name)
        await self._tell(name, "voteChange", vote=False)
        await self._tell(name, "spectators", tableID=table.id, spectators=[])

    async def _clock(self, table: Table, name: str) -> None:
        assert table.game is not None
        each = 1000 * table.options["timeBase"] if table.options["timed"] else -1199
        times = [each] * len(table.players)
        active = table.game.player
        await self._tell(
            name, "clock", tableID=table.id, times=times, activePlayerIndex=active, timeTaken=0
        )

    async def _do_loaded(self, name: str, fields: dict[str, Any], table: Table) -> None:
        table.loaded.add(name)

    async def _do_action(self, name: str, fields: dict[str, Any], table: Table) -> None:
        game = table.game
        if game is None or table.replay or name not in table.players:
            await self._warn(name, "You are not playing at that table.")
        elif table.paused:
            await self._warn(name, "You cannot perform actions when the game is paused.")
        elif table.players[game.player] != name:
            await self._warn(name, "It is not your turn, so you cannot perform an action.")
        else:
            action = self._read(table, fields)
            number = action.number(game.state) if action else None
            if action is None or number not in [a.number(game.state) for a in game.legal_actions()]:
                await self._warn(name, "That is not a legal action.")
            else:
                await self.take_turn(table, action)

    @staticmethod
    def _read(table: Table, fields: dict[str, Any]) -> Action | None:
        assert table.game is not None
        kind, target = fields.get("type"), fields.get("target", 0)
        if kind in (0, 1):
            hand = table.orders[table.game.player]
            if target not in hand:
                last = table.game.rules.deck_size - 1
                return Action.play(len(hand)) if kind == 0 and target == last else None
            return (Action.play, Action.discard)[kind](hand.index(target))
        if kind == 2:
            return Action.hint_suit(target, colours_of(table.game.rules)[fields["value"]])
        return Action.hint_rank(target, fields["value"]) if kind == 3 else None

    async def take_turn(self, table: Table, action: Action) -> None:
        """Carry out a legal action and tell those who are there."""
        game = table.game
        assert game is not None
        seat, turn = game.player, game.turn
        before = game.rules.deck_size - game.state.draw_pile
        event = game.act(action)
        actions = self._turn_actions(table, event, action, seat, before, turn)
        over = game.is_over
        status = {"type": "status", "clues": game.state.hint_tokens, "score": game.score}
        actions.append({**status, "maxScore": 25})
        if over:
            end = STRIKES if game.end == "lives" else NORMAL
            actions.append({"type": "gameOver", "endCondition": end, "playerIndex": -1})
        following = -1 if over else game.player
        actions.append({"type": "turn", "num": game.turn, "currentPlayerIndex": following})
        await self._publish(table, actions)
        if over:
            await self._finish(table)

    def _turn_actions(
        self, table: Table, event: Event, action: Action, seat: int, before: int, turn: int
    ) -> list[dict[str, Any]]:
        if action.type.startswith("hint"):
            rank = action.type == "hint_rank"
            colours = colours_of(table.game.rules) if table.game else []
            value = action.value if rank else colours.index(action.value)
            hand = table.orders[action.target]
            touched = [order for slot, order in enumerate(hand) if event.touched >> slot & 1]
            clue = {"type": int(rank), "value": value}
            place = {"giver": seat, "target": action.target, "turn": turn}
            return [{"type": "clue", "clue": clue, "list": touched, **place}]
        hand, actions = table.orders[seat], []
        if action.slot == len(hand):
            actions.append(self._card_action(table, "draw", seat, before))
            hand.append(before)
        order = hand.pop(action.slot)
        assert table.game is not None
        inverted = is_inverted(table.game.deck, order)
        failed = (event.kind == PLAY) != inverted and not event.lit
        if failed:
            actions.append({"type": "strike", "num": 1, "turn": turn, "order": order})
        kind = "play" if event.lit else "discard"
        more = {} if event.lit else {"failed": failed}
        actions.append(self._card_action(table, kind, seat, order, **more))
        if event.drew and order != before:
            hand.append(before)
            actions.append(self._card_action(table, "draw", seat, before))
        return actions

    async def _publish(self, table: Table, actions: list[dict[str, Any]]) -> None:
        table.log += actions
        for action in actions:
            for name in [each for each in table.players if each in table.loaded]:
                shown = self._scrubbed(table, action, name)
                await self._tell(name, "gameAction", tableID=table.id, action=shown)
            if action["type"] == "play":
                await self._tell_all("tableProgress", tableID=table.id, progress=50)
        for name in list(table.loaded):
            await self._clock(table, name)

    async def end(self, table: Table, condition: int) -> None:
        """End a game early: terminated, voted, idle and so on."""
        assert table.game is not None
        end = {"type": "gameOver", "endCondition": condition, "playerIndex": -1}
        turn = {"type": "turn", "num": table.game.turn, "currentPlayerIndex": -1}
        await self._publish(table, [end, turn])
        await self._finish(table)

    async def _finish(self, table: Table) -> None:
        """Turn the table into a shared replay with the same number."""
        assert table.game is not None
        table.replay = True
        await self._tell_all("tableGone", tableID=table.id)
        table.spectators = [name for name in table.players if name in table.present]
        table.owner = table.spectators[0] if table.spectators else table.owner
        rules = table.game.rules
        deck = [
            {"suitIndex": card // rules.ranks, "rank": rules.printed_ranks[card]}
            for card in table.game.deck
        ]
        self.next_game += 1
        for name in table.spectators:
            await self._tell(name, "cardIdentities", tableID=table.id, cardIdentities=deck)
            await self._tell(
                name,
                "finishOngoingGame",
                tableID=table.id,
                databaseID=self.next_game,
                sharedReplayLeader=table.owner,
            )
        await self._changed(table)
        await self._tell_spectators(table)

    async def _tell_spectators(self, table: Table) -> None:
        watching = [{"name": name} for name in table.spectators]
        for name in table.spectators:
            await self._tell(name, "spectators", tableID=table.id, spectators=watching)

    async def _do_tableUnattend(self, name: str, fields: dict[str, Any], table: Table) -> None:  # noqa: N802
        table.loaded.discard(name)
        table.present.discard(name)
        if name in table.spectators:
            table.spectators.remove(name)
            await self._tell_spectators(table)
        if table.replay and not table.spectators:
            del self.tables[table.id]
            await self._tell_all("tableGone", tableID=table.id)

    async def _do_tableReattend(self, name: str, fields: dict[str, Any], table: Table) -> None:  # noqa: N802
        if name not in table.players:
            await self._warn(name, "You are not at that table.")
        elif table.game is None:
            await self._tell(name, "joined", tableID=table.id)
        else:
            table.present.add(name)
            await self._tell(name, "tableStart", tableID=table.id, replay=False)

    async def _do_tableTerminate(self, name: str, fields: dict[str, Any], table: Table) -> None:  # noqa: N802
        if table.game is not None and not table.replay:
            await self.end(table, TERMINATED)

    async def _do_tableRestart(self, name: str, fields: dict[str, Any], table: Table) -> None:  # noqa: N802
        if name != table.owner or len(table.spectators) < 2:
            await self._warn(name, "You cannot restart this game.")
            return
        again = Table(self.next_table, table.name, name, {**table.options, "numPlayers": 0})
        again.players = list(table.spectators)
        self.next_table += 3
        del self.tables[table.id]
        self.tables[again.id] = again
        for name in again.players:
            await self._tell(name, "boot", TableID=table.id)
        await self._tell_all("tableGone", tableID=table.id)
        for name in again.players:
            await self._tell(name, "joined", tableID=again.id)
        await self._begin(again)

    async def _do_note(self, name: str, fields: dict[str, Any], table: Table) -> None:
        table.notes.setdefault(name, {})[fields["order"]] = fields["note"]

    async def set_pause(self, table: Table, *, active: bool) -> None:
        """Pause the game, or let it go on."""
        table.paused = active
        for name in table.players:
            await self._tell(name, "pause", tableID=table.id, active=active, playerIndex=0)
