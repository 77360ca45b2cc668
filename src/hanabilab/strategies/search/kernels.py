"""One-ply search over a blueprint (Lerer et al. 2020).

Let b be the blueprint, a strategy that everybody is assumed to follow, and W the worlds that a
player cannot tell apart: decks that agree with all it has seen. An action a is worth

    q(a) = E [ final score | a now, b in every seat from then on ],

the expectation over W with the chances of the player's belief. The player takes b's own action
unless another one is clearly better. No hidden card is known: the view does not contain any.

- `memory`: all that a search works with;
- `replay`: the game so far, as a deck with holes, and its replay in a world: what partners remember
  and would have done;
- `worlds`: how holes are filled, by the exact belief;
- `comparison`: how an action is played out, how many worlds each action gets, and which one wins.

The imagined table is driven like a real one (`hanabilab.strategies.seats`), so every strategy that
can be compiled can be a blueprint. If its memory is public, one memory serves all seats and the
past need not be played again. All chance comes from the memory's own stream: a world is the number
from which it was dealt, and the same games come out for any number of threads.

**Departures** from Lerer et al.:

- They let one player search, or all players with a belief over what every other search would have
  done. Here everybody searches and assumes that the others follow the blueprint. If public
  tables stay true whatever anyone does (`hatter`), that is harmless; otherwise a partner who
  searched only makes a world less likely, not impossible (the option `surprise`).
- They compute the belief exactly where hands are few. Here worlds are drawn: exactly from the cards
  that each slot may be, and by rejection for what partners' actions tell.
- They leave the blueprint above a threshold in points. Here all actions meet the same worlds, most
  of them only where the blueprint loses points, and the threshold is a number of standard errors
  (`comparison`); for `duo` there is one in points too.
"""

from __future__ import annotations

from hanabilab.core.clock import ticks
from hanabilab.core.invoke import indirect_call, indirect_notify, reset
from hanabilab.core.kernel import kernel
from hanabilab.core.random import private_stream
from hanabilab.game.actions import (
    Event,
    can_discard,
    count_actions,
    count_legal,
    decode_action,
    discard_slot,
    is_legal,
    nth_legal,
    play_slot,
)
from hanabilab.game.cards import weight
from hanabilab.game.state import View
from hanabilab.strategies.own_hand import count_unseen
from hanabilab.strategies.search.comparison import find_best
from hanabilab.strategies.search.memory import MOST_TURNS, SearchMemory
from hanabilab.strategies.search.replay import remember_moment, remember_start, remember_turn
from hanabilab.strategies.search.worlds import prepare_worlds
from hanabilab.strategies.seats import defensive_copy
from hanabilab.strategies.strategy import Candidates, propose

__all__ = ["act", "begin", "find_candidates", "observe", "set_limits"]

UNDECIDED = -1
OWN_STREAM = 3
"""The purpose of the stream with which the blueprint follows the real game."""


@kernel
def begin(view: View, memory: SearchMemory) -> int:
    """Start to follow the game as the blueprint would, and to record it."""
    seats = memory.blueprint.seats
    me = view.observer
    remember_start(view, memory)
    stream = private_stream(memory.stream, 0, OWN_STREAM)
    reset(memory.blueprint.memory, seats.templates[me], seats.words[me], stream)
    if seats.begins[me]:
        indirect_notify(
            seats.begins[me],
            defensive_copy(view, memory.table.view_scratch, seats),
            memory.blueprint.memory,
        )
    remember_moment(view, memory)
    return 0


@kernel
def observe(view: View, event: Event, memory: SearchMemory) -> None:
    """Record a turn, and follow it as the blueprint would."""
    seats = memory.blueprint.seats
    me = view.observer
    remember_turn(view, event, memory)
    if (seats.observers[event.kind] >> me) & 1:
        seen = defensive_copy(view, memory.table.view_scratch, seats)
        indirect_notify(
            seats.observes[me],
            seen,
            defensive_copy(event, memory.table.event_scratch, seats),
            memory.blueprint.memory,
        )
    remember_moment(view, memory)


@kernel
def act(view: View, memory: SearchMemory) -> int:
    """Play like another strategy unless imagined games clearly show a better action."""
    comparison = memory.comparison
    candidates = memory.candidates
    comparison.imagined = 0
    comparison.best = 0
    candidates.count = 1
    candidates.actions[0] = UNDECIDED
    if view.draw_pile > memory.pile or memory.log.turns >= MOST_TURNS:
        return follow_blueprint(view, memory)
    find_candidates(view, memory)
    candidates.actions[0] = follow_blueprint(view, memory)
    remove_duplicate(candidates)
    if candidates.count > 1 and is_action(view, memory.table.event, candidates.actions[0]):
        set_limits(memory)
        prepare_worlds(view, memory)
        comparison.best = find_best(view, memory)
    memory.cancelled = 0
    return candidates.actions[comparison.best]


