"""Explanations in players' words: which convention is behind an action.

What a reader at the table is told follows from the action and from what that reader sees: their own
cards are hidden in every view that is used here, and nothing is said of what was not done.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PASS, PLAY, can_discard
from hanabilab.game.cards import HIDDEN_HAND, card_in
from hanabilab.game.knowledge import probability
from hanabilab.game.state import View
from hanabilab.strategies.conventions.decision import CALLED, GAMBLED, WARNED
from hanabilab.strategies.conventions.giving import read_hint, touched_by
from hanabilab.strategies.conventions.interpretation import drafted, expect_plays, spoken_for
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.conventions.tables import NONE, chop_of, meaning
from hanabilab.strategies.explain import (
    Telling,
    cards_in_words,
    explain_by_facts,
    in_words,
    of_play,
)

__all__ = ["explain"]


def explain(telling: Telling) -> str:
    """Say which convention is behind an action."""
    kind = telling.event.kind
    if kind == PASS:
        return explain_by_facts(telling)
    if kind == PLAY:
        return telling.because(why_play(telling))
    if kind == DISCARD:
        return telling.because(why_discard(telling))
    return why_hint(telling)


def why_play(telling: Telling) -> str:
    """Say who said that a card can be played, and what it must be."""
    view, memory, slot = telling.view, telling.memory, telling.event.slot
    me, known = view.observer, telling.known()
    possible = known.possible[me][slot]
    source = memory.beliefs.source[me][slot] - 1
    if memory.reason == CALLED and memory.beliefs.called[me] >> slot & 1:
        where = "a touched card" if memory.beliefs.touched[me] >> slot & 1 else "my youngest card"
        return f"{hint_of(telling, source)} came one card too early, which calls for {where}"
    if memory.reason == GAMBLED:
        chance = probability(known, me, slot, view.playable)
        return f"in the last round a try costs nothing; {of_play(telling, possible, chance)}"
    fitting = possible & view.playable
    if possible & ~view.playable == 0:
        words = cards_in_words(view, possible)
        single = is_single(possible)
        return f"it can only be {words}, which fits" if single else f"it fits, as {words}"
    if memory.beliefs.promised[me] >> slot & 1:
        said = f"{hint_of(telling, source)} says play"
        return f"{said}: it can only be {cards_in_words(view, fitting)}" if fitting else said
    if source >= 0 and fitting:
        return f"a touched card will be played: I take it for {cards_in_words(view, fitting)}"
    return "I take it for playable"


def hint_of(telling: Telling, giver: int) -> str:
    """Return whose hint it was, in words."""
    if giver < 0:
        return "a hint"
    return "your hint" if giver == telling.reader else f"the hint of {telling.name(giver)}"


def why_discard(telling: Telling) -> str:
    """Say why this card goes first."""
    view, memory, slot = telling.view, telling.memory, telling.event.slot
    me = view.observer
    possible = telling.known().possible[me][slot]
    if memory.reason == WARNED:
        after = (me + 1) % view.rules.players
        whose = "your chop" if after == telling.reader else f"the chop of {telling.name(after)}"
        return f"no token is left and I could play: a warning that {whose} is critical"
    if possible & ~view.dead == 0:
        return f"certainly dead ({cards_in_words(view, possible)})"
    if slot == chop_of(view, memory.beliefs, me):
        return "it is my chop, the oldest card that nobody has pointed at"
    if (
        telling.reader is None
        and memory.own.possible[slot] & ~memory.beliefs.dead & ~doubles(telling) == 0
    ):
        return f"another hand holds {cards_in_words(view, memory.own.possible[slot])}"
    if chop_of(view, memory.beliefs, me) == NONE:
        return "every card is spoken for, and I miss this one least"
    return "I take it for a card that is not needed"


def doubles(telling: Telling) -> int:
    """Return the cards that other hands are known to hold."""
    return spoken_for(telling.view, telling.memory.beliefs, telling.view.observer, NONE)


def why_hint(telling: Telling) -> str:
    """Say what a hint means by the conventions, to all who see the cards; else how to read it."""
    view, event = telling.view, telling.event
    forced = "" if can_discard(view) else "a discard is not allowed, and "
    if event.target == telling.reader:
        return telling.because(how_to_read(telling, forced))
    seen = as_reader_sees(telling)
    memory = draft_of(telling, seen)
    known = news(telling, seen, memory)
    said = known if memory.draft.focus == NONE else message(telling, seen, memory) or known
    return telling.because(forced + said) if said else explain_by_facts(telling)


def how_to_read(telling: Telling, forced: str) -> str:
    """Say how the target reads any hint now: that does not depend on what it touches."""
    chop = chop_of(telling.view, telling.memory.beliefs, telling.event.target)
    youngest = "the youngest new card can be played"
    if chop == NONE:
        return f"{forced}you have no chop: {youngest}"
    number = telling.slot(telling.event.target, chop)
    return f"{forced}slot {number} is your chop: if touched, keep or play it; else {youngest}"


def as_reader_sees(telling: Telling) -> View:
    """Return the table as the acting player sees it, without the reader's cards."""
    view = telling.view.copy()
    if telling.reader is not None:
        view.hands[telling.reader] = HIDDEN_HAND
    return view


def draft_of(telling: Telling, view: View) -> ConventionsMemory:
    """Return a memory that has read the hint."""
    memory: ConventionsMemory = telling.memory.copy()
    target, kind, value = telling.event.target, telling.event.kind, telling.event.value
    assert kind in (HINT_RANK, HINT_SUIT)
    expect_plays(view, memory, target)
    memory.draft.spoken = spoken_for(view, memory.beliefs, target, view.observer)
    touching = touched_by(view, target, kind, value)
    read_hint(view, memory, view.observer, target, kind, value, touching)
    return memory


def news(telling: Telling, view: View, memory: ConventionsMemory) -> str:
    """Return which cards become known by the words alone."""
    target = telling.event.target
    known = [
        slot
        for slot in range(view.hand_count[target])
        if is_single(drafted(memory, target, slot))
        and not is_single(meaning(memory.beliefs, target, slot))
    ]
    if not known:
        return ""
    slots = telling.labels.slots(known, view.hand_count[target])
    return f"now it is known what {slots} {'are' if len(known) > 1 else 'is'}"


def message(telling: Telling, view: View, memory: ConventionsMemory) -> str:
    """Return what the focus of a hint is, and what the hint says of it."""
    draft = memory.draft
    target = telling.event.target
    card = card_in(view.hands[target], draft.focus)
    name = in_words(view, card)
    focus = telling.slot(target, draft.focus)
    if draft.call_card:
        return f"slot {focus} ({name}) comes one card too early, which calls for the card before it"
    if view.playable >> card & 1:
        return f"slot {focus} ({name}) can be played"
    if draft.plays >> card & 1:
        return f"slot {focus} ({name}) can be played after the plays that all expect"
    if draft.saved >> card & 1:
        why = "critical" if view.critical >> card & 1 else "a two"
        return f"{name} is on the chop of {telling.name(target)} and {why}: I save it"
    return ""
