"""Tell cards apart without seeing them: by their place in the deck, which everyone can count."""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab.game.actions import DISCARD, PLAY, Event
from hanabilab.game.rules import Rules

__all__ = ["CardOrders"]


@dataclass(slots=True)
class CardOrders:
    """For each slot of each hand, which card of the deck it holds; the first card is 0."""

    hands: list[list[int]]
    drawn: int

    @classmethod
    def dealt(cls, rules: Rules) -> CardOrders:
        """Return the hands as they are dealt."""
        size = rules.hand_size
        hands = [list(range(seat * size, (seat + 1) * size)) for seat in range(rules.players)]
        return cls(hands, rules.players * size)

    def follow(self, event: Event) -> None:
        """Take the card that left its hand away, and add the one that was drawn."""
        if event.kind in (PLAY, DISCARD):
            del self.hands[event.player][event.slot]
            if event.drew:
                self.hands[event.player].append(self.drawn)
                self.drawn += 1
