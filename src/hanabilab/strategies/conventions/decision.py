"""What a player does with what the conventions say: the order of plays, hints and discards."""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import (
    can_discard,
    count_legal,
    discard_slot,
    nth_legal,
    play_slot,
)
from hanabilab.game.cards import any_copy, card_in, weight
from hanabilab.game.state import View, pace, rank_cards, rank_of
from hanabilab.strategies.conventions.catalogue import (
    BURNING,
    DOUBLE_DISCARDS,
    FIVE_STALLS,
    FIX_HINTS,
    LOCKED_HAND_SAVES,
    ORDER_OF_ONES,
    POSITIONAL_DISCARDS,
)
from hanabilab.strategies.conventions.discards import gentlemans_slot, must_warn, warning_slot
from hanabilab.strategies.conventions.giving import best_hint, five_stall, will_misplay
from hanabilab.strategies.conventions.interpretation import (
    spoken_for,
)
from hanabilab.strategies.conventions.memory import Beliefs, ConventionsMemory
from hanabilab.strategies.conventions.positional import is_unexpected
from hanabilab.strategies.conventions.stalling import is_locked
from hanabilab.strategies.conventions.tables import (
    CRITICAL_LOSS,
    chop_of,
    danger_of,
    meaning,
    seat_after,
)
from hanabilab.strategies.conventions.trust import has_proved, trusts
from hanabilab.strategies.own_hand import count_unseen
from hanabilab.strategies.strategy import NONE

__all__ = [
    "CALLED",
    "DISCARDED",
    "GAMBLED",
    "GENTLEMAN",
    "SHORT_TIME",
    "WARNED",
    "called_play",
    "decide",
    "infer_own_cards",
    "is_safe",
    "rescue",
    "share",
    "spare_slot",
    "token_price",
    "would_name",
]

RESCUE, ENOUGH, STALL = 50.0, 80.0, 0.0
"""A hint must be worth more than this to help the next player, as usual, when time is short."""
SCARCITY, MANY_TOKENS = 20.0, 4
"""How much more it must be worth for each token that is missing to this number."""
RISK = 400.0
"""How much less it need be worth if the discard instead were certainly critical."""
SHORT_TIME = 2
"""Pace at which hints are better than discards."""
ANYTHING = -1e9

CALLED, RESCUED, WARNED, GENTLEMAN, PLAYED, GAMBLED = 1, 2, 3, 4, 5, 6
HINTED, STALLED, DISCARDED = 7, 8, 9
"""Why a player acted: written down for the explanation."""


@kernel
def infer_own_cards(view: View, memory: ConventionsMemory) -> None:
    """Work out what the player's own cards are taken to be, given the cards in sight."""
    beliefs = memory.beliefs
    me = view.observer
    cards = count_unseen(view, memory.own.unseen)
    for slot in range(view.hand_count[me]):
        mine = meaning(beliefs, me, slot) & cards
        source = beliefs.source[me][slot] - 1
        if source >= 0 and not trusts(memory, source):
            mine = 0
        memory.own.possible[slot] = mine if mine else beliefs.possible[me][slot] & cards


@kernel
def decide(view: View, memory: ConventionsMemory) -> int:
    """Answer a call; help the next player; play; hint if that is worth it; else discard."""
    infer_own_cards(view, memory)
    memory.reason = CALLED
    slot = called_play(view, memory)
    if slot != NONE:
        return play_slot(view, slot)
    memory.reason = RESCUED
    hint = rescue(view, memory)
    if hint != NONE:
        return hint
    slot = best_play(view, memory)
    memory.reason = WARNED
    if slot != NONE and must_warn(view, memory.beliefs):
        return discard_slot(view, warning_slot(view, memory.beliefs))
    memory.reason = GENTLEMAN
    if slot != NONE and pace(view) >= view.rules.players:
        given, holder = gentlemans_slot(view, memory.beliefs)
        if given != NONE and trusts(memory, holder):
            return discard_slot(view, given)
    memory.reason = PLAYED
    if slot == NONE and view.draw_pile == 0 and view.lives > 1:
        memory.reason = GAMBLED
        slot = likeliest_play(view, memory)
    return play_slot(view, slot) if slot != NONE else hint_or_discard(view, memory)


