"""Prompts and finesses: a hint that comes one card too early calls for the card before it.

The player who is called sits between giver and target, sees that the hinted card does not fit yet,
and plays the card that makes it fit: the youngest touched card that it may be (a prompt), else the
youngest untouched card, unseen (a finesse). The target waits until everyone between has acted.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.actions import PLAY, Event
from hanabilab.game.cards import card_in
from hanabilab.game.state import View
from hanabilab.strategies.conventions.agreements import FINESSES, PROMPTS
from hanabilab.strategies.conventions.reading import Reading
from hanabilab.strategies.conventions.tables import (
    NONE,
    Beliefs,
    highest,
    meaning,
    pointed_at,
    successors,
    withdraw,
)

__all__ = ["accept_call", "answer_calls", "read_call", "stop_waiting"]


@kernel
def answer_slot(view: View, memory: Beliefs, player: int, card: int) -> int:
    """Return the slot from which a player answers a call for a card, or NONE."""
    held = (1 << view.hand_count[player]) - 1
    for slot in range(view.hand_count[player] - 1, -1, -1):
        if memory.touched[player] >> slot & 1 and meaning(memory, player, slot) & card:
            return slot if memory.agreed & PROMPTS else NONE
    untouched = held & ~pointed_at(memory, player)
    return highest(untouched) if untouched and memory.agreed & FINESSES else NONE


@kernel
def read_call(view: View, memory: Reading, giver: int, target: int) -> None:
    """Draft whom a hint calls, and what else the focus may be if it does."""
    if not memory.agreed & (PROMPTS | FINESSES) or (giver + 1) % view.rules.players == target:
        return
    seen = memory.plays | memory.saved | memory.dead
    early = memory.draft_possible[memory.focus] & memory.draft_inferred[memory.focus] & ~seen
    if early:
        memory.waits = early & successors(view, cards_between(view, memory, giver, target))
    if view.observer != target:
        card = 1 << card_in(view.hands[target], memory.focus)
        before = card >> 1 & memory.playable
        if card & ~seen and before and successors(view, before) == card:
            find_caller(view, memory, giver, target, before)


@kernel
def cards_between(view: View, memory: Reading, giver: int, target: int) -> int:
    """Return the playable cards with which players between giver and target can answer."""
    cards = 0
    player = (giver + 1) % view.rules.players
    while player != target:
        wanted = memory.playable if player != view.observer else 0
        while wanted:
            card = wanted & -wanted
            wanted ^= card
            slot = answer_slot(view, memory, player, card)
            if slot != NONE and card >> card_in(view.hands[player], slot) & 1:
                cards |= card
        player = (player + 1) % view.rules.players
    return cards


@kernel
def find_caller(view: View, memory: Reading, giver: int, target: int, card: int) -> None:
    """Find who is called to play a card: whoever is seen to hold it, else the observer."""
    memory.call_card = card
    mine = NONE
    player = (giver + 1) % view.rules.players
    while player != target:
        slot = answer_slot(view, memory, player, card)
        if slot != NONE:
            if player == view.observer:
                if memory.possible[player][slot] & card:
                    mine = slot
            elif card >> card_in(view.hands[player], slot) & 1:
                memory.answers += 1
                if memory.caller == NONE:
                    memory.caller = player
                    memory.call_slot = slot
        player = (player + 1) % view.rules.players
    if memory.caller == NONE and mine != NONE:
        memory.caller = view.observer
        memory.call_slot = mine


@kernel
def accept_call(view: View, memory: Reading, giver: int, target: int) -> None:
    """Make a call part of the tables, and let the target wait for the answer."""
    if memory.caller != NONE:
        memory.called[memory.caller] |= 1 << memory.call_slot
        memory.inferred[memory.caller][memory.call_slot] = memory.call_card
        memory.source[memory.caller][memory.call_slot] = giver + 1
    memory.waiting[target] = memory.waits
    memory.waiting_slot[target] = memory.focus


@kernel
def answer_calls(view: View, event: Event, memory: Beliefs) -> None:
    """Let players who wait conclude from a blind play what their own card is."""
    if event.kind == PLAY and event.lit and not memory.touched[event.player] >> event.slot & 1:
        for target in range(view.rules.players):
            cards = successors(view, 1 << event.card) & memory.waiting[target]
            if cards:
                memory.inferred[target][memory.waiting_slot[target]] &= cards
                memory.waiting[target] = 0


@kernel
def stop_waiting(view: View, memory: Beliefs, player: int) -> None:
    """Conclude, when a player's turn comes, that nobody was called."""
    if memory.waiting[player]:
        slot = memory.waiting_slot[player]
        unanswered = memory.waiting[player] & ~view.playable
        memory.waiting[player] = 0
        if memory.inferred[player][slot] & ~unanswered:
            memory.inferred[player][slot] &= ~unanswered
        else:
            withdraw(view, memory, player, slot)
