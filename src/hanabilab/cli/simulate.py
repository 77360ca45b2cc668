"""hanabilab simulate: many games of one team."""

from __future__ import annotations

import argparse
from pathlib import Path

from hanabilab.cli.arguments import (
    add_json_argument,
    add_program_argument,
    add_repeats_argument,
    add_rules_arguments,
    add_run_arguments,
    add_strategy_argument,
    chosen_rules,
    chosen_strategy,
    chosen_workers,
)
from hanabilab.cli.output import interrupted, note, print_simulation, show_result
from hanabilab.cli.parser import Command

SUMMARY = "Play many games and report mean, errors, perfect games and a histogram."
EXAMPLES = """\
  hanabilab simulate recommendation --players 5 --games 100000 --rules cox
  hanabilab simulate rule-based:safe=no,play-threshold=0.7 --players 3 --rules thesis
  hanabilab simulate cheat --players 4 --until-stderr 0.01 --json
  hanabilab simulate cheat --players 5 --save games.parquet --plot scores.png
  hanabilab simulate cheat random --players 2
  hanabilab simulate information --players 3 --games 1000 --analyze 20

To see game G of a run:  hanabilab play STRATEGY ... --seed S --game G

Ctrl-C ends a run with the statistics so far (exit code 130).
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_strategy_argument(parser)
    add_rules_arguments(parser)
    add_run_arguments(
        parser, "number of decks, default 10000; with --until-stderr a limit, default none"
    )
    add_repeats_argument(parser, "; standard errors allow for equal decks")
    parser.add_argument(
        "--until-stderr",
        type=float,
        metavar="E",
        help="stop when the standard error of the mean is at most E",
    )
    parser.add_argument(
        "--save", metavar="FILE", help="write a row for each game: .parquet or .csv"
    )
    parser.add_argument(
        "--analyze",
        type=int,
        default=0,
        metavar="N",
        help="separate mistakes from bad luck in the first N imperfect games",
    )
    parser.add_argument(
        "--links-below",
        type=int,
        metavar="SCORE",
        help="with --save: add a hanab.live link for each game below this score",
    )
    add_json_argument(parser)
    add_program_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.errors import SaveError
    from hanabilab.formats.hanablive import unsupported_rules
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.simulate import simulate

    check_plot_file(arguments.plot)
    if arguments.players is None and len(arguments.strategy) > 1:
        arguments.players = len(arguments.strategy)
    rules = chosen_rules(arguments)
    linked = arguments.save and arguments.links_below is not None
    if linked and (lost := unsupported_rules(rules, options=False)):
        note(f"the links do not carry {', '.join(lost)}")
    replacing = arguments.save and Path(arguments.save).exists()
    try:
        result = simulate(
            chosen_strategy(arguments),
            games=arguments.games,
            seed=arguments.seed,
            rules=rules,
            repeats=arguments.repeats,
            **chosen_workers(arguments),
            until_stderr=arguments.until_stderr,
            save=arguments.save,
            analyze=arguments.analyze,
            links_below=arguments.links_below,
        )
    except SaveError as error:
        if error.result is None:
            raise
        show_result(error.result, arguments, print_simulation)
        played = f"these are the statistics of {error.result.games:,} games"
        raise SaveError(f"{error}; {played}, and nothing is saved") from None
    show_result(result, arguments, print_simulation)
    if not result.interrupted:
        return 0
    asked = f" of {arguments.games or 10_000:,}" if not arguments.until_stderr else ""
    unchanged = f"; {arguments.save} is unchanged" if replacing and not result.analysis else ""
    return interrupted(f"these are the statistics of {result.games:,}{asked} games{unchanged}")


COMMANDS = {
    "simulate": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
