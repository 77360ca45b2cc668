"""hanabilab review: what was luck, what was error, what was best?"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hanabilab.cli.arguments import add_json_argument, read_records
from hanabilab.cli.output import print_json
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.formats.game_files import GameRecord

SUMMARY = "Review played games as their players could know them: luck, errors, best actions."
EXAMPLES = """\
  hanabilab play conventions --players 3 --seed 1 --json > game.json
  hanabilab review game.json
  hanabilab review game.json --as conventions:level=2 --link
  hanabilab review https://hanab.live/replay-json/215txrdk...,03lbah-aebf,0 --json

For each game: the points that players who follow a convention expect, turn by turn; what the
decisions cost, by what each player could know; what the draw pile and the hidden hands brought; and
facts that need no convention, such as who could have saved a card. A game that no known convention
explains is not judged: the review then says so and gives the facts. Players have the names of
hanab.live, and slot 1 is the newest card. Results are cached: re-run the same command to resume
after Ctrl-C.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    about = "games in any format that `convert` reads; - is standard input"
    parser.add_argument("file", metavar="GAME", help=about)
    parser.add_argument(
        "--as",
        dest="convention",
        default="auto",
        metavar="STRATEGY",
        help="the convention to judge by: a strategy, or auto for the one that explains the game "
        "best",
    )
    _add_precision_arguments(parser)
    parser.add_argument(
        "--any-deck", action="store_true", help="let decks have another composition"
    )
    parser.add_argument("--link", action="store_true", help="add links to the turns at hanab.live")
    parser.add_argument("--plot", metavar="FILE", help="draw the expected points of a game by turn")
    add_json_argument(parser)


def _add_precision_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("precision").add_mutually_exclusive_group()
    group.add_argument("--quick", action="store_true", help="a quarter of the samples")
    group.add_argument("--deep", action="store_true", help="eight times the samples")
    group.add_argument(
        "--worlds", type=int, metavar="N", help="samples of a turn, a power of two; default 256"
    )
    parser.add_argument(
        "--threads", type=int, metavar="T", help="default: all cores; never changes a result"
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="neither use nor keep results of earlier reviews"
    )


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.formats.hanablive import own_extras
    from hanabilab.lab.plot import check_plot_file
    from hanabilab.lab.review import review
    from hanabilab.lab.review.report import report_text
    from hanabilab.table.game import Game

    check_plot_file(arguments.plot)
    for record in _records(arguments):
        game = Game.from_record(record)
        site = record.data.get("hanablive")
        found = review(
            game,
            arguments.convention,
            site=None if site is None else own_extras(site, game.deck),
            **chosen_precision(arguments),
        )
        if arguments.json:
            print_json(found.to_dict())
        else:
            print(f"{report_text(found, links=arguments.link)}\n")
        if arguments.plot:
            found.plot(arguments.plot)


def chosen_precision(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of a review that the options name."""
    from hanabilab.lab.review.game_review import DEEP, QUICK, WORLDS

    worlds = QUICK if arguments.quick else DEEP if arguments.deep else arguments.worlds or WORLDS
    return {"worlds": worlds, "threads": arguments.threads, "cached": not arguments.no_cache}


def _records(arguments: argparse.Namespace) -> Iterator[GameRecord]:
    """Yield the games of a file, or of all files of a folder."""
    path = Path(arguments.file)
    files = sorted(map(str, path.iterdir())) if path.is_dir() else [arguments.file]
    for file in files:
        yield from read_records(file, any_deck=arguments.any_deck)


COMMANDS = {
    "review": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
