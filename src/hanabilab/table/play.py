"""Play one game with strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hanabilab.core.record import Record
from hanabilab.core.threads import call_in_thread
from hanabilab.errors import KernelRunError, StrategyError
from hanabilab.game.deck import Deck
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.seats import FailedTurnError
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.failure import FailedGame, field_of
from hanabilab.table.game import Game
from hanabilab.table.loop import Table, make_table, play_deck, run_kernel

__all__ = ["Team", "new_log", "play", "strategies_for", "team_members", "turns_taken"]

Team = Player | Sequence[Player]
"""One player for all seats, or one for each seat."""


def team_members(team: Team) -> list[Player]:
    """Return the players of a team as a list, even for a single player."""
    if isinstance(team, Sequence) and not isinstance(team, str):
        return list(team)
    return [team]


def strategies_for(strategies: Team, players: int) -> list[Strategy]:
    """Return one strategy per seat; a single strategy takes all seats."""
    found = [find_strategy(strategy) for strategy in team_members(strategies)]
    if len(found) == 1:
        found *= players
    if len(found) != players:
        raise StrategyError(f"{len(found)} strategies for {players} players")
    slow = next((each for each in found if each.slow), None)
    if slow and any(each.external for each in found):
        raise StrategyError(
            f"{slow.name} is too slow to be interpreted beside a program; "
            f"seat it as one, exec:hanabilab engine {slow.label}"
        )
    return found


def play(
    strategies: Team,
    deck: Deck | str,
    *,
    seed: int = 0,
    game: int = 0,
    repeat: int = 0,
    compiled: bool | None = None,
) -> Game:
    """Play one deck; `seed`, `game` and `repeat` seed the strategies' own random numbers.

    The deck may be a hanab.live seed such as ``p3v0s17``. The game runs interpreted
    unless a strategy is too slow for that, or `compiled` is given.

    Examples
    --------
    >>> from hanabilab import Deck
    >>> play("piers", Deck.shuffled(players=3, seed=1)).score
    18
    """
    if isinstance(deck, str):
        deck = Deck.from_seed(deck)
    seated = strategies_for(strategies, deck.rules.players)
    if compiled is None:
        compiled = any(strategy.slow for strategy in seated)
    table = make_table(deck.rules, seated, compiled=compiled)
    table.deck[:] = deck.cards
    log = new_log(table, compiled)
    played = FailedGame(deck.rules, seated, seed, game, repeat)
    try:
        arguments = (table, seed, game, repeat, log)
        if compiled:
            legal = call_in_thread(run_kernel, play_deck, *arguments, compiled=True)
        else:
            legal = play_deck(*arguments)
    except (FailedTurnError, KernelRunError) as failure:
        raise played.failure(failure, table.state) from failure
    result = Game(deck.rules, deck)
    for action in log[: turns_taken(table)]:
        result.act(int(action))
    if not legal:
        raise played.illegal(table)
    return result


def new_log(table: Table, compiled: bool) -> Any:
    """Return a log with space for every turn that a game can have."""
    counts = ("deck_size", "deck_size", "max_hint_tokens", "suits", "players")
    start = table.initial_state
    rules: Any = start.rules if isinstance(start, Record) else start["rules"]
    room = sum(field_of(rules, name) for name in counts)
    if not compiled:
        return [0] * room
    import numpy as np

    return np.zeros(room, np.int64)


def turns_taken(table: Table) -> int:
    """Return the number of turns of the game on the table."""
    return field_of(table.state, "turn")
