"""A position: a game in progress with its deck face up, all that the solver looks at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hanabilab.errors import ActionError
from hanabilab.game.actions import Event, announce, count_actions, is_legal
from hanabilab.game.cards import card_in
from hanabilab.game.deck import Deck
from hanabilab.game.state import GOING_ON, State, opening
from hanabilab.game.turn import deal, final_score, take_turn

__all__ = ["Position", "take_action"]


@dataclass(frozen=True, slots=True)
class Position:
    """The table and the whole deck, first card first; its last cards are the draw pile."""

    state: State
    deck: list[int]

    @classmethod
    def start(cls, deck: Deck) -> Position:
        """Return the position after the deal."""
        state = State()
        cards = list(deck)
        deal(state, opening(deck.rules), cards)
        return cls(state, cards)

    @property
    def hands(self) -> list[list[int]]:
        """The cards of each player, oldest first."""
        return [
            [card_in(hand, slot) for slot in range(count)]
            for hand, count in zip(self.state.hands, self.state.hand_count, strict=True)
        ][: self.state.rules.players]

    @property
    def draw_pile(self) -> list[int]:
        """The cards still to be drawn, next one first."""
        return self.deck[len(self.deck) - self.state.draw_pile :]

    @property
    def score(self) -> int:
        """The score if the game ended now."""
        return final_score(self.state)

    @property
    def is_over(self) -> bool:
        """Has the game ended?"""
        return self.state.end != GOING_ON

    def after(self, actions: Iterable[int]) -> Position:
        """Return the position after some actions, each checked by the rules."""
        state = self.state.copy()
        for action in actions:
            take_action(state, self.deck, action)
        return Position(state, self.deck)


def take_action(state: State, deck: list[int], action: int) -> Event:
    """Take a turn, given by the number of its action; raise if it is not legal."""
    event = Event()
    known = 0 <= action < count_actions(state)
    if known:
        announce(state, action, event)
    if not known or not is_legal(state, event):
        raise ActionError(f"turn {state.turn + 1}: action {action} is not legal")
    take_turn(state, deck, event)
    return event
