"""One live table: people and strategies in their seats, each shown what that seat may see."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from hanabilab.errors import ActionError, HanabiError, SaveError
from hanabilab.table.players import Partner
from hanabilab.web.connections import Connection
from hanabilab.web.game_codes import encode_game
from hanabilab.web.live.setup import Setup
from hanabilab.web.live.shared_game import SharedGame
from hanabilab.web.messages import Fields, JsonObject, error_text, safe_number, write_object

if TYPE_CHECKING:
    from hanabilab.web.live.tables import LiveTables

__all__ = ["LiveTable"]

LOG = logging.getLogger("uvicorn.error")

Confirm = Callable[[int], None]


class LiveTable:
    """A table in memory and whoever is connected to it."""

    def __init__(self, tables: LiveTables, name: str, setup: Setup, shared: SharedGame) -> None:
        self.tables, self.name = tables, name
        self.setup, self.shared = setup, shared
        self.connections: dict[Connection, int | None] = {}
        self.lock = asyncio.Lock()
        self.playing: asyncio.Task[None] | None = None

    def join(self, connection: Connection, seat: int | None) -> None:
        """Add a connection: a seat, or a spectator."""
        self.connections[connection] = seat

    async def welcome(self, connection: Connection) -> None:
        """Tell everybody who is present, and tell the newcomer how the game stands."""
        async with self.lock:
            seat = self.connections.get(connection)
            self.introduce([connection] if seat is None else list(self.connections))
            turns = self.shared.turns_for(seat)
            connection.send({"type": "turns", "turns": turns})
            await self.show([connection])
        self.wake()

    def leave(self, connection: Connection) -> None:
        """Remove a connection; only a player who goes is news to the others."""
        if self.connections.pop(connection, None) is not None:
            self.introduce(list(self.connections))
        if not self.connections and (partner := self.shared.partner_to_move):
            partner.hurry()  # nobody waits for it
        self.settle()

    def settle(self) -> None:
        """Drop the table from memory if nobody is connected and nobody is about to act."""
        idle = self.playing is None and not self.lock.locked()
        if idle and not self.connections:
            self.tables.drop(self)

    def introduce(self, connections: list[Connection]) -> None:
        """Tell these who sits where and who is present."""
        self.send_each(connections, self.introduction)

    def send_each(
        self, connections: list[Connection], message: Callable[[int | None], JsonObject]
    ) -> None:
        """Send each connection its viewer's message, written once for each viewer."""
        texts: dict[int | None, str] = {}
        for one in connections:
            if one in self.connections:
                viewer = self.connections[one]
                if viewer not in texts:
                    texts[viewer] = write_object(message(viewer))
                one.send_text(texts[viewer])

    def introduction(self, viewer: int | None) -> JsonObject:
        """Return who sits where and who is present, for a viewer."""
        windows = Counter(self.connections.values())
        setup = self.setup
        told_seed = setup.tells_seed(viewer)
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
            "practice": setup.practice,
            "timer": setup.timer,
            "given": setup.given_deck,
            "seed": safe_number(setup.seed) if told_seed else None,
            "game": safe_number(setup.game) if told_seed else None,
            "warning": setup.warning,
        }

    async def show(self, connections: list[Connection]) -> None:
        """Send each connection its viewer's board, and the result if the game is over."""
        viewers = {self.connections[one] for one in connections if one in self.connections}
        texts = await self.tables.in_thread(
            lambda: {viewer: write_object(self.board_message(viewer)) for viewer in viewers}
        )
        for one in connections:
            if one in self.connections:
                one.send_text(texts[self.connections[one]])
        if self.shared.game.is_over:
            ending = self.ending()
            self.send_each(connections, lambda viewer: ending)

    def board_message(self, viewer: int | None) -> JsonObject:
        """Return the board message for a viewer."""
        return {
            "type": "board",
            "board": self.shared.board_for(viewer),
            "can_undo": self.can_undo(viewer),
            "thinking": self.shared.partner_to_move is not None,
            "seconds_left": self.shared.seconds_left(),
        }

    def ending(self) -> JsonObject:
        """Return the final message, with the whole game."""
        game = self.shared.game
        code = encode_game(game, self.setup.cast)
        told_seed = self.setup.known_seed and not self.setup.given_deck
        return {
            "type": "over",
            "score": game.score,
            "end": game.end,
            "code": code,
            "replay": f"/watch?code={code}",
            "seed": safe_number(self.setup.seed) if told_seed else None,
            "game_number": safe_number(self.setup.game) if told_seed else None,
            "game": game.to_dict(),
        }

    def can_undo(self, seat: int | None) -> bool:
        """Tell whether this viewer may take back a turn: in practice, until the deck is shown."""
        return (
            self.setup.practice
            and not self.shared.game.is_over
            and seat is not None
            and self.shared.turn_before(seat) is not None
        )

    async def act(self, seat: int | None, fields: Fields, confirm: Confirm) -> None:
        """Take a person's action; once it is on disk, confirm it with the number of turns."""
        turn: int = fields.whole("turn", 0, 1 << 30)
        action = fields.take("action")
        fields.finish()
        if seat is None:
            raise ActionError("spectators cannot act")
        async with self.lock:
            game = self.shared.game
            if turn != game.turn:
                raise ActionError(f"turn: {turn} is not the current turn, {game.turn}")
            if not game.is_over and game.player != seat:
                raise ActionError(f"it is {self.setup.called[game.player]}'s turn, not yours")
            number = self.shared.number_of(action)
            await self.keep(number, confirm)

    async def keep(self, number: int, confirm: Confirm) -> None:
        """Save an action and confirm it, then take it and show it."""
        await asyncio.wrap_future(self.tables.store.act(self.name, self.shared.game.turn, number))
        confirm(self.shared.game.turn + 1)
        shared = self.shared
        await self.tables.in_thread(lambda: shared.take(number))
        await self.show(list(self.connections))

    async def undo(self, seat: int | None, confirm: Confirm) -> None:
        """Go back to this player's previous turn."""
        async with self.lock:
            if not self.setup.practice:
                raise ActionError("turns can only be taken back in practice")
            if self.shared.game.is_over:
                raise ActionError("the game is over, and its deck has been shown")
            turn = None if seat is None else self.shared.turn_before(seat)
            if turn is None:
                raise ActionError("there is no turn of yours to take back")
            await asyncio.wrap_future(self.tables.store.undo(self.name, turn))
            confirm(turn)
            setup, numbers = self.setup, self.shared.numbers[:turn]
            self.shared = await self.tables.in_thread(lambda: SharedGame(setup, numbers))
            await self.show(list(self.connections))

    async def look(self, seat: int | None, fields: Fields) -> JsonObject:
        """Return the board as this viewer saw it after an earlier turn."""
        turn: int = fields.whole("turn", 0, 1 << 30)
        fields.finish()
        shared = self.shared
        shown = await self.tables.in_thread(lambda: shared.board_after(seat, turn))
        return {"type": "look", "turn": turn, "board": shown}

    def hurry(self, seat: int | None) -> int:
        """Make the strategy that is thinking act at once; return the turn it is in."""
        if seat is None:
            raise ActionError("spectators cannot hurry anybody")
        if partner := self.shared.partner_to_move:
            partner.hurry()
        return self.shared.game.turn

    def wake(self) -> None:
        """Let the strategies act if it is their turn."""
        if self.shared.partner_to_move and self.playing is None:
            self.playing = asyncio.create_task(self.play_on())

    async def play_on(self) -> None:
        """Take the strategies' turns until it is a person's."""
        status = ""
        try:
            while self.connections and (partner := self.shared.partner_to_move):
                if partner.strategy.slow and not status:
                    status = f"{partner.strategy.name} is thinking"
                    self.say({"type": "status", "words": status})
                async with self.lock:
                    if self.shared.partner_to_move:
                        await self.keep(await self.choose(partner), lambda turn: None)
        except HanabiError as error:
            self.say({"type": "error", "id": None, "error": error_text(error)})
            if isinstance(error, SaveError):
                self.tables.drop(self)
        except Exception:
            LOG.exception("a strategy failed to act")
            self.say({"type": "error", "id": None, "error": "something went wrong in the server"})
        finally:
            self.playing = None
            if status:
                self.say({"type": "status", "words": ""})
            self.settle()

    async def choose(self, partner: Partner) -> int:
        """Return what the strategy to move does; one that thinks for long waits for its turn."""
        if not partner.strategy.slow:
            return await self.tables.in_thread(self.shared.choose)
        client = next((connection.client for connection in self.connections), "")
        async with self.tables.thinking.place(client, lambda ahead: None):
            return await self.tables.in_thread(self.shared.choose, slow=True)

    def say(self, message: JsonObject) -> None:
        """Send a message to everybody who is connected."""
        for connection in self.connections:
            connection.send(message)
