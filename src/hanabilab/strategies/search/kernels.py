"""The three functions of `search`."""

from __future__ import annotations

from hanabilab.core.clock import ticks
from hanabilab.core.invoke import ask, restart, tell
from hanabilab.core.kernel import kernel
from hanabilab.core.random import coin_stream
from hanabilab.game.actions import Event, announce, count_actions, is_legal
from hanabilab.game.view import View
from hanabilab.strategies.outlook import Outlook
from hanabilab.strategies.search.candidates import follow_blueprint, look_out
from hanabilab.strategies.search.history import remember_start, remember_turn
from hanabilab.strategies.search.mind import MOST_TURNS, Mind
from hanabilab.strategies.search.race import find_best
from hanabilab.strategies.search.worlds import prepare_worlds
from hanabilab.strategies.seats import given

__all__ = ["act", "begin", "observe"]

UNDECIDED = -1
OWN_COINS = 3
"""The purpose of the coins with which the blueprint follows the real game."""


@kernel
def begin(view: View, memory: Mind) -> int:
    """Start to follow the game as the blueprint would, and to keep it."""
    seats = memory.seats
    me = view.observer
    remember_start(view, memory)
    coins = coin_stream(memory.stream, 0, OWN_COINS)
    restart(memory.notes, seats.templates[me], seats.words[me], coins)
    if seats.begins[me]:
        ask(seats.begins[me], given(view, memory.shown, seats), memory.notes)
    return 0


@kernel
def observe(view: View, event: Event, memory: Mind) -> None:
    """Follow a turn."""
    seats = memory.seats
    me = view.observer
    remember_turn(view, event, memory)
    if (seats.watches[me] >> event.kind) & 1:
        seen = given(view, memory.shown, seats)
        tell(seats.observes[me], seen, given(event, memory.told, seats), memory.notes)


@kernel
def act(view: View, memory: Mind) -> int:
    """Play like another strategy, unless imagined games say clearly that an action is better."""
    outlook = memory.outlook
    memory.imagined = 0
    memory.best = 0
    outlook.count = 1
    outlook.actions[0] = UNDECIDED
    if view.draw_pile > memory.pile or memory.turns >= MOST_TURNS:
        return follow_blueprint(view, memory)
    look_out(view, memory)
    outlook.actions[0] = follow_blueprint(view, memory)
    drop_double(outlook)
    if outlook.count > 1 and is_action(view, memory.event, outlook.actions[0]):
        memory.deadline = 0
        if memory.seconds > 0.0:
            memory.deadline = ticks() + int(memory.seconds * memory.second)
        prepare_worlds(view, memory)
        memory.best = find_best(view, memory)
    return outlook.actions[memory.best]


@kernel
def drop_double(outlook: Outlook) -> None:
    """Take the blueprint's action, which stands first, out of those to be compared with it."""
    for place in range(outlook.count - 1, 0, -1):
        if outlook.actions[place] == outlook.actions[0]:
            outlook.count -= 1
            outlook.actions[place] = outlook.actions[outlook.count]


@kernel
def is_action(view: View, event: Event, action: int) -> bool:
    """Is this the number of a legal action? A wrong one is for the table to find, not for us."""
    if action < 0 or action >= count_actions(view):
        return False
    announce(view, action, event)
    return is_legal(view, event)
