"""Hints from and to players who are locked, or nearly so.

A locked player has neither a safe action nor a chop. A *quasi-locked* player could only discard a
card that a hint has just called, and that may be needed; the partner can discard meanwhile.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import HINT_RANK, PLAY
from hanabilab.game.state import View, rank_of, suit_cards
from hanabilab.strategies.sieve.calls import (
    DIRECT,
    EMPTY,
    LOCKED_PLAY,
    PLAYABLE_RANK,
    STALL,
    UNLOCK,
    call_discard,
    call_next,
    push,
)
from hanabilab.strategies.sieve.memory import ADVANCED_LEVEL, Table
from hanabilab.strategies.sieve.tables import (
    call_to_play,
    highest,
    is_locked,
    meaning,
    newest_bit,
    pace_of,
    plays_of,
    successors,
    trash_of,
    unhinted,
)

__all__ = [
    "answer_stall",
    "is_quasi_locked",
    "note_waiting",
    "permit_locked",
    "read_locked",
    "read_quasi_locked",
    "throw_far_four",
    "unlock",
    "unlocks",
]

LEISURE = 2
"""Pace above which the partner of a locked player discards rather than plays."""
FAR = 2
"""How many cards are missing before a four that a locked player may discard."""


@kernel
def permit_locked(table: Table, target: int, said: int) -> None:
    """Name the card that a partner may discard after the hint of a locked player.

    That is the newest card; if the hint says to play that, the newest untouched one.
    """
    if trash_of(table, target):
        return
    free = unhinted(table, target)
    bit = newest_bit(table, target) if said != LOCKED_PLAY else 0
    if free and not bit & free:
        bit = 1 << highest(free)
    if free:
        table.permitted[target] |= bit


@kernel
def read_locked(view: View, table: Table, giver: int, kind: int, new: int, found: int) -> int:
    """Read a hint of a locked player: the partner can mostly discard, and sometimes play."""
    target = 1 - giver
    if kind == HINT_RANK:
        if found & new & plays_of(table, target):
            return PLAYABLE_RANK
        return call_discard(view, table, target, new, True) if new else STALL
    newest = newest_bit(table, target)
    if not new & newest:
        return STALL
    said = call_next(view, table, target, highest(newest), LOCKED_PLAY)
    return said if said != EMPTY else STALL


@kernel
def throw_far_four(view: View, table: Table, target: int, touched: int) -> None:
    """Let a locked player discard a card that was shown to be a four that is far from playable."""
    for slot in range(table.count[target]):
        cards = meaning(table, target, slot)
        if touched >> slot & 1 and cards and is_single(cards) and not cards & table.critical:
            card = lowest(cards)
            suit = suit_cards(view, view.rules.suit_of[card]) & table.playable
            four = rank_of(view, card) == view.rules.ranks - 1
            if four and suit and card - lowest(suit) >= FAR:
                table.thrown[target] |= 1 << slot


@kernel
def note_waiting(table: Table, mover: int, was_locked: bool) -> None:
    """Note whether the mover stays locked; a partner who is not locked any more need not wait."""
    table.waited[mover] = int(was_locked and is_locked(table, mover))
    if not is_locked(table, 1 - mover):
        table.waited[1 - mover] = 0


# --- unlock promises ------------------------------------------------------------------------------


@kernel
def unlocks(view: View, table: Table, player: int, kind: int, slot: int) -> bool:
    """Return whether a play promises a locked partner a play.

    The card must be known to both, and the player must have been free to discard instead.
    """
    cards = meaning(table, player, slot)
    known = is_single(cards) and cards & table.playable != 0
    free = trash_of(table, player) != 0 and pace_of(view, table) > LEISURE
    return kind == PLAY and known and free


@kernel
def unlock(view: View, table: Table, partner: int, card: int, shift: int) -> None:
    """Call the card that a locked partner can play now.

    Touched cards that may follow in the suit come first, then others that may fit, older ones
    first; for each delay the next of them is meant.
    """
    following = successors(view, 1 << card) & table.playable
    for round_of in range(2):
        for slot in range(table.count[partner]):
            cards = meaning(table, partner, slot)
            follows = table.touched[partner] >> slot & 1 and cards & following
            eligible = follows if round_of == 0 else cards & table.playable and not follows
            if eligible:
                if shift == 0:
                    wanted = following if follows else table.playable
                    call_to_play(table, partner, slot, wanted, UNLOCK)
                    return
                shift -= 1


# --- quasi-locked players -------------------------------------------------------------------------


@kernel
def is_quasi_locked(table: Table, giver: int) -> bool:
    """Return whether a giver may stall: the last hint called a card that may be needed.

    The partner must be able to discard.
    """
    slots = table.asked[giver] & table.thrown[giver]
    if table.level < ADVANCED_LEVEL or slots == 0 or plays_of(table, giver):
        return False
    needed = meaning(table, giver, highest(slots)) & ~table.dead
    return needed != 0 and trash_of(table, 1 - giver) != 0


@kernel
def read_quasi_locked(view: View, table: Table, giver: int, new: int, trash: int) -> int:
    """Read a suit hint, or one without new cards: the newest touched card is called, or nothing."""
    target = 1 - giver
    if new and new & ~trash == 0:
        return push(view, table, target, new)
    table.stalled[giver] = table.asked[giver] & table.thrown[giver]
    said = call_next(view, table, target, highest(new), DIRECT) if new else STALL
    return said if said != EMPTY else STALL


@kernel
def answer_stall(view: View, table: Table, partner: int, slots: int, card: int) -> None:
    """Read a play after a quasi-locked partner's stall: the card called to be discarded fits."""
    slot = highest(slots)
    following = successors(view, 1 << card) & table.playable
    if not call_to_play(table, partner, slot, following, UNLOCK):
        call_to_play(table, partner, slot, table.playable, UNLOCK)
