"""hanabilab crossplay: strategies with strangers as partners."""

from __future__ import annotations

import argparse

from hanabilab.cli.common import (
    add_json_argument,
    add_rules_arguments,
    add_run_arguments,
    add_save_table_argument,
    chosen_rules,
    chosen_workers,
)
from hanabilab.cli.players import add_program_argument, add_strategies_argument, chosen_players

SUMMARY = "Let each strategy play with partners of every other kind."
EXAMPLES = """\
  hanabilab crossplay random rule-based cheat --players 3 --games 1000
  hanabilab crossplay rule-based rule-based:hint-rule=2 recommendation --players 4
  hanabilab crossplay random cheat --players 2 --plot heat.png --json

One player plays the strategy of the row, all others that of the column; that player takes every
seat for an equal share of the games. The diagonal is self-play. All pairings play the same decks.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_strategies_argument(parser)
    add_rules_arguments(parser)
    add_run_arguments(parser, "number of games per pairing, default 1000")
    add_save_table_argument(parser)
    add_program_argument(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    from hanabilab.cli.output import interrupted, print_result, show_result
    from hanabilab.lab.crossplay import GAMES, crossplay
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.result import check_table_file

    check_plot_file(arguments.plot)
    check_table_file(arguments.save)
    result = crossplay(
        chosen_players(arguments.strategies, arguments),
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        rules=chosen_rules(arguments),
        **chosen_workers(arguments),
    )
    show_result(result, arguments, print_result, save=arguments.save)
    if result.interrupted:
        played = sum(tally.decks > 0 for row in result.tallies for tally in row)
        every = len(result.strategies) ** 2
        return interrupted(f"{played} of {every} pairings are finished")
    return 0
