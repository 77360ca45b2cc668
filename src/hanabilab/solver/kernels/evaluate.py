"""How promising a position is: a weighted sum of the features that beams look at.

cards     cards played
tokens    hint tokens
pace      turns to spare, up to 12
playable  playable cards in hands
ready     players with a playable card
stuck     players who hold only needed cards, none of them playable
useful    needed cards in hands
last      cards in hands that do not come again
twice     cards held by two players
lives     lives
waiting   draws until the next missing card of a suit, for each card in hands that waits for it
short     stuck players beyond the number of hint tokens
first     draws until the next missing card of a suit
squares   squares of the numbers of needed cards in the hands
crowd     needed cards beyond one per player that outnumber the draws left
none      1 without a hint token
full      1 with all hint tokens
tight     how far the pace is below 2
order     turns between the plays of late cards of one suit, by who holds them
double    late cards beyond the first in a hand
need      hint tokens that the endgame needs
lack      how many of those are missing
"""

from __future__ import annotations

from hanabilab.core.bits import lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.solver.kernels.node import (
    Node,
    Problem,
    needed_cards,
    turns_for_plays,
)
from hanabilab.solver.kernels.upcoming import Upcoming

__all__ = ["FEATURES", "LACK", "MAX_VALUE", "NEED", "add_value", "evaluate", "evaluate_cards"]

FEATURES = (
    *("cards", "tokens", "pace", "playable", "ready", "stuck", "useful", "last", "twice", "lives"),
    *("waiting", "short", "first", "squares", "crowd", "none", "full", "tight"),
    *("order", "double", "need", "lack"),
)
"""The order of the features among the weights."""
CARDS, TOKENS, PACE, PLAYABLE, READY, STUCK, USEFUL, LAST, TWICE, LIVES = range(10)
WAITING, SHORT, FIRST, SQUARES, CROWD, NONE, FULL, TIGHT = range(10, 18)
ORDER, DOUBLE, NEED, LACK = range(18, 22)

MAX_VALUE = 4095
MIDDLE = 1500
"""The value of a position whose sum is 0."""
MANY_TOKENS, MANY_LIVES = 12, 5
"""More than these add nothing, so that unlimited ones leave room for the other features."""
MUCH_PACE, LITTLE_PACE = 12, 2
LONG_WAIT = 24


@kernel
def evaluate_cards(problem: Problem, node: Node, upcoming: Upcoming, weights: list[int]) -> bool:
    """Set what does not depend on hint tokens; return False if the position is certainly lost.

    Beams spend most of their time here: taken apart into smaller kernels, it is a tenth slower.
    """
    needed = needed_cards(problem, node)
    pace = turns_for_plays(problem, node) - needed
    if problem.rules.deck_ends and pace < 0:
        return False
    held_any = 0
    held_twice = 0
    stuck = 0
    ready = 0
    useful = 0
    squares = 0
    crowd = 0
    for player in range(problem.rules.players):
        held = node.held[player]
        held_twice |= held_any & held
        held_any |= held
        size = popcount(held)
        useful += size
        squares += size * size
        crowd += max(0, size - 1)
        if held & node.playable:
            ready += 1
        elif size >= problem.rules.hand_size:
            stuck += 1
    waiting = 0
    first_wait = 0
    missing = problem.rules.all_cards & ~node.played & ~held_any
    suit = (1 << problem.rules.ranks) - 1
    ahead = upcoming.coming[node.drawn]
    for _ in range(problem.rules.suits):
        gap = missing & suit
        if gap:
            bit = gap & -gap
            distance = min(ahead[lowest(gap)] - node.drawn, LONG_WAIT)
            waiting += distance * popcount(held_any & suit & -bit)
            first_wait += distance
        suit <<= problem.rules.ranks
    value = weights[CARDS] * (problem.rules.ranks * problem.rules.suits - needed)
    value += weights[PACE] * min(pace, MUCH_PACE)
    value += weights[PLAYABLE] * popcount(held_any & node.playable)
    value += weights[READY] * ready
    value += weights[STUCK] * stuck
    value += weights[USEFUL] * useful
    value += weights[LAST] * popcount(held_any & ~upcoming.later[node.drawn])
    value += weights[TWICE] * popcount(held_twice)
    value += weights[LIVES] * min(node.lives, MANY_LIVES)
    value += weights[WAITING] * waiting
    value += weights[FIRST] * first_wait
    value += weights[SQUARES] * squares
    value += weights[CROWD] * max(0, crowd - problem.rules.deck_size + node.drawn)
    if pace < LITTLE_PACE:
        value += weights[TIGHT] * (LITTLE_PACE - pace)
    if problem.late:
        value += weights[ORDER] * turns_out_of_order(problem, node, held_any)
        double = 0
        for player in range(problem.rules.players):
            double += max(0, popcount(node.held[player] & problem.late) - 1)
        value += weights[DOUBLE] * double
    node.card_value = value
    node.stuck = stuck
    return True


@kernel
def evaluate(problem: Problem, node: Node, weights: list[int]) -> int:
    """Return a value from 0 to MAX_VALUE, from what the cards contribute and the hint tokens."""
    tokens = min(node.hint_tokens, MANY_TOKENS)
    value = node.card_value + weights[TOKENS] * tokens
    value += weights[SHORT] * max(0, node.stuck - tokens)
    if tokens == 0:
        value += weights[NONE]
    if node.hint_tokens == problem.max_hint_tokens:
        value += weights[FULL]
    return add_value(MIDDLE, value)


@kernel
def add_value(value: int, change: int) -> int:
    """Add a quarter of a weighted sum to a value, within the bounds of values."""
    return max(0, min(MAX_VALUE, value + (change >> 2)))


@kernel
def turns_out_of_order(problem: Problem, node: Node, held: int) -> int:
    """Return how many turns pass between the plays of late cards of a suit, by who holds them."""
    upper = problem.late & held & (problem.late & held) << 1 & ~problem.rules.rank_pattern
    lost = 0
    while upper:
        bit = upper & -upper
        first = 0
        second = 0
        for player in range(problem.rules.players):
            if node.held[player] & bit >> 1:
                first = player
            if node.held[player] & bit:
                second = player
        turns = second - first - 1
        lost += turns if turns >= 0 else turns + problem.rules.players
        upper ^= bit
    return lost
