"""hanabilab compare: several strategies on the same decks."""

from __future__ import annotations

import argparse

from hanabilab.cli.common import (
    add_json_argument,
    add_rules_arguments,
    add_run_arguments,
    chosen_rules,
    named_strategy,
)

SUMMARY = "Let strategies play the same decks and report their paired differences."
EXAMPLES = """\
  hanabilab compare cheat recommendation random --players 5 --games 10000
  hanabilab compare rule-based:hint-rule=2 rule-based:hint-rule=3 --players 3 --repeats 10
  hanabilab compare cheat recommendation --players 4 --plot comparison.png --json

Both strategies of a difference share the luck of the deck, so its standard error is smaller
than those of the two means suggest.
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
    add_run_arguments(parser, "how many decks, default 10000")
    parser.add_argument(
        "--repeats", type=int, default=1, metavar="R", help="play every deck R times"
    )
    parser.add_argument("--save", metavar="FILE", help="write the table: .csv or .jsonl")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    from hanabilab.cli.output import interrupted, print_table
    from hanabilab.lab.compare import compare
    from hanabilab.lab.files.save import check_table_file
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.simulate import GAMES
    from hanabilab.lab.tally import games_in_words, percent, plus_minus

    check_plot_file(arguments.plot)
    check_table_file(arguments.save)
    rules = chosen_rules(arguments)
    result = compare(
        [named_strategy(text) for text in arguments.strategies],
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        rules=rules,
        repeats=arguments.repeats,
        threads=arguments.threads,
    )
    if arguments.save:
        result.save(arguments.save)
    if arguments.plot:
        result.plot(arguments.plot)
    if arguments.json:
        print(result.to_json())
    else:
        first = result.results[0]
        name = rules.preset or "custom"
        print(f"{rules.players} players, {name} rules, seed {first.seed}, {games_in_words(first)}")
        print()
        rows = [["strategy", "mean", "stdev", "perfect", "lost", "turns"]]
        for each in sorted(result.results, key=lambda each: -each.mean):
            mean = plus_minus(each.mean, each.stderr)
            rates = [percent(each.perfect_rate), percent(each.lost_rate)]
            rows.append(
                [each.strategy, mean, f"{each.stdev:.2f}", *rates, f"{each.mean_turns:.1f}"]
            )
        print_table(rows)
        print()
        rows = [["paired difference", "mean", "in standard errors"]]
        for gap in result.differences:
            mean = plus_minus(gap.mean, gap.stderr)
            rows.append([f"{gap.better} - {gap.worse}", mean, f"{gap.sigmas:.1f}"])
        print_table(rows)
    if result.interrupted:
        return interrupted(f"this is what {result.results[0].games:,} games gave")
    return 0
