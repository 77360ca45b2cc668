"""The memory of `search`: the game so far, an imagined table, and what was compared.

A world is a deck: the cards in the order in which they are dealt. Functions and other memories are
stored themselves while interpreted, and as addresses when compiled.
"""

from __future__ import annotations

from hanabilab.core.random import Rng
from hanabilab.core.record import Record, ints, nested
from hanabilab.game.actions import Event
from hanabilab.game.cards import MAX_HAND, MAX_PLAYERS, PLANES
from hanabilab.game.state import State, View
from hanabilab.strategies.seats import Seats
from hanabilab.strategies.strategy import MOST_ACTIONS, Candidates, Memory

__all__ = ["MOST_CARDS", "MOST_SCREEN", "MOST_TURNS", "NOTES", "ImaginedTable", "SearchMemory"]

MOST_CARDS = 256
"""The largest deck that can be imagined."""
MOST_TURNS = 512
"""The turn, beyond any sensible game, from which the blueprint plays alone."""
MOST_SCREEN = 4_000
"""The most worlds that can be kept to be dealt again."""
NOTES = 1 << 11
"""How many answers of imagined partners are kept; a power of two."""


class Blueprint(Record):
    """The blueprint, filled in when a table is set up."""

    label: int
    """A number that stands for its name and options, so that different searches differ."""
    seats: Seats = nested(Seats)
    """The blueprint in every seat of the imagined table."""
    candidate_actions: int
    """Its `SearchSupport.candidate_actions`, or 0."""
    public: int
    """Whether one public memory serves all seats."""
    pure: int
    """Whether acting uses no random numbers and changes nothing that is remembered."""
    memory: int
    """Its memory of the real game, as if this player followed it."""


class GameLog(Record):
    """The game so far."""

    start: State = nested(State)
    turns: int
    actions: list[int] = ints(MOST_TURNS)
    deck: list[int] = ints(MOST_CARDS)
    """Every card that was dealt, HIDDEN where this player has not seen it."""
    dealt: int
    first_place: int
    """Where in the deck the player's first card is."""
    places: list[int] = ints(MAX_HAND)
    """Where in the deck the player's present cards are."""
    drawn: list[int] = ints(MAX_HAND)
    """The turns in which they were drawn, BEFORE_THE_GAME for those dealt."""
    moments: list[int] = ints(MOST_TURNS)
    """The blueprint's public memory before each of the last `history` turns."""


class Notes(Record):
    """What imagined partners did in the past, by the cards that they saw; a hash table."""

    hands: list[int] = ints(NOTES)
    answers: list[int] = ints(NOTES)
    """The turn plus 1 and, in the lowest bit, whether it was the same action; 0 in a free place."""


class Checkpoint(Record):
    """The table just before this player drew the oldest of its present cards."""

    state: State = nested(State)
    turn: int
    memories: list[int] = ints(MAX_PLAYERS)
    """The imagined players' memories at that moment."""


class World(Record):
    """The world that is being imagined."""

    rng: Rng = nested(Rng)
    origin: int
    """The rng that dealt it."""
    deck: list[int] = ints(MOST_CARDS)
    state: State = nested(State)
    """The table at this moment of the game."""
    within_reach: int
    """The highest score that is still possible, as far as everybody knows."""
    memories: list[int] = ints(MAX_PLAYERS)
    """The imagined players' memories at this moment."""
    unseen: list[int] = ints(PLANES)
    copies: list[int] = ints(MAX_HAND)
    """For each slot of the player's hand, how many unseen copies its possible cards have."""
    undealt: list[int] = ints(PLANES)
    fewest: int
    """The fewest actions of partners that any world of this turn left unexplained."""
    own_turns: int
    """One more than the turns for which this player's own entry in `memories` was worked out."""


class ImaginedTable(Record):
    """Where imagined games are played; its kernels are called by their addresses."""

    state: State = nested(State)
    event: Event = nested(Event)
    view_scratch: View = nested(View)
    event_scratch: Event = nested(Event)
    play_out: int
    """`comparison.play_out`."""
    replay: int
    """`replay.replay_history`."""
    searchers: Seats = nested(Seats)
    """A small search in every seat, for the option `nested_samples`; all share one memory."""
    searchers_memory: int
    """What the blueprint of that search remembers."""


class Limits(Record):
    """How long this turn may take."""

    worlds: int
    """The number of worlds after which it is decided."""
    deadline: int
    """The tick of the clock at which it must be decided, or 0."""
    ticks_per_second: float


class Comparison(Record):
    """How the candidate actions did, each against the blueprint's."""

    gain: list[int] = ints(MOST_ACTIONS)
    """For each candidate, the points it won over the blueprint's action, in all worlds."""
    squares: list[int] = ints(MOST_ACTIONS)
    alive: list[int] = ints(MOST_ACTIONS)
    chosen: list[int] = ints(MOST_ACTIONS)
    """Which candidates are to be played out in the worlds where the blueprint's loses nothing."""
    counted: list[int] = ints(MOST_ACTIONS)
    """The number of worlds, from the first, in all of which a candidate has been played out."""
    worlds: list[int] = ints(MOST_SCREEN)
    """The rng that dealt each world of the screen."""
    losses: list[int] = ints(MOST_SCREEN)
    """The points that the blueprint's action lost in it."""
    imagined: int
    """How many worlds were imagined at the last turn."""
    least: float
    """The mean gain that an action needs at this turn."""
    best: int
    """The place of the action that was taken at the last turn; 0 is the blueprint's."""


class SearchMemory(Memory):
    """The options, and all that a search works with."""

    samples: int
    pile: int
    margin: float
    seconds: float
    least_gain: float
    history: int
    surprise: float
    lies: int
    screen: int
    nested_samples: int
    nested_pile: int

    blueprint: Blueprint = nested(Blueprint)
    log: GameLog = nested(GameLog)
    notes: Notes = nested(Notes)
    checkpoint: Checkpoint = nested(Checkpoint)
    candidates: Candidates = nested(Candidates)
    world: World = nested(World)
    table: ImaginedTable = nested(ImaginedTable)
    limits: Limits = nested(Limits)
    comparison: Comparison = nested(Comparison)
    cancelled: int
    """Set by another thread to make the player act at once, this time."""
