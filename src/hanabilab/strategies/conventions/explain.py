"""Explanations in players' words: which convention is behind an action.

What a reader at the table is told follows from the action and from what that reader sees: their own
cards are hidden in every view that is used here, and nothing is said of what was not done.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, members
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PASS, PLAY, can_discard
from hanabilab.game.cards import HIDDEN_HAND, card_in
from hanabilab.game.knowledge import probability
from hanabilab.game.state import View, rank_of
from hanabilab.strategies.conventions.decision import CALLED, GAMBLED, GENTLEMAN, WARNED, would_name
from hanabilab.strategies.conventions.endgame import END_LINE
from hanabilab.strategies.conventions.interpretation import (
    draft_hint,
    drafted_meaning,
    expect_plays,
    spoken_for,
    touched_by,
)
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.conventions.stalling import is_fill_in
from hanabilab.strategies.conventions.tables import chop_of, meaning, successors
from hanabilab.strategies.explain import (
    ExplanationContext,
    cards_in_words,
    explain_by_facts,
    in_words,
    of_play,
)
from hanabilab.strategies.strategy import NONE

__all__ = ["explain"]

TWO = 2


def explain(context: ExplanationContext) -> str:
    """Name the convention behind an action."""
    kind = context.event.kind
    if kind == PASS:
        return explain_by_facts(context)
    if kind == PLAY:
        return because(context, why_play(context))
    if kind == DISCARD:
        return because(context, why_discard(context))
    return why_hint(context)


def because(context: ExplanationContext, why: str) -> str:
    """Describe an action and its reason; one chosen for its end line is called so."""
    if context.memory.reason != END_LINE:
        return context.because(why)
    left = context.view.draw_pile
    time = f"{left} cards to draw" if left > 1 else "one card to draw" if left else "the last round"
    return context.because(f"end line ({time}, thought through to the last turn): {why}")


def why_play(context: ExplanationContext) -> str:
    """Describe who said that a card can be played, and what it must be."""
    view, memory, slot = context.view, context.memory, context.event.slot
    me, known = view.observer, context.known()
    possible = known.possible[me][slot]
    source = memory.beliefs.source[me][slot] - 1
    if memory.reason == CALLED and memory.beliefs.handed[me] >> slot & 1:
        return f"{context.whose(source)} discard says that my newest card is a copy of it"
    if memory.reason == CALLED and memory.beliefs.named[me] >> slot & 1:
        return f"{context.whose(source)} positional discard names this slot"
    if memory.reason == CALLED and memory.beliefs.called[me] >> slot & 1:
        where = "a touched card" if memory.beliefs.touched[me] >> slot & 1 else "my newest card"
        if is_behind(view, memory, slot):
            return f"{hint_of(context, source)} still calls for a card, and my last one was another"
        early = "two cards" if is_of_double(view, memory, slot) else "one card"
        return f"{hint_of(context, source)} came {early} too early, which calls for {where}"
    if memory.reason == GAMBLED:
        chance = probability(known, me, slot, view.playable)
        return f"in the last round a try costs nothing; {of_play(context, possible, chance)}"
    fitting = possible & view.playable
    if memory.reason == END_LINE and memory.own.possible[slot] & ~view.playable:
        return of_play(context, possible, probability(known, me, slot, view.playable))
    if possible & ~view.playable == 0:
        words = cards_in_words(view, possible)
        single = is_single(possible)
        return f"it can only be {words}, which fits" if single else f"it fits, as {words}"
    if memory.beliefs.promised[me] >> slot & 1:
        said = f"{hint_of(context, source)} says play"
        return f"{said}: it can only be {cards_in_words(view, fitting)}" if fitting else said
    if source >= 0 and fitting:
        return f"a touched card will be played: I take it for {cards_in_words(view, fitting)}"
    return "I take it for playable"


def is_of_double(view: View, memory: ConventionsMemory, slot: int) -> bool:
    """Return whether a called card is one of two for which the same hint calls."""
    first = successors(view, memory.beliefs.inferred[view.observer][slot])
    after = first | successors(view, first)
    return any(after & cards for cards in memory.beliefs.doubles[: view.rules.players])


def is_behind(view: View, memory: ConventionsMemory, slot: int) -> bool:
    """Return whether a called card comes after others that were not the missing one."""
    beliefs = memory.beliefs
    after = successors(view, beliefs.inferred[view.observer][slot])
    players = range(view.rules.players)
    return any(after & beliefs.awaited[each] & ~beliefs.doubles[each] for each in players)


def hint_of(context: ExplanationContext, giver: int) -> str:
    """Return whose hint it was, in words."""
    return "a hint" if giver < 0 else f"{context.whose(giver)} hint"


def why_discard(context: ExplanationContext) -> str:
    """Explain why this card goes first."""
    view, memory, slot = context.view, context.memory, context.event.slot
    me = view.observer
    possible = context.known().possible[me][slot]
    if memory.reason == WARNED:
        chop = f"{context.whose((me + 1) % view.rules.players)} chop"
        if view.hint_tokens > 0:
            return f"a dead card instead of a play: a shout discard, {chop} is critical"
        return f"no token is left and I could play: a scream discard, {chop} is critical"
    if memory.reason == GENTLEMAN:
        name = cards_in_words(view, meaning(memory.beliefs, me, slot))
        return f"a gentleman's discard: {name} fits, and somebody else can play a copy"
    if would_name(view, memory.beliefs, slot):
        return "a positional discard: it names the slot that another player can play"
    if possible & ~view.dead == 0:
        return f"certainly dead ({cards_in_words(view, possible)})"
    if slot == chop_of(view, memory.beliefs, me):
        return "it is my chop, the oldest card that nobody has pointed at"
    if (
        context.reader is None
        and memory.own.possible[slot] & ~memory.beliefs.dead & ~doubles(context) == 0
    ):
        return f"another hand holds {cards_in_words(view, memory.own.possible[slot])}"
    if chop_of(view, memory.beliefs, me) == NONE:
        return "every card is spoken for, and I miss this one least"
    return "I take it for a card that is not needed"


def doubles(context: ExplanationContext) -> int:
    """Return the cards that other hands are known to hold."""
    return spoken_for(context.view, context.memory.beliefs, context.view.observer, NONE)


def why_hint(context: ExplanationContext) -> str:
    """Describe what a hint means to those who see the cards, and how to read it to its target."""
    view, event = context.view, context.event
    forced = "" if can_discard(view) else "a discard is not allowed, and "
    if event.target == context.reader:
        return because(context, how_to_read(context, forced))
    seen = as_reader_sees(context)
    memory = draft_of(context, seen)
    known = news(context, seen, memory) or stall(context, seen, memory)
    said = known if memory.draft.focus == NONE else message(context, seen, memory) or known
    said = "; ".join(words for words in (said, chop_move(context, seen, memory)) if words)
    return because(context, forced + said) if said else explain_by_facts(context)


def how_to_read(context: ExplanationContext, forced: str) -> str:
    """Describe how the target reads any hint now: that does not depend on what it touches."""
    chop = chop_of(context.view, context.memory.beliefs, context.event.target)
    newest = "the newest card without an earlier hint can be played"
    if chop == NONE:
        return f"{forced}you have no chop: {newest}"
    number = context.slot(context.event.target, chop)
    return f"{forced}slot {number} is your chop: if touched, keep or play it; else {newest}"


def as_reader_sees(context: ExplanationContext) -> View:
    """Return the table as the acting player sees it, without the reader's cards."""
    view = context.view.copy()
    if context.reader is not None:
        view.hands[context.reader] = HIDDEN_HAND
    return view


