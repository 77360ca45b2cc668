"""hanabilab dataset: games as data."""

from __future__ import annotations

import argparse

from hanabilab.cli.arguments import (
    add_json_argument,
    add_program_argument,
    add_rules_arguments,
    add_run_arguments,
    add_strategy_argument,
    chosen_rules,
    chosen_strategy,
    chosen_workers,
)
from hanabilab.cli.output import interrupted, note
from hanabilab.cli.parser import Command

SUMMARY = "Write games as data: a row for each turn, with observations, for learning."
EXAMPLES = """\
  hanabilab dataset iggi --players 2 --games 100000 --out iggi-games
  hanabilab dataset iggi piers --players 2 --games 100000 --seed 1 --out mixed
  hanabilab dataset iggi piers internal --crossplay --players 3 --games 1000 --out strangers
  hanabilab dataset hatter --players 4 --games 1000 --observations none --format npz --out games

The folder gets dataset.json, turns-000000.parquet and so on with a row a turn, and
games-000000.parquet and so on with a row a game. The same command goes on where it stopped.
To read it:  hanabilab.dataset.load("iggi-games"), see docs/how-to/scale.md.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_strategy_argument(parser)
    parser.add_argument("--out", required=True, metavar="FOLDER", help="where the files go")
    parser.add_argument(
        "--observations",
        default="canonical",
        metavar="KIND",
        help="canonical (default), sad (with the last player's greedy action) or none",
    )
    parser.add_argument(
        "--format", default="parquet", metavar="FORMAT", help="parquet (default) or npz"
    )
    parser.add_argument(
        "--file-games",
        type=int,
        metavar="N",
        help="games per file, default a sixteenth of all, from 100 to 5000",
    )
    parser.add_argument(
        "--crossplay",
        action="store_true",
        help="every pairing of the strategies plays --games games, as in hanabilab crossplay",
    )
    add_rules_arguments(parser)
    add_run_arguments(parser, "number of games, default 10000", plot=False)
    add_program_argument(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.lab.dataset.make import GAMES, make

    several = len(arguments.strategy) > 1 and not arguments.crossplay
    if arguments.players is None and several:
        arguments.players = len(arguments.strategy)
    made = make(
        chosen_strategy(arguments),
        out=arguments.out,
        games=GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        rules=chosen_rules(arguments),
        observations=arguments.observations,
        format=arguments.format,
        file_games=arguments.file_games,
        crossplay=arguments.crossplay,
        **chosen_workers(arguments),
        command=arguments.line,
    )
    if made.resumed:
        note(f"{made.resumed} of {made.all_files} files were already there")
    print(made.to_json() if arguments.json else made.heading())
    if made.interrupted:
        return interrupted(f"{made.files} files are complete; the same command goes on from there")
    return 0


COMMANDS = {
    "dataset": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
