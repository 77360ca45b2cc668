"""Explain in one sentence why a strategy chose an action.

A strategy's `About.explain` is given an `ExplanationContext`: the view and the memory with which it
acted, the action, and the reader. It repeats the reasoning in plain Python, with the strategy's own
kernels, and depends on nothing but what the strategy saw.

A reader may sit at the same table. The sentence must not give away such a reader's own cards,
neither by name nor by a number that counts them: `ExplanationContext.shared` is the view without
the reader's hand, and whatever a reader is told follows from the action and from that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hanabilab.core.bits import is_single
from hanabilab.core.record import Record
from hanabilab.formats.describe import NUMBERED, Labels, join_words
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PASS, PLAY, Event, decode_action
from hanabilab.game.cards import HIDDEN, HIDDEN_HAND, card_in
from hanabilab.game.knowledge import Knowledge, from_seat, probability
from hanabilab.game.rules_record import names_of_cards
from hanabilab.game.state import View

__all__ = [
    "ExplanationContext",
    "cards_in_words",
    "explain_by_facts",
    "facts",
    "in_words",
    "of_discard",
    "of_play",
]

FEW = 3
"""Up to this many cards are listed one by one."""


@dataclass(frozen=True, slots=True)
class ExplanationContext:
    """An action, what its player saw and remembered, and who asks for the reason."""

    view: View
    memory: Any
    """A copy of the strategy's own memory as it was before the action was chosen."""
    event: Event
    """The action as announced."""
    shared: View
    """What the reader sees too: the view without the reader's hand."""
    reader: int | None
    """The player who reads, or None for someone who may see all that the strategy sees."""
    action: int
    """The number of the action."""
    labels: Labels
    """How the reader calls players and slots."""

    @classmethod
    def of(
        cls,
        view: View,
        memory: Record,
        action: int,
        reader: int | None,
        labels: Labels = NUMBERED,
    ) -> ExplanationContext:
        """Gather what there is to tell about an action before it is taken."""
        event = Event()
        decode_action(view, action, event)
        shared = view.copy()
        if reader is not None and reader != view.observer:
            shared.hand_count[reader] = 0
            shared.hands[reader] = HIDDEN_HAND
        else:
            reader = None
        return cls(view.copy(), memory.copy(), event, shared, reader, action, labels)

    @property
    def headline(self) -> str:
        """The action in words."""
        event = self.event
        if event.kind == PASS:
            return "passes"
        if event.kind in (PLAY, DISCARD):
            does = "plays" if event.kind == PLAY else "discards"
            return f"{does} slot {self.slot(event.player, event.slot)}"
        ranked = event.kind == HINT_RANK
        told = names_of_cards(self.view.rules).rank_hint(event.value) if ranked else self.suit
        return f"tells {self.name(event.target)} {told}"

    @property
    def suit(self) -> str:
        """The suit that a hint tells."""
        word = names_of_cards(self.view.rules).hints[self.event.value]
        return word if self.labels.names else f"suit {word}"

    def name(self, player: int) -> str:
        """Return the name by which the reader knows a player."""
        if player == self.reader and not self.labels.names:
            return "you"
        return self.labels.player(player)

    def whose(self, player: int) -> str:
        """Return a player as the owner of something: “Bob's”, “your” if the reader is meant."""
        return "your" if player == self.reader else self.labels.whose(player)

    def slot(self, player: int, slot: int) -> int:
        """Return the number by which the reader knows a slot of a player's hand."""
        return self.labels.slot(slot, self.view.hand_count[player])

    def because(self, *reasons: str) -> str:
        """Return the sentence that gives these reasons for the action; empty ones do not count.

        A page shows the action as well, so there the sentence is the reasons alone.
        """
        said = "; ".join(filter(None, reasons)) or "it does not say why"
        return said if self.labels.names else f"{self.headline}: {said}"

    def known(self) -> Knowledge:
        """Return what both the acting player and the reader know about the former's cards."""
        known = Knowledge()
        from_seat(known, self.shared)
        me = self.view.observer
        for slot in range(self.view.hand_count[me]):
            card = card_in(self.view.hands[me], slot)
            if card != HIDDEN:
                known.possible[me][slot] = 1 << card
        return known


