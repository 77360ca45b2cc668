"""What the table says about each card: playable, played, dead, critical, unique; and pace.

These sets of cards follow from fireworks and discards alone, so everyone knows them. The engine
keeps them up to date in the state; nobody has to work them out again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hanabilab.core.bits import popcount
from hanabilab.core.kernel import inlined, kernel
from hanabilab.game.cards import PLANES, add_copy, any_copy, take_copy

if TYPE_CHECKING:
    from hanabilab.game.state import State

__all__ = ["best_score", "light", "lose", "pace", "rank_of", "refresh_counts"]


@kernel
def rank_of(state: State, card: int) -> int:
    """Return the rank of a card, from 1."""
    return card - state.rules.suit_of[card] * state.rules.ranks + 1


@kernel
def rank_cards(state: State, rank: int) -> int:
    """Return all cards of a rank."""
    return state.rules.rank_pattern << (rank - 1)


@kernel
def suit_cards(state: State, suit: int) -> int:
    """Return all cards of a suit."""
    return ((1 << state.rules.ranks) - 1) << (suit * state.rules.ranks)


@inlined
@kernel
def light(state: State, card: int) -> None:
    """Put a playable card on its firework."""
    bit = 1 << card
    suit = state.rules.suit_of[card]
    state.fireworks[suit] += 1
    state.score += 1
    state.played |= bit
    state.dead |= bit
    state.playable ^= bit
    if state.fireworks[suit] < state.rules.ranks:
        state.playable |= bit << 1
    take_copy(state.left, card)
    refresh_counts(state)


@inlined
@kernel
def lose(state: State, card: int) -> None:
    """Put a card on the discards; if that was its last copy, higher ranks die too."""
    add_copy(state.discarded, card)
    take_copy(state.left, card)
    if not (any_copy(state.left) >> card) & 1 and not (state.dead >> card) & 1:
        end_of_suit = (state.rules.suit_of[card] + 1) * state.rules.ranks
        state.dead |= (1 << end_of_suit) - (1 << card)
    refresh_counts(state)


@inlined
@kernel
def refresh_counts(state: State) -> None:
    """Work out which cards have exactly one copy left, and which of those are still needed."""
    more = 0
    for plane in range(1, PLANES):
        more |= state.left[plane]
    state.unique = state.left[0] & ~more
    state.critical = state.unique & ~state.dead


@kernel
def best_score(state: State) -> int:
    """Return the highest score that the discards still allow."""
    return state.rules.ranks * state.rules.suits - popcount(state.dead) + state.score


@kernel
def pace(state: State) -> int:
    """Return how many of the remaining draws may go without a play (Keßler 2025, Definition 5.2).

    Players + draw pile - cards still to be played for the best score that the discards allow.
    """
    return state.rules.players + state.draw_pile - (best_score(state) - state.score)
