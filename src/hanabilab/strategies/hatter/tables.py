"""Public tables: for every card in hand, the set of cards that it may be, as everyone knows.

Everyone can draw the same conclusions from hints and from the cards on the table, so everyone keeps
the same tables, and everyone knows that. They hold what is public and nothing else: no table
depends on a card that only some players see, and one copy of them serves every seat.

A slot is *identified* if one card is possible. Its copy is then accounted for; a card without an
unaccounted copy is impossible in all other slots; and so on until nothing changes.

A chance weighs each possible card by its unaccounted copies. It is an integer number of parts of
`CERTAIN`, which is fine enough to tell different fractions of copies apart: chances can be compared
and sorted exactly, and equal fractions are equal.

The *chop* is the card that a player who knows nothing better will discard, as everyone can tell.
Other cards that cannot be critical or playable may be about as good: they are *spare*.

*Pace* counts the turns that the team may spend without a play. Time is *short* if the pace is below
the number of players (plus an option): then not everyone can afford another turn without a play.

*Projection* is the table that each player can expect at their turn: a player with a publicly
identified playable card will play it. A question to a later player is therefore about the table
after those plays: a card that will have been played is dead by then, and the next one of its suit
is playable.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.game.actions import Event, can_discard
from hanabilab.game.cards import PLANES, any_copy, take_copy, weight, without_bit
from hanabilab.game.state import View, pace, rank_cards, rank_of
from hanabilab.strategies.hatter.memory import (
    ALL_WAYS,
    SURE_WAYS,
    HatterMemory,
    PublicTables,
)
from hanabilab.strategies.strategy import NONE

__all__ = [
    "CERTAIN",
    "chance",
    "chop",
    "is_doubtful",
    "mean_rank",
    "narrow",
    "project",
    "remove_card",
    "reset_tables",
    "share",
    "share_of",
    "slots_within",
    "spare_slots",
    "time_is_short",
    "update_tables",
    "useless_slots",
]

CERTAIN = 1 << 24
"""The chance 1. Different fractions of at most n copies are 1 / n² apart: enough for n = 4096."""


@kernel
def reset_tables(view: View, tables: PublicTables) -> None:
    """Start with every card possible in every slot."""
    for player in range(view.rules.players):
        for slot in range(view.rules.hand_size):
            tables.public[player][slot] = view.rules.all_cards
        tables.suspects[player] = NONE
    tables.proved_false = 0
    recount(view, tables)
    update_tables(view, tables)


@kernel
def update_tables(view: View, tables: PublicTables) -> None:
    """Update the tables after a turn, and keep the status of the cards for the next one.

    True tables never contradict each other. Where they do, a conclusion was false (as it may be
    beside strangers to the code): what was concluded is forgotten, and the hints' words remain.
    """
    contradicted = propagate(view, tables) if tables.changed else NONE
    if contradicted != NONE:
        take_literally(view, tables, contradicted)
        if propagate(view, tables) != NONE:
            for player in range(view.rules.players):
                take_literally(view, tables, player)
            propagate(view, tables)
    tables.changed = 0
    tables.playable = view.playable & ~view.dead
    tables.dead = view.dead
    tables.critical = view.critical
    last_chance = view.lives == 1 and not can_discard(view)
    tables.ways = SURE_WAYS if last_chance else ALL_WAYS


@kernel
def take_literally(view: View, tables: PublicTables, player: int) -> None:
    """Keep only the literal meaning of the hints about a hand, and count all copies again."""
    for slot in range(view.hand_count[player]):
        tables.public[player][slot] = view.possible[player][slot]
    recount(view, tables)


@kernel
def recount(view: View, tables: PublicTables) -> None:
    """Account only for the cards on the table."""
    for plane in range(PLANES):
        tables.unaccounted[plane] = view.left[plane]
    for player in range(view.rules.players):
        tables.identified[player] = 0
    tables.changed = 1


@kernel
def propagate(view: View, tables: PublicTables) -> int:
    """Identify slots and remove cards without a copy, until nothing changes.

    Return a player with a slot for which no card is left, or NONE.
    """
    unaccounted = tables.unaccounted
    available = any_copy(unaccounted)
    changed = True
    while changed:
        changed = False
        for player in range(view.rules.players):
            public = tables.public[player]
            cards = view.hand_count[player]
            identified = tables.identified[player]
            slots = narrow(public, cards, identified, available)
            while slots:
                slot = lowest(slots)
                if public[slot] == 0:
                    return player
                identified |= 1 << slot
                take_copy(unaccounted, lowest(public[slot]))
                slots &= slots - 1
                if not any_copy(unaccounted) & public[slot]:
                    available ^= public[slot]
                    changed = True
                    slots = narrow(public, cards, identified, available) & -(1 << slot)
            tables.identified[player] = identified
    return NONE


@inlined
@kernel
def narrow(known: list[int], cards: int, identified: int, available: int) -> int:
    """Remove cards that are not available from all slots but the identified ones.

    Return those of them with at most one possible card. There are no branches, which would be
    unpredictable.
    """
    slots = 0
    for slot in range(cards):
        possible = known[slot] & (available | -(identified >> slot & 1))
        known[slot] = possible
        slots |= int(is_single(possible)) << slot
    return slots & ~identified


@kernel
def remove_card(view: View, event: Event, tables: PublicTables) -> None:
    """Account for a card that has left a hand, move the newer ones down, and add the new one."""
    count_card(view, event, tables)
    public = tables.public[event.player]
    if not (public[event.slot] >> event.card) & 1:
        tables.proved_false = 1
    last = view.hand_count[event.player] - event.drew
    for slot in range(event.slot, last):
        public[slot] = public[slot + 1]
    if event.drew:
        available = any_copy(tables.unaccounted)
        public[last] = view.rules.all_cards if tables.changed else available
        tables.changed |= int(is_single(available))


@kernel
def count_card(view: View, event: Event, tables: PublicTables) -> None:
    """Account for a card that is now on the table, unless its slot was identified.

    If it is not the card that it was taken for, some table is false: all copies are counted again.
    """
    card = 1 << event.card
    identified = tables.identified[event.player]
    tables.identified[event.player] = without_bit(identified, event.slot)
    if (identified >> event.slot) & 1:
        if tables.public[event.player][event.slot] != card:
            recount(view, tables)
    elif any_copy(tables.unaccounted) & card:
        take_copy(tables.unaccounted, event.card)
        tables.changed |= int(any_copy(tables.unaccounted) & card == 0)
    else:
        recount(view, tables)


@kernel
def chance(view: View, tables: PublicTables, possible: int, cards: int) -> int:
    """Return the public probability that a card, one of `possible`, is one of `cards`."""
    return share(view, tables.unaccounted, possible, cards)


@kernel
def share(view: View, planes: list[int], possible: int, cards: int) -> int:
    """Return the share of `cards` in the copies of the possible ones, in parts of `CERTAIN`.

    A card that is certain need not have a copy left.
    """
    if possible & cards == 0:
        return CERTAIN if possible == 0 else 0
    return share_of(view, planes, possible, cards, weight(planes, view.rules.planes, possible))


@kernel
def share_of(view: View, planes: list[int], possible: int, cards: int, copies: int) -> int:
    """Return the share of `cards` among the possible ones, which have `copies` copies."""
    if possible & ~cards == 0:
        return CERTAIN
    # Both numbers are small, so the quotient of floats is rounded down to the same integer.
    return int(weight(planes, view.rules.planes, possible & cards) * CERTAIN / max(1, copies))


@kernel
def slots_within(known: list[int], cards: int, wanted: int) -> int:
    """Return the slots, in a hand of `cards` cards, that can hold only wanted ones."""
    slots = 0
    for slot in range(cards):
        if known[slot] & ~wanted == 0:
            slots |= 1 << slot
    return slots


@kernel
def time_is_short(view: View, memory: HatterMemory) -> bool:
    """Return whether some player cannot afford another turn without a play."""
    return pace(view) < view.rules.players + memory.border


@kernel
def useless_slots(known: list[int], cards: int, dead: int) -> int:
    """Return the slots with dispensable cards: dead ones, and identified ones held twice."""
    once = 0
    twice = 0
    for slot in range(cards):  # without branches, which would be unpredictable
        identified = known[slot] if is_single(known[slot]) else 0
        twice |= once & identified
        once |= identified
    slots = slots_within(known, cards, dead)
    if twice:
        for slot in range(cards):
            if known[slot] & twice and is_single(known[slot]):
                slots |= 1 << slot
    return slots


# --- the chop -------------------------------------------------------------------------------------


DEAD, CRITICAL = 8, -6
"""The worth of discarding a dead or a critical card, beside its rank; only the ratios matter."""
NEWER_SHARE = 8
"""The part of the option `newer_worth` that counts for each older card of the hand."""
SPARE = CERTAIN
"""How much less than the best card a spare one may be worth."""
KNOWN = 1
"""The worth of discarding an identified card that is still needed, of any rank: it has cost hints
and needs no more.
"""


@kernel
def chop(view: View, memory: HatterMemory, player: int, known: list[int]) -> int:
    """Return the slot that is publicly best to discard.

    `known` are the possible cards of the slots of the player's hand.
    """
    tables = memory.tables
    best = 0
    best_worth = 0
    possible = 0
    usual = 0
    for slot in range(view.hand_count[player]):
        if slot == 0 or known[slot] != possible:  # new cards are often alike
            possible = known[slot]
            usual = chop_worth(view, tables, possible)
        worth = usual + memory.newer_worth * slot * CERTAIN // NEWER_SHARE
        if tables.suspects[player] == slot and is_doubtful(known[slot], tables.critical):
            worth += int(CRITICAL * memory.suspicion * CERTAIN)
        if slot == 0 or worth > best_worth:
            best = slot
            best_worth = worth
    return best


@kernel
def spare_slots(view: View, memory: HatterMemory, player: int, cards: int) -> int:
    """Return the slots that are publicly neither critical nor playable and hardly worse to discard.

    The hand has `cards` cards, none of which is useless.
    """
    tables = memory.tables
    public = tables.public[player]
    wanted = tables.critical | tables.playable
    rest = 0
    for slot in range(cards):
        rest |= int(public[slot] & wanted == 0) << slot
    if is_single(rest):  # a choice of one tells nothing
        return 0
    best = chop_worth(view, tables, public[0])
    for slot in range(1, cards):
        best = max(best, chop_worth(view, tables, public[slot]))
    slots = 0
    while rest:
        slot = lowest(rest)
        rest &= rest - 1
        if chop_worth(view, tables, public[slot]) >= best - SPARE:
            slots |= 1 << slot
    return slots


@kernel
def is_doubtful(possible: int, critical: int) -> bool:
    """Return whether a card may be critical, but is not identified."""
    return possible & critical != 0 and not is_single(possible)


@kernel
def chop_worth(view: View, tables: PublicTables, possible: int) -> int:
    """Return the worth of discarding a card that may be any of these, in parts of `CERTAIN`."""
    if is_single(possible):
        return known_worth(tables, possible) * CERTAIN
    planes = tables.unaccounted
    copies = weight(planes, view.rules.planes, possible)
    worth = 0
    if possible & tables.dead:
        worth += DEAD * share_of(view, planes, possible, tables.dead, copies)
    if possible & tables.critical:
        worth += CRITICAL * share_of(view, planes, possible, tables.critical, copies)
    return worth + mean_rank(view, planes, possible, copies)


@kernel
def mean_rank(view: View, planes: list[int], possible: int, copies: int) -> int:
    """Return the mean rank of the possible cards, which have `copies` copies, times `CERTAIN`."""
    mean = 0
    for rank in range(1, view.rules.ranks + 1):
        cards = rank_cards(view, rank)
        if possible & cards:
            mean += rank * share_of(view, planes, possible, cards, copies)
    return mean


@kernel
def known_worth(tables: PublicTables, card: int) -> int:
    """Return the worth of discarding an identified card, in multiples of `CERTAIN`."""
    if card & tables.dead:
        return DEAD
    return CRITICAL if card & tables.critical else KNOWN


# --- projection -----------------------------------------------------------------------------------


@kernel
def project(view: View, memory: HatterMemory, actor: int) -> None:
    """Compute the table at each turn after `actor`, if everyone makes their expected play."""
    tables = memory.tables
    playable = tables.playable
    dead = tables.dead
    player = actor
    for _ in range(1, view.rules.players):
        player += 1
        if player == view.rules.players:
            player = 0
        memory.projected.playable[player] = playable
        memory.projected.dead[player] = dead
        card = expected_play(view, tables, player, playable) if memory.projection else NONE
        if card != NONE:
            bit = 1 << card
            playable &= ~bit
            dead |= bit
            if rank_of(view, card) < view.rules.ranks:
                playable |= bit << 1 & ~dead


@kernel
def expected_play(view: View, tables: PublicTables, player: int, playable: int) -> int:
    """Return the identified card that a player is expected to play, or NONE.

    A card of the highest rank, which brings a token, goes before the lowest other one.
    """
    best = NONE
    best_rank = 0
    for slot in range(view.hand_count[player]):
        possible = tables.public[player][slot]
        if possible & playable and is_single(possible):
            card = lowest(possible)
            rank = rank_of(view, card)
            rank = 0 if rank == view.rules.ranks else rank
            if best == NONE or rank < best_rank:
                best = card
                best_rank = rank
    return best
