"""The JSON format of games: one object a game, or one a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hanabilab.errors import DeckError, FormatError, HanabiError, RulesError
from hanabilab.formats.text import read_deck
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules, preset

__all__ = ["GameRecord", "read_games"]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game as it stands in a file; its actions are not checked yet."""

    line: int
    deck: Deck
    actions: list[Any]
    data: Mapping[str, Any]
    """The whole object, with what it claims about the result."""


def read_games(
    text: str, *, rules: str | None = None, any_deck: bool = False
) -> Iterator[GameRecord]:
    """The games in a text; `rules` names a preset that takes the place of the file's rules."""
    for line, data in _objects(text):
        try:
            yield _read_game(line, data, rules, any_deck)
        except HanabiError as error:
            raise type(error)(f"line {line}: {error}") from None


def _objects(text: str) -> Iterator[tuple[int, object]]:
    """Each JSON value with the line that it starts on; values may span lines."""
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
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


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _read_game(line: int, data: object, rules: str | None, any_deck: bool) -> GameRecord:
    if not isinstance(data, Mapping):
        raise FormatError(f"{_short(data)} is not an object")
    for key in ("deck", "actions"):
        if key not in data:
            raise FormatError(f"the object has no key {key!r}")
    players = data.get("players")
    if players is not None and (isinstance(players, bool) or not isinstance(players, int)):
        raise RulesError(f"players: {players!r} is not a whole number")
    if rules is not None:
        chosen = preset(rules, players)
    else:
        chosen = Rules.from_json(data.get("rules", "classic"), players)
    actions = data["actions"]
    if not isinstance(actions, list):
        raise FormatError(f"actions: {_short(actions)} is not a list")
    cards = data["deck"]
    if not isinstance(cards, str | list):
        raise DeckError(f"deck: {_short(cards)} is neither text nor a list")
    deck = read_deck(cards, chosen, any_deck=any_deck)
    return GameRecord(line, deck, actions, data)


def _short(data: object) -> str:
    text = repr(data)
    return text if len(text) <= 60 else text[:57] + "..."
