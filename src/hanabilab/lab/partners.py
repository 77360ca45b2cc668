"""A strategy in a seat of a game that others run: it acts when asked and sees every turn."""

from __future__ import annotations

from hanabilab.core.random import coin_stream
from hanabilab.game.actions import Event
from hanabilab.game.deck import COINS
from hanabilab.game.state import State
from hanabilab.lab.reasons import eyes
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Memory, Strategy

__all__ = ["Partner"]


class Partner:
    """One strategy in one seat, interpreted unless it is too slow for that.

    It plays exactly as in `hanabilab.lab.play.play` with the same seed and game number.
    """

    def __init__(self, strategy: Strategy, player: int, seed: int, game: int) -> None:
        self.strategy = strategy
        self.player = player
        stream = coin_stream(seed, game, COINS + player)
        self.seat = Seat(strategy, player, stream, compiled=strategy.slow)
        self.before = self.memory
        """The memory with which it explains its last action."""

    @property
    def memory(self) -> Memory:
        """What it remembers now."""
        return self.seat.memory

    def begin(self, state: State) -> None:
        """See the table before the first turn."""
        self.seat.begin(state)

    def act(self, state: State) -> int:
        """Choose an action."""
        self.before = self.memory
        action = self.seat.act(state)
        if self.strategy.explains_afterwards:
            self.before = self.memory
        return action

    def hurry(self) -> None:
        """Make it act at once, if it is thinking; called from another thread."""
        self.seat.hurry()

    def follow(self, state: State) -> None:
        """Come to the turn in which it acted, when a game is taken up again.

        A slow strategy does not think it all over.
        """
        if self.strategy.slow:
            self.before = self.memory
        else:
            self.act(state)

    def why(self, state: State, action: int, reader: int) -> str:
        """Why it chose this action, for a player at the table; `state` is from before it."""
        view = eyes(state, self.player, self.strategy)
        return self.strategy.explain(view, self.before, action, reader)

    def observe(self, state: State, event: Event) -> None:
        """See a turn."""
        self.seat.observe(state, event)
