"""Choosing a hint: every legal one is read as its target will read it, and the result is valued.

A hint is worth the plays that it truly promises, the cards that it saves and the mistakes that it
repairs, less the useless cards that it touches. A false promise costs more than anything can be
worth. The unit is a hundredth of a play.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import (
    HINT_RANK,
    HINT_SUIT,
    hints_that_touch,
    rank_hint,
    suit_hint,
)
from hanabilab.game.cards import card_in
from hanabilab.game.state import View, rank_cards, rank_of, suit_cards
from hanabilab.strategies.conventions.chop import chop_of, danger_of, free_slots, loss_of
from hanabilab.strategies.conventions.finesse import read_call
from hanabilab.strategies.conventions.reading import (
    drafted,
    expect_plays,
    read_focus,
    read_words,
    spoken_for,
    take_literally,
)
from hanabilab.strategies.conventions.tables import NONE, meaning
from hanabilab.strategies.conventions.trust import Trusting, trusts

__all__ = ["Giving", "best_hint", "read_hint", "touched_by", "touched_cards", "will_misplay"]

PROMISE, LOW_RANK, AT_ONCE = 100.0, 3.0, 5.0
"""A promised play; for each rank that can follow it; if it fits now, or the loss if only later."""
ANSWER = 140.0
"""A play by somebody who is called."""
USEFUL, USELESS = 10.0, 60.0
"""A useful card that is touched for the first time; the loss if it is dead or held twice."""
FALSE_PROMISE, DOUBLE_PROMISE, MISTAKE = 300.0, 100.0, 50.0
"""The loss if a card is wrongly taken to be playable, twice promised, or taken for another."""
REPAIR = 150.0
"""A misplay that is prevented."""
KNOWN_DEAD, NEWS = 20.0, 0.4
"""A card that becomes known as dead; each card that a slot can be no more."""
EXPOSURE, ONE_OF_TWO, LOCK = 0.4, 0.6, 60.0
"""The share of a loss that counts if a hint exposes it, and if as much is at stake after it; the
loss if a hand has no chop left."""


class Giving(Trusting):
    """What the value of a hint depends on, beside the draft."""

    danger: float
    """What the target will lose without a hint."""
    held: int
    """The cards that the target holds and a hint has touched, the hint in question included."""
    promised_cards: int
    """The cards that the hint in question promises."""
    busy: int
    """Whether the target will then have something to play or to throw away."""


@kernel
def best_hint(view: View, memory: Giving, least: float, only: int) -> int:
    """Return the hint that is worth most, if more than `least`; to one player `only`, or to all."""
    best, most = NONE, least
    for offset in range(1, view.rules.players):
        target = (view.observer + offset) % view.rules.players
        if only != NONE and only != target:
            continue
        expect_plays(view, memory, target)
        memory.spoken = spoken_for(view, memory, target, view.observer)
        memory.danger = danger_of(view, memory, target)
        bits = hints_that_touch(view, target)
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
def hint_worth(view: View, memory: Giving, target: int, kind: int, value: int) -> float:
    """Return what a hint is worth, given how it will be read."""
    touching = touched_by(view, target, kind, value)
    read_hint(view, memory, view.observer, target, kind, value, touching)
    if not trusts(memory, target):
        take_literally(view, memory, target)
    memory.promised_cards = 0
    memory.busy = 0
    memory.held = touched_cards(view, memory, target)
    worth = worth_of_call(view, memory, target)
    for slot in range(view.hand_count[target]):
        worth += worth_of_slot(view, memory, target, slot)
    return worth + worth_of_rescue(view, memory, target)


@kernel
def touched_by(view: View, target: int, kind: int, value: int) -> int:
    """Return the slots that a hint touches."""
    told = suit_cards(view, value) if kind == HINT_SUIT else rank_cards(view, value)
    touched = 0
    for slot in range(view.hand_count[target]):
        touched |= (told >> card_in(view.hands[target], slot) & 1) << slot
    return touched


@kernel
def read_hint(
    view: View, memory: Giving, giver: int, target: int, kind: int, value: int, touching: int
) -> None:
    """Draft what a hint says; `expect_plays` and `spoken_for` were worked out for this target."""
    read_words(view, memory, target, kind, value, touching)
    read_focus(view, memory, target, kind, value)
    if memory.focus != NONE:
        read_call(view, memory, giver, target)
        cards = memory.plays | memory.saved | memory.waits
        if cards:
            memory.draft_inferred[memory.focus] &= cards


@kernel
def worth_of_slot(view: View, memory: Giving, target: int, slot: int) -> float:
    """Return what a hint is worth for one card: what it is taken to be, before and after."""
    card = 1 << card_in(view.hands[target], slot)
    before, after = meaning(memory, target, slot), drafted(memory, target, slot)
    soon = memory.soon | memory.waits if slot == memory.focus else memory.soon
    was_play, is_play = before & ~soon == 0, after & ~soon == 0
    if after & ~memory.playable == 0 or after & ~memory.dead == 0:
        memory.busy = 1
    worth = worth_of_touch(memory, slot, card)
    if is_play and not was_play:
        worth += worth_of_promise(view, memory, card, soon)
    elif before & ~memory.playable == 0 and after & ~memory.playable and not card & memory.playable:
        worth += REPAIR
    elif after & ~memory.dead == 0 and before & ~memory.dead:
        worth += KNOWN_DEAD
    if after & card and not before & card:
        worth += MISTAKE
    elif before & card and not after & card and not (is_play and not card & soon):
        worth -= FALSE_PROMISE if slot == memory.focus else MISTAKE
    if memory.touching >> slot & 1 and after & card:
        worth += NEWS * (popcount(before) - popcount(after))
    return worth


@kernel
def worth_of_promise(view: View, memory: Giving, card: int, soon: int) -> float:
    """Return what it is worth that a card will be taken to be playable, now or soon."""
    if not card & soon:
        return -FALSE_PROMISE
    if card & memory.promised_cards:
        return -DOUBLE_PROMISE
    if card & memory.spoken:
        return 0.0
    memory.promised_cards |= card
    worth = PROMISE + LOW_RANK * (view.rules.ranks - rank_of(view, lowest(card)))
    return worth + AT_ONCE if card & memory.playable else worth - AT_ONCE


@kernel
def worth_of_touch(memory: Giving, slot: int, card: int) -> float:
    """Return what it is worth to touch a card for the first time (good touch)."""
    if not memory.new >> slot & 1:
        return 0.0
    useless = card & (memory.dead | memory.spoken | memory.held)
    memory.held |= card
    return -USELESS if useless else USEFUL


@kernel
def worth_of_call(view: View, memory: Giving, target: int) -> float:
    """Return what a prompt or a finesse is worth: exactly one player must be able to answer."""
    if not memory.call_card:
        return 0.0
    if memory.answers == 1 and not memory.call_card & (memory.spoken | memory.held):
        return ANSWER
    return -FALSE_PROMISE


@kernel
def touched_cards(view: View, memory: Giving, player: int) -> int:
    """Return the cards that another player holds and a hint has touched."""
    cards = 0
    for slot in range(view.hand_count[player]):
        if memory.touched[player] >> slot & 1:
            cards |= 1 << card_in(view.hands[player], slot)
    return cards


@kernel
def worth_of_rescue(view: View, memory: Giving, target: int) -> float:
    """Return what it is worth that the target will throw away another card, or none."""
    if memory.busy:
        return memory.danger
    left = free_slots(view, memory, target) & ~memory.touching
    if not left:
        return memory.danger - LOCK
    loss = loss_of(view, memory, target, card_in(view.hands[target], lowest(left)))
    if loss > memory.danger:
        return EXPOSURE * (memory.danger - loss)
    if loss == memory.danger and memory.touching >> chop_of(view, memory, target) & 1:
        return ONE_OF_TWO * loss
    return memory.danger - loss


@kernel
def will_misplay(view: View, memory: Giving, player: int) -> bool:
    """Tell whether a player is expected to play a card that does not fit."""
    for slot in range(view.hand_count[player]):
        fits = memory.playable >> card_in(view.hands[player], slot) & 1
        if not fits and meaning(memory, player, slot) & ~memory.playable == 0:
            return True
    return False
