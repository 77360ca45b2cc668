"""Fixtures: games and states with given cards, for the examples of the papers."""

from __future__ import annotations

from collections.abc import Sequence

from hanabilab.core.bits import members
from hanabilab.formats.deck_text import read_card
from hanabilab.game.actions import Event
from hanabilab.game.cards import HIDDEN_HAND, put_card
from hanabilab.game.deck import card_multiset
from hanabilab.game.names import card_name
from hanabilab.game.rules import Rules, preset
from hanabilab.game.state import State, initial_state, play_success
from hanabilab.table.game import Game

__all__ = ["card_names", "cards_in", "game_with_deck", "state_with", "touched_slots"]


def cards_in(text: str, rules: Rules) -> list[int]:
    """Return the cards named in a text such as ``r1 y2``."""
    return [read_card(name, rules) for name in text.split()]


def game_with_deck(rules: Rules | str, start: str, players: int = 2, *, end: str = "") -> Game:
    """Return a game whose deck starts and ends with these cards, with the others in between."""
    chosen = preset(rules, players) if isinstance(rules, str) else rules
    first, last = cards_in(start, chosen), cards_in(end, chosen)
    others = card_multiset(chosen)
    for card in [*first, *last]:
        others.remove(card)
    return Game(chosen, [*first, *others, *last])


def state_with(rules: Rules, hands: Sequence[str], fireworks: str) -> State:
    """Return a state in the middle of a game, with these hands and fireworks (``r2 y1``)."""
    state = initial_state(rules)
    for top in cards_in(fireworks, rules):
        for lower in range(top - top % rules.ranks, top + 1):
            play_success(state, lower)
    for player, hand in enumerate(hands):
        packed = HIDDEN_HAND
        for slot, card in enumerate(cards_in(hand, rules)):
            packed = put_card(packed, slot, card)
            state.possible[player][slot] = state.rules.all_cards
        state.hands[player] = packed
        state.hand_count[player] = len(hand.split())
    state.draw_pile -= sum(state.hand_count) + state.score
    return state


def card_names(cards: int, rules: Rules) -> str:
    """Return the names of a set of cards."""
    return " ".join(card_name(card, rules.ranks) for card in members(cards))


def touched_slots(event: Event) -> str:
    """Return the slots that a hint touched, counted from 1 as in the papers."""
    return " ".join(str(slot + 1) for slot in members(event.touched)) or "none"
