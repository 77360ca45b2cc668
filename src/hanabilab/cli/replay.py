"""hanabilab replay: check recorded games against the rules and show them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from hanabilab.cli.common import add_json_argument, print_json, read_input

if TYPE_CHECKING:
    from hanabilab.formats.replay import GameRecord
    from hanabilab.lab.game import Game

SUMMARY = "Replay games from a file, checking every action against the rules."
EXAMPLES = """\
  hanabilab play random --players 3 --seed 1 --json > game.json
  hanabilab replay game.json
  hanabilab replay games.jsonl --rules hle --json
  hanabilab replay - < game.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        help="games as `play --json` prints them, one or one a line; - reads standard input",
    )
    parser.add_argument(
        "--rules", metavar="PRESET", help="replay under these rules, whatever the file says"
    )
    parser.add_argument(
        "--any-deck", action="store_true", help="let decks have another composition"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.errors import FormatError
    from hanabilab.formats.replay import read_games

    text = read_input(arguments.file)
    empty = True
    for record in read_games(text, rules=arguments.rules, any_deck=arguments.any_deck):
        empty = False
        game, states = replay(record)
        _warn_of_claims(record, game)
        if arguments.json:
            print_json({**game.to_json(), "states": states})
        else:
            from hanabilab.cli.show import show_game

            why = [data.get("why") for data in record.actions]
            show_game(game, f"line {record.line}", [w if isinstance(w, str) else None for w in why])
    if empty:
        raise FormatError(f"{arguments.file}: there is no game in it")


def replay(record: GameRecord) -> tuple[Game, list[dict[str, Any]]]:
    """A recorded game with every action checked, and what the table looked like after each."""
    from hanabilab.lab.game import Game

    game = Game(record.deck.rules, record.deck)
    states = []
    for number, data in enumerate(record.actions, 1):
        game.replay_action(data, f"line {record.line}: action {number}")
        states.append(
            {
                "score": game.score,
                "lives": game.lives,
                "hint_tokens": game.hint_tokens,
                "draw_pile": game.state.draw_pile,
                "fireworks": game.fireworks,
                "legal": [action.to_json(game.player) for action in game.legal_actions()],
            }
        )
    return game, states


def _warn_of_claims(record: GameRecord, game: Game) -> None:
    """Say where the file claims another result than its actions have."""
    found = game.to_json()
    for key in ("score", "lives", "hint_tokens", "turns", "end"):
        claimed = record.data.get(key, found[key])
        if claimed != found[key]:
            print(
                f"line {record.line}: the file says {key} {claimed!r}, its actions give "
                f"{found[key]!r}",
                file=sys.stderr,
            )
