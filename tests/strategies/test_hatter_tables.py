"""The tables of `hatter` and `duo`: what is known, publicly and privately."""

from __future__ import annotations

from tests.strategies.hatter_positions import (
    CALM,
    THREE,
    TWO,
    at,
    bits,
)

from hanabilab.game.state import view_of
from hanabilab.papers.fixtures import state_with
from hanabilab.strategies.hatter import DUO, HATTER
from hanabilab.strategies.hatter.decision import infer_own_cards
from hanabilab.strategies.hatter.tables import useless_slots


def test_private_information_counts_the_cards_in_sight() -> None:
    state = state_with(THREE, ["r2 r1 r3 y3 b3", "r1 r1 y4 w4 g4", "r2 g3 g4 b4 w3"], "")
    memories = at(HATTER, state, {(0, 0): "r1 r2", (0, 1): "r1 r2"})
    infer_own_cards(view_of(state, 0), memories[0])
    one_left = bits("r1 r2")
    assert memories[0].private.possible[:2] == [one_left, one_left]
    memories = at(HATTER, state, {(0, 0): "r2", (0, 1): "r1 r2"})
    infer_own_cards(view_of(state, 0), memories[0])
    assert memories[0].private.possible[1] == bits("r1")


def test_tables_that_contradict_the_cards_in_sight_are_not_believed() -> None:
    state = state_with(THREE, ["r2 r1 r3 y3 b3", "w5 r1 y4 w4 g4", "r2 g3 g4 b4 w3"], "")
    memories = at(HATTER, state, {(0, 0): "w5"})
    infer_own_cards(view_of(state, 0), memories[0])
    assert memories[0].private.possible[0].bit_count() > 20


def test_contradictions_are_forgotten() -> None:
    state = state_with(TWO, ["r2 r1 r3 y3 b3", CALM], "")
    memories = at(DUO, state, {(0, 0): "w5", (1, 2): "w5"})
    tables = memories[0].tables.public
    assert tables[0][0].bit_count() == 1
    assert tables[1][2].bit_count() > 20


def test_useless_slots_are_dead_or_held_twice() -> None:
    known = [bits("r1"), bits("g3"), bits("g3"), bits("r1 y1"), bits("b3")]
    assert useless_slots(known, 5, bits("r1 y1")) == 0b01111
