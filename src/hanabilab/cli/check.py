"""hanabilab check: whether a strategy can be trusted."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.arguments import (
    OWN_PLAYERS,
    STRATEGY_SYNTAX,
    add_json_argument,
)
from hanabilab.cli.output import print_table
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.lab.validation.check import CheckReport
    from hanabilab.lab.validation.properties import TestedRules

SUMMARY = "Check whether a strategy can be trusted, and compare its score with others."
EXAMPLES = """\
  hanabilab check mine.py:careful
  hanabilab check mine.py:careful:boldness=3 --json
  hanabilab check rule-based --games 1000 --seed 7

The command compiles the strategy and plays it under every preset but the open game, with every
number of players. It compares interpreted and compiled games action by action, replays games in
another order, swaps cards that a player cannot see, runs each player in isolation, and tries
invalid option values. The exit code is 0 if the strategy can be trusted, 1 if a check failed, and 2
if there is no such strategy.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("strategy", metavar="STRATEGY", help=f"{STRATEGY_SYNTAX}; {OWN_PLAYERS}")
    parser.add_argument(
        "--games", type=int, metavar="N", help="compiled games at each table, default 100"
    )
    parser.add_argument(
        "--compared",
        type=int,
        metavar="N",
        help="how many of them to play interpreted too, default 10",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the decks")
    parser.add_argument(
        "--seconds",
        type=float,
        default=20.0,
        metavar="T",
        help="about how long the comparisons may take, default 20",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.errors import HanabiError
    from hanabilab.lab.progress import note_progress
    from hanabilab.lab.validation.check import check
    from hanabilab.strategies.load import load_player

    if not arguments.seconds > 0:
        raise HanabiError(f"--seconds: {arguments.seconds} is not a number above 0")
    strategy = load_player(arguments.strategy)
    report = check(
        strategy,
        games=arguments.games,
        compared=arguments.compared,
        seed=arguments.seed,
        seconds=arguments.seconds,
        notify=note_progress,
    )
    if arguments.json:
        print(report.to_json())
    else:
        _print(report)
    return 0 if report.trusted else 1


def _print(report: CheckReport) -> None:
    from hanabilab.lab.tally import plus_minus
    from hanabilab.lab.validation.check import CHECKS

    marks = {True: "ok", False: "FAILED", None: "-"}
    rows = [[marks[each.passed], CHECKS[each.name], each.detail] for each in report.findings]
    print_table(rows, left=3)
    for warning in report.warnings:
        print(f"warning: {warning}")
    print()
    _print_tables(report.tested_rules)
    if report.scores:
        print()
        players = sorted({score.players for score in report.scores})
        first = report.scores[0]
        print(f"mean score of {first.games:,} games each, rules {first.rules}, seed {report.seed}")
        cells = {(each.strategy, each.players): each for each in report.scores}
        table = [["", *(f"{number} players" for number in players)]]
        for name in dict.fromkeys(each.strategy for each in report.scores):
            found = [cells.get((name, number)) for number in players]
            table.append([name, *(plus_minus(s.mean, s.stderr) if s else "-" for s in found)])
        print_table(table)
    print()
    failed = len(report.failures)
    print(
        f"{report.strategy}: "
        + (f"{failed} of {len(report.findings)} checks failed" if failed else "trusted")
        + f" ({report.seconds:.0f} s)"
    )


def _print_tables(tables: tuple[TestedRules, ...]) -> None:
    """Print one line per preset: the numbers of players, games and games per second."""
    rows = [["rules", "players", "games", "compared", "games/s"]]
    refusals: dict[tuple[str, str], list[int]] = {}
    by_rules: dict[str, list[TestedRules]] = {}
    for table in tables:
        if table.refused:
            refusals.setdefault((table.rules, table.refused), []).append(table.players)
        else:
            by_rules.setdefault(table.rules, []).append(table)
    for name, found in by_rules.items():
        games, compared = sum(each.games for each in found), sum(each.compared for each in found)
        speeds = sorted(each.games_per_second for each in found)
        players = " ".join(str(each.players) for each in found)
        speed = f"{speeds[0]:,.0f}-{speeds[-1]:,.0f}" if len(speeds) > 1 else f"{speeds[0]:,.0f}"
        rows.append([name, players, f"{games:,}", f"{compared:,}", speed])
    if by_rules:
        print_table(rows, left=2)
    for (name, reason), numbers in refusals.items():
        print(f"refuses {name} with {' '.join(map(str, numbers))} players: {reason}")


COMMANDS = {
    "check": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
