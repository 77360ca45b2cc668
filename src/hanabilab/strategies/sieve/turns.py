"""What plays and discards say about the partner's cards.

A player who plays or discards lets the partner discard the newest card, the chop, if the partner
has no safe action (*permission to discard*). A player can deny it by an unusual choice: a discard
in place of a known play (*scream lock*), trash or ones in an unusual order, a misplay of trash, or
a sacrifice after some turns in a locked hand. Without tokens, a player who could do both lets the
partner discard the newest card by a play, and keeps it by a discard (*extra discard*).

If the partner is locked, the play of a known card tells which card the partner can play now
(*unlock promise*). A player who plays a card that leads nowhere, although another one leads to a
card in the same hand, calls the card that follows from the partner (*priority*).
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, PLAY
from hanabilab.game.cards import HIDDEN
from hanabilab.game.state import View, rank_cards
from hanabilab.strategies.sieve.calls import PRIORITY, call_next, touched_that_may_be, warrant
from hanabilab.strategies.sieve.copies import (
    erase_notes,
    hand_over,
    handed_card,
    promised_copy,
    read_notes,
    write_notes,
)
from hanabilab.strategies.sieve.locked import answer_stall, note_waiting, unlock, unlocks
from hanabilab.strategies.sieve.memory import (
    ADVANCED_LEVEL,
    EDGE_LEVEL,
    EMERGENCY_LEVEL,
    FROM_DEAL,
    LOADED_LEVEL,
    LOCKED_LEVEL,
    SPECIAL_LEVEL,
    Table,
)
from hanabilab.strategies.sieve.tables import (
    call_to_play,
    chop_of,
    highest,
    is_loaded,
    is_locked,
    mark_played,
    meaning,
    newest_bit,
    note_known,
    permit,
    plays_of,
    put_away,
    refresh,
    sieve_newest,
    successors,
    take_out,
    trash_of,
    unhinted,
)
from hanabilab.strategies.strategy import NONE

__all__ = ["EXTRA", "KEEP", "free_choice", "read_card", "resolve_bluff", "settle_card"]

EXTRA, KEEP = 1, 2
"""What a free choice without tokens says of the partner's newest card: it can go, or must stay."""
ENOUGH_TOKENS = 2
"""Tokens with which a player who permits a discard could have saved the card instead."""


@kernel
def read_card(
    view: View, table: Table, player: int, kind: int, slot: int, card: int, drew: int
) -> None:
    """Update the table by a play or a discard; `card` is HIDDEN if it is only imagined."""
    partner, was_locked, tokens = 1 - player, is_locked(table, player), table.tokens
    locked, loaded = is_locked(table, partner), is_loaded(table, partner)
    choice = 0 if locked else free_choice(view, table, player, kind, slot)
    skipped = skipped_ones(view, table, player, slot) if kind == PLAY else 0
    copy = handed_card(table, player, kind, slot, card)
    denies = copy == 0 and denies_discard(table, player, kind, slot, card)
    promise = table.level >= LOCKED_LEVEL and locked and unlocks(view, table, player, kind, slot)
    priority = not locked and choice == 0 and is_out_of_priority(view, table, player, kind, slot)
    stall = table.stalled[partner] & table.thrown[partner]
    fits = kind == PLAY and card != HIDDEN and table.playable >> card & 1 == 1
    settle_card(view, table, player, kind, slot, card, drew)
    if copy:
        hand_over(table, partner, copy)
    if fits and stall:
        answer_stall(view, table, partner, stall, card)
    elif fits and priority:
        call_connection(view, table, partner, card)
    elif loaded and skipped:
        throw_unhinted(table, partner, skipped)
    if choice:
        read_choice(table, partner, choice)
    if locked:
        answer_locked(view, table, player, card, promise)
    elif not loaded and not is_loaded(table, partner):
        table.delays[player] = 0
        if denies or skipped:
            sieve_newer(table, partner, max(1, skipped))
        elif table.level >= LOADED_LEVEL:
            permit_chop(view, table, partner, tokens)
    table.stalled[partner] = table.asked[partner] = 0
    refresh(view, table)
    read_notes(table)
    note_waiting(table, player, was_locked)


