"""Live tables: created, loaded into memory, played at, and unloaded again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from hanabilab.errors import ActionError, FormatError, HanabiError, SaveError
from hanabilab.formats.stage_svg import plays_are_hidden
from hanabilab.strategies.seats import Seat
from hanabilab.table.game import Game
from hanabilab.web.catalog import agreed_level
from hanabilab.web.clients import BusyError, Connection, FairQueue, HourlyQuota
from hanabilab.web.game_requests import encode_game
from hanabilab.web.live.setup import Setup, read_continuation, read_setup
from hanabilab.web.live.shared_game import SharedGame
from hanabilab.web.live.store import Store
from hanabilab.web.live.talk import Talk
from hanabilab.web.schema import JsonObject, RequestFields, dump_json, error_text, safe_integer

__all__ = ["LiveTable", "LiveTables"]

MAX_STATUS_TABLES = 50
"""Tables in one request for their status."""
LOG = logging.getLogger("uvicorn.error")
Confirm = Callable[[int], None]
THREADS = 2
"""More would only take Python's lock from the thread that confirms actions."""
SLOW_THREADS = 3
"""Slow strategies that think at a time."""
MAX_WARNINGS = 4
"""Actions that the coach judges at a time; further ones are not judged, so that nobody waits."""
STATUS_CONCURRENCY = 2
"""Requests for the status of tables that are answered at a time."""
ID_BYTES = 12
NEW_TABLES = 600
"""Tables that one client may set up in an hour: too few to fill the file within a day."""
CLEANUP_INTERVAL = 3600.0
"""Seconds between two deletions of old tables."""
Result = TypeVar("Result")


