"""The state of a game, and a player's view of it.

A state contains everything except the draw pile: the deck is a separate array that only the engine
receives. A view is a state in which the observer's own hand is hidden. A strategy receives nothing
else, so it cannot look at hidden cards.

Which cards are playable, played, dead, critical or unique follows from the fireworks and discards
alone, so it is common knowledge. The engine keeps these sets up to date in the state.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest, popcount
from hanabilab.core.kernel import cold, inlined, kernel
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
    count_of,
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
    "conceal_plays",
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
"""Running, or why the game ended: all fireworks complete, no lives left, draw pile used up, the
maximum out of reach when nothing else counts, or no further points possible when that ends the
game.
"""

NO_LAST_ROUND = -1


class State(Record):
    """The rules, the counters, the hands and all public sets derived from them.

    Cards and sets of cards are integers (`hanabilab.game.cards`). Arrays have the largest length
    that any rules need; entries beyond this game's players and slots are unused.
    """

    rules: RulesRecord = nested(RulesRecord)
    """The rules of the game; they never change during it."""

    # The table.
    observer: int
    """The player whose view this is; meaningful only in a view."""
    player: int
    """The player to move."""
    turn: int
    """The number of turns taken."""
    end: int
    """0 while the game is running; 1 all fireworks complete, 2 no lives left, 3 draw pile used up,
    4 maximum out of reach when nothing else counts, 5 no further points possible.
    """
    hint_tokens: int
    """The number of hint tokens left."""
    lives: int
    """The number of lives left."""
    score: int
    """The sum of the fireworks, even if all lives are lost."""
    draw_pile: int
    """The number of cards left to draw."""
    turns_left: int
    """After the last draw, the number of turns left; -1 before it."""
    fireworks: list[int] = ints(MAX_CARDS)
    """The number of cards played in each suit: the highest rank, if they go up from 1."""
    hands: list[int] = ints(MAX_PLAYERS)
    """The hand of each player, packed: `card_in(view.hands[player], slot)`; your own is hidden."""
    hand_count: list[int] = ints(MAX_PLAYERS)
    """The number of cards each player holds; slot 0 is the oldest."""

    # What everyone can work out from the table.
    playable: int
    """The set of playable cards."""
    played: int
    """The set of cards on the fireworks."""
    dead: int
    """The set of cards that can never be played any more, including those already played."""
    unique: int
    """The set of cards with one copy left outside the discards and fireworks."""
    critical: int
    """The set of cards that are still needed and have one copy left."""
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
    """The hints barred because suit hints and rank hints alternate."""
    stack_starts: int
    """If fireworks need not begin with 1, four bits per suit: up (1) or down (2), or the first rank
    played; 0 if still open.
    """
    token_part: int
    """The number of discards or completed suits that already count towards the next token."""


def initial_state(rules: Rules) -> State:
    """Return the state before the deal (van den Bergh 2015, Algorithm 2.16, step 1)."""
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
    if record.stacks:
        refresh_stacks(state)
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
    """Discard a card; if it was the last copy, higher ranks die too."""
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
    """Compute which cards have exactly one copy left, and which of those are still needed."""
    more = 0
    for plane in range(1, PLANES):
        more |= state.left[plane]
    state.unique = state.left[0] & ~more
    state.critical = state.unique & ~state.dead


# --- fireworks that need not begin with 1 ---------------------------------------------------------

UPWARDS, DOWNWARDS = 1, 2
START_BITS = 4
LAST, START = 4, 5
"""Ranks counted from 0 in up-or-down fireworks: the 5, and the start card."""


@kernel
def start_of(state: State, suit: int) -> int:
    """Return the direction or the first rank of a firework; 0 if still open."""
    return state.stack_starts >> START_BITS * suit & (1 << START_BITS) - 1


@kernel
def choose_direction(state: State, suit: int, rank: int) -> None:
    """Record what the next card, its rank counted from 0, decides about a firework's direction."""
    if start_of(state, suit):
        return
    chosen = rank + 1
    if state.rules.stacks == 1:
        chosen = 0
        if rank == 0 or (rank == 1 and state.fireworks[suit] == 1):
            chosen = UPWARDS
        elif rank == LAST or (rank == LAST - 1 and state.fireworks[suit] == 1):
            chosen = DOWNWARDS
    state.stack_starts |= chosen << START_BITS * suit


