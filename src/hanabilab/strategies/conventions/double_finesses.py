"""Double finesses: hints that come two cards too early, and so call for both missing cards.

The first missing card is called from a player between giver and target, the second from anybody but
giver and target, who may be the same player. Each answers as for a single call: from the newest
touched card that it may be, else from the newest untouched card. The second card is *pending* until
the first has been played. On the last life nobody is called like this.

Everyone but the target sees the hinted card, and knows who is called. The target takes the hint for
a double finesse if others are seen to hold both cards where they would answer; when the first one
has been played, the target waits until the holder of the second one has acted.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.actions import Event
from hanabilab.game.cards import card_in
from hanabilab.game.state import View
from hanabilab.strategies.conventions.calls import touched_cards
from hanabilab.strategies.conventions.catalogue import DOUBLE_FINESSES
from hanabilab.strategies.conventions.memory import Beliefs, ConventionsMemory
from hanabilab.strategies.conventions.tables import (
    highest,
    meaning,
    pointed_at,
    seat_after,
    successors,
)
from hanabilab.strategies.strategy import NONE

__all__ = ["accept_double", "await_second_card", "draft_double", "extend_waits"]


# --- who is called --------------------------------------------------------------------------------


@kernel
def draft_double(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Draft whether a hint calls for two cards, and what else the focus may be if it does."""
    beliefs, draft = memory.beliefs, memory.draft
    active = beliefs.active & DOUBLE_FINESSES and view.lives > 1
    if not active or seat_after(view, giver) == target:
        return
    cards = draft.possible[draft.focus] & draft.inferred[draft.focus]
    cards &= ~(draft.plays | draft.saved | draft.later | beliefs.dead | beliefs.known[target])
    left = cards & successors(view, successors(view, beliefs.playable))
    if not left:
        return
    if view.observer != target:
        card = left & 1 << card_in(view.hands[target], draft.focus)
        if card and not (card >> 1 | card >> 2) & touched_cards(view, memory, target):
            find_pair(view, memory, giver, target, card)
    if not draft.knows_doubles:
        find_possible_doubles(view, memory, giver, target)
    draft.doubles = left & draft.doubles_for
    draft.waits |= draft.doubles


