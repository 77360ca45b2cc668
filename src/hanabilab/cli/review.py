"""hanabilab review: luck and errors in a game, judged by what its players could know."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hanabilab.cli.arguments import (
    add_json_argument,
    add_rules_arguments,
    chosen_rules,
)
from hanabilab.cli.game_input import add_download_argument, read_folder
from hanabilab.cli.output import print_json
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.formats.game_files import GameRecord
    from hanabilab.lab.review import Review

SUMMARY = "Review played games: separate luck from error, given what each player could know."
EXAMPLES = """\
  hanabilab play conventions --players 3 --seed 1 --json > game.json
  hanabilab review game.json --as conventions:level=2 --link
  hanabilab review https://hanab.live/replay-json/215txrdk...,03lbah-aebf,0 --json
  hanabilab review games/ --save report.html
  hanabilab review --games 200 conventions --players 3 --seed 1

For each game, the review shows the expected score turn by turn, if everyone follows a convention;
the cost of each decision, given what its player could know; the luck of hidden cards and draws; and
facts that need no convention, such as who could have saved a card. If no known convention explains
a game, the review gives the facts only. Games of hanab.live keep their players' names, and slot 1
is the newest card. For several games, or a folder of files, statistics of each player follow. With
--games, a strategy plays and is reviewed, to find out where it loses points. Results are cached:
re-run the same command to resume after Ctrl-C.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "game",
        metavar="GAME",
        help="games in any format that `convert` reads, or a folder of such files; - is standard "
        "input; with --games, a strategy",
    )
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
    add_download_argument(parser)
    parser.add_argument("--link", action="store_true", help="add links to the turns at hanab.live")
    parser.add_argument("--plot", metavar="FILE", help="draw the expected points of a game by turn")
    parser.add_argument(
        "--save",
        metavar="FILE",
        help="write the players' figures: page .html, table .csv",
    )
    add_json_argument(parser)
    group = parser.add_argument_group("review of a strategy")
    group.add_argument(
        "--games", type=int, metavar="N", help="play and review this many games, default: none"
    )
    group.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the decks")
    add_rules_arguments(parser)


def _add_precision_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("precision").add_mutually_exclusive_group()
    group.add_argument("--quick", action="store_true", help="an eighth of the samples")
    group.add_argument("--deep", action="store_true", help="eight times the samples")
    group.add_argument(
        "--worlds",
        type=int,
        metavar="N",
        help="samples of a turn, a power of two; default 256, with --games 64",
    )
    parser.add_argument(
        "--exact-pile",
        type=int,
        metavar="N",
        help="solve endgames exactly from this many cards in the draw pile on; default 8, with "
        "--quick 5",
    )
    parser.add_argument(
        "--threads", type=int, metavar="T", help="default: all cores; never changes a result"
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="neither use nor keep results of earlier reviews"
    )


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.lab.plot import check_plot_file

    check_plot_file(arguments.plot)
    _check_save_file(arguments.save, page=arguments.games is None)
    if arguments.games is not None:
        _review_strategy(arguments)
    else:
        _review_games(arguments)


def _check_save_file(file: str | None, *, page: bool) -> None:
    """Raise, before any review, if the statistics cannot be written to this file.

    Only the statistics of players can be an HTML page.
    """
    from hanabilab.lab.files import check_folder
    from hanabilab.lab.result import check_table_file
    from hanabilab.lab.review.statistics import PAGE

    if page and file is not None and Path(file).suffix.lower() == PAGE:
        check_folder(file)
    else:
        check_table_file(file)


def _review_strategy(arguments: argparse.Namespace) -> None:
    from hanabilab.lab.review.game_review import BULK_WORLDS
    from hanabilab.lab.review.statistics import review_strategy
    from hanabilab.strategies.load import load_player

    found = review_strategy(
        load_player(arguments.game),
        chosen_rules(arguments),
        arguments.games,
        seed=arguments.seed,
        **_precision(arguments, BULK_WORLDS),
    )
    if arguments.json:
        print_json(found.to_dict())
    else:
        print(found.to_text())
    if arguments.save:
        found.save(arguments.save)
    if arguments.plot:
        found.plot(arguments.plot)


def _review_games(arguments: argparse.Namespace) -> None:
    from hanabilab.lab.review.statistics import player_statistics

    reviews: list[Review] = []
    try:
        games = read_folder(arguments.game, any_deck=arguments.any_deck, server=arguments.download)
        for record in games:
            if reviews and not arguments.json:
                print()
            reviews.append(_review_record(arguments, record))
    finally:  # also after Ctrl-C
        if reviews and arguments.save:
            player_statistics(reviews).save(arguments.save)
        if len(reviews) > 1:
            found = player_statistics(reviews)
            if arguments.json:
                print_json({"statistics": found.to_dict()})
            else:
                print(f"\n{found.to_text()}")


def _review_record(arguments: argparse.Namespace, record: GameRecord) -> Review:
    """Review a game and print the review."""
    from hanabilab.formats.hanablive import own_extras
    from hanabilab.lab.review import review
    from hanabilab.lab.review.account import AUTO
    from hanabilab.lab.review.game_review import WORLDS
    from hanabilab.lab.review.report import report_text
    from hanabilab.strategies.load import load_player
    from hanabilab.table.game import Game

    game = Game.from_record(record)
    site = record.data.get("hanablive")
    convention = arguments.convention
    found = review(
        game,
        convention if convention == AUTO else load_player(convention),
        site=None if site is None else own_extras(site, game.deck),
        exact_pile=_exact_pile(arguments),
        **_precision(arguments, WORLDS),
    )
    if arguments.json:
        print_json(found.to_dict())
    else:
        print(report_text(found, links=arguments.link))
    if arguments.plot:
        found.plot(arguments.plot)
    return found


def _precision(arguments: argparse.Namespace, usual: int) -> dict[str, Any]:
    """Return the settings of a review given by the options."""
    from hanabilab.lab.review.game_review import DEEP, QUICK

    worlds = QUICK if arguments.quick else DEEP if arguments.deep else usual
    if arguments.worlds is not None:
        worlds = arguments.worlds
    return {"worlds": worlds, "threads": arguments.threads, "cached": not arguments.no_cache}


def _exact_pile(arguments: argparse.Namespace) -> int:
    """Return the size of the draw pile from which endgames are solved."""
    from hanabilab.lab.review.game_review import EXACT_PILE, QUICK_PILE

    if arguments.exact_pile is not None:
        return int(arguments.exact_pile)
    return QUICK_PILE if arguments.quick else EXACT_PILE


COMMANDS = {
    "review": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
