"""What beams value a position by: the sum of these features, weighted.

cards     cards played
tokens    hint tokens
pace      turns to spare, up to 12
playable  playable cards in hands
ready     players with a playable card
stuck     players with needed cards only, none of them playable
useful    needed cards in hands
last      cards in hands that do not come again
twice     cards in two hands
lives     lives
waiting   draws until the next missing card of a suit, for each card in hands that waits for it
short     stuck players beyond the hint tokens
first     draws until the next missing card of a suit
squares   squares of the numbers of needed cards in the hands
crowd     needed cards beyond one a player, more than there are draws
none      whether there is no hint token
full      whether all hint tokens are there
tight     how far the pace is below 2
order     turns between the plays of late cards of one suit, by who holds them
double    late cards beyond one in a hand

The weights were found on decks that all narrower beams had left open: by an evolution strategy, but
`order` and `double` by a small grid, and the beams of 512 and more with five players by a random
search around the others.
"""

from __future__ import annotations

__all__ = ["WIDEST", "beams_for"]

WIDEST = 2048
"""How many positions the last beam keeps."""

TABLE = """
players      2    2    3    3    3    3    4    4    4    4    5    5    5    5    5    5    5    5
width        1    8    1    8   32  128    1    8   32  128    1    8   32  128  512  512  512 2048

cards      225  209  144  147  148  114  381  340  375  400  111   88   50   40   59   94  -10    6
tokens      48   98   14   12   40   10  -42  -19    9   55   35   13   38   58   50   19  141   65
pace        31   38   -4   22   31   73  -67  -73  -21  -20   77   43   91  100   81   36  144  113
playable    15   15   23   40   37   18   23   38   31   87   17   41   59   32   58   27  -29    5
ready       44   46    4   -4  -23  -30    9    0    0   -2   23    6   -7   12   -1    9  -34   35
stuck        1   12   -7  -28  -25   -6  -23  -23  -67 -123   13    7   -4  -32   11    9  -71  -26
useful      92  120   58   92  107  109  101  145  159  189   22   47   71   65   66   52   61   82
last       -26  -15  -16  -38  -55  -86   36  -10  -50  -98   11  -16    6   -7    0    1   -6  -33
twice      -42   -7  -28  -22   -9  -13  -72  -60  -63  -86  -59  -46  -55  -65  -59  -47  -54  -20
lives       54   68   37   21   12   23   65   44   71   64   24   40   71   56   78   39   77   66
waiting     -2   -1   -1   -1    0    1   -3   -2   -1   -3   -1   -3   -2   -2   -2   -5   -6   -4
short     -146 -157  -39  -34  -49  -60  -75 -102 -114 -171  -62  -56 -120 -105 -128  -42 -209   13
first       -1   -2   -6   -5   -4   -5  -12   -5  -10   -9   -3   -8   -6  -10   -7   -8   -1  -12
squares     -2   -1    0   -1   -1    1    5    5    6   10    1   -5   -8  -14   -7   -7  -19  -15
crowd      -15   10  -19  -12  -14  -40 -199 -224 -225 -266  -13  -48  -80  -72 -122  -38  -24 -112
none        40   31  -42  -64  -94 -109 -215 -243 -235 -250    0   26   26  -26   20    2  -19    9
full       -91 -119  -66 -115  -96 -145 -131 -114 -144 -147  -24  -52  -25  -53  -35  -60 -164  -11
tight      -77 -118 -101  -65  -42  -46 -200 -170 -101  -16  -35  -71  -16  -59  -26  -39  -34  -76
order      -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -49  -11 -116 -244
double     -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -10   -4  -42  -28
"""
"""The beams, one after the other; then ever wider ones with the last weights."""


def beams_for(players: int) -> tuple[list[int], list[list[int]]]:
    """Widths and weights; what was tuned for 2 to 5 players serves other numbers too."""
    lines = [line.split()[1:] for line in TABLE.split("\n") if line]
    nearest = min(max(players, 2), 5)
    beams = [
        [int(number) for number in column]
        for column in zip(*lines, strict=True)
        if int(column[0]) == nearest
    ]
    while beams[-1][1] < WIDEST:
        beams.append([nearest, min(4 * beams[-1][1], WIDEST), *beams[-1][2:]])
    return [beam[1] for beam in beams], [beam[2:] for beam in beams]