@kernel
def answer_locked(view: View, table: Table, player: int, card: int, promise: bool) -> None:
    """Read an action beside a locked partner: an unlock promise, or a delay of one."""
    if promise and card != HIDDEN:
        unlock(view, table, 1 - player, card, table.delays[player])
    elif plays_of(table, player):
        table.delays[player] += 1


@kernel
def permit_chop(view: View, table: Table, partner: int, tokens: int) -> None:
    """Permit the partner to discard the chop; note what the player could have saved instead."""
    chop = chop_of(table, partner)
    if chop == NONE:
        return
    permit(table, partner)
    if tokens >= ENOUGH_TOKENS:
        warrant(view, table, partner, chop)
    if table.tokens == view.rules.max_hint_tokens:
        table.full[partner] |= 1 << chop


@kernel
def settle_card(
    view: View, table: Table, player: int, kind: int, slot: int, card: int, drew: int
) -> None:
    """Move a card from a hand to the fireworks or the discards."""
    fits = kind == PLAY and card != HIDDEN and table.playable >> card & 1 == 1
    blind, owed = table.blind[player] >> slot & 1, table.owed[player][slot]
    notes = promised_copy(table, player, kind, slot, card)
    since = table.since[player][slot]
    take_out(view, table, player, slot, drew)
    if kind == DISCARD:
        table.tokens = min(view.rules.max_hint_tokens, table.tokens + 1)
    if fits:
        mark_played(view, table, card)
        regain_token(view, table, card)
    elif card != HIDDEN:
        put_away(view, table, card)
        table.lives -= kind == PLAY
    if card != HIDDEN:
        erase_notes(table, player, card)
    refresh(view, table)
    if notes:
        write_notes(table, player, since, card)
    if fits and owed & ~table.dead:
        hand_over(table, player, owed)
    if blind:
        resolve_bluff(view, table, player, card)


@kernel
def regain_token(view: View, table: Table, card: int) -> None:
    """Count the token for a suit that a play has completed."""
    if view.rules.token_for_suit and rank_cards(view, view.rules.ranks) >> card & 1:
        table.tokens = min(view.rules.max_hint_tokens, table.tokens + 1)


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
def denies_discard(table: Table, player: int, kind: int, slot: int, card: int) -> bool:
    """Return whether an action tells the partner to keep the newest card."""
    plays, trash = plays_of(table, player), trash_of(table, player)
    if kind == DISCARD:
        late = is_locked(table, player) and table.waited[player] == 1
        scream = table.level >= EMERGENCY_LEVEL and (plays != 0 or late)
        return scream or (table.level >= SPECIAL_LEVEL and skips_trash(table, player, slot, trash))
    bomb = card != HIDDEN and not table.playable >> card & 1 and trash >> slot & 1
    return table.level >= EMERGENCY_LEVEL and bomb == 1


@kernel
def skips_trash(table: Table, player: int, slot: int, trash: int) -> bool:
    """Return whether a player discards trash other than the oldest: of cards known to be dead."""
    known = trash & ~table.thrown[player] & ~table.permitted[player]
    return known >> slot & 1 == 1 and known & ((1 << slot) - 1) != 0


@kernel
def skipped_ones(view: View, table: Table, player: int, slot: int) -> int:
    """Return how many newer ones of the first hand a player could have played instead of a one."""
    cards, plays = table.possible[player][slot], plays_of(table, player) & ~table.called[player]
    if table.level < EDGE_LEVEL or cards & ~rank_cards(view, 1) or not plays >> slot & 1:
        return 0
    if table.drawn[player][slot] != FROM_DEAL:
        return 0
    count = 0
    for newer in range(slot + 1, table.count[player]):
        same = table.possible[player][newer] == cards
        count += plays >> newer & 1 and same and table.drawn[player][newer] == FROM_DEAL
    return count


