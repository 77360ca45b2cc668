"""hanabilab solve: whether a deck can be won, and how."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hanabilab.cli.arguments import (
    add_deck_arguments,
    add_json_argument,
    add_rules_arguments,
    add_time_limit_argument,
    chosen_deck,
    chosen_rules,
)
from hanabilab.cli.game_input import argument_or_file, read_records
from hanabilab.cli.output import print_json
from hanabilab.cli.parser import Command

if TYPE_CHECKING:
    from hanabilab.game.deck import Deck
    from hanabilab.lab.solve import Answer
    from hanabilab.table.game import Game

SUMMARY = "Decide whether a deck can be won with all cards visible: a winning line or a proof."
EXAMPLES = """\
  hanabilab solve --players 2 --seed 7
  hanabilab solve --players 3 --deck "r1 y5 g3 ..." --json
  hanabilab solve decks.txt --players 4 --json
  hanabilab solve --players 2 --seed 1 --game 127 --best
  hanabilab solve p3v0s17
  hanabilab solve https://hanab.live/replay-json/215txrdk...,03lbah-aebf,0 --from-turn 2
  hanabilab solve --game-file game.json --from-turn 20
  hanabilab solve --game-file game.json --from-turn 50 --hidden

A link is solved from the current position of its game, or from the deal if the game is over. A file
has one deck per line: text, a hanab.live seed or link, or an object with `deck`, and with `players`
and `rules` if they differ from the options. Empty lines and lines that start with # are skipped.

