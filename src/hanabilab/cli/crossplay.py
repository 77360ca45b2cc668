"""hanabilab crossplay: strategies beside strangers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.common import (
    add_json_argument,
    add_rules_arguments,
    add_run_arguments,
    chosen_rules,
    named_strategy,
)

if TYPE_CHECKING:
    from hanabilab.lab.crossplay import Crossplay

SUMMARY = "Seat each strategy beside partners of every other kind."
EXAMPLES = """\
  hanabilab crossplay random rule-based cheat --players 3 --games 1000
  hanabilab crossplay rule-based rule-based:hint-rule=2 recommendation --players 4
  hanabilab crossplay random cheat --players 2 --plot heat.png --json

One player plays the strategy of the row, all others that of the column; the one takes every
seat for an equal share of the games. The diagonal is self-play. All pairings play the same decks.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "strategies",
        nargs="+",
        metavar="STRATEGY",
        help="two or more, with options as STRATEGY:option=value,option=value; "
        "MODULE:NAME is a policy or a strategy of your own",
    )
    add_rules_arguments(parser)
    add_run_arguments(parser, "how many for each pairing, default 1000")
    parser.add_argument("--save", metavar="FILE", help="write the table: .csv or .jsonl")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    from hanabilab.cli.output import interrupted
    from hanabilab.lab.crossplay import GAMES, crossplay
    from hanabilab.lab.files.save import check_table_file
    from hanabilab.lab.plot import check_plot_file

    check_plot_file(arguments.plot)
    check_table_file(arguments.save)
    result = crossplay(
        [named_strategy(text) for text in arguments.strategies],
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        rules=chosen_rules(arguments),
        threads=arguments.threads,
    )
    if arguments.save:
        result.save(arguments.save)
    if arguments.plot:
        result.plot(arguments.plot)
    if arguments.json:
        print(result.to_json())
    else:
        _print(result)
    if result.interrupted:
        played = sum(tally.decks > 0 for row in result.tallies for tally in row)
        every = len(result.strategies) ** 2
        return interrupted(f"{played} of {every} pairings are finished")
    return 0


def _print(result: Crossplay) -> None:
    from hanabilab.cli.output import print_table
    from hanabilab.lab.tally import percent, plus_minus

    rules = result.rules.preset or "custom"
    print(
        f"{result.rules.players} players, {rules} rules, seed {result.seed}, "
        f"{result.games:,} games a pairing"
    )
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
