"""What a searching player remembers: the game so far, an imagined table, and what it compared."""

from __future__ import annotations

from hanabilab.core.random import Dice
from hanabilab.core.record import ints, part
from hanabilab.game.actions import Event
from hanabilab.game.cards import MAX_HAND, MAX_PLAYERS, PLANES
from hanabilab.game.state import State, View
from hanabilab.strategies.seats import Seats
from hanabilab.strategies.strategy import MOST_ACTIONS, Candidates, Memory

__all__ = ["MOST_CARDS", "MOST_SCREEN", "MOST_TURNS", "Mind"]

MOST_CARDS = 256
"""The largest deck that can be imagined."""
MOST_TURNS = 512
"""After so many turns, which no sensible game takes, the blueprint plays alone."""
MOST_SCREEN = 4_000
"""The most worlds that can be kept to be dealt again."""


class Mind(Memory):
    """The memory of `search`. A world is a deck: the cards in the order in which they are dealt."""

    # The options.
    samples: int
    pile: int
    margin: float
    seconds: float
    history: int
    lies: int
    screen: int

    # The blueprint, as filled in when a table is set: functions and memories, or their addresses.
    blueprint: int
    """A number that stands for its name and options, so that different searches differ."""
    seats: Seats = part(Seats)
    """The blueprint in every seat of the imagined table."""
    consider: int
    """The blueprint's `SearchSupport.candidate_actions`, or 0."""
    public: int
    """Whether one public memory serves all seats."""
    notes: int
    """The blueprint's memory of the real game, as if this player followed it."""
    now: list[int] = ints(MAX_PLAYERS)
    """The memories of the imagined players at this moment of the game."""
    earlier: list[int] = ints(MAX_PLAYERS)
    """Their memories before this player drew the oldest of its present cards (`past`)."""
    plays_out: int
    """`playouts.play_out`; by its address, like all that plays at the imagined table."""
    relives: int
    """`past.relive`."""
    second: float
    """How many ticks of the clock a second has."""

    # The game so far.
    start: State = part(State)
    turns: int
    log: list[int] = ints(MOST_TURNS)
    deck: list[int] = ints(MOST_CARDS)
    """Every card that was dealt, HIDDEN where this player has not seen it."""
    dealt: int
    first_place: int
    place: list[int] = ints(MAX_HAND)
    """Where in the deck the player's own cards lie."""
    drawn: list[int] = ints(MAX_HAND)
    """The turns in which they were drawn, BEFORE_THE_GAME for those dealt."""
    past: State = part(State)
    """The table at the moment of `earlier`."""
    past_turn: int

    # The imagination.
    dice: Dice = part(Dice)
    outlook: Candidates = part(Candidates)
    unseen: list[int] = ints(PLANES)
    copies: list[int] = ints(MAX_HAND)
    """For each slot of the player's hand, how many unseen copies its possible cards have."""
    undealt: list[int] = ints(PLANES)
    world: list[int] = ints(MOST_CARDS)
    origin: int
    """The dice that dealt it."""
    fewest: int
    """The fewest actions of partners that any world of this turn left unexplained."""
    present: State = part(State)
    table: State = part(State)
    event: Event = part(Event)
    shown: View = part(View)
    told: Event = part(Event)
    limit: int
    """The number of worlds after which this turn is decided."""
    deadline: int
    """The tick of the clock at which it must be decided, or 0."""
    cancelled: int
    """Set from outside to make the player act at once, this time."""
    failed: int
    """Did the blueprint raise, or choose an illegal action in an imagined game?"""

    # The comparison.
    gain: list[int] = ints(MOST_ACTIONS)
    """For each proposed action, the points it won over the blueprint's, in all worlds."""
    squares: list[int] = ints(MOST_ACTIONS)
    alive: list[int] = ints(MOST_ACTIONS)
    worlds: list[int] = ints(MOST_SCREEN)
    """The dice that dealt each world of the screen."""
    losses: list[int] = ints(MOST_SCREEN)
    """The points that the blueprint's action lost in it."""
    imagined: int
    """How many worlds were imagined at the last turn."""
    best: int
    """The place of the action that was taken at the last turn; 0 is the blueprint's."""
