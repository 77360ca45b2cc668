"""hanabilab optimum: the best average score of a small game with hidden cards."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.arguments import (
    add_json_argument,
    add_rules_arguments,
    add_save_table_argument,
    chosen_rules,
)
from hanabilab.cli.output import print_json
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.game.rules import Rules

SUMMARY = "Compute the highest mean score that any team can reach with hidden cards, exactly."
EXAMPLES = """\
  hanabilab optimum --players 2 --hand-size 1 --suits 2 --copies 2,1 --hint-tokens 1 --lives 1
  hanabilab optimum --players 3 --hand-size 1 --suits 2 --copies 1,1 --hint-tokens 1 --json

Only small games can be solved; larger ones are rejected with an estimate of their size. --copies
also sets the number of ranks. To play the strategy, name it: hanabilab simulate optimal, with the
same rules as --set-rule hand-size=1 and so on.
"""


SIZES = {
    "hand-size": ("H", "cards in a hand"),
    "suits": ("S", "number of suits"),
    "copies": ("X1,X2,…", "copies of the cards of rank 1, 2, …"),
    "hint-tokens": ("T", "number of hint tokens"),
    "lives": ("L", "number of lives"),
}
"""Options for the rules that make a game small; each is short for a --set-rule."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_rules_arguments(parser)
    sizes = parser.add_argument_group("sizes")
    for name, (value, words) in SIZES.items():
        sizes.add_argument(f"--{name}", metavar=value, help=f"{words}, default: as the rules say")
    parser.add_argument(
        "--beliefs",
        type=int,
        metavar="N",
        help="give up beyond N beliefs, default 2,000,000: about two gigabytes",
    )
    add_save_table_argument(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.errors import TheoryError
    from hanabilab.lab.optimum import optimum
    from hanabilab.lab.result import check_table_file
    from hanabilab.solver.optimum.search import BELIEFS, TooManyBeliefsError

    check_table_file(arguments.save)
    limit = BELIEFS if arguments.beliefs is None else arguments.beliefs
    try:
        found = optimum(small_rules(arguments), beliefs=limit)
    except TooManyBeliefsError as error:
        raise TheoryError(f"{error}; --beliefs allows more") from None
    if arguments.save:
        found.save(arguments.save)
    if arguments.json:
        print_json(found.to_dict())
    else:
        print(found.to_text())
    return 0


def small_rules(arguments: argparse.Namespace) -> Rules:
    """Return the rules that the options describe."""
    for name in SIZES:
        value = getattr(arguments, name.replace("-", "_"))
        if value is not None:
            arguments.set_rule.append(f"{name}={value}")
    if arguments.copies is not None:
        ranks = len(arguments.copies.partition("/")[0].split(","))
        arguments.set_rule.insert(0, f"ranks={ranks}")
    return chosen_rules(arguments)


COMMANDS = {"optimum": Command(SUMMARY, EXAMPLES, add_arguments, run)}
