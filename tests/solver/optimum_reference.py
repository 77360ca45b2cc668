"""Small games played and solved in the plainest way, to verify the search for an optimum.

Nothing here uses the package. A game is a tuple of sizes; a position is computed anew from the deck
and the actions; decks are whole permutations, without symmetries, bounds or sums of any kind.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

Card = tuple[int, int]
Move = tuple[str, int, int]
Seen = tuple[object, ...]


class Sizes(NamedTuple):
    """The sizes of a game with the usual rules; every suit has the same copies."""

    players: int
    hand: int
    suits: int
    copies: tuple[int, ...]
    tokens: int
    lives: int


class Position:
    """A game in progress."""

    def __init__(self, sizes: Sizes, deck: tuple[Card, ...]) -> None:
        self.sizes, self.pile = sizes, list(deck)
        self.hands = [[self.pile.pop(0) for _ in range(sizes.hand)] for _ in range(sizes.players)]
        self.heights = [0] * sizes.suits
        self.tokens, self.lives, self.mover = sizes.tokens, sizes.lives, 0
        self.countdown = None if self.pile else sizes.players
        self.over = False
        self.history: list[tuple[Move, object]] = []

    @property
    def score(self) -> int:
        """The points that count."""
        return sum(self.heights) if self.lives else 0

    def moves(self) -> Iterator[Move]:
        """Every legal move: ("play", slot, 0), ("discard", …), ("suit", player, suit)."""
        sizes = self.sizes
        for slot in range(len(self.hands[self.mover])):
            yield "play", slot, 0
            if self.tokens < sizes.tokens or not sizes.tokens:
                yield "discard", slot, 0
        if self.tokens:
            for other, hand in enumerate(self.hands):
                if other != self.mover:
                    yield from (("suit", other, suit) for suit in sorted({c[0] for c in hand}))
                    yield from (("rank", other, rank) for rank in sorted({c[1] for c in hand}))

    def move(self, move: Move) -> None:
        """Make a move, and note what everyone sees of it."""
        kind, number, value = move
        counting = self.countdown is not None
        seen: object
        if kind in ("suit", "rank"):
            self.tokens -= 1
            place = kind == "rank"
            seen = tuple(card[place] == value for card in self.hands[number])
        else:
            card = seen = self.hands[self.mover].pop(number)
            self._put(card, playing=kind == "play")
            if self.pile:
                self.hands[self.mover].append(self.pile.pop(0))
                if not self.pile:
                    self.countdown = self.sizes.players
        self.history.append((move, seen))
        if counting:
            assert self.countdown is not None
            self.countdown -= 1
        full = sum(self.heights) == self.sizes.suits * len(self.sizes.copies)
        self.over = not self.lives or full or self.countdown == 0
        self.mover = (self.mover + 1) % self.sizes.players

    def _put(self, card: Card, *, playing: bool) -> None:
        suit, rank = card
        if playing and self.heights[suit] == rank:
            self.heights[suit] += 1
            if self.heights[suit] == len(self.sizes.copies):
                self.tokens = min(self.sizes.tokens, self.tokens + 1)
        elif playing:
            self.lives -= 1
        else:
            self.tokens = min(self.sizes.tokens, self.tokens + 1)

    def seen_by_mover(self) -> Seen:
        """What the player to move knows: all moves and outcomes, and the hands of the others."""
        others = [tuple(hand) for seat, hand in enumerate(self.hands) if seat != self.mover]
        return (self.mover, *others)


def decks_of(sizes: Sizes) -> list[tuple[Card, ...]]:
    """Every different deck."""
    cards = [
        (suit, rank)
        for suit in range(sizes.suits)
        for rank, copies in enumerate(sizes.copies)
        for _ in range(copies)
    ]
    return sorted(set(itertools.permutations(cards)))


def replayed(sizes: Sizes, deck: tuple[Card, ...], moves: list[Move]) -> Position:
    """The position after some moves."""
    position = Position(sizes, deck)
    for move in moves:
        position.move(move)
    return position


def best_joint_policy(sizes: Sizes) -> tuple[Fraction, int]:
    """The best mean of all joint policies, one after the other, and how many there are.

    A policy maps what a player has seen so far to a move. Only situations that occur under the
    policy itself are told apart.
    """
    decks = decks_of(sizes)
    best, policies = -1, 0
    undecided: list[dict[object, Move]] = [{}]
    while undecided:
        policy = undecided.pop()
        total = 0
        for deck in decks:
            position = Position(sizes, deck)
            while not position.over:
                # Earlier hands of the others follow from the present ones and from the history.
                situation = (tuple(position.history), position.seen_by_mover())
                if situation not in policy:
                    undecided += [policy | {situation: move} for move in position.moves()]
                    break
                position.move(policy[situation])
            if not position.over:
                break
            total += position.score
        else:
            best, policies = max(best, total), policies + 1
    return Fraction(best, len(decks)), policies


def best_by_sets_of_decks(sizes: Sizes) -> Fraction:
    """The optimum by dynamic programming over sets of whole decks, as the study describes it."""
    decks = decks_of(sizes)

    def value(possible: list[tuple[Card, ...]], moves: list[Move]) -> int:
        positions = {deck: replayed(sizes, deck, moves) for deck in possible}
        if positions[possible[0]].over:
            return sum(position.score for position in positions.values())
        sights: dict[Seen, list[tuple[Card, ...]]] = {}
        for deck in possible:
            sights.setdefault(positions[deck].seen_by_mover(), []).append(deck)
        groups = list(sights.values())
        legal = [set(positions[group[0]].moves()) for group in groups]
        best = [0] + [-1] * ((1 << len(groups)) - 1)  # by the set of groups that have a move
        for move in sorted(set.union(*legal)):
            able = sum(1 << number for number, moves_ in enumerate(legal) if move in moves_)
            worth = {
                chosen: after(
                    [deck for n, group in enumerate(groups) if chosen >> n & 1 for deck in group],
                    [*moves, move],
                )
                for chosen in range(1, 1 << len(groups))
                if not chosen & ~able
            }
            best = [
                max(
                    [best[done]]
                    + [
                        best[done ^ chosen] + gain
                        for chosen, gain in worth.items()
                        if not chosen & ~done and best[done ^ chosen] >= 0
                    ]
                )
                for done in range(1 << len(groups))
            ]
        return best[-1]

    def after(possible: list[tuple[Card, ...]], moves: list[Move]) -> int:
        outcomes: dict[object, list[tuple[Card, ...]]] = {}
        for deck in possible:
            seen = replayed(sizes, deck, moves).history[-1][1]
            outcomes.setdefault(seen, []).append(deck)
        return sum(value(same, moves) for same in outcomes.values())

    return Fraction(value(decks, []), len(decks))