@kernel
def refresh_stacks(state: State) -> None:
    """Compute which cards are playable, dead or critical if fireworks need not begin with 1."""
    rules = state.rules
    everything = (1 << rules.ranks) - 1
    left = any_copy(state.left)
    fitting = 0
    alive = 0
    for suit in range(rules.suits):
        first = suit * rules.ranks
        there = left >> first & everything
        fitting |= next_ranks(state, suit) << first
        alive |= reachable_ranks(state, suit, there) << first
    state.playable = fitting
    state.dead = rules.all_cards & ~alive
    state.critical = state.unique & alive
    if rules.stacks == 1:
        drop_spare_cards(state, left)


@kernel
def drop_spare_cards(state: State, left: int) -> None:
    """Remove from the critical cards those whose loss costs no points."""
    rules = state.rules
    unsure = state.critical
    while unsure:
        card = lowest(unsure)
        unsure &= unsure - 1
        suit = rules.suit_of[card]
        there = left >> suit * rules.ranks & (1 << rules.ranks) - 1
        without = there & ~(1 << card - suit * rules.ranks)
        if most_up_or_down(state, suit, without) == most_up_or_down(state, suit, there):
            state.critical &= ~(1 << card)


@kernel
def next_ranks(state: State, suit: int) -> int:
    """Return the ranks that are playable on a firework, as bits from the first rank."""
    rules = state.rules
    height, start = state.fireworks[suit], start_of(state, suit)
    if height == rules.stack_size:
        return 0
    if rules.stacks == 1:
        if height == 0:
            return 1 | 1 << LAST | 1 << START
        up = 1 << height if start != DOWNWARDS else 0
        return up | (1 << LAST - height if start != UPWARDS else 0)
    if start:
        return 1 << (start - 1 + height) % rules.ranks
    free = (1 << rules.ranks) - 1
    for other in range(rules.suits):
        taken = start_of(state, other)
        free &= ~(1 << taken >> 1)
    return free


@kernel
def reachable_ranks(state: State, suit: int, there: int) -> int:
    """Return the ranks of a suit that can still be played, given the ranks with copies left."""
    rules = state.rules
    if rules.stacks == 1:
        up = run_up_or_down(state, suit, there, 1)
        return up | run_up_or_down(state, suit, there, -1)
    found = 0
    starts = next_ranks(state, suit)
    while starts:
        rank = lowest(starts)
        starts &= starts - 1
        for _ in range(rules.ranks - state.fireworks[suit]):
            if not there >> rank & 1:
                break
            found |= 1 << rank
            rank = (rank + 1) % rules.ranks
    return found


@kernel
def run_up_or_down(state: State, suit: int, there: int, step: int) -> int:
    """Return the ranks that can still be played on a firework in one direction (1 or -1)."""
    height, start = state.fireworks[suit], start_of(state, suit)
    other = DOWNWARDS if step == 1 else UPWARDS
    if start == other or height == state.rules.stack_size:
        return 0
    found = 0
    if height == 0:
        found = there & (1 << START | (1 if step == 1 else 1 << LAST))
        if found == 0:
            return 0
        height = 1
    rank = height if step == 1 else LAST - height
    while 0 <= rank <= LAST and there >> rank & 1:
        found |= 1 << rank
        rank += step
    return found


@kernel
def most_up_or_down(state: State, suit: int, there: int) -> int:
    """Return the largest possible final size of a firework, given the ranks with copies left."""
    height = state.fireworks[suit]
    most = height
    for step in range(-1, 2, 2):
        run = run_up_or_down(state, suit, there, step)
        if height == 0 and run >> START & 1:  # the start card stands in for the first rank
            run &= ~(1 if step == 1 else 1 << LAST)
        most = max(most, height + popcount(run))
    return most


