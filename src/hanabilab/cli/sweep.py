"""hanabilab sweep: a strategy over a grid of its options."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.common import (
    add_json_argument,
    add_repeats_argument,
    add_rules_arguments,
    add_run_arguments,
    chosen_rules,
    chosen_workers,
)
from hanabilab.cli.players import OWN_PLAYERS, add_strategy_options, chosen_options

if TYPE_CHECKING:
    from hanabilab.lab.sweep import Sweep

SUMMARY = "Play a strategy with every combination of option values; resumable."
EXAMPLES = """\
  hanabilab sweep rule-based --play-threshold 0:1:0.1 --players 3 --games 10000
  hanabilab sweep rule-based --hint-rule 1,2,3,4 --discard-rule 1,2,3,4 --save grid.csv
  hanabilab sweep rule-based --safe true,false --play-threshold 0.5,0.6 --plot lines.png
  hanabilab sweep mine.py:careful --boldness 1:5:1 --players 3

With --save each finished combination is a line of the file. The same command resumes where the
last one stopped, however it ended; the file of another sweep is an error.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "strategy", metavar="STRATEGY", help=f"whose options are varied; {OWN_PLAYERS}"
    )
    add_rules_arguments(parser)
    add_run_arguments(parser, "number of decks per combination, default 10000")
    add_repeats_argument(parser)
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="keep and resume the table: .csv or .jsonl; or write it: .parquet, .md or .tex",
    )
    add_json_argument(parser)
    add_strategy_options(parser, several="several values: 1,2,4 or START:STOP:STEP")


def run(arguments: argparse.Namespace) -> int:
    from hanabilab.cli.output import interrupted, note, show_result
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.result import check_table_file
    from hanabilab.lab.simulate import GAMES
    from hanabilab.lab.sweep import sweep
    from hanabilab.strategies.load import load_player

    check_plot_file(arguments.plot)
    check_table_file(arguments.save)
    result = sweep(
        load_player(arguments.strategy),
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        rules=chosen_rules(arguments),
        repeats=arguments.repeats,
        **chosen_workers(arguments),
        save=arguments.save,
        **chosen_options(arguments),
    )
    if result.resumed:
        note(f"{arguments.save}: {result.resumed} of {result.size} cells were already in the file")
    if not result.cells:
        arguments.plot = None
    show_result(result, arguments, _print)
    if result.interrupted:
        kept = f"; the same command resumes from {arguments.save}" if arguments.save else ""
        return interrupted(f"{len(result.cells)} of {result.size} cells are finished{kept}")
    return 0


def _print(result: Sweep) -> None:
    from hanabilab.cli.output import print_result

    if result.cells:
        print_result(result)
        print()
        print(f"best: {result.best}")
