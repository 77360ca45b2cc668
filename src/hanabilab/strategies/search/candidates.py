"""What the own cards may be, and which actions are worth a thought."""

from __future__ import annotations

from hanabilab.core.invoke import ask, tell
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import count_legal, nth_legal
from hanabilab.game.cards import weight
from hanabilab.game.view import View
from hanabilab.strategies.outlook import propose
from hanabilab.strategies.own_hand import count_unseen
from hanabilab.strategies.search.mind import Mind
from hanabilab.strategies.seats import given

__all__ = ["follow_blueprint", "look_out"]

LONG_SHOT = 20
"""A card that is playable less than once in so many cases is not worth a try."""


@kernel
def follow_blueprint(view: View, memory: Mind) -> int:
    """What the blueprint does here."""
    seats = memory.seats
    return ask(seats.acts[view.observer], given(view, memory.shown, seats), memory.notes)


@kernel
def look_out(view: View, memory: Mind) -> None:
    """Work out what the own cards may be, and what may be done."""
    outlook = memory.outlook
    cards = count_unseen(view, memory.unseen)
    hinted = view.possible[view.observer]
    outlook.everything = 1
    for slot in range(view.hand_count[view.observer]):
        outlook.possible[slot] = hinted[slot]
    if memory.consider:
        seen = given(view, memory.shown, memory.seats)
        tell(memory.consider, seen, outlook, memory.notes)
    for slot in range(view.hand_count[view.observer]):
        possible = outlook.possible[slot] & hinted[slot] & cards
        outlook.possible[slot] = possible if possible else hinted[slot] & cards
    if outlook.everything:
        for n in range(count_legal(view)):
            action = nth_legal(view, n)
            if worth_trying(view, memory, action):
                propose(outlook, action)


@kernel
def worth_trying(view: View, memory: Mind, action: int) -> bool:
    """May this be better than what the blueprint does? Hints always may."""
    if action >= 2 * view.hand_size:
        return True
    if action < view.hand_size:
        return memory.outlook.possible[action] & ~view.critical != 0
    possible = memory.outlook.possible[action - view.hand_size]
    fitting = weight(memory.unseen, view.planes, possible & view.playable)
    total = weight(memory.unseen, view.planes, possible)
    if view.lives == 1:
        return fitting == total
    return fitting > 0 and LONG_SHOT * fitting >= total
