"""Strategies of ours in seats of a game in compiled code (`hanabilab.envs.company`)."""

from __future__ import annotations

from collections.abc import Sequence

from hanabilab.core.invoke import reset
from hanabilab.core.kernel import kernel
from hanabilab.envs.round_kernels import Round
from hanabilab.game.actions import Event
from hanabilab.game.state import View
from hanabilab.strategies.seats import Seats, choose_action, show_start, show_turn

__all__ = ["BEGIN", "CHOOSE", "SEE", "consult"]

BEGIN, CHOOSE, SEE = 0, 1, 2
"""Let a player begin a game; ask one for an action; show everyone the last turn."""


@kernel
def consult(
    rounds: Sequence[Round],
    task: int,
    player: int,
    stream: int,
    company: Sequence[Seats],
    shown: Sequence[View],
    told: Sequence[Event],
) -> int:
    """Do a task; return the action that was asked for. `stream` starts a player's coins."""
    state = rounds[0].state
    seats = company[0]
    if task == CHOOSE:
        return choose_action(state, player, seats, shown[0])
    if task == SEE:
        show_turn(state, rounds[0].last, seats, shown[0], told[0])
    else:
        reset(seats.memories[player], seats.templates[player], seats.words[player], stream)
        show_start(state, player, seats, shown[0])
    return 0
