"""What players know about their own hands: the public tables, and the cards that they see."""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.game.cards import any_copy, card_in, take_copy
from hanabilab.game.state import View
from hanabilab.strategies.information.tables import InformationNotes
from hanabilab.strategies.shared.own_hand import count_unseen

__all__ = ["held_by_others", "look_around"]


@inlined
@kernel
def look_around(view: View, memory: InformationNotes) -> None:
    """Work out private information: the public tables less the copies this player sees."""
    me = view.observer
    available = count_unseen(view, memory.unseen)
    public = memory.public[me]
    for slot in range(view.hand_count[me]):
        memory.private[slot] = public[slot]
    unsure = (1 << view.hand_count[me]) - 1
    before = 0
    while available != before:
        before = available
        slots = unsure
        while slots:
            slot = lowest(slots)
            slots &= slots - 1
            possible = memory.private[slot] & available
            if possible:
                memory.private[slot] = possible
                if is_single(possible):
                    unsure ^= 1 << slot
                    take_copy(memory.unseen, lowest(possible))
                    available = any_copy(memory.unseen)


@kernel
def held_by_others(view: View) -> int:
    """Return the cards in the hands of the other players."""
    held = 0
    for player in range(view.rules.players):
        if player != view.observer:
            for slot in range(view.hand_count[player]):
                held |= 1 << card_in(view.hands[player], slot)
    return held
