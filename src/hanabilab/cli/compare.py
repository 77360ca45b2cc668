"""hanabilab compare: several strategies on the same decks."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.common import (
    add_json_argument,
    add_program_argument,
    add_repeats_argument,
    add_rules_arguments,
    add_run_arguments,
    add_save_table_argument,
    add_strategies_argument,
    chosen_players,
    chosen_rules,
    chosen_workers,
)

if TYPE_CHECKING:
    from hanabilab.lab.compare import Comparison

SUMMARY = "Let strategies play the same decks and report their paired differences."
EXAMPLES = """\
  hanabilab compare cheat recommendation random --players 5 --games 10000
  hanabilab compare rule-based:hint-rule=2 rule-based:hint-rule=3 --players 3 --repeats 10
  hanabilab compare cheat recommendation --players 4 --plot comparison.png --json

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
    from hanabilab.cli.output import interrupted, show_result
    from hanabilab.lab.compare import compare
    from hanabilab.lab.files.save import check_table_file
    from hanabilab.lab.plot import check_plot_file
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
    show_result(result, arguments, _print, save=arguments.save)
    if result.interrupted:
        return interrupted(f"this is what {result.results[0].games:,} games gave")
    return 0


def _print(result: Comparison) -> None:
    from hanabilab.cli.output import print_table
    from hanabilab.lab.caption import games_in_words, rules_in_words
    from hanabilab.lab.tally import percent, plus_minus

    first = result.results[0]
    print(f"{rules_in_words(first.rules)}, seed {first.seed}, {games_in_words(first)}")
    print()
    rows = [["strategy", "mean", "stdev", "perfect", "lost", "turns"]]
    for each in sorted(result.results, key=lambda each: -each.mean):
        mean = plus_minus(each.mean, each.stderr)
        rates = [percent(each.perfect_rate), percent(each.lost_rate)]
        rows.append([each.strategy, mean, f"{each.stdev:.2f}", *rates, f"{each.mean_turns:.1f}"])
    print_table(rows)
    print()
    rows = [["paired difference", "mean", "in standard errors"]]
    for gap in result.differences:
        mean = plus_minus(gap.mean, gap.stderr)
        rows.append([f"{gap.better} - {gap.worse}", mean, f"{gap.sigmas:.1f}"])
    print_table(rows)
