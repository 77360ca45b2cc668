"""Bounds of beliefs that need no tree of prescriptions, as kernels.

They often decide: the first bound can be reached, or the groups are worth too little even if each
one is judged by itself.
"""

from __future__ import annotations

from hanabilab.core.kernel import inlined, kernel
from hanabilab.solver.optimum.beliefs import (
    CELL_AT,
    CELLS,
    MOVES,
    UNKNOWN,
    UPPER,
    GameTables,
    Store,
)
from hanabilab.solver.optimum.classes import (
    about_class,
    class_cells,
    continue_value,
    list_items,
    list_joined,
)
from hanabilab.solver.optimum.frames import (
    ALONE,
    ALONE_AT,
    ASSIGNED_AT,
    BELIEF,
    BEST,
    BOUND_AT,
    GROUPS,
    HOPE,
    HOPES,
    IMAGES_AT,
    KINDS,
    KNOWN_AT,
    LEVEL_AT,
    LIMIT,
    LOSS_AT,
    MASK_AT,
    PART,
    PHASE,
    PLACE_AT,
    PLAN_AT,
    REST,
    SHARED_AT,
    SUM,
    THRESHOLD,
    TOTAL,
    TURN,
    USED,
    VALUE_AT,
    pop,
)
from hanabilab.solver.optimum.prescriptions import (
    add_to_class,
    begin_levels,
    keep_plan,
)

__all__ = [
    "hope",
    "judge_alone",
    "refine",
]

MOST_HOPES = 4
"""How often a search tries to reach the first bound of a belief directly."""


# --- the first bound ------------------------------------------------------------------------------


@kernel
def hope(game: GameTables, store: Store, base: int, belief: list[int], row: list[int]) -> None:
    """Look for a prescription that reaches the first bound of a belief.

    The bound is often the value. Groups are assigned by known bounds, and only complete classes are
    evaluated. If one is worth less than its bound, that bound is known now, and the next attempt
    takes it into account.
    """
    stack = store.stack
    number = stack[base + TURN]
    if number == UNKNOWN:
        if not assign_all(game, store, base, row):
            stack[base + PHASE] = ALONE
            return
    else:
        if not continue_value(game, store, base):
            return
        if stack[base + TOTAL] < stack[stack[base + VALUE_AT] + number]:
            stack[base + HOPES] += 1
            stack[base + TURN] = UNKNOWN
            if stack[base + HOPES] > MOST_HOPES:
                stack[base + PHASE] = ALONE
            return
    number += 1
    if number == row[MOVES] + stack[base + USED]:
        for group in range(stack[base + GROUPS]):
            stack[stack[base + PLAN_AT] + group] = stack[stack[base + ASSIGNED_AT] + group]
        stack[base + BEST] = stack[base + SUM]
        keep_plan(game, store, base, belief, row)
        return
    about = game.choices[about_class(row, number)]
    list_items(game, store, base, about, class_cells(stack, base, row, about, number))
    stack[base + LIMIT] = stack[stack[base + VALUE_AT] + number] - 1
    stack[base + TURN] = number


@kernel
def assign_all(game: GameTables, store: Store, base: int, row: list[int]) -> bool:
    """Assign each group to a class in which nothing seems lost; return whether all have one.

    There is none for some group if the belief is known to be worth less.
    """
    stack = store.stack
    begin_alone(store, base)
    begin_levels(store, base, row)
    stack[base + PHASE] = HOPE
    if stack[base + SUM] > store.beliefs[stack[base + BELIEF]][UPPER]:
        return False
    for group in range(stack[base + GROUPS]):
        messages = stack[stack[base + MASK_AT] + group]
        number = 0
        while not joins(game, store, base, row, number, group):
            number += 1
            if number >= row[MOVES]:
                if not messages:
                    return False
                number = class_of(stack, base, row, messages & -messages)
                messages &= messages - 1
    return True


@inlined
@kernel
def class_of(stack: list[int], base: int, row: list[int], message: int) -> int:
    """Return the class that sends a message, which may be a new one."""
    number = 0
    while number < stack[base + USED] and stack[stack[base + SHARED_AT] + number] != message:
        number += 1
    stack[stack[base + SHARED_AT] + number] = message
    return row[MOVES] + number


