"""What a player concludes from a hint: “play slot 3”, “keep slot 5”, and by which convention.

A conclusion is drawn from the player's own view and from a memory that has followed the game from
the same seat. So it depends on nothing that the player cannot see, and every player who knows the
conventions draws the same one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hanabilab.core.bits import lowest
from hanabilab.formats.describe import Labels
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, Event
from hanabilab.game.state import View
from hanabilab.strategies.conventions.examples import EXAMPLES
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.conventions.tables import highest, meaning
from hanabilab.strategies.strategy import NONE

__all__ = ["Conclusion", "conclude", "conclude_literally"]

Advice = Literal[
    "play",
    "wait",
    "defer",
    "keep",
    "answer",
    "next",
    "first",
    "called",
    "copy",
    "named",
    "words",
    "literal",
]

SENTENCES: dict[Advice, str] = {
    "play": "{giver}'s hint says: play slot {slot}.",
    "wait": "{giver}'s hint says: play slot {slot} later; other cards have to be played first.",
    "defer": "{giver}'s hint says: play slot {slot}, but a turn later: somebody may be called.",
    "keep": "{giver}'s hint says: keep slot {slot}.",
    "answer": "{giver}'s hint to {target} counts on you: play slot {slot}.",
    "next": "{giver}'s hint to {target} counts on you: play slot {slot} after another card.",
    "first": "{giver}'s hint comes one card too early: play slot {slot} first.",
    "copy": "{giver}'s discard says: play slot {slot}, a copy of that card.",
    "named": "{giver}'s discard names a place: play slot {slot}.",
    "called": "An earlier hint still counts on you: play slot {slot}.",
    "words": "{giver}'s hint says no more than its words.",
    "literal": "{giver}'s hint says only its words, as you broke several agreements.",
}
PLAYS, SAVES, TWOS, DELAYED = "Play hints", "Saves", "Twos", "Delayed"
PROMPT, FINESSE, REVERSE, TRUST = "Prompt", "Finesse", "Reverse", "Trust"
SELF, DOUBLE = "Self finesse", "Double finesse"
COPY, POSITION, CHOP_MOVE = "Gentleman", "Positional", "Chop moves"
TWO = 2


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a hint asks of the player who draws this conclusion."""

    advice: Advice
    """Play the card now, play it after expected plays, defer it while somebody who acts later may
    be called, keep it, answer a call, now or late (`called`), play another card `first`, or play
    what a discard calls for (`copy`, `named`);
    `words` if no convention adds to the hint, `literal` if its giver does not trust the reader."""
    slot: int
    """The focus of the hint, or the card that is called for; NONE if there is none."""
    convention: str
    """A word in the title of the convention behind it."""

    def text(self, labels: Labels, event: Event, count: int) -> str:
        """Return the conclusion from a hint as a sentence, for a hand of `count` cards."""
        giver, target = labels.player(event.player), labels.player(event.target)
        number = labels.slot(self.slot, count)
        return SENTENCES[self.advice].format(giver=giver, target=target, slot=number)

    def holds(self, view: View, memory: ConventionsMemory) -> bool:
        """Return whether later turns have left the conclusion as it was."""
        if self.slot == NONE:
            return False
        beliefs = memory.beliefs
        cards = meaning(beliefs, view.observer, self.slot)
        if self.advice == "play" and view.player == view.observer:
            return cards & ~beliefs.playable == 0
        if self.advice in ("play", "answer", "first", "copy", "named"):
            return cards & beliefs.playable != 0
        return cards & ~beliefs.dead != 0

    @property
    def anchor(self) -> str:
        """The anchor of the convention in the list of examples; empty if there is none."""
        word = self.convention.lower()
        return next((each.anchor for each in EXAMPLES if word in each.title.lower()), "")


