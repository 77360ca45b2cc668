"""Play with a strategy under observation: what it writes to, how long it takes, what it answers."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from hanabilab.core.random import coin_stream
from hanabilab.core.record import Record
from hanabilab.game.actions import Event
from hanabilab.game.deck import COINS, Deck
from hanabilab.game.view import View
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Memory, Strategy
from hanabilab.table.game import Game

__all__ = ["Choice", "DoubtError", "Witness", "answers"]

PATIENCE = 0.02

Result = TypeVar("Result")


class DoubtError(Exception):
    """Something that a strategy must not do: which question it fails, and where."""

    def __init__(self, question: str, detail: str) -> None:
        super().__init__(detail)
        self.question, self.detail = question, detail


class Choice(NamedTuple):
    """What a player would do in a turn, and what was done, by their numbers."""

    turn: int
    player: int
    given: int
    recorded: int | None


class Witness:
    """Watches the calls of a strategy's functions."""

    def __init__(self, strategy: Strategy, limit: float) -> None:
        self.limit = limit
        """Seconds that one call may take."""
        self.written = ""
        """The first thing that was written where it must not be."""
        self.strategy = self._watched(strategy)
        self._since: float | None = None
        self._allowed = limit
        self._where = ""

    def _watched(self, strategy: Strategy) -> Strategy:
        """Return the strategy with functions that report to this witness."""
        watched: dict[str, Any] = {"act": self._watching("act", strategy.act)}
        if strategy.observe:
            watched["observe"] = self._watching("observe", strategy.observe)
        if strategy.begin:
            watched["begin"] = self._watching("begin", strategy.begin)
        return dataclasses.replace(strategy, **watched)

    def _watching(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(view: View, *others: Any) -> Any:
            *shown, memory = (view, *others)
            before = [each.copy() for each in shown]
            where = f"in turn {view.turn + 1}, player {view.observer}"
            with self.thinking(where, self.limit):
                answer = function(view, *others)
            for now, then in zip(shown, before, strict=True):
                self._compare(name, now, then, where)
            self._find_undeclared(name, memory, where)
            return answer

        return call

    @contextmanager
    def thinking(self, where: str, allowed: float) -> Iterator[None]:
        """Note that the strategy is at work, and where."""
        self._where, self._allowed, self._since = where, allowed, time.monotonic()
        try:
            yield
        finally:
            self._since = None

    def _compare(self, name: str, now: Record, then: Record, where: str) -> None:
        if self.written:
            return
        for field, value in then.items():
            if getattr(now, field) != value:
                kind = "event" if isinstance(now, Event) else "view"
                self.written = f"{name} writes to {kind}.{field} {where}; work with a copy"
                return

    def _find_undeclared(self, name: str, memory: Memory, where: str) -> None:
        for field in getattr(memory, "__dict__", {}):
            if field not in memory.fields and not self.written:
                self.written = (
                    f"{name} writes to memory.{field} {where}, which is not declared; "
                    f"write {field}: int in your Memory"
                )

    def attend(self, work: Callable[[], Result]) -> Result:
        """Do some work in another thread; raise if the strategy does not answer in time.

        A thread that does not answer is left behind: nothing can end it.
        """
        results: list[Result] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                results.append(work())
            except BaseException as error:  # passed on to whoever waits
                errors.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(PATIENCE)
            since, allowed = self._since, self._allowed
            if since is not None and time.monotonic() - since > allowed and thread.is_alive():
                raise DoubtError("ends", f"no answer after {allowed:.0f} seconds {self._where}")
        self._since = None
        if errors:
            raise errors[0]
        return results[0]


def answers(
    strategy: Strategy,
    played: Game,
    deck: Deck,
    seed: int,
    number: int,
    asked: Collection[int],
    last: int | None = None,
    compiled: bool = False,
) -> Iterator[Choice]:
    """Show players a recorded game, and yield what they would do on their turns.

    Whatever they answer, the recorded actions are taken, on a deck that may hold other cards where
    the player in question cannot see them. Only the players who are `asked` sit at the table. The
    action of turn `last` is not taken.
    """
    coins = {player: coin_stream(seed, number, COINS + player) for player in asked}
    seats = {
        player: Seat(strategy, player, stream, compiled=compiled)
        for player, stream in coins.items()
    }
    game = Game(played.rules, deck)
    for seat in seats.values():
        seat.begin(game.state)
    for action in played.actions:
        if game.player in seats:
            answer = seats[game.player].act(game.state)
            yield Choice(game.turn, game.player, answer, action.number(game.state))
        if game.turn == last:
            return
        event = game.act(action)
        for seat in seats.values():
            seat.observe(game.state, event)
