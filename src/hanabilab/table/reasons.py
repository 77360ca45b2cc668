"""Why strategies did what they did: a played game once more, with their memories."""

from __future__ import annotations

from hanabilab.core.random import coin_stream
from hanabilab.errors import StrategyError
from hanabilab.game.deck import COINS
from hanabilab.game.state import State
from hanabilab.game.view import View, view_of
from hanabilab.strategies.strategy import Memory, Strategy
from hanabilab.table.game import Game
from hanabilab.table.play import Team, seat

__all__ = ["eyes", "first_memory", "reasons"]


def eyes(state: State, player: int, strategy: Strategy) -> View:
    """What a strategy is handed in this seat: a view, or the whole table if it cheats."""
    view = view_of(state, player)
    if strategy.sees_own_cards:
        view.hands[player] = state.hands[player]
    return view


def first_memory(strategy: Strategy, player: int, seed: int, game: int) -> Memory:
    """The memory with which a player starts a game."""
    memory = strategy.fresh_memory()
    memory.stream = coin_stream(seed, game, COINS + player)
    return memory


def reasons(
    played: Game,
    strategies: Team,
    *,
    seed: int = 0,
    game: int = 0,
    reader: int | None = None,
) -> list[str]:
    """One sentence for each turn of a game that these strategies played.

    `seed` and `game` are those it was played with. A slow strategy and one that is not a kernel
    are not asked again: what they say must not depend on what they remember.
    """
    seated = seat(strategies, played.rules.players)
    again = Game(played.rules, played.deck)
    memories = [first_memory(each, player, seed, game) for player, each in enumerate(seated)]
    for player, strategy in enumerate(seated):
        if strategy.begin:
            strategy.begin(eyes(again.state, player, strategy), memories[player])
    sentences = []
    for action in played.actions:
        player, strategy = again.player, seated[again.player]
        view, number = eyes(again.state, again.player, strategy), action.number(again.state)
        assert number is not None
        sentences.append(strategy.explain(view, memories[player], number, reader))
        repeatable = strategy.can_compile and not strategy.slow
        if repeatable and strategy.act(view.copy(), memories[player]) != number:
            raise StrategyError(
                f"{strategy.label}, player {player}, would not {action} in turn "
                f"{again.turn + 1}: this is not its game"
            )
        event = again.act(action)
        for observer, other in enumerate(seated):
            if other.observe and other.watches >> event.kind & 1 and other.can_compile:
                view = eyes(again.state, observer, other)
                other.observe(view, event.copy(), memories[observer])
    return sentences
