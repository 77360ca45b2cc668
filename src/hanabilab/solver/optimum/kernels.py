"""The search for values of beliefs, as kernels with an explicit stack.

`hanabilab.solver.optimum.search` explains the algorithm. A frame of the stack searches for the
value of a belief, and calls for the values of the beliefs that follow. The search stops after some
steps and is resumed, for progress, for Ctrl-C and for larger arrays.
"""

from __future__ import annotations

from hanabilab.core.kernel import inlined, kernel
from hanabilab.solver.optimum.beliefs import (
    BELIEFS,
    CELL_AT,
    CELLS,
    DEPTH,
    FRAME,
    MOVES,
    PLANS,
    POOL,
    SLOTS,
    STACK,
    STATE,
    STEPS,
    UNKNOWN,
    UPPER,
    GameTables,
    Store,
)
from hanabilab.solver.optimum.blocks import count_blocks, lost_in_blocks, split
from hanabilab.solver.optimum.bounds import (
    hope,
    judge_alone,
    refine,
)
from hanabilab.solver.optimum.classes import (
    about_class,
    class_cells,
    continue_value,
    join,
    list_items,
    list_joined,
)
from hanabilab.solver.optimum.frames import (
    ALONE,
    ALONE_AT,
    ATTEMPT,
    BELIEF,
    BEST,
    BLOCK_AT,
    BLOCKS,
    BOUND_AT,
    CLASSES,
    CURRENT,
    EXTENDS,
    FLOOR,
    FOUND,
    FREE,
    GAIN_AT,
    GROUP,
    GROUPS,
    HOPE,
    IMAGES_AT,
    KINDS,
    LEFT,
    LEVEL,
    LEVEL_AT,
    LEVEL_WORDS,
    LOSS_AT,
    NODE,
    NODES,
    OPTION,
    OPTIONS,
    ORDER_AT,
    PART,
    PART_AT,
    PART_UPPER,
    PHASE,
    PLACE_AT,
    PLAN_AT,
    REFINE,
    REST,
    SPLIT,
    SPLITS,
    START,
    STEP,
    SUM,
    THRESHOLD,
    TRIAL_AT,
    TRIED,
    TURN,
    USED,
    VALUE,
    VALUE_AT,
    pop,
    push,
)
from hanabilab.solver.optimum.prescriptions import (
    add_to_class,
    begin_levels,
    go_back,
    keep_plan,
    list_options,
    open_node,
    settle_option,
    try_option,
)
from hanabilab.solver.optimum.symmetry import find_pairs

__all__ = ["DONE", "FULL", "PAUSED", "advance", "begin"]

FIRST_STEP = 100
"""A pass first asks whether the value is within this part of its upper bound."""

FIRST_NODES = 10
"""With more nodes than this for each group, the tree of a belief is left, and groups get another
order. Trees are small with a good order and enormous with a bad one; each attempt may take twice as
many nodes."""
ASCENDING, HARDEST, BLOCKWISE, ORDERS = range(4)
"""The orders of groups, attempt by attempt: by value, always the hardest group next, and block by
block with falling values."""

DONE, PAUSED, FULL = range(3)
"""Why a search returns: finished, out of budget, or in need of larger arrays."""


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
        if phase == HOPE:
            hope(game, store, base, belief, row)
        elif phase == ALONE:
            if judge_alone(game, store, base, belief, row):
                arrange(game, store, base, belief, row)
        elif phase == START:
            start_pass(game, store, base, belief, row)
        elif phase == REFINE:
            refine(game, store, base, row)
        elif phase == NODE:
            if has_patience(stack, base):
                open_node(store, base, row)
            elif stack[base + SPLITS] < row[SLOTS]:
                stack[base + TURN] = UNKNOWN
                stack[base + PHASE] = SPLIT
            else:
                arrange(game, store, base, belief, row)
        elif phase == SPLIT:
            if split(game, store, base, belief, row):
                arrange(game, store, base, belief, row)
        elif phase == OPTION:
            try_option(game, store, base, row)
        elif phase == VALUE:
            if continue_value(game, store, base):
                settle_option(game, store, base, row)
        elif go_back(game, store, base, row):
            finish_pass(game, store, base, belief, row)
    return DONE


@inlined
@kernel
def has_patience(stack: list[int], base: int) -> bool:
    """Count a node of the tree; return whether this attempt may take more."""
    stack[base + NODES] += 1
    if stack[base + NODES] <= FIRST_NODES * stack[base + GROUPS] << stack[base + ATTEMPT]:
        return True
    stack[base + ATTEMPT] += 1
    return False


