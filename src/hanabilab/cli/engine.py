"""hanabilab engine: play one seat for another program."""

from __future__ import annotations

import argparse
import contextlib
import sys

from hanabilab.cli.arguments import OWN_PLAYERS, STRATEGY_SYNTAX
from hanabilab.cli.parser import Command

SUMMARY = "Let a strategy play one seat for another program, in lines of JSON."
EXAMPLES = """\
  hanabilab engine piers
  hanabilab engine rule-based:hint-rule=2
  hanabilab play "exec:hanabilab engine piers" information --players 2 --seed 1

Messages are read from standard input and answered on standard output, a line each, until the input
ends; docs/reference/protocol.md describes them all.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "strategy",
        metavar="STRATEGY",
        help=f"who plays: {STRATEGY_SYNTAX}; {OWN_PLAYERS}",
    )


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.errors import StrategyError
    from hanabilab.strategies.load import load_player
    from hanabilab.table.served_seat import conversation

    answers = sys.stdout.buffer
    with contextlib.redirect_stdout(sys.stderr):  # what a strategy prints is no answer
        strategy = load_player(arguments.strategy)
        if strategy.name == "human":
            raise StrategyError("human: a person needs the terminal, which the protocol occupies")
        for line in conversation(strategy, sys.stdin.buffer):
            answers.write(line)
            answers.flush()


COMMANDS = {
    "engine": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
