"""One-ply search over a blueprint (Lerer et al. 2020).

Let b be the blueprint, a strategy that everybody is assumed to follow, and W the worlds that a
player cannot tell apart: decks that agree with all it has seen. An action a is worth

    q(a) = E [ final score | a now, b in every seat from then on ],

the expectation over W with the chances of the player's belief. The player takes b's own action
unless another one is clearly better. No hidden card is known: the view does not contain any.

- `history`: the game so far, as a deck with holes;
- `worlds`: how holes are filled, by the exact belief;
- `past`: the game so far, replayed in such a world: what partners remember and would have done;
- `candidates`: which actions are compared;
- `playouts`: an action in a world, played to the end;
- `race`: how many worlds each action gets, and which one wins.

The imagined table is driven like a real one (`hanabilab.strategies.seats`), so every strategy that
can be compiled can be a blueprint. If its memory is public, one memory serves all seats and the
past need not be played again. All chance comes from the memory's own stream: a world is the number
from which it was dealt, and the same games come out for any number of threads.

**Departures** from Lerer et al.:

- They let one player search, or all players with a belief over what every other search would have
  done. Here everybody searches and assumes that the others follow the blueprint. If public
  tables stay true whatever anyone does (`hatter`), that is harmless; otherwise a partner who
  searched only makes a world less likely, not impossible (`worlds.SURPRISE`).
- They compute the belief exactly where hands are few. Here worlds are drawn: exactly from the cards
  that each slot may be, and by rejection for what partners' actions tell.
- They leave the blueprint above a threshold in points. Here all actions meet the same worlds, most
  of them only where the blueprint loses points, and the threshold is a number of standard errors
  (`race`).
"""

from __future__ import annotations

from hanabilab.core.clock import ticks
from hanabilab.core.invoke import ask, restart, tell
from hanabilab.core.kernel import kernel
from hanabilab.core.random import coin_stream
from hanabilab.game.actions import Event, announce, count_actions, is_legal
from hanabilab.game.state import View
from hanabilab.strategies.search.candidates import (
    follow_blueprint,
    look_out,
    note_blueprint_failure,
)
from hanabilab.strategies.search.history import remember_start, remember_turn
from hanabilab.strategies.search.mind import MOST_TURNS, Mind
from hanabilab.strategies.search.race import find_best
from hanabilab.strategies.search.worlds import prepare_worlds
from hanabilab.strategies.seats import given
from hanabilab.strategies.strategy import FAILED, Candidates

__all__ = ["act", "begin", "observe"]

UNDECIDED = -1
NO_LIMIT = 1 << 40
OWN_COINS = 3
"""The purpose of the coins with which the blueprint follows the real game."""


@kernel
def begin(view: View, memory: Mind) -> int:
    """Start to follow the game as the blueprint would, and to record it."""
    seats = memory.seats
    me = view.observer
    remember_start(view, memory)
    coins = coin_stream(memory.stream, 0, OWN_COINS)
    restart(memory.notes, seats.templates[me], seats.words[me], coins)
    if seats.begins[me]:
        ask(seats.begins[me], given(view, memory.shown, seats), memory.notes)
        note_blueprint_failure(memory)
    return 0


@kernel
def observe(view: View, event: Event, memory: Mind) -> None:
    """Record a turn, and follow it as the blueprint would."""
    seats = memory.seats
    me = view.observer
    remember_turn(view, event, memory)
    if (seats.watchers[event.kind] >> me) & 1:
        seen = given(view, memory.shown, seats)
        tell(seats.observes[me], seen, given(event, memory.told, seats), memory.notes)
        note_blueprint_failure(memory)


@kernel
def act(view: View, memory: Mind) -> int:
    """Play like another strategy unless imagined games clearly show a better action."""
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
        set_limits(memory)
        prepare_worlds(view, memory)
        memory.best = find_best(view, memory)
    memory.cancelled = 0
    return FAILED if memory.failed else outlook.actions[memory.best]


@kernel
def set_limits(memory: Mind) -> None:
    """Set how many worlds, or how much time, this turn may take."""
    memory.limit = memory.samples
    memory.deadline = 0
    if memory.seconds > 0.0:
        memory.limit = NO_LIMIT
        memory.deadline = ticks() + int(memory.seconds * memory.second)


@kernel
def drop_double(outlook: Candidates) -> None:
    """Remove the blueprint's action, which stands first, from those to be compared with it."""
    for place in range(outlook.count - 1, 0, -1):
        if outlook.actions[place] == outlook.actions[0]:
            outlook.count -= 1
            outlook.actions[place] = outlook.actions[outlook.count]


@kernel
def is_action(view: View, event: Event, action: int) -> bool:
    """Tell whether this is the number of a legal action; if not, the table will say so."""
    if action < 0 or action >= count_actions(view):
        return False
    announce(view, action, event)
    return is_legal(view, event)
