"""The recommendation strategy (Cox et al. 2015, Strategy 1)."""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.game.actions import Event, discard_slot, play_slot
from hanabilab.game.cards import HIDDEN, SLOT_BITS, card_in
from hanabilab.game.rules import MAX_CARDS
from hanabilab.game.view import View
from hanabilab.strategies.hats import (
    hint_with,
    told_sum,
    unfit_for_hats,
    way_target,
    ways_to_hint,
)
from hanabilab.strategies.strategy import HINTS, Memory, Option, Strategy

__all__ = ["RECOMMENDATION"]

NOTHING = -1
PROGRAM = 1

SLOT = 15
SUIT_SHIFT, RANK_SHIFT = 4, 10
HIGHEST_RANK, DEAD, SPARES, LAST_RESORT = 0, 1 << 16, 1 << 17, 1 << 18


class Notes(Memory):
    """The last recommendation, the score and lives at that time, and how urgent each card is."""

    reading: int
    recommended: int
    """A number below the hats, or NOTHING."""
    score: int
    lives: int
    """Score and lives when the last hint was given: what changed since then are plays."""
    playable: int
    played: int
    kept: int
    """The sets of cards for which `urgency` was worked out."""
    urgency: list[int] = ints(MAX_CARDS)


@kernel
def begin(view: View, memory: Notes) -> int:
    """Nobody has recommended anything yet."""
    memory.recommended = NOTHING
    for card in range(view.ranks * view.suits):
        memory.urgency[card] = LAST_RESORT
    memory.kept = view.all_cards
    return 0


@kernel
def act(view: View, memory: Notes) -> int:
    """Does what the last hint recommended to it; hints recommend an action to every player."""
    recommended = memory.recommended
    plays = play_numbers(view)
    if 0 <= recommended < plays and still_wanted(view, memory):
        slot = view.hand_size - plays + recommended
        if slot < view.hand_count[view.observer]:
            memory.recommended = NOTHING
            return play_slot(view, slot)  # steps 1 and 2
    if view.hint_tokens > 0:
        return give_hint(view, memory)  # step 3
    memory.recommended = NOTHING
    last = view.hand_count[view.observer] - 1
    if recommended >= plays:
        return discard_slot(view, min(recommended - plays, last))  # step 4
    return discard_slot(view, last if memory.reading == PROGRAM else 0)  # step 5


@kernel
def still_wanted(view: View, memory: Notes) -> bool:
    """Has no card been played since the hint, or one, and may the team still make a misplay?"""
    lit = view.score - memory.score
    misplays = view.max_lives - view.lives
    if memory.reading == PROGRAM:
        return lit == 0 or (lit == 1 and misplays < 3)
    plays = lit + memory.lives - view.lives
    return plays == 0 or (plays == 1 and misplays < 2)


@kernel
def give_hint(view: View, memory: Notes) -> int:
    """Tell the sum of all recommendations."""
    way = hats_in_sight(view, view.observer, memory) % ways_to_hint(view)
    return hint_with(view, way, card_in(view.hands[way_target(view, way)], 0))


@kernel
def observe(view: View, event: Event, memory: Notes) -> None:
    """Decode a hint: the own recommendation is the told sum without those in sight."""
    memory.score = view.score
    memory.lives = view.lives
    if event.player != view.observer:
        number = told_sum(view, event) - hats_in_sight(view, event.player, memory)
        memory.recommended = number % ways_to_hint(view)
    elif memory.reading == PROGRAM:
        memory.recommended = NOTHING


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
def hats_in_sight(view: View, giver: int, memory: Notes) -> int:
    """The sum of the recommendations for all players but the giver and the observer."""
    refresh_urgency(view, memory)
    plays = play_numbers(view)
    discards = discard_numbers(view)
    total = 0
    for player in range(view.players):
        if player != giver and player != view.observer:
            total += recommendation(view, player, memory, plays, discards)
    return total


@kernel
def recommendation(view: View, player: int, memory: Notes, plays: int, discards: int) -> int:
    """The number that recommends the most urgent card of a hand ("Giving recommendations")."""
    hand = view.hands[player]
    oldest_play = view.hand_size - plays
    best = LAST_RESORT
    for slot in range(view.hand_count[player]):
        urgency = memory.urgency[hand & HIDDEN]
        hand >>= SLOT_BITS
        if urgency == HIGHEST_RANK and memory.reading == PROGRAM:
            urgency = (SLOT - slot) << SUIT_SHIFT
        told = slot >= oldest_play if urgency < DEAD else slot < discards
        best = min(best, urgency | slot if told else LAST_RESORT)
    slot = best & SLOT
    if best < DEAD:
        return slot - oldest_play  # priorities 1 and 2
    if best >= LAST_RESORT:
        slot = discards - 1 if memory.reading == PROGRAM else 0  # priority 5
    return plays + slot  # priorities 3 and 4


@kernel
def refresh_urgency(view: View, memory: Notes) -> None:
    """Work out again how urgent those cards are whose status has changed."""
    kept = view.critical if memory.reading != PROGRAM else gone_or_single(view)
    changed = view.playable ^ memory.playable | view.played ^ memory.played | kept ^ memory.kept
    memory.playable = view.playable
    memory.played = view.played
    memory.kept = kept
    while changed:
        card = lowest(changed)
        changed &= changed - 1
        memory.urgency[card] = urgency_of(view, card, memory)


@kernel
def urgency_of(view: View, card: int, memory: Notes) -> int:
    """The lower, the more urgent. From the highest bits: priority, rank, suit (in the program).

    The four lowest bits are left for the slot.
    """
    suit = view.suit_of[card]
    rank = card - suit * view.ranks + 1
    down = view.ranks - rank
    program = memory.reading == PROGRAM
    if (memory.playable >> card) & 1:
        if down == 0:
            return HIGHEST_RANK  # priority 1
        return rank << RANK_SHIFT | (suit << SUIT_SHIFT if program else 0)  # priority 2
    if (memory.played >> card) & 1:
        return DEAD | (down << RANK_SHIFT | suit << SUIT_SHIFT if program else 0)  # priority 3
    if (memory.kept >> card) & 1:
        return LAST_RESORT
    other_suit = (view.suits - suit) << SUIT_SHIFT if program else 0
    return SPARES | down << RANK_SHIFT | other_suit  # priority 4


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
    watches=HINTS,
    options={
        "reading": Option(
            default="paper", choices=("paper", "program"), help="the text, or the authors' program"
        )
    },
    unfit=unfit_for_hats,
    source="Cox et al. 2015, Strategy 1",
)
