"""The search for the best prescriptions, as kernels with an explicit stack.

`hanabilab.solver.optimum.search` explains the algorithm. A frame of the stack assigns a choice to
one group after the other, and calls for the values of the beliefs that follow. The search stops
after some steps and is resumed, for progress, for Ctrl-C and for larger arrays.
"""

from __future__ import annotations

from hanabilab.core.kernel import inlined, kernel
from hanabilab.solver.optimum.beliefs import (
    BELIEFS,
    CELL_AT,
    CELL_WORDS,
    CELLS,
    CHOICE_AT,
    CHOICES,
    DEPTH,
    EXACT,
    FRAME,
    PLAN,
    PLANS,
    POOL,
    STACK,
    STATE,
    STEPS,
    UNKNOWN,
    UPPER,
    GameTables,
    Store,
)
from hanabilab.solver.optimum.frames import (
    ALONE,
    ALONE_AT,
    ASSIGNED_AT,
    BACK,
    BEFORE,
    BELIEF,
    BEST,
    BOUND_AT,
    CALLER,
    CHOSEN,
    CLASS_AT,
    CURRENT,
    FOUND,
    GAIN_AT,
    GROUP,
    GROUPS,
    IMAGES_AT,
    LEVEL,
    LEVEL_AT,
    LEVEL_HEADER,
    LEVEL_WORDS,
    LIMIT,
    NODE,
    OPTION,
    OPTIONS,
    PHASE,
    PLAN_AT,
    REST,
    START,
    STEP,
    THRESHOLD,
    TOTAL,
    TRIAL_AT,
    TRIED,
    TURN,
    VALUE,
    VALUE_AT,
    continue_value,
    join,
    list_items,
    push,
)

__all__ = ["DONE", "FULL", "PAUSED", "advance", "begin"]

MANY_GROUPS = 5
"""With more groups than this, each one is solved by itself before they are combined."""
FIRST_STEP = 1000
"""A search first asks whether the value is within this part of its upper bound."""
FORCED = 1 << 62
"""The loss of a group with one option left, which is assigned before all others."""

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
