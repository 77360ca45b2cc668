"""Hints of players who must not discard, and what hints without a new card say.

**Stalls.** A player is not free to discard whose hand has no chop, who has all hint tokens, or
whose chop may be the last copy of the card that was just discarded. If everyone sees that such a
player has nothing to play either, a hint may be a stall: one that says no more than its words
(fill-in hints), or one that saves a card that needs no save (locked hand saves, and full token
saves, which the H-Group calls 8 clue saves). All tokens at the start of a game are no stall.

**The stall table.** Hints have a precedence: (1) plays and saves, (2) five stalls, (3) tempo hints,
(4) fill-in hints and saves of any card, (5) hints that say nothing at all. Five stalls are allowed
before the first discard, too. A hint is a stall only if its giver had none that comes before it, as
giver and target see the other hands. Otherwise it means what it would mean from a player who is
free to discard. So a player who must not discard can still give finesses.

**Tempo hints.** A hint that touches no new card says that the youngest card that may be playable
can be played. If it gets a single card, and one that a prompt would have found as well, it is a
**tempo chop move**: it protects the chop, too, unless it may be a stall.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import HINT_RANK, HINT_SUIT
from hanabilab.game.cards import any_copy, card_in
from hanabilab.game.state import View, pace, rank_cards, rank_of
from hanabilab.strategies.conventions.catalogue import (
    FILL_IN_HINTS,
    FIVE_STALLS,
    FULL_TOKEN_SAVES,
    LOCKED_HAND_SAVES,
    STALL_TABLE,
    TEMPO_CHOP_MOVES,
)
from hanabilab.strategies.conventions.memory import Beliefs, ConventionsMemory
from hanabilab.strategies.conventions.tables import (
    CRITICAL_LOSS,
    chop_of,
    danger_of,
    free_slots,
    is_busy,
    meaning,
    meaning_of,
    pointed_at,
    told_cards,
)
from hanabilab.strategies.strategy import NONE

__all__ = [
    "is_fill_in",
    "is_five_stall",
    "is_locked",
    "is_stall",
    "is_stalling",
    "saved_by_stall",
    "says_more_words",
    "tempo_chop_move",
]

PLAY_OR_SAVE, FIVE_STALL, TEMPO_STALL, FILL_IN, HARD_BURN = 1, 2, 3, 4, 5
"""The stall table: what comes first is to be given first. A save of any card is as a fill-in."""


# --- who must not discard -------------------------------------------------------------------------


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


# --- the stall table ------------------------------------------------------------------------------


@kernel
def is_stall(view: View, memory: ConventionsMemory, giver: int, target: int) -> bool:
    """Return whether the drafted hint may be a stall, as its giver had no better one for others."""
    if not is_stalling(view, memory.beliefs, giver):
        return False
    return is_due(view, memory, giver, target, precedence_of(view, memory, target))


@kernel
def is_due(view: View, memory: ConventionsMemory, giver: int, target: int, precedence: int) -> bool:
    """Return whether a player had nothing that comes before a hint, as its target sees it."""
    if not memory.beliefs.active & STALL_TABLE:
        return True
    for player in range(view.rules.players):
        if player in (giver, target, view.observer):
            continue
        if first_available(view, memory, giver, target, player) < precedence:
            return False
    return True


@kernel
def precedence_of(view: View, memory: ConventionsMemory, target: int) -> int:
    """Return the precedence of the drafted hint if it is a stall."""
    draft = memory.draft
    if draft.new:
        fives = rank_cards(view, view.rules.ranks)
        only_fives = draft.focus != NONE and draft.possible[draft.focus] & ~fives == 0
        return FIVE_STALL if only_fives else FILL_IN
    if only_new_play(view, memory, target) != NONE:
        return TEMPO_STALL
    return FILL_IN if says_more_words(view, memory, target) else HARD_BURN


@kernel
def says_more_words(view: View, memory: ConventionsMemory, target: int) -> bool:
    """Return whether the words of a hint say more about a card than is known."""
    for slot in range(view.hand_count[target]):
        if memory.draft.possible[slot] != memory.beliefs.possible[target][slot]:
            return True
    return False


@kernel
def first_available(
    view: View, memory: ConventionsMemory, giver: int, target: int, player: int
) -> int:
    """Return the precedence of the first hint in the stall table that a player could be given."""
    beliefs = memory.beliefs
    if danger_of(view, beliefs, player) == CRITICAL_LOSS:
        return PLAY_OR_SAVE
    first, pointed = HARD_BURN, pointed_at(beliefs, player)
    spoken = memory.draft.spoken | beliefs.known[target]
    for slot in range(view.hand_count[player]):
        if pointed >> slot & 1:
            first = min(first, again_available(view, beliefs, player, slot))
        elif not spoken >> card_in(view.hands[player], slot) & 1:
            first = min(first, new_available(view, beliefs, giver, player, slot))
    return first


@kernel
def new_available(view: View, beliefs: Beliefs, giver: int, player: int, slot: int) -> int:
    """Return the precedence of a hint that touches an untouched card: a play, a stall or a save."""
    card = card_in(view.hands[player], slot)
    if beliefs.playable >> card & 1 and can_point_at(view, beliefs, player, slot):
        return PLAY_OR_SAVE
    five = rank_of(view, card) == view.rules.ranks and not beliefs.dead >> card & 1
    if five and beliefs.active & FIVE_STALLS:
        return FIVE_STALL
    return FILL_IN if may_save(view, beliefs, giver, player, slot, 1 << slot) else HARD_BURN


@kernel
def can_point_at(view: View, beliefs: Beliefs, player: int, slot: int) -> bool:
    """Return whether the focus of a hint, by suit or rank, could be an untouched card."""
    card = card_in(view.hands[player], slot)
    suit, rank = view.rules.suit_of[card], rank_of(view, card)
    return is_focus(view, beliefs, player, slot, told_cards(view, HINT_SUIT, suit)) or is_focus(
        view, beliefs, player, slot, told_cards(view, HINT_RANK, rank)
    )


@kernel
def is_focus(view: View, beliefs: Beliefs, player: int, slot: int, told: int) -> bool:
    """Return whether an untouched card is the focus of the hint that touches `told`."""
    chop, touched = chop_of(view, beliefs, player), beliefs.touched[player]
    for other in range(view.hand_count[player]):
        new = told >> card_in(view.hands[player], other) & ~touched >> other & 1
        if new and slot != chop and (other == chop or other > slot):
            return False
    return True


@kernel
def again_available(view: View, beliefs: Beliefs, player: int, slot: int) -> int:
    """Return the precedence of another hint about a touched card: tempo, fill-in or hard burn."""
    card = card_in(view.hands[player], slot)
    cards = meaning(beliefs, player, slot)
    if beliefs.playable >> card & 1 and cards & ~beliefs.playable:
        by_suit = cards & told_cards(view, HINT_SUIT, view.rules.suit_of[card])
        by_rank = cards & told_cards(view, HINT_RANK, rank_of(view, card))
        if by_suit & ~beliefs.playable == 0 or by_rank & ~beliefs.playable == 0:
            return TEMPO_STALL
    fill_in = beliefs.active & FILL_IN_HINTS and not is_single(beliefs.possible[player][slot])
    return FILL_IN if fill_in else HARD_BURN


# --- what stalls say ------------------------------------------------------------------------------


@kernel
def saved_by_stall(
    view: View, memory: ConventionsMemory, giver: int, target: int, cards: int
) -> int:
    """Return which of the cards that the focus may be a stall would save."""
    beliefs, draft = memory.beliefs, memory.draft
    if not beliefs.active & (FIVE_STALLS | FULL_TOKEN_SAVES) and free_slots(view, beliefs, giver):
        return 0  # without these, only a player without a chop stalls
    if is_five_stall(view, memory, giver, target):
        return cards & ~beliefs.dead
    saves = may_save(view, beliefs, giver, target, draft.focus, draft.touching)
    return cards & ~beliefs.dead if saves and is_due(view, memory, giver, target, FILL_IN) else 0


@kernel
def is_five_stall(view: View, memory: ConventionsMemory, giver: int, target: int) -> bool:
    """Return whether a hint only touches a five: before the first discard, or instead of one."""
    beliefs, draft = memory.beliefs, memory.draft
    if not beliefs.active & FIVE_STALLS or not draft.new >> draft.focus & 1:
        return False
    if draft.possible[draft.focus] & ~rank_cards(view, view.rules.ranks):
        return False
    early = any_copy(view.discarded) == 0 and not is_busy(view, beliefs, giver)
    if not early and not is_stalling(view, beliefs, giver):
        return False
    return is_due(view, memory, giver, target, FIVE_STALL)


@kernel
def may_save(
    view: View, beliefs: Beliefs, giver: int, target: int, slot: int, touching: int
) -> bool:
    """Return whether a player who must not discard may save any card in a slot of another hand."""
    free = free_slots(view, beliefs, target)
    if not free >> slot & 1:
        return False
    on_chop, locks = not free & ((1 << slot) - 1), not free & ~touching
    if (
        beliefs.active & LOCKED_HAND_SAVES
        and on_chop
        and not locks
        and is_locked(view, beliefs, giver)
    ):
        full = beliefs.tokens == view.rules.max_hint_tokens
        return not (full and beliefs.active & STALL_TABLE)
    newest = slot == view.hand_count[target] - 1
    return (
        beliefs.active & FULL_TOKEN_SAVES != 0
        and not newest
        and has_all_tokens(view, beliefs, giver)
    )


@kernel
def is_fill_in(view: View, memory: ConventionsMemory, giver: int, target: int) -> bool:
    """Return whether a hint without a new card says no more than its words."""
    return memory.beliefs.active & FILL_IN_HINTS != 0 and is_stall(view, memory, giver, target)


# --- tempo ----------------------------------------------------------------------------------------


@kernel
def tempo_chop_move(view: View, memory: ConventionsMemory, giver: int, target: int) -> int:
    """Return the chop that a tempo hint protects, as a set; 0 for none."""
    beliefs = memory.beliefs
    free = free_slots(view, beliefs, target)
    if not beliefs.active & TEMPO_CHOP_MOVES or not free or is_stall(view, memory, giver, target):
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
