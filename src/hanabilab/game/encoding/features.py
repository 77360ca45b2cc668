"""The planes of the kind "features": what follows from a player's view."""

from __future__ import annotations

from hanabilab.core.bits import spread
from hanabilab.core.kernel import kernel
from hanabilab.core.record import Ints
from hanabilab.game.actions import seat_after
from hanabilab.game.cards import card_in, count_of
from hanabilab.game.encoding.layout import Layout
from hanabilab.game.state import State

__all__ = ["encode_features"]


@kernel
def encode_features(state: State, observer: int, layout: Layout, out: Ints) -> None:
    """Write the planes, and what is certain about each slot."""
    place = layout.features
    spread(state.playable, layout.cards, out, place)
    spread(state.dead, layout.cards, out, place + layout.cards)
    spread(state.critical, layout.cards, out, place + 2 * layout.cards)
    spread(state.unique, layout.cards, out, place + 3 * layout.cards)
    place += 4 * layout.cards
    hidden = encode_unseen(state, observer, layout, place, out)
    place += layout.copies * layout.cards
    encode_own_slots(state, observer, layout, hidden, place, out)
    place += state.rules.hand_size * (layout.cards + 3)
    encode_others_status(state, observer, place, out)


@kernel
def encode_unseen(state: State, observer: int, layout: Layout, first: int, out: Ints) -> int:
    """Write how many copies of each card are hidden; return the cards with a hidden copy."""
    for card in range(layout.cards):
        for copy in range(count_of(state.left, card)):
            out[first + copy * layout.cards + card] = 1
    for steps in range(1, state.rules.players):
        player = seat_after(state, observer, steps)
        for slot in range(state.hand_count[player]):
            place = first + card_in(state.hands[player], slot)
            last = place + (layout.copies - 1) * layout.cards
            while last > place and not out[last]:
                last -= layout.cards
            out[last] = 0
    hidden = 0
    for card in range(layout.cards):
        if out[first + card]:
            hidden |= 1 << card
    return hidden


@kernel
def encode_own_slots(
    state: State, observer: int, layout: Layout, hidden: int, first: int, out: Ints
) -> None:
    """Write what the observer's cards may be, and what is certain about them."""
    sure = first + state.rules.hand_size * layout.cards
    for slot in range(state.hand_count[observer]):
        possible = state.possible[observer][slot] & hidden
        spread(possible, layout.cards, out, first + slot * layout.cards)
        out[sure + 3 * slot] = (possible & ~state.playable) == 0
        out[sure + 3 * slot + 1] = (possible & ~state.dead) == 0
        out[sure + 3 * slot + 2] = (possible & state.critical) == 0


@kernel
def encode_others_status(state: State, observer: int, first: int, out: Ints) -> None:
    """Write whether the cards of the others are playable, dead or critical."""
    for steps in range(1, state.rules.players):
        player = seat_after(state, observer, steps)
        for slot in range(state.hand_count[player]):
            card = card_in(state.hands[player], slot)
            out[first + 3 * slot] = (state.playable >> card) & 1
            out[first + 3 * slot + 1] = (state.dead >> card) & 1
            out[first + 3 * slot + 2] = (state.critical >> card) & 1
        first += 3 * state.rules.hand_size
