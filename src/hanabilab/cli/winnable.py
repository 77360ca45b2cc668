"""hanabilab winnable: the share of decks that can be won."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hanabilab.cli.arguments import (
    add_json_argument,
    add_rules_arguments,
    add_time_limit_argument,
    add_workers_arguments,
    chosen_workers,
)
from hanabilab.cli.output import interrupted, print_json
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.lab.exact_table import ExactTable
    from hanabilab.lab.winnable import WinnableCount

SUMMARY = "Estimate the fraction of decks that can be won with all cards visible."
EXAMPLES = """\
  hanabilab winnable --players 3 --decks 100000
  hanabilab winnable --players 2-5 --decks 1000000 --seed 1 --save winnable.csv
  hanabilab winnable --players 2 --decks 100000 --best
  hanabilab winnable --players 2 --rules rainbow-dutch --decks 10000 --json

With --save to a .csv or .jsonl file, re-run the same command to resume. A .json, .tex or .md file
contains one table of all numbers of players, written at the end. Ctrl-C ends the run with the
figures so far.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_rules_arguments(parser, ranges="2-5")
    parser.add_argument("--decks", type=int, default=10_000, metavar="N", help="default 10000")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the decks")
    add_workers_arguments(parser)
    add_time_limit_argument(parser, "deck")
    parser.add_argument(
        "--best", action="store_true", help="also the highest score of lost decks, and the mean"
    )
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="log the progress: .csv or .jsonl, one for each number; or write a table: .json, "
        ".tex or .md",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from hanabilab.cli.arguments import chosen_rules
    from hanabilab.game.deck import check_seed
    from hanabilab.lab.winnable import winnable

    check_seed("--seed", arguments.seed)
    numbers, workers = read_players(arguments.players), chosen_workers(arguments)
    at_end = _is_document(arguments.save)
    log = None if at_end else arguments.save
    found = []
    for players in numbers:
        arguments.players = players
        result = winnable(
            decks=arguments.decks,
            seed=arguments.seed,
            rules=chosen_rules(arguments),
            **workers,
            time_limit=arguments.time_limit,
            best=arguments.best,
            save=_file_for(log, players, len(numbers)),
        )
        found.append(result)
        if arguments.json:
            print_json(result.to_dict())
        else:
            print(result.heading())
        if result.interrupted:
            break
    if at_end:
        _table_of(found).save(arguments.save)
    if result.interrupted:
        return interrupted(f"these are the figures of {result.decks:,} decks")
    return 0


def _is_document(file: str | None) -> bool:
    """Return whether the file gets a table at the end; other files log the progress."""
    from pathlib import Path

    from hanabilab.lab.exact_table import check_exact_file

    if file is None or Path(file).suffix.lower() not in (".json", ".tex", ".md"):
        return False
    check_exact_file(file)
    return True


def _table_of(found: Sequence[WinnableCount]) -> ExactTable:
    """Return one row per number of players, with the exact fraction of the sample."""
    from fractions import Fraction

    from hanabilab.lab.exact_table import ExactTable

    data = [
        {
            **result.to_dict(),
            "fraction_exact": str(Fraction(result.outcomes["winnable"], max(result.decks, 1))),
        }
        for result in found
    ]
    names = ("players", "decks", "winnable", "fraction_exact", "fraction", "low", "high")
    rows = [
        {**{name: entry[name] for name in names}, **entry["losses"]}
        | {"undecided": entry["undecided"]}
        for entry in data
    ]
    return ExactTable("Decks that can be won with all cards visible", data, rows)


def read_players(text: str) -> list[int]:
    """Parse numbers of players: 3, 2,4 or 2-5."""
    from hanabilab.errors import RulesError
    from hanabilab.formats.deck_text import read_numbers
    from hanabilab.game.cards import MAX_PLAYERS

    return read_numbers("--players", text, 1, MAX_PLAYERS, error=RulesError)


def _file_for(file: str | None, players: int, several: int) -> str | None:
    """Return a separate file for each number of players: decks.csv becomes decks-3.csv."""
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
