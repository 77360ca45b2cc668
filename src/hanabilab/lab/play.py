"""One game played by strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hanabilab.core.record import Record
from hanabilab.errors import StrategyError
from hanabilab.game.deck import Deck
from hanabilab.lab.game import Game
from hanabilab.lab.table import Table, illegal_choice, play_deck, set_table
from hanabilab.strategies import Player, find_strategy
from hanabilab.strategies.seats import ALL_LEGAL
from hanabilab.strategies.strategy import Strategy

__all__ = ["Team", "members", "new_log", "play", "seat", "turns_taken"]

Team = Player | Sequence[Player]
"""One player for all seats, or one for each."""


def members(team: Team) -> list[Player]:
    """The players of a team as a list, also if there is but one."""
    if isinstance(team, Sequence) and not isinstance(team, str):
        return list(team)
    return [team]


def seat(strategies: Team, players: int) -> list[Strategy]:
    """One strategy for each seat; a single one takes all of them."""
    found = [find_strategy(strategy) for strategy in members(strategies)]
    if len(found) == 1:
        found *= players
    if len(found) != players:
        raise StrategyError(f"{len(found)} strategies for {players} players")
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
    """Play one deck; `seed`, `game` and `repeat` also start the strategies' own random numbers.

    The deck may be a seed of hanab.live such as ``p3v0s17``.

    Interpreted unless a strategy is too slow for that, or `compiled` says otherwise.
    """
    if isinstance(deck, str):
        deck = Deck.from_seed(deck)
    seated = seat(strategies, deck.rules.players)
    if compiled is None:
        compiled = any(strategy.slow for strategy in seated)
    table = set_table(deck.rules, seated, compiled=compiled)
    table.deck[:] = deck.cards
    log = new_log(table, compiled)
    illegal = _run(table, seed, game, repeat, log, compiled)
    result = Game(deck.rules, deck)
    for action in log[: turns_taken(table)]:
        result.act(int(action))
    if illegal != ALL_LEGAL:
        player = result.player
        raise illegal_choice(seated[player], player, illegal, result.turn, seed, game)
    return result


def new_log(table: Table, compiled: bool) -> Any:
    """Room for every turn: each one takes a card or a token, and discards give tokens back."""
    counts = ("deck_size", "deck_size", "max_hint_tokens", "suits", "players")
    room = sum(_field(table.opening, name) for name in counts)
    if not compiled:
        return [0] * room
    import numpy as np

    return np.zeros(room, np.int64)


def turns_taken(table: Table) -> int:
    """How many turns the game on the table has had."""
    return _field(table.state, "turn")


def _field(record: Any, name: str) -> int:
    """A field of a record, interpreted or compiled."""
    return int(getattr(record, name) if isinstance(record, Record) else record[name])


def _run(table: Table, seed: int, game: int, repeat: int, log: Any, compiled: bool) -> int:
    arguments = (table, seed, game, repeat, log)
    if not compiled:
        return play_deck(*arguments)
    from hanabilab.core import native

    loop = native.compile_loop(play_deck, *map(native.typeof, arguments))
    return int(loop(*arguments))
