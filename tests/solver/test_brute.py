"""Brute force against the engine, and on the small games that refute plausible rules."""

from __future__ import annotations

import random

import pytest

from hanabilab.game.actions import count_legal, nth_legal
from hanabilab.solver.position import Position
from tests.solver.brute import Table, best_score, score, start, successors
from tests.solver.tiny import one_suit, random_position, setup_of, table_of


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_brute_force_walks_where_the_engine_walks(first: int) -> None:
    """After each turn of a random game: the same table, and the same tables to follow it."""
    for seed in range(first, first + 50):
        walk_beside_engine(seed)


def walk_beside_engine(seed: int) -> None:
    chance = random.Random(seed)
    position = random_position(chance, most_cards=12)
    setup = setup_of(position)
    assert table_of(position) == start(setup)
    while not position.is_over:
        table = table_of(position)
        legal = [nth_legal(position.state, n) for n in range(count_legal(position.state))]
        following = [position.after([action]) for action in legal]
        expected = {table._replace(passes=0) for table in successors(setup, table)}
        assert {table_of(after) for after in following} == expected
        position = chance.choice(following)
        assert score(setup, table_of(position)) == position.score


def best(position: Position) -> int:
    return best_score(setup_of(position), table_of(position))


def test_playing_whenever_possible_can_lose() -> None:
    """1 2 3 1 1, two players, hand 2: winnable, but not if whoever can play does."""
    position = one_suit("1 2 3 1 1", hand_size=2, tokens=1, lives=1)
    assert best(position) == 3
    assert best(position.after([2])) < 3  # the first 1, at once


def test_more_tokens_can_hurt() -> None:
    """2 3 1 1 2 1, two players, hand 1: lost from two tokens, winnable from one."""
    position = one_suit("2 3 1 1 2 1", hand_size=1, tokens=2, lives=1)
    assert best(position) < 3
    fewer = position.state.copy()
    fewer.hint_tokens = 1
    assert best(Position(fewer, position.deck)) == 3


def test_a_playable_card_may_have_to_be_discarded() -> None:
    """3 1 1 1 3 2 4, two players, hand 1: the only wins discard a 1 that fits."""
    position = one_suit("3 1 1 1 3 2 4", hand_size=1, tokens=1, lives=1)
    assert best(position) == 4
    setup = setup_of(position)

    def winnable_without(table: Table) -> bool:
        if table.over:
            return score(setup, table) == 4
        fits = {table.fireworks[0]} & set(table.hands[table.player])
        return any(
            winnable_without(after)
            for after in successors(setup, table)
            if not (fits and after.tokens > table.tokens and sum(after.fireworks) < 4)
        )

    assert not winnable_without(table_of(position))


def test_a_misplay_may_be_needed() -> None:
    """4 2 3 4 1 3 4 5 1, two players, hand 1: a misplay is the only discard at full tokens."""
    position = one_suit("4 2 3 4 1 3 4 5 1", hand_size=1, tokens=1, lives=3)
    assert best(position) == 5
    one_life = one_suit("4 2 3 4 1 3 4 5 1", hand_size=1, tokens=1, lives=1)
    assert best(one_life) < 5


def test_the_last_card_of_the_deck_must_be_of_the_highest_rank() -> None:
    assert best(one_suit("1 2 3 4", hand_size=1, tokens=1, lives=1)) == 4
    assert best(one_suit("1 2 4 3", hand_size=1, tokens=1, lives=1)) < 4
