"""Frames of the stack: the search for the best prescription of one belief, as kernels.

A frame holds, for each group of deals that look alike and each choice, what follows: a **cell** for
each outcome, which is the set of deals that become possible, or a sum of scores if the game ends.
The cells of several groups are combined by union or addition, so that a prescription grows group by
group at little cost.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.solver.optimum.beliefs import (
    BITS,
    CELL,
    CELL_AT,
    CELLS,
    CHOICE_AT,
    CHOICES,
    DEAL_AT,
    DEPTH,
    EXACT,
    FINAL,
    FRAME,
    HIDDEN,
    NEXT,
    OBSERVATIONS,
    OUTCOME_AT,
    OUTCOMES,
    SIZE,
    STACK,
    STATE,
    TURN_AT,
    UPPER,
    WIDEST,
    WORD_BITS,
    WORDS,
    GameTables,
    Store,
    find_belief,
)

__all__ = [
    "ALONE",
    "ALONE_AT",
    "ASSIGNED_AT",
    "BACK",
    "BEFORE",
    "BELIEF",
    "BEST",
    "BOUND_AT",
    "CALLER",
    "CHOSEN",
    "CLASS_AT",
    "CURRENT",
    "FOUND",
    "GAIN_AT",
    "GROUP",
    "GROUPS",
    "HEADER",
    "IMAGES_AT",
    "LEVEL",
    "LEVEL_AT",
    "LEVEL_HEADER",
    "LEVEL_WORDS",
    "LIMIT",
    "NODE",
    "OPTION",
    "OPTIONS",
    "PHASE",
    "PLAN_AT",
    "REST",
    "START",
    "STEP",
    "THRESHOLD",
    "TOTAL",
    "TRIAL_AT",
    "TRIED",
    "TURN",
    "VALUE",
    "VALUE_AT",
    "continue_value",
    "frame_words",
    "join",
    "list_items",
    "push",
]

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
