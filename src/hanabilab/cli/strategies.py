"""hanabilab strategies: who can play, and with which options."""

from __future__ import annotations

import argparse

from hanabilab.cli.common import add_json_argument, named_strategy, print_json

SUMMARY = "List the strategies: what they do, where they come from, and their options."
EXAMPLES = """\
  hanabilab strategies
  hanabilab strategies rule-based
  hanabilab strategies --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("strategies", nargs="*", metavar="STRATEGY", help="only these")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.strategies import STRATEGIES
    from hanabilab.strategies.describe import describe_strategy

    found = [named_strategy(name) for name in arguments.strategies] or list(STRATEGIES.values())
    about = [describe_strategy(strategy) for strategy in found]
    if arguments.json:
        print_json(about)
        return
    for each in about:
        players = ", ".join(map(str, each["players"])) or "see its documentation"
        print(f"{each['name']}: {each['summary']}")
        print(
            f"    from: {each['source'] or 'hanabilab'}; players under {each['rules']}: {players}"
        )
        for option in each["options"]:
            print(f"    --{option['name']}: {option['help']}; default {option['default']}")
