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
from hanabilab.cli.output import interrupted, note, print_json
from hanabilab.cli.parser import Command
from hanabilab.errors import HanabiError, StrategyError

SUMMARY = "Write games as data: a row for each turn, with observations, for learning."
EXAMPLES = """\
  hanabilab dataset iggi --players 2 --games 100000 --out iggi-games
  hanabilab dataset iggi piers --players 2 --games 100000 --seed 1 --out mixed
  hanabilab dataset iggi piers internal --crossplay --players 3 --games 1000 --out strangers
  hanabilab dataset --hoad --games 2000 --out hoad
  hanabilab dataset hatter --players 4 --games 1000 --observations none --format npz --out games

The folder contains dataset.json, turns-000000.parquet, … with a row for each turn, and
games-000000.parquet, … with a row for each game. Re-run the same command to resume. To read the
data, see docs/how-to/scale.md:  hanabilab.dataset.load("iggi-games")
"""

HOAD_CHOOSES: dict[str, object] = {
    "strategy": [],
    "players": None,
    "rules": "classic",
    "set_rule": [],
    "observations": "canonical",
    "file_games": None,
    "crossplay": False,
}
"""Options that --hoad determines, with the values that mean "not given"."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_strategy_argument(parser, nargs="*")
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
    parser.add_argument(
        "--hoad",
        action="store_true",
        help="make the Hanabi Open Agent Dataset: its agents, rules and files, 500000 games each",
    )
    add_rules_arguments(parser)
    add_run_arguments(parser, "number of games, default 10000", plot=False)
    add_program_argument(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.lab.dataset.make import GAMES, make

    if arguments.hoad:
        return run_hoad(arguments)
    if not arguments.strategy:
        raise StrategyError("give a strategy, or --hoad for those of HOAD")
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
        return interrupted(f"{made.files} files are complete; re-run the same command to resume")
    return 0


def run_hoad(arguments: argparse.Namespace) -> int:
    """Generate the Hanabi Open Agent Dataset for those of its agents that we have."""
    from hanabilab.lab.dataset import hoad

    for option, default in HOAD_CHOOSES.items():
        if getattr(arguments, option) != default:
            name = "STRATEGY" if option == "strategy" else f"--{option.replace('_', '-')}"
            raise HanabiError(f"{name}: --hoad chooses agents, rules and files by itself")
    made = hoad.make_hoad(
        arguments.out,
        games=hoad.GAMES if arguments.games is None else arguments.games,
        seed=arguments.seed,
        format=arguments.format,
        **chosen_workers(arguments),
        command=arguments.line,
    )
    if arguments.json:
        print_json([each.to_dict() for each in made])
    else:
        print("\n".join(each.heading() for each in made))
    note(hoad.NOT_MADE)
    if made[-1].interrupted:
        return interrupted("re-run the same command to resume from the complete files")
    return 0


COMMANDS = {
    "dataset": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
