"""The state of a game, and the view of it that a player has.

A state has everything on the table but the draw pile: the deck is a separate array that only the
engine is handed. A view is a state in which the observer's own hand is hidden. A strategy is handed
nothing else, so it cannot look at hidden cards.

Which cards are playable, played, dead, critical or unique follows from fireworks and discards
alone, so everyone knows it. The engine keeps these sets up to date in the state.
"""

from __future__ import annotations

from hanabilab.core.bits import popcount
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.record import Record, assign, ints, nested
from hanabilab.game.cards import (
    HIDDEN_HAND,
    MAX_CARDS,
    MAX_HAND,
    MAX_PLAYERS,
    PLANES,
    add_copy,
    any_copy,
    card_in,
    take_copy,
)
from hanabilab.game.rules import Rules
from hanabilab.game.rules_record import RulesRecord, rules_record

__all__ = [
    "DECK",
    "GOING_ON",
    "LIVES",
    "NO_MORE_POINTS",
    "OUT_OF_REACH",
    "PERFECT",
    "State",
    "View",
    "best_score",
    "hands_of",
    "initial_state",
    "pace",
    "play_success",
    "put_on_discards",
    "rank_of",
    "refresh_counts",
    "view_of",
    "write_view",
]

GOING_ON, PERFECT, LIVES, DECK, OUT_OF_REACH, NO_MORE_POINTS = range(6)
"""Going on, or how it ended: all fireworks complete, no lives left, draw pile used up; that the
maximum is out of reach where nothing else counts; or that the score could not rise any more where
that ends the game."""

NO_LAST_ROUND = -1


