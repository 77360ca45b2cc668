"""Views and events as data, and back.

Everything here is made of a view, which does not contain the player's own cards: what is not there
cannot be sent.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from hanabilab.checks import one_of, whole_number
from hanabilab.core.bits import members
from hanabilab.core.record import assign
from hanabilab.errors import DeckError, FormatError
from hanabilab.formats.action import Action
from hanabilab.formats.deck_text import read_card
from hanabilab.formats.state_dict import ENDS, legal_dicts, state_dict
from hanabilab.formats.table_text import legal_texts, table_lines
from hanabilab.formats.words import describe, discards
from hanabilab.game.actions import DISCARD, PASS, PLAY, Event, announce
from hanabilab.game.cards import HIDDEN, card_in, put_card
from hanabilab.game.names import card_name, hint_letters_of, unpack_letters
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, opening
from hanabilab.game.status import light, lose
from hanabilab.game.view import View

__all__ = ["event_dict", "read_event", "read_view", "rules_dict", "turn_view", "view_dict"]

MOST_TURNS = 1 << 31


def rules_dict(rules: Rules) -> dict[str, Any]:
    """Return every field of the rules, with a row of copies and a kind for each suit."""
    fields = {name: getattr(rules, name) for name in rules.about}
    fields["copies"] = [list(row) for row in rules.copies]
    for name in ("touching", "rank_touching"):
        fields[name] = list(getattr(rules, name))
    return fields


def view_dict(view: View) -> dict[str, Any]:
    """Return what the observer sees."""
    return {
        "seat": view.observer,
        "player": view.player,
        "turn": view.turn,
        **state_dict(view),
        "tokens_spent": view.max_hint_tokens - view.hint_tokens,
        **({"token_part": view.token_part} if view.discards_per_token > 1 else {}),
        "misplays": view.max_lives - view.lives,
        "turns_left": None if view.turns_left < 0 else view.turns_left,
        "end": ENDS[view.end],
        "discards": discards(view),
        "hands": [_hand(view, player) for player in range(view.players)],
    }


def turn_view(view: View) -> dict[str, Any]:
    """Return what the player to move sees, with the legal actions and the table in words."""
    legal = [
        {**action, "text": text}
        for action, text in zip(legal_dicts(view), legal_texts(view), strict=True)
    ]
    who = f"turn {view.turn + 1}: you are player {view.observer} of {view.players}"
    return {**view_dict(view), "legal": legal, "text": "\n".join([who, *table_lines(view)])}


def _hand(view: View, player: int) -> list[dict[str, Any]]:
    hand = view.hands[player]
    return [
        {
            "card": None if (card := card_in(hand, slot)) == HIDDEN else _name(view, card),
            "possible": _names(view.possible[player][slot], view.ranks, view.letters),
            "suit_hinted": bool(view.suit_hinted[player] >> slot & 1),
            "rank_hinted": bool(view.rank_hinted[player] >> slot & 1),
        }
        for slot in range(view.hand_count[player])
    ]


def _name(view: View, card: int) -> str:
    return card_name(card, view.ranks, unpack_letters(view.letters))


@functools.lru_cache(maxsize=4096)
def _names(cards: int, ranks: int, packed: int) -> tuple[str, ...]:
    letters = unpack_letters(packed)
    return tuple(card_name(card, ranks, letters) for card in members(cards))


def event_dict(view: View, event: Event) -> dict[str, Any]:
    """Return a turn as everyone sees it: the action, and what came of it."""
    letters, hints = unpack_letters(view.letters), hint_letters_of(view)
    told = Action.from_event(event).to_dict(event.player, hints)
    if event.kind in (PLAY, DISCARD):
        told["card"] = _name(view, event.card)
        told |= {name: bool(getattr(event, name)) for name in ("lit", "token", "drew")}
    elif event.kind != PASS:
        told["touched"] = members(event.touched)
    return {**told, "text": describe(event, view.ranks, letters, hint_letters=hints)}


def read_event(data: object, rules: Rules) -> Event:
    """Return the event that `event_dict` described."""
    if not isinstance(data, Mapping):
        raise FormatError("event: not an object")
    player = _count(data, "player", rules.players - 1)
    action = Action.from_dict(data, rules)
    table = _bare_table(rules).copy()
    table.player = player
    number = action.number(table)
    if number is None:
        raise FormatError(f"event: player {player} cannot {action.words(rules.hint_letters)}")
    event = Event()
    announce(table, number, event)
    if event.kind in (PLAY, DISCARD):
        event.card = _read_card(data.get("card"), rules)
        for name in ("lit", "token", "drew"):
            setattr(event, name, int(data.get(name) is True))
    elif event.kind != PASS:
        event.touched = sum(1 << slot for slot in _numbers(data, "touched", rules.hand_size - 1))
    return event


def read_view(data: object, rules: Rules) -> View:
    """Return the view that `view_dict` described, equal in every field."""
    if not isinstance(data, Mapping):
        raise FormatError("view: not an object")
    state = _bare_table(rules).copy()
    state.observer = _count(data, "seat", rules.players - 1)
    state.player = _count(data, "player", rules.players - 1)
    state.turn = _count(data, "turn", MOST_TURNS)
    state.hint_tokens -= _count(data, "tokens_spent", state.max_hint_tokens)
    if rules.discards_per_token > 1:
        state.token_part = _count(data, "token_part", rules.discards_per_token - 1)
    state.lives -= _count(data, "misplays", state.max_lives)
    state.draw_pile = _count(data, "draw_pile", rules.deck_size)
    if data.get("turns_left") is not None:
        state.turns_left = _count(data, "turns_left", rules.players)
    if data.get("end") is not None:
        ends = {name: end for end, name in ENDS.items() if name}
        state.end = ends[one_of("end", data["end"], ends, error=FormatError)]
    _lay_out(state, data, rules)
    hands = _items(data, "hands")
    if len(hands) != rules.players:
        raise FormatError(f"hands: {len(hands)} hands for {rules.players} players")
    for player, hand in enumerate(hands):
        _deal(state, player, hand, rules)
    return state


def _lay_out(state: State, data: Mapping[str, Any], rules: Rules) -> None:
    """Put the played and the discarded cards on the table."""
    fireworks = data.get("fireworks")
    if not isinstance(fireworks, Mapping):
        raise FormatError("fireworks: not an object")
    for suit, letter in enumerate(rules.letters):
        for rank in range(_count(fireworks, letter, rules.ranks)):
            light(state, suit * rules.ranks + rank)
    for name in _items(data, "discards"):
        lose(state, _read_card(name, rules))


def _deal(state: State, player: int, hand: object, rules: Rules) -> None:
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
    return whole_number(name, data.get(name), 0, most, error=FormatError)


def _items(data: Mapping[str, Any], name: str) -> list[Any]:
    items = data.get(name)
    if not isinstance(items, list):
        raise FormatError(f"{name}: not a list")
    return items


def _numbers(data: Mapping[str, Any], name: str, most: int) -> set[int]:
    return {whole_number(name, item, 0, most, error=FormatError) for item in _items(data, name)}


@functools.lru_cache(maxsize=16)
def _bare_table(rules: Rules) -> View:
    view = View()
    assign(view, opening(rules))
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
