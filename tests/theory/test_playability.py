"""Deciding single decks: the thesis' algorithms, the fast way, and all strategies."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabilab.errors import TheoryError
from hanabilab.theory import (
    Turn,
    algorithm_3_29,
    algorithm_3_36,
    best_score,
    decision,
    is_playable,
    playability,
    step_lines,
    winning_line,
)
from hanabilab.theory.playability import Card
from tests.theory.reference import all_decks, best_by_all_strategies, compositions

EXAMPLE_3_30 = [4, 2, 3, 1, 3, 2, 1, 1]
EXAMPLE_3_37 = [(2, 0), (1, 0), (3, 1), (1, 1), (3, 0), (2, 1), (1, 0)]


def replay(deck: Sequence[Card], hand: int, line: Sequence[Turn]) -> int:
    """Return the score of a line, played by the rules; fail if it breaks them."""
    assert len(line) <= len(deck) - hand + 1
    held, fireworks = set(range(hand)), dict[int, int]()
    for number, turn in enumerate(line):
        held.remove(turn.place)
        rank, suit = deck[turn.place]
        if turn.action == "play":
            assert fireworks.get(suit, 0) == rank - 1
            fireworks[suit] = rank
        else:
            assert turn.action == "discard"
        if hand + number < len(deck):
            held.add(hand + number)
    return sum(fireworks.values())


def check_deck(deck: Sequence[Card], hand: int) -> None:
    best = best_by_all_strategies(deck, hand)
    assert best_score(list(deck), hand) == best, (deck, hand)
    for goal in range(1, best + 2):
        playable = goal <= best
        assert algorithm_3_36(deck, goal, hand)[0] == playable, (deck, goal, hand)
        assert is_playable(list(deck), goal, hand) == playable, (deck, goal, hand)
        line = winning_line(list(deck), goal, hand)
        assert (line is not None) == playable
        if line is not None:
            assert replay(deck, hand, line) == goal


@pytest.mark.parametrize("hand", range(1, 5))
def test_decks_of_one_suit(hand: int) -> None:
    """Every eleventh deck of up to seven cards of four ranks."""
    for cards in range(1, 8):
        for counts in compositions(cards, 4, least=0):
            if counts[0] and max(counts) <= 3:
                for deck in list(all_decks([counts]))[::11]:
                    check_deck(deck, hand)


decks = st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 2)), min_size=1, max_size=10)


@given(decks, st.integers(1, 5))
def test_random_decks_of_several_suits(deck: list[Card], hand: int) -> None:
    check_deck(deck, hand)


@given(st.permutations([1, 1, 1, 2, 2, 3, 3, 4, 4, 5]), st.integers(1, 6))
def test_the_classic_suit(ranks: list[int], hand: int) -> None:
    check_deck([(rank, 0) for rank in ranks], hand)
    best = best_score(ranks, hand)
    assert algorithm_3_29(ranks, 5, hand)[0] == (best == 5)


@given(st.permutations([(r, s) for s in range(5) for r in [1, 1, 1, 2, 2, 3, 3, 4, 4, 5]]))
def test_whole_decks_have_lines(deck: list[Card]) -> None:
    """Fifty cards: too many for brute force, but a line proves a win."""
    for hand in (2, 5, 9):
        best = best_score(deck, hand)
        line = winning_line(deck, best, hand)
        assert line is not None
        assert replay(deck, hand, line) == best
        assert winning_line(deck, best + 1, hand) is None


def test_properties_of_theorem_3_13() -> None:
    assert is_playable([4, 3, 2, 1, 1, 1, 1], 4, 4)  # Example 3.11
    assert not is_playable([4, 3, 2, 1, 1, 1, 1], 4, 1)
    assert is_playable([1, 2, 3, 4], 4, 1)  # Example 3.12
    assert best_score([1, 2, 3, 4], 4) == 1
    assert best_score([1, 2, 3, 4], 5) == 0  # 3.13.4: N - m + 1 turns
    assert is_playable([2, 2], 0, 1)
    assert is_playable([], 0, 3)
    assert winning_line([], 0, 3) == []


def test_example_3_30() -> None:
    """Every step; the thesis has three slips, but the same result (docs/results/errata.md)."""
    assert step_lines(EXAMPLE_3_30, 4, 2) == [
        "Algorithm 3.29: is S = (4, 2, 3, 1, 3, 2, 1, 1) (4, 2)-playable?",
        "1.  n = 8, p = 4; n - m + 1 = 7 ≥ 4: go on",
        "2.  S = (4, 2, 3, 1, 3, 2, 1, 1), n = 8, p = 4: i = 4, n - i = 4 ≥ p - 1 = 3, i > 2: "
        "step c, keep 1 of t = (4, 2, 3)",
        "    t' = (4): S = (3, 2, 1, 0, 0), n = 5, p = 3: i = 3, n - i = 2 ≥ p - 1 = 2, i > 2: "
        "step c, keep 1 of t = (3, 2)",
        "        t' = (3): S = (2, -1, -1), n = 3, p = 2: i = ∞: NO",
        "        t' = (2): S = (1, -1, -1), n = 3, p = 2: i = 1, n - i = 2 ≥ p - 1 = 1, i ≤ 2: "
        "step b, play this 1",
        "                  S = (-2, -2), n = 2, p = 1: i = ∞: NO",
        "    t' = (2): S = (1, 2, 1, 0, 0), n = 5, p = 3: i = 1, n - i = 4 ≥ p - 1 = 2, i ≤ 2: "
        "step b, play this 1",
        "              S = (1, 0, -1, -1), n = 4, p = 2: i = 1, n - i = 3 ≥ p - 1 = 1, i ≤ 2: "
        "step b, play this 1",
        "              S = (-1, -2, -2), n = 3, p = 1: i = ∞: NO",
        "    t' = (3): S = (2, 2, 1, 0, 0), n = 5, p = 3: i = 3, n - i = 2 ≥ p - 1 = 2, i > 2: "
        "step c, keep 1 of t = (2, 2)",
        "        t' = (2): S = (1, -1, -1), n = 3, p = 2: i = 1, n - i = 2 ≥ p - 1 = 1, i ≤ 2: "
        "step b, play this 1",
        "                  S = (-2, -2), n = 2, p = 1: i = ∞: NO",
        "S is not (4, 2)-playable.",
    ]


def test_example_3_37() -> None:
    answer, step = algorithm_3_36(EXAMPLE_3_37, 4, 2)
    assert answer
    passes = []
    while step is not None:
        passes.append((step.first, step.length, step.points, step.sequence))
        step = step.next[0] if step.next else None
    assert passes == [
        (2, 7, 4, EXAMPLE_3_37),
        (1, 6, 3, [(1, 0), (3, 1), (1, 1), (2, 0), (2, 1), (0, 0)]),
        (2, 5, 2, [(3, 1), (1, 1), (1, 0), (2, 1), (-1, 0)]),
        (2, 4, 1, [(2, 1), (1, 0), (1, 1), (-1, 0)]),  # the thesis says i = 1
    ]
    assert step_lines(EXAMPLE_3_37, 4, 2) == [
        "Algorithm 3.36: is S = ((2, 1), (1, 1), (3, 2), (1, 2), (3, 1), (2, 2), (1, 1)) "
        "(4, 2)-playable?",
        "1.  n = 7, p = 4; n - m + 1 = 6 ≥ 4: go on",
        "2.  S = ((2, 1), (1, 1), (3, 2), (1, 2), (3, 1), (2, 2), (1, 1)), n = 7, p = 4: "
        "i = 2, n - i = 5 ≥ p - 1 = 3, i ≤ 2: step b, play this 1",
        "    S = ((1, 1), (3, 2), (1, 2), (2, 1), (2, 2), (0, 1)), n = 6, p = 3: "
        "i = 1, n - i = 5 ≥ p - 1 = 2, i ≤ 2: step b, play this 1",
        "    S = ((3, 2), (1, 2), (1, 1), (2, 2), (-1, 1)), n = 5, p = 2: "
        "i = 2, n - i = 3 ≥ p - 1 = 1, i ≤ 2: step b, play this 1",
        "    S = ((2, 2), (1, 1), (1, 2), (-1, 1)), n = 4, p = 1: i = 2, p = 1: YES",
        "S is (4, 2)-playable.",
    ]


def test_other_verdicts_are_told() -> None:
    assert step_lines([1, 2], 2, 2)[1] == "1.  n = 2, p = 2; n - m + 1 = 1 < 2: NO"
    assert "n - i = 0 < p - 1 = 1: NO" in step_lines([2, 1], 2, 1)[2]
    assert "(0, m)" in step_lines([2, 1], 0, 1)[0]


def test_gives_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision, "MAX_SITUATIONS", 10)
    with pytest.raises(TheoryError, match="more than 10 situations after"):
        is_playable([3, 2, 3, 4, 2, 4, 3, 1, 2, 3, 4], 4, 3)


def test_skipping_comparisons_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    deck = [(rank, suit) for rank in (4, 3, 2, 4, 3, 1, 2, 1) for suit in range(3)]
    expected = [best_score(deck, hand) for hand in range(1, 8)]
    monkeypatch.setattr(decision, "MAX_COMPARISONS", 0)
    assert [best_score(deck, hand) for hand in range(1, 8)] == expected


def test_reports_its_progress() -> None:
    seen: list[str] = []
    is_playable([1, 2], 2, 1, report=lambda done, words: seen.append(f"{done} {words}"))
    assert seen == ["1 situations, 1 of 2 cards", "2 situations, 2 of 2 cards"]


def test_refuses_nonsense(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TheoryError, match="hand: 0"):
        is_playable([1], 1, 0)
    with pytest.raises(TheoryError, match="goal: -1"):
        is_playable([1], -1, 1)
    with pytest.raises(TheoryError, match="card 2, '1'"):
        is_playable([1, "1"], 1, 1)  # type: ignore[arg-type]
    with pytest.raises(TheoryError, match="card 1, True"):
        is_playable([True], 1, 1)
    with pytest.raises(TheoryError, match="goal: 0"):
        algorithm_3_29([1], 0, 1)
    monkeypatch.setattr(playability, "MAX_STEPS", 2_000)
    with pytest.raises(TheoryError, match="2,000 steps"):
        algorithm_3_29([*range(2, 30), 1, *[0] * 30], 25, 10)
