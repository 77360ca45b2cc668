"""Frames of the stack: the search for the best prescription of one belief, as kernels.

A frame holds, for each group of deals that look alike and each choice, what follows: a **cell** for
each outcome, which is the set of deals that become possible, or a sum of scores if the game ends.
A prescription divides the groups into **classes**: one for each play or discard, and one for each
hint. The cells of a class are combined by union or addition, so that it grows group by group at
little cost. After the deals of a cell comes the number of their belief plus 1 if it was looked up.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.solver.optimum.beliefs import (
    AGE,
    BELIEF_WORDS,
    BELIEFS,
    BITS,
    CARDS,
    CELL,
    CELL_AT,
    CELLS,
    CHOICE_AT,
    CHOICES,
    DEAL_AT,
    DEPTH,
    FINAL,
    FORGOTTEN,
    FRAME,
    HIDDEN,
    HINT_WORDS,
    KNOWN_STATE,
    MESSAGES,
    MOVES,
    NEXT,
    OBSERVATIONS,
    OPEN_AT,
    OUTCOME_AT,
    POOL,
    STACK,
    STATE,
    TRIES,
    TURN_AT,
    UNKNOWN,
    UPPER,
    WIDEST,
    WORD_BITS,
    WORDS,
    GameTables,
    Store,
)

__all__ = [
    "AFTER",
    "ALONE",
    "ALONE_AT",
    "ASSIGNED_AT",
    "ATTEMPT",
    "BACK",
    "BEFORE",
    "BELIEF",
    "BEST",
    "BLOCKS",
    "BLOCK_AT",
    "BLOCK_BELIEF_AT",
    "BLOCK_DEALS_AT",
    "BLOCK_LOSS",
    "BOUND_AT",
    "CHOSEN",
    "CLASSES",
    "CLASS_AT",
    "COUNT_AT",
    "CURRENT",
    "EXTENDS",
    "FLOOR",
    "FOUND",
    "FREE",
    "GAIN_AT",
    "GROUP",
    "GROUPS",
    "HIGH_AT",
    "HOPE",
    "HOPES",
    "IMAGES_AT",
    "ITEM",
    "ITEMS",
    "ITEM_AT",
    "KINDS",
    "KNOWN_AT",
    "LEFT",
    "LEVEL",
    "LEVEL_AT",
    "LEVEL_HEADER",
    "LEVEL_WORDS",
    "LIMIT",
    "LOSS_AT",
    "LOST_AT",
    "LOW_AT",
    "MASK_AT",
    "MATCH_AT",
    "MOST_PAIRS",
    "NODE",
    "NODES",
    "OPTION",
    "OPTIONS",
    "ORDER_AT",
    "PAIRS",
    "PAIR_AT",
    "PART",
    "PART_AT",
    "PART_UPPER",
    "PHASE",
    "PLACE_AT",
    "PLAN_AT",
    "REFINE",
    "REPEATED",
    "REST",
    "SCORE",
    "SHARED",
    "SHARED_AT",
    "SIZE_AT",
    "SPLIT",
    "SPLITS",
    "START",
    "STEP",
    "SUM",
    "THRESHOLD",
    "TOTAL",
    "TRIAL_AT",
    "TRIED",
    "TURN",
    "USED",
    "VALUE",
    "VALUE_AT",
    "forget",
    "frame_words",
    "number_groups",
    "pop",
    "push",
]

(
    CALLER,
    BELIEF,
    THRESHOLD,
    GROUPS,
    PHASE,
    KINDS,
    CLASSES,
    USED,
    HOPES,
    SUM,
    PART,
    PART_UPPER,
    EXTENDS,
    FLOOR,
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
    MASK_AT,
    KNOWN_AT,
    GAIN_AT,
    BOUND_AT,
    ASSIGNED_AT,
    PLAN_AT,
    ORDER_AT,
    PLACE_AT,
    LOSS_AT,
    PART_AT,
    CLASS_AT,
    VALUE_AT,
    SHARED_AT,
    MATCH_AT,
    ITEM_AT,
    TRIAL_AT,
    LEVEL_AT,
    LEVEL_WORDS,
    NODES,
    ATTEMPT,
    PAIRS,
    PAIR_AT,
    LOW_AT,
    HIGH_AT,
    REPEATED,
    SPLITS,
    BLOCKS,
    BLOCK_LOSS,
    BLOCK_AT,
    SIZE_AT,
    COUNT_AT,
    LOST_AT,
    BLOCK_BELIEF_AT,
    BLOCK_DEALS_AT,
) = range(61)
"""A frame: the frame that it returns to, the belief, and the state of the search in it."""
HEADER = 61
HOPE, ALONE, START, REFINE, NODE, OPTION, VALUE, BACK, SPLIT = range(9)
"""The phases of a frame."""
(
    GROUP,
    CHOSEN,
    OPTIONS,
    TRIED,
    REST,
    CURRENT,
    BEFORE,
    SHARED,
    LEFT,
    FREE,
    LEVEL_HEADER,
) = range(11)
"""A level of a frame: the group that it assigns, its options and the state before."""


MOST_PAIRS = 64
"""Pairs of groups that must not be exchanged (`symmetry`)."""
MOST_TRIES = 13
"""After this many searches, a belief is solved completely."""

# --- frames ---------------------------------------------------------------------------------------


@kernel
def count_classes(row: list[int], groups: int) -> int:
    """Return how many classes a prescription may have."""
    return row[MOVES] + min(row[MESSAGES], groups)


@kernel
def frame_words(row: list[int], groups: int) -> int:
    """Return the size of the frame of a belief with this many groups."""
    classes, widest = count_classes(row, groups), row[WIDEST]
    level = LEVEL_HEADER + 2 * classes + groups + widest
    parts = groups * (row[CELLS] + 2 * (row[MOVES] + 1) + classes + 11)
    parts += 2 + 2 * MOST_PAIRS + row[CELLS] + classes * (row[HINT_WORDS] + 2)
    parts += 6 * row[CARDS] + row[WORDS]
    return HEADER + parts + 3 * widest + 2 * (WORD_BITS + classes) + (groups + 1) * level


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
    stack[base + THRESHOLD] = min(threshold, aim(belief))
    stack[base + GROUPS] = groups
    stack[base + PHASE] = ALONE if belief[TRIES] else HOPE
    belief[TRIES] += 1
    stack[base + HOPES] = 0
    stack[base + ATTEMPT] = 0
    stack[base + SPLITS] = 0
    stack[base + BLOCKS] = 0
    stack[base + BLOCK_LOSS] = 0
    stack[base + ITEMS] = 0
    stack[base + TURN] = UNKNOWN
    stack[base + AFTER] = max(belief[HIDDEN] - 1, 0)
    lay_out(stack, base, row, groups)
    fill_images(game, store, base, belief, row)


@inlined
@kernel
def aim(belief: list[int]) -> int:
    """Return a threshold that keeps a belief from being searched again and again.

    Each time, the search goes twice as far below the upper bound as the time before, even if its
    caller asks for less.
    """
    upper, tries = belief[UPPER], min(belief[TRIES], MOST_TRIES)
    return upper - 1 - (upper << tries) // (1 << MOST_TRIES)


@inlined
@kernel
def lay_out(stack: list[int], base: int, row: list[int], groups: int) -> None:
    """Set where the arrays of a frame begin."""
    kinds, widest = row[MOVES] + int(row[MESSAGES] > 0), row[WIDEST]
    classes = count_classes(row, groups)
    stack[base + KINDS] = kinds
    stack[base + CLASSES] = classes
    stack[base + IMAGES_AT] = base + HEADER
    stack[base + ALONE_AT] = stack[base + IMAGES_AT] + groups * row[CELLS]
    stack[base + MASK_AT] = stack[base + ALONE_AT] + groups * kinds
    stack[base + KNOWN_AT] = stack[base + MASK_AT] + groups
    stack[base + GAIN_AT] = stack[base + KNOWN_AT] + groups * kinds
    stack[base + BOUND_AT] = stack[base + GAIN_AT] + groups * classes
    stack[base + ASSIGNED_AT] = stack[base + BOUND_AT] + groups
    stack[base + PLAN_AT] = stack[base + ASSIGNED_AT] + groups
    stack[base + ORDER_AT] = stack[base + PLAN_AT] + groups
    stack[base + PLACE_AT] = stack[base + ORDER_AT] + groups
    stack[base + LOSS_AT] = stack[base + PLACE_AT] + groups
    stack[base + PART_AT] = stack[base + LOSS_AT] + groups + 1
    stack[base + CLASS_AT] = stack[base + PART_AT] + groups + 1
    stack[base + VALUE_AT] = stack[base + CLASS_AT] + row[CELLS] + classes * row[HINT_WORDS]
    stack[base + SHARED_AT] = stack[base + VALUE_AT] + classes
    stack[base + MATCH_AT] = stack[base + SHARED_AT] + classes
    stack[base + TRIAL_AT] = stack[base + MATCH_AT] + 2 * (WORD_BITS + classes)
    stack[base + ITEM_AT] = stack[base + TRIAL_AT] + widest
    stack[base + PAIR_AT] = stack[base + ITEM_AT] + 2 * max(widest, row[CARDS])
    stack[base + LOW_AT] = stack[base + PAIR_AT] + 2 * MOST_PAIRS
    stack[base + HIGH_AT] = stack[base + LOW_AT] + groups
    stack[base + BLOCK_AT] = stack[base + HIGH_AT] + groups
    stack[base + SIZE_AT] = stack[base + BLOCK_AT] + groups
    stack[base + COUNT_AT] = stack[base + SIZE_AT] + row[CARDS]
    stack[base + LOST_AT] = stack[base + COUNT_AT] + row[CARDS]
    stack[base + BLOCK_BELIEF_AT] = stack[base + LOST_AT] + row[CARDS]
    stack[base + BLOCK_DEALS_AT] = stack[base + BLOCK_BELIEF_AT] + row[CARDS]
    stack[base + LEVEL_AT] = stack[base + BLOCK_DEALS_AT] + row[WORDS]
    stack[base + LEVEL_WORDS] = LEVEL_HEADER + 2 * classes + groups + widest


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
    """Set the cells, messages and open values of each group."""
    stack = store.stack
    for place in range(stack[base + IMAGES_AT], stack[base + GAIN_AT]):
        stack[place] = 0
    for word in range(row[WORDS]):
        bits = store.pool[belief[BITS] + word]
        while bits:
            deal = word * WORD_BITS + lowest(bits)
            bits &= bits - 1
            group = store.groups[game.observation[row[DEAL_AT] + deal]]
            for choice in range(row[MOVES]):
                add_deal(game, store, base, row, deal, group, choice, choice)
            if row[MESSAGES]:
                add_hints(game, store, base, row, deal, group)


@inlined
@kernel
def add_deal(
    game: GameTables,
    store: Store,
    base: int,
    row: list[int],
    deal: int,
    group: int,
    choice: int,
    kind: int,
) -> None:
    """Add what follows a choice in a deal to the cells of a group."""
    stack, turn = store.stack, row[TURN_AT] + deal * row[CHOICES] + choice
    alone = stack[base + ALONE_AT] + group * stack[base + KINDS] + kind
    if game.outcome[turn] < 0:
        stack[alone] = UNKNOWN
        return
    stack[alone] += game.open_value[row[OPEN_AT] + deal * row[CHOICES] + choice]
    about = game.choices[row[CHOICE_AT] + choice]
    outcome = game.outcomes[about[OUTCOME_AT] + game.outcome[turn]]
    cell = stack[base + IMAGES_AT] + group * row[CELLS]
    if kind < row[MOVES]:
        cell += about[CELL_AT] + outcome[CELL]
    else:
        cell += row[CELLS] - row[HINT_WORDS]
    if outcome[NEXT] < 0:
        stack[cell] += outcome[FINAL] * game.weight[row[DEAL_AT] + deal]
    else:
        add_range(stack, cell, game.firsts[turn], game.counts[turn])


@kernel
def add_hints(
    game: GameTables, store: Store, base: int, row: list[int], deal: int, group: int
) -> None:
    """Set the messages that are legal in a group, and add what follows any of them."""
    first = game.choices[row[CHOICE_AT] + row[MOVES]][OUTCOME_AT]
    mask, legal = 0, UNKNOWN
    for choice in range(row[MOVES], row[CHOICES]):
        outcome = game.outcome[row[TURN_AT] + deal * row[CHOICES] + choice]
        if outcome >= 0:
            mask |= 1 << game.choices[row[CHOICE_AT] + choice][OUTCOME_AT] - first + outcome
            legal = choice
    store.stack[store.stack[base + MASK_AT] + group] = mask
    choice = max(legal, row[MOVES])
    add_deal(game, store, base, row, deal, group, choice, row[MOVES])


@inlined
@kernel
def add_range(stack: list[int], cell: int, first: int, count: int) -> None:
    """Add deals in order to a set."""
    for deal in range(first, first + count):
        stack[cell + deal // WORD_BITS] |= 1 << deal % WORD_BITS


@inlined
@kernel
def pop(store: Store, base: int) -> None:
    """Return to the caller's frame."""
    store.cursor[STACK] = base
    store.cursor[FRAME] = store.stack[base + CALLER]
    store.cursor[DEPTH] -= 1


