"""What a turn did that cost points: which card was lost, or that time ran out."""

from __future__ import annotations

from dataclasses import dataclass

from hanabilab.game.actions import DISCARD, PLAY, Event
from hanabilab.game.state import LIVES, State
from hanabilab.game.status import pace
from hanabilab.solver.position import Position, take_action

__all__ = ["CAUSES", "Cause", "cause_of"]

CAUSES = {
    "critical discarded": "discarded a critical card",
    "critical misplayed": "misplayed a critical card",
    "last life": "misplayed and lost the last life",
    "misplayed": "misplayed",
    "last round": "missed a turn of the last round",
    "out of pace": "ran out of pace: too few turns are left for the cards still needed",
    "out of time": "lost time: the cards still needed come too late, or to the wrong hands",
}
"""What can have happened, by a short name."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a turn cost points."""

    name: str
    """One of `CAUSES`."""
    event: Event
    """The turn, with the card that was played or discarded."""
    hand_count: int
    """How many cards the hand had that was played from or hinted at."""


def cause_of(position: Position, action: int) -> Cause:
    """Return what the action did in a position, after which less could be reached than before."""
    before, after = position.state, position.state.copy()
    event = take_action(after, position.deck, action)
    hand = before.player if event.kind in (PLAY, DISCARD) else event.target
    return Cause(_name(before, after, event), event, before.hand_count[hand])


def _name(before: State, after: State, event: Event) -> str:
    lost = event.kind == DISCARD or (event.kind == PLAY and not event.lit)
    if lost and before.critical >> event.card & 1:
        return "critical discarded" if event.kind == DISCARD else "critical misplayed"
    if event.kind == PLAY and not event.lit:
        return "last life" if after.end == LIVES else "misplayed"
    if before.turns_left >= 0:
        return "last round"
    return "out of pace" if pace(after) < 0 else "out of time"
