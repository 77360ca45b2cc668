"""Choosing a hint: every legal one is read as its target will read it, and the result is valued.

A hint is worth the plays that it truly promises, the cards that it saves and the mistakes that it
repairs, less the useless cards that it touches. A false promise costs more than anything can be
worth. The unit is a hundredth of a play.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest, popcount
from hanabilab.core.kernel import cold, kernel
from hanabilab.game.actions import (
    HINT_RANK,
    HINT_SUIT,
    count_legal,
    decode_action,
    hints_that_touch,
    nth_legal,
    rank_hint,
    suit_hint,
)
from hanabilab.game.cards import card_in
from hanabilab.game.state import View, rank_of
from hanabilab.strategies.conventions.calls import called_card
from hanabilab.strategies.conventions.catalogue import GOOD_TOUCH
from hanabilab.strategies.conventions.interpretation import (
    draft_hint,
    drafted_meaning,
    expect_hopeful_plays,
    find_hopeful_slots,
    known_to_hold,
    take_literally,
    touched_by,
)
from hanabilab.strategies.conventions.layers import next_slot
from hanabilab.strategies.conventions.memory import Beliefs, ConventionsMemory
from hanabilab.strategies.conventions.stalling import says_more_words
from hanabilab.strategies.conventions.tables import (
    chop_of,
    danger_of,
    free_slots,
    loss_of,
    meaning,
    seat_after,
)
from hanabilab.strategies.conventions.trust import trusts
from hanabilab.strategies.strategy import NONE, Candidates, propose

__all__ = [
    "best_hint",
    "five_stall",
    "hint_worth",
    "prepare_all_hints",
    "prepare_hints",
    "prepare_hints_to",
    "propose_true_hints",
    "touched_cards",
    "will_misplay",
]

PROMISE, LOW_RANK, AT_ONCE = 100.0, 3.0, 5.0
"""A promised play; for each rank that can follow it; if it fits now, or the loss if only later."""
ANSWER, BLUFF = 180.0, 180.0
"""A play by somebody who is called."""
USEFUL, USELESS = 10.0, 60.0
"""A useful card that is touched for the first time; the loss if it is dead or held twice."""
FALSE_PROMISE, DOUBLE_PROMISE, MISTAKE = 300.0, 100.0, 50.0
"""The loss if a card is wrongly taken to be playable, twice promised, or taken for another."""
REPEATED = 100.0
"""The loss if a hint says no more than is known, so that only its convention counts."""
REPAIR = 150.0
"""A misplay that is prevented."""
KEPT, KEPT_TRASH = 0.3, 30.0
"""The share of a loss that counts if a card beside the chop is kept; the loss if it is useless."""
KNOWN_DEAD, NEWS = 40.0, 0.4
"""A card that becomes known as dead; each card that a slot can be no more."""
EXPOSURE, ONE_OF_TWO, LOCK = 0.4, 0.6, 60.0
"""The share of a loss that counts if a hint exposes it, and if as much is at stake after it; the
loss if a hand has no chop left."""


@kernel
def best_hint(view: View, memory: ConventionsMemory, least: float, only: int) -> int:
    """Return the hint that is worth most, if more than `least`; to one player `only`, or to all."""
    best, most = NONE, least
    prepare_all_hints(view, memory)
    target = view.observer
    for _ in range(1, view.rules.players):
        target = seat_after(view, target)
        if only != NONE and only != target:
            continue
        prepare_hints_to(view, memory, target)
        bits = hints_that_touch(view, target) & ~view.barred_hints
        while bits:
            bit = lowest(bits)
            bits &= bits - 1
            kind = HINT_SUIT if bit < view.rules.suits else HINT_RANK
            value = bit if bit < view.rules.suits else bit - view.rules.suits + 1
            worth = hint_worth(view, memory, target, kind, value)
            if worth > most:
                most = worth
                if kind == HINT_SUIT:
                    best = suit_hint(view, target, value)
                else:
                    best = rank_hint(view, target, value)
    return best


@kernel
def five_stall(view: View, memory: ConventionsMemory, least: float) -> int:
    """Return the hint that touches fives for the first time and is worth most, or NONE."""
    best, most, five = NONE, least, view.rules.ranks
    target = view.observer
    for _ in range(1, view.rules.players):
        target = seat_after(view, target)
        bit = view.rules.suits + five - 1
        if hints_that_touch(view, target) & ~view.barred_hints & 1 << bit:
            prepare_hints(view, memory, target)
            worth = hint_worth(view, memory, target, HINT_RANK, five)
            if worth > most and memory.draft.new:
                best, most = rank_hint(view, target, five), worth
    return best


@kernel
def prepare_hints(view: View, memory: ConventionsMemory, target: int) -> None:
    """Work out what the reading and the worth of every hint to a player depend on."""
    prepare_all_hints(view, memory)
    prepare_hints_to(view, memory, target)


@kernel
def prepare_all_hints(view: View, memory: ConventionsMemory) -> None:
    """Work out what the hints to all players depend on."""
    find_hopeful_slots(view, memory)
    for player in range(view.rules.players):
        memory.value.spoken[player] = known_to_hold(view, memory.beliefs, player, view.observer)
    memory.value.own = own_copies(view, memory) if memory.beliefs.active & GOOD_TOUCH else 0


@kernel
def prepare_hints_to(view: View, memory: ConventionsMemory, target: int) -> None:
    """Work out what else the hints to one player depend on."""
    expect_hopeful_plays(view, memory, target, view.observer)
    memory.draft.spoken = 0
    for player in range(view.rules.players):
        if player != target:
            memory.draft.spoken |= memory.value.spoken[player]
    memory.value.danger = danger_of(view, memory.beliefs, target)
    memory.value.touched = touched_cards(view, memory.beliefs, target)
    for slot in range(view.hand_count[target]):
        memory.value.before[slot] = meaning(memory.beliefs, target, slot)


@kernel
def own_copies(view: View, memory: ConventionsMemory) -> int:
    """Return the cards that the player's own touched cards may be."""
    me, cards = view.observer, 0
    for slot in range(view.hand_count[me]):
        if memory.beliefs.touched[me] >> slot & 1:
            cards |= memory.own.possible[slot]
    return cards


