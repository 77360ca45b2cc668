"""Worlds: the player's own hand and the draw pile, dealt from exactly what the player knows.

The hand is drawn slot by slot from the copies that the player does not see, within the cards that
the slot may be, and accepted with the chance that makes every choice of copies equally likely: a
slot that draws a card of which c copies are unseen and j are already in the hand is right with
chance (c - j) / c. What is left, shuffled, is the draw pile.

If the partners' memories are their own, they must be rebuilt, since all but this player have seen
the hand. The game so far is played again in the imagined world by the blueprint in every seat. A
partner who would have acted otherwise makes the world less likely by the factor `surprise`: not
impossible, because a partner may have searched too, or thrown a coin that this player does not know
(an approximation of the belief of Lerer et al. 2020).
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.clock import ticks
from hanabilab.core.invoke import indirect_call
from hanabilab.core.kernel import kernel
from hanabilab.core.random import below, chance, private_stream
from hanabilab.core.record import assign
from hanabilab.game.cards import (
    HIDDEN_HAND,
    PLANES,
    count_of,
    nth_copy,
    put_card,
    take_copy,
    weight,
)
from hanabilab.game.state import View, best_score
from hanabilab.strategies.search.memory import SearchMemory
from hanabilab.strategies.search.replay import UNLIMITED

__all__ = ["deal_world", "must_stop", "prepare_worlds", "redeal_world"]

PILOT = 16
"""Worlds that are tried before the first one is taken."""
MOST_HANDS = 2000
"""Hands drawn for one world; that none of them fits is next to impossible."""
MOST_TRIES = 200
"""Worlds played again before the last one is taken as it is."""


@kernel
def prepare_worlds(view: View, memory: SearchMemory) -> None:
    """Begin to imagine this turn: what lies open is the same in every world."""
    memory.world.rng.stream = private_stream(memory.stream, view.turn, 0)
    assign(memory.world.state, view)
    memory.world.within_reach = within_reach(view)
    count_copies(view, memory)
    if not deal_cards(view, memory):
        believe_hints_only(view, memory)
    if has_past(memory):
        for place in range(memory.log.dealt):
            memory.world.deck[place] = memory.log.deck[place]
        pilot(view, memory)


@kernel
def within_reach(view: View) -> int:
    """Return the highest score that the discards and the remaining turns still allow."""
    best = best_score(view)
    if not view.rules.deck_ends:
        return best
    turns = view.turns_left if view.turns_left >= 0 else view.draw_pile + view.rules.players
    return min(best, view.score + turns)


@kernel
def must_stop(memory: SearchMemory) -> bool:
    """Return whether time is up or the player was told to act."""
    if memory.cancelled:
        return True
    return memory.limits.deadline != 0 and ticks() > memory.limits.deadline


@kernel
def has_past(memory: SearchMemory) -> bool:
    """Return whether the past must be played again, for the partners' memories or their reasons."""
    return memory.history > 0 or not memory.blueprint.public


@kernel
def count_copies(view: View, memory: SearchMemory) -> None:
    """Count the unseen copies of what each slot may be."""
    for slot in range(view.hand_count[view.observer]):
        memory.world.copies[slot] = weight(
            memory.world.unseen, view.rules.planes, memory.candidates.possible[slot]
        )


@kernel
def believe_hints_only(view: View, memory: SearchMemory) -> None:
    """Believe only the hints: no hand fits the blueprint's view, so someone did not follow it."""
    for slot in range(view.hand_count[view.observer]):
        memory.candidates.possible[slot] = view.possible[view.observer][slot]
    count_copies(view, memory)


@kernel
def pilot(view: View, memory: SearchMemory) -> None:
    """Try some worlds, to see how many surprises there are even in a good one."""
    memory.world.fewest = UNLIMITED
    for _ in range(PILOT):
        if memory.world.fewest > 0 and not must_stop(memory) and deal_cards(view, memory):
            memory.world.fewest = min(
                memory.world.fewest, indirect_call(memory.table.replay, memory, memory.world.fewest)
            )


@kernel
def deal_world(view: View, memory: SearchMemory) -> bool:
    """Deal a world, as likely as the player's knowledge makes it.

    Return False if none fits, or if time is up: to find one may take many tries.
    """
    for attempt in range(MOST_TRIES):
        if must_stop(memory) or not deal_cards(view, memory):
            return False
        if not has_past(memory):
            return True
        most_surprises = memory.world.fewest
        while chance(memory.world.rng) < memory.surprise:
            most_surprises += 1
        if attempt == MOST_TRIES - 1:
            most_surprises = UNLIMITED
        surprises = indirect_call(memory.table.replay, memory, most_surprises)
        if surprises <= most_surprises:
            memory.world.fewest = min(memory.world.fewest, surprises)
            return True
    return False


@kernel
def redeal_world(view: View, memory: SearchMemory, origin: int) -> None:
    """Deal a world once more, from the rng that dealt it first."""
    kept = memory.world.rng.stream
    memory.world.rng.stream = origin
    deal_cards(view, memory)
    memory.world.rng.stream = kept
    if not memory.blueprint.public:
        indirect_call(memory.table.replay, memory, UNLIMITED)


@kernel
def deal_cards(view: View, memory: SearchMemory) -> bool:
    """Deal a hand and a draw pile; return False if no hand is accepted."""
    for _ in range(MOST_HANDS):
        memory.world.origin = memory.world.rng.stream
        if deal_hand(view, memory):
            deal_pile(view, memory)
            return True
    return False


@kernel
def deal_hand(view: View, memory: SearchMemory) -> bool:
    """Draw a hand for the player; return whether it is accepted."""
    me = view.observer
    accept = 1.0
    for plane in range(PLANES):
        memory.world.undealt[plane] = memory.world.unseen[plane]
    hand = HIDDEN_HAND
    for slot in range(view.hand_count[me]):
        card = draw_unseen(view, memory, slot)
        left = count_of(memory.world.undealt, card)
        if left == 0:
            return False
        accept *= left / count_of(memory.world.unseen, card)
        take_copy(memory.world.undealt, card)
        hand = put_card(hand, slot, card)
        memory.world.deck[memory.log.places[slot]] = card
    memory.world.state.hands[me] = hand
    return accept >= 1.0 or chance(memory.world.rng) < accept


@kernel
def draw_unseen(view: View, memory: SearchMemory, slot: int) -> int:
    """Draw one of the unseen copies of the cards that a slot may be."""
    n = below(memory.world.rng, memory.world.copies[slot])
    return nth_copy(memory.world.unseen, view.rules.planes, memory.candidates.possible[slot], n)


@kernel
def deal_pile(view: View, memory: SearchMemory) -> None:
    """Shuffle what is neither in sight nor in the hand just dealt."""
    first = view.rules.deck_size - view.draw_pile
    count = first
    for plane in range(view.rules.planes):
        cards = memory.world.undealt[plane]
        while cards:
            for _ in range(1 << plane):
                memory.world.deck[count] = lowest(cards)
                count += 1
            cards &= cards - 1
    for last in range(count - 1, first, -1):
        other = first + below(memory.world.rng, last - first + 1)
        card = memory.world.deck[last]
        memory.world.deck[last] = memory.world.deck[other]
        memory.world.deck[other] = card