@kernel
def arrange(game: GameTables, store: Store, base: int, belief: list[int], row: list[int]) -> None:
    """Order the groups, and begin with the first of them."""
    stack, groups = store.stack, store.stack[base + GROUPS]
    order = stack[base + ORDER_AT]
    for group in range(groups):
        place = order + group
        while place > order and comes_before(stack, base, group, stack[place - 1]):
            stack[place] = stack[place - 1]
            place -= 1
        stack[place] = group
    for place in range(groups):
        stack[stack[base + PLACE_AT] + stack[order + place]] = place
        stack[stack[base + PLAN_AT] + place] = UNKNOWN
    find_pairs(game, store, base, belief, row)
    stack[stack[base + PART_AT]] = 0
    stack[stack[base + LOSS_AT]] = 0
    stack[base + PART] = 0
    stack[base + NODES] = 0
    add_group(store, base)


@inlined
@kernel
def comes_before(stack: list[int], base: int, group: int, other: int) -> bool:
    """Return whether a group comes before another one in the order of this attempt."""
    bounds, blocks = stack[base + BOUND_AT], stack[base + BLOCK_AT]
    if stack[base + ATTEMPT] % ORDERS != BLOCKWISE:
        return stack[bounds + group] < stack[bounds + other]
    if stack[base + BLOCKS] and stack[blocks + group] != stack[blocks + other]:
        return stack[blocks + group] < stack[blocks + other]
    return stack[bounds + group] > stack[bounds + other]


@kernel
def add_group(store: Store, base: int) -> None:
    """Add the next group to those whose best prescription is known."""
    stack, part = store.stack, store.stack[base + PART]
    group = stack[stack[base + ORDER_AT] + part]
    upper = stack[stack[base + PART_AT] + part] + stack[stack[base + BOUND_AT] + group]
    stack[base + PART] = part + 1
    stack[base + PART_UPPER] = upper
    stack[base + STEP] = 0
    stack[base + EXTENDS] = 1
    stack[base + PHASE] = START


@kernel
def start_pass(
    game: GameTables, store: Store, base: int, belief: list[int], row: list[int]
) -> None:
    """Begin a pass through the prescriptions, which looks for values close to the bound.

    If even the first groups are worth too little, so is the belief.
    """
    stack, part = store.stack, store.stack[base + PART]
    total = set_losses(stack, base, part)
    rest = stack[base + SUM] - total
    count_blocks(stack, base, part, stack[base + GROUPS], False)
    rest -= lost_in_blocks(stack, base)
    stack[base + PART_UPPER] = min(stack[base + PART_UPPER], bound_of_first(stack, base, part))
    least = stack[base + THRESHOLD] - rest
    upper = stack[base + PART_UPPER]
    if part == stack[base + GROUPS]:
        upper = min(upper, belief[UPPER])
        stack[base + PART_UPPER] = upper
    if upper <= least:
        belief[UPPER] = min(belief[UPPER], upper + rest)
        pop(store, base)
        return
    stack[base + FOUND] = 0
    if stack[base + EXTENDS]:
        extend(game, store, base, row)
        return
    step = stack[base + STEP]
    stack[base + STEP] = 2 * step if step else 1 + upper // FIRST_STEP
    stack[base + BEST] = max(least, upper - stack[base + STEP])
    level = stack[base + LEVEL_AT]
    stack[level + REST] = total
    stack[level + CURRENT] = 0
    stack[level + FREE] = part
    stack[base + TURN] = UNKNOWN
    stack[base + PHASE] = REFINE


@inlined
@kernel
def bound_of_first(stack: list[int], base: int, part: int) -> int:
    """Return a bound of the first groups: each one judged alone, or with its block."""
    count_blocks(stack, base, 0, part, False)
    bound = -lost_in_blocks(stack, base)
    for place in range(part):
        bound += stack[stack[base + BOUND_AT] + stack[stack[base + ORDER_AT] + place]]
    return bound


@inlined
@kernel
def set_losses(stack: list[int], base: int, part: int) -> int:
    """Set what is lost at least in the first groups; return the sum of their bounds."""
    losses, values = stack[base + LOSS_AT], stack[base + PART_AT]
    total = 0
    for place in range(part):
        if place:
            loss = total - stack[values + place]
            stack[losses + place] = max(stack[losses + place - 1], loss)
        total += stack[stack[base + BOUND_AT] + stack[stack[base + ORDER_AT] + place]]
    return total