@kernel
def hint_worth(view: View, memory: ConventionsMemory, target: int, kind: int, value: int) -> float:
    """Return what a hint is worth, given how it will be read."""
    read_as_target(view, memory, target, kind, value)
    memory.value.promised = 0
    memory.value.busy = 0
    worth = worth_of_call(view, memory, target)
    for slot in range(view.hand_count[target]):
        worth += worth_of_slot(view, memory, target, slot)
    worth += worth_of_rescue(view, memory, target) + worth_of_moves(view, memory, target)
    return worth if says_more(view, memory, target) else worth - REPEATED


@kernel
def says_more(view: View, memory: ConventionsMemory, target: int) -> bool:
    """Return whether a hint touches a new card, or says more about one than is known."""
    return memory.draft.new != 0 or says_more_words(view, memory, target)


@kernel
def read_as_target(
    view: View, memory: ConventionsMemory, target: int, kind: int, value: int
) -> None:
    """Draft a hint of the observer as its target will read it."""
    touching = touched_by(view, target, kind, value)
    draft_hint(view, memory, view.observer, target, kind, value, touching)
    if not trusts(memory, target):
        take_literally(view, memory, target)
    memory.value.held = memory.value.touched


@kernel
def worth_of_slot(view: View, memory: ConventionsMemory, target: int, slot: int) -> float:
    """Return what a hint is worth for one card: what it is taken to be, before and after."""
    beliefs, draft = memory.beliefs, memory.draft
    card = 1 << card_in(view.hands[target], slot)
    before, after = memory.value.before[slot], drafted_meaning(memory, target, slot)
    soon = draft.soon
    if slot == draft.focus:
        soon |= draft.waits | draft.later
    was_play, is_play = before & ~soon == 0, after & ~soon == 0
    if after & ~beliefs.playable == 0 or after & ~beliefs.dead == 0:
        memory.value.busy = 1
    worth = worth_of_touch(memory, slot, card)
    if after == before:
        return worth
    if is_play and not was_play:
        worth += worth_of_promise(view, memory, card, soon)
    elif (
        before & ~beliefs.playable == 0
        and after & ~beliefs.playable
        and not card & beliefs.playable
    ):
        worth += REPAIR
    elif after & ~beliefs.dead == 0 and before & ~beliefs.dead:
        worth += KNOWN_DEAD
    if after & card and not before & card:
        worth += MISTAKE
    elif before & card and not after & card and not (is_play and not card & soon):
        worth -= FALSE_PROMISE if slot == draft.focus else MISTAKE
    if draft.touching >> slot & 1 and after & card:
        worth += NEWS * (popcount(before) - popcount(after))
    return worth


