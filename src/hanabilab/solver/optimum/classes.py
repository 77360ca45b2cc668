"""Classes of groups, as kernels: what follows if several groups get the same choice.

All hints lead to the same public state. Which hint it is, and what it touches, is only a message:
the value of a class of hints does not depend on it. Classes of hints therefore have no names during
the search, which would otherwise try every renaming. A class has a set of messages that are legal
in all its groups, and different classes must be able to send different ones.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.solver.optimum.beliefs import (
    AGE,
    CELL,
    CELL_AT,
    CELLS,
    CHOICE_AT,
    CHOICES,
    EXACT,
    HINT_WORDS,
    MOVES,
    NEXT,
    OUTCOME_AT,
    OUTCOMES,
    SIZE,
    TRIES,
    UNKNOWN,
    UPPER,
    WORD_BITS,
    GameTables,
    Store,
    find_belief,
)
from hanabilab.solver.optimum.frames import (
    AFTER,
    CLASS_AT,
    IMAGES_AT,
    ITEM,
    ITEM_AT,
    ITEMS,
    LIMIT,
    MASK_AT,
    MATCH_AT,
    SCORE,
    SHARED_AT,
    TOTAL,
    TRIAL_AT,
    USED,
    push,
)

__all__ = [
    "about_class",
    "add_item",
    "can_join",
    "class_cells",
    "clear_items",
    "continue_value",
    "join",
    "list_items",
    "list_joined",
    "match_messages",
]

AGE_BIT = 40
"""In the note of a belief in a cell, the bit where its age begins."""


@inlined
@kernel
def about_class(row: list[int], number: int) -> int:
    """Return the row of choices that describes a class: that of any hint is without a name."""
    return row[CHOICE_AT] + (number if number < row[MOVES] else row[CHOICES])


@inlined
@kernel
def class_cells(stack: list[int], base: int, row: list[int], about: list[int], number: int) -> int:
    """Return where the cells of a class are."""
    extra = max(number - row[MOVES], 0) * row[HINT_WORDS]
    return stack[base + CLASS_AT] + about[CELL_AT] + extra


@kernel
def join(
    game: GameTables, about: list[int], stack: list[int], one: int, other: int, target: int
) -> None:
    """Combine the cells of a choice for two sets of groups."""
    for number in range(about[OUTCOMES]):
        outcome = game.outcomes[about[OUTCOME_AT] + number]
        cell, size = outcome[CELL], outcome[SIZE]
        if outcome[NEXT] < 0:
            stack[target + cell] = stack[one + cell] + stack[other + cell]
        else:
            for word in range(cell, cell + size):
                stack[target + word] = stack[one + word] | stack[other + word]
            stack[target + cell + size] = 0
            if not has_deals(stack, other + cell, size):
                stack[target + cell + size] = stack[one + cell + size]
            elif not has_deals(stack, one + cell, size):
                stack[target + cell + size] = stack[other + cell + size]


@kernel
def list_joined(
    game: GameTables, store: Store, base: int, row: list[int], number: int, group: int
) -> int:
    """List the beliefs that follow if a group joins a class, and return the known upper bound.

    Each of them is worth at most as much as its parts.
    """
    stack, about = store.stack, game.choices[about_class(row, number)]
    image = stack[base + IMAGES_AT] + group * row[CELLS] + about[CELL_AT]
    cells = class_cells(stack, base, row, about, number)
    join(game, about, stack, cells, image, stack[base + TRIAL_AT])
    return list_beliefs(game, store, base, about, stack[base + TRIAL_AT], cells, image)


@kernel
def list_items(game: GameTables, store: Store, base: int, about: list[int], cells: int) -> int:
    """List the beliefs that follow a choice, and return the known upper bound of its value."""
    return list_beliefs(game, store, base, about, cells, UNKNOWN, UNKNOWN)


@kernel
def list_beliefs(
    game: GameTables, store: Store, base: int, about: list[int], cells: int, one: int, other: int
) -> int:
    """List the beliefs that follow a choice, given the two parts of its cells if there are any.

    Outcomes that are symmetric lead to the same belief, which then counts several times.
    """
    stack, score, total = store.stack, 0, 0
    clear_items(stack, base)
    for number in range(about[OUTCOMES]):
        outcome = game.outcomes[about[OUTCOME_AT] + number]
        cell = outcome[CELL]
        if outcome[NEXT] < 0:
            score += stack[cells + cell]
        elif has_deals(stack, cells + cell, outcome[SIZE]):
            belief = cell_belief(game, store, base, outcome, cells + cell)
            if one != UNKNOWN and not store.beliefs[belief][EXACT]:
                bound_by_parts(game, store, base, outcome, belief, one + cell, other + cell)
            total += store.beliefs[belief][UPPER]
            add_item(stack, base, belief)
    stack[base + SCORE] = score
    return total + score


@inlined
@kernel
def clear_items(stack: list[int], base: int) -> None:
    """Clear the list of beliefs to be solved."""
    stack[base + ITEMS] = 0
    stack[base + ITEM] = 0
    stack[base + SCORE] = 0


@inlined
@kernel
def add_item(stack: list[int], base: int, belief: int) -> None:
    """Add a belief to the list, or count it once more if it is there."""
    at, items, item = stack[base + ITEM_AT], stack[base + ITEMS], 0
    while item < items and stack[at + 2 * item] != belief:
        item += 1
    if item == items:
        stack[at + 2 * item] = belief
        stack[at + 2 * item + 1] = 0
        stack[base + ITEMS] = items + 1
    stack[at + 2 * item + 1] += 1


@inlined
@kernel
def cell_belief(game: GameTables, store: Store, base: int, outcome: list[int], cell: int) -> int:
    """Return the number of the belief of a cell, and note it there.

    Notes from before beliefs were forgotten are not valid any more.
    """
    stack, size, age = store.stack, outcome[SIZE], store.cursor[AGE] << AGE_BIT
    number = stack[cell + size] - age - 1
    if not 0 <= number < 1 << AGE_BIT:
        number = find_belief(game, store, outcome[NEXT], stack[base + AFTER], stack, cell)
        stack[cell + size] = number + age + 1
    return number


@inlined
@kernel
def has_deals(stack: list[int], cell: int, words: int) -> bool:
    """Return whether a set of deals is not empty."""
    return any(stack[cell + word] != 0 for word in range(words))


@kernel
def bound_by_parts(
    game: GameTables,
    store: Store,
    base: int,
    outcome: list[int],
    belief: int,
    one: int,
    other: int,
) -> None:
    """Bound a belief that was not searched yet by the sum of what its two parts are worth."""
    stack, beliefs = store.stack, store.beliefs
    if beliefs[belief][TRIES]:
        return
    if has_deals(stack, one, outcome[SIZE]) and has_deals(stack, other, outcome[SIZE]):
        first = cell_belief(game, store, base, outcome, one)
        second = cell_belief(game, store, base, outcome, other)
        parts = beliefs[first][UPPER] + beliefs[second][UPPER]
        beliefs[belief][UPPER] = min(beliefs[belief][UPPER], parts)


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


# --- messages -------------------------------------------------------------------------------------


@kernel
def can_join(store: Store, base: int, row: list[int], number: int, group: int) -> bool:
    """Return whether a group may join a class: all classes of hints still have messages."""
    if number < row[MOVES]:
        return True
    stack = store.stack
    shared = stack[base + SHARED_AT] + number - row[MOVES]
    used = max(stack[base + USED], number - row[MOVES] + 1)
    before = stack[shared]
    mask = stack[stack[base + MASK_AT] + group]
    if number - row[MOVES] < stack[base + USED]:
        mask &= before
    stack[shared] = mask
    found = mask != 0 and match_messages(stack, base, used)
    stack[shared] = before
    return found


@kernel
def match_messages(stack: list[int], base: int, used: int) -> bool:
    """Find a different message for each class of hints, by augmenting paths."""
    owners = stack[base + MATCH_AT]
    earlier, sent = owners + WORD_BITS, owners + 2 * WORD_BITS
    queue = sent + used
    for message in range(WORD_BITS):
        stack[owners + message] = UNKNOWN
    for number in range(used):
        visited, first, last, free = 0, 0, 1, UNKNOWN
        stack[queue] = number
        while first < last and free == UNKNOWN:
            current = stack[queue + first]
            first += 1
            fresh = stack[stack[base + SHARED_AT] + current] & ~visited
            visited |= fresh
            while fresh and free == UNKNOWN:
                message = lowest(fresh)
                fresh &= fresh - 1
                stack[earlier + message] = current
                if stack[owners + message] == UNKNOWN:
                    free = message
                else:
                    stack[queue + last] = stack[owners + message]
                    last += 1
        if free == UNKNOWN:
            return False
        current = UNKNOWN
        while current != number:
            current = stack[earlier + free]
            before = stack[sent + current] if current != number else UNKNOWN
            stack[owners + free] = current
            stack[sent + current] = free
            free = before
    return True