@kernel
def called_play(view: View, memory: ConventionsMemory) -> int:
    """Return the slot that a prompt or a finesse calls for, or NONE.

    Of several calls the first comes first: each took the youngest card that was left to it.
    """
    for slot in range(view.hand_count[view.observer] - 1, -1, -1):
        if (
            memory.beliefs.called[view.observer] >> slot & 1
            and memory.own.possible[slot] & ~memory.beliefs.playable == 0
        ):
            return slot
    return NONE


@kernel
def rescue(view: View, memory: ConventionsMemory) -> int:
    """Return a hint that keeps the next player from a loss or a misplay, or NONE."""
    beliefs = memory.beliefs
    after = seat_after(view, view.observer)
    if view.hint_tokens == 0 or view.draw_pile == 0:
        return NONE
    wrong = beliefs.active & FIX_HINTS and will_misplay(view, beliefs, after)
    if wrong or danger_of(view, beliefs, after) == CRITICAL_LOSS:
        return best_hint(view, memory, RESCUE, after)
    return NONE


@kernel
def best_play(view: View, memory: ConventionsMemory) -> int:
    """Return the slot to play, or NONE: low ranks first, and unknown cards sooner than known."""
    best, most = NONE, 0
    for slot in range(view.hand_count[view.observer]):
        cards = memory.own.possible[slot]
        if cards and cards & ~memory.beliefs.playable == 0 and is_safe(view, memory, slot):
            worth = 1 + 2 * (view.rules.ranks - rank_of(view, lowest(cards)))
            if not is_single(cards):
                worth += 1
            worth = worth * view.rules.hand_size * 4 + order_of_one(view, memory, slot)
            if worth > most:
                best, most = slot, worth
    return best


@kernel
def order_of_one(view: View, memory: ConventionsMemory, slot: int) -> int:
    """Return how early to play a card among several: of ones, the focus on the chop comes first.

    Then come those drawn after the deal, youngest first, then the others, oldest first.
    """
    beliefs, me, size = memory.beliefs, view.observer, view.rules.hand_size
    ones = memory.own.possible[slot] & ~rank_cards(view, 1) == 0
    if not beliefs.active & ORDER_OF_ONES or not ones:
        return 0
    if beliefs.chop_focus[me] >> slot & 1:
        return 3 * size
    return size + slot if beliefs.drawn[me] >> slot & 1 else size - slot


@kernel
def is_safe(view: View, memory: ConventionsMemory, slot: int) -> bool:
    """Return whether to risk a play: on the last life, only on words or on a promise."""
    beliefs = memory.beliefs
    me = view.observer
    if view.lives > 1 or beliefs.possible[me][slot] & ~beliefs.playable == 0:
        return True
    source = beliefs.source[me][slot] - 1
    promised = (beliefs.promised[me] | beliefs.called[me]) >> slot & 1
    return promised == 1 and source >= 0 and has_proved(memory, source)


@kernel
def likeliest_play(view: View, memory: ConventionsMemory) -> int:
    """Return the slot that is likeliest to fit, or NONE; at the end nothing is lost by trying."""
    best, most = NONE, 0.0
    for slot in range(view.hand_count[view.observer]):
        chance = share(view, memory, slot, memory.beliefs.playable)
        if chance > most:
            best, most = slot, chance
    return best


@kernel
def share(view: View, memory: ConventionsMemory, slot: int, cards: int) -> float:
    """Return how likely one of the player's own cards is one of `cards`."""
    own = memory.own
    total = weight(own.unseen, view.rules.planes, own.possible[slot])
    if total == 0:
        return 0.0
    return weight(own.unseen, view.rules.planes, own.possible[slot] & cards) / total


@kernel
def token_price(view: View, memory: ConventionsMemory) -> float:
    """Return what a hint must be worth: more if few tokens are left, little if time is short."""
    if memory.beliefs.active & BURNING and pace(view) <= SHORT_TIME:
        return STALL
    missing = MANY_TOKENS - view.hint_tokens
    return ENOUGH + SCARCITY * missing if missing > 0 else ENOUGH


