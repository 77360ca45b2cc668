"""hanabilab results: the table of docs/results/strategies.md."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.common import (
    add_json_argument,
    add_save_table_argument,
    add_workers_arguments,
    chosen_workers,
)
from hanabilab.cli.players import OWN_PLAYERS

if TYPE_CHECKING:
    from hanabilab.lab.simulate import Simulation

PAGE = "docs/results/strategies.md"
SUMMARY = f"Play every strategy at every number of players and print the table of {PAGE}."
EXAMPLES = """\
  hanabilab results --games 1000
  hanabilab results --write
  hanabilab results cheat recommendation --json
  hanabilab results --plot prices.svg --save results.tex

Each strategy plays under the rules it was made for, named in the table. Slow strategies play fewer
games. --write replaces the text between <!-- results --> and <!-- /results --> in the page.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "strategies", nargs="*", metavar="STRATEGY", help=f"only these; {OWN_PLAYERS}"
    )
    parser.add_argument(
        "--games", type=int, metavar="N", help="number of games per cell, default 20000"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the decks")
    add_workers_arguments(parser)
    add_save_table_argument(parser)
    parser.add_argument("--write", action="store_true", help="write the table into the page")
    parser.add_argument(
        "--file", default=PAGE, metavar="FILE", help=f"the page for --write, default {PAGE}"
    )
    parser.add_argument(
        "--plot", metavar="FILE", help="draw points missing against time: .png, .svg or .pdf"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.cli.output import note, show_result
    from hanabilab.errors import HanabiError
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.result import check_table_file
    from hanabilab.lab.results import GAMES, find_markers, results_table, write_between
    from hanabilab.strategies.load import load_player

    check_plot_file(arguments.plot)
    check_table_file(arguments.save)
    if arguments.write:
        if arguments.strategies:
            raise HanabiError("--write: the page shows every strategy, so name none")
        find_markers(arguments.file)
    table = results_table(
        [load_player(name) for name in arguments.strategies] or None,
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        **chosen_workers(arguments),
        callback=_note_result,
    )
    if not arguments.write:
        show_result(table, arguments, lambda table: print(table.to_markdown()), save=arguments.save)
        return
    write_between(arguments.file, table.to_markdown())
    note(f"{arguments.file}: written")
    if arguments.save:
        table.save(arguments.save)
    if arguments.plot:
        table.plot(arguments.plot)


def _note_result(result: Simulation) -> None:
    from hanabilab.lab.progress import note_progress

    note_progress(f"{result.strategy}, {result.players} players: {result}")
