"""The tree of prescriptions of a belief, as kernels.

It assigns one group after the other to a class. A branch is dropped as soon as it cannot beat the
best prescription found or the aim. What the remaining groups can add is bounded in two ways. One of
them at a time is judged with the class that it would join. Of the others it is known what they lose
among themselves, as long as they contain the first groups of the order, whose value is known.
"""

from __future__ import annotations

from hanabilab.core.kernel import inlined, kernel
from hanabilab.solver.optimum.beliefs import (
    CELL_WORDS,
    CHOICE_AT,
    EXACT,
    MOVES,
    OUTCOMES,
    PLAN,
    PLANS,
    UNKNOWN,
    UPPER,
    WORD_BITS,
    GameTables,
    Store,
)
from hanabilab.solver.optimum.blocks import count_blocks, lost_in_blocks, lost_with
from hanabilab.solver.optimum.classes import (
    about_class,
    can_join,
    class_cells,
    list_items,
    list_joined,
    match_messages,
)
from hanabilab.solver.optimum.frames import (
    ALONE_AT,
    ASSIGNED_AT,
    BACK,
    BEFORE,
    BEST,
    BOUND_AT,
    CHOSEN,
    CLASS_AT,
    CLASSES,
    CURRENT,
    FLOOR,
    FOUND,
    FREE,
    GAIN_AT,
    GROUP,
    GROUPS,
    HIGH_AT,
    KINDS,
    LEFT,
    LEVEL,
    LEVEL_AT,
    LEVEL_HEADER,
    LEVEL_WORDS,
    LIMIT,
    LOSS_AT,
    LOW_AT,
    MASK_AT,
    MATCH_AT,
    NODE,
    NODES,
    OPTION,
    OPTIONS,
    ORDER_AT,
    PART,
    PART_UPPER,
    PHASE,
    PLACE_AT,
    PLAN_AT,
    REPEATED,
    REST,
    SHARED,
    SHARED_AT,
    TOTAL,
    TRIAL_AT,
    TRIED,
    USED,
    VALUE,
    VALUE_AT,
    pop,
)
from hanabilab.solver.optimum.symmetry import limit_groups

__all__ = [
    "add_to_class",
    "begin_levels",
    "go_back",
    "keep_plan",
    "list_options",
    "open_node",
    "settle_option",
    "try_option",
]

FORCED = 1 << 60
"""The weight of a group with one option left, which is assigned before all others."""


@kernel
def begin_levels(store: Store, base: int, row: list[int]) -> None:
    """Begin with no group assigned."""
    stack, kinds, classes = store.stack, store.stack[base + KINDS], store.stack[base + CLASSES]
    for group in range(stack[base + GROUPS]):
        alone = stack[base + ALONE_AT] + group * kinds
        gains = stack[base + GAIN_AT] + group * classes
        for number in range(classes):
            stack[gains + number] = stack[alone + min(number, row[MOVES])]
        stack[stack[base + ASSIGNED_AT] + group] = UNKNOWN
    for place in range(stack[base + CLASS_AT], stack[base + SHARED_AT]):
        stack[place] = 0
    stack[base + USED] = 0
    stack[base + LEVEL] = 0
    stack[base + FLOOR] = 0
    stack[base + PHASE] = NODE


@kernel
def add_to_class(
    game: GameTables, store: Store, base: int, row: list[int], number: int, group: int, value: int
) -> None:
    """Add a group to a class whose new cells have been joined."""
    stack, about = store.stack, game.choices[about_class(row, number)]
    cells = class_cells(stack, base, row, about, number)
    for word in range(about[CELL_WORDS]):
        stack[cells + word] = stack[stack[base + TRIAL_AT] + word]
    stack[stack[base + VALUE_AT] + number] = value
    stack[stack[base + ASSIGNED_AT] + group] = number
    hints = number - row[MOVES]
    if hints >= 0:
        shared, mask = stack[base + SHARED_AT] + hints, stack[stack[base + MASK_AT] + group]
        if hints < stack[base + USED]:
            mask &= stack[shared]
        else:
            while stack[base + USED] <= hints:
                stack[stack[base + SHARED_AT] + stack[base + USED]] = UNKNOWN
                stack[base + USED] += 1
        stack[shared] = mask


