"""hanabilab optimum: how well can a team play with hidden cards?"""

from __future__ import annotations

import argparse

from hanabilab.cli.arguments import (
    add_json_argument,
    add_rules_arguments,
    add_save_table_argument,
    chosen_rules,
)
from hanabilab.cli.output import print_json
from hanabilab.cli.parser import Command

SUMMARY = "Compute the highest mean score that any team can reach with hidden cards, exactly."
EXAMPLES = """\
  hanabilab optimum --players 2 --rule hand-size=1 --rule suits=2 --rule ranks=2 \\
      --rule copies=2,1 --rule hint-tokens=1 --rule lives=1

Only small games can be solved; larger ones are rejected with an estimate of their size. The
strategy is also known by its name: hanabilab simulate optimal, with the same rules.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_rules_arguments(parser)
    parser.add_argument(
        "--beliefs",
        type=int,
        metavar="N",
        help="give up beyond N beliefs, default 2,000,000: about two gigabytes",
    )
    add_save_table_argument(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    from hanabilab.errors import TheoryError
    from hanabilab.lab.optimum import optimum
    from hanabilab.lab.result import check_table_file
    from hanabilab.solver.optimum.search import BELIEFS, TooManyBeliefsError

    check_table_file(arguments.save)
    limit = BELIEFS if arguments.beliefs is None else arguments.beliefs
    try:
        found = optimum(chosen_rules(arguments), beliefs=limit)
    except TooManyBeliefsError as error:
        raise TheoryError(f"{error}; --beliefs allows more") from None
    if arguments.save:
        found.save(arguments.save)
    if arguments.json:
        print_json(found.to_dict())
    else:
        print(found.to_text())
    return 0


COMMANDS = {"optimum": Command(SUMMARY, EXAMPLES, add_arguments, run)}
