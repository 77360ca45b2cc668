"""Positional discards: near the end, an unexpected discard names a slot of another player.

Everyone expects a player without a play to discard a card known as dead, or the chop. With few
cards to draw, a discard of another untouched card says that the card at the same place in another
hand, counted from the newest, can be played. If several players hold a playable card there, the
last one in turn order is meant; a player who sees none of them takes the call for their own.
Strangers discard unexpectedly all the time, so only players who have proved that they keep the
conventions are read like this, and counted on to read it.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import Event
from hanabilab.game.cards import card_in
from hanabilab.game.state import View
from hanabilab.strategies.conventions.catalogue import POSITIONAL_DISCARDS
from hanabilab.strategies.conventions.memory import Beliefs
from hanabilab.strategies.conventions.tables import knows_play, meaning, pointed_at
from hanabilab.strategies.strategy import NONE

__all__ = [
    "accept_position",
    "is_unexpected",
    "named_player",
    "named_slot",
    "names_slot",
    "place_of",
]

FEW_DRAWS = 3
"""The number of cards to draw from which on an unexpected discard names a slot."""


@kernel
def place_of(view: View, event: Event) -> int:
    """Return the place of a card that was discarded, counted from the newest, by its event."""
    return view.hand_count[event.player] - event.drew - event.slot


@kernel
def is_unexpected(view: View, beliefs: Beliefs, player: int, slot: int, count: int) -> bool:
    """Return whether a player with `count` cards surprises everyone by discarding a slot."""
    free = (1 << count) - 1 & ~(pointed_at(beliefs, player) | beliefs.kept[player])
    if beliefs.pile > FEW_DRAWS or not free >> slot & 1 or slot == lowest(free):
        return False
    dead = meaning(beliefs, player, slot) & ~beliefs.dead == 0
    return not dead and not knows_play(view, beliefs, player)


@kernel
def names_slot(view: View, beliefs: Beliefs, event: Event) -> bool:
    """Return whether a discard names a slot of another player; `view` is after the discard."""
    count = view.hand_count[event.player] + 1 - event.drew
    return beliefs.active & POSITIONAL_DISCARDS != 0 and is_unexpected(
        view, beliefs, event.player, event.slot, count
    )


@kernel
def named_slot(view: View, player: int, place: int) -> int:
    """Return the slot at a place of a hand, counted from the newest, or NONE."""
    slot = view.hand_count[player] - 1 - place
    return slot if slot >= 0 else NONE


@kernel
def named_player(view: View, beliefs: Beliefs, player: int, place: int) -> int:
    """Return who is meant by a discard at a place, as far as the observer sees, or NONE.

    If there are two, each of them would take the other one for it: so nobody discards like that.
    """
    found, mine = NONE, NONE
    for offset in range(1, view.rules.players):
        other = (player + offset) % view.rules.players
        slot = named_slot(view, other, place)
        if slot != NONE:
            if other == view.observer:
                if beliefs.possible[other][slot] & beliefs.playable:
                    mine = other
            elif is_new_play(view, beliefs, other, slot):
                if found != NONE and player == view.observer:
                    return NONE
                found = other
    return found if found != NONE else mine


@kernel
def is_new_play(view: View, beliefs: Beliefs, player: int, slot: int) -> bool:
    """Return whether another player's card fits, and is not expected to be played."""
    fits = beliefs.playable >> card_in(view.hands[player], slot) & 1
    return fits == 1 and meaning(beliefs, player, slot) & ~beliefs.playable != 0


@kernel
def accept_position(view: View, beliefs: Beliefs, player: int, place: int) -> None:
    """Call the card that a positional discard of a player names."""
    holder = named_player(view, beliefs, player, place)
    if holder != NONE:
        slot = named_slot(view, holder, place)
        beliefs.called[holder] |= 1 << slot
        beliefs.named[holder] |= 1 << slot
        beliefs.source[holder][slot] = player + 1
        beliefs.inferred[holder][slot] = beliefs.playable