@kernel
def set_limits(memory: SearchMemory) -> None:
    """Set how many worlds and how much time this turn may take."""
    memory.limits.worlds = memory.samples
    memory.limits.deadline = 0
    if memory.seconds > 0.0:
        memory.limits.deadline = ticks() + int(memory.seconds * memory.limits.ticks_per_second)


@kernel
def remove_duplicate(candidates: Candidates) -> None:
    """Remove the blueprint's action, which stands first, from those to be compared with it."""
    for place in range(candidates.count - 1, 0, -1):
        if candidates.actions[place] == candidates.actions[0]:
            candidates.count -= 1
            candidates.actions[place] = candidates.actions[candidates.count]


@kernel
def is_action(view: View, event: Event, action: int) -> bool:
    """Return whether this is the number of a legal action; if not, the table will say so."""
    if action < 0 or action >= count_actions(view):
        return False
    decode_action(view, action, event)
    return is_legal(view, event)


LONG_SHOT = 20
"""A card that is playable in fewer than one of this many cases is not worth trying."""


@kernel
def follow_blueprint(view: View, memory: SearchMemory) -> int:
    """Return what the blueprint does here."""
    seats = memory.blueprint.seats
    return indirect_call(
        seats.acts[view.observer],
        defensive_copy(view, memory.table.view_scratch, seats),
        memory.blueprint.memory,
    )


@kernel
def find_candidates(view: View, memory: SearchMemory) -> None:
    """Work out what the player's own cards may be, and which actions to compare."""
    blueprint = memory.blueprint
    candidates = memory.candidates
    cards = count_unseen(view, memory.world.unseen)
    hinted = view.possible[view.observer]
    candidates.lies = memory.lies
    candidates.any_hint = 1
    candidates.plays = (1 << view.hand_count[view.observer]) - 1
    candidates.discards = candidates.plays if can_discard(view) else 0
    for slot in range(view.hand_count[view.observer]):
        candidates.possible[slot] = hinted[slot]
    if blueprint.candidate_actions:
        seen = defensive_copy(view, memory.table.view_scratch, blueprint.seats)
        indirect_notify(blueprint.candidate_actions, seen, candidates, blueprint.memory)
    for slot in range(view.hand_count[view.observer]):
        possible = candidates.possible[slot] & hinted[slot] & cards
        candidates.possible[slot] = possible if possible else hinted[slot] & cards
    propose_actions(view, memory)


@kernel
def propose_actions(view: View, memory: SearchMemory) -> None:
    """Propose plays that may succeed, discards that may do no harm, and hints."""
    candidates = memory.candidates
    for slot in range(view.hand_count[view.observer]):
        possible = candidates.possible[slot]
        if view.rules.inverted:
            propose_buttons(view, memory, slot, possible)
            continue
        if (candidates.plays >> slot) & 1 and may_fit(view, memory, possible):
            propose(candidates, play_slot(view, slot))
        if (candidates.discards >> slot) & 1 and possible & ~view.critical != 0:
            propose(candidates, discard_slot(view, slot))
    if candidates.any_hint:
        for n in range(count_legal(view)):
            action = nth_legal(view, n)
            if action >= 2 * view.rules.hand_size:
                propose(candidates, action)


@kernel
def propose_buttons(view: View, memory: SearchMemory, slot: int, possible: int) -> None:
    """Propose to play or discard a card that may be inverted, and so do the opposite."""
    inverted = possible & view.rules.inverted
    usual = possible & ~inverted
    if may_fit(view, memory, usual) or inverted & ~view.critical:
        propose(memory.candidates, play_slot(view, slot))
    if may_fit(view, memory, inverted) or usual & ~view.critical:
        propose(memory.candidates, discard_slot(view, slot))


@kernel
def may_fit(view: View, memory: SearchMemory, possible: int) -> bool:
    """Return whether a card that may be any of these is likely enough to fit to be worth a life."""
    fitting = weight(memory.world.unseen, view.rules.planes, possible & view.playable)
    total = weight(memory.world.unseen, view.rules.planes, possible)
    if view.lives == 1:
        return fitting == total
    return fitting > 0 and LONG_SHOT * fitting >= total