def explain_by_facts(context: ExplanationContext) -> str:
    """Explain an action of any strategy by public facts."""
    return context.because(facts(context))


def facts(context: ExplanationContext) -> str:
    """Return the facts about cards and hints that support the action.

    For a hint to the reader they contain nothing about the reader's cards.
    """
    event = context.event
    if event.kind == PASS:
        return "an open game has no hints"
    if event.kind in (HINT_SUIT, HINT_RANK):
        return _of_hint(context)
    me, known = context.view.observer, context.known()
    possible = known.possible[me][event.slot]
    if event.kind == PLAY:
        return of_play(context, possible, probability(known, me, event.slot, context.view.playable))
    chances = [
        probability(known, me, event.slot, cards)
        for cards in (context.view.dead, context.view.critical)
    ]
    return of_discard(context, possible, *chances)


def of_play(context: ExplanationContext, possible: int, chance: float) -> str:
    """Describe how likely a card that may be any of the `possible` ones is to be playable."""
    view = context.view
    if possible & ~view.playable == 0:
        return f"certainly playable ({cards_in_words(view, possible)})"
    if possible & view.playable == 0:
        return f"certainly not playable ({cards_in_words(view, possible)})"
    return f"{percent(chance)} likely to be playable"


def of_discard(context: ExplanationContext, possible: int, dead: float, critical: float) -> str:
    """Describe how dispensable a card is that may be any of the `possible` ones."""
    view = context.view
    if possible & ~view.dead == 0:
        return f"certainly dead ({cards_in_words(view, possible)})"
    if is_single(possible):
        critical_card = possible & view.critical
        left = "although it is critical" if critical_card else "of which another copy is left"
        return f"{cards_in_words(view, possible)}, {left}"
    if possible & view.critical == 0:
        unsure = f", {percent(dead)} likely to be dead" if possible & view.dead else ""
        return f"certainly not critical{unsure}"
    return f"{percent(dead)} likely to be dead, {percent(critical)} to be critical"


def _of_hint(context: ExplanationContext) -> str:
    """Describe the use of the touched cards, if the reader sees them."""
    view, event = context.view, context.event
    if event.target == context.reader:
        return ""
    bit = event.value if event.kind == HINT_SUIT else view.rules.suits + event.value - 1
    cards = [card_in(view.hands[event.target], s) for s in range(view.hand_count[event.target])]
    touched = [slot for slot, card in enumerate(cards) if view.rules.hint_bits[card] >> bit & 1]
    for quality, wanted in (
        ("playable", view.playable),
        ("critical", view.critical),
        ("dead", view.dead),
    ):
        slots = [slot for slot in touched if wanted >> cards[slot] & 1]
        if slots:
            said = join_words(
                [
                    f"slot {number} ({in_words(view, cards[slot])})"
                    for number, slot in sorted((context.slot(event.target, s), s) for s in slots)
                ]
            )
            return f"{said} {'is' if len(slots) == 1 else 'are'} {quality}"
    return (
        f"touches {len(touched)} card{'s' * (len(touched) != 1)}" if touched else "touches no card"
    )


def in_words(view: View, card: int) -> str:
    """Return a card in words, with the names of the suits in these rules."""
    return names_of_cards(view.rules).words(card)


def cards_in_words(view: View, cards: int) -> str:
    """Return a set of cards in words: a few by name, more than that by their number."""
    members = [card for card in range(view.rules.suits * view.rules.ranks) if cards >> card & 1]
    if len(members) > FEW:
        return f"one of {len(members)} cards"
    return " or ".join(in_words(view, card) for card in members)


def percent(chance: float) -> str:
    """Return a probability in words, never as 0 % or 100 %, since it is not certain."""
    if chance < 0.005:
        return "less than 1 %"
    return "more than 99 %" if chance >= 0.995 else f"{chance:.0%}".replace("%", " %")
