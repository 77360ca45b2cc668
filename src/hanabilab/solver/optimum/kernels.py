"""The search for the best prescriptions, as kernels: beliefs in a table, an explicit stack.

`hanabilab.solver.optimum.search` explains the algorithm. Here every belief is a row of a table and
a set of deals in words of bits; equal sets are found by hashing and compared in full. A **frame**
of the stack is the search for the best prescription of one belief. It holds, for each group of
deals that look alike and each choice, what follows: a **cell** for each outcome, which is the set
of deals that become possible, or a sum of scores if the game ends. The cells of several groups are
combined by union or addition, so that a prescription grows group by group at little cost.

The search stops after some steps and is resumed, for progress, for Ctrl-C and for larger arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hanabilab.core.bits import LOW_62, lowest, multiply, spread
from hanabilab.core.kernel import inlined, kernel

__all__ = [
    "BELIEFS",
    "BELIEF_WORDS",
    "CURSOR_WORDS",
    "DEPTH",
    "DONE",
    "FRAME",
    "FULL",
    "HEADER",
    "PAUSED",
    "PLANS",
    "POOL",
    "STACK",
    "STATE_WORDS",
    "STEPS",
    "WORD_BITS",
    "GameTables",
    "Store",
    "advance",
    "begin",
    "fill_open_values",
    "find_belief",
    "frame_words",
    "rehash",
]

WORD_BITS = 62
MANY_GROUPS = 5
"""With more groups than this, each one is solved by itself before they are combined."""
FIRST_STEP = 1000
"""A search first asks whether the value is within this part of its upper bound."""
UNKNOWN = -1
FORCED = 1 << 62
"""The loss of a group with one option left, which is assigned before all others."""

DONE, PAUSED, FULL = range(3)
"""Why a search returns: finished, out of budget, or in need of larger arrays."""

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
) = range(14)
"""A public state: sizes, whether its turn is the last, and where its parts of the arrays begin;
the words of the cells of all choices, and the most words of one choice. Equal parts of several
states are stored once, except for open values."""
STATE_WORDS = 14
OUTCOME_AT, OUTCOMES, CELL_AT, CELL_WORDS = range(4)
"""A choice: its outcomes, and where its cells are among those of all choices."""
NEXT, FINAL, CELL, SIZE = range(4)
"""An outcome: the next state or -1, the final score, its cell and the words of that."""
STATE, HIDDEN, UPPER, EXACT, PLAN, BITS = range(6)
"""A belief: its public state, the turns until all hands are revealed (0: never), an upper bound of
its value, whether that is the value, and where its plan and its deals are; the plan is -1 for the
last turn."""
BELIEF_WORDS = 6
DEPTH, FRAME, STACK, BELIEFS, POOL, PLANS, STEPS = range(7)
"""The cursor: frames on the stack, the current one, and how much of each array is in use."""
CURSOR_WORDS = 7

(
    CALLER,
    BELIEF,
    THRESHOLD,
    GROUPS,
    PHASE,
    BEST,
    FOUND,
    STEP,
    LEVEL,
    TURN,
    ITEMS,
    ITEM,
    SCORE,
    LIMIT,
    TOTAL,
    AFTER,
    IMAGES_AT,
    ALONE_AT,
    GAIN_AT,
    BOUND_AT,
    CLASS_AT,
    VALUE_AT,
    ASSIGNED_AT,
    PLAN_AT,
    ITEM_AT,
    TRIAL_AT,
    LEVEL_AT,
    LEVEL_WORDS,
) = range(28)
"""A frame: the frame that it returns to, the belief, and the state of the search in it."""
HEADER = 32
ALONE, START, NODE, OPTION, VALUE, BACK = range(6)
"""The phases of a frame."""
GROUP, CHOSEN, OPTIONS, TRIED, REST, CURRENT, BEFORE, LEVEL_HEADER = range(8)
"""A level of a frame: the group that it assigns, its options and the state before."""


class GameTables(NamedTuple):
    """The public states of a game, as arrays."""

    states: list[list[int]]
    choices: list[list[int]]
    outcomes: list[list[int]]
    observation: list[int]
    """For each state and deal, the number of what the player to move sees."""
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
    """Return the number of the belief that is equivalent to a set of deals."""
    row, key = game.states[state], store.key
    words = row[WORDS]
    if row[SYMMETRIES] > 1:
        spread_words(cells, at, row[DEALS], store.members)
        canonical(game, store, row)
    else:
        for word in range(words):
            key[word] = cells[at + word]
    place = hash_of(key, 0, words, state, hidden) & (len(store.slots) - 1)
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
        mixed = multiply((mixed ^ (mixed >> 29)) + key[at + word] & LOW_62, 0x1E37_79B9_7F4A_7C15)
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


# --- frames ---------------------------------------------------------------------------------------


@kernel
def frame_words(row: list[int], groups: int) -> int:
    """Return the size of the frame of a belief with this many groups."""
    choices, widest = row[CHOICES], row[WIDEST]
    level = LEVEL_HEADER + 2 * choices + groups + widest
    parts = groups * (row[CELLS] + 2 * choices + 3) + row[CELLS] + choices
    return HEADER + parts + 3 * widest + (groups + 1) * level


@kernel
def push(game: GameTables, store: Store, number: int, threshold: int) -> None:
    """Begin to search for the best prescription of a belief."""
    cursor, stack, belief = store.cursor, store.stack, store.beliefs[number]
    row = game.states[belief[STATE]]
    groups = number_groups(game, store, belief, row)
    base = cursor[STACK]
    stack[base + CALLER] = cursor[FRAME]
    cursor[FRAME] = base
    cursor[DEPTH] += 1
    cursor[STACK] = base + frame_words(row, groups)
    stack[base + BELIEF] = number
    stack[base + THRESHOLD] = threshold
    stack[base + GROUPS] = groups
    stack[base + PHASE] = ALONE
    stack[base + TURN] = 0
    stack[base + AFTER] = max(belief[HIDDEN] - 1, 0)
    lay_out(stack, base, row, groups)
    fill_images(game, store, base, belief, row)


@inlined
@kernel
def lay_out(stack: list[int], base: int, row: list[int], groups: int) -> None:
    """Set where the arrays of a frame begin."""
    choices, widest = row[CHOICES], row[WIDEST]
    stack[base + IMAGES_AT] = base + HEADER
    stack[base + ALONE_AT] = stack[base + IMAGES_AT] + groups * row[CELLS]
    stack[base + GAIN_AT] = stack[base + ALONE_AT] + groups * choices
    stack[base + BOUND_AT] = stack[base + GAIN_AT] + groups * choices
    stack[base + ASSIGNED_AT] = stack[base + BOUND_AT] + groups
    stack[base + PLAN_AT] = stack[base + ASSIGNED_AT] + groups
    stack[base + CLASS_AT] = stack[base + PLAN_AT] + groups
    stack[base + VALUE_AT] = stack[base + CLASS_AT] + row[CELLS]
    stack[base + TRIAL_AT] = stack[base + VALUE_AT] + choices
    stack[base + ITEM_AT] = stack[base + TRIAL_AT] + widest
    stack[base + LEVEL_AT] = stack[base + ITEM_AT] + 2 * widest
    stack[base + LEVEL_WORDS] = LEVEL_HEADER + 2 * choices + groups + widest


@kernel
def number_groups(game: GameTables, store: Store, belief: list[int], row: list[int]) -> int:
    """Give numbers to the observations that are possible in a belief; return how many there are."""
    groups = store.groups
    for observation in range(row[OBSERVATIONS]):
        groups[observation] = 0
    for word in range(row[WORDS]):
        bits = store.pool[belief[BITS] + word]
        while bits:
            deal = word * WORD_BITS + lowest(bits)
            bits &= bits - 1
            groups[game.observation[row[DEAL_AT] + deal]] = 1
    count = 0
    for observation in range(row[OBSERVATIONS]):
        if groups[observation]:
            groups[observation] = count
            count += 1
    return count


@kernel
def fill_images(
    game: GameTables, store: Store, base: int, belief: list[int], row: list[int]
) -> None:
    """Set the cells of each group and choice."""
    stack, choices = store.stack, row[CHOICES]
    images, alone = stack[base + IMAGES_AT], stack[base + ALONE_AT]
    for place in range(images, alone):
        stack[place] = 0
    for word in range(row[WORDS]):
        bits = store.pool[belief[BITS] + word]
        while bits:
            deal = word * WORD_BITS + lowest(bits)
            bits &= bits - 1
            group = store.groups[game.observation[row[DEAL_AT] + deal]]
            for choice in range(choices):
                turn = row[TURN_AT] + deal * choices + choice
                stack[alone + group * choices + choice] = game.outcome[turn]
                if game.outcome[turn] >= 0:
                    about = game.choices[row[CHOICE_AT] + choice]
                    outcome = game.outcomes[about[OUTCOME_AT] + game.outcome[turn]]
                    cell = images + group * row[CELLS] + about[CELL_AT] + outcome[CELL]
                    if outcome[NEXT] < 0:
                        stack[cell] += outcome[FINAL] * game.weight[row[DEAL_AT] + deal]
                    else:
                        add_deals(stack, cell, game.firsts[turn], game.counts[turn])


@inlined
@kernel
def add_deals(stack: list[int], cell: int, first: int, count: int) -> None:
    """Add deals in order to a set."""
    for deal in range(first, first + count):
        stack[cell + deal // WORD_BITS] |= 1 << deal % WORD_BITS


# --- values of choices ----------------------------------------------------------------------------


@kernel
def join(
    game: GameTables, about: list[int], stack: list[int], one: int, other: int, target: int
) -> None:
    """Combine the cells of a choice for two sets of groups."""
    for number in range(about[OUTCOMES]):
        outcome = game.outcomes[about[OUTCOME_AT] + number]
        cell = outcome[CELL]
        if outcome[NEXT] < 0:
            stack[target + cell] = stack[one + cell] + stack[other + cell]
        else:
            for word in range(cell, cell + outcome[SIZE]):
                stack[target + word] = stack[one + word] | stack[other + word]


@kernel
def list_items(game: GameTables, store: Store, base: int, about: list[int], cells: int) -> int:
    """List the beliefs that follow a choice, and return the known upper bound of its value.

    Outcomes that are symmetric lead to the same belief, which then counts several times.
    """
    stack, items, score, total = store.stack, 0, 0, 0
    at = stack[base + ITEM_AT]
    for number in range(about[OUTCOMES]):
        outcome = game.outcomes[about[OUTCOME_AT] + number]
        cell = cells + outcome[CELL]
        if outcome[NEXT] < 0:
            score += stack[cell]
        elif any(stack[cell + word] != 0 for word in range(outcome[SIZE])):
            belief = find_belief(game, store, outcome[NEXT], stack[base + AFTER], stack, cell)
            total += store.beliefs[belief][UPPER]
            item = 0
            while item < items and stack[at + 2 * item] != belief:
                item += 1
            if item == items:
                stack[at + 2 * item] = belief
                stack[at + 2 * item + 1] = 0
                items += 1
            stack[at + 2 * item + 1] += 1
    stack[base + ITEMS] = items
    stack[base + ITEM] = 0
    stack[base + SCORE] = score
    return total + score


@inlined
@kernel
def known_total(store: Store, base: int) -> int:
    """Return the upper bound of the listed beliefs and scores."""
    stack = store.stack
    at, total = stack[base + ITEM_AT], stack[base + SCORE]
    for item in range(stack[base + ITEMS]):
        total += stack[at + 2 * item + 1] * store.beliefs[stack[at + 2 * item]][UPPER]
    return total


@kernel
def continue_value(game: GameTables, store: Store, base: int) -> bool:
    """Solve the next listed belief that matters; return whether the value is settled.

    It is settled if it does not exceed the limit, or if all listed beliefs are exact.
    """
    stack = store.stack
    total = known_total(store, base)
    stack[base + TOTAL] = total
    excess = total - stack[base + LIMIT]
    if excess <= 0:
        return True
    at = stack[base + ITEM_AT]
    while stack[base + ITEM] < stack[base + ITEMS]:
        number = stack[at + 2 * stack[base + ITEM]]
        if not store.beliefs[number][EXACT]:
            times = stack[at + 2 * stack[base + ITEM] + 1]
            push(game, store, number, store.beliefs[number][UPPER] - (excess + times - 1) // times)
            return False
        stack[base + ITEM] += 1
    return True


# --- the search in one frame ----------------------------------------------------------------------


@kernel
def begin(game: GameTables, store: Store, number: int, threshold: int) -> int:
    """Clear the stack and begin with a belief."""
    cursor = store.cursor
    cursor[DEPTH] = 0
    cursor[FRAME] = 0
    cursor[STACK] = 0
    push(game, store, number, threshold)
    return 0


@kernel
def advance(game: GameTables, store: Store, budget: int, margin: int, largest: int) -> int:
    """Search on for some steps.

    In one step, the beliefs may grow by `margin` and the stack by `largest` words.
    """
    cursor, stack = store.cursor, store.stack
    limit = cursor[STEPS] + budget
    words, groups = len(store.key), len(store.groups)
    while cursor[DEPTH] > 0:
        if cursor[STEPS] >= limit:
            return PAUSED
        if (
            cursor[BELIEFS] + margin > len(store.beliefs)
            or cursor[POOL] + margin * words > len(store.pool)
            or cursor[PLANS] + groups > len(store.plans)
            or cursor[STACK] + largest > len(stack)
        ):
            return FULL
        cursor[STEPS] += 1
        base = cursor[FRAME]
        belief = store.beliefs[stack[base + BELIEF]]
        row = game.states[belief[STATE]]
        phase = stack[base + PHASE]
        if phase == ALONE:
            judge_alone(game, store, base, row)
        elif phase == START:
            start_pass(store, base, belief, row)
        elif phase == NODE:
            open_node(store, base, row)
        elif phase == OPTION:
            try_option(game, store, base, row)
        elif phase == VALUE:
            if continue_value(game, store, base):
                settle_option(game, store, base, row)
        else:
            go_back(game, store, base, belief, row)
    return DONE


@inlined
@kernel
def judge_alone(game: GameTables, store: Store, base: int, row: list[int]) -> None:
    """Find upper bounds of the value of each choice in each group: exact, if there are many."""
    stack, choices = store.stack, row[CHOICES]
    turn, alone = stack[base + TURN], stack[base + ALONE_AT]
    stack[base + LIMIT] = UNKNOWN
    last = stack[base + GROUPS] * choices
    if stack[base + GROUPS] > MANY_GROUPS:
        if turn % 2:
            if not continue_value(game, store, base):
                return
            stack[alone + turn // 2] = stack[base + TOTAL]
            turn += 1
        while turn < 2 * last and stack[alone + turn // 2] == UNKNOWN:
            turn += 2
        stack[base + TURN] = turn + 1
        if turn < 2 * last:
            group, choice = divmod(turn // 2, choices)
            about = game.choices[row[CHOICE_AT] + choice]
            cells = stack[base + IMAGES_AT] + group * row[CELLS] + about[CELL_AT]
            list_items(game, store, base, about, cells)
            return
    else:
        bound_alone(game, store, base, row)
    stack[base + STEP] = 0
    stack[base + PHASE] = START


@kernel
def bound_alone(game: GameTables, store: Store, base: int, row: list[int]) -> None:
    """Set the known upper bound of each choice in each group."""
    stack, choices = store.stack, row[CHOICES]
    alone = stack[base + ALONE_AT]
    for group in range(stack[base + GROUPS]):
        for choice in range(choices):
            if stack[alone + group * choices + choice] != UNKNOWN:
                about = game.choices[row[CHOICE_AT] + choice]
                cells = stack[base + IMAGES_AT] + group * row[CELLS] + about[CELL_AT]
                total = list_items(game, store, base, about, cells)
                stack[alone + group * choices + choice] = total


@kernel
def start_pass(store: Store, base: int, belief: list[int], row: list[int]) -> None:
    """Begin a pass through the prescriptions, which looks for values close to the bound."""
    stack, choices = store.stack, row[CHOICES]
    groups, alone = stack[base + GROUPS], stack[base + ALONE_AT]
    total = 0
    for group in range(groups):
        bound = 0
        for choice in range(choices):
            place = group * choices + choice
            stack[stack[base + GAIN_AT] + place] = stack[alone + place]
            bound = max(bound, stack[alone + place])
        stack[stack[base + BOUND_AT] + group] = bound
        stack[stack[base + ASSIGNED_AT] + group] = UNKNOWN
        total += bound
    belief[UPPER] = min(belief[UPPER], total)
    step = stack[base + STEP]
    stack[base + STEP] = 2 * step if step else 1 + belief[UPPER] // FIRST_STEP
    stack[base + BEST] = max(stack[base + THRESHOLD], belief[UPPER] - stack[base + STEP])
    stack[base + FOUND] = 0
    for choice in range(choices):
        stack[stack[base + VALUE_AT] + choice] = 0
    for word in range(row[CELLS]):
        stack[stack[base + CLASS_AT] + word] = 0
    stack[base + LEVEL] = 0
    level = stack[base + LEVEL_AT]
    stack[level + REST] = total
    stack[level + CURRENT] = 0
    stack[base + PHASE] = NODE
    if belief[UPPER] <= stack[base + THRESHOLD]:
        pop(store, base)


@inlined
@kernel
def pop(store: Store, base: int) -> None:
    """Return to the caller's frame."""
    store.cursor[STACK] = base
    store.cursor[FRAME] = store.stack[base + CALLER]
    store.cursor[DEPTH] -= 1


