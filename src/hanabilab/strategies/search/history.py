"""The game so far, kept so that it can be played again with other cards in hand."""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.core.record import assign
from hanabilab.game.actions import DISCARD, HINT_SUIT, PASS, PLAY, Event
from hanabilab.game.cards import card_in
from hanabilab.game.state import View
from hanabilab.strategies.search.mind import MOST_TURNS, Mind

__all__ = ["BEFORE_THE_GAME", "remember_start", "remember_turn"]

BEFORE_THE_GAME = -1


@kernel
def remember_start(view: View, memory: Mind) -> None:
    """Keep the table as it was dealt."""
    assign(memory.start, view)
    memory.turns = 0
    memory.dealt = 0
    memory.past_turn = BEFORE_THE_GAME
    for player in range(view.rules.players):
        if player == view.observer:
            memory.first_place = memory.dealt
        for slot in range(view.hand_count[player]):
            if player == view.observer:
                memory.place[slot] = memory.dealt
                memory.drawn[slot] = BEFORE_THE_GAME
            memory.deck[memory.dealt] = card_in(view.hands[player], slot)
            memory.dealt += 1


@kernel
def remember_turn(view: View, event: Event, memory: Mind) -> None:
    """Keep what was done, and the cards that it brought to light."""
    if memory.turns < MOST_TURNS:
        memory.log[memory.turns] = number_of(view, event)
    if event.kind == PLAY or event.kind == DISCARD:
        if event.player == view.observer:
            memory.deck[memory.place[event.slot]] = event.card
            replace_own(view, event, memory)
        if event.drew:
            youngest = view.hand_count[event.player] - 1
            memory.deck[memory.dealt] = card_in(view.hands[event.player], youngest)
            memory.dealt += 1
    memory.turns += 1


@kernel
def replace_own(view: View, event: Event, memory: Mind) -> None:
    """Follow the player's own cards: the younger ones move down a slot."""
    youngest = view.hand_count[event.player] - event.drew
    for slot in range(event.slot, youngest):
        memory.place[slot] = memory.place[slot + 1]
        memory.drawn[slot] = memory.drawn[slot + 1]
    if event.drew:
        memory.place[youngest] = memory.dealt
        memory.drawn[youngest] = memory.turns


@kernel
def number_of(view: View, event: Event) -> int:
    """Return the number of an action that was taken; it is no longer that player's turn."""
    if event.kind == DISCARD:
        return event.slot
    if event.kind == PLAY:
        return view.rules.hand_size + event.slot
    first = 2 * view.rules.hand_size
    if event.kind == PASS:
        return first
    others = event.target - event.player - 1
    if others < 0:
        others += view.rules.players
    if event.kind == HINT_SUIT:
        return first + others * view.rules.suits + event.value
    return (
        first
        + (view.rules.players - 1) * view.rules.suits
        + others * view.rules.ranks
        + event.value
        - 1
    )
