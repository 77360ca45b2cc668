"""Layered and hidden finesses of `conventions`: given, read, answered, and dropped."""

from __future__ import annotations

from typing import Any

import pytest
from tests.strategies.conventions_positions import Seated

from hanabilab.formats.action import Action
from hanabilab.game.actions import PLAY
from hanabilab.game.rules import preset
from hanabilab.papers.fixtures import game_with_deck
from hanabilab.strategies.conventions import CONVENTIONS
from hanabilab.strategies.conventions.examples import EXAMPLES
from hanabilab.strategies.conventions.judging import broken_conventions
from hanabilab.strategies.seats import Seat

LAYERED = ("y3 g3 b3 w3", "b4 w4 y3 y4", "b4 w4 r1 g1", "g4 y4 w3 r2")
"""Player 0 tells player 3 red: red 2, and red 1 is behind green 1 in the hand of player 2."""


def called(table: Seated, player: int) -> list[int]:
    """Return the called slots of a player, as everyone reads it."""
    return [memory.beliefs.called[player] for memory in table.memories]


def test_a_layered_finesse_is_given_and_answered_with_both_cards() -> None:
    assert Seated(*LAYERED, layered_finesses=True).act().target == 3
    table = Seated(*LAYERED, layered_finesses=True)
    table.tell_suit(3, "r")
    assert called(table, 2)[:3] == [1 << 3] * 3
    table.discard(0)
    table.act()
    assert table.state.fireworks[2] == 1
    assert called(table, 2) == [1 << 2] * 4
    assert set(table.taken_for(3, 3).split()) == {"r1", "r2"}
    assert table.choose().kind != PLAY  # it is red 2, if red 1 comes
    for _ in range(3):
        table.discard(0)
    assert (table.act().slot, table.state.fireworks[0]) == (2, 1)
    assert [table.taken_for(3, 2, by=reader) for reader in range(4)] == ["r2"] * 4
    assert (table.act().slot, table.state.fireworks[0]) == (2, 2)


def test_a_layered_finesse_that_does_not_go_on_is_dropped() -> None:
    table = Seated(*LAYERED, layered_finesses=True, tokens=2)
    table.tell_suit(3, "r")
    table.discard(0)
    table.play(3)
    for _ in range(4):
        table.discard(0)
    assert called(table, 2) == [0] * 4
    assert table.taken_for(3, 2) == "r1"


def test_directly_after_the_giver_a_layer_is_a_bluff() -> None:
    hands = (LAYERED[0], LAYERED[2], LAYERED[1], LAYERED[3])
    table = Seated(*hands, layered_finesses=True)
    table.tell_suit(3, "r")
    table.play(3)
    assert called(table, 1) == [0] * 4
    assert [table.taken_for(3, 3, by=reader) for reader in range(4)] == ["r2"] * 4
    simpler = Seated(*hands, layered_finesses=True, bluffs=False)
    simpler.tell_suit(3, "r")
    simpler.play(3)
    assert called(simpler, 1) == [1 << 2] * 4


@pytest.mark.parametrize("agreed", [True, False])
def test_a_hidden_finesse_goes_on_after_a_prompt(agreed: bool) -> None:
    """Cathy has a touched 1 that may be red 1, but it is green 1, and red 1 was drawn later."""
    example = next(each for each in EXAMPLES if each.title == "Hidden finesses")
    game = game_with_deck(preset("hle", 4), example.deal)
    strategy = CONVENTIONS.with_options(hidden_finesses=agreed)
    seats = [Seat.in_game(strategy, player, 0, 0) for player in range(4)]
    for seat in seats:
        seat.begin(game.state)
    for action in example.actions[:7]:
        event = game.act(action)
        for seat in seats:
            seat.observe(game.state, event)
    memories: list[Any] = [seat.memory for seat in seats]
    assert [each.beliefs.called[2] for each in memories] == [1 << 2 if agreed else 0] * 4
    for action in example.actions[7:-1]:
        event = game.act(action)
        for seat in seats:
            seat.observe(game.state, event)
    chosen = Action.from_number(seats[2].act(game.state), game.state)
    assert (str(chosen) == "play slot 2") == agreed


@pytest.mark.parametrize("title", ["Double finesses", "Layered finesses", "Hidden finesses"])
def test_longer_finesses_break_no_agreement(title: str) -> None:
    """A judge at the usual settings accuses nobody of what those who know more do."""
    example = next(each for each in EXAMPLES if each.title == title)
    game = game_with_deck(preset("hle", example.players), example.deal)
    for action in example.actions:
        game.act(action)
    for player in range(example.players):
        found = {each.convention for each in broken_conventions(game, player)}
        assert not found & {"promises", "calls", "plays"}
