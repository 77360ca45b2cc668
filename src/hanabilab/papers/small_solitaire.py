"""Keßler's solitaire with a handful of cards, by exhaustive search: to check his remarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hanabilab.papers.open_game import Card

__all__ = ["Place", "SmallSolitaire"]

Place = tuple[int, tuple[int, ...], frozenset[Card]]
"""Cards drawn, the height of each stack, stored cards."""


@dataclass
class SmallSolitaire:
    """The game of Definition 3.4, or the same game with discards of stored cards."""

    deck: tuple[Card, ...]
    room: int
    """h: the number of cards that can be stored."""
    ranks: Mapping[int, int]
    """The highest rank to be played in each suit; suits are 0, 1, …"""
    discards_stored: bool = False
    known: dict[Place, bool] = field(default_factory=dict)
    """Whether each position reached can be won."""

    @property
    def start(self) -> Place:
        """The position before the first turn."""
        return 0, (0,) * len(self.ranks), frozenset()

    def won(self, place: Place | None = None) -> bool:
        """Return whether the game can be won from a position, by default from the start."""
        place = place or self.start
        if self.is_complete(place):
            return True
        if place not in self.known:
            # All moves are tried, even after one that wins, so that all places become known.
            self.known[place] = max(map(self.won, self.moves(place)), default=False)
        return self.known[place]

    def is_complete(self, place: Place) -> bool:
        """Return whether all cards have been played."""
        return all(height == self.ranks[suit] for suit, height in enumerate(place[1]))

    def moves(self, place: Place) -> Iterator[Place]:
        """Yield the position after each action."""
        drawn, heights, stored = place
        for card in stored:
            if self._fits(card, heights):
                yield drawn, self._played(card, heights), stored - {card}
            if self.discards_stored:
                yield drawn, heights, stored - {card}
        if drawn < len(self.deck):
            card = self.deck[drawn]
            yield drawn + 1, heights, stored
            if len(stored) < self.room:
                yield drawn + 1, heights, stored | {card}
            if self._fits(card, heights):
                yield drawn + 1, self._played(card, heights), stored

    def _fits(self, card: Card, heights: tuple[int, ...]) -> bool:
        rank, suit = card
        return rank == heights[suit] + 1 <= self.ranks[suit]

    def _played(self, card: Card, heights: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(height + (suit == card[1]) for suit, height in enumerate(heights))
