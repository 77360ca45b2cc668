"""Options that several commands share: rules, decks, output."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hanabilab.errors import FormatError, HanabiError, RulesError

if TYPE_CHECKING:
    from hanabilab.game.deck import Deck
    from hanabilab.game.rules import Rules

__all__ = [
    "add_deck_arguments",
    "add_json_argument",
    "add_rules_arguments",
    "chosen_deck",
    "chosen_rules",
    "print_json",
    "read_input",
]


def add_rules_arguments(parser: argparse.ArgumentParser) -> None:
    """`--players`, `--rules` and `--rule`."""
    group = parser.add_argument_group("rules")
    group.add_argument("--players", type=int, metavar="P", help="how many play")
    group.add_argument(
        "--rules",
        default="classic",
        metavar="PRESET",
        help="named rules, default classic; `hanabilab rules` shows all",
    )
    group.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change one of them: hand-size=4, hint-tokens=unlimited, copies=3,2,2,2,1 …",
    )


def chosen_rules(arguments: argparse.Namespace) -> Rules:
    """The rules that the options describe."""
    from hanabilab.game.rules import preset

    changes = dict(_read_rule(text) for text in arguments.rule)
    return preset(arguments.rules, arguments.players, **changes)


def _read_rule(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise RulesError(f"--rule {text}: it is not of the form NAME=VALUE")
    name = name.strip().replace("-", "_")
    words = {"true": True, "yes": True, "false": False, "no": False, "unlimited": None}
    if value.lower() in words:
        return name, words[value.lower()]
    try:
        if name == "copies":
            return name, [[int(count) for count in row.split(",")] for row in value.split("/")]
        return name, int(value)
    except ValueError:
        raise RulesError(f"{name}: {value!r} is not a value of this rule") from None


def add_deck_arguments(parser: argparse.ArgumentParser) -> None:
    """`--seed`, `--game`, `--deck` and `--any-deck`."""
    group = parser.add_argument_group("deck")
    group.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the decks")
    group.add_argument("--game", type=int, default=0, metavar="G", help="number of the game")
    group.add_argument(
        "--deck", metavar="CARDS", help="the deck itself, first card first: 'r1 y5 g3 …'"
    )
    group.add_argument(
        "--any-deck", action="store_true", help="let --deck have another composition"
    )


def chosen_deck(arguments: argparse.Namespace) -> Deck:
    """The deck that the options describe."""
    from hanabilab.formats.text import read_deck
    from hanabilab.game.deck import Deck, check_number

    rules = chosen_rules(arguments)
    check_number("--seed", arguments.seed)
    check_number("--game", arguments.game)
    if arguments.deck is not None:
        return read_deck(arguments.deck, rules, any_deck=arguments.any_deck)
    return Deck.shuffled(rules, seed=arguments.seed, game=arguments.game)


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """`--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def print_json(data: object) -> None:
    """One object on one line."""
    print(json.dumps(data, ensure_ascii=False))


def read_input(name: str) -> str:
    """The text of a file; `-` is standard input."""
    try:
        if name == "-":
            return sys.stdin.read()
        return Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{name}: it is not text ({error.reason} at byte {error.start})"
        ) from None
    except OSError as error:
        raise HanabiError(f"{name}: {error.strerror}") from None
