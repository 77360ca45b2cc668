"""The memory of `hatter` and `duo`: options, public tables, and scratch space for one turn.

Kernels cannot allocate, so whatever a decision works out has its place here too.
"""

from __future__ import annotations

from hanabilab.core.record import Record, ints, nested
from hanabilab.game.cards import MAX_HAND, PLANES
from hanabilab.strategies.strategy import Memory

__all__ = [
    "ALL_WAYS",
    "MOST_PLAYERS",
    "SURE_WAYS",
    "HatterMemory",
    "Law",
    "PrivateHand",
    "Projection",
    "PublicTables",
    "Question",
    "Signal",
]

MOST_PLAYERS = 6
ALL_WAYS, SURE_WAYS = 4, 2
"""Ways of hinting per target, and those of them that exist in every hand (`signals`)."""
MOST_PAIRS = ALL_WAYS * (MOST_PLAYERS - 1)
"""The most pairs of a question, which are always fewer than the hats."""


class PublicTables(Record):
    """What everyone knows, as it was before the next turn (`tables`).

    `observe` sees the table after a turn, but a hint must be decoded by the table before it, so
    the status of the cards is kept here.
    """

    public: list[list[int]] = ints(MOST_PLAYERS, MAX_HAND)
    """For each slot, the cards that it may be."""
    identified: list[int] = ints(MOST_PLAYERS)
    """For each player, the slots with one possible card, whose copy is accounted for."""
    unaccounted: list[int] = ints(PLANES)
    """Copies of each card that are neither on the table nor publicly identified, as bit planes."""
    changed: int
    """Whether more can be inferred than was: cards were told, or a card ran out of copies."""
    playable: int
    dead: int
    critical: int
    proved_false: int
    """Whether a card has come to light that was impossible according to its table."""
    suspects: list[int] = ints(MOST_PLAYERS)
    """For each player, the slot of which a hint suggests that it is critical, or NONE (`laws`)."""
    ways: int
    """Ways of hinting per target, in the next turn."""


class Projection(Record):
    """What is expected to be playable and dead when each player's turn comes (`tables`)."""

    playable: list[int] = ints(MOST_PLAYERS)
    dead: list[int] = ints(MOST_PLAYERS)


class Question(Record):
    """The question that is being asked about a hand, as pairs of a slot and a set of cards."""

    pairs: int
    slots: list[int] = ints(MOST_PAIRS)
    cards: list[int] = ints(MOST_PAIRS)
    keys: list[int] = ints(MAX_HAND)
    """Slots in order of their chances."""
    before: list[int] = ints(MAX_HAND)
    """What was publicly known of the owner's hand before the first question."""


class Signal(Record):
    """What a signal tells everyone (`signals`)."""

    told: list[list[int]] = ints(MOST_PLAYERS, MAX_HAND)
    """The public tables with the answers so far."""
    heard: list[int] = ints(MAX_HAND)
    """What the target of a hint would know after it; scratch space for choosing words."""
    turn: int
    """One more than the turn for which the sender has worked out `told`."""
    hats: int
    """The number of hats for which that was done."""
    number: int
    """The sum of hats with which `told` was worked out."""
    need: int
    """Whether it was worked out for a hint that means need."""


class PrivateHand(Record):
    """What only the player to move can know about their hand, as of this turn (`decision`)."""

    possible: list[int] = ints(MAX_HAND)
    """For each slot of the player's own hand, the cards that it may be."""
    unseen: list[int] = ints(PLANES)
    """Copies of each card that are neither in sight nor identified in the player's own hand."""
    held: list[int] = ints(MOST_PLAYERS)
    """The cards in each other player's hand."""
    elsewhere: int
    """The cards in any other player's hand."""
    spare: int
    """The slot to discard, or NONE while it is not worked out."""
    coding: int
    """The slots among which the choice of a discard tells a number, if that was decided."""
    in_sight: int
    """The same, and the identified cards of the player's own hand."""


class Law(Record):
    """Which law of `duo` is publicly in force in the next turn (`laws`)."""

    kind: int
    """NO_LAW, NEED or WARNING."""
    plays_are_free: int
    unaware: int
    """Whether the partner of the player to move knows of no play."""
    watched: int
    """The partner's watched chop, or NONE."""
    hint_means_need: int
    """Whether a hint says that the partner is in need."""
    suspect: int
    """The partner's slot that a hint makes suspect unless it tells of a play, or NONE."""
    knows_play: int
    """The slots that the player to move publicly knows to be playable."""


class HatterMemory(Memory):
    """The options of both strategies, and what is worked out from turn to turn."""

    border: int
    gamble: float
    risk: float
    token_worth: int
    reserve: int
    short_reserve: int
    stall: int
    chain: float
    spare_worth: int
    rank_worth: int
    distance_worth: int
    dead_worth: int
    newer_worth: int
    likely: float
    near: float
    coded_discards: int
    coded_plays: int
    coded_chops: int
    projection: int
    dead_question: int
    critical_question: int
    bind_plays: int
    bind_hints: int
    watch_chops: int
    warn: int
    void_numbers: int
    suspicion: float

    tables: PublicTables = nested(PublicTables)
    projected: Projection = nested(Projection)
    question: Question = nested(Question)
    signal: Signal = nested(Signal)
    private: PrivateHand = nested(PrivateHand)
    law: Law = nested(Law)
