"""hanabilab analyze: where was a game lost?"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from hanabilab.cli.common import (
    add_json_argument,
    add_time_limit_argument,
    print_json,
    read_records,
)

if TYPE_CHECKING:
    from hanabilab.lab.open_games.analysis import Analysis
    from hanabilab.table.game import Game

SUMMARY = "Find the turn that lost the maximum of a played game, and a move that kept it."
EXAMPLES = """\
  hanabilab play information --players 3 --seed 1 --json > game.json
  hanabilab analyze game.json
  hanabilab analyze games.jsonl --json

For each game: whether the deck could be won, the turn that lost the maximum, and all other turns
that cost points, each with an action that would have kept them.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    about = "games in any format that `convert` reads; - is standard input"
    parser.add_argument("file", metavar="FILE", help=about)
    add_time_limit_argument(parser, "turn")
    parser.add_argument(
        "--any-deck", action="store_true", help="let decks have another composition"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.lab.open_games.analysis import analyze
    from hanabilab.table.game import Game

    for record in read_records(arguments.file, any_deck=arguments.any_deck):
        game = Game.from_record(record)
        analysis = analyze(game, time_limit=arguments.time_limit)
        if arguments.json:
            print_json(analysis.to_dict())
        else:
            print(f"line {record.line}: score {game.score} of {game.rules.max_score}")
            _print_analysis(analysis, game)


def _print_analysis(analysis: Analysis, game: Game) -> None:
    from hanabilab.cli.output import mistake_in_words, range_in_words

    last = [analysis.start, *analysis.turns][-1]
    if analysis.lost_at == 0:
        print("the deck could not be won")
    elif last.winnable:
        print("the maximum was in reach to the end")
    elif analysis.lost_at is None:
        certain = [turn for turn, one in enumerate(analysis.turns, 1) if one.winnable is False]
        ending = f"it was lost in turn {certain[0]} or before" if certain else "it may be lost"
        print(f"the time ran out: {ending}")
    for mistake in analysis.mistakes:
        print(mistake_in_words(mistake, game.rules))
    row = " ".join(range_in_words(turn) for turn in (analysis.start, *analysis.turns))
    print(f"best reachable score at the start and after each turn: {row}")
