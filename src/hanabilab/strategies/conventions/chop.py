"""The chop: which card a player throws away next, and what is lost with it.

Everyone discards cards known as dead first, then the chop: the oldest card that no hint has
touched, that nobody was called to play, and that no warning protects.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.cards import card_in
from hanabilab.game.state import View, rank_of
from hanabilab.strategies.conventions.agreements import TWOS
from hanabilab.strategies.conventions.tables import NONE, Beliefs, meaning, pointed_at

__all__ = [
    "CRITICAL_LOSS",
    "chop_of",
    "danger_of",
    "free_slots",
    "is_busy",
    "knows_play",
    "loss_of",
]

CRITICAL_LOSS, TWO_LOSS, PLAYABLE_LOSS = 150.0, 100.0, 60.0
"""What it is worth to keep a critical card, a two without a copy in sight, a playable card."""


@kernel
def free_slots(view: View, memory: Beliefs, player: int) -> int:
    """Return the slots that are neither touched, nor called, nor protected."""
    held = (1 << view.hand_count[player]) - 1
    return held & ~(pointed_at(memory, player) | memory.kept[player])


@kernel
def chop_of(view: View, memory: Beliefs, player: int) -> int:
    """Return a player's chop, or NONE if every card is spoken for."""
    free = free_slots(view, memory, player)
    return lowest(free) if free else NONE


@kernel
def knows_play(view: View, memory: Beliefs, player: int) -> bool:
    """Tell whether everyone expects a player to have something to play."""
    for slot in range(view.hand_count[player]):
        if meaning(memory, player, slot) & ~memory.playable == 0:
            return True
    return False


@kernel
def is_busy(view: View, memory: Beliefs, player: int) -> bool:
    """Tell whether a player is expected to play, or to throw away a dead card."""
    for slot in range(view.hand_count[player]):
        cards = meaning(memory, player, slot)
        if cards & ~memory.playable == 0 or cards & ~memory.dead == 0:
            return True
    return False


@kernel
def danger_of(view: View, memory: Beliefs, player: int) -> float:
    """Return what will be lost if a player, left alone, throws the chop away."""
    chop = chop_of(view, memory, player)
    if chop == NONE or is_busy(view, memory, player):
        return 0.0
    return loss_of(view, memory, player, card_in(view.hands[player], chop))


@kernel
def loss_of(view: View, memory: Beliefs, holder: int, card: int) -> float:
    """Return what is lost with a card that others see in a player's hand."""
    if memory.critical >> card & 1:
        return CRITICAL_LOSS
    if memory.dead >> card & 1 or is_seen_twice(view, holder, card):
        return 0.0
    if rank_of(view, card) == 2 and memory.agreed & TWOS:
        return TWO_LOSS
    return PLAYABLE_LOSS if memory.playable >> card & 1 else 0.0


@kernel
def is_seen_twice(view: View, holder: int, card: int) -> bool:
    """Tell whether another copy of a card in a player's hand is in sight."""
    for player in range(view.rules.players):
        copies = 0
        for slot in range(view.hand_count[player]):
            copies += card_in(view.hands[player], slot) == card
        if copies > (player == holder):
            return True
    return False
