"""hanabilab convert: games from one format to another."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hanabilab.cli.common import print_json
from hanabilab.cli.inputs import read_records

if TYPE_CHECKING:
    from hanabilab.formats.game_files import GameRecord
    from hanabilab.table.game import Game

SUMMARY = "Convert games: our JSON, hanab.live's JSON, its links, text."
EXAMPLES = """\
  hanabilab convert game.json link
  hanabilab convert 215txrdkrpalnbqlubap-hiainvwudogufjfmewgp-mhsfcsckqkxyv,03lbah-aebf,0 json
  hanabilab convert export.json text
  hanabilab convert p3v0s17 hanablive
  hanabilab play cheat --json | hanabilab convert - link

What a format cannot carry is listed on standard error.
"""
FORMATS = ("json", "hanablive", "link", "text")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        metavar="IN",
        help="a file, - for standard input, or a link or a seed of hanab.live",
    )
    parser.add_argument(
        "format",
        metavar="OUT-FORMAT",
        choices=FORMATS,
        help="json (ours), hanablive (JSON that hanab.live imports), link, or text",
    )
    parser.add_argument("--any-deck", action="store_true", help="accept decks of any composition")


def run(arguments: argparse.Namespace) -> None:
    from hanabilab.formats.hanablive import own_extras
    from hanabilab.table.game import Game

    records = read_records(arguments.input, any_deck=arguments.any_deck)
    for number, record in enumerate(records):
        game = Game.from_record(record)
        extras = own_extras(record.data.get("hanablive"), game.deck)
        if arguments.format == "text" and number:
            print()
        _print_game(Document(game, record, extras), arguments.format)


class Document(NamedTuple):
    """A game with everything that its file says about it."""

    game: Game
    record: GameRecord
    extras: Mapping[str, Any]

    @property
    def why(self) -> list[str] | None:
        """The explanations of all actions, if every action has one."""
        found = [data.get("why") for data in self.record.actions]
        return found if found and all(isinstance(why, str) for why in found) else None


def _print_game(document: Document, form: str) -> None:
    from hanabilab.cli.output import note
    from hanabilab.formats.game_files import game_lines
    from hanabilab.formats.hanablive import ending_of, payload_of, to_live_dict

    game, record, extras = document
    lost = _losses(document, form)
    if form == "json":
        known = {"hanablive": dict(extras)} if extras else {}
        print_json({**game.to_dict(document.why), **known})
    elif form == "text":
        print("\n".join(game_lines(game.deck, game.actions)))
    else:
        live = [*game.live_actions(), *ending_of(extras)]
        if form == "link":
            print(payload_of(game.deck, live, extras).link())
        else:
            print_json(to_live_dict(game.deck, live, extras))
            if not live:
                note(f"line {record.line}: hanab.live imports only games with at least one action")
    if lost:
        note(f"line {record.line}: {form} does not carry {', '.join(lost)}")


def _losses(document: Document, form: str) -> list[str]:
    """Return what the format cannot carry, in words."""
    from hanabilab.formats.hanablive import unsupported_rules

    if form == "json":
        return []
    game, _, extras = document
    lost = [] if form == "text" else unsupported_rules(game.rules, options=form == "hanablive")
    lost += ["the reasons for the actions"] if document.why else []
    if form == "hanablive":
        return lost
    words = {"players": "the names of the players", "end": "how the game was ended"}
    carried = {"seed", "play_value", *(["end", "variant"] if form == "link" else [])}
    options = extras.get("options", {})
    lost += [words.get(key, key) for key in extras if key not in {*carried, "options"}]
    return lost + [f"the option {name}" for name in options]
