"""hanabilab serve: a strategy in one seat of a game that another program runs."""

from __future__ import annotations

import argparse
import contextlib
import sys

from hanabilab.cli.players import OWN_PLAYERS, add_strategy_options, chosen_options

SUMMARY = "Let a strategy play one seat for another program, in lines of JSON."
EXAMPLES = """\
  hanabilab serve piers
  hanabilab serve rule-based --hint-rule 2
  hanabilab play "exec:hanabilab serve piers" information --players 2 --seed 1

Messages are read from standard input and answered on standard output, a line each, until the input
ends; docs/reference/protocol.md describes them all.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "strategy",
        metavar="STRATEGY",
        help=f"who plays, with options as STRATEGY:option=value,option=value; {OWN_PLAYERS}",
    )
    add_strategy_options(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.errors import StrategyError
    from hanabilab.strategies.load import load_player
    from hanabilab.table.served_seat import conversation

    answers = sys.stdout.buffer
    with contextlib.redirect_stdout(sys.stderr):  # what a strategy prints is no answer
        strategy = load_player(arguments.strategy).with_options(**chosen_options(arguments))
        if strategy.name == "human":
            raise StrategyError("human: a person needs the terminal, which the protocol occupies")
        for line in conversation(strategy, sys.stdin.buffer):
            answers.write(line)
            answers.flush()
