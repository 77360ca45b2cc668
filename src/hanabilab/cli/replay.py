"""hanabilab replay: check recorded games against the rules and show them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from hanabilab.cli.common import add_json_argument, add_link_argument, print_json
from hanabilab.cli.inputs import read_records

if TYPE_CHECKING:
    from hanabilab.formats.game_files import GameRecord
    from hanabilab.table.game import Game

SUMMARY = "Replay games from a file, checking every action against the rules."
EXAMPLES = """\
  hanabilab play random --players 3 --seed 1 --json > game.json
  hanabilab replay game.json
  hanabilab replay games.jsonl --rules hle --json
  hanabilab replay - < game.json
  hanabilab replay 215txrdkrpalnbqlubap-hiainvwudogufjfmewgp-mhsfcsckqkxyv,03lbah-aebf,0
  hanabilab replay games.jsonl --link
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        help="games in any format that `convert` reads; - reads standard input; "
        "or a hanab.live link itself",
    )
    parser.add_argument(
        "--rules",
        metavar="PRESET",
        help="replay under these rules, whatever the file says; default: its own",
    )
    parser.add_argument(
        "--any-deck", action="store_true", help="let decks have another composition"
    )
    add_link_argument(parser)
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.cli.output import link_of

    records = read_records(arguments.file, rules=arguments.rules, any_deck=arguments.any_deck)
    for record in records:
        game, states = replay(record)
        _warn_of_claims(record, game)
        if arguments.json:
            link = {"link": link_of(game)} if arguments.link else {}
            print_json({**game.to_dict(), **link, "states": states})
        elif arguments.link:
            print(link_of(game))
        else:
            from hanabilab.cli.show import show_game

            why = [data.get("why") for data in record.actions]
            show_game(game, f"line {record.line}", [w if isinstance(w, str) else None for w in why])


def replay(record: GameRecord) -> tuple[Game, list[dict[str, Any]]]:
    """Return a recorded game with every action checked, and the state after each."""
    from hanabilab.formats.board_text import legal_dicts, state_dict
    from hanabilab.table.game import Game

    game = Game(record.deck.rules, record.deck)
    states = []
    for number, data in enumerate(record.actions, 1):
        game.replay_action(data, f"line {record.line}: action {number}")
        states.append({**state_dict(game.state), "legal": legal_dicts(game.state)})
    return game, states


def _warn_of_claims(record: GameRecord, game: Game) -> None:
    """Say where the file claims a result that its actions do not give."""
    from hanabilab.cli.output import note

    found = game.to_dict()
    for key in ("score", "lives", "hint_tokens", "turns", "end"):
        claimed = record.data.get(key, found[key])
        if claimed != found[key]:
            note(
                f"line {record.line}: the file says {key} {claimed!r:.80}, its actions give "
                f"{found[key]!r:.80}"
            )
