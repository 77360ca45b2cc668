"""The recommendation strategy (Cox et al. 2015, Strategy 1)."""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.actions import PLAY, Event, discard_slot, play_slot
from hanabilab.game.cards import card_in
from hanabilab.game.status import rank_of
from hanabilab.game.view import View
from hanabilab.strategies.hats import (
    hint_with,
    is_hint,
    told_sum,
    unfit_for_hats,
    way_target,
    ways_to_hint,
)
from hanabilab.strategies.strategy import Memory, Option, Strategy

__all__ = ["RECOMMENDATION"]

NOTHING = -1
PROGRAM = 1

SLOT = 15
SUIT_SHIFT, RANK_SHIFT = 4, 10
DISCARDS, SPARES, LAST_RESORT = 1 << 16, 1 << 17, 1 << 18


class Notes(Memory):
    """The last recommendation, and what has been played since the last hint."""

    reading: int
    recommended: int
    """A number below the hats, or NOTHING."""
    plays: int
    """Cards played since the last hint."""


@kernel
def begin(view: View, memory: Notes) -> int:
    """Nobody has recommended anything yet."""
    memory.recommended = NOTHING
    return 0


@kernel
def act(view: View, memory: Notes) -> int:
    """Does what the last hint recommended to it; hints recommend an action to every player."""
    recommended = memory.recommended
    plays = play_numbers(view)
    misplays = view.max_lives - view.lives
    if 0 <= recommended < plays:
        slot = view.hand_size - plays + recommended
        risk = 3 if memory.reading == PROGRAM else 2
        wanted = memory.plays == 0 or (memory.plays == 1 and misplays < risk)
        if wanted and slot < view.hand_count[view.observer]:
            return play_slot(view, slot)  # steps 1 and 2
    if view.hint_tokens > 0:
        return give_hint(view, memory)  # step 3
    last = view.hand_count[view.observer] - 1
    if recommended >= plays:
        return discard_slot(view, min(recommended - plays, last))  # step 4
    return discard_slot(view, last if memory.reading == PROGRAM else 0)  # step 5


@kernel
def give_hint(view: View, memory: Notes) -> int:
    """Tell the sum of all recommendations."""
    total = 0
    for player in range(view.players):
        if player != view.observer:
            total += recommendation(view, player, memory.reading)
    way = total % ways_to_hint(view)
    return hint_with(view, way, card_in(view.hands[way_target(view, way)], 0))


@kernel
def observe(view: View, event: Event, memory: Notes) -> None:
    """Decode a hint; note what has been played, and forget what was done."""
    if is_hint(event):
        memory.plays = 0
        if event.player != view.observer:
            memory.recommended = decode(view, event, memory.reading)
        elif memory.reading == PROGRAM:
            memory.recommended = NOTHING
        return
    if event.kind == PLAY and (event.lit or memory.reading != PROGRAM):
        memory.plays += 1
    if event.player == view.observer:
        memory.recommended = NOTHING


@kernel
def decode(view: View, event: Event, reading: int) -> int:
    """The own recommendation: the told sum without the recommendations in sight."""
    total = told_sum(view, event)
    for player in range(view.players):
        if player != view.observer and player != event.player:
            total -= recommendation(view, player, reading)
    return total % ways_to_hint(view)


@kernel
def play_numbers(view: View) -> int:
    """How many numbers recommend to play a card: the youngest slots, as many as there are for."""
    ways = ways_to_hint(view)
    return min(view.hand_size, ways // 2) if ways > 4 else ways - 1


@kernel
def discard_numbers(view: View) -> int:
    """How many numbers recommend to discard a card: the oldest slots."""
    return min(view.hand_size, ways_to_hint(view) - play_numbers(view))


@kernel
def recommendation(view: View, player: int, reading: int) -> int:
    """The number of a hand: what its owner should do ("Giving recommendations").

    Every card has an urgency, the lower the better; its lowest bits are the slot.
    """
    plays = play_numbers(view)
    oldest_play = view.hand_size - plays
    discards = discard_numbers(view)
    kept = view.critical if reading != PROGRAM else gone_or_single(view)
    hand = view.hands[player]
    best = LAST_RESORT
    for slot in range(view.hand_count[player]):
        card = card_in(hand, slot)
        bit = 1 << card
        if view.playable & bit:
            if slot >= oldest_play:
                best = min(best, urgency_to_play(view, card, slot, reading))
        elif slot < discards and best >= DISCARDS:
            if view.played & bit:
                best = min(best, urgency_of_dead(view, card, slot, reading))
            elif not kept & bit:
                best = min(best, urgency_of_spare(view, card, slot, reading))
    slot = best & SLOT
    if best < DISCARDS:
        return slot - oldest_play
    if best == LAST_RESORT:
        slot = discards - 1 if reading == PROGRAM else 0  # priority 5
    return plays + slot


@kernel
def urgency_to_play(view: View, card: int, slot: int, reading: int) -> int:
    """Priorities 1 and 2: the highest rank first, then the lowest."""
    rank = rank_of(view, card)
    if rank == view.ranks:
        return slot if reading != PROGRAM else (SLOT - slot) << SUIT_SHIFT | slot
    if reading != PROGRAM:
        return rank << RANK_SHIFT | slot
    return rank << RANK_SHIFT | view.suit_of[card] << SUIT_SHIFT | slot


@kernel
def urgency_of_dead(view: View, card: int, slot: int, reading: int) -> int:
    """Priority 3: a card that is already played."""
    if reading != PROGRAM:
        return DISCARDS | slot
    down = view.ranks - rank_of(view, card)
    return DISCARDS | down << RANK_SHIFT | view.suit_of[card] << SUIT_SHIFT | slot


@kernel
def urgency_of_spare(view: View, card: int, slot: int, reading: int) -> int:
    """Priority 4: the highest rank that is not critical."""
    down = view.ranks - rank_of(view, card)
    if reading != PROGRAM:
        return SPARES | down << RANK_SHIFT | slot
    return SPARES | down << RANK_SHIFT | (view.suits - view.suit_of[card]) << SUIT_SHIFT | slot


@kernel
def gone_or_single(view: View) -> int:
    """The program keeps a card as soon as any copy of it is gone."""
    gone = 0
    for plane in range(view.planes):
        gone |= view.discarded[plane]
    return gone | view.unique


RECOMMENDATION = Strategy(
    "recommendation",
    act,
    observe,
    begin,
    Notes,
    options={
        "reading": Option(
            default="paper", choices=("paper", "program"), help="the text, or the authors' program"
        )
    },
    unfit=unfit_for_hats,
    source="Cox et al. 2015, Strategy 1",
)
