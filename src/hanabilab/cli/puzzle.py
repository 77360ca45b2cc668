"""hanabilab puzzle: find the one move that still wins."""

from __future__ import annotations

import argparse
import itertools
from typing import TYPE_CHECKING

from hanabilab.cli.arguments import (
    add_daily_argument,
    add_json_argument,
    add_rules_arguments,
    apply_daily,
    chosen_rules,
)
from hanabilab.cli.output import print_json
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.game.rules import Rules
    from hanabilab.lab.puzzles import Puzzle

SUMMARY = "Make puzzles: late positions in which only one kind of action keeps the maximum."
EXAMPLES = """\
  hanabilab puzzle --players 3
  hanabilab puzzle --daily
  hanabilab puzzle --players 2 --count 5 --losing 6 --answer
  hanabilab puzzle --players 4 --rules "Black (6 Suits)" --link
  hanabilab puzzle --players 2 --count 100 --json
  hanabilab puzzle --players 2 --decks lost --count 100
  hanabilab puzzle --players 6 --rules "Critical Fours (6 Suits)" --decks single --count 10

All cards are open, including the draw pile. The difficulty is the number of losing moves, where
equal cards count as one move, and so do all hints. --decks instead lists hanab.live seeds of decks
that cannot be won, or that only one kind of first move wins. The same options give the same
puzzles. --daily has five players and is the same on every machine.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    from hanabilab.lab.puzzles import DECKS

    add_rules_arguments(parser)
    group = parser.add_argument_group("puzzles")
    group.add_argument("--count", type=int, default=1, metavar="N", help="how many; default 1")
    group.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the decks")
    add_daily_argument(group, "puzzle")
    group.add_argument("--first", type=int, default=0, metavar="G", help="first deck to look at")
    group.add_argument(
        "--draws",
        type=int,
        default=8,
        metavar="D",
        help="at most this many cards to draw; default 8",
    )
    group.add_argument(
        "--losing",
        type=int,
        default=4,
        metavar="L",
        help="at least this many moves lose; default 4",
    )
    group.add_argument("--decks", choices=DECKS, help="list seeds of such decks; default: puzzles")
    group.add_argument("--answer", action="store_true", help="show the answers")
    group.add_argument("--link", action="store_true", help="print only links to the positions")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.checks import check_integer
    from hanabilab.game.deck import check_seed
    from hanabilab.lab.puzzles import find_puzzles

    apply_daily(arguments, puzzle=True)
    check_seed("--seed", arguments.seed)
    for name, least in (("count", 1), ("first", 0), ("draws", 0), ("losing", 1)):
        check_integer(f"--{name}", getattr(arguments, name), least, 1_000_000_000)
    rules = chosen_rules(arguments)
    if arguments.decks:
        _list_seeds(rules, arguments)
        return
    puzzles = find_puzzles(
        rules,
        seed=arguments.seed,
        first=arguments.first,
        draws=arguments.draws,
        losing=arguments.losing,
        reproducible=arguments.daily is not None,
    )
    for place, puzzle in enumerate(itertools.islice(puzzles, arguments.count)):
        if arguments.json:
            print_json(puzzle.to_dict())
        elif arguments.link:
            print(puzzle.link or f"deck {puzzle.number}: hanab.live has no such game")
        else:
            print("\n" * (place > 0), end="")
            _print_puzzle(puzzle, answer=arguments.answer)
            if arguments.daily:
                print(f"  par: {len(puzzle.line)} turns to {rules.max_score}")


def _list_seeds(rules: Rules, arguments: argparse.Namespace) -> None:
    from hanabilab.lab.puzzles import find_seeds

    found = find_seeds(rules, arguments.decks, first=max(1, arguments.first))
    for one in itertools.islice(found, arguments.count):
        if arguments.json:
            print_json({"seed": one.seed, "deck": arguments.decks, "words": one.words})
        else:
            print(f"{one.seed}  {one.words}", flush=True)


def _print_puzzle(puzzle: Puzzle, *, answer: bool) -> None:
    from hanabilab.formats.describe import discards, fireworks, hand_names

    game, state = puzzle.game, puzzle.game.state
    rules, player = game.rules, game.player
    pile = list(game.deck)[len(game.deck) - state.draw_pile :]
    print(f"deck {puzzle.number}, turn {game.turn + 1}: player {player} to move")
    print(f"  fireworks  {' '.join(fireworks(state))}   score {game.score} of {rules.max_score}")
    print(f"  left       {game.hint_tokens} hint tokens, {game.lives} lives")
    print(f"  discards   {' '.join(discards(state)) or 'none'}")
    for seat in range(rules.players):
        mark = "  <- to move" if seat == player else ""
        print(f"  player {seat}   {' '.join(hand_names(state, seat))}{mark}")
    ending = f", then the end in {state.turns_left} turns" if state.turns_left >= 0 else ""
    drawn = " ".join(rules.card_name(card) for card in pile) or "empty"
    print(f"  draw pile  {drawn}{ending}")
    print(
        f"  {puzzle.losing} of {len(puzzle.moves)} moves lose; which one keeps {rules.max_score}?"
    )
    if puzzle.link:
        print(f"  {puzzle.link}")
    if answer:
        print(f"  answer: {puzzle.answer.words}")


COMMANDS = {
    "puzzle": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
