"""A strategy in one seat of a game that others run: it acts when asked and sees every turn."""

from __future__ import annotations

from hanabilab.core.random import coin_stream
from hanabilab.formats.speech import NUMBERED, Speech
from hanabilab.game.actions import Event
from hanabilab.game.deck import COINS
from hanabilab.game.state import State
from hanabilab.game.view import view_of
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Memory, Strategy

__all__ = ["Partner"]


class Partner:
    """One strategy in one seat, interpreted unless it is too slow for that.

    It plays exactly as in `hanabilab.table.play.play` with the same seed and game number, and is
    given copies, so that nothing it does touches the game.
    """

    def __init__(self, strategy: Strategy, player: int, seed: int, game: int) -> None:
        self.strategy = strategy
        self.player = player
        coins = coin_stream(seed, game, COINS + player)
        self._seat = Seat(strategy, player, coins, compiled=strategy.slow)
        self.before = self.memory
        """The memory with which it explains its last action."""

    @property
    def memory(self) -> Memory:
        """A copy of what it remembers now."""
        return self._seat.memory

    def begin(self, state: State) -> None:
        """See the table before the first turn."""
        self._seat.begin(state)

    def act(self, state: State) -> int:
        """Choose an action."""
        self.before = self.memory
        action = self._seat.act(state)
        if self.strategy.explains_afterwards:
            self.before = self.memory
        return action

    def hurry(self) -> None:
        """Make it act at once if it is thinking; call this from another thread."""
        self._seat.hurry()

    def follow(self, state: State) -> None:
        """Come to the turn in which it acted, when a game is taken up again.

        A slow strategy does not think again, nor does another program.
        """
        if self.strategy.slow or self.strategy.elsewhere:
            self.before = self.memory
        else:
            self.act(state)

    def observe(self, state: State, event: Event) -> None:
        """See a turn."""
        self._seat.observe(state, event)

    def why(
        self, state: State, action: int, reader: int | None = None, speech: Speech = NUMBERED
    ) -> str:
        """Explain its last action, for a player at the table; `state` is from before it."""
        view = view_of(state, self.player)
        if self.strategy.sees_own_cards:
            view.hands[self.player] = state.hands[self.player]
        return self.strategy.explain(view, self.before, action, reader, speech)
