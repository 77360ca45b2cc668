"""hanabilab count, sequence: decks that a single player can win."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hanabilab.cli.arguments import add_json_argument, add_save_exact_argument
from hanabilab.cli.output import print_json, print_table
from hanabilab.cli.parser import Command
from hanabilab.errors import TheoryError

if TYPE_CHECKING:
    from hanabilab.lab.exact_table import ExactTable
    from hanabilab.theory.counting import DeckCount
    from hanabilab.theory.solitaire import Judgement


COUNT_SUMMARY = "Count the decks that a single player who sees everything can win, exactly."
COUNT_EXAMPLES = """\
  hanabilab count 3 2 2 2 1                     one suit, one card in hand
  hanabilab count 3 2 2 2 1 --hand 5
  hanabilab count 4 4 4 4 4 4 4 4 4 4 4 4 4     ace to king in a shuffled pack of 52
  hanabilab count 2 2 2 / 2 2 2 --hand 3        two suits
  hanabilab count 2 2 2 --suits 2 --hand 3      the same
  hanabilab count 3 2 2 2 1 --hand 2 --scores   the best score of every deck
  hanabilab count 1 1 --no-end                  the game goes on without a draw pile
  hanabilab count 3 2 2 2 1 --hand 1-5          a table over hand sizes; also --suits 1,2
  hanabilab count 3 2 2 2 1 --hand 1-5 --save table.tex

X1 X2 … Xk are the numbers of cards of rank 1, 2, … k. A deck is won if all ranks of all suits are
played. The game is that of van den Bergh 2015: N cards and a hand of m make N - m + 1 turns, one of
them after the last draw; with fewer than m cards there are none. With a count of 0 no deck is won.
"""

COUNT_USAGE = """\
usage: hanabilab count X1 X2 … Xk [--hand M] [--suits S] [--scores] [--no-end] [--json]
                       [--save FILE]

Give the numbers of cards of rank 1, 2, … k: hanabilab count 3 2 2 2 1 --hand 5
See hanabilab count --help"""


def add_count_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "counts", nargs="*", metavar="X", help="cards of rank 1, 2, …; / between suits"
    )
    parser.add_argument(
        "--hand", default="1", metavar="M", help="hand size, or a range such as 1-5; default 1"
    )
    parser.add_argument(
        "--suits", default="1", metavar="S", help="this many suits of these counts, or a range"
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
    add_save_exact_argument(parser)
    add_json_argument(parser)


def run_count(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    if not arguments.counts and not arguments.json:
        print(COUNT_USAGE, file=sys.stderr)
        return 2
    from hanabilab.lab.exact_table import check_exact_file

    check_exact_file(arguments.save)
    suits, hands = _read_ranges(arguments)
    sys.set_int_max_str_digits(0)  # exact means all digits
    found = [_count(decks, hand, arguments) for decks in suits for hand in hands]
    end = {"deck_ends": False} if arguments.no_end else {}
    data = [{**count.to_dict(), **end} for count in found]
    try:
        if arguments.save:
            _table_of(found, data).save(arguments.save)
    finally:
        if arguments.json:
            print_json(data[0] if len(data) == 1 else data)
        elif len(found) == 1:
            _print_count(found[0], arguments)
        else:
            _print_counts(found, arguments)
    return 0


Suits = list[tuple[int, ...]]


def _read_ranges(arguments: argparse.Namespace) -> tuple[list[Suits], list[int]]:
    """Return the compositions and the hand sizes to count."""
    from hanabilab.formats.deck_text import read_counts, read_numbers
    from hanabilab.theory.sequences import MAX_CARDS

    suits = [tuple(suit) for suit in read_counts(" ".join(arguments.counts))]
    size = sum(len(suit) + sum(map(abs, suit)) for suit in suits)
    most = max(1, MAX_CARDS // max(1, size))
    times = read_numbers("--suits", arguments.suits, 1, most, error=TheoryError)
    hands = read_numbers("--hand", arguments.hand, 1, error=TheoryError)
    return [suits * number for number in times], hands


def _table_of(found: Sequence[DeckCount], data: Sequence[dict[str, object]]) -> ExactTable:
    """Return the counts as a table to save, one row each."""
    from hanabilab.lab.exact_table import ExactTable

    rows = [
        {**entry, "counts": _counts_text(count)} for count, entry in zip(found, data, strict=True)
    ]
    title = "Decks that a single player who sees everything can win"
    return ExactTable(title, data[0] if len(data) == 1 else data, rows)


def _count(suits: Suits, hand: int, arguments: argparse.Namespace) -> DeckCount:
    from hanabilab.lab.progress import progress_bar
    from hanabilab.theory.counting import STATES, TooManyStatesError, count_decks

    try:
        with progress_bar("count", None) as report:
            return count_decks(
                *suits,
                hand=hand,
                deck_ends=not arguments.no_end,
                states=STATES if arguments.states is None else arguments.states,
                scores=arguments.scores,
                report=report,
            )
    except TooManyStatesError as error:
        raise TheoryError(f"{error}; --states allows more") from None


def _print_count(found: DeckCount, arguments: argparse.Namespace) -> None:
    counts = _counts_text(found)
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


def _counts_text(found: DeckCount) -> str:
    return " / ".join(" ".join(map(str, suit)) for suit in found.suits)


def _print_counts(found: Sequence[DeckCount], arguments: argparse.Namespace) -> None:
    """Print a line for each hand size and number of suits."""
    print("decks that can be won" + (", no end" if arguments.no_end else ""))
    print()
    rows = [["counts", "hand", "playable", "fraction", "", "total"]]
    rows += [
        [
            _counts_text(count),
            str(count.hand),
            *_cells(count.playable, count.total),
            f"{count.total:,}",
        ]
        for count in found
    ]
    print_table(rows)


def _cells(decks: int, total: int) -> list[str]:
    """Return a number of decks and its share of all decks, as a decimal and exactly."""
    from fractions import Fraction

    part = Fraction(decks, total)
    return [f"{decks:,}", f"{float(part):.10g}", str(part)]


SEQUENCE_SUMMARY = (
    "Decide whether a deck can be won by a single player who sees everything, and how."
)


SEQUENCE_EXAMPLES = """\
  hanabilab sequence 4 2 3 1 3 2 1 1 --goal 4 --hand 2 --explain   Example 3.30 of the thesis
  hanabilab sequence r2 r1 y3 y1 r3 y2 r1 --goal 4 --hand 2 --explain              Example 3.37
  hanabilab sequence 4 3 2 1 1 1 1 --hand 4                        Example 3.11
  hanabilab sequence 2 1 --hand 2 --no-end                         Keßler's solitaire, 1 stored

