"""Open games with a handful of cards, by exhaustive search: to check theorems of the papers.

No theorem is used here. The rules are those of Algorithm 2.16 of van den Bergh 2015 with passes
instead of hints (Definition 3.4), and one more turn each after the last draw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

__all__ = ["Card", "OpenGame", "Position", "orders"]

Card = tuple[int, int]
"""(rank, suit)"""


def orders(suits: Sequence[Sequence[int]]) -> Iterator[tuple[Card, ...]]:
    """Yield every order of the cards with these counts by rank, suit by suit."""
    cards = {
        (rank, suit): count
        for suit, counts in enumerate(suits)
        for rank, count in enumerate(counts, 1)
    }
    yield from _orders(Counter(cards))


def _orders(left: Counter[Card]) -> Iterator[tuple[Card, ...]]:
    if not any(left.values()):
        yield ()
        return
    for card in [card for card, count in left.items() if count]:
        for rest in _orders(left - Counter([card])):
            yield (card, *rest)


@dataclass(frozen=True, slots=True)
class Position:
    """A position: the player to move, all hands, the fireworks, and what is left."""

    hands: tuple[tuple[Card, ...], ...]
    drawn: int
    """Cards of the deck that have been dealt or drawn."""
    fireworks: tuple[int, ...]
    passes: int
    player: int
    turns: int | None
    """Turns left; None before the last draw."""


@dataclass
class OpenGame:
    """An open game with a given deck."""

    deck: tuple[Card, ...]
    players: int
    hand: int
    passes: int = 0
    known: dict[Position, int] = field(default_factory=dict)
    """The most points that can still be scored, by position reached."""

    def best(self) -> int:
        """Return the best score."""
        dealt = self.players * self.hand
        if dealt > len(self.deck):
            return 0
        hands = tuple(
            tuple(sorted(self.deck[start : start + self.hand]))
            for start in range(0, dealt, self.hand)
        )
        turns = self.players if dealt == len(self.deck) else None
        suits = 1 + max(suit for _, suit in self.deck)
        return self.further(Position(hands, dealt, (0,) * suits, self.passes, 0, turns))

    def further(self, position: Position) -> int:
        """Return the most points that can still be scored."""
        if position.turns == 0:
            return 0
        if position not in self.known:
            self.known[position] = max(
                (points + self.further(after) for points, after in self._moves(position)),
                default=0,
            )
        return self.known[position]

    def is_playable(self, position: Position, card: Card) -> bool:
        """Return whether a card is the next one of its suit."""
        return position.fireworks[card[1]] == card[0] - 1

    @property
    def top(self) -> int:
        """The highest rank."""
        return max(rank for rank, _ in self.deck)

    def _moves(self, position: Position) -> Iterator[tuple[int, Position]]:
        """Yield the points of each action and the position after it."""
        if position.passes:
            yield 0, self._after(position, passes=position.passes - 1)
        for card in dict.fromkeys(position.hands[position.player]):
            token = min(self.passes, position.passes + 1)
            yield 0, self._after(position, card, passes=token)
            if self.is_playable(position, card):
                passes = token if card[0] == self.top else position.passes
                yield 1, self._after(position, card, passes=passes, played=True)

    def _after(
        self, position: Position, card: Card | None = None, *, passes: int, played: bool = False
    ) -> Position:
        hands, drawn, fireworks = list(position.hands), position.drawn, list(position.fireworks)
        if card is not None:
            hand = list(hands[position.player])
            hand.remove(card)
            hand += self.deck[drawn : drawn + 1]
            hands[position.player] = tuple(sorted(hand))
            drawn = min(drawn + 1, len(self.deck))
            fireworks[card[1]] += played
        turns = position.turns
        if turns is not None:
            turns -= 1
        elif drawn == len(self.deck):
            turns = self.players
        player = (position.player + 1) % self.players
        return Position(tuple(hands), drawn, tuple(fireworks), passes, player, turns)
