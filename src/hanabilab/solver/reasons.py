"""Reasons why the maximum cannot be reached, in names and numbers."""

from __future__ import annotations

from typing import Any

from hanabilab.core.bits import popcount
from hanabilab.game.names import card_name, unpack_letters
from hanabilab.game.state import State
from hanabilab.solver.position import Position

__all__ = ["dead_card", "late_cards"]


def dead_card(state: State) -> dict[str, Any]:
    """A card that is needed has no copy left."""
    unreachable = state.dead & ~state.played
    card = (unreachable & -unreachable).bit_length() - 1
    return {
        "certificate": "dead card",
        "card": card_name(card, state.ranks, unpack_letters(state.letters)),
        "cards": popcount(unreachable),
    }


def late_cards(position: Position, cut: int, given_up: int) -> list[int]:
    """The needed cards that cannot be played before `cut` cards of the deck are drawn."""
    state = position.state
    drawn = state.deck_size - state.draw_pile
    held = {card for hand in position.hands for card in hand}
    rest = position.draw_pile
    done = state.played | given_up
    late = []
    for suit in range(state.suits):
        draws = drawn
        for rank in range(state.ranks):
            card = suit * state.ranks + rank
            if done >> card & 1:
                continue
            if card not in held:
                place = drawn + rest.index(card) + 1 if card in rest else state.deck_size + 1
                draws = max(draws, place)
                more = rank + 1 < state.ranks and not done >> (card + 1) & 1
                if draws == state.deck_size and more:
                    draws += 1
            if draws >= cut:
                late.append(card)
    return late
