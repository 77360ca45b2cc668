"""Theorems on small games: the games are played by the rules, and damage is noticed."""

from __future__ import annotations

from typing import Any

import pytest

from hanabilab import papers, theory
from hanabilab.papers import kessler
from hanabilab.papers.open_game import OpenGame, orders
from hanabilab.papers.small_solitaire import SmallSolitaire
from hanabilab.papers.thesis import theorems
from tests.theory.reference import all_decks, best_by_all_strategies, solitaire_by_all_actions


def test_orders() -> None:
    suits = [(2, 1), (1, 2)]
    assert sorted(orders(suits)) == sorted(all_decks(suits))


@pytest.mark.parametrize("hand", [1, 2, 3, 6])
def test_a_single_player(hand: int) -> None:
    for deck in orders([(2, 2, 1)]):
        assert OpenGame(deck, 1, hand).best() == best_by_all_strategies(deck, hand)


def test_passes_of_example_3_38() -> None:
    deck = tuple((rank, 0) for rank in (4, 3, 2, 1, 1, 1, 1, 1))
    assert OpenGame(deck, 2, 2, 0).best() < 4
    assert OpenGame(deck, 2, 2, 8).best() == 4


@pytest.mark.parametrize("room", [0, 1, 2])
def test_the_solitaire(room: int) -> None:
    for deck in orders([(2, 1), (1, 2)]):
        state = theory.SolitaireState.start(deck, room)
        expected = solitaire_by_all_actions(state)
        for discards_stored in (False, True):
            game = SmallSolitaire(deck, room, {0: 2, 1: 2}, discards_stored)
            assert game.won() == expected == (theory.solve_solitaire(state) is not None)


def test_the_cases_of_the_remarks_occur() -> None:
    paces = [kessler._pace_of(game, position)[1] for game, position, _ in kessler._positions()]
    assert min(paces) < 0
    assert 0 in paces
    assert len({game.won() for game in kessler._solitaires()}) == 2


@pytest.mark.parametrize(
    ("module", "name", "wrong", "id"),
    [
        (theorems, "_contains", lambda deck, goal: goal <= max(deck), "thesis.3.13.2"),
        (theory, "chi_by_closed_form", lambda *counts: 1, "thesis.3.24"),
        (theory, "is_playable", lambda *rest: True, "thesis.3.13.1"),
        (theorems, "_by_colour", lambda deck: tuple(deck[::-1]), "thesis.3.33"),
        (theory, "pace", lambda p, n, s: p + n - s - 1, "kessler.5.3"),
        (theory, "initial_deck", lambda state: list(state.deck), "kessler.3.4.2.state"),
    ],
)
def test_damage_differs(
    module: Any, name: str, wrong: Any, id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    theorems._won.cache_clear()
    monkeypatch.setattr(module, name, wrong)
    found = papers.reproduce(id.partition(".")[0], only=id)
    assert id in {finding.item.id for finding in found.unexplained}
    theorems._won.cache_clear()