@kernel
def worth_of_promise(view: View, memory: ConventionsMemory, card: int, soon: int) -> float:
    """Return what it is worth that a card will be taken to be playable, now or soon."""
    if not card & soon:
        return -FALSE_PROMISE
    if card & memory.value.promised:
        return -DOUBLE_PROMISE
    if card & memory.draft.spoken:
        return 0.0
    memory.value.promised |= card
    worth = PROMISE + LOW_RANK * (view.rules.ranks - rank_of(view, lowest(card)))
    return worth + AT_ONCE if card & memory.beliefs.playable else worth - AT_ONCE


@kernel
def worth_of_touch(memory: ConventionsMemory, slot: int, card: int) -> float:
    """Return what it is worth to touch a card for the first time (good touch)."""
    if not memory.draft.new >> slot & 1:
        return 0.0
    value = memory.value
    useless = card & (memory.beliefs.dead | memory.draft.spoken | value.held | value.own)
    value.held |= card
    return -USELESS if useless else USEFUL


@kernel
def worth_of_call(view: View, memory: ConventionsMemory, target: int) -> float:
    """Return what a prompt or a finesse is worth: exactly one player must be able to answer."""
    draft = memory.draft
    if not draft.call_card:
        return 0.0
    held = draft.spoken | memory.value.held
    if held >> card_in(view.hands[target], draft.focus) & 1 and draft.new >> draft.focus & 1:
        return -FALSE_PROMISE
    if draft.is_bluff:
        card = called_card(view, draft)
        if draft.answers or card & held or not card & memory.beliefs.playable:
            return -FALSE_PROMISE
        return BLUFF
    if draft.called_player == target and draft.answers == 1:
        memory.value.busy = 1
        return ANSWER
    if draft.next_player != NONE:
        return worth_of_double(memory, held)
    if draft.answers != 1:
        return -FALSE_PROMISE
    if draft.layers:
        return worth_of_layers(view, memory, held)
    prompted = memory.beliefs.touched[draft.called_player] >> draft.call_slot & 1
    return ANSWER if prompted or not draft.call_card & held else -FALSE_PROMISE


@kernel
def worth_of_double(memory: ConventionsMemory, held: int) -> float:
    """Return what a double finesse is worth: the plays that nobody expects without it."""
    beliefs, draft = memory.beliefs, memory.draft
    if draft.answers != 1:
        return -FALSE_PROMISE
    worth = worth_of_answer(
        beliefs, draft.called_player, draft.call_slot, draft.call_card & held, beliefs.playable
    )
    return worth + worth_of_answer(
        beliefs, draft.next_player, draft.next_slot, draft.call_card << 1 & held, draft.soon
    )


@kernel
def worth_of_answer(beliefs: Beliefs, player: int, slot: int, copies: int, soon: int) -> float:
    """Return what it is worth that a card is called for; nothing if it will be played anyway.

    A card that is not touched must not be a copy of one that is.
    """
    if meaning(beliefs, player, slot) & ~soon == 0:
        return 0.0
    if copies and not beliefs.touched[player] >> slot & 1:
        return -FALSE_PROMISE
    return ANSWER