@kernel
def open_node(store: Store, base: int, row: list[int]) -> None:
    """Choose the next group to assign, or keep the prescription if it is complete."""
    stack, classes = store.stack, store.stack[base + CLASSES]
    level = stack[base + LEVEL_AT] + stack[base + LEVEL] * stack[base + LEVEL_WORDS]
    stack[base + PHASE] = BACK
    if stack[base + LEVEL] == stack[base + PART]:
        keep_best(stack, base, stack[level + CURRENT])
        return
    group, loss = next_group(stack, base, row)
    if group == UNKNOWN:
        return
    last = min(row[MOVES] + stack[base + USED] + 1, classes)
    enough = stack[base + BEST] - stack[level + CURRENT] - stack[level + REST]
    bound = stack[stack[base + BOUND_AT] + group]
    stack[level + GROUP] = group
    stack[level + TRIED] = 0
    stack[level + LEFT] = stack[level + REST] - bound - loss
    stack[level + OPTIONS] = list_options(
        stack,
        level,
        stack[base + GAIN_AT] + group * classes,
        stack[stack[base + LOW_AT] + group],
        min(last, stack[stack[base + HIGH_AT] + group]),
        enough + bound + loss,
        preferred_class(stack, base, row, group),
        stack[base + REPEATED] if group == 0 else 0,
    )
    stack[base + PHASE] = OPTION


@inlined
@kernel
def keep_best(stack: list[int], base: int, value: int) -> None:
    """Note a complete prescription if it is the best one so far."""
    if value > stack[base + BEST]:
        stack[base + BEST] = value
        stack[base + FOUND] = 1
        for place in range(stack[base + PART]):
            group = stack[stack[base + ORDER_AT] + place]
            stack[stack[base + PLAN_AT] + group] = stack[stack[base + ASSIGNED_AT] + group]


@inlined
@kernel
def next_group(stack: list[int], base: int, row: list[int]) -> tuple[int, int]:
    """Return the next group to assign, with its loss; UNKNOWN if some group has no option."""
    level = stack[base + LEVEL_AT] + stack[base + LEVEL] * stack[base + LEVEL_WORDS]
    last = min(row[MOVES] + stack[base + USED] + 1, stack[base + CLASSES])
    limit_groups(stack, base, row)
    enough = stack[base + BEST] - stack[level + CURRENT] - stack[level + REST]
    return hardest_group(stack, base, stack[level + FREE], enough, last)


@inlined
@kernel
def hardest_group(
    stack: list[int], base: int, free: int, enough: int, last: int
) -> tuple[int, int]:
    """Return the next group to assign, with its loss; UNKNOWN if some group has no option.

    It is one with a single option, or else the one that makes the bound lowest. Of several such
    groups, it is the one that loses most outside its best class.
    """
    gains, bounds, losses = stack[base + GAIN_AT], stack[base + BOUND_AT], stack[base + LOSS_AT]
    lows, highs = stack[base + LOW_AT], stack[base + HIGH_AT]
    count_blocks(stack, base, 0, stack[base + PART], True)
    blocks = lost_in_blocks(stack, base)
    most, widest, hardest, lost = UNKNOWN, UNKNOWN, UNKNOWN, 0
    for place in range(stack[base + PART]):
        group = stack[stack[base + ORDER_AT] + place]
        if stack[stack[base + ASSIGNED_AT] + group] == UNKNOWN:
            bound, loss = stack[bounds + group], stack[losses + min(place, free)]
            loss = max(loss, blocks - lost_with(stack, base, group))
            gain, second, options = UNKNOWN, UNKNOWN, 0
            repeated = stack[base + REPEATED] if group == 0 else 0
            for number in range(stack[lows + group], min(last, stack[highs + group])):
                each = stack[gains + group * stack[base + CLASSES] + number]
                second = max(second, min(gain, each))
                gain = max(gain, each)
                fits = int(each > max(enough + bound + loss, UNKNOWN))
                options += fits & ~(repeated >> min(number, WORD_BITS))
            if options == 0:
                return UNKNOWN, 0
            score = bound - gain + loss + FORCED * int(options == 1)
            if score > most or (score == most and gain - second > widest):
                most, widest, hardest, lost = score, gain - second, group, loss
    return hardest, lost


@inlined
@kernel
def preferred_class(stack: list[int], base: int, row: list[int], group: int) -> int:
    """Return the class of groups that are with this one in the best prescription found so far."""
    plan = stack[stack[base + PLAN_AT] + group]
    if plan < row[MOVES]:
        return plan
    for other in range(stack[base + GROUPS]):
        number = stack[stack[base + ASSIGNED_AT] + other]
        if number >= row[MOVES] and stack[stack[base + PLAN_AT] + other] == plan:
            return number
    return row[MOVES] + stack[base + USED]