class State(Record):
    """The rules, the counters, the hands and everything public that follows from them.

    Cards and sets of cards are integers (`hanabilab.game.cards`). Arrays are as long as any
    rules allow; elements beyond this game's players and slots are unused.
    """

    rules: RulesRecord = nested(RulesRecord)
    """The rules of the game; they never change during it."""

    # The table.
    observer: int
    """Whose view this is; only meaningful in a view."""
    player: int
    """Whose turn it is."""
    turn: int
    """How many turns have been taken."""
    end: int
    """0 while the game goes on; 1 all fireworks complete, 2 no lives left, 3 draw pile used up,
    4 the maximum is out of reach and nothing else counts, 5 the score can no longer rise."""
    hint_tokens: int
    """How many hint tokens are left."""
    lives: int
    """How many lives are left."""
    score: int
    """The sum of the fireworks, whatever happened to the lives."""
    draw_pile: int
    """How many cards are left to draw."""
    turns_left: int
    """After the last draw, how many turns remain; -1 before it."""
    fireworks: list[int] = ints(MAX_CARDS)
    """The highest rank played of each suit, 0 for none."""
    hands: list[int] = ints(MAX_PLAYERS)
    """The hand of each player, packed: `card_in(view.hands[player], slot)`; your own is hidden."""
    hand_count: list[int] = ints(MAX_PLAYERS)
    """How many cards each player holds; slot 0 is the oldest."""

    # What everyone can work out from the table.
    playable: int
    """The set of cards that fit now."""
    played: int
    """The set of cards that lie on the fireworks."""
    dead: int
    """The set of cards that can never be played any more, those played included."""
    unique: int
    """The set of cards of which one copy is left outside the discards and fireworks."""
    critical: int
    """The set of cards that are still needed and of which one copy is left."""
    left: list[int] = ints(PLANES)
    """Copies neither discarded nor played, as bit planes: `count_of(view.left, card)`."""
    discarded: list[int] = ints(PLANES)
    """Copies discarded, as bit planes: `count_of(view.discarded, card)`."""
    possible: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)
    """For each slot, the set of cards that the hints allow, positive and negative."""
    suit_hinted: list[int] = ints(MAX_PLAYERS)
    rank_hinted: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that a suit hint (or a rank hint) has touched."""
    barred_hints: int
    """The hints that may not be given because suit hints and rank hints alternate."""
    token_part: int
    """How many discards, or completed suits, count towards the next token already."""


def initial_state(rules: Rules) -> State:
    """Return the table before the deal (van den Bergh 2015, Algorithm 2.16, step 1)."""
    state = State()
    record = state.rules = rules_record(rules)
    state.hint_tokens, state.lives = record.max_hint_tokens, record.max_lives
    state.draw_pile = record.deck_size
    state.player = record.first_player
    state.turns_left = NO_LAST_ROUND
    state.hands = [HIDDEN_HAND] * MAX_PLAYERS
    state.left = record.copies[:]
    state.playable = record.rank_pattern
    for suit, row in enumerate(rules.copies):
        if 0 in row:
            first = suit * rules.ranks + row.index(0)
            state.dead |= (1 << ((suit + 1) * rules.ranks)) - (1 << first)
    refresh_counts(state)
    return state


@kernel
def rank_of(state: State, card: int) -> int:
    """Return the rank of a card, from 1."""
    rules = state.rules
    return card - rules.suit_of[card] * rules.ranks + 1


@kernel
def rank_cards(state: State, rank: int) -> int:
    """Return all cards of a rank."""
    return state.rules.rank_pattern << (rank - 1)


@kernel
def suit_cards(state: State, suit: int) -> int:
    """Return all cards of a suit."""
    rules = state.rules
    return ((1 << rules.ranks) - 1) << (suit * rules.ranks)


@inlined
@kernel
def play_success(state: State, card: int) -> None:
    """Put a playable card on its firework."""
    rules = state.rules
    bit = 1 << card
    suit = rules.suit_of[card]
    state.fireworks[suit] += 1
    state.score += 1
    state.played |= bit
    state.dead |= bit
    state.playable ^= bit
    if state.fireworks[suit] < rules.ranks:
        state.playable |= bit << 1
    take_copy(state.left, card)
    refresh_counts(state)


@inlined
@kernel
def put_on_discards(state: State, card: int) -> None:
    """Put a card on the discards; if that was its last copy, higher ranks die too."""
    rules = state.rules
    add_copy(state.discarded, card)
    take_copy(state.left, card)
    if not (any_copy(state.left) >> card) & 1 and not (state.dead >> card) & 1:
        end_of_suit = (rules.suit_of[card] + 1) * rules.ranks
        state.dead |= (1 << end_of_suit) - (1 << card)
    refresh_counts(state)


@inlined
@kernel
def refresh_counts(state: State) -> None:
    """Work out which cards have exactly one copy left, and which of those are still needed."""
    more = 0
    for plane in range(1, PLANES):
        more |= state.left[plane]
    state.unique = state.left[0] & ~more
    state.critical = state.unique & ~state.dead


@kernel
def best_score(state: State) -> int:
    """Return the highest score that the discards still allow."""
    rules = state.rules
    return rules.max_score - popcount(state.dead) + state.score


@kernel
def pace(state: State) -> int:
    """Return how many of the remaining draws may go without a play (Keßler 2025, Definition 5.2).

    Players + draw pile - cards still to be played for the best score that the discards allow.
    """
    return state.rules.players + state.draw_pile - (best_score(state) - state.score)


class View(State):
    """A state as `observer` sees it, with that player's own hand hidden."""


@kernel
def write_view(view: View, state: State, observer: int) -> None:
    """Write into `view` what a player sees of the state."""
    assign(view, state)
    view.observer = observer
    view.hands[observer] = HIDDEN_HAND


def hands_of(state: State) -> list[list[int]]:
    """Return the cards of each player, oldest first."""
    counts = state.hand_count[: state.rules.players]
    return [
        [card_in(state.hands[player], slot) for slot in range(count)]
        for player, count in enumerate(counts)
    ]


def view_of(state: State, observer: int) -> View:
    """Return a new view; nothing done to it touches the game."""
    view = View.__new__(View)
    write_view(view, state, observer)
    return view
