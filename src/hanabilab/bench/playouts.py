"""The workload of `bench search`: imagined games, as `search` plays them out.

Positions are those of a fixed game of the blueprint. In each of them the player to move deals
worlds, as its belief makes them likely, and plays the blueprint's action out in every world. So a
play-out includes its share of dealing, of replaying the past, and of setting the table.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Unpack

from hanabilab.bench.measurements import SEED, Timing, Workload, measure
from hanabilab.core.invoke import indirect_call
from hanabilab.core.kernel import kernel
from hanabilab.core.machine_code import prepare
from hanabilab.core.record import aligned_buffer, dtype, pack
from hanabilab.core.threads import call_in_thread
from hanabilab.game.deck import Deck
from hanabilab.game.rules import preset
from hanabilab.game.state import View
from hanabilab.lab.results_table import PLAYERS
from hanabilab.strategies import find_strategy
from hanabilab.strategies.search.comparison import BLUEPRINT
from hanabilab.strategies.search.kernels import begin, find_candidates, follow_blueprint, observe
from hanabilab.strategies.search.memory import SearchMemory
from hanabilab.strategies.search.worlds import deal_world, prepare_worlds
from hanabilab.strategies.seats import memory_words, words_needed
from hanabilab.table.game import Game
from hanabilab.table.play import play

__all__ = ["BLUEPRINTS", "bench_search", "imagined_games", "players_of"]

BLUEPRINTS = ("duo", "hatter", "conventions")
TURNS = (8, 16, 24, 32, 40)
"""The turns before which games are imagined."""


@kernel
def prepare_turn(view: View, memory: SearchMemory) -> int:
    """Prepare a turn as a search does, with the blueprint's action as the only candidate."""
    find_candidates(view, memory)
    memory.candidates.actions[BLUEPRINT] = follow_blueprint(view, memory)
    prepare_worlds(view, memory)
    return 0


@kernel
def play_outs(view: View, memory: SearchMemory, count: int) -> int:
    """Play the blueprint's action out in some worlds; return the points that are missing."""
    lost = 0
    for _ in range(count):
        deal_world(view, memory)
        action = memory.candidates.actions[BLUEPRINT]
        lost += indirect_call(memory.table.play_out, memory, action)
    return lost


def bench_search(**timing: Unpack[Timing]) -> dict[str, dict[int, float]]:
    """Return play-outs per second of CPU time, by blueprint and number of players."""
    timing = {"clock": time.process_time, **timing}
    return {
        name: {
            players: call_in_thread(
                measure, imagined_games(name, players), **timing
            ).games_per_second
            for players in players_of(name)
        }
        for name in BLUEPRINTS
    }


def players_of(blueprint: str) -> list[int]:
    """Return the numbers of players for which a blueprint is measured."""
    strategy = find_strategy(blueprint)
    return [players for players in PLAYERS if strategy.why_not(preset("classic", players)) is None]


def imagined_games(blueprint: str, players: int) -> Workload:
    """Return play-outs over a blueprint, which is compiled already."""
    ready = list(positions(blueprint, players))
    call = prepare(play_outs, *ready[0][:2], 1)

    def run(count: int) -> int:
        share, rest = divmod(count, len(ready))
        for number, (view, memory, _) in enumerate(ready):
            memory["notes"]["answers"] = 0  # as in a turn that was not thought about yet
            call(view, memory, share + (number < rest))
        return count

    return run


def positions(blueprint: str, players: int) -> Iterator[tuple[Any, Any, Any]]:
    """Yield views and memories of the players to move, and the buffers that hold the memories."""
    deck = Deck.shuffled(preset("classic", players), seed=SEED)
    whole = play(blueprint, deck, seed=SEED)
    for turns in TURNS:
        if turns < whole.turn:
            yield position(f"search:blueprint={blueprint},nested-samples=0", whole, turns)


def position(label: str, whole: Game, turns: int) -> tuple[Any, Any, Any]:
    """Return the view and the memory of the player to move after some turns of a game."""
    strategy = find_strategy(label)
    game = Game(whole.rules, whole.deck)
    me = turns % game.rules.players
    buffer = aligned_buffer(words_needed(strategy))
    template: Any = strategy.fresh_memory()
    strategy.init_memory(template, buffer[memory_words(strategy) :])
    buffer[: memory_words(strategy)] = pack(template).view(buffer.dtype)
    memory = buffer[: memory_words(strategy)].view(dtype(strategy.memory))[0]
    memory["stream"] = SEED
    run(begin, game, me, memory)
    for action in whole.actions[:turns]:
        event = game.act(action)
        run(observe, game, me, pack(event)[0], memory)
    run(prepare_turn, game, me, memory)
    return pack(game.view(me))[0], memory, buffer


def run(function: Any, game: Game, me: int, *arguments: Any) -> None:
    """Call a compiled kernel of a player's memory."""
    view = pack(game.view(me))[0]
    prepare(function, view, *arguments)(view, *arguments)
