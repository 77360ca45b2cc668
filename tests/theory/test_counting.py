"""Counting with any hand size: against every deck, Appendix A, and beyond the thesis."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabilab.errors import TheoryError
from hanabilab.papers.thesis.playability import appendix_a
from hanabilab.theory import (
    chi,
    count_decks,
    is_playable,
    playable,
    playable_by_composition,
    score_distribution,
    total,
    unplayable,
)
from hanabilab.theory.counting import DeckCounter
from tests.theory.reference import Suits, all_decks, compositions, score_counts


def test_appendix_a() -> None:
    """All 630 printed fractions but two are the exact ones, rounded.

    One is a misprint; the other, 28384/75600 = 0.375450, is rounded up one digit too early.
    """
    printed = appendix_a()
    assert len(printed) == 126
    wrong = []
    for hand in range(1, 6):
        found = playable_by_composition(10, 5, hand)
        assert found.keys() == printed.keys()
        for counts, count in found.items():
            cell = printed[counts][hand - 1]
            if abs(count.fraction - Fraction(cell)) > Fraction(1, 20_000):
                wrong.append((counts, hand, cell, f"{float(count.fraction):.6f}"))
    assert wrong == [
        ((1, 2, 1, 4, 2), 1, "0.0560", "0.055926"),
        ((1, 2, 2, 3, 2), 2, "0.3755", "0.375450"),
    ]


@pytest.mark.parametrize("hand", range(1, 6))
def test_one_suit_against_every_deck(hand: int) -> None:
    for cards in range(8):
        for ranks in range(min(cards, 4) + 1):
            for counts in list(compositions(cards, ranks))[::3]:
                expected = score_counts([counts], hand)
                assert playable(*counts, hand=hand) == expected[-1], counts
                assert score_distribution(*counts, hand=hand) == expected, counts


SEVERAL_SUITS: list[Suits] = [
    [(1, 1), (1, 1)],
    [(2, 1), (1, 2)],
    [(2, 2, 1), (1, 1)],
    [(1,), (2, 1), (1, 1)],
    [(2, 0), (1, 1)],
    [(), (2, 1)],
]


@pytest.mark.parametrize("suits", SEVERAL_SUITS)
@pytest.mark.parametrize("hand", range(1, 5))
def test_several_suits_against_every_deck(suits: Suits, hand: int) -> None:
    expected = score_counts(suits, hand)
    assert score_distribution(*suits, hand=hand) == expected
    assert playable(*suits, hand=hand) == expected[-1]
    assert unplayable(*suits, hand=hand) == sum(expected[:-1])


@given(
    st.lists(st.lists(st.integers(0, 2), max_size=3), min_size=1, max_size=3).filter(
        lambda suits: sum(map(sum, suits)) <= 7
    ),
    st.integers(1, 6),
    st.booleans(),
)
@settings(max_examples=60)
def test_any_composition(suits: list[list[int]], hand: int, deck_ends: bool) -> None:
    expected = score_counts(suits, hand, deck_ends=deck_ends)
    assert score_distribution(*suits, hand=hand, deck_ends=deck_ends) == expected
    assert playable(*suits, hand=hand, deck_ends=deck_ends) == expected[-1]


def test_hand_size_one_is_the_theorem() -> None:
    """Compare the count over situations with the product formula, for one card in hand."""
    for ranks in range(1, 6):
        for counts, count in playable_by_composition(9, ranks, 1).items():
            assert count.playable == chi(*counts) == playable(*counts), counts


@pytest.mark.parametrize(
    ("hand", "won"), [(1, 2041116), (2, 5777368), (3, 7037532), (4, 7170120), (5, 7171920)]
)
def test_two_suits_of_three_ranks(hand: int, won: int) -> None:
    """What the thesis could not do: 7,484,400 decks (section 3.6)."""
    count = count_decks((2, 2, 2), (2, 2, 2), hand=hand)
    assert (count.playable, count.total) == (won, 7_484_400)


def test_two_suits_deck_by_deck() -> None:
    """All decks of eight cards that the decision wins, counted."""
    suits = [(2, 2, 1), (1, 1, 1)]
    for hand in (2, 3):
        won = sum(is_playable(deck, 6, hand) for deck in all_decks(suits))
        assert won == playable(*suits, hand=hand)


@pytest.mark.parametrize("hand", [2, 3, 5])
@pytest.mark.parametrize("counts", [(4, 4, 4, 4, 4), (1, 2, 2, 3, 3, 4), (3, 3, 3, 3, 3)])
def test_fifteen_and_twenty_cards(counts: tuple[int, ...], hand: int) -> None:
    """No brute force reaches these: the sum of all scores, and that more room helps here."""
    scores = score_distribution(*counts, hand=hand)
    assert sum(scores) == total(*counts)
    assert scores[-1] == playable(*counts, hand=hand)
    assert scores[-1] > playable(*counts, hand=hand - 1)


def test_suits_have_no_names() -> None:
    assert playable((2, 1, 1), (1, 1, 2), hand=2) == playable((1, 1, 2), (2, 1, 1), hand=2)
    assert playable((2, 1), (1, 1, 2), (1,), hand=3) == playable((1,), (2, 1), (1, 1, 2), hand=3)


def test_without_an_end_more_room_never_hurts() -> None:
    for hand in range(1, 7):
        open_end = [playable(2, 2, 2, 1, hand=m, deck_ends=False) for m in (hand, hand + 1)]
        assert open_end[0] <= open_end[1]
        assert playable(2, 2, 2, 1, hand=hand) <= open_end[0]
    assert playable(2, 2, 2, 1, hand=4, deck_ends=False) == total(2, 2, 2, 1)


def test_a_long_deck() -> None:
    """Many cards of few ranks: only 2 … 2 1 is lost, for lack of a turn."""
    assert unplayable(1, 500, hand=2) == 1
    assert unplayable(3, 300, hand=2) == 0


def test_more_ranks_than_turns() -> None:
    """No work at all, however large the deck (Theorem 3.13.4)."""
    assert playable(*[2] * 30, hand=40) == 0


def test_the_edges() -> None:
    assert playable() == 1
    assert playable(hand=7) == 1
    assert playable(0, hand=3) == 0
    assert playable(3, hand=3) == 1  # one turn
    assert playable(3, hand=4) == 0  # none
    assert playable(3, hand=4, deck_ends=False) == 1
    assert score_distribution(hand=2) == [1]
    assert score_distribution(3, hand=4) == [1, 0]
    assert score_distribution(2, 0, 1, hand=2) == [0, 3, 0, 0]
    assert playable(1, 1, hand=2) == 0  # one turn for two cards


def test_refuses_nonsense() -> None:
    for hand in (0, -1, True, 2.5):
        with pytest.raises(TheoryError, match="hand"):
            playable(1, 1, hand=hand)  # type: ignore[arg-type]
    with pytest.raises(TheoryError, match="count of rank 2: -1 is not at least 0"):
        playable((1, 1), (1, -1), hand=2)
    with pytest.raises(TheoryError, match="one suit as numbers"):
        playable(1, (1, 1), hand=2)


def test_refuses_what_would_take_hours() -> None:
    with pytest.raises(TheoryError, match="minutes"):
        count_decks(*[(3, 2, 2, 2, 1)] * 5, hand=5)
    with pytest.raises(TheoryError, match="1e954 ways"):
        count_decks(*[2] * 2000, hand=2)
    with pytest.raises(TheoryError, match="more than 800 states"):
        count_decks(2, 2, 2, 2, 2, 2, hand=3, states=800)


def test_reports_its_progress() -> None:
    seen: list[int] = []
    count_decks(*[2] * 8, hand=2, report=lambda done, words: seen.append(done))
    assert seen == [5000]


def test_a_huge_hand_is_no_work() -> None:
    """Forty cards of ten ranks: nothing is ever given up, so only time decides."""
    count = count_decks(*[4] * 10, hand=10, states=30_000)
    assert 0 < count.playable < count.total


def test_closed_forms_without_an_end() -> None:
    """They are no work, and the same as the count by situations."""
    assert playable(*[1] * 20, hand=3, deck_ends=False) == 6 * 3**17
    assert count_decks(*[1] * 20, hand=3, deck_ends=False, scores=True).playable == 6 * 3**17
    every = count_decks(*[(3, 2, 2, 2, 1)] * 5, hand=25, deck_ends=False)
    assert every.unplayable == 0
    with pytest.raises(TheoryError, match="minutes"):
        playable(*[(3, 2, 2, 2, 1)] * 5, hand=24, deck_ends=False)


@pytest.mark.parametrize("suits", [[[1] * 5], [[2, 1, 2]], [[1, 2], [2, 1]], [[1, 1], [1]]])
def test_closed_forms_against_the_count_by_situations(suits: list[list[int]]) -> None:
    ranks = list(map(len, suits))
    for hand in range(2, 8):
        counter = DeckCounter(ranks, hand, sum(ranks), deck_ends=False)
        assert playable(*suits, hand=hand, deck_ends=False) == counter.count(suits)
        assert score_distribution(*suits, hand=hand, deck_ends=False) == score_counts(
            suits, hand, deck_ends=False
        )


def test_scores_of_many_suits() -> None:
    """Those of one suit, multiplied as polynomials; beyond minutes of work there is an error."""
    one = score_distribution(3, 2, 1)
    scores = [1]
    for _ in range(12):
        scores = [
            sum(scores[i] * one[s - i] for i in range(len(scores)) if 0 <= s - i < len(one))
            for s in range(len(scores) + 3)
        ]
    mixed = total(*(3, 2, 1) * 12) // total(3, 2, 1) ** 12
    assert score_distribution(*[(3, 2, 1)] * 12) == [mixed * decks for decks in scores]
    with pytest.raises(TheoryError, match="products of long integers"):
        score_distribution(*[(1,)] * 20_000)
