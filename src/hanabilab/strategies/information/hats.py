"""Hats: what a hint tells each player about one of their cards, given and read."""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.game.actions import Event
from hanabilab.game.cards import card_in, weight
from hanabilab.game.state import View, rank_cards, rank_of, suit_cards
from hanabilab.strategies.cheat import NONE
from hanabilab.strategies.information.tables import InformationNotes, narrow, unsure_slots
from hanabilab.strategies.shared.hat_guessing import (
    PROGRAM,
    hint_with,
    reduce_sum,
    told_sum,
    way_target,
)
from hanabilab.strategies.shared.hint_sets import hint_set, hint_set_with

__all__ = ["decode", "give_hint", "read_hand", "targeted"]


@inlined
@kernel
def give_hint(view: View, memory: InformationNotes) -> int:
    """Tell the sum of the values of all other hands, by a rank or suit that is news if possible."""
    way = reduce_sum(view, read_hands(view, view.observer, memory))
    memory.read = view.turn + 1
    target = way_target(view, way)
    slot = newest_unknown(view, memory, target, way < view.rules.players - 1)
    return hint_with(view, way, card_in(view.hands[target], slot))


@inlined
@kernel
def newest_unknown(view: View, memory: InformationNotes, target: int, by_rank: bool) -> int:
    """Return the youngest slot whose rank, or suit, is not publicly known, else the youngest."""
    last = view.hand_count[target] - 1
    for slot in range(last, -1, -1):
        possible = memory.public[target][slot]
        card = lowest(possible)
        same = (
            rank_cards(view, rank_of(view, card))
            if by_rank
            else suit_cards(view, view.rules.suit_of[card])
        )
        if possible & ~same:
            return slot
    return last


@inlined
@kernel
def decode(view: View, event: Event, memory: InformationNotes) -> int:
    """Narrow the public tables by what a hint tells each player, and by its literal meaning.

    Return whether that leaves one possible card in any slot, as a number other than 0.
    """
    me = view.observer
    if event.player != me or memory.read != view.turn:
        total = told_sum(view, event) - read_hands(view, event.player, memory)
        mine = targeted(view, me, memory)
        memory.target[me] = mine
        if mine != NONE:
            memory.told[me] = hint_set(view, memory.public[me][mine], reduce_sum(view, total))
    news = 0
    for player in range(view.rules.players):
        slot = memory.target[player]
        if player != event.player and slot != NONE:
            single = int(narrow(memory.public[player], slot, memory.told[player])) << slot
            memory.single[player] = single
            news |= single
    literal = view.possible[event.target]
    single = 0
    for slot in range(view.hand_count[event.target]):
        single |= int(narrow(memory.public[event.target], slot, literal[slot])) << slot
    memory.single[event.target] |= single
    return news | single


@inlined
@kernel
def read_hands(view: View, giver: int, memory: InformationNotes) -> int:
    """Work out what a hint tells the players in sight; return the sum of the values of hands."""
    total = 0
    for player in range(view.rules.players):
        if player != view.observer and player != giver:
            total += read_hand(view, player, memory)
    return total


@inlined
@kernel
def read_hand(view: View, player: int, memory: InformationNotes) -> int:
    """Work out what a hint tells a player; return the value of the hand, which must be visible."""
    slot = targeted(view, player, memory)
    memory.target[player] = slot
    if slot == NONE:
        return 0
    card = card_in(view.hands[player], slot)
    value, memory.told[player] = hint_set_with(view, memory.public[player][slot], card)
    return value


@inlined
@kernel
def targeted(view: View, player: int, memory: InformationNotes) -> int:
    """Return the slot that a hint is about, the likeliest to be playable ("Targeting a card").

    Comparing fractions by cross-multiplication is exact; ties go to the lowest slot. Return NONE if
    every card is identified; in the program's reading, 0 if no unidentified one can be playable.
    """
    public = memory.public[player]
    margin = 0 if memory.reading == PROGRAM else -1  # the first slot need not be better than none
    best = NONE
    best_playable, best_total = 0, 1
    unsure = unsure_slots(view, memory, player)
    while unsure:
        slot = lowest(unsure)
        unsure &= unsure - 1
        possible = public[slot]
        total = weight(memory.unaccounted, view.rules.planes, possible)
        playable = weight(memory.unaccounted, view.rules.planes, possible & view.playable)
        likelier = playable * best_total - best_playable * total > margin
        better = likelier & (not is_single(possible))
        best = slot if better else best
        margin = 0 if better else margin
        best_playable = playable if better else best_playable
        best_total = total if better else best_total
    if best == NONE and memory.reading == PROGRAM:
        return 0
    return best