Cards are ranks, for a single suit, or a letter and a rank: r1 y5. The goal is a number of points,
by default all ranks of all suits up to the highest card. --explain follows Algorithm 3.29 or 3.36
of van den Bergh 2015 step by step. With --no-end the empty draw pile does not end the game: that is
the solitaire of Keßler 2025, with one stored card less than the hand size.
"""


def add_sequence_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("cards", nargs="*", metavar="CARD", help="the deck, first card first")
    parser.add_argument("--goal", type=int, metavar="K", help="points to score, default all")
    parser.add_argument("--hand", type=int, default=1, metavar="M", help="hand size, default 1")
    parser.add_argument(
        "--explain", action="store_true", help="show every step of the thesis' algorithm"
    )
    parser.add_argument(
        "--no-end", action="store_true", help="the empty draw pile does not end the game"
    )
    add_json_argument(parser)


def run_sequence(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.formats.deck_text import read_sequence
    from hanabilab.lab.progress import progress_bar
    from hanabilab.theory.solitaire import all_points, judge_sequence, judge_solitaire

    cards, names = read_sequence(" ".join(arguments.cards))
    goal, hand = arguments.goal, arguments.hand
    with progress_bar("sequence", None) as report:
        if not arguments.no_end:
            found = judge_sequence(cards, goal, hand, explain=arguments.explain, report=report)
        elif goal not in (None, all_points(cards)) or arguments.explain:
            raise TheoryError("--no-end plays all cards; it goes without --goal and --explain")
        else:
            found = judge_solitaire(cards, hand, report)
    if arguments.json:
        print_json(found.to_dict(names))
    else:
        _print_judgement(found, names)


def _print_judgement(found: Judgement, names: Sequence[str]) -> None:
    if found.steps:
        print("\n".join([*found.steps, ""]))
    if found.deck_ends:
        verdict = "" if found.is_playable else "not "
        best = "too hard to find" if found.best is None else found.best
        print(f"{verdict}({found.goal}, {found.hand})-playable; best score {best}")
    else:
        won = "won" if found.is_playable else "lost"
        print(f"{won} with room for {found.hand - 1} stored cards beside the one just drawn")
    if found.line:
        print(", ".join(f"{turn['action']} {turn['card']}" for turn in found.named_line(names)))


COMMANDS = {
    "count": Command(COUNT_SUMMARY, COUNT_EXAMPLES, add_count_arguments, run_count),
    "sequence": Command(SEQUENCE_SUMMARY, SEQUENCE_EXAMPLES, add_sequence_arguments, run_sequence),
}