def conclude(view: View, memory: ConventionsMemory, event: Event) -> Conclusion | None:
    """Return what the observer of a view concludes from a hint; None if it concerns others.

    `view` and `memory` are the observer's after the hint was observed.
    """
    if event.kind == DISCARD:
        return conclude_from_discard(view, memory, event)
    if event.kind not in (HINT_SUIT, HINT_RANK):
        return None
    if event.target != view.observer:
        return answer_to_call(view, memory)
    if memory.draft.called_player == view.observer:
        return Conclusion("first", memory.draft.call_slot, SELF)
    if memory.draft.moved and memory.draft.new:
        return Conclusion("keep", lowest(memory.draft.moved), CHOP_MOVE)
    focused = memory.draft.focus != NONE
    found = conclude_from_focus(view, memory, event) if focused else None
    return found or conclude_from_words(view, memory) or Conclusion("words", NONE, PLAYS)


def conclude_from_discard(view: View, memory: ConventionsMemory, event: Event) -> Conclusion | None:
    """Return the play that a gentleman's or a positional discard calls for."""
    me, beliefs = view.observer, memory.beliefs
    for slot in range(view.hand_count[me]):
        if beliefs.source[me][slot] == event.player + 1:
            if beliefs.handed[me] >> slot & 1:
                return Conclusion("copy", slot, COPY)
            if beliefs.named[me] >> slot & 1:
                return Conclusion("named", slot, POSITION)
    return None


def answer_to_call(view: View, memory: ConventionsMemory) -> Conclusion | None:
    """Return the play that a hint to another player calls for."""
    me, draft, beliefs = view.observer, memory.draft, memory.beliefs
    if draft.next_player == me != draft.called_player:
        return Conclusion("next", draft.next_slot, DOUBLE)
    if draft.called_player != me or not beliefs.called[me] >> draft.call_slot & 1:
        return None
    touched = beliefs.touched[me] >> draft.call_slot & 1
    return Conclusion("answer", draft.call_slot, PROMPT if touched else FINESSE)


def conclude_from_words(view: View, memory: ConventionsMemory) -> Conclusion | None:
    """Return the newest touched card that is playable by the words of a hint."""
    me, beliefs = view.observer, memory.beliefs
    fitting = 0
    for slot in range(view.hand_count[me]):
        if memory.draft.touching >> slot & 1 and fits_now(memory, meaning(beliefs, me, slot)):
            fitting |= 1 << slot
    return Conclusion("play", highest(fitting), PLAYS) if fitting else None


def conclude_literally(view: View, memory: ConventionsMemory) -> Conclusion:
    """Return what a hint says if its giver does not trust the reader: only what is certain."""
    me, beliefs = view.observer, memory.beliefs
    fitting = 0
    for slot in range(view.hand_count[me]):
        if memory.draft.touching >> slot & 1 and fits_now(memory, beliefs.possible[me][slot]):
            fitting |= 1 << slot
    if fitting:
        return Conclusion("play", highest(fitting), PLAYS)
    return Conclusion("literal", NONE, TRUST)


def conclude_from_focus(view: View, memory: ConventionsMemory, event: Event) -> Conclusion | None:
    """Return what a hint says about its focus.

    If the focus may wait for a play by somebody who acts before, it is known on the player's own
    turn whether that came, and the card can be played either way.
    """
    draft, beliefs = memory.draft, memory.beliefs
    slot = draft.focus
    if draft.saved & ~draft.plays:
        two = event.kind == HINT_RANK and event.value == TWO and draft.saved & ~beliefs.critical
        return Conclusion("keep", slot, TWOS if two else SAVES)
    if not draft.plays | draft.waits | draft.later:
        return None
    if draft.later:
        return Conclusion("defer", slot, REVERSE)
    later = draft.plays & ~beliefs.playable
    if later and not fits_now(memory, meaning(beliefs, view.observer, slot)):
        return Conclusion("wait", slot, DELAYED)
    return Conclusion("play", slot, PLAYS)


def fits_now(memory: ConventionsMemory, cards: int) -> bool:
    """Return whether each of some cards can be played now."""
    return cards != 0 and cards & ~memory.beliefs.playable == 0
