"""Render a game for one viewer, as SVG and as data.

Everything that is sent about a game in progress is made here, from a view that contains nothing
that the viewer may not see.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from hanabilab.core.bits import members
from hanabilab.formats.action import ACTION_TYPES, Action
from hanabilab.formats.board_svg import panels
from hanabilab.formats.describe import Labels, describe_event, discards, hand_names
from hanabilab.formats.hanablive.encoding import CardOrders
from hanabilab.formats.stage_svg import plays_are_hidden
from hanabilab.formats.svg import cached
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PLAY,
    Event,
    count_legal,
    nth_legal,
)
from hanabilab.game.cards import HIDDEN, HIDDEN_HAND, MAX_PLAYERS, card_in
from hanabilab.game.knowledge import Knowledge, from_public, from_seat, probability
from hanabilab.game.names import HIDDEN_NAME, CardNames, hint_letters_of, unpack_letters
from hanabilab.game.rules_record import names_of_cards
from hanabilab.game.state import State, View, best_score, pace, view_of
from hanabilab.game.turn import ONLY_CARDS, final_score
from hanabilab.table.game import ENDS, Game
from hanabilab.web.schema import JsonObject

__all__ = [
    "OPEN",
    "BoardMessage",
    "Viewer",
    "board_message",
    "cards_before",
    "legal_actions",
    "update_orders",
    "view_for",
]

OPEN: Literal["open"] = "open"
Viewer = int | Literal["open"] | None
"""A seat, `OPEN` for someone who sees all hands, or None for a spectator who sees none."""


class BoardMessage(TypedDict):
    """A board as SVG and as data."""

    svg: str
    facts: JsonObject


def view_for(state: State, viewer: Viewer) -> View:
    """Return what a viewer sees; in an open game players also see their own cards."""
    if viewer is None:
        view = view_of(state, 0)
        view.hands = [HIDDEN_HAND] * MAX_PLAYERS
        return view
    view = view_of(state, 0 if viewer == OPEN else viewer)
    if viewer == OPEN or state.rules.open_game:
        view.hands = state.hands[:]
    return view


def board_message(
    view: View,
    viewer: Viewer,
    names: Sequence[str],
    orders: CardOrders,
    *,
    roles: Sequence[str] | None = None,
    event: Event | None = None,
    why: str | None = None,
    conclusions: Sequence[JsonObject] = (),
    breaches: Sequence[JsonObject] = (),
    acts: bool = False,
) -> BoardMessage:
    """Return the board for a viewer, with the legal actions if the viewer `acts`.

    `why` is what the player who acted says about it; `conclusions` are what the viewer concludes
    from hints and has not acted on yet; `breaches` are the conventions that the viewer broke since.
    """
    known = _knowledge(view, viewer)
    possible = [known[player].possible[player] for player in range(view.rules.players)]
    labels = Labels.of(names)
    hands = [_hand(view, player, known[player], viewer) for player in range(view.rules.players)]
    for hand, order in zip(hands, orders.hands, strict=True):
        for card, place in zip(hand, order, strict=True):
            card["order"] = place
    return {
        "svg": panels(
            view, possible=possible, event=event, names=names, roles=roles, newest_first=True
        ),
        "facts": {
            "viewer": viewer,
            "names": list(names),
            **_counters(view),
            "hands": hands,
            "last": None if event is None else _last_turn(event, view, labels, why),
            "conclusions": list(conclusions),
            "breaches": list(breaches),
            "actions": legal_actions(view, labels) if acts and view.end == 0 else [],
        },
    }


def update_orders(orders: CardOrders, event: Event) -> None:
    """Update which card is in which slot after an event."""
    if event.kind in (PLAY, DISCARD):
        orders.remove_slot(event.player, event.slot)


def _knowledge(view: View, viewer: Viewer) -> list[Knowledge]:
    """Return what the viewer knows about each hand; if open, what its player knows."""
    public = Knowledge()
    from_public(public, view)
    known = [public] * view.rules.players
    for player in range(view.rules.players):
        if viewer in (OPEN, player):
            known[player] = Knowledge()
            from_seat(known[player], view_of(view, player))
    return known


def _counters(view: View) -> JsonObject:
    letters = unpack_letters(view.rules.letters)
    hints, lives = not view.rules.unlimited_hints, not view.rules.unlimited_lives
    hidden = plays_are_hidden(view)
    return {
        "players": view.rules.players,
        "turn": view.turn,
        "player": view.player,
        "end": ENDS[view.end],
        "score": None if hidden else final_score(view),
        "best": None if hidden else best_score(view),
        "max_score": view.rules.max_score,
        "pace": None if hidden else pace(view),
        "hint_tokens": view.hint_tokens if hints else None,
        "max_hint_tokens": view.rules.max_hint_tokens if hints else None,
        "lives": view.lives if lives and not hidden else None,
        "max_lives": view.rules.max_lives if lives else None,
        "draw_pile": view.draw_pile,
        "turns_left": view.turns_left if view.turns_left >= 0 else None,
        "fireworks": None
        if hidden
        else dict(zip(letters, view.fireworks[: view.rules.suits], strict=False)),
        "discards": discards(view),
    }


def _hand(view: View, player: int, known: Knowledge, viewer: Viewer) -> list[JsonObject]:
    names = names_of_cards(view.rules)
    shows_chances = player == viewer and not plays_are_hidden(view)
    cards = []
    for slot, name in enumerate(hand_names(view, player)):
        possible = known.possible[player][slot]
        card: JsonObject = {
            "card": None if name == HIDDEN_NAME else name,
            "possible": _card_list(possible, names),
            **_hinted(view, player, slot),
        }
        if shows_chances:
            for word in ("playable", "dead", "critical"):
                chance = probability(known, player, slot, getattr(view, word))
                card[word] = round(chance, 4)
        cards.append(card)
    return cards


@cached
def _card_list(cards: int, names: CardNames) -> tuple[str, ...]:
    """Return the cards in a set as text; most sets occur again and again."""
    return tuple(names.card(card) for card in members(cards))


def _hinted(view: View, player: int, slot: int) -> JsonObject:
    """Return the suit and the rank that hints named for a card, or None."""
    suit_hinted, rank_hinted = (
        hinted[player] >> slot & 1 for hinted in (view.suit_hinted, view.rank_hinted)
    )
    if not suit_hinted and not rank_hinted:
        return {"suit_told": None, "rank_told": None}
    shared = -1
    for card in members(view.possible[player][slot]):
        shared &= view.rules.hint_bits[card]
    suits = members(shared & (1 << view.rules.suits) - 1) if shared > 0 else []
    ranks = members(shared >> view.rules.suits) if shared > 0 else []
    suit = rank = None
    if suit_hinted and len(suits) == 1:
        suit = hint_letters_of(view.rules)[suits[0]]
    if rank_hinted and len(ranks) == 1:
        rank = ranks[0] + 1
    return {"suit_told": suit, "rank_told": rank}


def _last_turn(event: Event, view: View, labels: Labels, why: str | None) -> JsonObject:
    turn: JsonObject = {"player": event.player, "type": ACTION_TYPES[event.kind]}
    if event.kind in (PLAY, DISCARD):
        turn["slot"] = event.slot
        hidden = event.card == HIDDEN
        turn["card"] = None if hidden else names_of_cards(view.rules).card(event.card)
        turn |= {word: bool(getattr(event, word)) for word in ("lit", "token", "drew")}
    elif event.kind in (HINT_RANK, HINT_SUIT):
        if event.value == HIDDEN:
            told = turn["type"] if view.rules.hints_tell != ONLY_CARDS else "hint"
            turn |= {"type": told, "target": event.target, "value": None}
        else:
            turn |= Action.from_event(event).to_dict(event.player, hint_letters_of(view.rules))
        turn["touched"] = members(event.touched)
    words = describe_event(event, view.rules, labels, cards_before(event, view))
    return {**turn, "words": words, "why": why}


def cards_before(event: Event, after: State) -> int:
    """Return how many cards the hand that was played from or hinted at had before the turn."""
    if event.kind in (HINT_RANK, HINT_SUIT):
        return after.hand_count[event.target]
    return after.hand_count[event.player] + 1 - event.drew


def legal_actions(view: View, labels: Labels) -> list[JsonObject]:
    """Return the legal actions with their words; hints also with the slots that they touch."""
    letters, names = hint_letters_of(view.rules), names_of_cards(view.rules)
    found = []
    for n in range(count_legal(view)):
        action = Action.from_number(nth_legal(view, n), view)
        offered = action.to_dict(view.player, letters)
        touches = _touched(view, action) if action.type.startswith("hint") else None
        if touches is not None:
            offered["touches"] = touches
        words = _describe_action(view, action, touches, labels, names)
        found.append({**offered, "words": words})
    return found


def action_words(game: Game, number: int, labels: Labels) -> str:
    """Return a legal action of the player to move in the words of the page."""
    view = view_of(game.state, game.player)
    action = Action.from_number(number, view)
    touches = _touched(view, action) if action.type.startswith("hint") else None
    return _describe_action(view, action, touches, labels, names_of_cards(view.rules))


def _describe_action(
    view: View, action: Action, touches: list[int] | None, labels: Labels, names: CardNames
) -> str:
    """Describe an action: “tell Bob red: slots 1 and 3”, “play slot 2”."""
    if touches is None:
        count = view.hand_count[view.player]
        slot = "" if action.type == "pass" else f" slot {labels.slot(action.slot, count)}"
        return f"{action.type}{slot}"
    told = names.rank_hint(action.value)
    if action.type == "hint_suit":
        told = labels.suit(action.value, names)
    touched = labels.slots(touches, view.hand_count[action.target])
    return f"tell {labels.player(action.target)} {told}: {touched}"


def _touched(view: View, hint: Action) -> list[int]:
    """Return the slots that a hint would touch."""
    bit = hint.value if hint.type == "hint_suit" else view.rules.suits + hint.value - 1
    hand = view.hands[hint.target]
    slots = range(view.hand_count[hint.target])
    return [slot for slot in slots if view.rules.hint_bits[card_in(hand, slot)] >> bit & 1]
