"""Games in files, in any format that can be read: our JSON, hanab.live's JSON, links, text."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hanabilab.checks import whole_number
from hanabilab.errors import DeckError, FormatError, HanabiError, RulesError
from hanabilab.formats.deck_text import read_deck, short
from hanabilab.formats.game_text import KEYS, read_game_lines, split_games
from hanabilab.formats.hanablive import LiveGame, is_live_object, live_from_dict, live_from_link
from hanabilab.formats.hanablive.link import is_link
from hanabilab.game.choose import choose_rules
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.game.seeds import is_seed

__all__ = ["GameRecord", "is_game_text", "read_games", "read_json"]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game as it stands in a file; its actions are not checked yet."""

    line: int
    deck: Deck
    actions: list[Any]
    data: Mapping[str, Any]
    """The whole object, with what it claims about the result."""


def is_game_text(text: str) -> bool:
    """Tell whether this is a link or a seed of hanab.live itself, and not the name of a file."""
    return is_seed(text) or is_link(text)


def read_games(
    text: str, *, rules: str | None = None, any_deck: bool = False
) -> Iterator[GameRecord]:
    """Yield the games in a text; a preset named by `rules` replaces the rules of the file.

    The text holds JSON objects, ours or hanab.live's; or lines with a link or a seed each; or games
    in our text notation.
    """
    start = text.lstrip()[:10]
    if start.split(" ")[0] in KEYS:
        games = _from_blocks(text, rules, any_deck)
    elif is_game_text(text.strip().split("\n")[0].strip()):
        games = _from_lines(text, rules)
    else:
        games = _from_objects(text, rules, any_deck)
    yield from games


def _from_objects(text: str, rules: str | None, any_deck: bool) -> Iterator[GameRecord]:
    for line, data in read_json(text):
        with _on_line(line):
            if isinstance(data, Mapping) and is_live_object(data):
                record = _live_record(line, live_from_dict(data, rules))
            else:
                record = _read_game(line, data, rules, any_deck)
        yield record


def _from_blocks(text: str, rules: str | None, any_deck: bool) -> Iterator[GameRecord]:
    for line, block in split_games(text):
        with _on_line(line):
            deck, actions = read_game_lines(block, rules=rules, any_deck=any_deck)
        yield GameRecord(line, deck, actions, {})


def _from_lines(text: str, rules: str | None) -> Iterator[GameRecord]:
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line:
            continue
        with _on_line(number):
            if is_seed(line):
                deck = read_deck(line, choose_rules(rules or "classic", deck=line))
                record = GameRecord(number, deck, [], {"hanablive": {"seed": line}})
            elif is_link(line):
                record = _live_record(number, live_from_link(line, rules))
            else:
                raise FormatError(f"{short(line)} is neither a link nor a seed of hanab.live")
        yield record


def _live_record(line: int, game: LiveGame) -> GameRecord:
    return GameRecord(line, game.deck, game.actions, {"hanablive": game.extras})


@contextmanager
def _on_line(line: int) -> Iterator[None]:
    """Add the number of the line to errors."""
    try:
        yield
    except HanabiError as error:
        raise type(error)(f"line {line}: {error}") from None


def read_json(text: str) -> Iterator[tuple[int, object]]:
    """Yield each JSON value with the line that it starts on; values may span lines."""
    decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
    line, counted, place = 1, 0, 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        line += text.count("\n", counted, place)
        counted = place
        try:
            data, place = decoder.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError, ValueError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            at = line
            if isinstance(error, json.JSONDecodeError):
                at = error.lineno
                reason += f" (column {error.colno})"
            raise FormatError(f"line {at}: this is not JSON: {reason}") from None
        yield line, data


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is too large")
    return number


def _read_game(line: int, data: object, rules: str | None, any_deck: bool) -> GameRecord:
    if not isinstance(data, Mapping):
        raise FormatError(f"{short(data)} is not an object")
    for key in ("deck", "actions"):
        if key not in data:
            raise FormatError(f"the object has no key {key!r}")
    actions = data["actions"]
    if not isinstance(actions, list):
        raise FormatError(f"actions: {short(actions)} is not a list")
    chosen = _read_rules(data, rules, data.get("players"))
    return GameRecord(line, _read_cards(data["deck"], chosen, any_deck), actions, data)


def _read_rules(data: Mapping[str, Any], rules: str | None, players: object) -> Rules:
    number = None if players is None else whole_number("players", players, error=RulesError)
    if rules is not None or "rules" not in data:
        return choose_rules(rules or "classic", number, deck=data["deck"])
    return Rules.from_dict(data["rules"], number)


def _read_cards(cards: object, rules: Rules, any_deck: bool) -> Deck:
    if not isinstance(cards, str | list):
        raise DeckError(f"deck: {short(cards)} is neither text nor a list")
    return read_deck(cards, rules, any_deck=any_deck)
