"""The theorems of section 3 of van den Bergh 2015, on all decks of small compositions.

The text proves them. Here both sides are computed for every deck: one by trying all actions, the
other as the theorem says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, permutations, product
from math import comb

from hanabilab import theory
from hanabilab.formats.action import Action
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.papers.items import Exact, PrintedTable, exact
from hanabilab.papers.open_game import OpenGame, orders
from hanabilab.table.game import Game

__all__ = ["tables"]

ONE_SUIT = ((2, 2, 1), (3, 1, 1), (1, 2, 2), (2, 1, 1, 1))
TWO_SUITS = (((2, 1), (1, 2)), ((1, 1), (1, 1, 1)))
HANDS = (1, 2, 3)


def tables() -> list[PrintedTable]:
    """Return the theorems that can be checked on small games."""
    return [
        PrintedTable(
            id="thesis.theorems",
            paper="thesis",
            title="Theorems and lemmas of section 3, on every deck of small compositions",
            items=list(_theorems()),
        )
    ]


def _theorems() -> Iterator[Exact]:
    for number, kind, statement, check in (
        ("3.7", "Theorem", "closed games are playable as their open games", _theorem_3_7),
        ("3.8", "Theorem", "passes do not help a single player", _theorem_3_8),
        ("3.13.1", "Theorem", "(k, m)-playable implies (l, m)-playable, l < k", _theorem_3_13_1),
        ("3.13.2", "Theorem", "(k, 1)-playable iff 1, …, k is a subsequence", _theorem_3_13_2),
        ("3.13.3", "Theorem", "not without each of 1, …, k", _theorem_3_13_3),
        ("3.13.4", "Theorem", "not if N − m + 1 < k", _theorem_3_13_4),
        ("3.21", "Lemma", "χ is symmetric", _lemma_3_21),
        ("3.22", "Lemma", "the recurrence of χ", _lemma_3_22),
        ("3.24", "Theorem", "χ for k = 4", _theorem_3_24),
        ("3.28", "Theorem", "the recursion by the first 1", _theorem_3_28),
        ("3.33", "Theorem", "sorting by colour preserves (k, 1)-playability", _theorem_3_33),
        ("3.39", "Theorem", "several players with one card are as one", _theorem_3_39),
    ):
        yield exact(f"thesis.{number}", f"{kind} {number}, {statement}", True, check)


def _decks() -> Iterator[tuple[int, ...]]:
    for counts in ONE_SUIT:
        for deck in orders([counts]):
            yield tuple(rank for rank, _ in deck)


@cache
def _best(deck: tuple[int, ...], hand: int, passes: int = 0) -> int:
    """Return the best score of a single player with one suit, by exhaustive search."""
    return OpenGame(tuple((rank, 0) for rank in deck), 1, hand, passes).best()


SMALL_GAMES = (((2, 1), 1), ((2, 1, 1), 1), ((2, 2), 2))
"""Counts and hand sizes of the two-player games in which all actions are tried."""


def _theorem_3_7() -> bool:
    """Compare the closed game, whose actions include all hints, with the open one."""
    return all(
        _closed_is_won(Game(deck=_deck(cards, counts, hand, hints)))
        == (OpenGame(cards, 2, hand, hints).best() == len(counts))
        for counts, hand in SMALL_GAMES
        for cards in orders([counts])
        for hints in (0, 1)
    )


def _deck(cards: Sequence[tuple[int, int]], counts: Sequence[int], hand: int, hints: int) -> Deck:
    rules = Rules(
        players=2,
        hand_size=hand,
        ranks=len(counts),
        suits=1,
        copies=(tuple(counts),),
        hint_tokens=hints,
        empty_hints=True,
        discard_at_full=True,
    )
    return Deck.of(rules, [rank - 1 for rank, _ in cards])


def _closed_is_won(game: Game) -> bool:
    """Return whether some sequence of actions has the perfect score."""
    if game.is_over:
        return bool(game.score == game.rules.max_score)
    return any(_closed_is_won(_acted(game, action)) for action in game.legal_actions())


def _acted(game: Game, action: Action) -> Game:
    after = game.copy()
    after.act(action)
    return after


def _theorem_3_8() -> bool:
    return all(
        _best(deck, hand, passes) == _best(deck, hand)
        for deck in _decks()
        for hand in HANDS
        for passes in (1, 2)
    )


def _theorem_3_13_1() -> bool:
    """Compare every goal with the best score: goals up to it must be reachable, and none beyond."""
    return all(
        theory.is_playable(deck, goal, hand) == (goal <= _best(deck, hand))
        for deck in _decks()
        for hand in HANDS
        for goal in range(6)
    )


def _theorem_3_13_2() -> bool:
    return all(
        (_best(deck, 1) >= goal) == _contains(deck, goal) for deck in _decks() for goal in range(6)
    )


def _contains(deck: Sequence[int], goal: int) -> bool:
    rest = iter(deck)
    return all(rank in rest for rank in range(1, goal + 1))


def _theorem_3_13_3() -> bool:
    return all(
        _best(tuple(rank for rank in deck if rank != missing), hand) < missing
        for deck in _decks()
        for missing in set(deck)
        for hand in HANDS
    )


def _theorem_3_13_4() -> bool:
    return all(
        _best(deck, hand) <= max(len(deck) - hand + 1, 0)
        for deck in _decks()
        for hand in range(1, len(deck) + 2)
    )


@cache
def _won(counts: tuple[int, ...]) -> int:
    """Count the orders that contain 1, …, k: χ by definition."""
    return sum(_contains([rank for rank, _ in deck], len(counts)) for deck in orders([counts]))


def _lemma_3_21() -> bool:
    return all(
        _won(counts) == _won(tuple(other))
        for counts in [(3, 2, 1), (2, 2, 1), (3, 1, 1), (2, 1, 1, 1), (4, 1, 1)]
        for other in permutations(counts)
    )


def _lemma_3_22() -> bool:
    return all(_won(counts) == _by_recurrence(counts) for counts in product((1, 2), (1, 2), (1, 2)))


def _by_recurrence(counts: tuple[int, ...]) -> int:
    first, *others = counts
    found = comb(sum(counts) - 1, first - 1) * _won(tuple(others))
    for place in range(1, len(counts)):
        found += _won(tuple(count - (i == place) for i, count in enumerate(counts)))
    return found


def _theorem_3_24() -> bool:
    return all(
        _won(counts) == theory.chi_by_closed_form(*counts)
        for counts in product((1, 2), repeat=4)
        if sum(counts) <= 7
    )


def _theorem_3_28() -> bool:
    return all(
        (_best(deck, hand) >= goal) == _by_first_one(deck, goal, hand)
        for deck in _decks()
        for hand in HANDS
        for goal in range(1, 6)
    )


def _by_first_one(deck: tuple[int, ...], goal: int, hand: int) -> bool:
    """Return whether (t' − 1)(u − 1) is playable for some t', at most m − 1 cards before the 1."""
    if 1 not in deck:
        return False
    first = deck.index(1)
    before, after = deck[:first], deck[first + 1 :]
    return any(
        _best(tuple(rank - 1 for rank in (*kept, *after)), hand) >= goal - 1
        for size in range(min(first, hand - 1) + 1)
        for kept in combinations(before, size)
    )


def _theorem_3_33() -> bool:
    return all(
        OpenGame(deck, 1, 1).best() == OpenGame(_by_colour(deck), 1, 1).best()
        for suits in TWO_SUITS
        for deck in orders(suits)
    )


def _by_colour(deck: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(deck, key=lambda card: card[1]))


def _theorem_3_39() -> bool:
    return all(
        OpenGame(deck, players, 1).best() == OpenGame(deck, 1, 1).best()
        for suits in ([(2, 2, 1)], *TWO_SUITS)
        for deck in orders(suits)
        for players in (2, 3)
    )
