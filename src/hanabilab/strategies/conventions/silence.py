"""What is said without a hint: a chop that nobody saved, and a warning when no token is left.

Whoever acts before a player must save that player's critical chop, if there is a token. So anything
else says that the chop is not critical. Without a token, a player who is known to have a play
throws a card away instead to say: your chop is critical, keep it. A play then says that it is not.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, Event
from hanabilab.game.state import View
from hanabilab.strategies.conventions.agreements import SILENCE, WARNINGS
from hanabilab.strategies.conventions.chop import (
    CRITICAL_LOSS,
    chop_of,
    danger_of,
    is_busy,
    knows_play,
)
from hanabilab.strategies.conventions.tables import NONE, Beliefs

__all__ = ["hear_silence", "must_warn", "speaks_by_acting"]


@kernel
def hear_silence(view: View, event: Event, memory: Beliefs) -> None:
    """Conclude what an action says about the chop of the next player, who was not hinted."""
    player = (event.player + 1) % view.rules.players
    chop = chop_of(view, memory, player)
    if chop == NONE or not speaks_by_acting(view, memory, event.player):
        return
    critical = memory.inferred[player][chop] & memory.critical
    if memory.tokens == 0 and event.kind == DISCARD:
        if critical:
            memory.inferred[player][chop] = critical
            memory.kept[player] |= 1 << chop
    elif memory.inferred[player][chop] & ~memory.critical:
        memory.inferred[player][chop] &= ~memory.critical


@kernel
def speaks_by_acting(view: View, memory: Beliefs, player: int) -> bool:
    """Tell whether what a player does now says something about the next player's chop.

    A player who is called to play is not free to save.
    """
    if memory.pile == 0 or memory.called[player]:
        return False
    if is_busy(view, memory, (player + 1) % view.rules.players):
        return False
    if memory.tokens > 0:
        return memory.agreed & SILENCE != 0
    return memory.agreed & WARNINGS != 0 and knows_play(view, memory, player)


@kernel
def must_warn(view: View, memory: Beliefs) -> bool:
    """Tell whether to discard instead of playing: the next player's chop is critical."""
    me = view.observer
    return (
        memory.tokens == 0
        and speaks_by_acting(view, memory, me)
        and danger_of(view, memory, (me + 1) % view.rules.players) == CRITICAL_LOSS
        and chop_of(view, memory, me) != NONE
    )
