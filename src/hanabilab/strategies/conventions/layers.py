"""Layered and hidden finesses: a called player goes on until the missing card comes.

**Layered finesses.** The missing card may lie behind others that fit. The called player plays the
newest untouched card. If it fits but is not the missing one, the next older one is called.

**Hidden finesses.** The touched card of which a prompt is taken to speak may be another one that
fits. If so, the call goes on in the same way, from the next touched card that may be the missing
one, or else from the newest untouched one.

A card that connects to the hint ends the call, whatever it was meant for. Directly after the giver
an untouched card that does not connect means a bluff, and so there are no layers. Cards that are
drawn after the hint are not called.

Everyone but the target sees the hinted card, and knows that the call goes on. The target sees it
too if the missing card is in sight behind the layers, and waits until the called player has acted
once more.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single
from hanabilab.core.kernel import cold, kernel
from hanabilab.game.actions import Event
from hanabilab.game.cards import card_in
from hanabilab.game.state import View
from hanabilab.strategies.conventions.calls import may_be_bluffed
from hanabilab.strategies.conventions.catalogue import (
    HIDDEN_FINESSES,
    LAYERED_FINESSES,
    REVERSE_FINESSES,
)
from hanabilab.strategies.conventions.memory import Beliefs, ConventionsMemory
from hanabilab.strategies.conventions.tables import highest, meaning, pointed_at, successors
from hanabilab.strategies.strategy import NONE

__all__ = ["accept_layers", "call_next", "draft_layers", "missing_after", "next_slot"]


# --- who is called --------------------------------------------------------------------------------


@cold
@kernel
def draft_layers(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Draft whether the missing card of a hint is behind others, and what else the focus may be."""
    beliefs, draft = memory.beliefs, memory.draft
    if view.rules.players == 2:
        return
    cards = draft.possible[draft.focus] & draft.inferred[draft.focus]
    early = cards & ~(draft.plays | draft.saved | beliefs.dead | beliefs.known[target])
    early &= successors(view, beliefs.playable)
    if view.observer != target and draft.call_card and not draft.is_bluff:
        find_layers(view, memory, giver, target, cards)
    early &= ~(draft.waits | draft.later)
    while early:
        card = early & -early
        early ^= card
        draft_wait(view, memory, giver, target, card, cards)


@kernel
def draft_wait(
    view: View, memory: ConventionsMemory, giver: int, target: int, card: int, focus: int
) -> None:
    """Draft that the focus may be a card if the one before it is seen behind others."""
    draft = memory.draft
    player = (giver + 1) % view.rules.players
    reverse = False
    while player != giver:
        if player == target:
            reverse = True
            if not memory.beliefs.active & REVERSE_FINESSES:
                return
        elif can_answer(view, memory.beliefs, giver, player, card >> 1, focus):
            if reverse:
                draft.later |= card
            else:
                draft.waits |= card
            return
        player = (player + 1) % view.rules.players


@kernel
def can_answer(
    view: View, beliefs: Beliefs, giver: int, player: int, card: int, focus: int
) -> bool:
    """Return whether another player is seen to play a card after at least one other."""
    if player == view.observer or beliefs.called[player]:
        return False
    first = next_slot(view, beliefs, player, card, (1 << view.hand_count[player]) - 1)
    if first == NONE or may_be_bluffed(view, beliefs, giver, player, first):
        return False
    return layers_before(view, beliefs, player, card, focus) > 0


@kernel
def next_slot(view: View, beliefs: Beliefs, player: int, card: int, within: int) -> int:
    """Return the slot from which a player answers a call for a card, one of some slots, or NONE."""
    touched = beliefs.touched[player] & within
    for slot in range(view.hand_count[player] - 1, -1, -1):
        if touched >> slot & 1 and meaning(beliefs, player, slot) & card:
            return slot
    untouched = within & ~pointed_at(beliefs, player)
    return highest(untouched) if untouched else NONE


@kernel
def layers_before(view: View, beliefs: Beliefs, player: int, card: int, focus: int) -> int:
    """Return how many cards another player plays before `card`; NONE if it does not come.

    Each of them must fit, be no copy of another, and connect to nothing that the focus may be.
    """
    within, passed, count = (1 << view.hand_count[player]) - 1, 0, 0
    slot = next_slot(view, beliefs, player, card, within)
    while slot != NONE:
        played = 1 << card_in(view.hands[player], slot)
        if played == card:
            return count
        agreed = HIDDEN_FINESSES if beliefs.touched[player] >> slot & 1 else LAYERED_FINESSES
        fits = played & beliefs.playable & ~passed and not successors(view, played) & focus
        if not fits or not beliefs.active & agreed:
            return NONE
        within &= ~(1 << slot)
        passed |= played
        count += 1
        slot = next_slot(view, beliefs, player, card, within)
    return NONE


