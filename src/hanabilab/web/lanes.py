"""Lanes in which work waits for its turn: no client can fill one alone.

In every lane one place is kept for whoever has none in it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

__all__ = ["Lane"]


@dataclass(eq=False, slots=True)
class WaitingPlace:
    """Somebody's work in a lane."""

    client: str
    turn: asyncio.Future[None]
    tell_ahead: Callable[[int], None]


class Lane:
    """Work of one kind: some is being done, the rest waits in order."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._running: Counter[str] = Counter()
        self._waiting: list[WaitingPlace] = []

    @contextlib.asynccontextmanager
    async def place(self, client: str, tell_ahead: Callable[[int], None]) -> AsyncIterator[None]:
        """Wait for a place and hold it; `tell_ahead` learns how much comes before."""
        mine = WaitingPlace(client, asyncio.get_running_loop().create_future(), tell_ahead)
        self._waiting.append(mine)
        self._advance()
        try:
            await mine.turn
            yield
        finally:
            if mine in self._waiting:
                self._waiting.remove(mine)
            else:
                self._running[client] -= 1
                self._running += Counter()  # forget those who have none
            self._advance()

    def _advance(self) -> None:
        """Give free places to those who wait, and tell the others how many are before them."""
        for place in list(self._waiting):
            if self._running.total() < self.places and self._may_start(place.client):
                self._waiting.remove(place)
                self._running[place.client] += 1
                if not place.turn.done():
                    place.turn.set_result(None)
        for before, place in enumerate(self._waiting):
            place.tell_ahead(before + self._running.total())

    def _may_start(self, client: str) -> bool:
        return self._running[client] < max(1, self.places - 1)