@kernel
def open_node(store: Store, base: int, row: list[int]) -> None:
    """Choose the next group to assign, or keep the prescription if it is complete.

    The next group is one with a single option, or else the one whose best option loses most
    against its bound.
    """
    stack, choices = store.stack, row[CHOICES]
    groups, gains, assigned = stack[base + GROUPS], stack[base + GAIN_AT], stack[base + ASSIGNED_AT]
    bounds = stack[base + BOUND_AT]
    level = stack[base + LEVEL_AT] + stack[base + LEVEL] * stack[base + LEVEL_WORDS]
    stack[base + PHASE] = BACK
    if stack[base + LEVEL] == groups:
        if stack[level + CURRENT] > stack[base + BEST]:
            stack[base + BEST] = stack[level + CURRENT]
            stack[base + FOUND] = 1
            for group in range(groups):
                stack[stack[base + PLAN_AT] + group] = stack[assigned + group]
        return
    enough = stack[base + BEST] - stack[level + CURRENT] - stack[level + REST]
    most, hardest = UNKNOWN, 0
    for group in range(groups):
        if stack[assigned + group] == UNKNOWN:
            bound = stack[bounds + group]
            gain, options = UNKNOWN, 0
            for choice in range(choices):
                each = stack[gains + group * choices + choice]
                gain = max(gain, each)
                options += int(each > max(enough + bound, UNKNOWN))
            if options == 0:
                return
            loss = FORCED if options == 1 else bound - gain
            if loss > most:
                most = loss
                hardest = group
    stack[level + GROUP] = hardest
    stack[level + TRIED] = 0
    stack[level + OPTIONS] = list_options(
        stack, level, gains + hardest * choices, choices, enough + stack[bounds + hardest]
    )
    stack[base + PHASE] = OPTION


