"""Read games from files in any supported format: our JSON, hanab.live's JSON, links, text.

In the text notation a game is a few lines: rules, players, deck, then one action per line. Blank
lines separate games.

    rules No Variant
    players 2
    deck b5 p4 b3 …
    hint 1 1
    play 2
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hanabilab.checks import check_integer, shorten
from hanabilab.errors import DeckError, FormatError, HanabiError, RulesError
from hanabilab.formats.action import NUMBER, Action
from hanabilab.formats.deck_text import read_deck
from hanabilab.formats.hanablive import LiveGame, is_live_object, live_from_dict, live_from_link
from hanabilab.formats.hanablive.encoding import is_link
from hanabilab.game.deck import Deck, choose_rules, is_seed
from hanabilab.game.rules import Rules

__all__ = ["KEYS", "GameRecord", "game_lines", "is_game_text", "read_games"]

KEYS = ("rules", "players", "deck")


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game from a file; its actions have not been checked against the rules."""

    line: int
    deck: Deck
    actions: list[Any]
    data: Mapping[str, Any]
    """The whole JSON object, including the result that it claims."""
    file: str = ""
    """The file, where several are read."""

    @property
    def place(self) -> str:
        """Where the game was found."""
        return f"{self.file}, line {self.line}" if self.file else f"line {self.line}"


def is_game_text(text: str) -> bool:
    """Return whether a text is a hanab.live link or seed rather than a file name."""
    return is_seed(text) or is_link(text)


def read_games(
    text: str, *, rules: str | None = None, any_deck: bool = False
) -> Iterator[GameRecord]:
    """Yield the games in a text; a preset named by `rules` replaces the rules of the file.

    The text contains JSON objects, ours or hanab.live's; or lines with a link or a seed each; or
    games in the text notation.
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
            if type(data) is int:
                raise FormatError(
                    f"{data} may be the number of a game; use review --download hanab.live, or "
                    f"take the JSON at https://hanab.live/export/{data}"
                )
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
                raise FormatError(f"{shorten(line)} is neither a link nor a seed of hanab.live")
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
    """Yield each JSON value with the line on which it starts; values may span lines."""
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
        raise FormatError(f"{shorten(data)} is not an object")
    for key in ("deck", "actions"):
        if key not in data:
            raise FormatError(f"the object has no key {key!r}")
    actions = data["actions"]
    if not isinstance(actions, list):
        raise FormatError(f"actions: {shorten(actions)} is not a list")
    chosen = _read_rules(data, rules, data.get("players"))
    return GameRecord(line, _read_cards(data["deck"], chosen, any_deck), actions, data)


def _read_rules(data: Mapping[str, Any], rules: str | None, players: object) -> Rules:
    number = None if players is None else check_integer("players", players, error=RulesError)
    if rules is not None or "rules" not in data:
        return choose_rules(rules or "classic", number, deck=data["deck"])
    return Rules.from_dict(data["rules"], number)


def _read_cards(cards: object, rules: Rules, any_deck: bool) -> Deck:
    if not isinstance(cards, str | list):
        raise DeckError(f"deck: {shorten(cards)} is neither text nor a list")
    return read_deck(cards, rules, any_deck=any_deck)


def game_lines(deck: Deck, actions: Sequence[Action]) -> list[str]:
    """Return a game in the text notation."""
    rules = deck.rules.to_dict()
    return [
        f"rules {rules if isinstance(rules, str) else json.dumps(rules)}",
        f"players {deck.rules.players}",
        f"deck {deck}",
        *(action.to_text(deck.rules.hint_letters) for action in actions),
    ]


def split_games(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each block between blank lines, with the number of its first line."""
    block: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.strip():
            block.append(line.strip())
        elif block:
            yield number - len(block), block
            block = []


def read_game_lines(
    lines: Sequence[str], *, rules: str | None = None, any_deck: bool = False
) -> tuple[Deck, list[dict[str, Any]]]:
    """Read the deck and actions of a game in the text notation, in which actions name no player."""
    given: dict[str, str] = {}
    count = 0
    for line in lines:
        key, _, value = line.partition(" ")
        if key not in KEYS:
            break
        if key in given:
            raise FormatError(f"a second line starts with {key}")
        given[key] = value.strip()
        count += 1
    if "deck" not in given:
        raise FormatError("no line starts with deck")
    players = given.get("players")
    if players is not None and not NUMBER.fullmatch(players):
        raise FormatError(f"players: {players!r:.80} is not an integer")
    number = None if players is None else int(players)
    if rules or "rules" not in given:
        chosen = choose_rules(rules or "classic", number, deck=given["deck"])
    else:
        chosen = Rules.from_dict(_object_or_name(given["rules"]), number)
    deck = read_deck(given["deck"], chosen, any_deck=any_deck)
    actions = []
    for number, line in enumerate(lines[count:], 1):
        try:
            found = Action.from_text(line, deck.rules).to_dict(0, deck.rules.hint_letters)
        except HanabiError as error:
            raise type(error)(f"action {number}: {error}") from None
        actions.append({key: found[key] for key in found if key != "player"})
    return deck, actions


def _object_or_name(text: str) -> object:
    if not text.startswith("{"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"rules: this is not JSON: {error}") from None