# --- less memory ----------------------------------------------------------------------------------


@kernel
def forget(game: GameTables, store: Store) -> int:
    """Forget the beliefs that were never searched; return how many are left.

    The first one and those that a frame names are kept. The hash table is empty afterwards. For a
    moment, it holds the new numbers of the beliefs.
    """
    cursor, slots = store.cursor, store.slots
    for place in range(len(slots)):
        slots[place] = 0
    for number in range(cursor[BELIEFS]):
        slots[number] = int(number == 0 or store.beliefs[number][TRIES] > 0)
    visit_beliefs_in_use(store, False)
    kept = used = 0
    for number in range(cursor[BELIEFS]):
        if slots[number]:
            belief, moved = store.beliefs[number], store.beliefs[kept]
            for field in range(BELIEF_WORDS):
                moved[field] = belief[field]
            for word in range(game.states[moved[STATE]][WORDS]):
                store.pool[used + word] = store.pool[moved[BITS] + word]
            moved[BITS] = used
            used += game.states[moved[STATE]][WORDS]
            kept += 1
            slots[number] = kept
    visit_beliefs_in_use(store, True)
    cursor[FORGOTTEN] += cursor[BELIEFS] - kept
    cursor[AGE] += 1
    cursor[BELIEFS] = kept
    cursor[POOL] = used
    for place in range(len(slots)):
        slots[place] = 0
    for place in range(len(store.recent)):
        store.recent[place][KNOWN_STATE] = 0
    return kept


@kernel
def visit_beliefs_in_use(store: Store, are_moved: bool) -> None:
    """Mark the beliefs that frames name, or give them their new numbers."""
    stack, base = store.stack, store.cursor[FRAME]
    for _ in range(store.cursor[DEPTH]):
        visit_belief(store, base + BELIEF, are_moved)
        for item in range(stack[base + ITEMS]):
            visit_belief(store, stack[base + ITEM_AT] + 2 * item, are_moved)
        if stack[base + PHASE] == SPLIT and stack[base + TURN] != UNKNOWN:
            for place in range(stack[base + BLOCK_BELIEF_AT], stack[base + BLOCK_DEALS_AT]):
                visit_belief(store, place, are_moved)
        base = stack[base + CALLER]


@inlined
@kernel
def visit_belief(store: Store, place: int, is_moved: bool) -> None:
    """Mark the belief at a place of the stack, or give it its new number."""
    number = store.stack[place]
    if number != UNKNOWN:
        if is_moved:
            store.stack[place] = store.slots[number] - 1
        else:
            store.slots[number] = 1
