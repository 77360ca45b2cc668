"""What plays and discards say about the partner's newest card.

A player who plays or discards lets the partner discard the newest card, the chop, if the partner
has no safe action (*permission to discard*). A player can deny it by an unusual choice: a discard
in place of a known play (*scream lock*), trash or ones in an unusual order, or a misplay of trash.
If the partner is locked, the play of a known card tells which card the partner can play now
(*unlock promise*).
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, PLAY
from hanabilab.game.cards import HIDDEN
from hanabilab.game.state import View, rank_cards
from hanabilab.strategies.sieve.memory import (
    EDGE_LEVEL,
    EMERGENCY_LEVEL,
    LOADED_LEVEL,
    LOCKED_LEVEL,
    SPECIAL_LEVEL,
    Table,
)
from hanabilab.strategies.sieve.reading import COPY, UNLOCK
from hanabilab.strategies.sieve.tables import (
    call_to_play,
    is_loaded,
    is_locked,
    mark_played,
    meaning,
    note_known,
    pace_of,
    permit,
    plays_of,
    put_away,
    refresh,
    sieve_newest,
    slots_of,
    successors,
    take_out,
    trash_of,
    unhinted,
)

__all__ = ["read_card", "resolve_bluff", "settle_card"]

LEISURE = 2
"""Pace above which the partner of a locked player discards rather than plays."""


@kernel
def read_card(
    view: View, table: Table, player: int, kind: int, slot: int, card: int, drew: int
) -> None:
    """Update the table by a play or a discard; `card` is HIDDEN if it is only imagined."""
    partner = 1 - player
    locked, loaded = is_locked(table, partner), is_loaded(table, partner)
    denies = denies_discard(view, table, player, kind, slot, card)
    copy = handed_card(view, table, player, kind, slot, card)
    promise = table.level >= LOCKED_LEVEL and locked and unlocks(view, table, player, kind, slot)
    settle_card(view, table, player, kind, slot, card, drew)
    if copy:
        hand_over(view, table, partner, copy)
    if locked:
        if promise and card != HIDDEN:
            unlock(view, table, partner, card, table.delays[player])
        elif plays_of(table, player):
            table.delays[player] += 1
    elif not loaded and not is_loaded(table, partner):
        table.delays[player] = 0
        if denies:
            sieve_newest(table, partner)
        elif table.level >= LOADED_LEVEL:
            permit(table, partner)
    refresh(view, table)


@kernel
def settle_card(
    view: View, table: Table, player: int, kind: int, slot: int, card: int, drew: int
) -> None:
    """Move a card from a hand to the fireworks or the discards."""
    fits = card != HIDDEN and table.playable >> card & 1
    blind = table.blind[player] >> slot & 1
    take_out(view, table, player, slot, drew)
    if kind == DISCARD:
        table.tokens = min(view.rules.max_hint_tokens, table.tokens + 1)
    if card != HIDDEN:
        if kind == PLAY and fits:
            mark_played(view, table, card)
        else:
            put_away(view, table, card)
            table.lives -= kind == PLAY
    refresh(view, table)
    if blind:
        resolve_bluff(view, table, player, card)


@kernel
def resolve_bluff(view: View, table: Table, player: int, card: int) -> None:
    """Learn from a card that was played blindly whether it leads to the focus of its finesse."""
    slots = table.waiting[player]
    table.waiting[player] = 0
    table.blind[player] = 0
    if card == HIDDEN or not table.dead >> card & 1:
        return
    following = 0
    step = successors(view, 1 << card)
    while step:
        following |= step
        step = successors(view, step)
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        cards = meaning(table, player, slot) & following
        if cards:
            table.inferred[player][slot] = cards
    note_known(table)


# --- permission denied ----------------------------------------------------------------------------


@kernel
def denies_discard(view: View, table: Table, player: int, kind: int, slot: int, card: int) -> bool:
    """Return whether an action tells the partner to keep the newest card."""
    plays, trash = plays_of(table, player), trash_of(table, player)
    if kind == DISCARD:
        scream = table.level >= EMERGENCY_LEVEL and plays != 0
        return scream or (table.level >= SPECIAL_LEVEL and skips_trash(table, player, slot, trash))
    bomb = card != HIDDEN and not table.playable >> card & 1 and trash >> slot & 1
    if table.level >= EMERGENCY_LEVEL and bomb:
        return True
    return table.level >= EDGE_LEVEL and skips_one(view, table, player, slot, plays)


@kernel
def skips_trash(table: Table, player: int, slot: int, trash: int) -> bool:
    """Return whether a player discards trash other than the oldest: of cards known to be dead."""
    known = trash & ~table.thrown[player] & ~table.permitted[player]
    return known >> slot & 1 == 1 and known & ((1 << slot) - 1) != 0


@kernel
def skips_one(view: View, table: Table, player: int, slot: int, plays: int) -> bool:
    """Return whether a player plays a one although a newer card known as a one could be played."""
    ones = rank_cards(view, 1)
    cards = table.possible[player][slot]
    if cards & ~ones or not plays >> slot & 1 or table.called[player] >> slot & 1:
        return False
    for newer in range(slot + 1, table.count[player]):
        if plays >> newer & 1 and table.possible[player][newer] == cards:
            return True
    return False


# --- copies ---------------------------------------------------------------------------------------


@kernel
def handed_card(view: View, table: Table, player: int, kind: int, slot: int, card: int) -> int:
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
def hand_over(view: View, table: Table, partner: int, copy: int) -> None:
    """Conclude where the partner's copy of a discarded card is: the oldest touched card it can be.

    If no touched card can be the copy and it is playable, it is the oldest untouched one.
    """
    for untouched in range(2):
        slots = unhinted(table, partner) if untouched else table.touched[partner]
        while slots & slots_of(table, partner):
            slot = lowest(slots)
            slots &= slots - 1
            if table.inferred[partner][slot] & copy:
                if untouched and copy & table.playable:
                    call_to_play(table, partner, slot, copy, COPY)
                    return
                if not untouched:
                    table.inferred[partner][slot] = copy
                    return


# --- locked partners ------------------------------------------------------------------------------


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