def draft_of(context: ExplanationContext, view: View) -> ConventionsMemory:
    """Return a memory that has read the hint."""
    memory: ConventionsMemory = context.memory.copy()
    target, kind, value = context.event.target, context.event.kind, context.event.value
    assert kind in (HINT_RANK, HINT_SUIT)
    expect_plays(view, memory, target, view.observer)
    memory.draft.spoken = spoken_for(view, memory.beliefs, target, view.observer)
    touching = touched_by(view, target, kind, value)
    draft_hint(view, memory, view.observer, target, kind, value, touching)
    return memory


def chop_move(context: ExplanationContext, view: View, memory: ConventionsMemory) -> str:
    """Return which cards a hint protects that it does not touch."""
    if not memory.draft.moved:
        return ""
    target = context.event.target
    slots = context.labels.slots(members(memory.draft.moved), view.hand_count[target])
    return f"a chop move: {context.name(target)} keeps {slots}"


def news(context: ExplanationContext, view: View, memory: ConventionsMemory) -> str:
    """Return which cards become known by the words alone."""
    target = context.event.target
    known = [
        slot
        for slot in range(view.hand_count[target])
        if is_single(drafted_meaning(memory, target, slot))
        and not is_single(meaning(memory.beliefs, target, slot))
    ]
    if not known:
        return ""
    slots = context.labels.slots(known, view.hand_count[target])
    return f"now it is known what {slots} {'are' if len(known) > 1 else 'is'}"


