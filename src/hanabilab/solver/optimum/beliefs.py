"""Tables of public states and beliefs, as kernels: find a belief, and its first upper bound.

Every belief is a row of a table and a set of deals in words of bits. Equal sets are found by
hashing and compared in full; symmetric ones are the same belief. The first upper bound of a belief
is its value if all hands are open after the turn, though not the draw pile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hanabilab.core.bits import add_to_hash, lowest, spread
from hanabilab.core.kernel import inlined, kernel

__all__ = [
    "AGE",
    "BELIEFS",
    "BELIEF_WORDS",
    "BITS",
    "CARDS",
    "CELL",
    "CELLS",
    "CELL_AT",
    "CELL_WORDS",
    "CHOICES",
    "CHOICE_AT",
    "CURSOR_WORDS",
    "DEALS",
    "DEAL_AT",
    "DEAL_VALUE_AT",
    "DEPTH",
    "EXACT",
    "FINAL",
    "FORGOTTEN",
    "FRAME",
    "HIDDEN",
    "HINT_WORDS",
    "IS_LAST",
    "KNOWN_DEALS",
    "MESSAGES",
    "MOVES",
    "NAMED_HINTS",
    "NEXT",
    "OBSERVATIONS",
    "OPEN_AT",
    "OTHER_ORDERS",
    "OUTCOMES",
    "OUTCOME_AT",
    "OWN_ORDERS",
    "PLAN",
    "PLANS",
    "POOL",
    "SEEN_AT",
    "SIZE",
    "SLOTS",
    "STACK",
    "STATE",
    "STATE_WORDS",
    "STEPS",
    "SYMMETRIES",
    "SYMMETRY_AT",
    "TRIES",
    "TURN_AT",
    "UNKNOWN",
    "UPPER",
    "WIDEST",
    "WORDS",
    "WORD_BITS",
    "GameTables",
    "Store",
    "fill_open_values",
    "find_belief",
    "rehash",
    "spread_words",
]

WORD_BITS = 62
UNKNOWN = -1

(
    DEALS,
    WORDS,
    CHOICES,
    OBSERVATIONS,
    IS_LAST,
    SYMMETRIES,
    DEAL_AT,
    TURN_AT,
    CHOICE_AT,
    SYMMETRY_AT,
    CELLS,
    WIDEST,
    OPEN_AT,
    DEAL_VALUE_AT,
    MOVES,
    MESSAGES,
    HINT_WORDS,
    OWN_ORDERS,
    OTHER_ORDERS,
    NAMED_HINTS,
    CARDS,
    SLOTS,
    SEEN_AT,
) = range(23)
"""A public state: sizes, whether its turn is the last, and where its parts of the arrays begin;
the words of the cells of a group, and the most words of one choice. Equal parts of several
states are stored once, except for open values. `MOVES` choices come before the hints, which have
`MESSAGES` outcomes together; after all of them comes the row of a hint without a name, whose cell
has `HINT_WORDS`. Without tokens, and with more messages than a set of bits holds, each choice
counts as a move; `NAMED_HINTS` tells whether hints are among them. There are `OWN_ORDERS` of the
slots of the player to move, and `OTHER_ORDERS` of those of the others, who hold `SLOTS` cards.
There are `CARDS` different cards."""
STATE_WORDS = 23
OUTCOME_AT, OUTCOMES, CELL_AT, CELL_WORDS = range(4)
"""A choice: its outcomes, and where its cells are among those of all choices."""
NEXT, FINAL, CELL, SIZE = range(4)
"""An outcome: the next state or -1, the final score, its cell and the words of the deals in it."""
STATE, HIDDEN, UPPER, EXACT, PLAN, BITS, TRIES = range(7)
"""A belief: its public state, the turns until all hands are revealed (0: never), an upper bound of
its value, whether that is the value, where its plan and its deals are, and how often it was
searched; the plan is -1 for the last turn."""
BELIEF_WORDS = 7
KNOWN_STATE, KNOWN_HIDDEN, KNOWN_BELIEF, KNOWN_DEALS = range(4)
"""A set of deals that was looked up: its state plus 1, the turns until all hands are revealed, the
number of its belief, and the words of the set."""
DEPTH, FRAME, STACK, BELIEFS, POOL, PLANS, STEPS, FORGOTTEN, AGE = range(9)
"""The cursor: frames on the stack, the current one, how much of each array is in use, steps of the
search, how many beliefs were forgotten, and how many times that happened."""
CURSOR_WORDS = 9


class GameTables(NamedTuple):
    """The public states of a game, as arrays."""

    states: list[list[int]]
    choices: list[list[int]]
    outcomes: list[list[int]]
    observation: list[int]
    """For each state and deal, the number of what the player to move sees."""
    seen: list[int]
    """For each state and observation, the cards in the slots of the others."""
    weight: list[int]
    """For each state and deal, the number of decks."""
    outcome: list[int]
    """For each state, deal and choice: the outcome within the choice, or -1 if it is illegal."""
    firsts: list[int]
    """The first of the deals that may follow; the others come after it in order."""
    counts: list[int]
    """How many deals may follow."""
    open_value: list[int]
    """For each state, deal and choice, the value if all hands are open afterwards, or -1."""
    deal_value: list[int]
    """For each state and deal, the value if all hands are open from now on."""
    inverse: list[int]
    """For each state, symmetry and deal, the deal that moves to its place."""


class Store(NamedTuple):
    """The beliefs of a search, its stack, and scratch space."""

    cursor: list[int]
    beliefs: list[list[int]]
    slots: list[int]
    """A hash table of beliefs: their numbers plus 1."""
    pool: list[int]
    """The sets of deals of beliefs."""
    plans: Any
    """For solved beliefs, the choice of each group."""
    recent: list[list[int]]
    """Sets of deals that were looked up lately, with the numbers of their beliefs."""
    stack: list[int]
    members: list[int]
    twin: list[int]
    key: list[int]
    sums: list[int]
    groups: list[int]
    """For each observation, the number of its group."""


# --- open hands -----------------------------------------------------------------------------------


@kernel
def fill_open_values(game: GameTables) -> int:
    """Set the values of the game in which all hands are open, though not the draw pile.

    A value is a sum over the orders of the draw pile. Each state comes after those that follow it.
    """
    for state in range(len(game.states)):
        row = game.states[state]
        place = row[OPEN_AT]
        for deal in range(row[DEALS]):
            best = 0
            for choice in range(row[CHOICES]):
                game.open_value[place] = open_turn(game, row, deal, choice)
                best = max(best, game.open_value[place])
                place += 1
            game.deal_value[row[DEAL_VALUE_AT] + deal] = best
    return 0


@inlined
@kernel
def open_turn(game: GameTables, row: list[int], deal: int, choice: int) -> int:
    """Return the value of a deal if all hands are open after a choice; -1 if it is illegal."""
    turn = row[TURN_AT] + deal * row[CHOICES] + choice
    if game.outcome[turn] < 0:
        return UNKNOWN
    about = game.choices[row[CHOICE_AT] + choice]
    outcome = game.outcomes[about[OUTCOME_AT] + game.outcome[turn]]
    if outcome[NEXT] < 0:
        return outcome[FINAL] * game.weight[row[DEAL_AT] + deal]
    first = game.states[outcome[NEXT]][DEAL_VALUE_AT] + game.firsts[turn]
    total = 0
    for place in range(first, first + game.counts[turn]):
        total += game.deal_value[place]
    return total


# --- beliefs --------------------------------------------------------------------------------------


@kernel
def find_belief(
    game: GameTables, store: Store, state: int, hidden: int, cells: list[int], at: int
) -> int:
    """Return the number of the belief that is equivalent to a set of deals.

    The same sets come again and again, and comparing all symmetric ones takes long: answers are
    kept until another set needs their place.
    """
    row = game.states[state]
    words = row[WORDS]
    if row[SYMMETRIES] == 1:
        for word in range(words):
            store.key[word] = cells[at + word]
        return find_key(game, store, state, hidden)
    known = store.recent[hash_of(cells, at, words, state, hidden) & (len(store.recent) - 1)]
    if (
        known[KNOWN_STATE] != state + 1
        or known[KNOWN_HIDDEN] != hidden
        or any(known[KNOWN_DEALS + word] != cells[at + word] for word in range(words))
    ):
        spread_words(cells, at, row[DEALS], store.members)
        canonical(game, store, row)
        known[KNOWN_BELIEF] = find_key(game, store, state, hidden)
        known[KNOWN_STATE] = state + 1
        known[KNOWN_HIDDEN] = hidden
        for word in range(words):
            known[KNOWN_DEALS + word] = cells[at + word]
    return known[KNOWN_BELIEF]


@kernel
def find_key(game: GameTables, store: Store, state: int, hidden: int) -> int:
    """Return the number of the belief of the key; append it if it is new."""
    words = game.states[state][WORDS]
    place = hash_of(store.key, 0, words, state, hidden) & (len(store.slots) - 1)
    while store.slots[place]:
        number = store.slots[place] - 1
        if is_belief(store, number, state, hidden, words):
            return number
        place = (place + 1) & (len(store.slots) - 1)
    number = new_belief(game, store, state, hidden)
    store.slots[place] = number + 1
    return number


@inlined
@kernel
def is_belief(store: Store, number: int, state: int, hidden: int, words: int) -> bool:
    """Return whether a belief has this state and the deals of the key."""
    belief = store.beliefs[number]
    if belief[STATE] != state or belief[HIDDEN] != hidden:
        return False
    at = belief[BITS]
    return all(store.pool[at + word] == store.key[word] for word in range(words))


@kernel
def hash_of(key: list[int], at: int, words: int, state: int, hidden: int) -> int:
    """Return a hash of a set of deals in a state."""
    mixed = state * 64 + hidden
    for word in range(words):
        mixed = add_to_hash(mixed, key[at + word])
    return mixed ^ (mixed >> 31)


@inlined
@kernel
def spread_words(cells: list[int], at: int, deals: int, members: list[int]) -> None:
    """Write a set of deals as an element 0 or 1 for each."""
    done = 0
    while done < deals:
        spread(cells[at], min(WORD_BITS, deals - done), members, done)
        done += WORD_BITS
        at += 1


@kernel
def canonical(game: GameTables, store: Store, row: list[int]) -> None:
    """Set the key to the smallest of the sets of deals that are symmetric to the members."""
    deals, members, twin = row[DEALS], store.members, store.twin
    for deal in range(deals):
        twin[deal] = members[deal]
    at = row[SYMMETRY_AT]
    for _ in range(1, row[SYMMETRIES]):
        at += deals
        place = deals - 1
        while place >= 0 and members[game.inverse[at + place]] == twin[place]:
            place -= 1
        if place >= 0 and members[game.inverse[at + place]] < twin[place]:
            while place >= 0:
                twin[place] = members[game.inverse[at + place]]
                place -= 1
    pack_words(twin, deals, store.key)


@inlined
@kernel
def pack_words(members: list[int], deals: int, key: list[int]) -> None:
    """Write elements 0 or 1 as words of bits."""
    word = 0
    done = 0
    while done < deals:
        bits = 0
        for bit in range(min(WORD_BITS, deals - done)):
            bits |= members[done + bit] << bit
        key[word] = bits
        word += 1
        done += WORD_BITS


@kernel
def new_belief(game: GameTables, store: Store, state: int, hidden: int) -> int:
    """Append the belief of the key, with its first upper bound."""
    cursor, row = store.cursor, game.states[state]
    number = cursor[BELIEFS]
    belief = store.beliefs[number]
    belief[STATE] = state
    belief[HIDDEN] = hidden
    belief[UPPER] = open_bound(game, store, row)
    belief[EXACT] = int(row[IS_LAST] != 0 or hidden == 1 or belief[UPPER] == 0)
    belief[PLAN] = UNKNOWN
    belief[TRIES] = 0
    belief[BITS] = cursor[POOL]
    for word in range(row[WORDS]):
        store.pool[cursor[POOL] + word] = store.key[word]
    cursor[POOL] += row[WORDS]
    cursor[BELIEFS] += 1
    return number


@kernel
def open_bound(game: GameTables, store: Store, row: list[int]) -> int:
    """Return the value of the deals of the key if all hands are open after this turn."""
    choices, sums = row[CHOICES], store.sums
    for place in range(row[OBSERVATIONS] * choices):
        sums[place] = 0
    for word in range(row[WORDS]):
        bits = store.key[word]
        while bits:
            deal = word * WORD_BITS + lowest(bits)
            bits &= bits - 1
            at = row[OPEN_AT] + deal * choices
            group = game.observation[row[DEAL_AT] + deal] * choices
            for choice in range(choices):
                sums[group + choice] += game.open_value[at + choice]
    total = 0
    for group in range(row[OBSERVATIONS]):
        best = 0
        for choice in range(choices):
            best = max(best, sums[group * choices + choice])
        total += best
    return total


@kernel
def rehash(game: GameTables, store: Store) -> int:
    """Fill an empty hash table with all beliefs."""
    for number in range(store.cursor[BELIEFS]):
        belief = store.beliefs[number]
        words = game.states[belief[STATE]][WORDS]
        mixed = hash_of(store.pool, belief[BITS], words, belief[STATE], belief[HIDDEN])
        place = mixed & (len(store.slots) - 1)
        while store.slots[place]:
            place = (place + 1) & (len(store.slots) - 1)
        store.slots[place] = number + 1
    return 0