@kernel
def find_possible_doubles(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Work out, for all hints to a target, which cards fit after two that others can play."""
    beliefs, draft = memory.beliefs, memory.draft
    draft.knows_doubles = 1
    draft.doubles_for = 0
    seen = seen_cards(view, giver, target)
    left = successors(view, successors(view, beliefs.playable)) & ~beliefs.dead
    left &= seen << 1 & seen << 2
    while left:
        card = left & -left
        left ^= card
        first, slot = seen_answer(view, beliefs, giver, target, card >> 2, NONE, NONE)
        if first != NONE:
            second, _ = second_answer(view, beliefs, giver, target, card >> 1, first, slot)
            if second != NONE:
                draft.doubles_for |= card


@kernel
def seen_cards(view: View, giver: int, target: int) -> int:
    """Return the cards that the observer sees with players other than giver and target."""
    cards = 0
    for player in range(view.rules.players):
        if player not in (giver, target, view.observer):
            for slot in range(view.hand_count[player]):
                cards |= 1 << card_in(view.hands[player], slot)
    return cards


@kernel
def find_pair(view: View, memory: ConventionsMemory, giver: int, target: int, card: int) -> None:
    """Find who is called for the two cards before the hinted one: others, or the observer."""
    beliefs, draft, me = memory.beliefs, memory.draft, view.observer
    draft.call_card = card >> 2
    first, slot = seen_answer(view, beliefs, giver, target, card >> 2, NONE, NONE)
    seats = view.rules.players
    if first == NONE and 0 < (me - giver) % seats < (target - giver) % seats:
        first, slot = own_answer(view, memory, card >> 2, NONE, NONE)
    if first == NONE:
        return
    second, next_slot = second_answer(view, beliefs, giver, target, card >> 1, first, slot)
    if second == NONE and me != giver:
        second, next_slot = own_answer(view, memory, card >> 1, first, slot)
    if second != NONE:
        draft.called_player, draft.call_slot = first, slot
        draft.next_player, draft.next_slot = second, next_slot
        draft.answers = int(is_unique(view, memory, giver, target))


@kernel
def is_unique(view: View, memory: ConventionsMemory, giver: int, target: int) -> bool:
    """Return whether nobody else could answer, and those who are called need not wait for it."""
    beliefs, draft = memory.beliefs, memory.draft
    first, second = draft.called_player, draft.next_player
    third, _ = seen_answer(view, beliefs, first, target, draft.call_card, NONE, NONE)
    if third != NONE:
        return False
    player, card = seat_after(view, second), successors(view, draft.call_card)
    while player != giver:
        if player not in (view.observer, target):
            slot = step_slot(view, beliefs, player, card, first, draft.call_slot)
            if sees_at(view, player, slot, card):
                return False
        player = seat_after(view, player)
    earlier = beliefs.called[first] & ~(1 << draft.call_slot)
    if first != second:
        earlier |= beliefs.called[second] & ~(1 << draft.next_slot)
    else:
        earlier &= ~(1 << draft.next_slot)
    return earlier == 0


@kernel
def step_slot(
    view: View, beliefs: Beliefs, player: int, card: int, taken_by: int, taken: int
) -> int:
    """Return the slot from which a player plays a card, other than one that is taken, or NONE."""
    pointed = pointed_at(beliefs, player)
    free = (1 << view.hand_count[player]) - 1
    if player == taken_by:
        free &= ~(1 << taken)
    for slot in range(view.hand_count[player] - 1, -1, -1):
        if (pointed & free) >> slot & 1 and meaning(beliefs, player, slot) & card:
            return slot
    free &= ~pointed
    return highest(free) if free else NONE


@kernel
def holds(view: View, player: int, card: int) -> bool:
    """Return whether the observer sees a card in the hand of another player."""
    for slot in range(view.hand_count[player]):
        if card >> card_in(view.hands[player], slot) & 1:
            return True
    return False


@kernel
def sees_at(view: View, player: int, slot: int, card: int) -> bool:
    """Return whether the observer sees a card in a slot of another player."""
    return slot != NONE and card >> card_in(view.hands[player], slot) & 1 == 1


@kernel
def seen_answer(
    view: View, beliefs: Beliefs, giver: int, target: int, card: int, taken_by: int, taken: int
) -> tuple[int, int]:
    """Return who between giver and target is seen to answer with a card, and from which slot."""
    player = seat_after(view, giver)
    while player != target:
        if player != view.observer and holds(view, player, card):
            slot = step_slot(view, beliefs, player, card, taken_by, taken)
            if sees_at(view, player, slot, card):
                return player, slot
        player = seat_after(view, player)
    return NONE, NONE


@kernel
def second_answer(
    view: View, beliefs: Beliefs, giver: int, target: int, card: int, first: int, slot: int
) -> tuple[int, int]:
    """Return who is seen to answer with the second card, and from which slot; NONE for nobody."""
    player, found = seen_answer(view, beliefs, giver, target, card, first, slot)
    if player == NONE:
        player, found = seen_answer(view, beliefs, target, giver, card, first, slot)
    return player, found


@kernel
def own_answer(
    view: View, memory: ConventionsMemory, card: int, taken_by: int, taken: int
) -> tuple[int, int]:
    """Return the observer and the slot with which to answer a call for a card, or NONE.

    Nobody answers with a card that another hand is known to hold.
    """
    beliefs, me = memory.beliefs, view.observer
    slot = step_slot(view, beliefs, me, card, taken_by, taken)
    if slot == NONE or not beliefs.possible[me][slot] & card:
        return NONE, NONE
    if card & memory.draft.spoken and meaning(beliefs, me, slot) != card:
        return NONE, NONE
    return me, slot


# --- calls on the table ---------------------------------------------------------------------------


@kernel
def accept_double(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Make the call for the second card part of the tables; the first one is written already."""
    beliefs, draft = memory.beliefs, memory.draft
    beliefs.doubles[target], beliefs.awaited[target] = draft.doubles, 0
    if draft.next_player != NONE:
        card = successors(view, draft.call_card)
        beliefs.doubles[target] |= successors(view, card)
        beliefs.waiting[target] |= successors(view, card)
        write_second(view, beliefs, giver, draft.next_player, draft.next_slot, card)
    elif target == view.observer:
        left = draft.doubles
        while left:
            card = left & -left
            left ^= card
            write_possible_second(view, beliefs, giver, target, card)


@kernel
def write_possible_second(view: View, beliefs: Beliefs, giver: int, target: int, card: int) -> None:
    """Note who holds the second card if the hinted one is `card`, as its target sees it."""
    first, slot = seen_answer(view, beliefs, giver, target, card >> 2, NONE, NONE)
    if first != NONE:
        second, other = second_answer(view, beliefs, giver, target, card >> 1, first, slot)
        if second != NONE:
            write_second(view, beliefs, giver, second, other, card >> 1)


@kernel
def write_second(
    view: View, beliefs: Beliefs, giver: int, player: int, slot: int, card: int
) -> None:
    """Note that a player is called for a card that does not fit yet."""
    beliefs.called[player] |= 1 << slot
    beliefs.pending[player] |= 1 << slot
    beliefs.source[player][slot] = giver + 1
    beliefs.inferred[player][slot] = card


@kernel
def await_second_card(view: View, event: Event, beliefs: Beliefs) -> None:
    """After the first card of a double finesse, let its target wait for the second one."""
    following = successors(view, successors(view, 1 << event.card))
    for target in range(view.rules.players):
        card = following & beliefs.doubles[target]
        if card and target != event.player:
            slot = beliefs.waiting_slot[target]
            if (
                card & beliefs.inferred[target][slot]
                and holder_of(view, beliefs, card >> 1) != NONE
            ):
                beliefs.doubles[target] = beliefs.awaited[target] = card
                beliefs.waiting[target] = 0
                beliefs.later[target] = card
                beliefs.later_until[target] = 0


@kernel
def holder_of(view: View, beliefs: Beliefs, card: int) -> int:
    """Return who is called for a card, or NONE."""
    for player in range(view.rules.players):
        for slot in range(view.hand_count[player]):
            if beliefs.called[player] >> slot & 1 and beliefs.inferred[player][slot] == card:
                return player
    return NONE


@kernel
def extend_waits(view: View, beliefs: Beliefs) -> None:
    """Let targets wait for the second card until its holder has acted."""
    for target in range(view.rules.players):
        if beliefs.later[target] and beliefs.later_until[target] == 0:
            holder = holder_of(view, beliefs, beliefs.later[target] >> 1)
            if holder == NONE:
                beliefs.later[target] = 0
            else:
                beliefs.later_until[target] = seat_after(view, holder) + 1
