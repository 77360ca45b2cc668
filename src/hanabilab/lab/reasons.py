"""Why strategies did what they did: a played game once more, with their memories."""

from __future__ import annotations

from hanabilab.core.random import coin_stream
from hanabilab.errors import StrategyError
from hanabilab.game.deck import COINS
from hanabilab.game.state import State
from hanabilab.game.view import View, view_of
from hanabilab.lab.game import Game
from hanabilab.lab.play import Team, seat
from hanabilab.strategies.seats import Seat
from hanabilab.strategies.strategy import Memory, Strategy

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
    strategy.furnish(memory, None)
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
    are not asked again, unless what they say depends on what they then remember.
    """
    seated = seat(strategies, played.rules.players)
    again = Game(played.rules, played.deck)
    seats = [
        Seat(each, player, coin_stream(seed, game, COINS + player), compiled=each.slow)
        for player, each in enumerate(seated)
    ]
    for each in seats:
        each.begin(again.state)
    sentences = []
    for action in played.actions:
        player, strategy = again.player, seated[again.player]
        view, number = eyes(again.state, player, strategy), action.number(again.state)
        assert number is not None
        memory = seats[player].memory
        repeatable = strategy.can_compile and (strategy.explains_afterwards or not strategy.slow)
        if repeatable and seats[player].act(again.state) != number:
            raise StrategyError(
                f"{strategy.label}, player {player}, would not {action} in turn "
                f"{again.turn + 1}: this is not its game"
            )
        if strategy.explains_afterwards:
            memory = seats[player].memory
        sentences.append(strategy.explain(view, memory, number, reader))
        event = again.act(action)
        for observer, other in enumerate(seated):
            if other.can_compile:
                seats[observer].observe(again.state, event)
    return sentences
