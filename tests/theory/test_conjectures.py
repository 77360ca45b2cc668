"""The thesis' two conjectures."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabilab.errors import TheoryError
from hanabilab.theory import (
    SolitaireState,
    best_with_passes,
    conjecture_5_1,
    playable,
    playable_permutations,
    solve_solitaire,
)
from hanabilab.theory.counting import DeckCounter
from hanabilab.theory.playability import Card
from tests.theory.reference import best_by_all_strategies


@pytest.mark.parametrize("ranks", range(10))
def test_the_right_formula(ranks: int) -> None:
    """Exact counts by situations, up to nine ranks and every hand size."""
    for hand in range(1, ranks + 2):
        count = DeckCounter([ranks], hand, ranks, deck_ends=False).count([[1] * ranks])
        assert count == playable_permutations(ranks, hand), (ranks, hand)
        assert count == playable(*[1] * ranks, hand=hand, deck_ends=False)


@pytest.mark.parametrize("ranks", range(1, 8))
def test_the_right_formula_one_by_one(ranks: int) -> None:
    """And permutation by permutation, by the criterion and by Keßler's solitaire."""
    for hand in range(1, ranks + 1):
        by_criterion = by_search = 0
        for deck in permutations(range(1, ranks + 1)):
            inversions = [
                sum(other > rank for other in deck[:place]) for place, rank in enumerate(deck)
            ]
            holds = max(inversions) <= hand - 1
            by_criterion += holds
            if ranks <= 6:
                won = solve_solitaire(SolitaireState.start(deck, hand - 1)) is not None
                assert won == holds, (deck, hand)
                by_search += won
        assert by_criterion == playable_permutations(ranks, hand)


def test_conjecture_5_1_fails() -> None:
    assert conjecture_5_1(2, 1) == 2
    assert playable(1, 1, hand=1, deck_ends=False) == playable_permutations(2, 1) == 1
    for ranks in range(2, 10):
        for hand in range(1, ranks):
            assert conjecture_5_1(ranks, hand) != playable_permutations(ranks, hand)
            # It is the formula for one more card in hand.
            assert conjecture_5_1(ranks, hand) == playable_permutations(ranks, hand + 1)
    with pytest.raises(TheoryError, match="k ≥ m"):
        conjecture_5_1(2, 3)


@pytest.mark.parametrize("players", [1, 2, 3])
def test_conjecture_5_2_on_all_small_games(players: int) -> None:
    """Every deck of up to six cards of three ranks, and of five cards of two suits."""
    one_suit = [
        [(rank, 0) for rank in deck]
        for n in range(players, 7)
        for deck in product([1, 2, 3], repeat=n)
    ]
    two_suits = [
        list(deck)
        for n in range(players, 6)
        for deck in product([(1, 0), (2, 0), (1, 1), (2, 1)], repeat=n)
    ]
    for deck in one_suit + two_suits:
        expected = best_by_all_strategies(deck, players, deck_ends=False)
        assert best_with_passes(deck, players) == expected, deck


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 1)), min_size=4, max_size=9),
    st.integers(1, 4),
)
def test_conjecture_5_2_on_larger_games(deck: list[Card], players: int) -> None:
    expected = best_by_all_strategies(deck, players, deck_ends=False)
    assert best_with_passes(deck, players) == expected


def test_conjecture_5_2_needs_a_game_that_goes_on() -> None:
    """With the end of the game the two differ: 2 1, a card each or two in one hand."""
    assert best_with_passes([2, 1], 2) == 2
    assert best_by_all_strategies([(2, 0), (1, 0)], 2) == 1


def test_refuses_too_many_players() -> None:
    with pytest.raises(TheoryError, match="3 players"):
        best_with_passes([1, 2], 3)
