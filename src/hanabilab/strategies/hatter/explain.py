"""Explain why `hatter` and `duo` act as they do: what a signal tells whom, which law applied.

A reader at the table learns nothing about their own cards that the action itself does not tell:
their part of a signal is what is left of the number, and chances count only the cards that the
reader sees as well. Whether a hint touches the reader's marked slot is for the reader to see.
"""

from __future__ import annotations

from hanabilab.core.bits import popcount
from hanabilab.game.actions import DISCARD, HINT_SUIT, PLAY, can_discard
from hanabilab.game.cards import card_in
from hanabilab.strategies.explain import ExplanationContext, cards_in_words, of_discard, of_play
from hanabilab.strategies.hatter.decision import infer_own_cards, own_chance
from hanabilab.strategies.hatter.laws import (
    RISKS_CHOP,
    WARNING,
    apply_law,
    binds,
    coding_plays,
    expect_play,
    needs,
    number_of_play,
)
from hanabilab.strategies.hatter.memory import SURE_WAYS, HatterMemory
from hanabilab.strategies.hatter.questions import answer_questions, conclude_need, reset_told
from hanabilab.strategies.hatter.signals import (
    coding_slots,
    contradicts,
    hats_of_hints,
    hear,
    marked_slot,
    number_told,
)
from hanabilab.strategies.hatter.tables import CERTAIN, project, slots_within, useless_slots
from hanabilab.strategies.strategy import NONE

__all__ = ["explain_duo", "explain_hatter"]


def explain_hatter(context: ExplanationContext) -> str:
    """Explain why `hatter` acts like this."""
    if context.event.kind == PLAY:
        return context.because(reason_to_play(context))
    if context.event.kind == DISCARD:
        return context.because(f"{reason_to_discard(context)}{told_by_discard(context)}")
    return told_by_hint(context)


def explain_duo(context: ExplanationContext) -> str:
    """Explain why `duo` acts like this, and what everyone concludes from it."""
    event, memory = context.event, context.memory
    if event.kind == PLAY:
        known = reason_to_play(context)
        return context.because(f"{known}{said_by_law(context)}{told_by_play(context)}")
    if event.kind == DISCARD:
        known = reason_to_discard(context)
        law = said_by_law(context)
        partner = 1 - event.player
        cards = context.view.hand_count[partner]
        apply_law(memory, memory.tables.public[partner], cards, DISCARD, 0)
        return context.because(f"{known}{law}{told_by_discard(context)}")
    return told_by_hint(context)


# --- plays and discards ---------------------------------------------------------------------------


def own_cards(context: ExplanationContext) -> int:
    """Return what the card may be by what the player and the reader both know."""
    infer_own_cards(context.shared, context.memory)
    possible: int = context.memory.private.possible[context.event.slot]
    return possible


def reason_to_play(context: ExplanationContext) -> str:
    """Describe how likely the card is to fit, and why that is enough."""
    view, memory = context.view, context.memory
    possible = own_cards(context)
    chance = (
        own_chance(context.shared, memory, context.event.slot, memory.tables.playable) / CERTAIN
    )
    fits = of_play(context, possible, chance)
    if possible & ~memory.tables.playable == 0:
        return fits
    if context.reader is not None:
        return f"{fits}, not counting your cards"
    if view.turns_left >= 0:
        return f"{fits}, and this is the last round"
    if not can_discard(view) and chance <= memory.gamble:
        return f"{fits}, but no hint tells the right number, and a discard is forbidden"
    return f"{fits}, and there is a life to spare"


def reason_to_discard(context: ExplanationContext) -> str:
    """Describe how little the card will be missed."""
    view, memory, slot = context.view, context.memory, context.event.slot
    possible = own_cards(context)
    dead = own_chance(context.shared, memory, slot, memory.tables.dead) / CERTAIN
    critical = own_chance(context.shared, memory, slot, memory.tables.critical) / CERTAIN
    useless = useless_slots(
        memory.private.possible, view.hand_count[view.observer], memory.tables.dead
    )
    if useless >> slot & 1 and possible & ~memory.tables.dead:
        return f"another {cards_in_words(view, possible)} is in the same hand"
    return of_discard(context, possible, dead, critical)


