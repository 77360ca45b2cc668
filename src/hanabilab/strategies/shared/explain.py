"""Why a strategy does what it does, in one sentence for whoever reads along.

A strategy's `explanation` is handed a `Telling`: the view and the memory with which it acted, the
action, and the reader. The sentence is the same reasoning once more, in plain Python and with the
strategy's own kernels, and it depends on nothing but what the strategy saw.

A reader may sit at the same table. Such a reader's own cards must not shine through, neither by
name nor by a number that counts them: `Telling.shared` is the view without the reader's hand, and
all that is said to a reader follows from the action and from that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PASS, PLAY, Event, announce
from hanabilab.game.cards import HIDDEN, card_in
from hanabilab.game.knowledge import Knowledge, from_seat, probability
from hanabilab.game.names import card_words, suit_words, unpack_letters
from hanabilab.game.view import View

__all__ = ["Telling", "cards_in_words", "explain_by_facts", "facts"]

FEW = 3
"""So many cards are listed one by one."""


@dataclass(frozen=True, slots=True)
class Telling:
    """One action, who chose it with what in sight and in mind, and who wants to know why."""

    view: View
    memory: Any
    """A copy of the memory as it was before the action was chosen."""
    event: Event
    """The action as it is announced."""
    shared: View
    """What the reader sees too: the view without the reader's hand."""
    reader: int | None
    """The player who reads, or None for someone who may see all that the strategy sees."""

    @classmethod
    def of(cls, view: View, memory: Any, action: int, reader: int | None) -> Telling:
        """The action as it stands before it is taken."""
        event = Event()
        announce(view, action, event)
        shared = view.copy()
        if reader is not None and reader != view.observer:
            shared.hand_count[reader] = 0
        else:
            reader = None
        return cls(view.copy(), memory.copy(), event, shared, reader)

    @property
    def headline(self) -> str:
        """The action itself."""
        event = self.event
        if event.kind == PASS:
            return "passes"
        if event.kind in (PLAY, DISCARD):
            return f"{'plays' if event.kind == PLAY else 'discards'} slot {event.slot}"
        told = f"rank {event.value}" if event.kind == HINT_RANK else f"suit {self.suit}"
        return f"tells {self.name(event.target)} {told}"

    @property
    def suit(self) -> str:
        """The suit that a hint tells."""
        return suit_words(self.event.value, unpack_letters(self.view.letters))

    def name(self, player: int) -> str:
        """How the reader calls a player."""
        return "you" if player == self.reader else f"player {player}"

    def because(self, reason: str) -> str:
        """The whole sentence."""
        return f"{self.headline}: {reason}"

    def known(self) -> Knowledge:
        """What the acting player and the reader both know of the acting player's cards."""
        known = Knowledge()
        from_seat(known, self.shared)
        me = self.view.observer
        for slot in range(self.view.hand_count[me]):
            card = card_in(self.view.hands[me], slot)
            if card != HIDDEN:
                known.possible[me][slot] = 1 << card
        return known


def explain_by_facts(telling: Telling) -> str:
    """A sentence for any strategy: what the table says about the action."""
    return telling.because(facts(telling))


def facts(telling: Telling) -> str:
    """What can be said for the action, from the cards and the hints."""
    event = telling.event
    if event.kind == PASS:
        return "an open game has no hints"
    if event.kind in (HINT_SUIT, HINT_RANK):
        return _of_hint(telling)
    me, known = telling.view.observer, telling.known()
    possible = known.possible[me][event.slot]
    if event.kind == PLAY:
        return of_play(telling, possible, probability(known, me, event.slot, telling.view.playable))
    chances = [
        probability(known, me, event.slot, cards)
        for cards in (telling.view.dead, telling.view.critical)
    ]
    return of_discard(telling, possible, *chances)


def of_play(telling: Telling, possible: int, chance: float) -> str:
    """How well a card fits that may be any of these."""
    view = telling.view
    if possible & ~view.playable == 0:
        return f"certainly playable ({cards_in_words(view, possible)})"
    if possible & view.playable == 0:
        return f"certainly not playable ({cards_in_words(view, possible)})"
    return f"playable with {percent(chance)}"


def of_discard(telling: Telling, possible: int, dead: float, critical: float) -> str:
    """How little a card is missed that may be any of these."""
    view = telling.view
    if possible & ~view.dead == 0:
        return f"certainly dead ({cards_in_words(view, possible)})"
    if possible & (possible - 1) == 0:
        left = "although it is critical" if possible & view.critical else "another copy is left"
        return f"{cards_in_words(view, possible)}, {left}"
    if possible & view.critical == 0:
        return f"certainly not critical, dead with {percent(dead)}"
    return f"dead with {percent(dead)}, critical with {percent(critical)}"


def _of_hint(telling: Telling) -> str:
    """What the touched cards are good for, if the reader sees them."""
    view, event = telling.view, telling.event
    if event.target == telling.reader:
        return "what it means is for you to find out"
    bit = event.value if event.kind == HINT_SUIT else view.suits + event.value - 1
    cards = [card_in(view.hands[event.target], s) for s in range(view.hand_count[event.target])]
    touched = [slot for slot, card in enumerate(cards) if view.hint_bits[card] >> bit & 1]
    for quality, wanted in (
        ("playable", view.playable),
        ("critical", view.critical),
        ("dead", view.dead),
    ):
        slots = [slot for slot in touched if wanted >> cards[slot] & 1]
        if slots:
            said = ", ".join(f"slot {slot} ({in_words(view, cards[slot])})" for slot in slots)
            return f"{said} {'is' if len(slots) == 1 else 'are'} {quality}"
    return (
        f"touches {len(touched)} card{'s' * (len(touched) != 1)}" if touched else "touches no card"
    )


def in_words(view: View, card: int) -> str:
    """A card, with the suits' names of these rules."""
    return card_words(card, view.ranks, unpack_letters(view.letters))


def cards_in_words(view: View, cards: int) -> str:
    """A set of cards: each one, or how many."""
    members = [card for card in range(view.suits * view.ranks) if cards >> card & 1]
    if len(members) > FEW:
        return f"one of {len(members)} cards"
    return " or ".join(in_words(view, card) for card in members)


def percent(chance: float) -> str:
    """A chance that is not certain, so never 0 % or 100 %."""
    if chance < 0.005:
        return "less than 1 %"
    return "more than 99 %" if chance >= 0.995 else f"{chance:.0%}".replace("%", " %")