@kernel
def find_layers(view: View, memory: ConventionsMemory, giver: int, target: int, focus: int) -> None:
    """Find who is called if nobody is seen to hold the missing card where it is called for."""
    beliefs, draft = memory.beliefs, memory.draft
    player = (giver + 1) % view.rules.players
    while player != giver:
        if player == target:
            if not beliefs.active & REVERSE_FINESSES:
                return
        elif can_answer(view, beliefs, giver, player, draft.call_card, focus):
            draft.answers += 1
            if draft.answers == 1:
                every = (1 << view.hand_count[player]) - 1
                draft.called_player = player
                draft.call_slot = next_slot(view, beliefs, player, draft.call_card, every)
                draft.layers = layers_before(view, beliefs, player, draft.call_card, focus)
        player = (player + 1) % view.rules.players


# --- calls on the table ---------------------------------------------------------------------------


@cold
@kernel
def accept_layers(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Note, as the target, who acts later and is called if the hint is a finesse with layers."""
    beliefs, draft = memory.beliefs, memory.draft
    if target != view.observer or draft.focus == NONE or not draft.later:
        return
    player = (target + 1) % view.rules.players
    while player != giver:
        left = draft.later
        while left and not beliefs.called[player]:
            card = left & -left
            left ^= card
            if can_answer(view, beliefs, giver, player, card >> 1, draft.possible[draft.focus]):
                every = (1 << view.hand_count[player]) - 1
                slot = next_slot(view, beliefs, player, card >> 1, every)
                write_layer(beliefs, player, slot, card >> 1, giver + 1)
        player = (player + 1) % view.rules.players


@kernel
def write_layer(beliefs: Beliefs, player: int, slot: int, card: int, source: int) -> None:
    """Note that a player is called for a card."""
    beliefs.called[player] |= 1 << slot
    beliefs.source[player][slot] = source
    beliefs.inferred[player][slot] = card


@cold
@kernel
def missing_after(view: View, event: Event, beliefs: Beliefs) -> tuple[int, int]:
    """Return which card is still missing after a play, as a set; also who waits for it, or NONE.

    `view` is after the play, `beliefs` are as they were before.
    """
    player, slot = event.player, event.slot
    agreed = HIDDEN_FINESSES if beliefs.touched[player] >> slot & 1 else LAYERED_FINESSES
    if not beliefs.active & agreed:
        return 0, NONE
    if beliefs.called[player] >> slot & 1:
        missing = beliefs.inferred[player][slot]
        other = (beliefs.handed[player] | beliefs.named[player] | beliefs.pending[player]) >> slot
        if other & 1 or not is_single(missing) or missing >> event.card & 1:
            return 0, NONE
        return missing, waiting_target(view, beliefs, player, missing)
    return missing_to_target(view, event, beliefs)


@kernel
def waiting_target(view: View, beliefs: Beliefs, player: int, missing: int) -> int:
    """Return who waits for a card that a player is called for, or NONE."""
    for target in range(view.rules.players):
        waits = beliefs.waiting[target] | beliefs.later[target]
        if target != player and waits & successors(view, missing):
            return target
    return NONE


@kernel
def missing_to_target(view: View, event: Event, beliefs: Beliefs) -> tuple[int, int]:
    """Return the card that the observer, the target of a hint, goes on waiting for after a play."""
    me, player, slot = view.observer, event.player, event.slot
    waits = (beliefs.waiting[me] | beliefs.later[me]) & ~beliefs.playable
    giver = beliefs.later_until[me] - 1
    if player == me or not waits or giver < 0 or successors(view, 1 << event.card) & waits:
        return 0, NONE
    if may_be_bluffed(view, beliefs, giver, player, slot):
        return 0, NONE
    while waits:
        missing = (waits & -waits) >> 1
        waits &= waits - 1
        if not beliefs.touched[player] >> slot & 1 or meaning(beliefs, player, slot) & missing:
            for other in range(view.hand_count[player] - event.drew):
                if missing >> card_in(view.hands[player], other) & 1:
                    return missing, me
    return 0, NONE


@cold
@kernel
def call_next(
    view: View, event: Event, beliefs: Beliefs, missing: int, target: int, giver: int
) -> None:
    """Call the next card of a player who played another one than the missing one.

    `beliefs` no longer have the card that was played.
    """
    player = event.player
    beliefs.touched[player] = view.suit_hinted[player] | view.rank_hinted[player]
    beliefs.known[player] &= ~missing
    old = (1 << view.hand_count[player] - event.drew) - 1
    slot = next_slot(view, beliefs, player, missing, old)
    if slot == NONE or not beliefs.possible[player][slot] & missing:
        return
    if target == view.observer and not reaches(view, beliefs, player, missing, old):
        return
    write_layer(beliefs, player, slot, missing, giver + 1)
    if target == NONE:
        return
    beliefs.awaited[target] = beliefs.later[target] = successors(view, missing)
    beliefs.waiting[target] = beliefs.later_until[target] = 0


@kernel
def reaches(view: View, beliefs: Beliefs, player: int, missing: int, within: int) -> bool:
    """Return whether a player is seen to come to the missing card, one card after the other."""
    slot = next_slot(view, beliefs, player, missing, within)
    while slot != NONE:
        played = 1 << card_in(view.hands[player], slot)
        if played == missing:
            return True
        if not played & view.playable:
            return False
        within &= ~(1 << slot)
        slot = next_slot(view, beliefs, player, missing, within)
    return False
