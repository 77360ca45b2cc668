"""`hatter` and `duo`: all tables agree and are true, and every signal says what it should."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hanabilab import Game, Rules, Strategy, preset
from hanabilab.game.cards import card_in
from hanabilab.strategies import find_strategy
from hanabilab.strategies.hatter.tables import Tables


def turns(game: Game, strategy: Strategy) -> Iterator[list[Tables]]:
    """Play a game interpreted; after each turn everyone's memories."""
    assert strategy.begin
    assert strategy.observe
    players = range(game.rules.players)
    notes: list[Tables] = [strategy.fresh_memory() for _ in players]  # type: ignore[misc]
    for player in players:
        strategy.begin(game.view(player), notes[player])
    while not game.is_over:
        event = game.act(strategy.act(game.view(game.player), notes[game.player]))
        for player in players:
            strategy.observe(game.view(player), event, notes[player])
        yield notes


def is_true(game: Game, tables: Tables) -> bool:
    """Does every table contain the card that is there?"""
    return all(
        tables.public[player][slot] >> card_in(game.state.hands[player], slot) & 1
        for player in range(game.rules.players)
        for slot in range(game.state.hand_count[player])
    )


def public(game: Game, tables: Tables) -> list[object]:
    """All that must be the same for everyone."""
    rows = [
        tables.public[player][: game.state.hand_count[player]]
        for player in range(game.rules.players)
    ]
    return [rows, tables.unaccounted, tables.playable, tables.dead, tables.critical, tables.ways]


@pytest.mark.parametrize(
    "rules",
    [
        preset("classic", 3),
        preset("classic", 4),
        preset("classic", 5),
        preset("classic", 6),
        preset("rainbow-dutch", 4),
        preset("thesis", 3),
        preset("cox", 5),
        preset("classic", 3, lives=1, hint_tokens=2),
    ],
    ids=str,
)
def test_all_players_keep_the_same_public_tables_and_they_are_true(rules: Rules) -> None:
    for number in range(3):
        game = Game(rules, seed=4, game=number)
        for notes in turns(game, find_strategy("hatter")):
            assert all(public(game, other) == public(game, notes[0]) for other in notes)
            assert is_true(game, notes[0])
        assert game.score > 0
