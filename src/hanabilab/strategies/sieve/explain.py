"""Explanations in players' words: what a hint calls for, and why a card goes.

The table is public, so most sentences are the same for every reader. Only what a hint touches
depends on the target's cards: a target is told how to read the hint, not what it says.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest, members
from hanabilab.game.actions import DISCARD, HINT_SUIT, PASS, PLAY
from hanabilab.game.cards import HIDDEN, card_in
from hanabilab.strategies.explain import (
    ExplanationContext,
    cards_in_words,
    explain_by_facts,
    in_words,
)
from hanabilab.strategies.sieve.calls import (
    BLUFF,
    COPY,
    DIRECT,
    DISCARD_CALL,
    DOUBLE_BLUFF,
    EMPTY,
    FIX,
    LOADED_PLAY,
    LOCK,
    LOCKED_PLAY,
    NOTE,
    PLAYABLE_RANK,
    PRIORITY,
    PROMPT,
    REFERENTIAL_PLAY,
    RESET,
    REVEAL,
    STALL,
    TRASH_PUSH,
    UNLOCK,
)
from hanabilab.strategies.sieve.copies import handed_card, oldest_that_may_be
from hanabilab.strategies.sieve.endgame import END_LINE
from hanabilab.strategies.sieve.locked import is_quasi_locked
from hanabilab.strategies.sieve.memory import SieveMemory, Table
from hanabilab.strategies.sieve.reading import read_hint, touched_by
from hanabilab.strategies.sieve.tables import (
    chop_of,
    is_loaded,
    is_locked,
    meaning,
    plays_of,
    trash_of,
)
from hanabilab.strategies.sieve.turns import read_card
from hanabilab.strategies.strategy import NONE

__all__ = ["explain"]

CALLS = {
    REFERENTIAL_PLAY: "a referential play: the suit hint touched the next older card",
    TRASH_PUSH: "a trash push: the hint touched only trash, and this card is next to it",
    LOADED_PLAY: "a loaded rank play: the rank hint touched the next newer card",
    PROMPT: "a prompt: the hint was about a card that comes after this one",
    BLUFF: "a finesse or a bluff: the hint was about a card that comes too early",
    DOUBLE_BLUFF: "a double bluff: the hint said nothing new",
    LOCKED_PLAY: "a locked partner's suit hint touched this card",
    UNLOCK: "an unlock promise: the last play fits this card",
    COPY: "a gentleman's discard: this is the other copy, or fits before it",
    DIRECT: "a quasi-locked partner's suit hint touched this card",
    NOTE: "an elimination note: only this card can be the copy of the one discarded",
    PRIORITY: "priority: my partner played a card that leads nowhere else",
}
"""Why a card is called to be played."""

TOLD = {
    UNLOCK: "an unlock promise",
    COPY: "it tells where the copy is",
    NOTE: "an elimination note",
    PRIORITY: "a priority prompt or finesse",
}
"""How a play or a discard calls a card of the partner."""

MEANINGS = {
    REVEAL: "it shows a safe action in a card touched before",
    FIX: "a fix: it keeps a card from being misplayed",
    TRASH_PUSH: "a trash push",
    REFERENTIAL_PLAY: "a referential play",
    PLAYABLE_RANK: "every card of this rank that is still needed can be played",
    LOADED_PLAY: "a loaded rank play",
    DISCARD_CALL: "a referential discard",
    LOCK: "a lock: there is nothing to discard",
    PROMPT: "a prompt",
    BLUFF: "a finesse or a bluff",
    DOUBLE_BLUFF: "a double bluff",
    STALL: "a stall, without a further meaning",
    LOCKED_PLAY: "the newest card can be played",
    DIRECT: "a stall of a quasi-locked player: the newest touched card can be played",
    RESET: "it revokes a permission: the newest card is the chop again",
    EMPTY: "nothing beyond its words",
}
"""What a hint means."""


def explain(context: ExplanationContext) -> str:
    """Name the convention behind an action."""
    kind = context.event.kind
    if kind == PASS:
        return explain_by_facts(context)
    if kind == PLAY:
        return because(context, with_news(context, why_play(context)))
    if kind == DISCARD:
        return because(context, with_news(context, why_discard(context)))
    if context.event.target == context.reader:
        return because(context, how_to_read(context))
    return because(context, why_hint(context))


def because(context: ExplanationContext, why: str) -> str:
    """Describe an action and its reason; one chosen for the lines that follow is called so."""
    if context.memory.reason != END_LINE:
        return context.because(why)
    return context.because(f"the last draws, thought through: {why}")


def with_news(context: ExplanationContext, why: str) -> str:
    """Add what a play or a discard tells the partner to its reason."""
    return "; ".join(filter(None, (why, what_it_tells(context))))


def why_play(context: ExplanationContext) -> str:
    """Describe what called a card, or what it must be."""
    view, slot = context.view, context.event.slot
    me, table = view.observer, context.memory.table
    fitting = meaning(table, me, slot) & table.playable
    taken = f": I take it for {cards_in_words(view, fitting)}" if fitting else ""
    if table.called[me] >> slot & 1:
        return f"{CALLS[table.cause[me][slot]]}{taken}"
    if plays_of(table, me) >> slot & 1:
        return f"a touched card will be needed{taken}"
    return "no other card is left for it to be, or a try is worth it"


def why_discard(context: ExplanationContext) -> str:
    """Explain why this card goes."""
    slot, me, table = context.event.slot, context.view.observer, context.memory.table
    if table.thrown[me] >> slot & 1:
        return "a hint called it to be discarded"
    if table.permitted[me] >> slot & 1:
        return "I have permission to discard it"
    if trash_of(table, me) >> slot & 1:
        return "it is known to be trash"
    if slot == chop_of(table, me):
        return "it is my chop, the newest card"
    copy = handed_card(table, me, DISCARD, slot, HIDDEN)
    if copy:
        name = cards_in_words(context.view, copy)
        return f"{kind_of_copy(table, 1 - me, copy)}: {context.name(1 - me)} has a copy of {name}"
    return f"{'a sacrifice, since I am locked: ' if is_locked(table, me) else ''}I miss it least"


def kind_of_copy(table: Table, partner: int, copy: int) -> str:
    """Return what the discard of a card is called if the partner has a copy."""
    if oldest_that_may_be(table, partner, table.touched[partner], copy) != NONE:
        return "a sarcastic discard"
    return "a gentleman's discard" if copy & table.playable else "a baton discard"


def what_it_tells(context: ExplanationContext) -> str:
    """Describe what a play or a discard tells the partner beyond the usual permission."""
    event, me, table = context.event, context.view.observer, context.memory.table
    partner, after = 1 - me, context.memory.table.copy()
    cards = meaning(table, me, event.slot)
    card = lowest(cards) if cards and is_single(cards) else HIDDEN
    drew = int(context.view.draw_pile > 0)
    read_card(context.view, after, me, event.kind, event.slot, card, drew)
    called = after.called[partner] & ~table.called[partner]
    parts = [
        f"{TOLD.get(after.cause[partner][slot], 'a call')}:"
        f" {context.whose(partner)} slot {context.slot(partner, slot)} can be played"
        for slot in members(called)
    ]
    let = (after.thrown[partner] | after.permitted[partner]) & ~trash_of(table, partner)
    parts += [
        f"so {context.whose(partner)} slot {context.slot(partner, slot)} can be discarded too"
        for slot in members(let)
        if is_loaded(table, partner)
    ]
    if after.sieved[partner] & ~table.sieved[partner]:
        parts.append(f"so {context.whose(partner)} newest card must be kept")
    return "; ".join(parts)


def how_to_read(context: ExplanationContext) -> str:
    """Describe how the target reads a hint of this kind, whatever it touches."""
    me, table = context.view.observer, context.memory.table
    if is_quasi_locked(table, me) and context.event.kind == HINT_SUIT:
        return "I am quasi-locked: a suit hint says: play the newest card that it newly touches"
    if is_locked(table, me):
        return "I am locked: if it calls for nothing, you can discard your newest card"
    if context.event.kind == HINT_SUIT:
        return "a suit hint says: play the next newer card, beside the newly touched one"
    if is_loaded(table, 1 - me):
        return "you have a safe action, so a rank hint says: play the next older card"
    return "a rank hint says: discard the next older card; if there is none, keep all"


def why_hint(context: ExplanationContext) -> str:
    """Describe what a hint means, and which cards it is about."""
    view, event = context.view, context.event
    memory: SieveMemory = context.memory
    target, table = event.target, memory.table.copy()
    touched = touched_by(view, target, event.kind, event.value)
    said = read_hint(view, table, view.observer, event.kind, event.value, touched)
    plays = plays_of(table, target) | table.called[target]
    plays &= ~(plays_of(memory.table, target) | memory.table.called[target])
    thrown = (table.thrown[target] | table.permitted[target]) & ~trash_of(memory.table, target)
    parts = [MEANINGS[said], asked(context, plays, "played")]
    parts.append(asked(context, thrown, "discarded"))
    return "; ".join(filter(None, parts))


def asked(context: ExplanationContext, slots: int, what: str) -> str:
    """Return what a hint asks the target to do with some slots, with their cards."""
    target = context.event.target
    words = [
        f"slot {context.slot(target, slot)}"
        f" ({in_words(context.view, card_in(context.view.hands[target], slot))})"
        for slot in members(slots)
    ]
    return f"it asks for {' and '.join(words)} to be {what}" if words else ""
