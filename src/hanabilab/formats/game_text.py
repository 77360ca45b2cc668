"""Games as lines of text: rules, players, deck, then an action per line; blank lines between games.

rules No Variant
players 2
deck b5 p4 b3 …
hint 1 1
play 2
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from hanabilab.errors import FormatError, HanabiError
from hanabilab.formats.action import NUMBER, Action
from hanabilab.formats.deck_text import read_deck
from hanabilab.game.choose import choose_rules
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules

__all__ = ["KEYS", "game_lines", "read_game_lines", "split_games"]

KEYS = ("rules", "players", "deck")


def game_lines(deck: Deck, actions: Sequence[Action]) -> list[str]:
    """Return a game as lines."""
    rules = deck.rules.to_dict()
    return [
        f"rules {rules if isinstance(rules, str) else json.dumps(rules)}",
        f"players {deck.rules.players}",
        f"deck {deck}",
        *(action.to_text(deck.rules.hint_letters) for action in actions),
    ]


def split_games(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the blocks between blank lines, each with the number of its first line."""
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
    """Return the deck and the actions of such lines; the actions do not say whose they are."""
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
        raise FormatError(f"players: {players!r:.80} is not a whole number")
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
