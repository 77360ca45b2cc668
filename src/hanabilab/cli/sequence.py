"""hanabilab sequence: can this deck be won by a single player?"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hanabilab.cli.common import add_json_argument, print_json
from hanabilab.errors import TheoryError

if TYPE_CHECKING:
    from hanabilab.lab.progress import Report
    from hanabilab.theory.playability import Card

SUMMARY = "Decide whether a deck can be won by a single player who sees everything, and how."
EXAMPLES = """\
  hanabilab sequence 4 2 3 1 3 2 1 1 --goal 4 --hand 2 --explain   Example 3.30 of the thesis
  hanabilab sequence r2 r1 y3 y1 r3 y2 r1 --goal 4 --hand 2 --explain              Example 3.37
  hanabilab sequence 4 3 2 1 1 1 1 --hand 4                        Example 3.11
  hanabilab sequence 2 1 --hand 2 --no-end                         Keßler's solitaire, 1 stored

Cards are ranks for a single suit or a letter and a rank: r1 y5. The goal is the number of points;
by default all ranks of all suits up to the highest card. --explain follows Algorithm 3.29 or 3.36
of van den Bergh 2015 step by step. With --no-end the empty draw pile does not end the game: that
is the solitaire of Keßler 2025, with one stored card less than the hand size.
"""

CARD = re.compile(r"([^-\d])?(-?\d{1,9})")


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
    from hanabilab.theory.counting import check_hand

    cards, names = read_cards(arguments.cards)
    check_hand(arguments.hand)
    everything = all_points(cards)
    goal = everything if arguments.goal is None else arguments.goal
    if goal < 0:
        raise TheoryError(f"--goal: {goal} is negative")
    data: dict[str, Any] = {"cards": names, "goal": goal, "hand": arguments.hand}
    if arguments.no_end:
        data["deck_ends"] = False
    if not arguments.no_end:
        _decide(cards, data, arguments)
    elif goal != everything or arguments.explain:
        raise TheoryError("--no-end plays all cards; it goes without --goal and --explain")
    else:
        _decide_solitaire(cards, data, arguments)


def all_points(cards: Sequence[Card]) -> int:
    """The score with all ranks of all suits up to the highest card."""
    return max([0, *(rank for rank, _ in cards)]) * len({suit for _, suit in cards})


def read_cards(words: Sequence[str]) -> tuple[list[Card], list[str]]:
    """Cards as (rank, suit), and as they were written: all with a suit, or none."""
    from hanabilab.game.names import SUIT_LETTERS

    names = " ".join(words).replace(",", " ").split()
    cards: list[Card] = []
    letters = [CARD.fullmatch(name) for name in names]
    for place, (name, match) in enumerate(zip(names, letters, strict=True), 1):
        if not match:
            raise TheoryError(f"card {place}, {name!r}, is neither a rank nor like r1")
        if letters[0] and bool(match[1]) != bool(letters[0][1]):
            raise TheoryError(f"card {place}, {name!r}: give all cards a suit or none")
        suit = SUIT_LETTERS.find(match[1]) if match[1] else 0
        if suit < 0:
            raise TheoryError(f"card {place}, {name!r}, has an unknown suit")
        cards.append((int(match[2]), suit))
    return cards, names


def decide(data: dict[str, Any], cards: list[Card], explain: bool, report: Report) -> None:
    """Add the verdict, the best score, a winning line and, if wanted, the steps to the data."""
    from hanabilab.theory.decision import best_score, winning_line
    from hanabilab.theory.playability import step_lines

    goal, hand, names = data["goal"], data["hand"], data["cards"]
    steps = step_lines(cards, goal, hand) if explain else []
    line = winning_line(cards, goal, hand, report)
    data["playable"] = line is not None
    try:
        data["best"] = best_score(cards, hand, report)
    except TheoryError:  # harder than the question, which is answered
        data["best"] = None
    data["line"] = line and [{"action": turn.action, "card": names[turn.place]} for turn in line]
    if steps:
        data["steps"] = steps


def _decide(cards: list[Card], data: dict[str, Any], arguments: argparse.Namespace) -> None:
    from hanabilab.lab.progress import progress_bar

    with progress_bar("sequence", None) as report:
        decide(data, cards, arguments.explain, report)
    if arguments.json:
        print_json(data)
        return
    if arguments.explain:
        print("\n".join([*data["steps"], ""]))
    verdict = "" if data["playable"] else "not "
    best = "too hard to find" if data["best"] is None else data["best"]
    print(f"{verdict}({data['goal']}, {data['hand']})-playable; best score {best}")
    _print_line(data["line"])


def _decide_solitaire(
    cards: list[Card], data: dict[str, Any], arguments: argparse.Namespace
) -> None:
    from hanabilab.lab.progress import progress_bar
    from hanabilab.theory.solitaire import SolitaireState, solve_solitaire

    names = dict(zip(cards, data["cards"], strict=True))
    with progress_bar("sequence", None) as report:
        moves = solve_solitaire(SolitaireState.start(cards, data["hand"] - 1), report)
    data["playable"] = moves is not None
    data["line"] = moves and [{"action": move.action, "card": names[move.card]} for move in moves]
    if arguments.json:
        print_json(data)
        return
    won = "won" if moves is not None else "lost"
    print(f"{won} with room for {data['hand'] - 1} stored cards beside the one just drawn")
    _print_line(data["line"])


def _print_line(line: list[dict[str, str]] | None) -> None:
    if line:
        print(", ".join(f"{step['action']} {step['card']}" for step in line))
