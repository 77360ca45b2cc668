"""Play-outs: an action in an imagined world, and the blueprint in every seat from there on."""

from __future__ import annotations

from hanabilab.core.invoke import restart
from hanabilab.core.kernel import kernel
from hanabilab.core.random import coin_stream
from hanabilab.core.record import assign
from hanabilab.game.actions import announce
from hanabilab.game.turn import final_score, take_turn
from hanabilab.strategies.search.mind import Mind
from hanabilab.strategies.seats import ALL_LEGAL, play_on, show_turn

__all__ = ["play_out"]

FUTURE = 2
"""The purpose of the coins of imagined players from now on: the same for every action."""


@kernel
def play_out(memory: Mind, action: int) -> int:
    """Return the points that are missing in the end if this action is taken in this world."""
    table = memory.table
    event = memory.event
    seats = memory.seats
    assign(table, memory.present)
    if memory.public:
        coins = coin_stream(memory.origin, 0, FUTURE)
        restart(seats.memories[0], memory.notes, seats.words[0], coins)
    else:
        for player in range(table.rules.players):
            coins = coin_stream(memory.origin, player, FUTURE)
            restart(seats.memories[player], memory.now[player], seats.words[player], coins)
    announce(table, action, event)
    take_turn(table, memory.world, event)
    show_turn(table, event, seats, memory.shown, memory.told)
    answer = play_on(table, memory.world, event, seats, memory.shown, memory.told, memory.log[:0])
    if answer != ALL_LEGAL:
        memory.failed = 1
    return table.rules.ranks * table.rules.suits - final_score(table)
