"""What a hint means, read from the public table alone, so that both players read the same.

The order of readings, for a hint that newly touches cards:

1. It shows that a card touched or noted before is playable or trash: it means no more than that.
2. It newly touches nothing but trash: a *trash push*, read like a suit hint.
3. A suit hint calls the card to the left of the touched one to be played (*referential play*).
4. A rank hint plays what it touches if all cards of that rank that are still needed are playable.
5. To a loaded player, a rank hint calls the card to the right to be played (*loaded rank play*).
6. Else a rank hint calls the card to the right to be discarded (*referential discard*); without
   such a card it is a *lock*.

A hint that touches no new card and shows no safe action calls for the cards that are missing before
its focus: by a *prompt* of a touched card, or a *finesse* of the newest untouched one, which may be
a *bluff*. If it says nothing at all, it is a *double bluff*. A player who cannot discard, because
of all hint tokens or a locked hand, may give such hints as *stalls*.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import HINT_RANK, HINT_SUIT
from hanabilab.game.cards import card_in
from hanabilab.game.state import View, rank_cards, suit_cards
from hanabilab.strategies.sieve.calls import (
    BLUFF,
    DISCARD_CALL,
    DOUBLE_BLUFF,
    EMPTY,
    FIX,
    LOADED_PLAY,
    PLAYABLE_RANK,
    PROMPT,
    REFERENTIAL_PLAY,
    RESET,
    REVEAL,
    STALL,
    call_discard,
    call_next,
    expected_playable,
    push,
    target_on_left,
    target_on_right,
    touched_that_may_be,
)
from hanabilab.strategies.sieve.copies import noted_slots, read_notes
from hanabilab.strategies.sieve.locked import (
    is_quasi_locked,
    note_waiting,
    permit_locked,
    read_locked,
    read_quasi_locked,
    throw_far_four,
)
from hanabilab.strategies.sieve.memory import (
    EDGE_LEVEL,
    EMERGENCY_LEVEL,
    LOADED_LEVEL,
    LOCKED_LEVEL,
    REPEAT_LEVEL,
    Table,
)
from hanabilab.strategies.sieve.tables import (
    call_to_play,
    highest,
    is_loaded,
    is_locked,
    meaning,
    newest_bit,
    plays_of,
    refresh,
    sieve_newest,
    successors,
    trash_of,
    unhinted,
)
from hanabilab.strategies.strategy import NONE

__all__ = ["hinted_cards", "read_hint", "touched_by"]


@kernel
def touched_by(view: View, target: int, kind: int, value: int) -> int:
    """Return the slots of a visible hand that a hint touches."""
    cards = hinted_cards(view, kind, value)
    touched = 0
    for slot in range(view.hand_count[target]):
        touched |= (cards >> card_in(view.hands[target], slot) & 1) << slot
    return touched


@kernel
def hinted_cards(view: View, kind: int, value: int) -> int:
    """Return the cards that a hint touches."""
    return suit_cards(view, value) if kind == HINT_SUIT else rank_cards(view, value)


@kernel
def read_hint(view: View, table: Table, giver: int, kind: int, value: int, touched: int) -> int:
    """Update the table by a hint, and return what it means."""
    target = 1 - giver
    was_locked, target_locked = is_locked(table, giver), is_locked(table, target)
    locked = table.level >= LOCKED_LEVEL and was_locked
    stalling = table.tokens == view.rules.max_hint_tokens or was_locked
    quasi = is_quasi_locked(table, giver)
    before, thrown = table.touched[target], table.thrown[target]
    noted = noted_slots(table, target)
    renewed = renewed_discards(table, target, kind, touched)
    table.permitted[target] &= ~touched
    table.thrown[target] &= ~touched
    loaded = is_loaded(table, target)
    plays, trash = plays_of(table, target), trash_of(table, target)
    news = apply_words(view, table, target, kind, value, touched)
    found = (plays_of(table, target) & ~plays) | (trash_of(table, target) & ~trash)
    new = touched & ~before
    if touched == 0:
        said = EMPTY
    elif plays & ~plays_of(table, target):
        said = FIX
    elif found & (before | noted):
        said = REVEAL
    elif locked:
        said = read_locked(view, table, giver, kind, new, found)
    elif renewed and not found & new & plays_of(table, target):
        table.thrown[target] |= renewed
        said = DISCARD_CALL
    elif quasi and (kind == HINT_SUIT if new else news):
        said = read_quasi_locked(view, table, giver, new, trash_of(table, target))
    elif new:
        said = read_new(view, table, target, kind, new, loaded, stalling, found)
    elif stalling or table.level < REPEAT_LEVEL:
        said = STALL
    else:
        said = read_repeated(view, table, target, touched, news)
    if target_locked and table.level >= LOCKED_LEVEL:
        throw_far_four(view, table, target, touched)
    finish_hint(view, table, target, locked, said)
    if quasi and said == REVEAL:
        table.stalled[giver] = table.asked[giver] & table.thrown[giver]
    table.stalled[target] = 0
    table.asked[target] = table.thrown[target] & ~thrown if said == DISCARD_CALL else 0
    note_waiting(table, giver, was_locked)
    return said


@kernel
def renewed_discards(table: Table, target: int, kind: int, touched: int) -> int:
    """Return the permitted slots that a rank hint calls to be discarded although it touches them.

    They were permitted when no token was spent, and the hint also touches the oldest card.
    """
    if table.level < EDGE_LEVEL or kind != HINT_RANK or not touched & 1:
        return 0
    return touched & table.permitted[target] & table.full[target] & ~1


@kernel
def apply_words(view: View, table: Table, target: int, kind: int, value: int, touched: int) -> bool:
    """Narrow the target's cards by the words of a hint; return whether they are news."""
    cards = hinted_cards(view, kind, value)
    news = False
    for slot in range(table.count[target]):
        possible = table.possible[target][slot]
        hit = touched >> slot & 1
        left = possible & cards if hit else possible & ~cards
        if left:
            news = news or (hit == 1 and left != possible)
            table.possible[target][slot] = left
    table.touched[target] |= touched
    table.tokens -= 1
    refresh(view, table)
    read_notes(table)
    return news


