"""The protocol for players in other programs: lines of JSON (docs/reference/protocol.md).

It converts views, events and messages to data and back. All data is made from a view, which does
not contain the player's own cards, so hidden cards cannot be sent.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from hanabilab.checks import check_choice, check_integer, shorten
from hanabilab.core.bits import members
from hanabilab.core.record import assign
from hanabilab.errors import ActionError, DeckError, FormatError, RulesError
from hanabilab.formats.action import Action
from hanabilab.formats.board_text import (
    ENDS,
    board_lines,
    compact_actions,
    legal_dicts,
    legal_texts,
    state_dict,
)
from hanabilab.formats.deck_text import read_card
from hanabilab.formats.describe import describe_event, discards
from hanabilab.game.actions import DISCARD, PASS, PLAY, Event, decode_action, legal_actions
from hanabilab.game.cards import HIDDEN, card_in, put_card
from hanabilab.game.names import CardNames, hint_letters_of
from hanabilab.game.rules import Rules, switch_set, unhandled_rule
from hanabilab.game.rules_record import RulesRecord, names_of_cards
from hanabilab.game.state import State, View, initial_state, play_success, put_on_discards
from hanabilab.game.turn import final_score

__all__ = [
    "OLDEST",
    "VERSION",
    "action_message",
    "check_version",
    "end_message",
    "event_dict",
    "event_message",
    "hello_answer",
    "hello_message",
    "read_action",
    "read_event",
    "read_line",
    "read_view",
    "rules_dict",
    "start_message",
    "turn_message",
    "turn_view",
    "view_dict",
    "write_line",
]

VERSION = 1
"""The newest supported version of the protocol."""
OLDEST = 1
"""The oldest supported version."""
MOST_TURNS = 1 << 31

Message = dict[str, Any]


HANDLED = switch_set(
    "all_or_nothing alternating_hints colours deck_ends deck_plays discard_at_full",
    "discards_per_token empty_hints first_player inverted_suits keep_on_last_turn keep_score",
    "open_game rank_hints rank_touching reversed_suits score_ends speedrun suit_hints",
    "token_for_suit touching",
)
"""The rule switches with which a view can be rebuilt from the protocol's data."""


def rules_dict(rules: Rules) -> dict[str, Any]:
    """Return every field of the rules, with a row of copies and a kind for each suit."""
    if rule := unhandled_rule(rules.nonstandard, HANDLED):
        raise RulesError(f"the protocol does not support the rule {rule}")
    fields = {name: getattr(rules, name) for name in rules.about}
    fields["copies"] = [list(row) for row in rules.copies]
    for name in ("touching", "rank_touching"):
        fields[name] = list(getattr(rules, name))
    return fields


def view_dict(view: View) -> dict[str, Any]:
    """Return the observer's view as data."""
    return {
        "seat": view.observer,
        "player": view.player,
        "turn": view.turn,
        **state_dict(view),
        "tokens_spent": view.rules.max_hint_tokens - view.hint_tokens,
        **({"token_part": view.token_part} if view.rules.discards_per_token > 1 else {}),
        **({"barred_hints": _barred(view)} if view.rules.alternating_hints else {}),
        "misplays": view.rules.max_lives - view.lives,
        "turns_left": None if view.turns_left < 0 else view.turns_left,
        "end": ENDS[view.end],
        "discards": discards(view),
        "hands": [_hand(view, player) for player in range(view.rules.players)],
    }


def turn_view(view: View) -> dict[str, Any]:
    """Return the view of the player to move, with the legal actions and the board as text."""
    legal = [
        {**action, "text": text}
        for action, text in zip(legal_dicts(view), legal_texts(view), strict=True)
    ]
    who = f"turn {view.turn + 1}: you are player {view.observer} of {view.rules.players}"
    return {**view_dict(view), "legal": legal, "text": "\n".join([who, *board_lines(view)])}


def _barred(view: View) -> str | None:
    """Return the kind of hints that may not be given next, if any."""
    if view.barred_hints == 0:
        return None
    return "suit" if view.barred_hints & 1 else "rank"


def _hints_of_kind(rules: RulesRecord, kind: str) -> int:
    suits = (1 << rules.suits) - 1
    return suits if kind == "suit" else rules.all_hints & ~suits


def _hand(view: View, player: int) -> list[dict[str, Any]]:
    hand = view.hands[player]
    return [
        {
            "card": None if (card := card_in(hand, slot)) == HIDDEN else _name(view, card),
            "possible": _names(view.possible[player][slot], names_of_cards(view.rules)),
            "suit_hinted": bool(view.suit_hinted[player] >> slot & 1),
            "rank_hinted": bool(view.rank_hinted[player] >> slot & 1),
        }
        for slot in range(view.hand_count[player])
    ]


def _name(view: View, card: int) -> str:
    return names_of_cards(view.rules).card(card)


@functools.lru_cache(maxsize=4096)
def _names(cards: int, names: CardNames) -> tuple[str, ...]:
    return tuple(names.card(card) for card in members(cards))


