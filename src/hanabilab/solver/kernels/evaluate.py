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
walk      turns between the plays of all cards of one suit, by who holds them
need      hint tokens that the endgame needs
lack      how many of those are missing

The weights were found on decks that narrower beams had left open, by an evolution strategy; but
`order` and `double` by a small grid, `n` to `p` by a random search around the others, `need` and
`lack` by a small grid, except in `q`, and `walk` by a small grid, except with `r`. For five players
the beams stand roughly in the order of the time that each takes for a deck that it wins and those
before it do not.
"""

from __future__ import annotations

import re

from hanabilab.core.bits import lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.solver.kernels.node import (
    Node,
    Problem,
    Upcoming,
    needed_cards,
    turns_for_plays,
)

__all__ = [
    "FEATURES",
    "LACK",
    "MAX_VALUE",
    "NEED",
    "WIDEST",
    "add_value",
    "beams_for",
    "evaluate",
    "evaluate_cards",
]

FEATURES = (
    *("cards", "tokens", "pace", "playable", "ready", "stuck", "useful", "last", "twice", "lives"),
    *("waiting", "short", "first", "squares", "crowd", "none", "full", "tight"),
    *("order", "double", "walk", "need", "lack"),
)
"""The order of the features among the weights."""
CARDS, TOKENS, PACE, PLAYABLE, READY, STUCK, USEFUL, LAST, TWICE, LIVES = range(10)
WAITING, SHORT, FIRST, SQUARES, CROWD, NONE, FULL, TIGHT = range(10, 18)
ORDER, DOUBLE, WALK, NEED, LACK = range(18, 23)

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
    all_but_last_suit = problem.rules.all_cards >> problem.rules.ranks
    ahead = upcoming.coming[node.drawn]
    for _ in range(problem.rules.suits):
        gap = missing & suit
        if gap:
            bit = gap & -gap
            distance = min(ahead[lowest(gap)] - node.drawn, LONG_WAIT)
            waiting += distance * popcount(held_any & suit & -bit)
            first_wait += distance
        suit = (suit & all_but_last_suit) << problem.rules.ranks
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
        value += weights[ORDER] * turns_out_of_order(problem, node, problem.late & held_any)
        double = 0
        for player in range(problem.rules.players):
            double += max(0, popcount(node.held[player] & problem.late) - 1)
        value += weights[DOUBLE] * double
    if weights[WALK]:
        value += weights[WALK] * turns_out_of_order(problem, node, held_any)
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
    """Return how many turns pass between the plays of these cards of a suit, by who holds them."""
    upper = held & held << 1 & ~problem.rules.rank_pattern
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


WIDEST = 2048
"""How many positions the widest beam keeps."""

WEIGHTS = """
             a    b    c    d    e    f    g    h    i    j    k    l    m    n    o    p    q    r

cards      225  209  144  147  148  114  381  340  375  400  111   88   50   59   94  -10  194   97
tokens      48   98   14   12   40   10  -42  -19    9   55   35   13   38   50   19  141   64   61
pace        31   38   -4   22   31   73  -67  -73  -21  -20   77   43   91   81   36  144   37  133
playable    15   15   23   40   37   18   23   38   31   87   17   41   59   58   27  -29   34   34
ready       44   46    4   -4  -23  -30    9    0    0   -2   23    6   -7   -1    9  -34    1    0
stuck        1   12   -7  -28  -25   -6  -23  -23  -67 -123   13    7   -4   11    9  -71   -1  -21
useful      92  120   58   92  107  109  101  145  159  189   22   47   71   66   52   61  121  144
last       -26  -15  -16  -38  -55  -86   36  -10  -50  -98   11  -16    6    0    1   -6   -7    0
twice      -42   -7  -28  -22   -9  -13  -72  -60  -63  -86  -59  -46  -55  -59  -47  -54  -11  -71
lives       54   68   37   21   12   23   65   44   71   64   24   40   71   78   39   77   51   15
waiting     -2   -1   -1   -1    0    1   -3   -2   -1   -3   -1   -3   -2   -2   -5   -6   -5   -6
short     -146 -157  -39  -34  -49  -60  -75 -102 -114 -171  -62  -56 -120 -128  -42 -209  -98   82
first       -1   -2   -6   -5   -4   -5  -12   -5  -10   -9   -3   -8   -6   -7   -8   -1    9   -3
squares     -2   -1    0   -1   -1    1    5    5    6   10    1   -5   -8   -7   -7  -19   -4   -5
crowd      -15   10  -19  -12  -14  -40 -199 -224 -225 -266  -13  -48  -80 -122  -38  -24   -8 -157
none        40   31  -42  -64  -94 -109 -215 -243 -235 -250    0   26   26   20    2  -19    8   -5
full       -91 -119  -66 -115  -96 -145 -131 -114 -144 -147  -24  -52  -25  -35  -60 -164  -85  -83
tight      -77 -118 -101  -65  -42  -46 -200 -170 -101  -16  -35  -71  -16  -26  -39  -34  -29  -12
order      -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -49  -11 -116  -32  -66
double     -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -10   -4  -42  -16  -25
need       -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -77  -80
lack       -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -98  -60
"""
"""The weights of the features (`evaluate.FEATURES`); each column has a letter."""

BEAMS = {
    2: "1a 8b 32b 128b 512b 128b+ 512b+ 2048b+",
    3: "1c 8d 32e 128f 512f 128e+ 512e+ 2048e+",
    4: "1g 8h 32i 128j 512j 128j+ 512j+ 2048j+",
    5: "1k 8l 32m 128p 128o 32q+ 128q 512n 128n+ 512q+ 2048o 2048q 2048p",
}
"""The beams for these numbers of players, in order: width and weights, and a + if the beam looks at
the endgame.
"""
TIGHT_BEAMS = {
    6: "1k 8l 32m 32r9 32o12 32m20 128o 128p 128q 128l16 128q20+ 512m20 512n 2048r9",
}
"""The beams where few turns are to spare after the deal. A number after the weights is the weight
of `walk`, below 0; beams without one do not look at it. They stand in the order of the time that
each takes for a deck that it wins and those before it do not, with six players and two dark suits.
"""
FEW_TURNS = 8
"""With at most this many spare turns, the beams of tight games are used."""
BEAM = re.compile(r"(?P<width>\d+)(?P<column>[a-z])(?P<walk>\d*)(?P<need>\+?)")


def beams_for(players: int, spare: int) -> tuple[list[int], list[list[int]]]:
    """Return widths and weights for a number of players and of turns to spare after the deal.

    What was tuned for 2 to 5 players serves other numbers, too.
    """
    tight = TIGHT_BEAMS.get(players) if spare <= FEW_TURNS else None
    widths, chosen = [], []
    for beam in BEAM.finditer(tight or BEAMS[min(max(players, 2), 5)]):
        widths.append(int(beam["width"]))
        chosen.append(_weights_of(beam["column"], int(beam["walk"] or 0), bool(beam["need"])))
    return widths, chosen


def _weights_of(letter: str, walk: int, need: bool) -> list[int]:
    """Return a column of weights, with that of `walk`, and with what endgames need or without."""
    letters, *rows = [line.split() for line in WEIGHTS.split("\n") if line]
    column = 1 + letters.index(letter)
    table = {row[0]: int(row[column]) for row in rows}
    table["walk"] = -walk
    if not need:
        table["need"] = table["lack"] = 0
    return [table[feature] for feature in FEATURES]
