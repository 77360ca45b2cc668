"""hanabilab play, replay, convert: one game, turn by turn or in another format."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hanabilab.cli.arguments import (
    add_deck_arguments,
    add_json_argument,
    add_link_argument,
    add_program_argument,
    add_rules_arguments,
    add_strategy_argument,
    chosen_deck,
    chosen_strategy,
)
from hanabilab.cli.game_input import read_records
from hanabilab.cli.output import link_of, note, print_json, show_game
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.formats.game_files import GameRecord
    from hanabilab.table.game import Game


PLAY_SUMMARY = "Play one game and print it turn by turn."
PLAY_EXAMPLES = """\
  hanabilab play random --players 3 --seed 1
  hanabilab play random --players 2 --seed 1 --game 7 --json > game.json
  hanabilab play random --players 2 --rules thesis --set-rule lives=unlimited
  hanabilab play recommendation --players 4 --explain
  hanabilab play cheat --deck p3v0s17 --link
"""


def add_play_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_strategy_argument(parser)
    add_rules_arguments(parser)
    add_deck_arguments(parser)
    parser.add_argument(
        "--explain", action="store_true", help="say why each action was chosen, in one sentence"
    )
    add_link_argument(parser)
    add_json_argument(parser)
    add_program_argument(parser)


def run_play(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.table.play import play

    deck = chosen_deck(arguments)
    strategy = chosen_strategy(arguments)
    game = play(strategy, deck, seed=arguments.seed, game=arguments.game)
    why = None
    if arguments.explain:
        from hanabilab.table.players import explain_game

        why = explain_game(game, strategy, seed=arguments.seed, game=arguments.game)
    if arguments.json:
        print_json({**game.to_dict(why), **({"link": link_of(game)} if arguments.link else {})})
        return
    if arguments.link:
        print(link_of(game))
        return
    names = ", ".join(dict.fromkeys(arguments.strategy))
    where = "given deck" if arguments.deck else f"seed {arguments.seed}, game {arguments.game}"
    show_game(game, f"{names}: {where}", why)


REPLAY_SUMMARY = "Replay games from a file, checking every action against the rules."
REPLAY_EXAMPLES = """\
  hanabilab play random --players 3 --seed 1 --json > game.json
  hanabilab replay game.json
  hanabilab replay games.jsonl --rules hle --json
  hanabilab replay - < game.json
  hanabilab replay 215txrdkrpalnbqlubap-hiainvwudogufjfmewgp-mhsfcsckqkxyv,03lbah-aebf,0
  hanabilab replay games.jsonl --link
"""


def add_replay_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
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


def run_replay(arguments: argparse.Namespace) -> None:
    """Run the command."""
    records = read_records(arguments.file, rules=arguments.rules, any_deck=arguments.any_deck)
    for record in records:
        game, states = replay(record)
        _warn_of_wrong_results(record, game)
        if arguments.json:
            link = {"link": link_of(game)} if arguments.link else {}
            print_json({**game.to_dict(), **link, "states": states})
        elif arguments.link:
            print(link_of(game))
        else:
            why = [data.get("why") for data in record.actions]
            show_game(game, f"line {record.line}", [w if isinstance(w, str) else None for w in why])


def replay(record: GameRecord) -> tuple[Game, list[dict[str, Any]]]:
    """Return a recorded game with every action validated, and the state after each action."""
    from hanabilab.formats.board_text import legal_dicts, state_dict
    from hanabilab.table.game import Game

    game = Game(record.deck.rules, record.deck)
    states = []
    for number, data in enumerate(record.actions, 1):
        game.replay_action(data, f"line {record.line}: action {number}")
        states.append({**state_dict(game.state), "legal": legal_dicts(game.state)})
    return game, states


def _warn_of_wrong_results(record: GameRecord, game: Game) -> None:
    """Report results in the file that do not follow from its actions."""
    found = game.to_dict()
    for key in ("score", "lives", "hint_tokens", "turns", "end"):
        claimed = record.data.get(key, found[key])
        if claimed != found[key]:
            note(
                f"line {record.line}: the file says {key} {claimed!r:.80}, its actions give "
                f"{found[key]!r:.80}"
            )


CONVERT_SUMMARY = "Convert games: our JSON, hanab.live's JSON, its links, text."
CONVERT_EXAMPLES = """\
  hanabilab convert game.json link
  hanabilab convert 215txrdkrpalnbqlubap-hiainvwudogufjfmewgp-mhsfcsckqkxyv,03lbah-aebf,0 json
  hanabilab convert export.json text
  hanabilab convert p3v0s17 hanablive
  hanabilab convert iggi_2_25000.pkl json        # a file of the Hanabi Open Agent Dataset
  hanabilab play cheat --json | hanabilab convert - link

What a format cannot carry is listed on standard error.
"""

FORMATS = ("json", "hanablive", "link", "text")


def add_convert_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
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


def run_convert(arguments: argparse.Namespace) -> None:
    """Run the command."""
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
    """A game with all metadata from its file."""

    game: Game
    record: GameRecord
    extras: Mapping[str, Any]

    @property
    def why(self) -> list[str] | None:
        """The explanations of all actions, if every action has one."""
        found = [data.get("why") for data in self.record.actions]
        return found if found and all(isinstance(why, str) for why in found) else None


def _print_game(document: Document, form: str) -> None:
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
    """Return what the format cannot express."""
    from hanabilab.formats.hanablive import unsupported_rules

    if form == "json":
        return []
    game, _, extras = document
    lost = [] if form == "text" else unsupported_rules(game.rules, options=form == "hanablive")
    lost += ["the explain_game for the actions"] if document.why else []
    if form == "hanablive":
        return lost
    words = {"players": "the names of the players", "end": "how the game was ended"}
    carried = {"seed", "play_value", *(["end", "variant"] if form == "link" else [])}
    options = extras.get("options", {})
    lost += [words.get(key, key) for key in extras if key not in {*carried, "options"}]
    return lost + [f"the option {name}" for name in options]


COMMANDS = {
    "play": Command(PLAY_SUMMARY, PLAY_EXAMPLES, add_play_arguments, run_play),
    "replay": Command(REPLAY_SUMMARY, REPLAY_EXAMPLES, add_replay_arguments, run_replay),
    "convert": Command(CONVERT_SUMMARY, CONVERT_EXAMPLES, add_convert_arguments, run_convert),
}
