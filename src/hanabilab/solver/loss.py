"""Proofs that a position cannot be won: sound in every case, silent where they find nothing.

Each one plays an easier game and shows that even that is lost.
"""

from __future__ import annotations

from hanabilab.core.bits import popcount
from hanabilab.core.kernel import kernel
from hanabilab.solver.node import Node, Problem

__all__ = ["NOT_PROVED", "pace_lost", "pooled_lost"]

NOT_PROVED = -1
NEW, WON = -2, -1


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

    A card that can never be played counts for a draw beyond the end: it has no copy left, or only
    the last card of the deck, whose drawer takes the last turn of the game, when nothing can
    follow it.
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
                    more = rank + 1 < problem.ranks and not (node.played >> (card + 1)) & 1
                    if draws == problem.deck_size and more:
                        draws += 1
                earliest[draws] += 1


@kernel
def pooled_lost(
    problem: Problem,
    node: Node,
    deck: list[int],
    later: list[int],
    frames: list[list[int]],
    limit: int,
) -> int:
    """How many positions of the pooled game it took to show that it is lost, or NOT_PROVED.

    In the pooled game all hands are one, and passes and discards cost nothing but the draw. There
    a playable card is best played at once and a useless one discarded before a useful one, so
    that the only choice is which useful card to give up when all of them are useful and none is
    playable. A won game maps to a won pooled game: make the same plays and discards.
    """
    room = 0
    for player in range(problem.players):
        room += (node.counts >> (4 * player)) & 15
    if node.turns_left >= 0 or not problem.deck_ends:
        return NOT_PROVED
    held = 0
    for player in range(problem.players):
        held |= node.held[player]
    frames[0][0] = node.drawn
    frames[0][1] = held
    frames[0][2] = node.played
    frames[0][3] = NEW
    depth = 0
    positions = 0
    while depth >= 0:
        frame = frames[depth]
        if frame[3] == NEW:
            positions += 1
            if positions > limit:
                return NOT_PROVED
            frame[3] = run_pool(problem, deck, later, room, frame)
            if frame[3] == WON:
                return NOT_PROVED
        choices = frame[3]
        if choices == 0 or depth + 1 == len(frames):
            if choices != 0:
                return NOT_PROVED
            depth -= 1
            continue
        bit = choices & -choices
        frame[3] = choices ^ bit
        child = frames[depth + 1]
        drawn = frame[0]
        child[0] = drawn + 1
        child[1] = (frame[1] & ~bit) | ((1 << deck[drawn]) & ~frame[2])
        child[2] = frame[2]
        child[3] = NEW
        depth += 1
    return positions


@kernel
def run_pool(
    problem: Problem, deck: list[int], later: list[int], room: int, frame: list[int]
) -> int:
    """Play the pooled game up to its next choice: the cards that may be given up, or WON.

    No card to give up means lost.
    """
    drawn, held, played = frame[0], frame[1], frame[2]
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
            frame[0], frame[1], frame[2] = drawn, held, played
            return held & later[drawn]
        held |= (1 << deck[drawn]) & ~played
        drawn += 1
