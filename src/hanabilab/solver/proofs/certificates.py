"""Reasons why the maximum cannot be reached, in names and numbers."""

from __future__ import annotations

from typing import Any

from hanabilab.core.bits import popcount
from hanabilab.game.names import card_name, unpack_letters
from hanabilab.game.state import State
from hanabilab.solver.position import Position

__all__ = ["dead_card", "endgame_loss", "pace_loss"]


def dead_card(state: State) -> dict[str, Any]:
    """A card that is needed has no copy left."""
    unreachable = state.dead & ~state.played
    card = (unreachable & -unreachable).bit_length() - 1
    return {
        "certificate": "dead card",
        "card": card_name(card, state.ranks, unpack_letters(state.letters)),
        "cards": popcount(unreachable),
    }


def pace_loss(position: Position, cut: int, given_up: int) -> dict[str, Any]:
    """Too many cards are too late for a cut; beyond the last one, a card never comes."""
    state = position.state
    late = _late_cards(position, cut, given_up)
    if cut > state.deck_size:
        return {"certificate": "dead card", "card": late[0], "cards": len(late)}
    remaining = state.deck_size - cut
    return {
        "certificate": "pace",
        "cut": state.draw_pile - remaining,
        "remaining": remaining,
        "cards": late,
        "turns": state.turns_left if state.turns_left >= 0 else remaining + state.players,
    }


def endgame_loss(position: Position, cut: int, given_up: int) -> dict[str, Any]:
    """The cards that are left after a cut cannot be shared out, with the tokens there can be."""
    state = position.state
    remaining = state.deck_size - cut
    tokens = state.hint_tokens if remaining == state.draw_pile else state.max_hint_tokens
    return {
        "certificate": "endgame",
        "cut": state.draw_pile - remaining,
        "remaining": remaining,
        "cards": _late_cards(position, cut, given_up, each_a_removal=True),
        "turns": remaining + state.players,
        "hint_tokens": None if state.unlimited_hints else tokens,
    }


def _late_cards(
    position: Position, cut: int, given_up: int, *, each_a_removal: bool = False
) -> list[str]:
    """The needed cards that cannot be played before `cut` cards of the deck are drawn.

    Also those that are there in time, but not one after the other, if that is to be counted.
    """
    state = position.state
    letters = unpack_letters(state.letters)
    drawn = state.deck_size - state.draw_pile
    held = {card for hand in position.hands for card in hand}
    rest = position.draw_pile
    done = state.played | given_up
    late = []
    for suit in range(state.suits):
        draws = drawn - each_a_removal
        for rank in range(state.ranks):
            card = suit * state.ranks + rank
            if done >> card & 1:
                continue
            draws += each_a_removal
            if card not in held:
                place = drawn + rest.index(card) + 1 if card in rest else state.deck_size + 1
                draws = max(draws, place)
                more = rank + 1 < state.ranks and not done >> (card + 1) & 1
                if draws == state.deck_size and more:
                    draws += 1
            if draws >= cut:
                late.append(card_name(card, state.ranks, letters))
    return late
