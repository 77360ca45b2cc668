"""One call judges a sequence: the verdict, the best score, a line and the steps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hanabilab.theory import (
    SolitaireState,
    best_score,
    is_playable,
    judge_sequence,
    judge_solitaire,
    solve_solitaire,
    step_lines,
)

DECKS = st.lists(st.integers(0, 4), max_size=8)


@given(DECKS, st.integers(1, 3))
def test_a_judgement_is_made_of_its_parts(deck: list[int], hand: int) -> None:
    goal = max([0, *deck])
    found = judge_sequence(deck, hand=hand, explain=True)
    assert (found.goal, found.hand) == (goal, hand)
    assert found.is_playable == is_playable(deck, goal, hand)
    assert found.best == best_score(deck, hand)
    assert list(found.steps) == step_lines(deck, goal, hand)
    if found.line is not None:
        assert [turn.action for turn in found.line].count("play") == goal


@given(DECKS, st.integers(1, 3))
def test_without_an_end_it_is_the_solitaire(deck: list[int], hand: int) -> None:
    found = judge_solitaire(deck, hand)
    moves = solve_solitaire(SolitaireState.start(deck, hand - 1))
    line = None if found.line is None else [(turn.action, deck[turn.place]) for turn in found.line]
    assert line == (None if moves is None else [(move.action, move.card[0]) for move in moves])
    assert found.to_dict(list(map(str, deck))).keys() == {
        *("cards", "goal", "hand", "deck_ends", "playable", "line")
    }
