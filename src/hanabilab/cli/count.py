"""hanabilab count: count the decks of a composition that can be won."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from hanabilab.cli.common import add_json_argument, print_json
from hanabilab.errors import TheoryError

if TYPE_CHECKING:
    from hanabilab.theory.counting import DeckCount

SUMMARY = "Count the decks that a single player who sees everything can win, exactly."
EXAMPLES = """\
  hanabilab count 3 2 2 2 1                     one suit, one card in hand
  hanabilab count 3 2 2 2 1 --hand 5
  hanabilab count 4 4 4 4 4 4 4 4 4 4 4 4 4     ace to king in a shuffled pack of 52
  hanabilab count 2 2 2 / 2 2 2 --hand 3        two suits
  hanabilab count 2 2 2 --suits 2 --hand 3      the same
  hanabilab count 3 2 2 2 1 --hand 2 --scores   the best score of every deck
  hanabilab count 1 1 --no-end                  the game goes on without a draw pile

X1 X2 … Xk are the numbers of cards of rank 1, 2, … k. A deck is won if all ranks of all suits are
played. The game is that of van den Bergh 2015: N cards and a hand of m make N - m + 1 turns, one of
them after the last draw; with fewer than m cards there are none. With a count of 0 no deck is won.
"""

USAGE = """\
usage: hanabilab count X1 X2 … Xk [--hand M] [--suits S] [--scores] [--no-end] [--json]

Give the numbers of cards of rank 1, 2, … k: hanabilab count 3 2 2 2 1 --hand 5
See hanabilab count --help"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "counts", nargs="*", metavar="X", help="cards of rank 1, 2, …; / between suits"
    )
    parser.add_argument("--hand", type=int, default=1, metavar="M", help="hand size, default 1")
    parser.add_argument(
        "--suits", type=int, default=1, metavar="S", help="this many suits of these counts"
    )
    parser.add_argument(
        "--scores", action="store_true", help="also count the decks by their best score"
    )
    parser.add_argument(
        "--no-end", action="store_true", help="the empty draw pile does not end the game"
    )
    parser.add_argument(
        "--states",
        type=int,
        metavar="N",
        help="give up beyond N states, default 1,000,000: a few minutes",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    if not arguments.counts and not arguments.json:
        print(USAGE, file=sys.stderr)
        return 2
    found = _count(arguments)
    if arguments.json:
        data = found.to_dict()
        print_json({**data, "deck_ends": False} if arguments.no_end else data)
    else:
        _print_text(found, arguments)
    return 0


def _count(arguments: argparse.Namespace) -> DeckCount:
    from hanabilab.checks import whole_number
    from hanabilab.formats.deck_text import read_counts
    from hanabilab.lab.progress import progress_bar
    from hanabilab.theory.counting import STATES, count_decks
    from hanabilab.theory.deck_counter import TooManyStatesError
    from hanabilab.theory.sequences import MAX_CARDS

    suits = read_counts(" ".join(arguments.counts))
    size = sum(len(suit) + sum(map(abs, suit)) for suit in suits)
    most = max(1, MAX_CARDS // max(1, size))
    suits *= whole_number("--suits", arguments.suits, 1, most, error=TheoryError)
    sys.set_int_max_str_digits(0)  # exact means all digits
    try:
        with progress_bar("count", None) as report:
            return count_decks(
                *suits,
                hand=arguments.hand,
                deck_ends=not arguments.no_end,
                states=STATES if arguments.states is None else arguments.states,
                scores=arguments.scores,
                report=report,
            )
    except TooManyStatesError as error:
        raise TheoryError(f"{error}; --states allows more") from None


def _print_text(found: DeckCount, arguments: argparse.Namespace) -> None:
    from hanabilab.cli.output import print_table

    counts = " / ".join(" ".join(map(str, suit)) for suit in found.suits)
    cards = sum(map(sum, found.suits))
    end = ", no end" if arguments.no_end else ""
    print(f"counts {counts or 'none'}: {cards} cards, {found.hand} in hand{end}")
    print()
    rows = [
        ["playable", *_cells(found.playable, found.total)],
        ["unplayable", *_cells(found.unplayable, found.total)],
        ["total", *_cells(found.total, found.total)],
    ]
    print_table(rows)
    if found.scores is not None:
        print()
        rows = [["best score", "decks", "", "fraction"]]
        rows += [[str(score), *_cells(n, found.total)] for score, n in enumerate(found.scores)]
        print_table(rows)


def _cells(decks: int, total: int) -> list[str]:
    """Return a number of decks, and what part of all decks it is: as a decimal and exactly."""
    from fractions import Fraction

    part = Fraction(decks, total)
    return [f"{decks:,}", f"{float(part):.10g}", str(part)]