class LiveTable:
    """A table in memory with its connections; each is sent only what its seat may see."""

    def __init__(self, tables: LiveTables, name: str, setup: Setup, shared: SharedGame) -> None:
        self.tables, self.name = tables, name
        self.setup, self.shared = setup, shared
        self.connections: dict[Connection, int | None] = {}
        self.lock = asyncio.Lock()
        self.strategy_task: asyncio.Task[None] | None = None
        self.warning_task: asyncio.Task[None] | None = None
        self.talk = Talk()
        self.rematches: dict[bool, str] = {}
        """The tables that continue this one: with the next deck, and with the same deck."""

    def join(self, connection: Connection, seat: int | None) -> None:
        """Add a connection: a seat, or a spectator."""
        self.connections[connection] = seat

    async def welcome(self, connection: Connection) -> None:
        """Send a new connection the whole game, and tell the others who is present."""
        async with self.lock:
            seat = self.connections.get(connection)
            self.send_seats(self.informed_of(seat, connection))
            turns = self.shared.turns_for(seat)
            connection.send({"type": "turns", "turns": turns})
            if self.talk.messages:
                connection.send({"type": "said", "messages": list(self.talk.messages)})
            await self.send_boards([connection])
        self.start_strategies()

    def leave(self, connection: Connection) -> None:
        """Remove a connection and tell the others who is present."""
        seat = self.connections.get(connection)
        if connection in self.connections:
            del self.connections[connection]
            self.send_seats(self.informed_of(seat, connection))
        if not self.connections and (partner := self.shared.partner_to_move):
            partner.hurry()  # no client waits for its action
        self.unload_if_idle()

    def informed_of(self, seat: int | None, connection: Connection) -> list[Connection]:
        """Return who is told that a connection came or went: of a spectator, only the players.

        Otherwise a thousand spectators would send a million messages.
        """
        if seat is not None:
            return list(self.connections)
        players = [one for one, viewer in self.connections.items() if viewer is not None]
        return [connection, *players]

    def unload_if_idle(self) -> None:
        """Unload the table if it has no connections and no pending action."""
        idle = self.strategy_task is None and not self.lock.locked()
        if idle and not self.connections:
            self.tables.unload(self)

    def send_seats(self, connections: list[Connection]) -> None:
        """Send who sits where and who is present."""
        self.send_each(connections, self.seats_message)

    def send_each(
        self, connections: list[Connection], message: Callable[[int | None], JsonObject]
    ) -> None:
        """Send each connection the message for its viewer, serialized once per viewer."""
        texts: dict[int | None, str] = {}
        for one in connections:
            if one in self.connections:
                viewer = self.connections[one]
                if viewer not in texts:
                    texts[viewer] = dump_json(message(viewer))
                one.send_text(texts[viewer])

    def seats_message(self, viewer: int | None) -> JsonObject:
        """Return the message about seats and presence for a viewer."""
        windows = Counter(self.connections.values())
        setup = self.setup
        seed_known = setup.reveals_seed(viewer)
        return {
            "type": "table",
            "table": self.name,
            "rules": setup.rules.to_dict(),
            "players": setup.rules.players,
            "seats": [
                {
                    "player": player,
                    "name": name,
                    "strategy": setup.roles[player] or None,
                    "human": player in setup.keys,
                    "here": windows[player] > 0 or player not in setup.keys,
                    "windows": windows[player],
                }
                for player, name in enumerate(setup.names(viewer))
            ],
            "you": viewer,
            "agreed_level": agreed_level(setup.strategies.values()),
            "practice": setup.practice,
            "timer": setup.timer,
            "given": setup.given_deck,
            "seed": safe_integer(setup.seed) if seed_known else None,
            "game": safe_integer(setup.game) if seed_known else None,
            "warning": setup.warning,
            "spectators": windows[None],
            "spectators_see_hands": setup.spectators_see_hands,
        }

    async def send_boards(self, connections: list[Connection]) -> None:
        """Send each connection its viewer's board, and the result if the game is over."""
        texts = await self.tables.in_thread(lambda: self._board_texts(connections))
        self._deliver_boards(connections, texts)

    def _board_texts(self, connections: list[Connection]) -> dict[int | None, str]:
        """Return the board message for each viewer among some connections."""
        present = dict(self.connections)
        viewers = {present[one] for one in connections if one in present}
        return {viewer: dump_json(self.board_update(viewer)) for viewer in viewers}

    def _deliver_boards(self, connections: list[Connection], texts: dict[int | None, str]) -> None:
        """Send boards that were drawn for some connections."""
        for one in connections:
            if one in self.connections:
                one.send_text(texts[self.connections[one]])
        if self.shared.game.is_over:
            end_message = self.end_message()
            self.send_each(
                connections,
                lambda viewer: {**end_message, "board": self.shared.open_board_for(viewer)},
            )

    def board_update(self, viewer: int | None) -> JsonObject:
        """Return the board message for a viewer."""
        return {
            "type": "board",
            "board": self.shared.board_for(viewer),
            "can_undo": self.can_undo(viewer),
            "thinking": self.shared.partner_to_move is not None,
            "seconds_left": self.shared.seconds_left(),
        }

    def end_message(self) -> JsonObject:
        """Return the final message, with the whole game."""
        game = self.shared.game
        code = encode_game(game, self.setup.participants)
        seed_known = self.setup.known_seed and not self.setup.given_deck
        return {
            "type": "over",
            "score": game.score,
            "end": game.end,
            "code": code,
            "replay": f"/watch?code={code}",
            "seed": safe_integer(self.setup.seed) if seed_known else None,
            "game_number": safe_integer(self.setup.game) if seed_known else None,
            "game": game.to_dict(),
        }

    def can_undo(self, seat: int | None) -> bool:
        """Return whether this viewer may take back a turn: in practice, until the deck is shown."""
        return (
            self.setup.practice
            and not self.shared.game.is_over
            and seat is not None
            and self.shared.last_turn_of(seat) is not None
        )

    async def act(self, seat: int | None, fields: RequestFields, confirm: Confirm) -> None:
        """Take a person's action; once it is on disk, confirm it with the number of turns."""
        turn: int = fields.integer("turn", 0, 1 << 30)
        action = fields.take("action")
        fields.finish()
        if seat is None:
            raise ActionError("spectators cannot act")
        async with self.lock:
            game = self.shared.game
            if turn != game.turn:
                raise ActionError(f"turn: {turn} is not the current turn, {game.turn}")
            if not game.is_over and game.player != seat:
                raise ActionError(f"it is {self.setup.seat_names[game.player]}'s turn, not yours")
            number = self.shared.action_number(action)
            await self.save_action(number, confirm)
        judged = self.setup.practice and not self.shared.game.is_over
        if judged and self.tables.pending_warnings < MAX_WARNINGS:
            self.warning_task = asyncio.create_task(self.warn(seat, turn + 1))

    async def warn(self, seat: int, turn: int) -> None:
        """Warn a person in practice of a blunder, unless the person has gone on or back since."""
        shared = self.shared
        self.tables.pending_warnings += 1
        try:
            found = await self.tables.in_thread(lambda: shared.warning_after(turn), slow=True)
        finally:
            self.tables.pending_warnings -= 1
        if found is None:
            return
        async with self.lock:  # an action may be confirmed and not applied yet
            if self.shared is shared and shared.last_turn_of(seat) == turn - 1:
                self.send_each(
                    [one for one, viewer in self.connections.items() if viewer == seat],
                    lambda viewer: found,
                )

    async def save_action(self, number: int, confirm: Confirm) -> None:
        """Save an action and confirm it, then apply it and send the boards."""
        await asyncio.wrap_future(self.tables.store.act(self.name, self.shared.game.turn, number))
        confirm(self.shared.game.turn + 1)
        shared, connections = self.shared, list(self.connections)

        def apply_and_draw() -> dict[int | None, str]:
            shared.apply(number)
            return self._board_texts(connections)

        # Together, because every change of threads makes the one that confirms actions wait.
        self._deliver_boards(connections, await self.tables.in_thread(apply_and_draw))

    async def undo(self, seat: int | None, confirm: Confirm) -> None:
        """Go back to this player's previous turn."""
        async with self.lock:
            if not self.setup.practice:
                raise ActionError("turns can only be taken back in practice")
            if self.shared.game.is_over:
                raise ActionError("the game is over, and its deck has been shown")
            turn = None if seat is None else self.shared.last_turn_of(seat)
            if turn is None:
                raise ActionError("you have no turn to take back")
            await asyncio.wrap_future(self.tables.store.undo(self.name, turn))
            confirm(turn)
            setup, numbers = self.setup, self.shared.numbers[:turn]
            self.shared = await self.tables.in_thread(lambda: SharedGame(setup, numbers))
            await self.send_boards(list(self.connections))

    async def board_after_turn(self, seat: int | None, fields: RequestFields) -> JsonObject:
        """Return the board as this viewer saw it after an earlier turn."""
        turn: int = fields.integer("turn", 0, 1 << 30)
        fields.finish()
        shared = self.shared
        shown = await self.tables.in_thread(lambda: shared.board_after(seat, turn))
        return {"type": "look", "turn": turn, "board": shown}

    async def advise(self, seat: int | None) -> JsonObject:
        """Return what the coach would do in a person's place, and why; in practice only."""
        shared = self.shared
        if seat is None or not self.setup.practice:
            raise ActionError("the coach can be asked in practice only")
        if shared.game.is_over or shared.game.player != seat:
            raise ActionError("the coach can be asked when it is your turn")
        return await self.tables.in_thread(lambda: shared.advice_for(seat))

    async def rematch(
        self, seat: int | None, connection: Connection, fields: RequestFields
    ) -> None:
        """Set up another game at the same seats, once, and tell everybody where it is.

        The keys to the seats stay the same, so nobody has to be invited again.
        """
        same_deck = fields.boolean("same_deck")
        fields.finish()
        if seat is None:
            raise ActionError("spectators cannot deal a rematch")
        if not self.shared.game.is_over:
            raise ActionError("a rematch can be dealt when the game is over")
        async with self.lock:
            if same_deck not in self.rematches:
                setup = await self.tables.in_thread(lambda: self.setup.again(same_deck=same_deck))
                self.rematches[same_deck] = await self.tables.store_new(connection.client, setup)
        self.send_each(
            list(self.connections),
            lambda viewer: {
                "type": "rematch",
                "table": self.rematches[same_deck],
                "same_deck": same_deck,
                "by": self.setup.names(viewer)[seat],
            },
        )

    def say(self, seat: int | None, fields: RequestFields) -> None:
        """Pass a player's message or reaction on to everybody."""
        if seat is None:
            raise ActionError("spectators cannot write")
        message = self.talk.say(seat, self.shared.game.turn, fields)
        self.broadcast({"type": "said", "messages": [message]})

    def hurry(self, seat: int | None) -> int:
        """Make the strategy that is thinking act at once; return the turn it is in."""
        if seat is None:
            raise ActionError("spectators cannot hurry anybody")
        if partner := self.shared.partner_to_move:
            partner.hurry()
        return self.shared.game.turn

    def start_strategies(self) -> None:
        """Start playing the strategies' turns, if one is to move."""
        if self.shared.partner_to_move and self.strategy_task is None:
            self.strategy_task = asyncio.create_task(self.play_strategies())

    async def play_strategies(self) -> None:
        """Play the strategies' turns until a person is to move."""
        status = ""
        try:
            while self.connections and (partner := self.shared.partner_to_move):
                if partner.strategy.slow and not status:
                    status = f"{partner.strategy.name} is thinking"
                    self.broadcast({"type": "status", "words": status})
                async with self.lock:
                    if self.shared.partner_to_move:
                        await self.save_action(await self.choose(partner), lambda turn: None)
        except HanabiError as error:
            self.broadcast({"type": "error", "id": None, "error": error_text(error)})
            if isinstance(error, SaveError):
                self.tables.unload(self)
        except Exception:
            LOG.exception("a strategy failed to act")
            self.broadcast(
                {"type": "error", "id": None, "error": "something went wrong in the server"}
            )
        finally:
            self.strategy_task = None
            if status:
                self.broadcast({"type": "status", "words": ""})
            self.unload_if_idle()

    async def choose(self, partner: Seat) -> int:
        """Return the action of the strategy to move; slow strategies wait in a queue."""
        if not partner.strategy.slow:
            return await self.tables.in_thread(self.shared.choose)
        client = next((connection.client for connection in self.connections), "")
        async with self.tables.thinking_queue.slot(client, lambda ahead: None):
            return await self.tables.in_thread(self.shared.choose, slow=True)

    def broadcast(self, message: JsonObject) -> None:
        """Send a message to every connection."""
        for connection in self.connections:
            connection.send(message)


