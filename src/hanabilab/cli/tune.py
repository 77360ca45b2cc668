"""hanabilab tune: search for the options with which a strategy plays best."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.common import (
    add_json_argument,
    add_rules_arguments,
    add_run_arguments,
    chosen_rules,
    chosen_workers,
)
from hanabilab.cli.players import OWN_PLAYERS, add_strategy_options, chosen_options

if TYPE_CHECKING:
    from hanabilab.lab.tune import Tuning

SUMMARY = "Search for the options with which a strategy plays best; resumable."
EXAMPLES = """\
  hanabilab tune rule-based --players 3 --budget 300
  hanabilab tune rule-based:reading=program,safe=yes --rules thesis-program --players 3
  hanabilab tune rule-based --objective perfect --games 5000 --save search.csv --plot search.png
  hanabilab tune rule-based --play-threshold 0.4:0.8 --hint-rule 3,4 --discard-threshold 1
  hanabilab tune monte-carlo --depth 1:8 --playouts 100 --games 50 --budget 30
  hanabilab tune mine.py:careful --players 3 --budget 50

Every evaluation plays the same decks. The ten best candidates and the default options then play
new decks, and the winner and the default play fresh ones: those figures are fair. With --save
each evaluation is a line of the file; the same command resumes where the last one stopped.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "strategy",
        metavar="STRATEGY",
        help=f"whose options are searched; those it sets are fixed; {OWN_PLAYERS}",
    )
    parser.add_argument(
        "--budget",
        type=int,
        default=300,
        metavar="N",
        help="number of evaluations for the search, default 300",
    )
    parser.add_argument(
        "--objective",
        default="score",
        metavar="score|perfect",
        help="maximise the mean score (default) or the rate of perfect games",
    )
    add_rules_arguments(parser)
    add_run_arguments(parser, "number of decks per evaluation, default 2000")
    parser.add_argument(
        "--final-games",
        type=int,
        metavar="N",
        help="number of new decks per finalist, default 10 times --games",
    )
    parser.add_argument("--save", metavar="FILE", help="keep and resume the search: .csv or .jsonl")
    add_json_argument(parser)
    add_strategy_options(
        parser, several="a value fixes an option; LOW:HIGH or 1,2,4 limit its search"
    )


def run(arguments: argparse.Namespace) -> int:
    from hanabilab.cli.output import interrupted, note, show_result
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.tune import GAMES, tune
    from hanabilab.strategies.load import read_player

    check_plot_file(arguments.plot)
    strategy, fixed = read_player(arguments.strategy)
    result = tune(
        strategy.with_options(**fixed),
        objective=arguments.objective,
        budget=arguments.budget,
        games=GAMES if arguments.games is None else arguments.games,
        final_games=arguments.final_games,
        seed=arguments.seed,
        rules=chosen_rules(arguments),
        **chosen_workers(arguments),
        save=arguments.save,
        **{**fixed, **chosen_options(arguments)},
    )
    if result.resumed:
        note(f"{arguments.save}: {result.resumed} evaluations were already in the file")
    show_result(result, arguments, _print)
    if result.interrupted:
        kept = f"; the same command resumes from {arguments.save}" if arguments.save else ""
        played = f"{len(result.history)} of {result.budget} evaluations"
        return interrupted(f"this is the best of {played}{kept}")
    return 0


def _print(result: Tuning) -> None:
    """Print what was found beside the default, and what both score on each set of decks."""
    from hanabilab.cli.output import print_result

    print_result(result)
    print()
    print(f"best: {result.best.strategy}")
