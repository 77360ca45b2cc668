"""The weights of beams, and which beams are tried.

The weights were found on decks that narrower beams had left open, by an evolution strategy; but
`order` and `double` by a small grid, `n` to `p` by a random search around the others, and `need`
and `lack` by a small grid, except in `q`. For five players the beams stand roughly in the order of
the time that each takes for a deck that it wins and those before it do not.
"""

from __future__ import annotations

from hanabilab.solver.kernels.evaluate import FEATURES, NEED

__all__ = ["WIDEST", "beams_for"]

WIDEST = 2048
"""How many positions the widest beam keeps."""

TABLE = """
             a    b    c    d    e    f    g    h    i    j    k    l    m    n    o    p    q

cards      225  209  144  147  148  114  381  340  375  400  111   88   50   59   94  -10  194
tokens      48   98   14   12   40   10  -42  -19    9   55   35   13   38   50   19  141   64
pace        31   38   -4   22   31   73  -67  -73  -21  -20   77   43   91   81   36  144   37
playable    15   15   23   40   37   18   23   38   31   87   17   41   59   58   27  -29   34
ready       44   46    4   -4  -23  -30    9    0    0   -2   23    6   -7   -1    9  -34    1
stuck        1   12   -7  -28  -25   -6  -23  -23  -67 -123   13    7   -4   11    9  -71   -1
useful      92  120   58   92  107  109  101  145  159  189   22   47   71   66   52   61  121
last       -26  -15  -16  -38  -55  -86   36  -10  -50  -98   11  -16    6    0    1   -6   -7
twice      -42   -7  -28  -22   -9  -13  -72  -60  -63  -86  -59  -46  -55  -59  -47  -54  -11
lives       54   68   37   21   12   23   65   44   71   64   24   40   71   78   39   77   51
waiting     -2   -1   -1   -1    0    1   -3   -2   -1   -3   -1   -3   -2   -2   -5   -6   -5
short     -146 -157  -39  -34  -49  -60  -75 -102 -114 -171  -62  -56 -120 -128  -42 -209  -98
first       -1   -2   -6   -5   -4   -5  -12   -5  -10   -9   -3   -8   -6   -7   -8   -1    9
squares     -2   -1    0   -1   -1    1    5    5    6   10    1   -5   -8   -7   -7  -19   -4
crowd      -15   10  -19  -12  -14  -40 -199 -224 -225 -266  -13  -48  -80 -122  -38  -24   -8
none        40   31  -42  -64  -94 -109 -215 -243 -235 -250    0   26   26   20    2  -19    8
full       -91 -119  -66 -115  -96 -145 -131 -114 -144 -147  -24  -52  -25  -35  -60 -164  -85
tight      -77 -118 -101  -65  -42  -46 -200 -170 -101  -16  -35  -71  -16  -26  -39  -34  -29
order      -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -30  -49  -11 -116  -32
double     -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -15  -10   -4  -42  -16
need       -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -80  -77
lack       -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -60  -98
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


def beams_for(players: int) -> tuple[list[int], list[list[int]]]:
    """Return widths and weights; what was tuned for 2 to 5 players serves other numbers too."""
    letters, *rows = [line.split() for line in TABLE.split("\n") if line]
    table = {name: [*map(int, row)] for name, *row in rows}
    widths, chosen = [], []
    for beam in BEAMS[min(max(players, 2), 5)].split():
        column = letters.index(beam.rstrip("+")[-1])
        weights = [table[feature][column] for feature in FEATURES]
        widths.append(int(beam.rstrip("+")[:-1]))
        chosen.append(weights if beam.endswith("+") else [*weights[:NEED], 0, 0])
    return widths, chosen
