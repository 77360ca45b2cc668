"""hanabilab winnable: how many decks can be won?"""

from __future__ import annotations

import argparse

from hanabilab.cli.arguments import (
    add_json_argument,
    add_time_limit_argument,
    add_workers_arguments,
    chosen_workers,
)
from hanabilab.cli.output import interrupted, print_json
from hanabilab.cli.parser import Command

SUMMARY = "Estimate the fraction of decks that can be won with everything in sight."
EXAMPLES = """\
  hanabilab winnable --players 3 --decks 100000
  hanabilab winnable --players 2-5 --decks 1000000 --seed 1 --save winnable.csv
  hanabilab winnable --players 2 --decks 100000 --best
  hanabilab winnable --players 2 --rules rainbow-dutch --decks 10000 --json

With --save the same command resumes where it stopped; Ctrl-C ends it with the figures so far.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--players", default="2-5", metavar="P", help="a number, a list or a range; default 2-5"
    )
    parser.add_argument(
        "--rules", default="classic", metavar="PRESET", help="named rules, default classic"
    )
    parser.add_argument(
        "--rule", action="append", default=[], metavar="NAME=VALUE", help="change one of them"
    )
    parser.add_argument("--decks", type=int, default=10_000, metavar="N", help="default 10000")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the decks")
    add_workers_arguments(parser)
    add_time_limit_argument(parser, "deck")
    parser.add_argument(
        "--best", action="store_true", help="also the highest score of lost decks, and the mean"
    )
    parser.add_argument(
        "--save", metavar="FILE", help="note what is done: .csv or .jsonl, one for each number"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    from hanabilab.cli.arguments import chosen_rules
    from hanabilab.game.deck import check_seed
    from hanabilab.lab.winnable import winnable

    check_seed("--seed", arguments.seed)
    numbers, workers = read_players(arguments.players), chosen_workers(arguments)
    for players in numbers:
        arguments.players = players
        result = winnable(
            decks=arguments.decks,
            seed=arguments.seed,
            rules=chosen_rules(arguments),
            **workers,
            time_limit=arguments.time_limit,
            best=arguments.best,
            save=_file_for(arguments.save, players, len(numbers)),
        )
        if arguments.json:
            print_json(result.to_dict())
        else:
            print(result)
        if result.interrupted:
            return interrupted(f"these are the figures of {result.decks:,} decks")
    return 0


def read_players(text: str) -> list[int]:
    """Read numbers of players: 3, 2,4 or 2-5."""
    from hanabilab.checks import check_integer
    from hanabilab.errors import RulesError
    from hanabilab.game.cards import MAX_PLAYERS

    numbers: list[int] = []
    for part in text.split(","):
        low, dash, high = part.partition("-")
        try:
            first, last = int(low), int(high if dash else low)
        except ValueError:
            raise RulesError(
                f"--players: {text!r:.80} is not a number, a list or a range like 2-5"
            ) from None
        for number in (first, last):
            check_integer("--players", number, 1, MAX_PLAYERS, error=RulesError)
        numbers += range(first, last + 1)
    if not numbers:
        raise RulesError(f"--players: {text!r:.80} is an empty range")
    return numbers


def _file_for(file: str | None, players: int, several: int) -> str | None:
    """Give each number of players its own file: decks.csv becomes decks-3.csv."""
    if file is None or several == 1:
        return file
    from pathlib import Path

    from hanabilab.errors import HanabiError

    path = Path(file)
    if not path.name:
        raise HanabiError(f"--save: {file!r:.80} is not the name of a file")
    return str(path.with_name(f"{path.stem}-{players}{path.suffix}"))


COMMANDS = {
    "winnable": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
