"""hanabilab crossplay: strategies with strangers as partners."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.common import (
    add_json_argument,
    add_program_argument,
    add_rules_arguments,
    add_run_arguments,
    add_save_table_argument,
    add_strategies_argument,
    chosen_players,
    chosen_rules,
    chosen_workers,
)

if TYPE_CHECKING:
    from hanabilab.lab.crossplay import Crossplay

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
    from hanabilab.cli.output import interrupted, show_result
    from hanabilab.lab.crossplay import GAMES, crossplay
    from hanabilab.lab.files.save import check_table_file
    from hanabilab.lab.plot import check_plot_file

    check_plot_file(arguments.plot)
    check_table_file(arguments.save)
    result = crossplay(
        chosen_players(arguments.strategies, arguments),
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        rules=chosen_rules(arguments),
        **chosen_workers(arguments),
    )
    show_result(result, arguments, _print, save=arguments.save)
    if result.interrupted:
        played = sum(tally.decks > 0 for row in result.tallies for tally in row)
        every = len(result.strategies) ** 2
        return interrupted(f"{played} of {every} pairings are finished")
    return 0


def _print(result: Crossplay) -> None:
    from hanabilab.cli.output import print_table
    from hanabilab.lab.caption import rules_in_words
    from hanabilab.lab.tally import percent, plus_minus

    print(f"{rules_in_words(result.rules)}, seed {result.seed}, {result.games:,} games per pairing")
    names = list(result.strategies)
    print("\nmean score; one player plays the row, all others the column")
    rows = [["", *names, "strangers"]]
    for name, row, average in zip(names, result.tallies, result.with_strangers, strict=True):
        means = [plus_minus(tally.mean, tally.stderr) for tally in row]
        rows.append([name, *means, plus_minus(average, float("nan"))])
    print_table(rows)
    print("\ngames lost to misplays")
    rows = [["", *names]]
    for name, row in zip(names, result.tallies, strict=True):
        rows.append([name, *(percent(tally.lost_rate) for tally in row)])
    print_table(rows)