@cold
@kernel
def most_of_stacks(state: State) -> int:
    """Return the highest score that the discards still allow."""
    rules = state.rules
    left = any_copy(state.left)
    most = 0
    undecided = 0
    for suit in range(rules.suits):
        there = left >> suit * rules.ranks & (1 << rules.ranks) - 1
        if rules.stacks == 1:
            most += most_up_or_down(state, suit, there)
        elif start_of(state, suit):
            most += state.fireworks[suit] + popcount(reachable_ranks(state, suit, there))
        elif there == (1 << rules.ranks) - 1:
            most += rules.ranks  # from whatever rank it begins
        else:
            undecided |= 1 << suit
    return most + best_assignment(state, left, undecided) if undecided else most


@kernel
def best_assignment(state: State, left: int, undecided: int) -> int:
    """Return the most points of these suits if each begins with a different free rank."""
    rules = state.rules
    choices = 1
    for _ in range(popcount(undecided)):
        choices *= rules.ranks
    best = 0
    for choice in range(choices):
        best = max(best, points_of_choice(state, left, undecided, choice))
    return best


@kernel
def points_of_choice(state: State, left: int, undecided: int, choice: int) -> int:
    """Return the points if each suit begins with its digit of `choice`, or -1 if two coincide."""
    rules = state.rules
    points = 0
    free = next_ranks(state, lowest(undecided))
    while undecided:
        suit = lowest(undecided)
        undecided &= undecided - 1
        rank = choice % rules.ranks
        choice //= rules.ranks
        if not free >> rank & 1:
            return -1
        free &= ~(1 << rank)
        for _ in range(rules.ranks):
            if not left >> suit * rules.ranks + rank & 1:
                break
            points += 1
            rank = (rank + 1) % rules.ranks
    return points


@kernel
def best_score(state: State) -> int:
    """Return the highest score that the discards still allow."""
    rules = state.rules
    if rules.stacks:
        return most_of_stacks(state)
    return rules.max_score - popcount(state.dead) + state.score


@kernel
def pace(state: State) -> int:
    """Return how many of the remaining draws can pass without a play (Keßler 2025, Definition 5.2).

    Players + draw pile - cards still to be played for the best score that the discards allow.
    """
    return state.rules.players + state.draw_pile - (best_score(state) - state.score)


class View(State):
    """A state as `observer` sees it: that player's own hand is hidden."""


@kernel
def write_view(view: View, state: State, observer: int) -> None:
    """Write a player's view of the state into `view`."""
    assign(view, state)
    view.observer = observer
    view.hands[observer] = HIDDEN_HAND
    if state.rules.hidden_plays:
        conceal_plays(view)


@kernel
def conceal_plays(view: State) -> None:
    """Reduce the view of a running game to what the public discards reveal.

    If played cards stay hidden, nobody knows the fireworks, the score and the lives for certain.
    """
    rules = view.rules
    if view.end != GOING_ON:
        return
    for suit in range(rules.suits):
        view.fireworks[suit] = 0
    view.score = view.played = view.playable = view.dead = view.stack_starts = 0
    view.lives = rules.max_lives
    for plane in range(PLANES):
        view.left[plane] = rules.copies[plane]
    for card in range(rules.suits * rules.ranks):
        for _ in range(count_of(view.discarded, card)):
            take_copy(view.left, card)
        if not any_copy(view.left) >> card & 1 and not view.dead >> card & 1:
            end_of_suit = (rules.suit_of[card] + 1) * rules.ranks
            view.dead |= (1 << end_of_suit) - (1 << card)
    refresh_counts(view)


def hands_of(state: State) -> list[list[int]]:
    """Return the cards of each player, oldest first."""
    counts = state.hand_count[: state.rules.players]
    return [
        [card_in(state.hands[player], slot) for slot in range(count)]
        for player, count in enumerate(counts)
    ]


def view_of(state: State, observer: int) -> View:
    """Return a new view; changing it does not affect the game."""
    view = View.__new__(View)
    write_view(view, state, observer)
    return view
