"""Proofs that a position cannot be won: sound in every case, silent where they find nothing.

Each one plays an easier game and shows that even that is lost.
"""

from __future__ import annotations

from hanabilab.core.bits import LOW_62, multiply, popcount
from hanabilab.core.kernel import kernel
from hanabilab.solver.kernels.node import Node, Problem, count_of_hand

__all__ = ["MEMO_ROWS", "MEMO_WORDS", "NOT_PROVED", "pace_lost", "pooled_lost"]

NOT_PROVED = -1
DRAWN, HELD, PLAYED, CHOICES = range(4)
"""What is known of a pool; its choices are the useful cards that may be given up."""
NEW, WON = -2, -1
MEMO_ROWS, MEMO_WORDS = 1 << 12, 4
PROBES = 8


@kernel
def next_playable(problem: Problem, played: int) -> int:
    """The cards that fit on these fireworks."""
    return (played << 1 & ~problem.lowest | problem.lowest) & problem.all_cards & ~played


@kernel
def pace_lost(problem: Problem, node: Node, coming: list[list[int]], earliest: list[int]) -> int:
    """The first cut at which too many cards are still to come, or NOT_PROVED.

    A card cannot be played before it, and every lower card of its suit, has been drawn. After
    `i` of the remaining cards are drawn, at most one card is played for each later draw and one
    in each of the turns of the last round: if more than that number cannot have been played
    before, the position is lost (solver.md calls it pace by cut; Keßler 2025, Corollary 5.3).
    """
    if not problem.deck_ends:
        return NOT_PROVED
    size = problem.deck_size
    if node.turns_left >= 0:
        late = node.turns_left < popcount(problem.all_cards & ~node.played)
        return node.drawn if late else NOT_PROVED
    for place in range(node.drawn, size + 2):
        earliest[place] = 0
    count_earliest(problem, node, coming, earliest)
    waiting = 0
    for place in range(size + 1, node.drawn - 1, -1):
        waiting += earliest[place]
        plays = size - place + problem.players if place <= size else 0
        if waiting > plays:
            return place
    return NOT_PROVED


@kernel
def count_earliest(
    problem: Problem, node: Node, coming: list[list[int]], earliest: list[int]
) -> None:
    """Count the needed cards by how many cards must have been drawn before they can be played.

    A card that does not come any more counts for a draw beyond the end.
    """
    held = 0
    for player in range(problem.players):
        held |= node.held[player]
    ahead = coming[node.drawn]
    for suit in range(problem.suits):
        draws = node.drawn
        for rank in range(problem.ranks):
            card = suit * problem.ranks + rank
            if not (node.played >> card) & 1:
                if not (held >> card) & 1:
                    draws = max(draws, ahead[card] + 1)
                earliest[draws] += 1


@kernel
def pooled_lost(
    problem: Problem,
    node: Node,
    deck: list[int],
    later: list[int],
    pools: list[list[int]],
    memo: list[list[int]],
    limit: int,
) -> int:
    """How many positions of the pooled game it took to show that it is lost, or NOT_PROVED.

    In the pooled game all hands are one, and passes and discards cost nothing but the draw. There
    a playable card is best played at once and a useless one discarded before a useful one, so
    that the only choice is which useful card to give up when all of them are useful and none is
    playable. A won game maps to a won pooled game: make the same plays and discards.

    `memo` keeps the lost pools of this deck, whose number stands in its first row.
    """
    if node.turns_left >= 0 or not problem.deck_ends:
        return NOT_PROVED
    room = 0
    pools[0][HELD] = 0
    for player in range(problem.players):
        room += count_of_hand(node, player)
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
            pool[CHOICES] = run_pool(problem, deck, later, room, pool)
            if pool[CHOICES] == WON:
                return NOT_PROVED
            if pool[CHOICES] == 0 or is_noted(pool, memo):
                depth -= 1
                continue
        if pool[CHOICES] == 0:
            note(pool, memo)
            depth -= 1
        else:
            give_up(deck, later, pool, pools[depth + 1])
            depth += 1
    return positions


@kernel
def give_up(deck: list[int], later: list[int], pool: list[int], child: list[int]) -> None:
    """Give up the next choice, and draw."""
    bit = pool[CHOICES] & -pool[CHOICES]
    pool[CHOICES] ^= bit
    drawn = pool[DRAWN]
    child[DRAWN] = drawn + 1
    child[HELD] = (pool[HELD] & ~bit) | ((1 << deck[drawn]) & later[drawn] & ~pool[PLAYED])
    child[PLAYED] = pool[PLAYED]
    child[CHOICES] = NEW


@kernel
def place_of(pool: list[int], memo: list[list[int]]) -> int:
    """Where in the memo to look for a pool first."""
    key = multiply(pool[HELD] ^ (pool[DRAWN] << 55), 0x1F83_D9AB_FB41_BD6B)
    key = multiply((key ^ (key >> 29)) + pool[PLAYED] & LOW_62, 0x1E37_79B9_7F4A_7C15)
    return 1 + (key >> 20) % (len(memo) - PROBES)


@kernel
def is_noted(pool: list[int], memo: list[list[int]]) -> bool:
    """Is this pool known to be lost?"""
    place = place_of(pool, memo)
    for probe in range(PROBES):
        row = memo[place + probe]
        if row[0] != memo[0][0]:
            return False
        if row[1] == pool[HELD] and row[2] == pool[PLAYED] and row[3] == pool[DRAWN]:
            return True
    return False


@kernel
def note(pool: list[int], memo: list[list[int]]) -> None:
    """Note a lost pool, if there is room."""
    place = place_of(pool, memo)
    for probe in range(PROBES):
        row = memo[place + probe]
        if row[0] != memo[0][0]:
            row[0] = memo[0][0]
            row[1] = pool[HELD]
            row[2] = pool[PLAYED]
            row[3] = pool[DRAWN]
            return


@kernel
def run_pool(
    problem: Problem, deck: list[int], later: list[int], room: int, pool: list[int]
) -> int:
    """Play the pooled game up to its next choice: the cards that may be given up, or WON.

    No card to give up means lost.
    """
    drawn, held, played = pool[DRAWN], pool[HELD], pool[PLAYED]
    size = problem.deck_size
    while True:
        missing = problem.all_cards & ~played
        pace = size - drawn + problem.players - popcount(missing)
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
        elif popcount(held) >= room:
            pool[DRAWN], pool[HELD], pool[PLAYED] = drawn, held, played
            return held & later[drawn]
        held |= (1 << deck[drawn]) & later[drawn] & ~played
        drawn += 1
