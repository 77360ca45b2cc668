"""hanabilab sweep, tune: find the best options of a strategy."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.arguments import (
    OWN_PLAYERS,
    STRATEGY_SYNTAX,
    add_json_argument,
    add_repeats_argument,
    add_rules_arguments,
    add_run_arguments,
    add_vary_argument,
    chosen_rules,
    chosen_settings,
    chosen_vary,
    chosen_workers,
)
from hanabilab.cli.output import interrupted, note, print_result, show_result
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.lab.sweep import Sweep
    from hanabilab.lab.tune import Tuning


SWEEP_SUMMARY = "Play a strategy with every combination of option values; resumable."
SWEEP_EXAMPLES = """\
  hanabilab sweep rule-based --vary play-threshold=0:1:0.1 --players 3 --games 10000
  hanabilab sweep rule-based --vary hint-rule=1,2,3,4 --vary discard-rule=1,2 --save grid.csv
  hanabilab sweep rule-based:safe=no --vary play-threshold=0.5,0.6 --plot lines.png
  hanabilab sweep mine.py:careful --vary boldness=1:5:1 --set safe=yes --players 3

With --save each finished combination is a line of the file. Re-run the same command to resume
after Ctrl-C or a crash; a file from a different sweep is rejected.
"""


def add_sweep_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("strategy", metavar="STRATEGY", help=f"{STRATEGY_SYNTAX}; {OWN_PLAYERS}")
    add_rules_arguments(parser)
    add_run_arguments(parser, "number of decks per combination, default 10000")
    add_repeats_argument(parser)
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="keep and resume the table: .csv or .jsonl; or write it: .parquet, .md or .tex",
    )
    add_json_argument(parser)
    add_vary_argument(parser, "risk=0,0.1,0.2 or START:STOP:STEP as in risk=0:0.2:0.05")


def run_sweep(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.result import check_table_file
    from hanabilab.lab.simulate import GAMES
    from hanabilab.lab.sweep import sweep
    from hanabilab.strategies.load import load_player

    check_plot_file(arguments.plot)
    check_table_file(arguments.save)
    result = sweep(
        load_player(arguments.strategy).with_options(**chosen_settings(arguments)),
        vary=chosen_vary(arguments),
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        rules=chosen_rules(arguments),
        repeats=arguments.repeats,
        **chosen_workers(arguments),
        save=arguments.save,
    )
    if result.resumed:
        note(f"{arguments.save}: {result.resumed} of {result.size} cells were already in the file")
    if not result.cells:
        arguments.plot = None
    show_result(result, arguments, _print_sweep)
    if result.interrupted:
        kept = f"; the same command resumes from {arguments.save}" if arguments.save else ""
        return interrupted(f"{len(result.cells)} of {result.size} cells are finished{kept}")
    return 0


def _print_sweep(result: Sweep) -> None:
    if result.cells:
        print_result(result)
        print()
        print(f"best: {result.best}")


TUNE_SUMMARY = "Search for the options with which a strategy plays best; resumable."
TUNE_EXAMPLES = """\
  hanabilab tune rule-based --players 3 --budget 300
  hanabilab tune rule-based:interpretation=program,safe=yes --rules thesis-program --players 3
  hanabilab tune rule-based --objective perfect --games 5000 --save search.csv --plot search.png
  hanabilab tune rule-based --vary play-threshold=0.4:0.8 --vary hint-rule=3,4
  hanabilab tune monte-carlo:playouts=100 --vary depth=1:8 --games 50 --budget 30
  hanabilab tune mine.py:careful --players 3 --budget 50

Every evaluation plays the same decks. The ten best candidates and the default options then play
new decks, and the winner and the default play fresh ones; only the latter figures are unbiased.
With --save each evaluation is a line of the file; re-run the same command to resume after Ctrl-C or
a crash.
"""


def add_tune_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "strategy",
        metavar="STRATEGY",
        help=f"{STRATEGY_SYNTAX}; options set here are not searched; {OWN_PLAYERS}",
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
    add_vary_argument(
        parser,
        "bounds LOW:HIGH as in risk=0:0.2, or values as in hint-rule=1,3,4",
        ", default: all options that are not set",
    )


def run_tune(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.tune import GAMES, tune
    from hanabilab.strategies.load import read_player

    check_plot_file(arguments.plot)
    strategy, fixed = read_player(arguments.strategy)
    fixed |= chosen_settings(arguments)
    result = tune(
        strategy.with_options(**fixed),
        vary=chosen_vary(arguments),
        fixed=fixed,
        objective=arguments.objective,
        budget=arguments.budget,
        games=GAMES if arguments.games is None else arguments.games,
        final_games=arguments.final_games,
        seed=arguments.seed,
        rules=chosen_rules(arguments),
        **chosen_workers(arguments),
        save=arguments.save,
    )
    if result.resumed:
        note(f"{arguments.save}: {result.resumed} evaluations were already in the file")
    show_result(result, arguments, _print_tuning)
    if result.interrupted:
        kept = f"; the same command resumes from {arguments.save}" if arguments.save else ""
        played = f"{len(result.history)} of {result.budget} evaluations"
        return interrupted(f"this is the best of {played}{kept}")
    return 0


def _print_tuning(result: Tuning) -> None:
    """Print the best options beside the defaults, and the scores of both on each set of decks."""
    print_result(result)
    print()
    print(f"best: {result.best.strategy}")


COMMANDS = {
    "sweep": Command(SWEEP_SUMMARY, SWEEP_EXAMPLES, add_sweep_arguments, run_sweep),
    "tune": Command(TUNE_SUMMARY, TUNE_EXAMPLES, add_tune_arguments, run_tune),
}
