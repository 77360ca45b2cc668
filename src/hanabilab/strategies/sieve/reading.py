"""What a hint means, read from the public table alone, so that both players read the same.

The order of readings, for a hint that newly touches cards:

1. It shows that a card touched before is playable or trash: it means no more than that.
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
from hanabilab.game.state import View, rank_cards, rank_of, suit_cards
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

__all__ = [
    "BLUFF",
    "COPY",
    "DISCARD_CALL",
    "DOUBLE_BLUFF",
    "EMPTY",
    "FIX",
    "LOADED_PLAY",
    "LOCK",
    "LOCKED_PLAY",
    "PLAYABLE_RANK",
    "PROMPT",
    "REFERENTIAL_PLAY",
    "REVEAL",
    "STALL",
    "TRASH_PUSH",
    "UNLOCK",
    "hinted_cards",
    "read_hint",
    "touched_by",
]

REVEAL, FIX, TRASH_PUSH, REFERENTIAL_PLAY, PLAYABLE_RANK, LOADED_PLAY = 1, 2, 3, 4, 5, 6
DISCARD_CALL, LOCK, PROMPT, BLUFF, DOUBLE_BLUFF, STALL, LOCKED_PLAY = 7, 8, 9, 10, 11, 12, 13
EMPTY, UNLOCK, COPY = 14, 15, 16
"""What a hint means, EMPTY if the convention gives it no meaning here; what else calls a card: an
unlock promise, or the discard of a copy."""

FAR = 2
"""How many cards are missing before a four that a locked player may discard."""


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
    locked = table.level >= LOCKED_LEVEL and is_locked(table, giver)
    was_locked = is_locked(table, target)
    stalling = table.tokens == view.rules.max_hint_tokens or is_locked(table, giver)
    before = table.touched[target]
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
    elif found & before:
        said = REVEAL
    elif locked:
        said = read_locked(view, table, giver, kind, new, found)
    elif new:
        said = read_new(view, table, target, kind, new, loaded, stalling, found)
    elif stalling or table.level < REPEAT_LEVEL:
        said = STALL
    else:
        said = read_repeated(view, table, target, touched, news)
    if was_locked and table.level >= LOCKED_LEVEL:
        throw_far_four(view, table, target, touched)
    finish_hint(view, table, target, locked, said)
    return said


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
        return call_next(view, table, target, slot, LOADED_PLAY)
    return call_discard(table, target, new, stalling)


@kernel
def candidates(table: Table, target: int, new: int) -> int:
    """Return the slots that a hint can call: those untouched before it and not called yet."""
    return (unhinted(table, target) | new) & ~table.called[target]


@kernel
def target_on_left(table: Table, target: int, new: int) -> int:
    """Return the newest slot that is the left neighbour of a touched one, or NONE.

    The neighbour of the newest card is the oldest one.
    """
    free = candidates(table, target, new)
    best = NONE
    while new and free:
        slot = lowest(new)
        new &= new - 1
        above = free >> (slot + 1) << (slot + 1)
        best = max(best, lowest(above) if above else lowest(free))
    return best


@kernel
def target_on_right(table: Table, target: int, new: int) -> int:
    """Return the oldest slot that is the right neighbour of a touched one, or NONE.

    The neighbour of the oldest card is the newest one.
    """
    free = candidates(table, target, new)
    best = NONE
    while new and free:
        slot = lowest(new)
        new &= new - 1
        below = free & ((1 << slot) - 1)
        neighbour = highest(below) if below else highest(free)
        best = neighbour if best == NONE else min(best, neighbour)
    return best


@kernel
def call_next(view: View, table: Table, target: int, slot: int, said: int) -> int:
    """Call a card to be played, after those that are called; return `said`, EMPTY if it cannot."""
    if slot == NONE:
        return EMPTY
    cards = expected_playable(view, table, target)
    return said if call_to_play(table, target, slot, cards, said) else EMPTY


@kernel
def expected_playable(view: View, table: Table, target: int) -> int:
    """Return the cards that fit once the target has answered all earlier calls."""
    fitting = table.playable
    slots = table.called[target] | plays_of(table, target)
    for _ in range(table.count[target]):
        known = 0
        for slot in range(table.count[target]):
            if slots >> slot & 1:
                known |= meaning(table, target, slot) & fitting
        fitting |= successors(view, known) & ~table.dead
    return fitting


@kernel
def push(view: View, table: Table, target: int, new: int) -> int:
    """Read a hint that newly touches nothing but trash: play the left neighbour that can fit."""
    free = candidates(table, target, new) & ~new
    slot = target_on_left(table, target, new)
    for _ in range(table.count[target]):
        if free == 0 or slot == NONE:
            return EMPTY
        able = not new >> slot & 1
        if able and call_next(view, table, target, slot, TRASH_PUSH) != EMPTY:
            return TRASH_PUSH
        above = free >> (slot + 1) << (slot + 1)
        slot = lowest(above) if above else lowest(free)
    return EMPTY


@kernel
def call_discard(table: Table, target: int, new: int, stalling: bool) -> int:
    """Call the card to the right of the newest touched one to be discarded; without one, lock."""
    free = unhinted(table, target) & ~table.called[target]
    below = free & ((1 << highest(new)) - 1)
    if below:
        table.thrown[target] |= 1 << highest(below)
        return DISCARD_CALL
    if stalling:
        return STALL
    sieve_newest(table, target)
    return LOCK


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
def touched_that_may_be(table: Table, player: int, card: int) -> int:
    """Return the touched slots that may hold a card."""
    slots = 0
    for slot in range(table.count[player]):
        if table.touched[player] >> slot & 1 and meaning(table, player, slot) & card:
            slots |= 1 << slot
    return slots


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


# --- locked players -------------------------------------------------------------------------------


@kernel
def read_locked(view: View, table: Table, giver: int, kind: int, new: int, found: int) -> int:
    """Read a hint of a locked player: the partner can mostly discard, and sometimes play."""
    target = 1 - giver
    if kind == HINT_RANK:
        if found & new & plays_of(table, target):
            return PLAYABLE_RANK
        return call_discard(table, target, new, True) if new else STALL
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
