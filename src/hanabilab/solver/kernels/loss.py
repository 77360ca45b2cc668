"""Proofs that a position cannot be won: always sound, but not complete.

Each proof plays a relaxed game and shows that even that one is lost.
"""

from __future__ import annotations

from typing import NamedTuple

from hanabilab.core.bits import add_to_hash, multiply, popcount
from hanabilab.core.kernel import kernel
from hanabilab.solver.kernels.node import (
    Node,
    Problem,
    Upcoming,
    count_of_hand,
    held_by_all,
    needed_cards,
)

__all__ = [
    "MEMO_ROWS",
    "MEMO_WORDS",
    "NOT_PROVED",
    "POOL_WORDS",
    "PoolScratch",
    "lacks_storage",
    "next_playable",
    "pace_lost",
    "pooled_lost",
]

NOT_PROVED = -1
DRAWN, HELD, PLAYED, CHOICES = range(4)
"""The fields of a pool; its choices are the useful cards that may be discarded."""
POOL_WORDS = 4
NEW, WON = -2, -1
MEMO_ROWS, MEMO_WORDS = 1 << 12, 4
PROBES = 8
SHORT_LOOK = 50
"""The number of positions of the pooled game that `lacks_storage` searches."""


class PoolScratch(NamedTuple):
    """Scratch space for a search of the pooled game."""

    pools: list[list[int]]
    """The pools on the way from the first one to the current one."""
    memo: list[list[int]]
    """Lost pools; the first row, and every row in use, holds the number of the deck."""


@kernel
def next_playable(problem: Problem, played: int) -> int:
    """Return the cards that are playable on these fireworks."""
    return (
        (played << 1 & ~problem.rules.rank_pattern | problem.rules.rank_pattern)
        & problem.rules.all_cards
        & ~played
    )


@kernel
def pace_lost(problem: Problem, node: Node, upcoming: Upcoming, earliest: list[int]) -> int:
    """Return the latest cut after which too many cards are left to play, or NOT_PROVED.

    A cut is a number of cards drawn. A card cannot be played before it and every lower card of its
    suit have been drawn. After a cut, at most one card is played for each remaining draw, and one
    on each turn of the last round. If more cards than that cannot be played before the cut, the
    position is lost (Keßler 2025, Corollary 5.3).
    """
    if not problem.rules.deck_ends:
        return NOT_PROVED
    size = problem.rules.deck_size
    if node.turns_left >= 0:
        late = node.turns_left < needed_cards(problem, node)
        return node.drawn if late else NOT_PROVED
    for place in range(node.drawn, size + 2):
        earliest[place] = 0
    count_earliest(problem, node, upcoming.coming[node.drawn], earliest)
    waiting = 0
    for place in range(size + 1, node.drawn - 1, -1):
        waiting += earliest[place]
        plays = size - place + problem.rules.players if place <= size else 0
        if waiting > plays:
            return place
    return NOT_PROVED


@kernel
def count_earliest(problem: Problem, node: Node, ahead: list[int], earliest: list[int]) -> None:
    """Count the needed cards by the number of draws that must precede their play.

    A card that never comes counts for a draw beyond the end.
    """
    held = held_by_all(problem, node)
    for suit in range(problem.rules.suits):
        draws = node.drawn
        for rank in range(problem.rules.ranks):
            card = suit * problem.rules.ranks + rank
            if not (node.played >> card) & 1:
                if not (held >> card) & 1:
                    draws = max(draws, ahead[card] + 1)
                earliest[draws] += 1