def event_dict(view: View, event: Event) -> dict[str, Any]:
    """Return a turn as everyone sees it: the action and its outcome."""
    told = Action.from_event(event).to_dict(event.player, hint_letters_of(view.rules))
    if event.kind in (PLAY, DISCARD):
        told["card"] = _name(view, event.card)
        told |= {name: bool(getattr(event, name)) for name in ("lit", "token", "drew")}
    elif event.kind != PASS:
        told["touched"] = members(event.touched)
    return {**told, "text": describe_event(event, view.rules)}


def read_event(data: object, rules: Rules) -> Event:
    """Read an event written by `event_dict`."""
    if not isinstance(data, Mapping):
        raise FormatError("event: not an object")
    player = _count(data, "player", rules.players - 1)
    action = Action.from_dict(data, rules)
    view = _initial_view(rules).copy()
    view.player = player
    number = action.number(view)
    if number is None:
        raise FormatError(f"event: player {player} cannot {action.describe(rules.hint_letters)}")
    event = Event()
    decode_action(view, number, event)
    if event.kind in (PLAY, DISCARD):
        event.card = _read_card(data.get("card"), rules)
        for name in ("lit", "token", "drew"):
            setattr(event, name, int(data.get(name) is True))
    elif event.kind != PASS:
        event.touched = sum(1 << slot for slot in _numbers(data, "touched", rules.hand_size - 1))
    return event


def read_view(data: object, rules: Rules) -> View:
    """Read a view written by `view_dict`; the result is equal in every field."""
    if not isinstance(data, Mapping):
        raise FormatError("view: not an object")
    state = _initial_view(rules).copy()
    state.observer = _count(data, "seat", rules.players - 1)
    state.player = _count(data, "player", rules.players - 1)
    state.turn = _count(data, "turn", MOST_TURNS)
    state.hint_tokens -= _count(data, "tokens_spent", state.rules.max_hint_tokens)
    if rules.discards_per_token > 1:
        state.token_part = _count(data, "token_part", rules.discards_per_token - 1)
    if rules.alternating_hints and data.get("barred_hints") is not None:
        barred = check_choice("barred_hints", data["barred_hints"], ("suit", "rank"))
        state.barred_hints = _hints_of_kind(state.rules, barred)
    state.lives -= _count(data, "misplays", state.rules.max_lives)
    state.draw_pile = _count(data, "draw_pile", rules.deck_size)
    if data.get("turns_left") is not None:
        state.turns_left = _count(data, "turns_left", rules.players)
    if data.get("end") is not None:
        ends = {name: end for end, name in ENDS.items() if name}
        state.end = ends[check_choice("end", data["end"], ends, error=FormatError)]
    _read_piles(state, data, rules)
    hands = _items(data, "hands")
    if len(hands) != rules.players:
        raise FormatError(f"hands: {len(hands)} hands for {rules.players} players")
    for player, hand in enumerate(hands):
        _read_hand(state, player, hand, rules)
    return state


def _read_piles(state: State, data: Mapping[str, Any], rules: Rules) -> None:
    """Read the fireworks and the discards."""
    fireworks = data.get("fireworks")
    if not isinstance(fireworks, Mapping):
        raise FormatError("fireworks: not an object")
    for suit, letter in enumerate(rules.letters):
        for rank in range(_count(fireworks, letter, rules.ranks)):
            play_success(state, suit * rules.ranks + rank)
    for name in _items(data, "discards"):
        put_on_discards(state, _read_card(name, rules))


def _read_hand(state: State, player: int, hand: object, rules: Rules) -> None:
    if not isinstance(hand, list) or len(hand) > rules.hand_size:
        raise FormatError(f"hands: hand {player} is not a list of at most {rules.hand_size} cards")
    for slot, held in enumerate(hand):
        if not isinstance(held, Mapping):
            raise FormatError(f"hands: slot {slot} of hand {player} is not an object")
        if held.get("card") is not None:
            card = _read_card(held["card"], rules)
            state.hands[player] = put_card(state.hands[player], slot, card)
        state.possible[player][slot] = _read_cards(tuple(_items(held, "possible")), rules)
        state.suit_hinted[player] |= (held.get("suit_hinted") is True) << slot
        state.rank_hinted[player] |= (held.get("rank_hinted") is True) << slot
    state.hand_count[player] = len(hand)


def _count(data: Mapping[str, Any], name: str, most: int) -> int:
    return check_integer(name, data.get(name), 0, most, error=FormatError)


def _items(data: Mapping[str, Any], name: str) -> list[Any]:
    items = data.get(name)
    if not isinstance(items, list):
        raise FormatError(f"{name}: not a list")
    return items


def _numbers(data: Mapping[str, Any], name: str, most: int) -> set[int]:
    return {check_integer(name, item, 0, most, error=FormatError) for item in _items(data, name)}


