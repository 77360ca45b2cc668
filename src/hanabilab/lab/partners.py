"""A strategy in a seat of a game that others run: it acts when asked and sees every turn."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_int64, c_void_p

from hanabilab.core.record import pack, unpack
from hanabilab.game.actions import Event
from hanabilab.game.state import State
from hanabilab.game.view import View
from hanabilab.lab.reasons import eyes, first_memory
from hanabilab.strategies.seats import answering_whole_numbers
from hanabilab.strategies.strategy import Strategy

__all__ = ["Partner"]


class Partner:
    """One strategy in one seat, interpreted unless it is too slow for that.

    It plays exactly as in `hanabilab.lab.play.play` with the same seed and game number.
    """

    def __init__(self, strategy: Strategy, player: int, seed: int, game: int) -> None:
        self.strategy = strategy
        self.player = player
        self.memory = first_memory(strategy, player, seed, game)
        self.before = self.memory
        """The memory with which it chose its last action."""

    def begin(self, state: State) -> None:
        """See the table before the first turn."""
        if self.strategy.begin:
            self.strategy.begin(self._view(state), self.memory)

    def act(self, state: State) -> int:
        """Choose an action."""
        view = self._view(state)
        self.before = self.memory.copy()
        if self.strategy.slow:
            return self._act_compiled(view)
        return answering_whole_numbers(self.strategy)(view, self.memory)

    def follow(self, state: State) -> None:
        """Come to the turn in which it acted, when a game is taken up again.

        A slow strategy does not think it all over: its memory is only its coins.
        """
        if self.strategy.slow:
            self.before = self.memory.copy()
        else:
            self.act(state)

    def why(self, state: State, action: int, reader: int) -> str:
        """Why it chose this action, for a player at the table; `state` is from before it."""
        return self.strategy.explain(self._view(state), self.before, action, reader)

    def observe(self, state: State, event: Event) -> None:
        """See a turn."""
        watched = self.strategy.observe and self.strategy.watches >> event.kind & 1
        if self.strategy.observe and watched:
            self.strategy.observe(self._view(state), event.copy(), self.memory)

    def _view(self, state: State) -> View:
        return eyes(state, self.player, self.strategy)

    def _act_compiled(self, view: View) -> int:
        """Call the machine code that the loops of the lab call too."""
        from hanabilab.core import native

        records = native.record_type(View), native.record_type(self.strategy.memory)
        address = native.compile_callback(self.strategy.act, native.integer, *records)
        act = CFUNCTYPE(c_int64, c_void_p, c_void_p)(address)
        seen, memory = pack(view), pack(self.memory)
        action: int = act(seen.ctypes.data, memory.ctypes.data)
        unpack(self.memory, memory[0])
        return action