def stall(context: ExplanationContext, view: View, memory: ConventionsMemory) -> str:
    """Return that a hint says nothing, if its giver must not discard."""
    fills_in = not memory.draft.new and is_fill_in(
        view, memory, view.observer, context.event.target
    )
    return "a stall, as I must not discard: it says no more than its words" if fills_in else ""


def finesse_with_layers(context: ExplanationContext, memory: ConventionsMemory) -> str:
    """Return who plays other cards before the one that is missing."""
    draft, called = memory.draft, context.name(memory.draft.called_player)
    hidden = memory.beliefs.touched[draft.called_player] >> draft.call_slot & 1
    kind = "hidden" if hidden else "layered"
    return f"a {kind} finesse, {called} plays {in_numbers(draft.layers)} before the missing one"


def in_numbers(cards: int) -> str:
    """Return how many other cards there are, in words."""
    return "another card" if cards == 1 else f"{cards} other cards"


def double_finesse(context: ExplanationContext, memory: ConventionsMemory) -> str:
    """Return who plays the two cards for which a hint calls."""
    first, second = memory.draft.called_player, memory.draft.next_player
    if first == second:
        return f"a double finesse, {context.name(first)} plays both cards before it"
    return f"a double finesse, {context.name(first)} and then {context.name(second)} play before it"


def message(context: ExplanationContext, view: View, memory: ConventionsMemory) -> str:
    """Return what the focus of a hint is, and what the hint says of it."""
    draft = memory.draft
    target = context.event.target
    card = card_in(view.hands[target], draft.focus)
    name = in_words(view, card)
    focus = context.slot(target, draft.focus)
    if draft.is_bluff:
        called = context.name(draft.called_player)
        return f"slot {focus} ({name}) comes too early: a bluff, {called} plays the newest card"
    if draft.called_player == target:
        called = context.name(target)
        first = f"{called} plays the newest card before it"
        return f"slot {focus} ({name}) comes too early: a self-finesse, {first}"
    if draft.layers:
        how = finesse_with_layers(context, memory)
        return f"slot {focus} ({name}) comes one card too early: {how}"
    if draft.next_player != NONE:
        return f"slot {focus} ({name}) comes two cards too early: {double_finesse(context, memory)}"
    seats = view.rules.players
    after = (draft.called_player - view.observer) % seats > (target - view.observer) % seats
    if draft.call_card and draft.called_player != NONE and after:
        called = context.name(draft.called_player)
        return f"slot {focus} ({name}) comes too early: a reverse finesse, {called} plays before it"
    if draft.call_card:
        return f"slot {focus} ({name}) comes one card too early, which calls for the card before it"
    if view.playable >> card & 1:
        return f"slot {focus} ({name}) can be played"
    if draft.plays >> card & 1:
        return f"slot {focus} ({name}) can be played after the plays that all expect"
    chop = chop_of(view, memory.beliefs, target)
    if draft.saved >> card & 1 and draft.focus != chop and rank_of(view, card) == view.rules.ranks:
        return f"a five stall: slot {focus} ({name}) is to be kept, and I need not discard"
    if draft.saved >> card & 1 and not (view.critical >> card & 1 or rank_of(view, card) == TWO):
        return f"I cannot discard, and so save slot {focus} ({name})"
    if draft.saved >> card & 1:
        why = "critical" if view.critical >> card & 1 else "a two"
        return f"{name} is on {context.whose(target)} chop and {why}: I save it"
    return ""