@kernel
def pooled_lost(
    problem: Problem, node: Node, upcoming: Upcoming, scratch: PoolScratch, limit: int
) -> int:
    """Return how many positions of the pooled game prove that it is lost, or NOT_PROVED.

    In the pooled game all hands are one, and passes and discards cost nothing but the draw. It is
    best to play a playable card at once, and to discard a useless card before a useful one. The
    only choice left is which card to discard when all are useful and none is playable. A won game
    maps to a won pooled game: make the same plays and discards.
    """
    if node.turns_left >= 0 or not problem.rules.deck_ends:
        return NOT_PROVED
    pools, memo = scratch.pools, scratch.memo
    slots = 0
    pools[0][HELD] = 0
    for player in range(problem.rules.players):
        slots += count_of_hand(node, player)
        pools[0][HELD] |= node.held[player]
    pools[0][DRAWN] = node.drawn
    pools[0][PLAYED] = node.played
    pools[0][CHOICES] = NEW
    depth = 0
    positions = 0
    while depth >= 0:
        pool = pools[depth]
        if pool[CHOICES] == NEW:
            positions += 1
            if positions > limit:
                return NOT_PROVED
            pool[CHOICES] = run_pool(problem, upcoming, slots, pool)
            if pool[CHOICES] == WON:
                return NOT_PROVED
            if pool[CHOICES] == 0 or is_memoized(pool, memo):
                depth -= 1
                continue
        if pool[CHOICES] == 0:
            memoize(pool, memo)
            depth -= 1
        else:
            discard_choice(upcoming, pool, pools[depth + 1])
            depth += 1
    return positions


@kernel
def lacks_storage(problem: Problem, node: Node, upcoming: Upcoming, scratch: PoolScratch) -> bool:
    """Return whether a short search shows that the pooled game is lost."""
    return pooled_lost(problem, node, upcoming, scratch, SHORT_LOOK) != NOT_PROVED


@kernel
def discard_choice(upcoming: Upcoming, pool: list[int], child: list[int]) -> None:
    """Set `child` to the pool after the next choice is discarded and a card drawn."""
    bit = pool[CHOICES] & -pool[CHOICES]
    pool[CHOICES] ^= bit
    drawn = pool[DRAWN]
    child[DRAWN] = drawn + 1
    drawn_card = (1 << upcoming.deck[drawn]) & upcoming.later[drawn]
    child[HELD] = (pool[HELD] & ~bit) | (drawn_card & ~pool[PLAYED])
    child[PLAYED] = pool[PLAYED]
    child[CHOICES] = NEW


@kernel
def memo_slot(pool: list[int], memo: list[list[int]]) -> int:
    """Return the first row of the memo to probe for a pool."""
    key = multiply(pool[HELD] ^ (pool[DRAWN] << 55), 0x1F83_D9AB_FB41_BD6B)
    key = add_to_hash(key, pool[PLAYED])
    return 1 + (key >> 20) % (len(memo) - PROBES)


@kernel
def is_memoized(pool: list[int], memo: list[list[int]]) -> bool:
    """Return whether a pool is known to be lost."""
    place = memo_slot(pool, memo)
    for probe in range(PROBES):
        row = memo[place + probe]
        if row[0] != memo[0][0]:
            return False
        if row[1] == pool[HELD] and row[2] == pool[PLAYED] and row[3] == pool[DRAWN]:
            return True
    return False


@kernel
def memoize(pool: list[int], memo: list[list[int]]) -> None:
    """Store a lost pool if the table has space."""
    place = memo_slot(pool, memo)
    for probe in range(PROBES):
        row = memo[place + probe]
        if row[0] != memo[0][0]:
            row[0] = memo[0][0]
            row[1] = pool[HELD]
            row[2] = pool[PLAYED]
            row[3] = pool[DRAWN]
            return


@kernel
def run_pool(problem: Problem, upcoming: Upcoming, slots: int, pool: list[int]) -> int:
    """Play the pooled game up to its next choice; return the cards that may be discarded, or WON.

    If there is no such card, the game is lost.
    """
    deck, later = upcoming.deck, upcoming.later
    drawn, held, played = pool[DRAWN], pool[HELD], pool[PLAYED]
    size = problem.rules.deck_size
    while True:
        missing = problem.rules.all_cards & ~played
        pace = size - drawn + problem.rules.players - popcount(missing)
        if missing == 0:
            return WON
        if pace < 0:
            return 0
        if drawn == size:
            return WON if missing & ~held == 0 else 0
        playable = held & next_playable(problem, played)
        if playable:
            bit = playable & -playable
            played |= bit
            held ^= bit
        elif pace == 0:
            return 0
        elif popcount(held) >= slots:
            pool[DRAWN], pool[HELD], pool[PLAYED] = drawn, held, played
            return held & later[drawn]
        held |= (1 << deck[drawn]) & later[drawn] & ~played
        drawn += 1
