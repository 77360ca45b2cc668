"""A strategy in one seat of a game that others run; it acts when asked and sees every turn."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_int64, c_void_p

from hanabilab.core.invoke import restart
from hanabilab.core.random import coin_stream
from hanabilab.core.record import assign, pack, unpack
from hanabilab.game.actions import Event
from hanabilab.game.deck import COINS
from hanabilab.game.state import State
from hanabilab.game.view import View
from hanabilab.strategies.seats import Seats, choose, hide, see_start, see_turn, take_seat
from hanabilab.strategies.strategy import Memory, Strategy

__all__ = ["Partner"]


class Partner:
    """One strategy in one seat, interpreted unless it is too slow for that.

    It plays exactly as in `hanabilab.table.play.play` with the same seed and game number, and is
    given copies, so that nothing it does affects the game.
    """

    def __init__(self, strategy: Strategy, player: int, seed: int, game: int) -> None:
        self.strategy = strategy
        self.player = player
        self._seats = Seats()
        take_seat(self._seats, player, strategy, None)
        coins = coin_stream(seed, game, COINS + player)
        restart(self.memory, self._seats.templates[player], 0, coins)
        self.before = self.memory
        """The memory from which it chose its last action."""

    @property
    def memory(self) -> Memory:
        """What the strategy remembers."""
        memory: Memory = self._seats.memories[self.player]
        return memory

    def begin(self, state: State) -> None:
        """See the table before the first turn."""
        see_start(_copy(state), self.player, self._seats, View())

    def act(self, state: State) -> int:
        """Choose an action."""
        self.before = self.memory.copy()
        if self.strategy.slow:
            return self._act_compiled(self._view(state))
        return choose(_copy(state), self.player, self._seats, View())

    def follow(self, state: State) -> None:
        """Pass a turn in which it acted, when a game is resumed.

        A slow strategy is not asked again: its memory holds only its coins.
        """
        if self.strategy.slow:
            self.before = self.memory.copy()
        else:
            self.act(state)

    def observe(self, state: State, event: Event) -> None:
        """See a turn."""
        see_turn(_copy(state), event.copy(), self.player, self._seats, View(), Event())

    def why(self, state: State, action: int, reader: int | None = None) -> str:
        """Explain its last action to a player at the table; `state` is from before the action."""
        return self.strategy.explain(self._view(state), self.before, action, reader)

    def _view(self, state: State) -> View:
        view = _copy(state)
        hide(view, self.player, self._seats)
        return view

    def _act_compiled(self, view: View) -> int:
        """Call the same machine code as the loops."""
        from hanabilab.core import native

        records = native.record_type(View), native.record_type(self.strategy.memory)
        address = native.compile_callback(self.strategy.act, native.integer, *records)
        act = CFUNCTYPE(c_int64, c_void_p, c_void_p)(address)
        seen, memory = pack(view), pack(self.memory)
        action: int = act(seen.ctypes.data, memory.ctypes.data)
        unpack(self.memory, memory[0])
        return action


def _copy(state: State) -> View:
    view = View.__new__(View)
    assign(view, state)
    return view