@kernel
def finish_hint(view: View, table: Table, target: int, locked: bool, said: int) -> None:
    """Sieve the newest card if the target has a safe action; promise a discard where due."""
    refresh(view, table)
    if locked and said not in (PLAYABLE_RANK, REVEAL, FIX, DISCARD_CALL):
        permit_locked(table, target, said)
    if is_loaded(table, target):
        sieve_newest(table, target)
    elif table.tokens == 0 and table.level >= EMERGENCY_LEVEL:
        promise_discard(table, target)


@kernel
def promise_discard(table: Table, target: int) -> None:
    """Name the card that is safe to discard after the last token was spent.

    The newest untouched card that was never sieved, or else the one that is least likely critical.
    """
    free = unhinted(table, target)
    fresh = free & ~table.sieved[target]
    slot = highest(fresh)
    if fresh == 0:
        slot = least_critical(table, target)
    if slot != NONE:
        table.permitted[target] |= 1 << slot


@kernel
def least_critical(table: Table, player: int) -> int:
    """Return the slot with the smallest share of critical cards, newer ones first."""
    best, most = NONE, 0.0
    for slot in range(table.count[player] - 1, -1, -1):
        cards = meaning(table, player, slot)
        share = 1.0 - float((cards & table.critical).bit_count()) / max(1, cards.bit_count())
        if share > most:
            best, most = slot, share
    return best


# --- hints that touch new cards -------------------------------------------------------------------


@kernel
def read_new(
    view: View,
    table: Table,
    target: int,
    kind: int,
    new: int,
    loaded: bool,
    stalling: bool,
    found: int,
) -> int:
    """Read a hint that touches new cards and says nothing decisive about the others."""
    if kind == HINT_RANK and loaded and stalling:
        return PLAYABLE_RANK if found & new & plays_of(table, target) else STALL
    if table.level >= LOADED_LEVEL and new & ~trash_of(table, target) == 0:
        return push(view, table, target, new)
    if kind == HINT_SUIT:
        slot = target_on_left(table, target, new)
        return call_next(view, table, target, slot, REFERENTIAL_PLAY)
    if found & new & plays_of(table, target):
        return PLAYABLE_RANK
    if loaded and table.level >= LOADED_LEVEL:
        slot = target_on_right(table, target, new)
        if resets_chop(table, target, slot, new):
            return reset_chop(table, target)
        return call_next(view, table, target, slot, LOADED_PLAY)
    return call_discard(view, table, target, new, stalling)


