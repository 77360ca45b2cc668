"""Slow and simple references: every deck, every action, and nothing from the library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from hanabilab.theory.playability import Card
from hanabilab.theory.solitaire import SolitaireState

Suits = Sequence[Sequence[int]]


def all_decks(suits: Suits) -> Iterator[tuple[Card, ...]]:
    """Yield every order of these cards; equal cards are not told apart."""
    left = Counter(
        {
            (rank, suit): count
            for suit, counts in enumerate(suits)
            for rank, count in enumerate(counts, 1)
        }
    )
    size = sum(left.values())

    def extend(deck: tuple[Card, ...]) -> Iterator[tuple[Card, ...]]:
        if len(deck) == size:
            yield deck
            return
        for card in left:
            if left[card]:
                left[card] -= 1
                yield from extend((*deck, card))
                left[card] += 1

    return extend(())


def compositions(cards: int, ranks: int, least: int = 1) -> Iterator[tuple[int, ...]]:
    """Yield all ways to have so many cards of so many ranks, at least `least` of each."""
    if ranks == 0:
        if cards == 0:
            yield ()
        return
    for first in range(least, cards + 1):
        for rest in compositions(cards - first, ranks - 1, least):
            yield (first, *rest)


def best_by_all_strategies(deck: Sequence[Card], hand: int, *, deck_ends: bool = True) -> int:
    """Return the best score over everything that a single player can do, misplays included.

    Algorithm 2.16 for one player without hints: the hand is dealt, then each turn a card is
    played or discarded and one drawn; after the last draw there is one more turn.
    """
    if len(deck) < hand and deck_ends:
        return 0  # the deal is impossible, there is no turn (Theorem 3.13.4)
    suits = sorted({suit for _, suit in deck})

    @cache
    def best(held: tuple[Card, ...], drawn: int, fireworks: tuple[int, ...]) -> int:
        score = sum(fireworks)
        for place, (rank, suit) in enumerate(held):
            rest = held[:place] + held[place + 1 :]
            outcomes = {fireworks}  # discarded or misplayed
            at = suits.index(suit)
            if rank == fireworks[at] + 1:
                outcomes.add((*fireworks[:at], rank, *fireworks[at + 1 :]))
            for lit in outcomes:
                if drawn < len(deck):
                    after = best(tuple(sorted((*rest, deck[drawn]))), drawn + 1, lit)
                elif deck_ends:
                    after = sum(lit)
                else:
                    after = best(rest, drawn, lit)
                score = max(score, after)
        return score

    return best(tuple(sorted(deck[:hand])), min(hand, len(deck)), (0,) * len(suits))


def score_counts(suits: Suits, hand: int, *, deck_ends: bool = True) -> list[int]:
    """Count the decks by their best score, deck by deck."""
    counts = [0] * (1 + sum(map(len, suits)))
    for deck in all_decks(suits):
        counts[best_by_all_strategies(deck, hand, deck_ends=deck_ends)] += 1
    return counts


def contains_in_order(deck: Sequence[int], ranks: int) -> bool:
    """Return whether the deck contains 1, 2, …, k in this order."""
    rest = iter(deck)
    return all(rank in rest for rank in range(1, ranks + 1))


def solitaire_by_all_actions(state: SolitaireState) -> bool:
    """Try every action of Keßler's Definition 3.4; stored cards may be discarded too."""
    suits = sorted(state.ranks)

    @cache
    def won(drawn: int, fireworks: tuple[int, ...], stored: frozenset[Card]) -> bool:
        if all(lit == state.ranks[suit] for lit, suit in zip(fireworks, suits, strict=True)):
            return True

        def played(card: Card) -> tuple[int, ...] | None:
            rank, suit = card
            at = suits.index(suit) if suit in suits else -1
            if at < 0 or rank != fireworks[at] + 1 or rank > state.ranks[suit]:
                return None
            return (*fireworks[:at], rank, *fireworks[at + 1 :])

        for card in stored:
            lit = played(card)
            if lit and won(drawn, lit, stored - {card}):
                return True
            if won(drawn, fireworks, stored - {card}):
                return True
        if drawn == len(state.deck):
            return False
        card = state.deck[drawn]
        lit = played(card)
        if lit and won(drawn + 1, lit, stored):
            return True
        if len(stored) < state.hand and won(drawn + 1, fireworks, stored | {card}):
            return True
        return won(drawn + 1, fireworks, stored)

    start = tuple(state.fireworks.get(suit, 0) for suit in suits)
    return won(0, start, frozenset(state.stored))


def blocked_cards(pile: Sequence[Card], suits: Suits) -> int:
    """Return the cards that cannot have been played while these remain in the draw pile."""
    inside = Counter(pile)
    blocked = 0
    for suit, counts in enumerate(suits):
        gone = False
        for rank, count in enumerate(counts, 1):
            gone = gone or inside[rank, suit] == count
            blocked += gone
    return blocked