@kernel
def extend(game: GameTables, store: Store, base: int, row: list[int]) -> None:
    """Try to add the last group to the best prescription of the others."""
    stack, part, classes = store.stack, store.stack[base + PART], store.stack[base + CLASSES]
    if part == 1 or stack[base + LEVEL] != part - 1:
        rebuild(game, store, base, row)
    if stack[base + ATTEMPT] % ORDERS == HARDEST:
        choose_hardest(game, store, base, row)
    group = stack[stack[base + ORDER_AT] + part - 1]
    stack[base + LEVEL] = part - 1
    stack[base + FLOOR] = part - 1
    stack[base + BEST] = stack[base + PART_UPPER] - 1
    level = stack[base + LEVEL_AT] + (part - 1) * stack[base + LEVEL_WORDS]
    stack[level + REST] = stack[stack[base + BOUND_AT] + group]
    stack[level + CURRENT] = stack[stack[base + PART_AT] + part - 1]
    stack[level + FREE] = 0
    stack[level + LEFT] = 0
    stack[level + GROUP] = group
    stack[level + TRIED] = 0
    least = stack[base + BEST] - stack[level + CURRENT]
    gains = stack[base + GAIN_AT] + group * classes
    last = min(row[MOVES] + stack[base + USED] + 1, classes)
    for number in range(last):
        gain = stack[stack[base + ALONE_AT] + group * stack[base + KINDS] + min(number, row[MOVES])]
        if gain > least:
            total = list_joined(game, store, base, row, number, group)
            gain = min(gain, total - stack[stack[base + VALUE_AT] + number])
        stack[gains + number] = gain
    stack[level + OPTIONS] = list_options(stack, level, gains, 0, last, least, UNKNOWN, 0)
    stack[base + PHASE] = OPTION


@kernel
def choose_hardest(game: GameTables, store: Store, base: int, row: list[int]) -> None:
    """Continue with the group that loses most if it is added to the best prescription."""
    stack, part, kinds = store.stack, store.stack[base + PART], store.stack[base + KINDS]
    last = min(row[MOVES] + stack[base + USED] + 1, stack[base + CLASSES])
    order, most, hardest = stack[base + ORDER_AT], UNKNOWN, part - 1
    for place in range(part - 1, stack[base + GROUPS]):
        group, best = stack[order + place], UNKNOWN
        bound = stack[stack[base + BOUND_AT] + group]
        for number in range(last):
            gain = stack[stack[base + ALONE_AT] + group * kinds + min(number, row[MOVES])]
            if gain > best:
                total = list_joined(game, store, base, row, number, group)
                best = max(best, min(gain, total - stack[stack[base + VALUE_AT] + number]))
        if bound - best > most:
            most, hardest = bound - best, place
    group = stack[order + hardest]
    stack[order + hardest] = stack[order + part - 1]
    stack[order + part - 1] = group
    for place in range(part - 1, stack[base + GROUPS]):
        stack[stack[base + PLACE_AT] + stack[order + place]] = place
    bound = stack[stack[base + BOUND_AT] + group]
    bound += stack[stack[base + PART_AT] + part - 1]
    stack[base + PART_UPPER] = min(bound, bound_of_first(stack, base, part))


@kernel
def rebuild(game: GameTables, store: Store, base: int, row: list[int]) -> None:
    """Assign the groups solved so far as in their best prescription."""
    stack, part = store.stack, store.stack[base + PART]
    begin_levels(store, base, row)
    for place in range(part - 1):
        group = stack[stack[base + ORDER_AT] + place]
        number = stack[stack[base + PLAN_AT] + group]
        about = game.choices[about_class(row, number)]
        cells = class_cells(stack, base, row, about, number)
        image = stack[base + IMAGES_AT] + group * row[CELLS] + about[CELL_AT]
        join(game, about, stack, cells, image, stack[base + TRIAL_AT])
        add_to_class(game, store, base, row, number, group, 0)
    for number in range(row[MOVES] + stack[base + USED]):
        about = game.choices[about_class(row, number)]
        cells = class_cells(stack, base, row, about, number)
        stack[stack[base + VALUE_AT] + number] = list_items(game, store, base, about, cells)


@kernel
def finish_pass(
    game: GameTables, store: Store, base: int, belief: list[int], row: list[int]
) -> None:
    """Keep the best prescription, or lower the aim and begin another pass."""
    stack, part, groups = store.stack, store.stack[base + PART], store.stack[base + GROUPS]
    if stack[base + EXTENDS]:
        stack[base + EXTENDS] = 0
        if not stack[base + FOUND]:
            stack[base + PHASE] = START
            return
    stack[base + PART_UPPER] = stack[base + BEST]
    if not stack[base + FOUND]:
        if part == groups:
            belief[UPPER] = min(belief[UPPER], stack[base + BEST])
        stack[base + PHASE] = START
        return
    stack[stack[base + PART_AT] + part] = stack[base + BEST]
    if part < groups:
        add_group(store, base)
        return
    keep_plan(game, store, base, belief, row)
