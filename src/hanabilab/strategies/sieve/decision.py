"""What a player does: the action with the best outlook, among plays, hints and discards."""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
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
from hanabilab.game.cards import card_in
from hanabilab.game.state import View
from hanabilab.strategies.own_hand import count_unseen
from hanabilab.strategies.sieve.memory import SieveMemory
from hanabilab.strategies.sieve.tables import chop_of, meaning, newest_bit, plays_of, trash_of
from hanabilab.strategies.sieve.values import (
    mean_loss,
    own_plays,
    value_of_discard,
    value_of_hint,
    value_of_play,
)
from hanabilab.strategies.strategy import NONE

__all__ = ["decide", "infer_own_cards", "spare_slots"]

NOTHING = -1e9
EMERGENCY_LEVEL, SPECIAL_LEVEL = 5, 6


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


@kernel
def spare_slots(view: View, memory: SieveMemory) -> int:
    """Return the slots to choose a discard from: trash, the chop, or what is missed least."""
    table, me = memory.table, view.observer
    slots = trash_of(table, me)
    for slot in range(view.hand_count[me]):
        if memory.own.possible[slot] & ~table.dead == 0:
            slots |= 1 << slot
    chop = chop_of(table, me)
    if chop != NONE:
        slots |= 1 << chop
    if plays_of(table, me):
        slots |= warning_slots(view, memory)
    if slots == 0 and own_plays(view, memory) == 0:
        return 1 << least_missed(view, memory)
    return slots


@kernel
def warning_slots(view: View, memory: SieveMemory) -> int:
    """Return what to discard in place of a play: the newest card, or a copy of the partner's."""
    table, me = memory.table, view.observer
    kept = table.touched[me] | table.sieved[me] | table.called[me]
    slots = newest_bit(table, me) & ~kept if table.level >= EMERGENCY_LEVEL else 0
    for slot in range(view.hand_count[me]):
        cards = meaning(table, me, slot)
        known = table.touched[me] >> slot & 1 and cards and is_single(cards)
        if table.level >= SPECIAL_LEVEL and known and holds(view, 1 - me, cards):
            slots |= 1 << slot
    return slots


@kernel
def holds(view: View, player: int, cards: int) -> bool:
    """Return whether a visible hand contains one of these cards."""
    for slot in range(view.hand_count[player]):
        if cards >> card_in(view.hands[player], slot) & 1:
            return True
    return False


@kernel
def least_missed(view: View, memory: SieveMemory) -> int:
    """Return the slot whose discard costs least, newer ones first."""
    best, least = 0, -NOTHING
    for slot in range(view.hand_count[view.observer] - 1, -1, -1):
        price = mean_loss(view, memory, memory.own.possible[slot])
        if price < least:
            best, least = slot, price
    return best