class LiveTables:
    """All tables: on disk, and in memory while they have connections."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.creation_quota = HourlyQuota(NEW_TABLES)
        self.pending_warnings = 0
        self.open: dict[str, LiveTable] = {}
        self.loading: dict[str, asyncio.Task[LiveTable]] = {}
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="tables")
        self.status_queue, self.thinking_queue = (
            FairQueue(STATUS_CONCURRENCY),
            FairQueue(SLOW_THREADS),
        )
        self.slow_threads = ThreadPoolExecutor(SLOW_THREADS, thread_name_prefix="slow-tables")

    async def in_thread(self, work: Callable[[], Result], *, slow: bool = False) -> Result:
        """Run work in a thread pool; slow work has a pool of its own."""
        pool = self.slow_threads if slow else self.threads
        return await asyncio.get_running_loop().run_in_executor(pool, work)

    async def create(self, client: str, fields: RequestFields) -> JsonObject:
        """Set up a table for a client; return its name and its keys."""
        opening: list[int] = []
        if fields.has("from"):
            setup, keys, opening = await self.in_thread(lambda: read_continuation(fields))
        else:
            setup, keys = await self.in_thread(lambda: read_setup(fields))
        name = await self.store_new(client, setup)
        for turn, number in enumerate(opening):
            await asyncio.wrap_future(self.store.act(name, turn, number))
        return {
            "table": name,
            "seats": {str(player): key for player, key in keys.items()},
            "watch": f"/play?table={name}",
            "warning": setup.warning,
        }

    async def store_new(self, client: str, setup: Setup) -> str:
        """Save a new table of a client and return its name."""
        if await self.in_thread(self.store.is_full):
            raise BusyError("there are too many tables; come back later")
        self.creation_quota.take(client, f"{self.creation_quota.most} tables in an hour are enough")
        name = secrets.token_urlsafe(ID_BYTES)
        await asyncio.wrap_future(self.store.create(name, setup.to_dict()))
        return name

    async def statuses(self, client: str, fields: RequestFields) -> JsonObject:
        """Return the status of the tables that a request names."""
        names = fields.texts("tables", MAX_STATUS_TABLES, 40)
        fields.finish()
        async with self.status_queue.slot(client, lambda ahead: None):
            return {"tables": await asyncio.to_thread(table_statuses, self.store, names)}

    async def enter(self, name: str, key: str | None, connection: Connection) -> LiveTable:
        """Add a connection to the table of this name and return the table."""
        table = await self._find(name)
        seat = None if key is None else table.setup.seat_of(key)
        if key is not None and seat is None:
            table.unload_if_idle()
            raise FormatError("seat: this key opens no seat of this table")
        table.join(connection, seat)
        return table

    async def _find(self, name: str) -> LiveTable:
        """Return a table, loading it if needed; concurrent calls share one load."""
        if name not in self.open:
            if name not in self.loading:
                load = self.in_thread(lambda: self._load(name))
                self.loading[name] = asyncio.create_task(load)
            try:
                loaded = await asyncio.shield(self.loading[name])
            finally:
                self.loading.pop(name, None)
            self.open.setdefault(name, loaded)
        return self.open[name]

    def _load(self, name: str) -> LiveTable:
        found = self.store.load(name)
        if found is None:
            raise FormatError("no such table")
        setup = Setup.from_dict(found[0])
        return LiveTable(self, name, setup, SharedGame(setup, found[1]))

    def unload(self, table: LiveTable) -> None:
        """Unload a table and close its connections.

        After a failed save, the file is the truth: clients join again and see what it holds.
        """
        if self.open.get(table.name) is table:
            del self.open[table.name]
        for connection in list(table.connections):
            connection.close()

    async def delete_old_tables(self) -> None:
        """Delete old tables once an hour."""
        while True:
            with contextlib.suppress(HanabiError):
                await asyncio.wrap_future(self.store.delete_old())
            await asyncio.sleep(CLEANUP_INTERVAL)

    def close(self) -> None:
        """Stop the threads and write everything to disk."""
        for pool in (self.threads, self.slow_threads):
            pool.shutdown(wait=False, cancel_futures=True)
        self.store.close()


def table_statuses(store: Store, names: Iterable[str]) -> JsonObject:
    """Return the status of each of these tables, as any spectator can see it; skip missing ones."""
    found: JsonObject = {}
    for name in dict.fromkeys(names):
        saved = store.load(name)
        if saved is not None:
            found[name] = _table_status(Setup.from_dict(saved[0]), saved[1])
    return found


def _table_status(setup: Setup, numbers: list[int]) -> JsonObject:
    game = Game(setup.rules, setup.deck)
    for number in numbers:
        game.act(number)
    hidden = plays_are_hidden(game.state)
    return {
        "turn": game.turn,
        "player": game.player,
        "player_name": setup.seat_names[game.player],
        "score": None if hidden else game.score,
        "lives": None if hidden else game.lives,
        "end": game.end,
    }