@inlined
@kernel
def list_options(stack: list[int], level: int, gains: int, choices: int, least: int) -> int:
    """List the choices of a group that gain more than `least`, the largest gain first."""
    options = level + LEVEL_HEADER
    count = 0
    for choice in range(choices):
        gain = stack[gains + choice]
        if gain > max(least, UNKNOWN):
            place = options + 2 * count
            while place > options and stack[place - 2] < gain:
                stack[place] = stack[place - 2]
                stack[place + 1] = stack[place - 1]
                place -= 2
            stack[place] = gain
            stack[place + 1] = choice
            count += 1
    return count


@kernel
def try_option(game: GameTables, store: Store, base: int, row: list[int]) -> None:
    """Begin to evaluate the next option of a level."""
    stack = store.stack
    level = stack[base + LEVEL_AT] + stack[base + LEVEL] * stack[base + LEVEL_WORDS]
    option = level + LEVEL_HEADER + 2 * stack[level + TRIED]
    group = stack[level + GROUP]
    rest = stack[level + REST] - stack[stack[base + BOUND_AT] + group]
    stack[base + PHASE] = BACK
    if stack[level + TRIED] == stack[level + OPTIONS]:
        return
    stack[level + TRIED] += 1
    if stack[level + CURRENT] + stack[option] + rest <= stack[base + BEST]:
        return
    choice = stack[option + 1]
    about = game.choices[row[CHOICE_AT] + choice]
    image = stack[base + IMAGES_AT] + group * row[CELLS] + about[CELL_AT]
    old = stack[base + CLASS_AT] + about[CELL_AT]
    join(game, about, stack, old, image, stack[base + TRIAL_AT])
    list_items(game, store, base, about, stack[base + TRIAL_AT])
    before = stack[stack[base + VALUE_AT] + choice]
    stack[base + LIMIT] = stack[base + BEST] - rest - stack[level + CURRENT] + before
    stack[level + CHOSEN] = choice
    stack[level + BEFORE] = before
    stack[base + PHASE] = VALUE


