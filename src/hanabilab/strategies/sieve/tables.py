"""The public table: what each card may be, and who can play or discard what.

Both players keep the same table, since it follows from hints, plays and discards alone. All
functions take the table rather than the view, so that a player can also ask them about the table
after an action that is only considered.

A *safe action* is a card that is publicly known to be playable or to be trash. A player with one is
*loaded*. A player without one has a *chop*, the newest card, unless that card was sieved: then the
player is *locked*.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.game.cards import PLANES, any_copy, move_down, take_copy, without_bit
from hanabilab.game.state import View
from hanabilab.strategies.conventions.tables import highest, successors
from hanabilab.strategies.sieve.memory import FROM_DEAL, HAND_PAIR, Table
from hanabilab.strategies.strategy import NONE

__all__ = [
    "call_to_play",
    "chop_of",
    "first_call",
    "fit_calls",
    "fresh_bit",
    "highest",
    "is_loaded",
    "is_locked",
    "mark_played",
    "meaning",
    "newest_bit",
    "note_known",
    "pace_of",
    "permit",
    "play_order",
    "plays_of",
    "put_away",
    "refresh",
    "reset_table",
    "sieve_newest",
    "slots_of",
    "successors",
    "take_out",
    "trash_beside",
    "trash_of",
    "unhinted",
]


@kernel
def slots_of(table: Table, player: int) -> int:
    """Return all slots of a hand."""
    return (1 << table.count[player]) - 1


@kernel
def newest_bit(table: Table, player: int) -> int:
    """Return the newest slot of a hand, as a set; 0 if the hand is empty."""
    return 1 << table.count[player] >> 1


@kernel
def unhinted(table: Table, player: int) -> int:
    """Return the slots that no hint has touched."""
    return slots_of(table, player) & ~table.touched[player]


@kernel
def reset_table(view: View, table: Table, level: int) -> None:
    """Open the table before the first turn."""
    table.level = level
    table.playable, table.dead, table.critical = view.playable, view.dead, view.critical
    table.tokens, table.pile, table.lives = view.hint_tokens, view.draw_pile, view.lives
    for plane in range(PLANES):
        table.left[plane] = view.left[plane]
    for player in range(HAND_PAIR):
        table.count[player] = view.hand_count[player]
        for slot in range(view.hand_count[player]):
            table.possible[player][slot] = view.possible[player][slot]
            table.inferred[player][slot] = view.possible[player][slot]
            table.drawn[player][slot] = FROM_DEAL
    refresh(view, table)


# --- what cards are taken to be -------------------------------------------------------------------


@kernel
def refresh(view: View, table: Table) -> None:
    """Count the cards that are publicly identified, and drop what cannot be any more."""
    changed = True
    while changed:
        changed = False
        exhausted = count_identified(view, table)
        for player in range(HAND_PAIR):
            for slot in range(table.count[player]):
                cards = table.possible[player][slot]
                if cards & exhausted and not is_single(cards) and cards & ~exhausted:
                    table.possible[player][slot] = cards & ~exhausted
                    changed = changed or is_single(cards & ~exhausted)
    fit_calls(table)


@kernel
def count_identified(view: View, table: Table) -> int:
    """Take identified cards off the unaccounted copies; return the cards that have none left."""
    for plane in range(PLANES):
        table.unaccounted[plane] = table.left[plane]
    for player in range(HAND_PAIR):
        for slot in range(table.count[player]):
            cards = table.possible[player][slot]
            if cards and is_single(cards) and any_copy(table.unaccounted) & cards:
                take_copy(table.unaccounted, lowest(cards))
    return view.rules.all_cards & ~any_copy(table.unaccounted)


@kernel
def fit_calls(table: Table) -> None:
    """Keep conclusions within what is possible; a call that cannot be true any more is dropped.

    If all that a called card could be has been played by others, it is a copy of one of them.
    """
    for player in range(HAND_PAIR):
        for slot in range(table.count[player]):
            cards = table.inferred[player][slot] & table.possible[player][slot]
            if cards == 0:
                cards = table.possible[player][slot]
                table.called[player] &= ~(1 << slot)
            table.inferred[player][slot] = cards
            if table.called[player] >> slot & 1 and cards & ~table.dead == 0:
                table.called[player] &= ~(1 << slot)
                table.thrown[player] |= 1 << slot
    note_known(table)


@kernel
def note_known(table: Table) -> None:
    """Note which cards are known, after conclusions have changed."""
    for player in range(HAND_PAIR):
        slots = table.touched[player] | table.called[player]
        known = 0
        for slot in range(table.count[player]):
            cards = table.inferred[player][slot] & ~table.dead
            if slots >> slot & 1 and is_single(cards):
                known |= cards
        table.known[player] = known


@kernel
def known_beside(table: Table, player: int, slot: int) -> int:
    """Return the cards that the other slots of a hand are known to be.

    Of two equal cards, only the better known one counts, else the newer one.
    """
    cards = table.inferred[player][slot] & ~table.dead
    if not is_single(cards):
        return table.known[player]
    marked = table.touched[player] | table.called[player]
    for other in range(table.count[player]):
        if other != slot and marked >> other & 1:
            equal = table.inferred[player][other] & ~table.dead == cards
            if equal and is_better_known(table, player, other, slot):
                return table.known[player]
    return table.known[player] & ~cards


@kernel
def is_better_known(table: Table, player: int, slot: int, other: int) -> bool:
    """Return whether one of two equal cards is better known than the other: certain, or called."""
    first = 2 * int(is_single(table.possible[player][slot])) + (table.called[player] >> slot & 1)
    second = 2 * int(is_single(table.possible[player][other])) + (table.called[player] >> other & 1)
    return first > second or (first == second and slot > other)


@kernel
def meaning(table: Table, player: int, slot: int) -> int:
    """Return what a card is taken to be: a touched card is needed and no copy (good touch).

    It is 0 if all that a touched card may be is needed no more, or known to be elsewhere in hand.
    """
    cards = table.inferred[player][slot]
    if not (table.touched[player] | table.called[player]) >> slot & 1:
        return cards
    cards &= ~table.dead & ~known_beside(table, player, slot)
    fresh = cards & ~table.known[1 - player]
    return fresh if fresh else cards


@kernel
def first_call(table: Table, player: int) -> int:
    """Return the slot whose call is answered first, or NONE."""
    best = NONE
    slots = table.called[player]
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        if best == NONE or table.order[player][slot] < table.order[player][best]:
            best = slot
    return best


@kernel
def plays_of(table: Table, player: int) -> int:
    """Return the slots that a player is publicly known to be able to play now."""
    plays = 0
    for slot in range(table.count[player]):
        cards = meaning(table, player, slot)
        if cards and cards & ~table.playable == 0:
            plays |= 1 << slot
    call = first_call(table, player)
    if call != NONE and table.inferred[player][call] & table.playable:
        plays |= 1 << call
    return plays & ~table.thrown[player]


@kernel
def play_order(table: Table, player: int) -> int:
    """Return the slot that a player plays next: calls first, then newer cards; NONE if none."""
    plays = plays_of(table, player)
    call = first_call(table, player)
    return call if call != NONE and plays >> call & 1 else highest(plays)


@kernel
def trash_of(table: Table, player: int) -> int:
    """Return the slots that a player is publicly known to be able to discard."""
    return trash_beside(table, player, plays_of(table, player))


@kernel
def trash_beside(table: Table, player: int, plays: int) -> int:
    """Return the slots that a player who can play `plays` is known to be able to discard."""
    trash = table.thrown[player] | table.permitted[player]
    for slot in range(table.count[player]):
        if is_trash(table, player, slot):
            trash |= 1 << slot
    return trash & ~plays


@kernel
def is_trash(table: Table, player: int, slot: int) -> bool:
    """Return whether a card is known to be needed no more, or to be a copy of a known card."""
    cards = meaning(table, player, slot) & ~table.dead
    if table.touched[player] >> slot & 1:
        cards &= ~table.known[1 - player]
    return cards == 0


@kernel
def is_loaded(table: Table, player: int) -> bool:
    """Return whether a player has a safe action."""
    plays = plays_of(table, player)
    return plays != 0 or trash_beside(table, player, plays) != 0


@kernel
def chop_of(table: Table, player: int) -> int:
    """Return the newest slot if a player without a safe action may discard it, else NONE."""
    newest = fresh_bit(table, player)
    return NONE if newest == 0 or is_loaded(table, player) else highest(newest)


@kernel
def fresh_bit(table: Table, player: int) -> int:
    """Return the newest slot, as a set, if it may become the chop, else 0."""
    kept = table.touched[player] | table.sieved[player] | table.called[player]
    return newest_bit(table, player) & ~kept


@kernel
def is_locked(table: Table, player: int) -> bool:
    """Return whether a player has neither a safe action nor a chop."""
    return fresh_bit(table, player) == 0 and not is_loaded(table, player)


@kernel
def pace_of(view: View, table: Table) -> int:
    """Return how many of the remaining draws can pass without a play."""
    return HAND_PAIR + table.pile - popcount(view.rules.all_cards & ~table.dead)


# --- changes --------------------------------------------------------------------------------------


@kernel
def call_to_play(table: Table, player: int, slot: int, cards: int, cause: int) -> bool:
    """Call a card to be played as one of `cards`; return whether it can be one of them."""
    fitting = table.inferred[player][slot] & cards
    if fitting == 0:
        fitting = table.possible[player][slot] & cards
    if fitting == 0:
        return False
    bit = 1 << slot
    table.inferred[player][slot] = fitting
    if not table.called[player] & bit:
        table.calls += 1
        table.order[player][slot] = table.calls
    table.called[player] |= bit
    table.cause[player][slot] = cause
    table.thrown[player] &= ~bit
    table.permitted[player] &= ~bit
    table.owed[player][slot] = 0
    note_known(table)
    return True


@kernel
def sieve_newest(table: Table, player: int) -> None:
    """Take the newest card off the chop for good, unless it may be discarded already."""
    table.sieved[player] |= newest_bit(table, player) & ~table.permitted[player]


@kernel
def permit(table: Table, player: int) -> None:
    """Give a player permission to discard the chop, if there is one."""
    chop = chop_of(table, player)
    if chop != NONE:
        table.permitted[player] |= 1 << chop


@kernel
def mark_played(view: View, table: Table, card: int) -> None:
    """Put a card on its firework."""
    bit = 1 << card
    table.playable = (table.playable & ~bit) | (successors(view, bit) & ~table.dead)
    table.dead |= bit
    take_copy(table.left, card)
    refresh_critical(table)


@kernel
def put_away(view: View, table: Table, card: int) -> None:
    """Put a card on the discards; if it was the last copy, higher ranks die too."""
    take_copy(table.left, card)
    if not any_copy(table.left) >> card & 1 and not table.dead >> card & 1:
        end_of_suit = (view.rules.suit_of[card] + 1) * view.rules.ranks
        table.dead |= (1 << end_of_suit) - (1 << card)
        table.playable &= ~table.dead
    refresh_critical(table)


@kernel
def refresh_critical(table: Table) -> None:
    """Compute which cards that are still needed have one copy left."""
    more = 0
    for plane in range(1, PLANES):
        more |= table.left[plane]
    table.critical = table.left[0] & ~more & ~table.dead


@kernel
def take_out(view: View, table: Table, player: int, slot: int, drew: int) -> None:
    """Remove a card from a hand; the drawn card becomes the newest."""
    close_gap(table, player, slot)
    table.touched[player] = without_bit(table.touched[player], slot)
    table.called[player] = without_bit(table.called[player], slot)
    table.thrown[player] = without_bit(table.thrown[player], slot)
    table.permitted[player] = without_bit(table.permitted[player], slot)
    table.sieved[player] = without_bit(table.sieved[player], slot)
    table.blind[player] = without_bit(table.blind[player], slot)
    table.waiting[player] = without_bit(table.waiting[player], slot)
    table.full[player] = without_bit(table.full[player], slot)
    if drew:
        newest = table.count[player] - 1
        table.possible[player][newest] = view.rules.all_cards
        table.inferred[player][newest] = view.rules.all_cards
        table.pile -= 1
        table.drawn[player][newest] = table.pile
    else:
        table.count[player] -= 1


@kernel
def close_gap(table: Table, player: int, slot: int) -> None:
    """Shift what is noted for each slot after a card was removed."""
    move_down(table.possible[player], slot)
    move_down(table.inferred[player], slot)
    move_down(table.order[player], slot)
    move_down(table.cause[player], slot)
    move_down(table.drawn[player], slot)
    move_down(table.warranted[player], slot)
    move_down(table.since[player], slot)
    move_down(table.noted[player], slot)
    move_down(table.owed[player], slot)
