"""hanabilab analyze: where was a game lost?"""

from __future__ import annotations

import argparse

from hanabilab.cli.common import add_json_argument, add_time_limit_argument, print_json, read_input

SUMMARY = "Find the turn that lost the maximum of a played game, and a move that kept it."
EXAMPLES = """\
  hanabilab play information --players 3 --seed 1 --json > game.json
  hanabilab analyze game.json
  hanabilab analyze games.jsonl --json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="games as `play --json` prints them")
    add_time_limit_argument(parser, "turn")
    parser.add_argument(
        "--any-deck", action="store_true", help="let decks have another composition"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.errors import FormatError
    from hanabilab.formats.action import Action
    from hanabilab.formats.replay import read_games
    from hanabilab.lab.game import Game
    from hanabilab.lab.solving import analyze

    empty = True
    for record in read_games(read_input(arguments.file), any_deck=arguments.any_deck):
        empty = False
        game = Game.from_record(record)
        analysis = analyze(game, time_limit=arguments.time_limit)
        if arguments.json:
            print_json(analysis.to_json())
            continue
        print(f"line {record.line}: score {game.score} of {game.rules.max_score}")
        if analysis.lost_at is None:
            print("the maximum was in reach to the end")
        elif analysis.lost_at == 0:
            print("the deck could not be won")
        else:
            print(f"turn {analysis.lost_at} lost it: {game.actions[analysis.lost_at - 1]}")
            print(f"this would have kept it: {Action.from_json(analysis.better, game.rules)}")
        row = " ".join(str(turn["best"]) for turn in [analysis.start, *analysis.turns])
        print(f"best reachable score at the start and after each turn: {row}")
    if empty:
        raise FormatError(f"{arguments.file}: there is no game in it")
