"""What a strategy can tell a search over it: what its cards may be, and what it may do."""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.core.record import Record, ints
from hanabilab.game.cards import MAX_HAND

__all__ = ["MOST_ACTIONS", "Outlook", "propose"]

MOST_ACTIONS = 64
"""The most actions that can be compared; five players under classic rules have 50."""


class Outlook(Record):
    """What `SearchSupport.candidate_actions` fills in for the player to move."""

    possible: list[int] = ints(MAX_HAND)
    """For each slot of the player's hand, the cards that it may be for all the strategy knows.

    It starts out with what the hints allow.
    """
    lies: int
    """Whether actions that tell the partners something false are worth considering too."""
    any_hint: int
    """Whether every hint is worth considering, not only those that the strategy proposes."""
    plays: int
    """The slots of the player's hand that are worth playing if they may fit."""
    discards: int
    """The slots that are worth discarding if they may be spared."""
    count: int
    """How many actions were proposed."""
    actions: list[int] = ints(MOST_ACTIONS)


@kernel
def propose(outlook: Outlook, action: int) -> None:
    """Add an action to those worth considering, unless it is there already."""
    for place in range(outlook.count):
        if outlook.actions[place] == action:
            return
    if outlook.count < MOST_ACTIONS:
        outlook.actions[outlook.count] = action
        outlook.count += 1
