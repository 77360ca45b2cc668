"""hanabilab compare: several strategies on the same decks."""

from __future__ import annotations

import argparse

from hanabilab.cli.common import (
    add_json_argument,
    add_repeats_argument,
    add_rules_arguments,
    add_run_arguments,
    add_save_table_argument,
    chosen_rules,
    chosen_workers,
)
from hanabilab.cli.players import add_program_argument, add_strategies_argument, chosen_players

SUMMARY = "Let strategies play the same decks and report their paired differences."
EXAMPLES = """\
  hanabilab compare cheat recommendation random --players 5 --games 10000
  hanabilab compare rule-based:hint-rule=2 rule-based:hint-rule=3 --players 3 --repeats 10
  hanabilab compare cheat recommendation --players 4 --plot comparison.png --json
  hanabilab compare piers iggi --players 3 --save table.tex

Both strategies of a difference share the luck of the deck, so its standard error is smaller
than those of the two means suggest.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_strategies_argument(parser)
    add_rules_arguments(parser)
    add_run_arguments(parser, "number of decks, default 10000")
    add_repeats_argument(parser)
    add_save_table_argument(parser)
    add_program_argument(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    from hanabilab.cli.output import interrupted, print_result, show_result
    from hanabilab.lab.compare import compare
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.result import check_table_file
    from hanabilab.lab.simulate import GAMES

    check_plot_file(arguments.plot)
    check_table_file(arguments.save)
    result = compare(
        chosen_players(arguments.strategies, arguments),
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        rules=chosen_rules(arguments),
        repeats=arguments.repeats,
        **chosen_workers(arguments),
    )
    show_result(result, arguments, print_result, save=arguments.save)
    if result.interrupted:
        return interrupted(f"this is what {result.results[0].games:,} games gave")
    return 0
