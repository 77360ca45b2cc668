"""hanabilab count: how many decks of a composition can be won."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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

X1 X2 … Xk say how many cards of rank 1, 2, … k there are. A deck is won if all ranks of all suits
are played. The game is that of van den Bergh 2015: N cards and m in hand make N - m + 1 turns, one
of them after the last draw; with fewer than m cards there is none. Without any counts there is one
deck, the empty one, and it is won; with a count of 0 none is.
"""

SAFE_INTEGER = 2**53
"""The first whole number that JSON readers may take for its neighbour."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "counts", nargs="*", metavar="X", help="cards of rank 1, 2, …; suits are divided by /"
    )
    parser.add_argument("--hand", type=int, default=1, metavar="M", help="hand size, default 1")
    parser.add_argument(
        "--suits", type=int, default=1, metavar="S", help="this many suits of these counts"
    )
    parser.add_argument(
        "--scores", action="store_true", help="also how many decks have which best score"
    )
    parser.add_argument(
        "--no-end", action="store_true", help="the empty draw pile does not end the game"
    )
    parser.add_argument(
        "--states",
        type=int,
        metavar="N",
        help="give up beyond N states of the count, default 1,000,000: some minutes",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.lab.progress import progress_bar
    from hanabilab.theory.counting import STATES, count_decks, score_distribution

    suits = read_suits(arguments.counts, arguments.suits)
    sys.set_int_max_str_digits(0)  # exact means all digits
    options: dict[str, Any] = {
        "hand": arguments.hand,
        "deck_ends": not arguments.no_end,
        "states": STATES if arguments.states is None else arguments.states,
    }
    scores = None
    with progress_bar("count", None) as report:
        found = count_decks(*suits, report=report, **options)
        if arguments.scores:
            scores = score_distribution(*suits, report=report, **options)
    if arguments.json:
        data = count_as_json(found, scores)
        print_json({**data, "deck_ends": False} if arguments.no_end else data)
    else:
        _print_text(found, scores, arguments)


def read_suits(words: Sequence[str], times: int = 1) -> list[list[int]]:
    """Counts as they stand on the command line, suits divided by `/`."""
    suits: list[list[int]] = [[]]
    for word in " ".join(words).replace("/", " / ").replace(",", " ").split():
        if word == "/":
            suits.append([])
            continue
        try:
            suits[-1].append(int(word))
        except ValueError:
            raise TheoryError(f"count {word!r} is not a whole number") from None
    if times < 1:
        raise TheoryError(f"--suits: {times} is not at least 1")
    return suits * times


def count_as_json(found: DeckCount, scores: list[int] | None) -> dict[str, Any]:
    """A count as plain data."""
    one_suit = len(found.suits) == 1
    data: dict[str, Any] = {
        "counts": list(found.suits[0]) if one_suit else [list(suit) for suit in found.suits],
        "hand": found.hand,
        "playable": _whole(found.playable),
        "unplayable": _whole(found.unplayable),
        "total": _whole(found.total),
        "fraction": float(found.fraction),
    }
    if scores is not None:
        data["scores"] = [_whole(number) for number in scores]
    return data


def _whole(number: int) -> int | str:
    """A number that every JSON reader gets right: as text if it is large."""
    return number if number <= SAFE_INTEGER else str(number)


def _print_text(found: DeckCount, scores: list[int] | None, arguments: argparse.Namespace) -> None:
    from hanabilab.cli.output import print_table

    counts = " / ".join(" ".join(map(str, suit)) for suit in found.suits)
    cards = sum(map(sum, found.suits))
    end = ", no end" if arguments.no_end else ""
    print(f"counts {counts or 'none'}: {cards} cards, {found.hand} in hand{end}")
    print()
    rows = [
        ["playable", f"{found.playable:,}", f"{float(found.fraction):.10g}"],
        ["unplayable", f"{found.unplayable:,}", f"{float(1 - found.fraction):.10g}"],
        ["total", f"{found.total:,}", "1"],
    ]
    print_table(rows)
    if scores is not None:
        print()
        rows = [["best score", "decks", "fraction"]]
        for score, number in enumerate(scores):
            rows.append([str(score), f"{number:,}", f"{number / found.total:.10g}"])
        print_table(rows)
