"""hanabilab adhoc: a player with strangers, by a fixed protocol."""

from __future__ import annotations

import argparse

from hanabilab.cli.common import (
    add_json_argument,
    add_save_table_argument,
    add_workers_arguments,
    chosen_workers,
)
from hanabilab.cli.players import OWN_PLAYERS

SUMMARY = "Measure how a player does with partners that it has not met."
EXAMPLES = """\
  hanabilab adhoc piers
  hanabilab adhoc mine.py:careful --games 200 --json
  hanabilab adhoc --save adhoc.md

The protocol is fixed, so that figures can be compared: every partner of a published pool, two to
five players, given decks, the rules hle. Half of the pool is held out: do not tune with it. Without
a player, all our strategies are measured. A partner that is the player itself is left out.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("player", nargs="?", metavar="PLAYER", help=f"who plays; {OWN_PLAYERS}")
    parser.add_argument(
        "--games",
        type=int,
        metavar="N",
        help="games for each partner and number of players, default 2000 as the protocol says",
    )
    add_workers_arguments(parser)
    add_save_table_argument(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    from hanabilab.cli.output import interrupted, note, save_and_print
    from hanabilab.lab.adhoc import GAMES, adhoc, adhoc_table
    from hanabilab.lab.result import check_table_file
    from hanabilab.strategies.load import load_player

    check_table_file(arguments.save)
    settings = {
        "games": GAMES if arguments.games is None else arguments.games,
        "notify": note,
        **chosen_workers(arguments),
    }
    if arguments.player is None:
        save_and_print(adhoc_table(**settings), arguments)
        return 0
    result = adhoc(load_player(arguments.player), **settings)
    save_and_print(result, arguments)
    if result.interrupted:
        return interrupted(f"{len(result.rows())} pairings are finished")
    return 0
