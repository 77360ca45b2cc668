"""Positions of `sieve`: two players in the middle of a game, with both memories."""

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
from hanabilab.papers.fixtures import state_with
from hanabilab.strategies.sieve import SIEVE
from hanabilab.strategies.sieve.memory import HIGHEST_LEVEL, Table
from hanabilab.strategies.sieve.tables import meaning, plays_of, trash_of

CALM = "r3 g3 b3 w3 y3"
"""A hand without a playable card, a one or a two."""


class Pair:
    """Two players of `sieve` with given hands, oldest cards first, at the highest level."""

    def __init__(
        self, *hands: str, fireworks: str = "", tokens: int = 5, mover: int = 0, **options: Any
    ) -> None:
        self.rules = preset("hle", len(hands))
        self.state = state_with(self.rules, hands, fireworks)
        self.state.hint_tokens, self.state.player = tokens, mover
        self.strategy = SIEVE.with_options(**{"level": HIGHEST_LEVEL} | options)
        self.memories: list[Any] = [self.strategy.fresh_memory() for _ in hands]
        for player, memory in enumerate(self.memories):
            assert self.strategy.begin
            self.strategy.begin(self.view(player), memory)

    @property
    def table(self) -> Table:
        """The public table."""
        table: Table = self.memories[0].table
        return table

    def view(self, player: int) -> View:
        return view_of(self.state, player)

    def choose(self) -> Event:
        """Return what the player to move would do."""
        player, event = self.state.player, Event()
        action = self.strategy.act(self.view(player), self.memories[player])
        decode_action(self.state, action, event)
        assert is_legal(self.state, event)
        return event

    def take(self, action: int, mover: int | None = None) -> int:
        """Let a player take an action; return what a hint means."""
        if mover is not None:
            self.state.player = mover
        event = Event()
        decode_action(self.state, action, event)
        assert is_legal(self.state, event)
        take_turn(self.state, card_multiset(self.rules), event)
        for player, memory in enumerate(self.memories):
            assert self.strategy.observe
            self.strategy.observe(self.view(player), event, memory)
        return int(self.memories[0].meaning)

    def tell(self, word: int | str, mover: int = 0) -> int:
        """Give a rank hint or a suit hint; return what it means."""
        self.state.player = mover
        if isinstance(word, int):
            return self.take(rank_hint(self.state, 1 - mover, word))
        return self.take(suit_hint(self.state, 1 - mover, "rygbw".index(word)))

    def play(self, slot: int, mover: int = 0) -> None:
        self.take(play_slot(self.state, slot), mover)

    def discard(self, slot: int, mover: int = 0) -> None:
        self.take(discard_slot(self.state, slot), mover)

    def called(self, player: int = 1) -> list[int]:
        return members(self.table.called[player])

    def plays(self, player: int = 1) -> list[int]:
        return members(plays_of(self.table, player))

    def trash(self, player: int = 1) -> list[int]:
        return members(trash_of(self.table, player))

    def taken_for(self, slot: int, player: int = 1) -> str:
        """Return what a card is taken to be."""
        return " ".join(card_name(card, 5) for card in members(meaning(self.table, player, slot)))