With --hidden, everyone sees all hands but not the draw pile. Near the end of a game, this computes
for each action the exact probability of the maximum and the exact expected score. No player who
cannot see their own hand can do better.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="decks; - is standard input; or a hanab.live seed or link",
    )
    add_rules_arguments(parser)
    add_deck_arguments(parser)
    parser.add_argument(
        "--game-file", metavar="FILE", help="a game in any format that `convert` reads"
    )
    parser.add_argument(
        "--from-turn",
        type=int,
        metavar="T",
        help="solve that game after its first T turns, default: all",
    )
    add_time_limit_argument(parser, "deck")
    parser.add_argument(
        "--best", action="store_true", help="find the highest score of a lost deck as well"
    )
    parser.add_argument(
        "--hidden",
        action="store_true",
        help="all hands in sight, the draw pile in unknown order: the value of each action",
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from hanabilab.errors import HanabiError
    from hanabilab.formats.hanablive import is_link
    from hanabilab.lab.progress import progress_bar
    from hanabilab.lab.solve import solve

    link = arguments.file if arguments.file and is_link(arguments.file) else None
    if link:
        arguments.file, arguments.game_file = None, arguments.game_file or link
    if arguments.from_turn is not None and not arguments.game_file:
        raise HanabiError("--from-turn needs a --game-file")
    if sum(map(bool, (arguments.file, arguments.deck, arguments.game_file))) > 1:
        raise HanabiError("give a file of decks, or --deck, or --game-file, not several")
    positions = [_linked_position(arguments)] if link else list(_positions(arguments))
    if arguments.hidden:
        _solve_hidden(positions, arguments)
        return
    with progress_bar("solve", len(positions), False if len(positions) == 1 else None) as report:
        for number, what in enumerate(positions, 1):
            answer = solve(what, time_limit=arguments.time_limit, best=arguments.best)
            if arguments.json:
                print_json(answer.to_dict())
            else:
                _print_answer(answer, arguments.best)
            report(number, "decks")


def _solve_hidden(positions: list[Deck | Game], arguments: argparse.Namespace) -> None:
    """Print the value of each action with all hands known and the draw pile hidden."""
    from hanabilab.errors import HanabiError
    from hanabilab.lab.solve import solve

    if arguments.best:
        raise HanabiError("--best: with --hidden, the expected score is found anyway")
    for what in positions:
        answer = solve(what, time_limit=arguments.time_limit, hidden=True, progress=None)
        if arguments.json:
            print_json(answer.to_dict())
        else:
            print(answer.to_text())


def _print_answer(answer: Answer, best: bool) -> None:
    """Print the verdict, and the winning line if there is one to show."""
    from hanabilab.lab.solve import action_text

    print(answer.summary())
    if answer.winnable or best:
        for number, action in enumerate(answer.actions, 1):
            print(f"  {number:>3}  player {action['player']}: {action_text(action)}")


def _positions(arguments: argparse.Namespace) -> Iterator[Deck | Game]:
    if arguments.game_file:
        yield _game_at(arguments)
    elif arguments.file:
        yield from _decks(arguments)
    else:
        yield chosen_deck(arguments)


def _game_at(arguments: argparse.Namespace) -> Game:
    import dataclasses

    from hanabilab.errors import FormatError, HanabiError
    from hanabilab.table.game import Game

    records = list(read_records(arguments.game_file, any_deck=arguments.any_deck))
    if len(records) != 1:
        raise FormatError(f"{arguments.game_file}: {len(records)} games where one was expected")
    turns = len(records[0].actions) if arguments.from_turn is None else arguments.from_turn
    if not 0 <= turns <= len(records[0].actions):
        raise HanabiError(
            f"--from-turn: {turns} is not between 0 and {len(records[0].actions)}, "
            "the turns of the game"
        )
    return Game.from_record(dataclasses.replace(records[0], actions=records[0].actions[:turns]))


def _linked_position(arguments: argparse.Namespace) -> Deck | Game:
    """Return the last position of a link's game, or its deck if the game is over."""
    game = _game_at(arguments)
    return game.deck if game.is_over and arguments.from_turn is None else game


def _decks(arguments: argparse.Namespace) -> Iterator[Deck]:
    from hanabilab.errors import FormatError, HanabiError
    from hanabilab.formats.hanablive import is_link, live_from_link
    from hanabilab.game.deck import is_seed

    empty = True
    decks = argument_or_file(arguments.file, given=is_seed(arguments.file))
    for number, line in enumerate(decks.splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        empty = False
        try:
            if is_link(text):
                yield live_from_link(text).deck
            else:
                read = _read_object if text[0] == "{" else _read_text
                yield read(text, arguments)
        except HanabiError as error:
            raise type(error)(f"line {number}: {error}") from None
    if empty:
        raise FormatError(f"{arguments.file}: there is no deck in it")


def _read_text(deck: str | list[str | int], arguments: argparse.Namespace) -> Deck:
    from hanabilab.formats.deck_text import read_deck

    return read_deck(deck, chosen_rules(arguments, deck), any_deck=arguments.any_deck)


def _read_object(text: str, arguments: argparse.Namespace) -> Deck:
    """Parse a deck with its own players and rules; the options fill in what is missing."""
    import json

    from hanabilab.checks import shorten
    from hanabilab.errors import FormatError
    from hanabilab.formats.deck_text import read_deck
    from hanabilab.formats.hanablive import is_live_object, live_from_dict
    from hanabilab.game.rules import Rules

    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"this is not JSON: {error.msg} (column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not JSON: {error}") from None
    if is_live_object(data):
        return live_from_dict(data).deck
    if "deck" not in data:
        raise FormatError("the object has no key 'deck'")
    deck, players = data["deck"], data.get("players")
    if not isinstance(deck, str | list):
        raise FormatError(f"deck: {shorten(deck)} is neither text nor a list")
    if players is not None and type(players) is not int:
        raise FormatError(f"players: {shorten(players)} is not an integer")
    if "rules" in data:
        rules = Rules.from_dict(data["rules"], arguments.players if players is None else players)
        return read_deck(deck, rules, any_deck=arguments.any_deck)
    own = argparse.Namespace(**vars(arguments))
    own.players = arguments.players if players is None else players
    return _read_text(deck, own)


COMMANDS = {
    "solve": Command(SUMMARY, EXAMPLES, add_arguments, run),
}
