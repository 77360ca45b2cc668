"""hanabilab deck: the deck of a hanab.live seed."""

from __future__ import annotations

import argparse

from hanabilab.cli.common import add_json_argument, print_json

SUMMARY = "Print the deck of a hanab.live seed."
EXAMPLES = """\
  hanabilab deck p2v0s1
  hanabilab deck p4v3s17 --json
  hanabilab play cheat --deck p2v0s1

A seed is p<players>v<variant>s<any text>. Variant 0 has the suits r y g b p; `hanabilab rules
--variants` lists all supported variants.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("seed", metavar="SEED", help="such as p2v0s1")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.game.deck import Deck

    deck = Deck.from_seed(arguments.seed)
    if arguments.json:
        print_json({"seed": arguments.seed, "players": deck.rules.players, "deck": str(deck)})
    else:
        print(deck)
