"""Hints of players who must not discard, and what hints without a new card say.

**Stalls.** A player is not free to discard whose hand has no chop, who has all hint tokens, or
whose chop may be the last copy of the card that was just discarded. If everyone sees that such a
player has nothing to play either, a hint may be a stall: one that says no more than its words
(fill-in hints), or one that saves a card that needs no save (locked hand saves, and full token
saves, which the H-Group calls 8 clue saves). All tokens at the start of a game are no stall.

**Tempo hints.** A hint that touches no new card says that the youngest card that may be playable
can be played. If it gets a single card, and one that a prompt would have found as well, it is a
**tempo chop move**: it protects the chop, too, unless it may be a stall.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.cards import any_copy
from hanabilab.game.state import View, pace
from hanabilab.strategies.conventions.catalogue import (
    FILL_IN_HINTS,
    FULL_TOKEN_SAVES,
    LOCKED_HAND_SAVES,
    TEMPO_CHOP_MOVES,
)
from hanabilab.strategies.conventions.memory import Beliefs, ConventionsMemory
from hanabilab.strategies.conventions.tables import (
    chop_of,
    free_slots,
    is_busy,
    meaning,
    meaning_of,
    pointed_at,
)
from hanabilab.strategies.strategy import NONE

__all__ = ["is_fill_in", "is_locked", "is_stalling", "saved_by_stall", "tempo_chop_move"]


@kernel
def is_locked(view: View, beliefs: Beliefs, player: int) -> bool:
    """Return whether a player has no chop, and nothing to play or to throw away."""
    return chop_of(view, beliefs, player) == NONE and not is_busy(view, beliefs, player)


@kernel
def has_all_tokens(view: View, beliefs: Beliefs, player: int) -> bool:
    """Return whether a player without a play cannot discard, as no token is missing any more."""
    full = beliefs.tokens == view.rules.max_hint_tokens
    return full and any_copy(view.discarded) != 0 and not is_busy(view, beliefs, player)


@kernel
def may_double(view: View, beliefs: Beliefs, player: int) -> bool:
    """Return whether a player's chop may be the last copy of the card that was just discarded."""
    chop = chop_of(view, beliefs, player)
    if chop == NONE or not beliefs.possible[player][chop] & beliefs.thrown:
        return False
    return not is_busy(view, beliefs, player)


@kernel
def is_stalling(view: View, beliefs: Beliefs, player: int) -> bool:
    """Return whether everyone sees that a player must not discard, and has nothing to play."""
    return (
        is_locked(view, beliefs, player)
        or has_all_tokens(view, beliefs, player)
        or may_double(view, beliefs, player)
    )


@kernel
def saved_by_stall(
    view: View, memory: ConventionsMemory, giver: int, target: int, cards: int
) -> int:
    """Return which of the cards that the focus may be a stall would save."""
    beliefs, focus = memory.beliefs, memory.draft.focus
    free = free_slots(view, beliefs, target)
    if not free >> focus & 1:
        return 0
    on_chop, locks = not free & ((1 << focus) - 1), not free & ~memory.draft.touching
    if (
        beliefs.active & LOCKED_HAND_SAVES
        and on_chop
        and not locks
        and is_locked(view, beliefs, giver)
    ):
        return cards & ~beliefs.dead
    newest = focus == view.hand_count[target] - 1
    if beliefs.active & FULL_TOKEN_SAVES and not newest and has_all_tokens(view, beliefs, giver):
        return cards & ~beliefs.dead
    return 0


@kernel
def is_fill_in(view: View, beliefs: Beliefs, giver: int) -> bool:
    """Return whether a hint without a new card says no more than its words."""
    return beliefs.active & FILL_IN_HINTS != 0 and is_stalling(view, beliefs, giver)


@kernel
def tempo_chop_move(view: View, memory: ConventionsMemory, giver: int, target: int) -> int:
    """Return the chop that a tempo hint protects, as a set; 0 for none."""
    beliefs = memory.beliefs
    free = free_slots(view, beliefs, target)
    if not beliefs.active & TEMPO_CHOP_MOVES or not free or is_stalling(view, beliefs, giver):
        return 0
    if pace(view) < view.rules.players:
        return 0
    slot = only_new_play(view, memory, target)
    if slot == NONE or not would_be_prompted(view, memory, target, slot):
        return 0
    return free & -free


@kernel
def only_new_play(view: View, memory: ConventionsMemory, target: int) -> int:
    """Return the only slot that a hint makes playable, or NONE if there are none or several."""
    beliefs, draft, found = memory.beliefs, memory.draft, NONE
    for slot in range(view.hand_count[target]):
        if draft.touching >> slot & 1 and meaning(beliefs, target, slot) & ~draft.soon:
            cards = words_of(memory, target, slot)
            if cards & ~draft.soon == 0 or (slot == draft.focus and draft.plays):
                if found != NONE:
                    return NONE
                found = slot
    return found


@kernel
def words_of(memory: ConventionsMemory, target: int, slot: int) -> int:
    """Return what a touched card is taken to be by the words of the hint in question."""
    beliefs, draft = memory.beliefs, memory.draft
    possible, inferred = draft.possible[slot], draft.inferred[slot]
    return meaning_of(beliefs, possible, inferred, 1, beliefs.known[target])


@kernel
def would_be_prompted(view: View, memory: ConventionsMemory, target: int, slot: int) -> bool:
    """Return whether no younger touched card could be taken for the card in a slot."""
    beliefs = memory.beliefs
    cards = words_of(memory, target, slot) & memory.draft.soon
    for younger in range(slot + 1, view.hand_count[target]):
        touched = pointed_at(beliefs, target) >> younger & 1
        if touched and meaning(beliefs, target, younger) & cards:
            return False
    return True
