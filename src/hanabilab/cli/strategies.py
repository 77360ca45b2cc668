"""hanabilab strategies: who can play, and with which options."""

from __future__ import annotations

import argparse

from hanabilab.cli.common import add_json_argument, print_json
from hanabilab.cli.players import OWN_PLAYERS

SUMMARY = "List the strategies: what they do, where they come from, and their options."
EXAMPLES = """\
  hanabilab strategies
  hanabilab strategies rule-based
  hanabilab strategies mine.py:careful
  hanabilab strategies --json

Installed packages offer strategies too (entry points of the group hanabilab.strategies), and so do
folders: with HANABILAB_STRATEGIES=FOLDER, FOLDER/careful.py offers its careful.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "strategies", nargs="*", metavar="STRATEGY", help=f"only these; {OWN_PLAYERS}"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.cli.output import note
    from hanabilab.strategies import known_strategies
    from hanabilab.strategies.load import load_player
    from hanabilab.strategies.strategy import describe_strategy

    found = [load_player(name) for name in arguments.strategies]
    if not found:
        known, problems = known_strategies()
        found = list(known.values())
        for problem in problems:
            note(f"hanabilab strategies: {problem}")
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
