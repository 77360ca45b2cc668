"""Positions of `conventions`: a table in the middle of a game, with everyone's memories."""

from __future__ import annotations

from typing import Any

from hanabilab import preset
from hanabilab.core.bits import members
from hanabilab.game.actions import (
    Event,
    decode_action,
    discard_slot,
    is_legal,
    play_slot,
    rank_hint,
    suit_hint,
)
from hanabilab.game.deck import card_multiset
from hanabilab.game.names import card_name
from hanabilab.game.state import View, view_of
from hanabilab.game.turn import take_turn
from hanabilab.papers.fixtures import cards_in, state_with
from hanabilab.strategies.conventions import CONVENTIONS
from hanabilab.strategies.conventions.tables import chop_of, meaning, update_tables

CALM = "y3 g3 b3 w3 y4"
"""A hand without a playable card, a two or a critical card."""


class Seated:
    """Players of `conventions` at a table with given hands, oldest cards first."""

    def __init__(self, *hands: str, fireworks: str = "", tokens: int = 5, **options: Any) -> None:
        self.rules = preset("hle", len(hands))
        self.state = state_with(self.rules, hands, fireworks)
        self.state.hint_tokens = tokens
        self.strategy = CONVENTIONS.with_options(**options)
        self.memories: list[Any] = [self.strategy.fresh_memory() for _ in hands]
        for player, memory in enumerate(self.memories):
            assert self.strategy.begin
            self.strategy.begin(self.view(player), memory)

    def view(self, player: int) -> View:
        return view_of(self.state, player)

    def update_tables(self) -> None:
        """Let everyone look at a table that was changed by hand."""
        for player, memory in enumerate(self.memories):
            memory.beliefs.counted = 0  # look at all hands
            update_tables(self.view(player), memory.beliefs, player)

    def choose(self) -> Event:
        """Return what the player to move would do."""
        player, event = self.state.player, Event()
        action = self.strategy.act(self.view(player), self.memories[player])
        decode_action(self.state, action, event)
        assert is_legal(self.state, event)
        return event

    def act(self) -> Event:
        """Let the player to move act."""
        player = self.state.player
        return self.take(self.strategy.act(self.view(player), self.memories[player]))

    def take(self, action: int) -> Event:
        """Let the player to move take a given action, and everyone see it."""
        event = Event()
        decode_action(self.state, action, event)
        assert is_legal(self.state, event)
        take_turn(self.state, card_multiset(self.rules), event)
        for player, memory in enumerate(self.memories):
            assert self.strategy.observe
            self.strategy.observe(self.view(player), event, memory)
        return event

    def tell_rank(self, target: int, rank: int) -> Event:
        return self.take(rank_hint(self.state, target, rank))

    def tell_suit(self, target: int, suit: str) -> Event:
        return self.take(suit_hint(self.state, target, "rygbw".index(suit)))

    def play(self, slot: int) -> Event:
        return self.take(play_slot(self.state, slot))

    def discard(self, slot: int) -> Event:
        return self.take(discard_slot(self.state, slot))

    def taken_for(self, player: int, slot: int, by: int | None = None) -> str:
        """Return what a card is taken to be by its owner, or by another player."""
        cards = meaning(self.memories[player if by is None else by].beliefs, player, slot)
        return " ".join(card_name(card, 5) for card in members(cards))

    def chop(self, player: int) -> int:
        return chop_of(self.view(player), self.memories[player].beliefs, player)

    def bits(self, cards: str) -> int:
        return sum(1 << card for card in cards_in(cards, self.rules))