@kernel
def joins(
    game: GameTables, store: Store, base: int, row: list[int], number: int, group: int
) -> bool:
    """Add a group to a class if nothing seems to be lost; return whether that was so."""
    stack, bound = store.stack, store.stack[store.stack[base + BOUND_AT] + group]
    kind = group * stack[base + KINDS] + min(number, row[MOVES])
    if stack[stack[base + ALONE_AT] + kind] < bound:
        return False
    total = list_joined(game, store, base, row, number, group)
    if total < stack[stack[base + VALUE_AT] + number] + bound:
        return False
    shared = stack[base + SHARED_AT] + number - row[MOVES]
    message = stack[shared]
    add_to_class(game, store, base, row, number, group, total)
    if number >= row[MOVES]:
        stack[shared] = message
    return True


# --- groups by themselves -------------------------------------------------------------------------


@kernel
def judge_alone(
    game: GameTables, store: Store, base: int, belief: list[int], row: list[int]
) -> bool:
    """Find the best choice of each group by itself; return whether all are found.

    The search of the belief ends if their sum is too low. A choice is evaluated only until another
    one has a higher bound.
    """
    stack, kinds = store.stack, store.stack[base + KINDS]
    alone, bounds = stack[base + ALONE_AT], stack[base + BOUND_AT]
    place = stack[base + TURN]
    if place == UNKNOWN:
        begin_alone(store, base)
        place = 0
    elif not settle_alone(game, store, base, place):
        return False
    group = place // kinds
    while group < stack[base + GROUPS]:
        best, second = UNKNOWN, UNKNOWN
        for each in range(group * kinds, (group + 1) * kinds):
            value = stack[alone + each]
            if value > best:
                best, second, place = value, best, each
            else:
                second = max(second, value)
        stack[base + SUM] += best - stack[bounds + group]
        stack[bounds + group] = best
        if stack[base + SUM] <= stack[base + THRESHOLD]:
            belief[UPPER] = min(belief[UPPER], stack[base + SUM])
            pop(store, base)
            return False
        if not stack[stack[base + KNOWN_AT] + place]:
            least = stack[base + THRESHOLD] - stack[base + SUM] + best
            evaluate_alone(game, store, base, row, place, max(least, second - 1))
            return False
        group += 1
    return True


@kernel
def begin_alone(store: Store, base: int) -> None:
    """Begin with the best bound of each group."""
    stack, kinds = store.stack, store.stack[base + KINDS]
    total = 0
    for group in range(stack[base + GROUPS]):
        best = UNKNOWN
        for place in range(group * kinds, (group + 1) * kinds):
            best = max(best, stack[stack[base + ALONE_AT] + place])
            stack[stack[base + KNOWN_AT] + place] = 0
        stack[stack[base + BOUND_AT] + group] = best
        total += best
    stack[base + SUM] = total


@inlined
@kernel
def evaluate_alone(
    game: GameTables, store: Store, base: int, row: list[int], place: int, limit: int
) -> None:
    """Begin to evaluate a choice of a group by itself."""
    stack = store.stack
    group, kind = divmod(place, stack[base + KINDS])
    about = game.choices[about_class(row, kind)]
    cells = stack[base + IMAGES_AT] + group * row[CELLS] + about[CELL_AT]
    list_items(game, store, base, about, cells)
    stack[base + LIMIT] = max(limit, UNKNOWN)
    stack[base + TURN] = place


@inlined
@kernel
def settle_alone(game: GameTables, store: Store, base: int, place: int) -> bool:
    """Continue to evaluate a choice of a group by itself; return whether it is settled."""
    stack = store.stack
    if not continue_value(game, store, base):
        return False
    total = stack[base + TOTAL]
    alone = stack[base + ALONE_AT] + place
    if total > stack[base + LIMIT]:
        stack[stack[base + KNOWN_AT] + place] = 1
    stack[alone] = min(stack[alone], total)
    return True


@kernel
def refine(game: GameTables, store: Store, base: int, row: list[int]) -> None:
    """Evaluate the choices of single groups that matter in this pass, before they are combined."""
    stack, kinds = store.stack, store.stack[base + KINDS]
    place = stack[base + TURN]
    if place != UNKNOWN and not settle_alone(game, store, base, place):
        return
    place += 1
    part, level = stack[base + PART], stack[base + LEVEL_AT]
    enough = stack[base + BEST] - stack[level + REST]
    while place < stack[base + GROUPS] * kinds:
        group = place // kinds
        at = stack[stack[base + PLACE_AT] + group]
        if at >= part:
            place = (group + 1) * kinds
            continue
        least = enough + stack[stack[base + BOUND_AT] + group] + stack[stack[base + LOSS_AT] + at]
        if (
            stack[stack[base + ALONE_AT] + place] > least
            and not stack[stack[base + KNOWN_AT] + place]
        ):
            evaluate_alone(game, store, base, row, place, least)
            return
        place += 1
    begin_levels(store, base, row)
