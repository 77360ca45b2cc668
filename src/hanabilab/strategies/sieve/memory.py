"""The memory of `sieve`: options, the public table that both players keep, and scratch space."""

from __future__ import annotations

from hanabilab.core.record import Record, ints, nested
from hanabilab.game.cards import MAX_HAND, PLANES
from hanabilab.strategies.conventions.lines import EndLine, OwnCards, Thoughts
from hanabilab.strategies.strategy import Memory

__all__ = [
    "ADVANCED_LEVEL",
    "BEST_LEVEL",
    "EDGE_LEVEL",
    "EMERGENCY_LEVEL",
    "FROM_DEAL",
    "HAND_PAIR",
    "HIGHEST_LEVEL",
    "LOADED_LEVEL",
    "LOCKED_LEVEL",
    "REPEAT_LEVEL",
    "SPECIAL_LEVEL",
    "OwnCards",
    "SieveMemory",
    "Table",
]

HAND_PAIR = 2
"""Both hands: the convention is for two players."""
REPEAT_LEVEL, LOADED_LEVEL, LOCKED_LEVEL, EMERGENCY_LEVEL = 2, 3, 4, 5
SPECIAL_LEVEL, EDGE_LEVEL, ADVANCED_LEVEL = 6, 7, 8
"""The levels of the convention after the first: hints to touched cards, loaded players, locked
hands, emergencies, special discards, edge cases, advanced moves."""
HIGHEST_LEVEL, BEST_LEVEL = ADVANCED_LEVEL, EDGE_LEVEL
"""The last level, and the one that scores most."""
FROM_DEAL = 1000
"""When a card of the first hand was drawn: before every other one."""


class Table(Record):
    """What both players know and conclude. It holds public information only.

    Slots are numbered from the oldest card, as everywhere; "left" in the convention's own words is
    towards newer cards, and its slot 1 is the newest card.
    """

    level: int
    """The levels of the convention that are followed, from 1 to this one."""
    possible: list[list[int]] = ints(HAND_PAIR, MAX_HAND)
    """For each slot, the cards that hints and counting allow."""
    inferred: list[list[int]] = ints(HAND_PAIR, MAX_HAND)
    """For each slot, the cards that the convention allows."""
    known: list[int] = ints(HAND_PAIR)
    """For each player, the cards that touched or called slots are known to be."""
    count: list[int] = ints(HAND_PAIR)
    """For each player, the number of cards in hand."""
    touched: list[int] = ints(HAND_PAIR)
    """For each player, the slots that a hint has touched."""
    called: list[int] = ints(HAND_PAIR)
    """For each player, the slots that are called to be played."""
    order: list[list[int]] = ints(HAND_PAIR, MAX_HAND)
    """For each called slot, the number of its call: calls are answered in this order."""
    calls: int
    """The number of calls so far."""
    cause: list[list[int]] = ints(HAND_PAIR, MAX_HAND)
    """For each called slot, what called it, as one of the constants of `reading`."""
    thrown: list[int] = ints(HAND_PAIR)
    """For each player, the slots that are called to be discarded."""
    permitted: list[int] = ints(HAND_PAIR)
    """For each player, the slots with permission to discard."""
    sieved: list[int] = ints(HAND_PAIR)
    """For each player, the slots that will never be on the chop again."""
    blind: list[int] = ints(HAND_PAIR)
    """For each player, the slots that a finesse calls: the play shows whether it was a bluff."""
    waiting: list[int] = ints(HAND_PAIR)
    """For each player, the slots that such a finesse was about."""
    delays: list[int] = ints(HAND_PAIR)
    """For each player, how often this one could have unlocked the other one and did not."""
    drawn: list[list[int]] = ints(HAND_PAIR, MAX_HAND)
    """For each slot, the cards left to draw when it was drawn; FROM_DEAL for the first hand."""
    warranted: list[list[int]] = ints(HAND_PAIR, MAX_HAND)
    """For each slot that may be discarded, the cards whose discard shows another copy in hand."""
    since: list[list[int]] = ints(HAND_PAIR, MAX_HAND)
    """For each such slot, the cards left to draw when it was called or permitted."""
    noted: list[list[int]] = ints(HAND_PAIR, MAX_HAND)
    """For each slot, the cards of which elimination notes say that it may be a copy."""
    owed: list[list[int]] = ints(HAND_PAIR, MAX_HAND)
    """For each slot that the discard of a copy calls, the card, as a set; else 0."""
    full: list[int] = ints(HAND_PAIR)
    """For each player, the slots that were permitted when no token was spent."""
    waited: list[int] = ints(HAND_PAIR)
    """For each player, 1 if the player was locked in the last turn already."""
    asked: list[int] = ints(HAND_PAIR)
    """For each player, the slots that the partner's last hint called to be discarded."""
    stalled: list[int] = ints(HAND_PAIR)
    """For each player, those of them after a stall, until the partner has answered."""
    playable: int
    dead: int
    critical: int
    left: list[int] = ints(PLANES)
    """Copies neither discarded nor played, as bit planes."""
    unaccounted: list[int] = ints(PLANES)
    """Those that are not identified in a hand either."""
    tokens: int
    pile: int
    lives: int


class SieveMemory(Memory):
    """The options, the public table, and what one turn needs."""

    level: int
    end_lines: int

    table: Table = nested(Table)
    imagined: Table = nested(Table)
    """The table after an action in question."""
    trial: Table = nested(Table)
    """The same after the partner's plays."""
    own: OwnCards = nested(OwnCards)
    line: EndLine = nested(EndLine)
    thoughts: Thoughts = nested(Thoughts)
    meaning: int
    """What the last hint meant, as one of the constants of `reading`."""
    reason: int
    """Why the player acted, for the explanation."""