@kernel
def settle_option(game: GameTables, store: Store, base: int, row: list[int]) -> None:
    """Extend the prescription by an option whose value is known, unless it is too low."""
    stack = store.stack
    stack[base + PHASE] = OPTION
    value = stack[base + TOTAL]
    if value <= stack[base + LIMIT]:
        return
    level = stack[base + LEVEL_AT] + stack[base + LEVEL] * stack[base + LEVEL_WORDS]
    group, choice = stack[level + GROUP], stack[level + CHOSEN]
    about = game.choices[row[CHOICE_AT] + choice]
    saved = level + LEVEL_HEADER + 2 * row[CHOICES]
    for other in range(stack[base + GROUPS]):
        stack[saved + other] = stack[stack[base + GAIN_AT] + other * row[CHOICES] + choice]
    saved += stack[base + GROUPS]
    cells = stack[base + CLASS_AT] + about[CELL_AT]
    for word in range(about[CELL_WORDS]):
        stack[saved + word] = stack[cells + word]
        stack[cells + word] = stack[stack[base + TRIAL_AT] + word]
    stack[stack[base + VALUE_AT] + choice] = value
    stack[stack[base + ASSIGNED_AT] + group] = choice
    below = level + stack[base + LEVEL_WORDS]
    stack[below + REST] = stack[level + REST] - stack[stack[base + BOUND_AT] + group]
    stack[below + CURRENT] = stack[level + CURRENT] - stack[level + BEFORE] + value
    stack[base + LEVEL] += 1
    stack[base + PHASE] = NODE
    bound_gains(game, store, base, row, choice, value, below)