@cold
@kernel
def worth_of_layers(view: View, memory: ConventionsMemory, held: int) -> float:
    """Return what a finesse with layers is worth: all plays, none of them of a copy."""
    beliefs, draft, player = memory.beliefs, memory.draft, memory.draft.called_player
    within, slot = (1 << view.hand_count[player]) - 1, draft.call_slot
    worth = 0.0
    for _ in range(draft.layers + 1):
        card = 1 << card_in(view.hands[player], slot)
        worth += worth_of_answer(beliefs, player, slot, card & held, beliefs.playable)
        within &= ~(1 << slot)
        slot = next_slot(view, beliefs, player, draft.call_card, within)
    return worth if view.lives > 1 else -FALSE_PROMISE


@kernel
def touched_cards(view: View, beliefs: Beliefs, player: int) -> int:
    """Return the cards that another player holds and a hint has touched."""
    cards = 0
    for slot in range(view.hand_count[player]):
        if beliefs.touched[player] >> slot & 1:
            cards |= 1 << card_in(view.hands[player], slot)
    return cards


@kernel
def worth_of_rescue(view: View, memory: ConventionsMemory, target: int) -> float:
    """Return what it is worth that the target will throw away another card, or none."""
    beliefs = memory.beliefs
    if memory.value.busy:
        return memory.value.danger
    left = free_slots(view, beliefs, target) & ~(memory.draft.touching | memory.draft.moved)
    if not left:
        return memory.value.danger - LOCK
    loss = loss_of(view, beliefs, target, card_in(view.hands[target], lowest(left)))
    if loss > memory.value.danger:
        return EXPOSURE * (memory.value.danger - loss)
    kept = memory.draft.touching | memory.draft.moved
    if loss == memory.value.danger and kept >> chop_of(view, beliefs, target) & 1:
        return ONE_OF_TWO * loss
    return memory.value.danger - loss


@kernel
def worth_of_moves(view: View, memory: ConventionsMemory, target: int) -> float:
    """Return what it is worth to keep untouched cards for good: nothing if they are useless."""
    slots, worth = memory.draft.moved, 0.0
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        card = card_in(view.hands[target], slot)
        if (memory.beliefs.dead | memory.draft.spoken) >> card & 1:
            worth -= KEPT_TRASH
        elif slot != chop_of(view, memory.beliefs, target):
            worth += KEPT * loss_of(view, memory.beliefs, target, card)
    return worth


@kernel
def will_misplay(view: View, beliefs: Beliefs, player: int) -> bool:
    """Return whether a player is expected to play a card that does not fit."""
    for slot in range(view.hand_count[player]):
        fits = beliefs.playable >> card_in(view.hands[player], slot) & 1
        if not fits and meaning(beliefs, player, slot) & ~beliefs.playable == 0:
            return True
    return False


# --- hints for a search ---------------------------------------------------------------------------


@kernel
def propose_true_hints(view: View, candidates: Candidates, memory: ConventionsMemory) -> None:
    """Propose to a search the hints whose promises and calls are true."""
    candidates.any_hint = 0
    for n in range(count_legal(view)):
        action = nth_legal(view, n)
        decode_action(view, action, memory.event)
        event = memory.event
        if event.kind == HINT_SUIT or event.kind == HINT_RANK:
            prepare_hints(view, memory, event.target)
            read_as_target(view, memory, event.target, event.kind, event.value)
            if is_true(view, memory, event.target):
                propose(candidates, action)


@kernel
def is_true(view: View, memory: ConventionsMemory, target: int) -> bool:
    """Return whether no card will wrongly be taken to be playable because of the drafted hint."""
    draft = memory.draft
    if worth_of_call(view, memory, target) < 0.0:
        return False
    for slot in range(view.hand_count[target]):
        card = 1 << card_in(view.hands[target], slot)
        soon = draft.soon | draft.waits | draft.later if slot == draft.focus else draft.soon
        after = drafted_meaning(memory, target, slot)
        if after & ~soon == 0 and not card & soon and meaning(memory.beliefs, target, slot) & ~soon:
            return False
    return True
