"""hanabilab sequence: decide whether a single player can win a deck."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hanabilab.cli.common import add_json_argument, print_json
from hanabilab.errors import TheoryError

if TYPE_CHECKING:
    from hanabilab.theory.judgement import Judgement

SUMMARY = "Decide whether a deck can be won by a single player who sees everything, and how."
EXAMPLES = """\
  hanabilab sequence 4 2 3 1 3 2 1 1 --goal 4 --hand 2 --explain   Example 3.30 of the thesis
  hanabilab sequence r2 r1 y3 y1 r3 y2 r1 --goal 4 --hand 2 --explain              Example 3.37
  hanabilab sequence 4 3 2 1 1 1 1 --hand 4                        Example 3.11
  hanabilab sequence 2 1 --hand 2 --no-end                         Keßler's solitaire, 1 stored

Cards are ranks, for a single suit, or a letter and a rank: r1 y5. The goal is a number of points,
by default all ranks of all suits up to the highest card. --explain follows Algorithm 3.29 or 3.36
of van den Bergh 2015 step by step. With --no-end the empty draw pile does not end the game: that is
the solitaire of Keßler 2025, with one stored card less than the hand size.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
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


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.formats.deck_text import read_sequence
    from hanabilab.lab.progress import progress_bar
    from hanabilab.theory.judgement import all_points, judge_sequence, judge_solitaire

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
        _print_text(found, names)


def _print_text(found: Judgement, names: Sequence[str]) -> None:
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