@inlined
@kernel
def list_options(
    stack: list[int],
    level: int,
    gains: int,
    start: int,
    stop: int,
    least: int,
    first: int,
    repeated: int,
) -> int:
    """List the classes in which a group gains more than `least`, the largest gain first."""
    options = level + LEVEL_HEADER
    count = 0
    for number in range(start, stop):
        gain = stack[gains + number]
        if gain > max(least, UNKNOWN) and not repeated >> min(number, WORD_BITS) & 1:
            place = options + 2 * count
            while place > options and (
                number == first or (stack[place - 2] < gain and stack[place - 1] != first)
            ):
                stack[place] = stack[place - 2]
                stack[place + 1] = stack[place - 1]
                place -= 2
            stack[place] = gain
            stack[place + 1] = number
            count += 1
    return count


@kernel
def try_option(game: GameTables, store: Store, base: int, row: list[int]) -> None:
    """Extend the prescription by the next option of a level, unless that is too little.

    It counts with its known bound at first. Only if that leaves enough for the groups that are not
    assigned yet, the option is evaluated.
    """
    stack = store.stack
    level = stack[base + LEVEL_AT] + stack[base + LEVEL] * stack[base + LEVEL_WORDS]
    option = level + LEVEL_HEADER + 2 * stack[level + TRIED]
    group, number = stack[level + GROUP], stack[option + 1]
    if stack[level + TRIED] == stack[level + OPTIONS]:
        stack[base + PHASE] = BACK
        return
    stack[level + TRIED] += 1
    rest = stack[level + CURRENT] + stack[level + LEFT]
    if rest + stack[option] <= stack[base + BEST] or not can_join(store, base, row, number, group):
        return
    total = list_joined(game, store, base, row, number, group)
    before = stack[stack[base + VALUE_AT] + number]
    stack[base + LIMIT] = stack[base + BEST] - rest + before
    if total <= stack[base + LIMIT]:
        return
    stack[level + CHOSEN] = number
    stack[level + BEFORE] = before
    save_class(game, store, base, row, level)
    add_to_class(game, store, base, row, number, group, total)
    below = level + stack[base + LEVEL_WORDS]
    stack[below + REST] = stack[level + REST] - stack[stack[base + BOUND_AT] + group]
    stack[below + FREE] = min(stack[level + FREE], stack[stack[base + PLACE_AT] + group])
    stack[below + CURRENT] = stack[level + CURRENT] - before + total
    stack[base + LEVEL] += 1
    bound_gains(game, store, base, row, number, below)
    if stack[base + LEVEL] < stack[base + PART] and next_group(stack, base, row)[0] == UNKNOWN:
        stack[base + NODES] += 1  # or some trees are left too late
        stack[base + PHASE] = BACK
        return
    about = game.choices[about_class(row, number)]
    list_items(game, store, base, about, class_cells(stack, base, row, about, number))
    stack[base + PHASE] = VALUE


@inlined
@kernel
def save_class(game: GameTables, store: Store, base: int, row: list[int], level: int) -> None:
    """Save the cells, gains and messages of the class that grows at a level."""
    stack, classes, number = store.stack, store.stack[base + CLASSES], store.stack[level + CHOSEN]
    about = game.choices[about_class(row, number)]
    saved = level + LEVEL_HEADER + 2 * classes
    for other in range(stack[base + GROUPS]):
        stack[saved + other] = stack[stack[base + GAIN_AT] + other * classes + number]
    saved += stack[base + GROUPS]
    cells = class_cells(stack, base, row, about, number)
    for word in range(about[CELL_WORDS]):
        stack[saved + word] = stack[cells + word]
    hints = number - row[MOVES]
    stack[level + SHARED] = 0
    if 0 <= hints < stack[base + USED]:
        stack[level + SHARED] = stack[stack[base + SHARED_AT] + hints]


@kernel
def settle_option(game: GameTables, store: Store, base: int, row: list[int]) -> None:
    """Continue with an option whose value is known, unless it is too low."""
    stack = store.stack
    below = stack[base + LEVEL_AT] + stack[base + LEVEL] * stack[base + LEVEL_WORDS]
    number = stack[below - stack[base + LEVEL_WORDS] + CHOSEN]
    value, bound = stack[base + TOTAL], stack[stack[base + VALUE_AT] + number]
    if value <= stack[base + LIMIT]:
        stack[base + PHASE] = BACK
        return
    stack[base + PHASE] = NODE
    if value < bound:
        stack[stack[base + VALUE_AT] + number] = value
        stack[below + CURRENT] -= bound - value
        bound_gains(game, store, base, row, number, below)