def said_by_law(context: ExplanationContext) -> str:
    """Describe what the law in force lets everyone conclude about the table before this turn."""
    memory: HatterMemory = context.memory
    kind = context.event.kind
    partner = context.name(1 - context.event.player)
    if not binds(memory.law, kind) or not memory.law.unaware:
        return ""
    other = 1 - context.event.player
    chop = f"slot {context.slot(other, memory.law.watched)}"
    if memory.law.kind == WARNING:
        warning = "is critical" if kind == DISCARD else "was not critical"
        return f"; by the law of warning it tells {partner} that {chop} {warning}"
    more = f" and {chop} not critical" if memory.law.watched != NONE else ""
    return f"; by the law of need it tells {partner} that no card was playable{more}"


# --- signals --------------------------------------------------------------------------------------


def told_by_discard(context: ExplanationContext) -> str:
    """Describe what the choice among several publicly useless or spare cards tells."""
    view, event, memory = context.view, context.event, context.memory
    me = event.player
    cards = view.hand_count[me]
    slots = coding_slots(view, memory, me, cards)
    if not slots >> event.slot & 1:
        return ""
    number = popcount(slots & ((1 << event.slot) - 1))
    said = addressed(context, told(context, popcount(slots), number, need=0))
    useless = useless_slots(memory.tables.public[me], cards, memory.tables.dead)
    kind = "useless" if useless else "spare"
    return f"; choosing this of {popcount(slots)} {kind} cards tells {said}"


def told_by_play(context: ExplanationContext) -> str:
    """Describe what the choice among several publicly playable cards tells the only partner."""
    event, memory = context.event, context.memory
    slots = coding_plays(memory)
    if not slots >> event.slot & 1:
        return ""
    partner = 1 - event.player
    number = number_of_play(context.view, memory, event.player, slots, event.slot)
    expect_play(context.view, memory, event.player, slots)
    memory.tables.public[partner][:] = memory.signal.told[partner]
    answer_questions(context.view, memory, partner, popcount(slots), number, 0)
    said = addressed(context, {partner: news_of(context, partner)})
    return f"; choosing this of {popcount(slots)} playable cards tells {said}"


def told_by_hint(context: ExplanationContext) -> str:
    """Describe what the number of a hint tells everyone, and why a hint was due."""
    view, event, memory = context.view, context.event, context.memory
    hats = hats_of_hints(view, memory.tables)
    slot = marked_slot(view, memory.tables, event.target)
    hidden = event.target == context.reader and memory.tables.ways != SURE_WAYS
    numbers = []
    for touched in (1, 0) if hidden else (touches(context, slot),):
        event.touched = touched << slot
        numbers.append(number_told(view, event, memory.tables))
    need = memory.law.hint_means_need
    said = told(context, hats, numbers[0], need)
    if hidden:
        other = told(context, hats, numbers[1], need)[event.target]
        marked = f"slot {context.slot(event.target, slot)}"
        said[event.target] = f"{said[event.target]} if {marked} is touched and {other} if not"
    total = " or ".join(map(str, numbers))
    reason = f"{', which means need' if need else ''}{reason_to_hint(context)}"
    more = by_words(context, said) if view.rules.players == 2 else ""
    return f"hint sum {total} of {hats}{reason}: tells {addressed(context, said)}{more}"


def by_words(context: ExplanationContext, said: dict[int, str]) -> str:
    """Describe what else a hint of `duo` does by its words, and what it tells if they matter.

    Words can make the number void, or leave only one reason for the partner's need.

    A reader who is its target has not seen yet which cards it touches.
    """
    view, event, memory = context.view, context.event, context.memory
    target = event.target
    if target == context.reader:
        return ", unless the words contradict that" if memory.void_numbers else ""
    hear(view, memory, target, view.possible[target], word_of(context))
    void = memory.void_numbers and contradicts(view, memory, target, memory.signal.heard)
    if void:
        reset_told(view, memory, target)
    told = memory.signal.told[target]
    hear(view, memory, target, told, word_of(context))
    cards = view.hand_count[target]
    heard = list(memory.signal.heard[:cards])
    told[:cards] = heard
    if memory.law.hint_means_need:
        conclude_need(view, memory, target, told)
    concluded = list(told[:cards]) != heard
    more = ""
    if void or concluded:
        said[target] = news_of(context, target)
    if void:
        more = " by its words alone: they contradict the number, which is void"
    elif concluded:
        more = ": the words leave no other reason for the need"
    plays = slots_within(told, cards, memory.tables.playable)
    slot = memory.law.suspect
    if memory.suspicion and slot != NONE and not plays:
        critical = memory.tables.critical
        if told[slot] & critical and told[slot] & ~critical:
            called = f"slot {context.slot(target, slot)}"
            more += f"; as it tells of no play, {called} is suspected of being critical"
    return more