@kernel
def hint_or_discard(view: View, memory: ConventionsMemory) -> int:
    """Choose without a play: a hint if it is worth more than the discard, else the discard."""
    spare = spare_slot(view, memory)
    memory.reason = HINTED
    if view.hint_tokens > 0:
        least = token_price(view, memory)
        least -= RISK * share(view, memory, spare, memory.beliefs.critical)
        if is_double_discard(view, memory, spare) or keeps_all(view, memory.beliefs):
            least = min(least, STALL)
        if not can_discard(view) or view.hand_count[view.observer] == 0:
            memory.reason = STALLED
            least = ANYTHING
        hint = best_hint(view, memory, least, NONE)
        if hint == NONE and is_early(view, memory):
            memory.reason = STALLED
            hint = five_stall(view, memory, STALL)
        if hint != NONE:
            return hint
    memory.reason = DISCARDED
    if can_discard(view):
        return discard_slot(view, spare)
    return nth_legal(view, count_legal(view) - 1)


@kernel
def is_early(view: View, memory: ConventionsMemory) -> bool:
    """Return whether to touch a five rather than discard: nobody has thrown a card away yet."""
    enough = view.hint_tokens >= MANY_TOKENS
    return memory.beliefs.active & FIVE_STALLS != 0 and enough and not any_copy(view.discarded)


@kernel
def keeps_all(view: View, beliefs: Beliefs) -> bool:
    """Return whether to save any card rather than discard one, as there is no chop."""
    return beliefs.active & LOCKED_HAND_SAVES != 0 and is_locked(view, beliefs, view.observer)


@kernel
def is_double_discard(view: View, memory: ConventionsMemory, slot: int) -> bool:
    """Return whether a card may be the last copy of the one that was thrown away just now."""
    beliefs, me = memory.beliefs, view.observer
    thrown = beliefs.thrown & memory.own.possible[slot]
    return (
        beliefs.active & DOUBLE_DISCARDS != 0 and thrown != 0 and slot == chop_of(view, beliefs, me)
    )


@kernel
def spare_slot(view: View, memory: ConventionsMemory) -> int:
    """Return what to discard: a dead card, a copy of one in another hand, the chop, the least."""
    beliefs = memory.beliefs
    me = view.observer
    slot = own_slot_within(view, memory, beliefs.dead)
    if slot == NONE:
        elsewhere = spoken_for(view, beliefs, me, NONE)
        slot = own_slot_within(view, memory, beliefs.dead | elsewhere)
    chop = chop_of(view, beliefs, me)
    if slot == NONE or (chop != NONE and would_name(view, beliefs, slot)):
        slot = chop
    return slot if slot != NONE else least_loss(view, memory)


@kernel
def would_name(view: View, beliefs: Beliefs, slot: int) -> bool:
    """Return whether a discard of the observer would be taken for a positional one."""
    me = view.observer
    return beliefs.active & POSITIONAL_DISCARDS != 0 and is_unexpected(
        view, beliefs, me, slot, view.hand_count[me]
    )


@kernel
def own_slot_within(view: View, memory: ConventionsMemory, cards: int) -> int:
    """Return the oldest of the player's own slots that is taken to be one of `cards`, or NONE."""
    for slot in range(view.hand_count[view.observer]):
        if memory.own.possible[slot] & ~cards == 0:
            return slot
    return NONE


@kernel
def least_loss(view: View, memory: ConventionsMemory) -> int:
    """Return the slot that will be missed least, in a hand without a chop."""
    beliefs, own = memory.beliefs, memory.own
    me = view.observer
    held = beliefs.dead
    for player in range(view.rules.players):
        if player != me:
            for slot in range(view.hand_count[player]):
                held |= 1 << card_in(view.hands[player], slot)
    best, least = 0, 100.0
    for slot in range(view.hand_count[me]):
        loss = 10.0 * share(view, memory, slot, beliefs.critical)
        loss -= 3.0 * share(view, memory, slot, held)
        if own.possible[slot]:
            loss -= 0.1 * rank_of(view, lowest(own.possible[slot]))
        if own.possible[slot] & ~beliefs.playable == 0:
            loss += 5.0
        if loss < least:
            best, least = slot, loss
    return best
