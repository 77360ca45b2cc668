"""What a player does: the action with the best outlook, among plays, hints and discards."""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import (
    HINT_RANK,
    HINT_SUIT,
    can_discard,
    discard_slot,
    hints_that_touch,
    nth_legal,
    play_slot,
    rank_hint,
    suit_hint,
)
from hanabilab.game.state import View
from hanabilab.strategies.own_hand import count_unseen
from hanabilab.strategies.sieve.memory import SieveMemory
from hanabilab.strategies.sieve.tables import meaning
from hanabilab.strategies.sieve.values import (
    own_plays,
    spare_slots,
    value_of_discard,
    value_of_hint,
    value_of_play,
)
from hanabilab.strategies.strategy import NONE

__all__ = ["decide", "infer_own_cards"]

NOTHING = -1e9


@kernel
def infer_own_cards(view: View, memory: SieveMemory) -> None:
    """Work out what the player's own cards are taken to be, given the cards in sight."""
    table, me = memory.table, view.observer
    cards = count_unseen(view, memory.own.unseen)
    for slot in range(view.hand_count[me]):
        mine = meaning(table, me, slot) & cards
        memory.own.possible[slot] = mine if mine else table.possible[me][slot] & cards


@kernel
def decide(view: View, memory: SieveMemory) -> int:
    """Return the action that is worth most."""
    infer_own_cards(view, memory)
    best, most = NONE, NOTHING
    plays = own_plays(view, memory)
    while plays:
        slot = lowest(plays)
        plays &= plays - 1
        value = value_of_play(view, memory, slot)
        if value > most:
            best, most = play_slot(view, slot), value
    if view.hint_tokens > 0:
        hint, value = best_hint(view, memory)
        if hint != NONE and value > most:
            best, most = hint, value
    if can_discard(view):
        slot, value = best_discard(view, memory)
        if slot != NONE and value > most:
            best, most = discard_slot(view, slot), value
    return best if best != NONE else nth_legal(view, 0)


@kernel
def best_hint(view: View, memory: SieveMemory) -> tuple[int, float]:
    """Return the hint that is worth most, and its value."""
    partner = 1 - view.observer
    best, most = NONE, NOTHING
    bits = hints_that_touch(view, partner) & ~view.barred_hints
    while bits:
        bit = lowest(bits)
        bits &= bits - 1
        if bit < view.rules.suits:
            action = suit_hint(view, partner, bit)
            value = value_of_hint(view, memory, HINT_SUIT, bit)
        else:
            rank = bit - view.rules.suits + 1
            action = rank_hint(view, partner, rank)
            value = value_of_hint(view, memory, HINT_RANK, rank)
        if value > most:
            best, most = action, value
    return best, most


@kernel
def best_discard(view: View, memory: SieveMemory) -> tuple[int, float]:
    """Return the discard that is worth most, and its value."""
    best, most = NONE, NOTHING
    slots = spare_slots(view, memory)
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        value = value_of_discard(view, memory, slot)
        if value > most:
            best, most = slot, value
    return best, most