@kernel
def sieve_newer(table: Table, partner: int, count: int) -> None:
    """Keep the newest card, and with it as many as are counted of those that were not sieved."""
    sieve_newest(table, partner)
    free = unhinted(table, partner) & ~table.sieved[partner]
    for _ in range(count - 1):
        if free:
            table.sieved[partner] |= 1 << highest(free)
            free &= ~table.sieved[partner]


@kernel
def throw_unhinted(table: Table, partner: int, count: int) -> None:
    """Call the partner's untouched card at a place, counted from the newest, to be discarded."""
    free = unhinted(table, partner) & ~table.called[partner]
    for _ in range(count - 1):
        free &= ~(1 << highest(free)) if free else 0
    if free:
        table.thrown[partner] |= 1 << highest(free)


# --- free choice without tokens -------------------------------------------------------------------


@kernel
def free_choice(view: View, table: Table, player: int, kind: int, slot: int) -> int:
    """Return what a choice between a play and a discard says without tokens; 0 if there is none.

    The newest card of the partner can go if the player chooses to get no token: a discard gives
    one, and the last card of a suit too, unless there is nothing else to play.
    """
    plays = plays_of(table, player)
    if (
        table.level < EMERGENCY_LEVEL
        or table.tokens > 0
        or not plays
        or not trash_of(table, player)
    ):
        return 0
    if kind == DISCARD:
        return KEEP
    fives = last_cards(view, table, player, plays) if view.rules.token_for_suit else 0
    return KEEP if fives >> slot & 1 and plays & ~fives else EXTRA


@kernel
def last_cards(view: View, table: Table, player: int, slots: int) -> int:
    """Return those of the slots that are known to complete a suit."""
    found = 0
    for slot in range(table.count[player]):
        cards = meaning(table, player, slot)
        fives = cards != 0 and cards & ~rank_cards(view, view.rules.ranks) == 0
        if fives and slots >> slot & 1:
            found |= 1 << slot
    return found


@kernel
def read_choice(table: Table, partner: int, choice: int) -> None:
    """Let the partner discard the newest card, or keep it."""
    if choice == KEEP:
        sieve_newest(table, partner)
    else:
        kept = table.touched[partner] | table.called[partner]
        table.permitted[partner] |= newest_bit(table, partner) & ~kept


# --- priority -------------------------------------------------------------------------------------


@kernel
def is_out_of_priority(view: View, table: Table, player: int, kind: int, slot: int) -> bool:
    """Return whether a known card is played that leads nowhere, in place of one that leads on.

    That one must lead to a card which is known to be in the same hand. Calls are answered in their
    order, so that a called card says nothing.
    """
    plays, card = plays_of(table, player), meaning(table, player, slot)
    if kind != PLAY or table.level < ADVANCED_LEVEL or not is_single(card):
        return False
    leads = successors(view, card) & (table.known[0] | table.known[1])
    if leads or not plays & ~table.called[player] & 1 << slot:
        return False
    better = 0
    for other in range(table.count[player]):
        cards = meaning(table, player, other)
        if other != slot and plays >> other & 1 and is_single(cards):
            better |= successors(view, cards) & table.known[player]
    return better != 0


@kernel
def call_connection(view: View, table: Table, partner: int, card: int) -> None:
    """Call the partner's card that follows: the oldest touched one that may, or the newest other.

    The latter may be a bluff.
    """
    following = successors(view, 1 << card) & table.playable
    slots = touched_that_may_be(table, partner, following) & ~table.called[partner]
    if slots:
        call_to_play(table, partner, lowest(slots), following, PRIORITY)
        return
    free = unhinted(table, partner) & ~table.called[partner]
    call_next(view, table, partner, highest(free), PRIORITY)
