"""Imagined players who search too, and imagined games that need not be played to their end."""

from __future__ import annotations

from typing import Any

import pytest

from hanabilab import Deck, Game, find_strategy, preset
from hanabilab.bench.playouts import play_outs, position
from hanabilab.core.machine_code import prepare
from hanabilab.errors import StrategyError
from hanabilab.strategies.search import comparison
from hanabilab.strategies.search.comparison import follow_to_end, play_out, search_to_end
from hanabilab.strategies.search.kernels import begin, find_candidates, observe
from hanabilab.strategies.search.memory import SearchMemory
from hanabilab.strategies.search.worlds import deal_world, prepare_worlds
from hanabilab.strategies.strategy import SearchSupport
from hanabilab.table.play import play

DECK = Deck.shuffled(preset("classic", 3), seed=1, game=61)
"""A deck with which `hatter` loses a point, late in the game."""


def late_game(pile: int) -> Game:
    """Return a game of `hatter` in which the draw pile has come down to some cards."""
    whole = play("hatter", DECK, seed=1)
    game = Game(whole.rules, DECK)
    for action in whole.actions:
        if game.state.draw_pile > pile:
            game.act(action)
    return game


def nested_memory(game: Game) -> SearchMemory:
    """Return the memory of the player to move, ready to imagine worlds."""
    strategy = find_strategy("search:nested-samples=6")
    memory = strategy.fresh_memory()
    assert isinstance(memory, SearchMemory)
    strategy.init_memory(memory, None)
    again, me = Game(game.rules, game.deck), game.player
    begin(again.view(me), memory)
    for action in game.actions:
        event = again.act(action)
        observe(again.view(me), event, memory)
    find_candidates(game.view(me), memory)
    prepare_worlds(game.view(me), memory)
    return memory


def test_players_who_search_lose_fewer_points() -> None:
    game = late_game(3)
    memory, view = nested_memory(game), game.view(game.player)
    saved = 0
    for _ in range(4):
        assert deal_world(view, memory)
        for action in memory.candidates.actions[1 : memory.candidates.count]:
            plain = follow_to_end(memory, action)
            searched = search_to_end(memory, action)
            assert play_out(memory, action) == min(plain, searched)
            saved += plain - min(plain, searched)
    assert saved > 0


def test_imagined_players_search_only_late_and_where_points_are_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = late_game(3)
    memory, view = nested_memory(game), game.view(game.player)
    calls: list[int] = []

    def count_call(_: SearchMemory, action: int) -> int:
        calls.append(action)
        return 0

    monkeypatch.setattr(comparison, "search_to_end", count_call)
    lost = 0
    for _ in range(8):
        deal_world(view, memory)
        for action in memory.candidates.actions[1 : memory.candidates.count]:
            lost += follow_to_end(memory, action) > 0
            assert play_out(memory, action) == 0
    assert len(calls) == lost > 0
    memory.nested_pile = 2
    action = memory.candidates.actions[1]
    assert play_out(memory, action) == follow_to_end(memory, action)
    assert len(calls) == lost


def test_interpreted_and_compiled_players_choose_the_same() -> None:
    strategy = find_strategy("search:nested-samples=4,samples=9,screen=9,pile=3")
    compiled = play(strategy, DECK, seed=1, compiled=True)
    assert compiled.actions == play(strategy, DECK, seed=1, compiled=False).actions


def test_blueprint_with_private_memories_is_rejected_by_name() -> None:
    for label in (
        "search:blueprint=conventions,nested-samples=8",
        "search:nested-samples=8,blueprint=iggi",
    ):
        with pytest.raises(StrategyError, match=r"nested-samples: (conventions|iggi) remembers"):
            find_strategy(label)
    assert find_strategy("search:blueprint=conventions").options["nested_samples"].default == 0


def outcomes(whole: Game, turns: int, worlds: int, *, stop_when_won: bool) -> list[tuple[int, int]]:
    """Return the points lost in imagined games of `hatter`, and the turns at which these ended."""
    view, memory, buffer = position("search:blueprint=hatter,nested-samples=0", whole, turns)
    seats: Any = memory["blueprint"]["seats"]
    assert seats["is_won"]
    seats["is_won"] *= stop_when_won
    call = prepare(play_outs, view, memory, 1)
    found = [(call(view, memory, 1), int(memory["table"]["state"]["turn"])) for _ in range(worlds)]
    assert buffer is not None  # it holds the memory
    return found


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize(
    ("changes", "stranger"),
    [({}, "hatter"), ({}, "piers"), ({"hand_size": 2, "suits": 3, "hint_tokens": 2}, "hatter")],
)
def test_imagined_games_that_stop_as_won_would_be_won(
    players: int, changes: Any, stranger: str
) -> None:
    """In every world the loss is the same, and many games end sooner."""
    sooner = 0
    for seed in range(8):
        deck = Deck.shuffled(preset("classic", players, **changes), seed=seed)
        whole = play([stranger] + ["hatter"] * (players - 1), deck, seed=seed)
        for turns in range(10, whole.turn, 5):
            stopped = outcomes(whole, turns, 30, stop_when_won=True)
            played = outcomes(whole, turns, 30, stop_when_won=False)
            for (loss, end), (true_loss, true_end) in zip(stopped, played, strict=True):
                assert loss == true_loss
                assert end <= true_end
                sooner += end < true_end
    assert sooner > 10


def test_a_private_memory_cannot_know_that_a_game_is_won() -> None:
    with pytest.raises(StrategyError, match="is_won: needs public_memory=True"):
        SearchSupport(is_won=lambda state, memory: 0)