@kernel
def resets_chop(table: Table, target: int, slot: int, new: int) -> bool:
    """Return whether a rank hint that points at the newest card means the chop.

    That is so if the target had no safe action but permitted discards.
    """
    newest = newest_bit(table, target) & ~table.touched[target]
    trash = trash_of(table, target) & ~table.permitted[target] & ~new
    only_permitted = table.permitted[target] & ~newest != 0 and trash == 0
    at_newest = newest != 0 and slot == highest(newest)
    return (
        table.level >= EDGE_LEVEL and at_newest and only_permitted and not plays_of(table, target)
    )


@kernel
def reset_chop(table: Table, target: int) -> int:
    """Revoke all permissions, and put the newest card on the chop."""
    table.permitted[target] = 0
    table.sieved[target] &= ~newest_bit(table, target)
    return RESET


# --- hints that touch no new cards ----------------------------------------------------------------


@kernel
def read_repeated(view: View, table: Table, target: int, touched: int, news: bool) -> int:
    """Read a hint that shows no safe action: it calls for what is missing before its focus."""
    if not news:
        return double_bluff(view, table, target, touched)
    focus = highest(touched)
    wanted = meaning(table, target, focus) & ~table.dead & ~table.playable
    slot, cards = prompted(view, table, target, focus, wanted)
    if slot != NONE and call_to_play(table, target, slot, cards, PROMPT):
        return PROMPT
    return finesse(view, table, target, focus)


@kernel
def finesse(view: View, table: Table, target: int, focus: int) -> int:
    """Call the newest untouched card; whether it leads to the focus is seen when it is played."""
    free = unhinted(table, target) & ~table.called[target]
    slot = highest(free)
    if call_next(view, table, target, slot, BLUFF) == EMPTY:
        return EMPTY
    table.blind[target] |= 1 << slot
    table.waiting[target] |= 1 << focus
    return BLUFF


@kernel
def prompted(view: View, table: Table, target: int, focus: int, wanted: int) -> tuple[int, int]:
    """Return the touched slot that leads to the focus, and what it is, if no blind play is needed.

    The oldest card that can be the missing one is prompted.
    """
    best, promised = NONE, 0
    while wanted:
        card = lowest(wanted)
        wanted &= wanted - 1
        slot, first = chain_of_prompts(view, table, target, focus, card)
        if slot != NONE:
            if best == NONE or slot < best:
                best, promised = slot, 0
            if slot == best:
                promised |= first
    return best, promised


@kernel
def chain_of_prompts(
    view: View, table: Table, target: int, focus: int, card: int
) -> tuple[int, int]:
    """Return the slot of the first card that is missing before `card`, and that card, as a set.

    The slot is NONE if touched cards cannot be all that is missing.
    """
    suit = suit_cards(view, view.rules.suit_of[card])
    needed = table.playable & suit
    first, start, used = NONE, needed, 1 << focus
    while needed and needed < 1 << card:
        slots = touched_that_may_be(table, target, needed) & ~used
        if slots == 0:
            return NONE, 0
        first = lowest(slots) if first == NONE else first
        used |= 1 << lowest(slots)
        needed = successors(view, needed)
    return first, start


@kernel
def double_bluff(view: View, table: Table, target: int, touched: int) -> int:
    """Read a hint that says nothing new: play the two newest untouched cards.

    With one such card only, also the newest touched card that may fit.
    """
    free = unhinted(table, target) & ~table.called[target]
    first = highest(free)
    if call_next(view, table, target, first, DOUBLE_BLUFF) == EMPTY:
        return EMPTY
    second = highest(free & ~(1 << first))
    if second == NONE and table.level >= EDGE_LEVEL:
        second = promptable(view, table, target, touched)
    call_next(view, table, target, second, DOUBLE_BLUFF)
    return DOUBLE_BLUFF


@kernel
def promptable(view: View, table: Table, target: int, touched: int) -> int:
    """Return the newest touched slot that may fit after the called cards, or NONE."""
    fitting = expected_playable(view, table, target)
    for slot in range(table.count[target] - 1, -1, -1):
        unsure = not is_single(table.inferred[target][slot])
        if touched >> slot & 1 and unsure and table.inferred[target][slot] & fitting:
            return slot
    return NONE
