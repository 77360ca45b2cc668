"""What the player's own cards may be, and which actions are worth considering."""

from __future__ import annotations

from hanabilab.core.invoke import ask, tell
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import can_discard, count_legal, discard_slot, nth_legal, play_slot
from hanabilab.game.cards import weight
from hanabilab.game.state import View
from hanabilab.strategies.search.mind import Mind
from hanabilab.strategies.seats import given
from hanabilab.strategies.shared.own_hand import count_unseen
from hanabilab.strategies.strategy import FAILED, propose

__all__ = ["follow_blueprint", "look_out"]

LONG_SHOT = 20
"""A card that is playable less than once in so many cases is not worth trying."""


@kernel
def follow_blueprint(view: View, memory: Mind) -> int:
    """Return what the blueprint does here."""
    seats = memory.seats
    return ask(seats.acts[view.observer], given(view, memory.shown, seats), memory.notes)


@kernel
def note_blueprint_failure(memory: Mind) -> None:
    """Remember if the blueprint failed in what it was just shown of the real game."""
    if memory.seats.guarded and memory.shown.end == FAILED:
        memory.failed = 1


@kernel
def look_out(view: View, memory: Mind) -> None:
    """Work out what the player's own cards may be, and which actions to compare."""
    outlook = memory.outlook
    cards = count_unseen(view, memory.unseen)
    hinted = view.possible[view.observer]
    outlook.lies = memory.lies
    outlook.any_hint = 1
    outlook.plays = (1 << view.hand_count[view.observer]) - 1
    outlook.discards = outlook.plays if can_discard(view) else 0
    for slot in range(view.hand_count[view.observer]):
        outlook.possible[slot] = hinted[slot]
    if memory.consider:
        seen = given(view, memory.shown, memory.seats)
        tell(memory.consider, seen, outlook, memory.notes)
        note_blueprint_failure(memory)
    for slot in range(view.hand_count[view.observer]):
        possible = outlook.possible[slot] & hinted[slot] & cards
        outlook.possible[slot] = possible if possible else hinted[slot] & cards
    propose_all(view, memory)


@kernel
def propose_all(view: View, memory: Mind) -> None:
    """Propose plays that may succeed, discards that may do no harm, and hints."""
    outlook = memory.outlook
    for slot in range(view.hand_count[view.observer]):
        possible = outlook.possible[slot]
        if (outlook.plays >> slot) & 1 and may_fit(view, memory, possible):
            propose(outlook, play_slot(view, slot))
        if (outlook.discards >> slot) & 1 and possible & ~view.critical != 0:
            propose(outlook, discard_slot(view, slot))
    if outlook.any_hint:
        for n in range(count_legal(view)):
            action = nth_legal(view, n)
            if action >= 2 * view.rules.hand_size:
                propose(outlook, action)


@kernel
def may_fit(view: View, memory: Mind, possible: int) -> bool:
    """Tell whether a card that may be any of these is likely enough to fit to be worth a life."""
    fitting = weight(memory.unseen, view.rules.planes, possible & view.playable)
    total = weight(memory.unseen, view.rules.planes, possible)
    if view.lives == 1:
        return fitting == total
    return fitting > 0 and LONG_SHOT * fitting >= total