@functools.lru_cache(maxsize=16)
def _initial_view(rules: Rules) -> View:
    view = View()
    assign(view, initial_state(rules))
    return view


def _read_cards(names: tuple[object, ...], rules: Rules) -> int:
    """Return the set of cards of these names."""
    if not all(isinstance(name, str) for name in names):
        raise FormatError("possible: not a list of cards")
    return _set_of_cards(names, rules)


@functools.lru_cache(maxsize=4096)
def _set_of_cards(names: tuple[object, ...], rules: Rules) -> int:
    return sum(1 << _read_card(name, rules) for name in set(names))


def _read_card(name: object, rules: Rules) -> int:
    if not isinstance(name, str):
        raise FormatError(f"{name!r:.60} is not a card")
    try:
        return read_card(name, rules)
    except DeckError as error:
        raise FormatError(f"card {name!r:.60} {error}") from None


def hello_message() -> Message:
    """Greet a program, with the versions that it may choose from."""
    return {"type": "hello", "protocol": VERSION, "oldest": OLDEST, "name": "hanabilab"}


def hello_answer(greeting: Message, name: str, *, event_views: bool) -> Message:
    """Answer the laboratory's greeting, as a program."""
    version = _negotiate_version(greeting)
    return {"type": "hello", "protocol": version, "name": name, "event_views": event_views}


def start_message(view: View, rules: Rules, stream: int, options: Mapping[str, str]) -> Message:
    """Start a game. The stream is text, because JavaScript rounds numbers of this size."""
    return {
        "type": "start",
        "rules": rules_dict(rules),
        "seat": view.observer,
        "options": dict(options),
        "stream": str(stream),
        "view": view_dict(view),
    }


def turn_message(view: View) -> Message:
    """Ask for an action."""
    return {"type": "turn", "view": turn_view(view)}


def action_message(view: View, number: int) -> Message:
    """Answer with an action."""
    names = {number: text for text, number in legal_texts(view).items()}
    return {"type": "action", "action": names.get(number, number), "turn": view.turn}


def event_message(view: View, event: Event, *, with_view: bool) -> Message:
    """Report an event; a program that asked for views also gets the view after it."""
    message: Message = {"type": "event", "event": event_dict(view, event)}
    return {**message, "view": view_dict(view)} if with_view else message


def end_message(view: View) -> Message:
    """Report how the game ended."""
    return {
        "type": "end",
        "end": ENDS[view.end],
        "score": final_score(view),
        "turns": view.turn,
        "view": view_dict(view),
    }


def write_line(message: Mapping[str, Any]) -> bytes:
    """Return a message as a line of ASCII."""
    return json.dumps(message).encode() + b"\n"


def read_line(line: bytes, *expected: str) -> Message:
    """Return the message of a line, which must be of one of the expected types."""
    text = line.decode(errors="replace").strip()
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise FormatError(f"{shorten(text)} is not JSON") from None
    if not isinstance(message, dict) or message.get("type") not in expected:
        types = " or ".join(f'"type": "{name}"' for name in expected)
        raise FormatError(f"{shorten(text)} is not an object with {types}")
    return message


def check_version(answer: Message) -> None:
    """Raise unless the version in a program's answer is supported."""
    version = check_integer("protocol", answer.get("protocol"), error=FormatError)
    if not OLDEST <= version <= VERSION:
        raise FormatError(f"protocol: version {version} is not spoken here, only {_supported()}")


def _negotiate_version(greeting: Message) -> int:
    """Return the newest version that both sides support, given the laboratory's greeting."""
    newest = check_integer("protocol", greeting.get("protocol"), 1, error=FormatError)
    oldest = check_integer("oldest", greeting.get("oldest", newest), 1, newest, error=FormatError)
    if newest < OLDEST or oldest > VERSION:
        offered = _range(oldest, newest)
        raise FormatError(f"protocol: version {offered} is not spoken here, only {_supported()}")
    return min(newest, VERSION)


def _supported() -> str:
    return _range(OLDEST, VERSION)


def _range(oldest: int, newest: int) -> str:
    return str(newest) if oldest == newest else f"{oldest} to {newest}"


def read_action(message: Message, view: View, rules: Rules) -> int:
    """Return the number of the legal action in an answer, given as text, data or a number."""
    if message.get("turn", view.turn) != view.turn:
        raise FormatError(f"it answered turn {shorten(message['turn'])}, not turn {view.turn}")
    given = message.get("action")
    player = given.get("player") if isinstance(given, Mapping) else None
    if player is not None and player != view.observer:
        raise FormatError(f"it answered for player {shorten(player)}, not for {view.observer}")
    if isinstance(given, str):
        number = Action.from_text(given, rules).number(view)
    elif isinstance(given, Mapping):
        number = Action.from_dict(given, rules).number(view)
    else:
        number = check_integer("action", given, error=FormatError)
    if number not in legal_actions(view):
        legal = compact_actions(list(legal_texts(view)))
        raise ActionError(f"{shorten(given)} is not a legal action; expected {legal}")
    return number