@kernel
def bound_gains(
    game: GameTables, store: Store, base: int, row: list[int], number: int, level: int
) -> None:
    """Set upper bounds of what each group adds to the class that has grown.

    It never adds more than it is worth by itself, which is bound enough if that is too little.
    """
    stack, classes = store.stack, store.stack[base + CLASSES]
    enough = stack[base + BEST] - stack[level + CURRENT] - stack[level + REST]
    value = stack[stack[base + VALUE_AT] + number]
    count_blocks(stack, base, 0, stack[base + PART], True)
    blocks = lost_in_blocks(stack, base)
    for place in range(stack[base + PART]):
        group = stack[stack[base + ORDER_AT] + place]
        gain = stack[stack[base + ALONE_AT] + group * stack[base + KINDS] + min(number, row[MOVES])]
        loss = stack[stack[base + LOSS_AT] + min(place, stack[level + FREE])]
        loss = max(loss, blocks - lost_with(stack, base, group))
        if stack[stack[base + ASSIGNED_AT] + group] == UNKNOWN:
            if gain > max(enough + stack[stack[base + BOUND_AT] + group] + loss, UNKNOWN):
                mask = UNKNOWN
                if number >= row[MOVES]:
                    mask = stack[stack[base + MASK_AT] + group]
                    mask &= stack[stack[base + SHARED_AT] + number - row[MOVES]]
                if mask == 0:
                    gain = UNKNOWN
                else:
                    gain = min(gain, list_joined(game, store, base, row, number, group) - value)
            stack[stack[base + GAIN_AT] + group * classes + number] = gain


@kernel
def go_back(game: GameTables, store: Store, base: int, row: list[int]) -> bool:
    """Undo the last option; return whether the pass is finished instead."""
    stack, classes = store.stack, store.stack[base + CLASSES]
    if stack[base + LEVEL] == stack[base + FLOOR]:
        return True
    if stack[base + BEST] >= stack[base + PART_UPPER]:
        return True
    stack[base + LEVEL] -= 1
    level = stack[base + LEVEL_AT] + stack[base + LEVEL] * stack[base + LEVEL_WORDS]
    number = stack[level + CHOSEN]
    about = game.choices[about_class(row, number)]
    saved = level + LEVEL_HEADER + 2 * classes
    for other in range(stack[base + GROUPS]):
        stack[stack[base + GAIN_AT] + other * classes + number] = stack[saved + other]
    saved += stack[base + GROUPS]
    cells = class_cells(stack, base, row, about, number)
    for word in range(about[CELL_WORDS]):
        stack[cells + word] = stack[saved + word]
    stack[stack[base + VALUE_AT] + number] = stack[level + BEFORE]
    stack[stack[base + ASSIGNED_AT] + stack[level + GROUP]] = UNKNOWN
    if number >= row[MOVES]:
        stack[stack[base + SHARED_AT] + number - row[MOVES]] = stack[level + SHARED]
        if stack[level + SHARED] == 0:
            stack[base + USED] -= 1
    stack[base + PHASE] = OPTION
    return False


@kernel
def keep_plan(game: GameTables, store: Store, base: int, belief: list[int], row: list[int]) -> None:
    """Store the value of a belief and its best prescription, in which hints have names again."""
    stack, cursor, groups = store.stack, store.cursor, store.stack[base + GROUPS]
    belief[UPPER] = stack[base + BEST]
    belief[EXACT] = 1
    belief[PLAN] = cursor[PLANS]
    used = 0
    for number in range(stack[base + CLASSES] - row[MOVES]):
        stack[stack[base + SHARED_AT] + number] = UNKNOWN
    for group in range(groups):
        number = stack[stack[base + PLAN_AT] + group] - row[MOVES]
        if number >= 0:
            stack[stack[base + SHARED_AT] + number] &= stack[stack[base + MASK_AT] + group]
            used = max(used, number + 1)
    match_messages(stack, base, used)
    for group in range(groups):
        choice = stack[stack[base + PLAN_AT] + group]
        if choice >= row[MOVES]:
            sent = stack[base + MATCH_AT] + 2 * WORD_BITS + choice - row[MOVES]
            choice = hint_of(game, row, stack[sent])
        store.plans[cursor[PLANS] + group] = choice
    cursor[PLANS] += groups
    pop(store, base)


@inlined
@kernel
def hint_of(game: GameTables, row: list[int], message: int) -> int:
    """Return the hint that sends a message."""
    choice = row[MOVES]
    while message >= game.choices[row[CHOICE_AT] + choice][OUTCOMES]:
        message -= game.choices[row[CHOICE_AT] + choice][OUTCOMES]
        choice += 1
    return choice
