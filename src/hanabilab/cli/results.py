"""hanabilab results: the table of the README."""

from __future__ import annotations

import argparse

from hanabilab.cli.common import add_json_argument

SUMMARY = "Play every strategy at every number of players and print the table of the README."
EXAMPLES = """\
  hanabilab results --games 1000
  hanabilab results --write
  hanabilab results cheat recommendation --json

Each strategy plays under the rules of its paper, named in the table, or the classic ones. Slow
strategies play fewer games. --write replaces what stands between <!-- results --> and
<!-- /results --> in the README.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("strategies", nargs="*", metavar="STRATEGY", help="only these")
    parser.add_argument("--games", type=int, metavar="N", help="how many a cell, default 20000")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the decks")
    parser.add_argument(
        "--threads", type=int, metavar="T", help="default: all cores; never changes a result"
    )
    parser.add_argument("--write", action="store_true", help="write the table into the README")
    parser.add_argument(
        "--file", default="README.md", metavar="FILE", help="the file for --write, README.md"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.cli.output import note
    from hanabilab.errors import HanabiError
    from hanabilab.lab.results import GAMES, find_markers, league, write_between
    from hanabilab.strategies import find_strategy

    if arguments.write:
        find_markers(arguments.file)
        if arguments.strategies:
            raise HanabiError("--write: the README shows every strategy, so name none")
    chosen = [find_strategy(name) for name in arguments.strategies] or None
    games = GAMES if arguments.games is None else arguments.games
    table = league(chosen, games=games, seed=arguments.seed, threads=arguments.threads)
    if arguments.write:
        write_between(arguments.file, table.to_markdown())
        note(f"{arguments.file}: written")
    elif arguments.json:
        print(table.to_json())
    else:
        print(table.to_markdown())