def word_of(context: ExplanationContext) -> int:
    """Return the word of a hint: suits first, and after them ranks."""
    event = context.event
    return event.value if event.kind == HINT_SUIT else context.view.rules.suits + event.value - 1


def addressed(context: ExplanationContext, said: dict[int, str]) -> str:
    """Return what is told to whom, as one list in words."""
    return ", ".join(f"{context.name(player)} {news}" for player, news in said.items())


def touches(context: ExplanationContext, slot: int) -> int:
    """Return 1 if the reader sees that the hint touches this slot of the target, else 0."""
    view, event = context.view, context.event
    if event.target == context.reader:
        return 0
    touching = view.rules.hint_bits[card_in(view.hands[event.target], slot)]
    return touching >> word_of(context) & 1


def reason_to_hint(context: ExplanationContext) -> str:
    """Explain why a hint was better than a discard, as far as the reader can see."""
    view, shared, memory = context.view, context.shared, context.memory
    infer_own_cards(shared, memory)
    for player in range(view.rules.players):
        aware = slots_within(
            memory.tables.public[player], view.hand_count[player], memory.tables.playable
        )
        if memory.private.held[player] & memory.tables.playable and not aware:
            return f", as {context.name(player)} knows of no play"
    if not can_discard(view):
        return ", as a discard is forbidden"
    if context.reader is not None:
        return ""
    if needs(view, memory, 0) & RISKS_CHOP:
        return f", as {context.whose(1 - view.observer)} chop is critical"
    if memory.private.elsewhere & memory.tables.playable:
        return ", as someone else can play"
    return ", rather than lose a card that may be needed"


def told(context: ExplanationContext, hats: int, number: int, need: int) -> dict[int, str]:
    """Describe what a number tells each player; a reader's own part is what is left of it.

    Without a reader the last player's is, so that a number which is not the sum is described too.
    """
    view, memory, sender = context.view, context.memory, context.event.player
    project(view, memory, sender)
    rest = number
    others = [(sender + offset) % view.rules.players for offset in range(1, view.rules.players)]
    last = others[-1] if context.reader is None else context.reader
    for player in others:
        reset_told(view, memory, player)
        if player != last:
            rest -= answer_questions(view, memory, player, hats, NONE, need)
    answer_questions(view, memory, last, hats, rest % hats, need)
    return {player: news_of(context, player) for player in others}


def news_of(context: ExplanationContext, player: int) -> str:
    """Return the most useful thing that a player has been told.

    A play comes first, then a dead card, then what is not playable, then what a card may be. A slot
    "will be" playable or dead if it is not so yet, but when that player's turn comes.
    """
    view, memory = context.view, context.memory
    before, after = memory.tables.public[player], memory.signal.told[player]
    playable, dead = memory.projected.playable[player], memory.projected.dead[player]
    changed = [slot for slot in range(view.hand_count[player]) if before[slot] != after[slot]]

    def called(slot: int) -> str:
        return f"slot {context.slot(player, slot)}"

    for slot in changed:
        if after[slot] & ~playable == 0:
            return f"that {called(slot)} {tense(after[slot], memory.tables.playable)} playable"
    for slot in changed:
        if after[slot] & ~dead == 0:
            return f"that {called(slot)} {tense(after[slot], memory.tables.dead)} dead"
    if not changed:
        return "nothing new"
    if all(before[slot] & playable and not after[slot] & playable for slot in changed):
        if not any(possible & playable for possible in after[: view.hand_count[player]]):
            return "that no slot is playable"
        slots = context.labels.slots(changed, view.hand_count[player])
        return f"that {slots} {'are' if len(changed) > 1 else 'is'} not playable"
    slot = min(changed, key=lambda each: popcount(after[each]))
    return f"that {called(slot)} is {cards_in_words(view, after[slot])}"


def tense(cards: int, now: int) -> str:
    """Return "is" if it is so already, or "will be" if only when the player's turn comes."""
    return "will be" if cards & ~now else "is"
