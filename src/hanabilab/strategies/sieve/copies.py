"""Discards that tell where another copy is: in the partner's hand, or in the player's own.

A player who discards a known card that is still needed shows that the partner has a copy:

- *sarcastic discard*: the oldest touched card that can be the copy is the copy;
- *gentleman's discard*: if there is none and the card is playable, it is the oldest untouched card.
  Cards before it may be played first if they fit (*layered*): each wrong card moves the promise on;
- *baton discard*: if the card is not playable, the copy is anywhere but on the newest slot.

A player who is let discard a card that can be played soon, or a two, has another copy: both players
write an *elimination note* on the other cards. A note that only one card can fulfil is a call as
soon as the card is playable.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD
from hanabilab.game.cards import HIDDEN
from hanabilab.strategies.sieve.calls import COPY, NOTE
from hanabilab.strategies.sieve.memory import HAND_PAIR, SPECIAL_LEVEL, Table
from hanabilab.strategies.sieve.tables import (
    call_to_play,
    highest,
    is_locked,
    meaning,
    newest_bit,
    note_known,
    slots_of,
    trash_of,
)
from hanabilab.strategies.strategy import NONE

__all__ = [
    "erase_notes",
    "hand_over",
    "handed_card",
    "noted_slots",
    "oldest_that_may_be",
    "promised_copy",
    "read_notes",
    "write_notes",
]


@kernel
def handed_card(table: Table, player: int, kind: int, slot: int, card: int) -> int:
    """Return the card, as a set, of which a discard says that the partner holds a copy, or 0.

    That is a card known to both players and still needed, discarded although nothing forced it.
    """
    if kind != DISCARD or table.level < SPECIAL_LEVEL or not table.touched[player] >> slot & 1:
        return 0
    cards = meaning(table, player, slot)
    forced = is_locked(table, player) or trash_of(table, player) >> slot & 1 == 1
    if forced or not is_single(cards) or cards & table.dead:
        return 0
    return 0 if card != HIDDEN and cards != 1 << card else cards


@kernel
def hand_over(table: Table, partner: int, copy: int) -> None:
    """Conclude where the partner's copy of a discarded card is."""
    slot = oldest_that_may_be(table, partner, table.touched[partner], copy)
    if slot == NONE and copy & table.playable:
        slot = oldest_that_may_be(table, partner, ~table.touched[partner], copy)
    if slot == NONE:
        note_copy(table, partner, slots_of(table, partner) & ~newest_bit(table, partner), copy)
    elif copy & table.playable:
        call_to_play(table, partner, slot, copy, COPY)
        table.owed[partner][slot] = copy
    else:
        table.inferred[partner][slot] = copy
        note_known(table)


@kernel
def oldest_that_may_be(table: Table, player: int, slots: int, cards: int) -> int:
    """Return the oldest of some slots that may hold one of `cards`, or NONE."""
    for slot in range(table.count[player]):
        if slots >> slot & 1 and table.inferred[player][slot] & cards:
            return slot
    return NONE


# --- elimination notes ----------------------------------------------------------------------------


@kernel
def promised_copy(table: Table, player: int, kind: int, slot: int, card: int) -> bool:
    """Return whether a discard shows that the player has another copy of the card."""
    if kind != DISCARD or card == HIDDEN or table.level < SPECIAL_LEVEL:
        return False
    called = (table.thrown[player] | table.permitted[player]) >> slot & 1
    return called == 1 and table.warranted[player][slot] >> card & 1 == 1


@kernel
def write_notes(table: Table, player: int, since: int, card: int) -> None:
    """Note a copy on the cards that were in hand when the other copy was called."""
    slots = 0
    for slot in range(table.count[player]):
        if table.drawn[player][slot] >= since:
            slots |= 1 << slot
    note_copy(table, player, slots, 1 << card)


@kernel
def note_copy(table: Table, player: int, slots: int, copy: int) -> None:
    """Note on some slots that one of them is a copy."""
    for slot in range(table.count[player]):
        if slots >> slot & 1:
            table.noted[player][slot] |= copy


@kernel
def noted_slots(table: Table, player: int) -> int:
    """Return the slots with elimination notes."""
    slots = 0
    for slot in range(table.count[player]):
        slots |= int(table.noted[player][slot] != 0) << slot
    return slots


@kernel
def erase_notes(table: Table, player: int, card: int) -> None:
    """Erase the notes on a card that has left the hand."""
    for slot in range(table.count[player]):
        table.noted[player][slot] &= ~(1 << card)


@kernel
def read_notes(table: Table) -> None:
    """Drop notes that cannot be true; a note on one card only identifies and calls it."""
    if table.level < SPECIAL_LEVEL:
        return
    for player in range(HAND_PAIR):
        cards = 0
        for slot in range(table.count[player]):
            table.noted[player][slot] &= table.inferred[player][slot] & ~table.dead
            cards |= table.noted[player][slot]
        while cards:
            read_note(table, player, lowest(cards))
            cards &= cards - 1


@kernel
def read_note(table: Table, player: int, card: int) -> None:
    """Identify the only card that a note can be about; call it if it is playable."""
    copy, slots = 1 << card, 0
    for slot in range(table.count[player]):
        if table.noted[player][slot] & copy:
            slots |= 1 << slot
    if not is_single(slots) or slots & table.called[player]:
        return
    table.inferred[player][highest(slots)] = copy
    if copy & table.playable:
        call_to_play(table, player, highest(slots), copy, NOTE)