@kernel
def bound_gains(
    game: GameTables, store: Store, base: int, row: list[int], choice: int, value: int, level: int
) -> None:
    """Set upper bounds of what a choice of each group adds to the partial prescription."""
    stack, choices = store.stack, row[CHOICES]
    about = game.choices[row[CHOICE_AT] + choice]
    cells, trial = stack[base + CLASS_AT] + about[CELL_AT], stack[base + TRIAL_AT]
    enough = stack[base + BEST] - stack[level + CURRENT] - stack[level + REST]
    for group in range(stack[base + GROUPS]):
        alone = stack[stack[base + ALONE_AT] + group * choices + choice]
        is_open = alone != UNKNOWN and stack[stack[base + ASSIGNED_AT] + group] == UNKNOWN
        if is_open and alone > enough + stack[stack[base + BOUND_AT] + group]:
            image = stack[base + IMAGES_AT] + group * row[CELLS] + about[CELL_AT]
            join(game, about, stack, cells, image, trial)
            gain = list_items(game, store, base, about, trial) - value
            stack[stack[base + GAIN_AT] + group * choices + choice] = min(alone, gain)


@kernel
def go_back(game: GameTables, store: Store, base: int, belief: list[int], row: list[int]) -> None:
    """Undo the last option, or finish the pass."""
    stack = store.stack
    if stack[base + LEVEL] == 0 or stack[base + BEST] >= belief[UPPER]:
        finish_pass(game, store, base, belief, row)
        return
    stack[base + LEVEL] -= 1
    level = stack[base + LEVEL_AT] + stack[base + LEVEL] * stack[base + LEVEL_WORDS]
    choice = stack[level + CHOSEN]
    about = game.choices[row[CHOICE_AT] + choice]
    saved = level + LEVEL_HEADER + 2 * row[CHOICES]
    for other in range(stack[base + GROUPS]):
        stack[stack[base + GAIN_AT] + other * row[CHOICES] + choice] = stack[saved + other]
    saved += stack[base + GROUPS]
    cells = stack[base + CLASS_AT] + about[CELL_AT]
    for word in range(about[CELL_WORDS]):
        stack[cells + word] = stack[saved + word]
    stack[stack[base + VALUE_AT] + choice] = stack[level + BEFORE]
    stack[stack[base + ASSIGNED_AT] + stack[level + GROUP]] = UNKNOWN
    stack[base + PHASE] = OPTION


@kernel
def finish_pass(
    game: GameTables, store: Store, base: int, belief: list[int], row: list[int]
) -> None:
    """Keep the best prescription, or lower the aim and begin another pass."""
    stack, cursor = store.stack, store.cursor
    belief[UPPER] = stack[base + BEST]
    if stack[base + FOUND]:
        belief[EXACT] = 1
        belief[PLAN] = cursor[PLANS]
        for group in range(stack[base + GROUPS]):
            store.plans[cursor[PLANS] + group] = stack[stack[base + PLAN_AT] + group]
        cursor[PLANS] += stack[base + GROUPS]
        pop(store, base)
    elif belief[UPPER] <= stack[base + THRESHOLD]:
        pop(store, base)
    else:
        if stack[base + GROUPS] <= MANY_GROUPS:
            bound_alone(game, store, base, row)
        stack[base + PHASE] = START
