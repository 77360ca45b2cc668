"""Keßler's solitaire: every action of the definition, the reductions, and the thesis' game."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabilab.errors import TheoryError
from hanabilab.theory import (
    Move,
    SolitaireState,
    initial_deck,
    is_playable,
    playable,
    solve_solitaire,
    with_all_ranks,
)
from hanabilab.theory.playability import Card
from tests.theory.reference import all_decks, solitaire_by_all_actions

cards = st.tuples(st.integers(1, 4), st.integers(0, 2))


@st.composite
def states(draw: st.DrawFn) -> SolitaireState:
    """Any state: some cards played, some stored, some suits shorter than others."""
    ranks = {suit: draw(st.integers(1, 4)) for suit in range(draw(st.integers(1, 3)))}
    hand = draw(st.integers(0, 3))
    fireworks = {suit: draw(st.integers(0, ranks[suit])) for suit in ranks}
    stored = draw(st.lists(cards, max_size=hand, unique=True))
    deck = draw(st.lists(cards, max_size=9))
    return SolitaireState(tuple(deck), hand, ranks, fireworks, tuple(stored))


def check_moves(state: SolitaireState, moves: Sequence[Move]) -> None:
    """A referee: the moves are legal and win."""
    deck, stored = list(state.deck), set(state.stored)
    fireworks = {suit: state.fireworks.get(suit, 0) for suit in state.ranks}
    for move in moves:
        rank, suit = move.card
        if move.action.endswith("stored"):
            stored.remove(move.card)
        else:
            assert deck.pop(0) == move.card
        if move.action.startswith("play"):
            assert fireworks[suit] == rank - 1
            fireworks[suit] = rank
        elif move.action == "store":
            stored.add(move.card)
            assert len(stored) <= state.hand
        else:
            assert move.action in ("discard", "discard stored")
    assert fireworks == state.ranks


@given(states())
def test_any_state(state: SolitaireState) -> None:
    moves = solve_solitaire(state)
    assert (moves is not None) == solitaire_by_all_actions(state)
    if moves is not None:
        check_moves(state, moves)


@given(states())
def test_reduction_of_partial_states(state: SolitaireState) -> None:
    """Remark 3.4.2: the deck that replaces a state is won, from the start, if the state is."""
    reduced = SolitaireState.start(initial_deck(state), state.hand)
    height = max(state.ranks[suit] - state.fireworks[suit] for suit in state.ranks)
    complete = SolitaireState(reduced.deck, state.hand, dict.fromkeys(state.ranks, height), {})
    assert solitaire_by_all_actions(complete) == solitaire_by_all_actions(state)


@given(st.lists(cards, max_size=8), st.integers(0, 2))
def test_reduction_of_missing_ranks(deck: list[Card], hand: int) -> None:
    ranks = {0: 2, 1: 4, 2: 3}
    deck = [card for card in deck if card[0] <= ranks[card[1]]]
    short = SolitaireState(tuple(deck), hand, ranks, {})
    full = SolitaireState(tuple(with_all_ranks(deck, ranks)), hand, dict.fromkeys(ranks, 4), {})
    assert solitaire_by_all_actions(short) == solitaire_by_all_actions(full)
    assert (solve_solitaire(short) is None) == (solve_solitaire(full) is None)


@given(st.lists(cards, max_size=9), st.integers(0, 3))
def test_relation_to_playability(deck: list[Card], hand: int) -> None:
    """With useless cards at the end the thesis' player has the same time; without, less."""
    state = SolitaireState.start(deck, hand)
    goal = sum(state.ranks.values())
    won = solve_solitaire(state) is not None
    useless = [(0, 0)] * (goal + hand)
    assert is_playable([*deck, *useless], goal, hand + 1) == won
    if is_playable(deck, goal, hand + 1):
        assert won


def test_relation_is_strict() -> None:
    assert solve_solitaire(SolitaireState.start([2, 1], 1)) == [
        Move("store", (2, 0)),
        Move("play", (1, 0)),
        Move("play stored", (2, 0)),
    ]
    assert not is_playable([2, 1], 2, 2)


@pytest.mark.parametrize("hand", range(3))
def test_counts_without_an_end(hand: int) -> None:
    suits = [(2, 1, 1), (1, 2)]
    ranks = {0: 3, 1: 2}
    won = sum(
        solve_solitaire(SolitaireState(deck, hand, ranks, {})) is not None
        for deck in all_decks(suits)
    )
    assert won == playable(*suits, hand=hand + 1, deck_ends=False)


@given(st.permutations([(r, s) for s in range(5) for r in [1, 1, 1, 2, 2, 3, 3, 4, 4, 5]]))
def test_whole_decks(deck: list[Card]) -> None:
    results = []
    for hand in (2, 5, 9, 24):
        state = SolitaireState.start(deck, hand)
        moves = solve_solitaire(state)
        results.append(moves is not None)
        if moves is not None:
            check_moves(state, moves)
    assert results == sorted(results)  # more room never hurts
    assert results[-1]  # and 24 places are always enough


def test_the_edges() -> None:
    assert solve_solitaire(SolitaireState.start([], 0)) == []
    assert solve_solitaire(SolitaireState.start([1, 2, 3], 0)) is not None
    assert solve_solitaire(SolitaireState.start([2, 1], 0)) is None
    assert solve_solitaire(SolitaireState.start([1, 3], 5)) is None  # no 2 at all
    middle = SolitaireState(((2, 0),), 1, {0: 3}, {0: 1}, ((3, 0),))
    assert initial_deck(middle) == [(2, 0), (1, 0)]
    assert solve_solitaire(middle) == [Move("play", (2, 0)), Move("play stored", (3, 0))]
    blocked = SolitaireState(((3, 0), (2, 0)), 1, {0: 3}, {0: 1}, ((1, 0),))
    assert initial_deck(blocked) == [(2, 0), (1, 0)]  # without the 1, which is played
    assert solve_solitaire(blocked) == [
        Move("discard stored", (1, 0)),
        Move("store", (3, 0)),
        Move("play", (2, 0)),
        Move("play stored", (3, 0)),
    ]


def test_refuses_nonsense() -> None:
    with pytest.raises(TheoryError, match="hand: -1"):
        solve_solitaire(SolitaireState.start([1], -1))
    with pytest.raises(TheoryError, match="cannot be stored"):
        solve_solitaire(SolitaireState((), 0, {0: 2}, {}, ((2, 0),)))
    with pytest.raises(TheoryError, match="is at 3 of 2"):
        solve_solitaire(SolitaireState((), 0, {0: 2}, {0: 3}))
