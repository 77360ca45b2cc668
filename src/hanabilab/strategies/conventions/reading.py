"""How a hint is read: its focus, and whether it says "play" or "save".

The giver of a hint runs these very functions on every hint in question, to see how it will be
read; everyone else runs them on the hint that was given. They write into the draft, which is
accepted once the hint is on the table.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.game.actions import HINT_RANK, HINT_SUIT
from hanabilab.game.cards import MAX_HAND, card_in
from hanabilab.game.state import View, rank_cards, suit_cards
from hanabilab.strategies.conventions.agreements import DELAYED, GOOD_TOUCH, SAVES, TWOS
from hanabilab.strategies.conventions.chop import chop_of
from hanabilab.strategies.conventions.tables import (
    NONE,
    Beliefs,
    highest,
    meaning,
    meaning_of,
    pointed_at,
    successors,
)

__all__ = [
    "Reading",
    "accept",
    "drafted",
    "expect_plays",
    "read_focus",
    "read_words",
    "spoken_for",
    "take_literally",
]

TWO = 2


class Reading(Beliefs):
    """The draft: what one hint says about the target's hand."""

    draft_possible: list[int] = ints(MAX_HAND)
    draft_inferred: list[int] = ints(MAX_HAND)
    touching: int
    """The slots that the hint touches."""
    new: int
    """Those that no hint touched before."""
    focus: int
    """The slot that the hint is about, or NONE."""
    plays: int
    """The cards that the focus may be if the hint says "play"."""
    saved: int
    """The cards that the focus may be if the hint says "save"."""
    waits: int
    """The cards that the focus may be if the hint calls for another card first."""
    caller: int
    """The player whom the hint calls to play a card, or NONE."""
    call_slot: int
    call_card: int
    """The card that is called for, as a set; 0 for none."""
    answers: int
    """How many players could answer the call, as the giver sees it."""
    soon: int
    """The cards that fit now, or after the plays that everyone expects."""
    spoken: int
    """The cards that other hands are known to hold."""


@kernel
def expect_plays(view: View, memory: Reading, reader: int) -> None:
    """Work out which cards fit now, or after the plays that everyone expects (delayed plays).

    The reader sees which card others will play; players know that of their own only if it can
    be only one.
    """
    soon = memory.playable
    before = 0
    while memory.agreed & DELAYED and soon != before:
        before = soon
        for player in range(view.rules.players):
            for slot in range(view.hand_count[player]):
                cards = meaning(memory, player, slot)
                if cards & ~soon == 0:
                    if player != reader and player != view.observer:
                        cards = 1 << card_in(view.hands[player], slot) & soon
                    if is_single(cards):
                        soon |= successors(view, cards)
    memory.soon = soon & ~memory.dead


@kernel
def spoken_for(view: View, memory: Beliefs, target: int, giver: int) -> int:
    """Return the cards that hands other than the target's are known to hold (good touch).

    The giver cannot avoid to touch a copy of a card that the giver does not know to hold.
    """
    cards = 0
    for player in range(view.rules.players):
        if player != target:
            slots = pointed_at(memory, player)
            while slots:
                slot = lowest(slots)
                slots &= slots - 1
                if player != view.observer and player != giver:
                    cards |= 1 << card_in(view.hands[player], slot)
                elif is_single(meaning(memory, player, slot)):
                    cards |= meaning(memory, player, slot)
    return cards


@kernel
def read_words(
    view: View, memory: Reading, target: int, kind: int, value: int, touching: int
) -> None:
    """Draft what the words say; by good touch, new cards are not dead nor spoken for."""
    told = suit_cards(view, value) if kind == HINT_SUIT else rank_cards(view, value)
    memory.touching = touching
    memory.new = touching & ~memory.touched[target]
    useless = memory.dead | memory.spoken if memory.agreed & GOOD_TOUCH else 0
    for slot in range(view.hand_count[target]):
        hit = touching >> slot & 1
        possible = memory.possible[target][slot] & (told if hit else ~told)
        inferred = memory.inferred[target][slot]
        if possible & inferred == 0:
            inferred = view.rules.all_cards
        if memory.new >> slot & 1 and possible & inferred & ~useless:
            inferred &= ~useless
        memory.draft_possible[slot] = possible
        memory.draft_inferred[slot] = inferred
    read_nothing_more(memory)


@kernel
def read_nothing_more(memory: Reading) -> None:
    """Let the hint in question mean no more than the draft says."""
    memory.focus = NONE
    memory.plays = memory.saved = memory.waits = 0
    memory.caller = NONE
    memory.call_card = memory.answers = 0


@kernel
def drafted(memory: Reading, target: int, slot: int) -> int:
    """Return what a card will be taken to be after the hint in question."""
    touched = pointed_at(memory, target) | memory.touching
    possible, inferred = memory.draft_possible[slot], memory.draft_inferred[slot]
    return meaning_of(memory, possible, inferred, touched >> slot & 1)


@kernel
def read_focus(view: View, memory: Reading, target: int, kind: int, value: int) -> None:
    """Find the focus, and what it may be if the hint says "play" or "save"."""
    chop = chop_of(view, memory, target)
    memory.focus = focus_of(view, memory, target, chop)
    if memory.focus != NONE:
        cards = memory.draft_possible[memory.focus] & memory.draft_inferred[memory.focus]
        memory.plays = cards & memory.soon
        if memory.focus == chop:
            memory.saved = worth_saving(view, memory, cards, kind, value)


@kernel
def focus_of(view: View, memory: Reading, target: int, chop: int) -> int:
    """Return the slot that a hint is about.

    That is the chop if it is touched, else the youngest new card. If there is no new card, and no
    card becomes playable by the words alone, it is the youngest card that may be playable.
    """
    if chop != NONE and memory.new >> chop & 1:
        return chop
    if memory.new:
        return highest(memory.new)
    focus = NONE
    for slot in range(view.hand_count[target]):
        if memory.touching >> slot & 1:
            cards = drafted(memory, target, slot)
            if cards & ~memory.playable == 0 and meaning(memory, target, slot) & ~memory.playable:
                return NONE
            if cards & memory.soon and cards & ~memory.playable:
                focus = slot
    return focus


@kernel
def worth_saving(view: View, memory: Reading, cards: int, kind: int, value: int) -> int:
    """Return which cards a hint saves on the chop.

    Critical cards by rank or suit; but fives only by their rank, and twos too.
    """
    if not memory.agreed & SAVES:
        return 0
    if kind != HINT_RANK:
        return cards & memory.critical & ~rank_cards(view, view.rules.ranks)
    if value == TWO and memory.agreed & TWOS:
        return cards & ~memory.dead
    return cards & memory.critical


@kernel
def take_literally(view: View, memory: Reading, target: int) -> None:
    """Leave of the draft only what the words say: giver or target does not share the agreements."""
    for slot in range(view.hand_count[target]):
        inferred = memory.inferred[target][slot]
        empty = memory.draft_possible[slot] & inferred == 0
        memory.draft_inferred[slot] = view.rules.all_cards if empty else inferred
    read_nothing_more(memory)


@kernel
def accept(view: View, memory: Reading, giver: int, target: int) -> None:
    """Make the draft part of the tables."""
    for slot in range(view.hand_count[target]):
        memory.possible[target][slot] = memory.draft_possible[slot]
        memory.inferred[target][slot] = memory.draft_inferred[slot]
        if memory.new >> slot & 1:
            memory.source[target][slot] = giver + 1
    if memory.focus != NONE and memory.plays and memory.saved & ~memory.plays == 0:
        memory.promised[target] |= 1 << memory.focus
        memory.source[target][memory.focus] = giver + 1
