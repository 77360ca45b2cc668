"""Symmetric prescriptions, as kernels: of those that differ only in names, one is considered.

A relabelling of suits and slots may map the deals of a belief to each other. It then maps every
prescription to one of the same value. Of all these it is enough to consider the one that comes
first if prescriptions are compared group by group (Crawford, Ginsberg, Luks and Roy 1996). In it,
the first group that a symmetry moves does not get a later choice than the group to which it moves;
and if a symmetry moves only the player's own slots, the very first group does not get a choice
that it moves to an earlier slot. All hints count as one choice, which comes last. If each hint is a
choice of its own, a symmetry moves hints as well, and nothing is left out.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.solver.optimum.beliefs import (
    BITS,
    DEAL_AT,
    DEALS,
    MOVES,
    NAMED_HINTS,
    OTHER_ORDERS,
    OWN_ORDERS,
    SYMMETRIES,
    SYMMETRY_AT,
    UNKNOWN,
    GameTables,
    Store,
    spread_words,
)
from hanabilab.solver.optimum.frames import (
    ASSIGNED_AT,
    ATTEMPT,
    CLASSES,
    GROUPS,
    HIGH_AT,
    LOW_AT,
    MOST_PAIRS,
    PAIR_AT,
    PAIRS,
    REPEATED,
    number_groups,
)

__all__ = ["find_pairs", "limit_groups"]


@kernel
def find_pairs(
    game: GameTables, store: Store, base: int, belief: list[int], row: list[int]
) -> None:
    """List the pairs of groups of which the first one must not get a later choice."""
    stack = store.stack
    stack[base + PAIRS] = stack[base + REPEATED] = 0
    if row[SYMMETRIES] > 1 and stack[base + ATTEMPT] and not row[NAMED_HINTS]:
        number_groups(game, store, belief, row)
        spread_words(store.pool, belief[BITS], row[DEALS], store.members)
        for number in range(1, row[SYMMETRIES]):
            own_order = number // row[OTHER_ORDERS] % row[OWN_ORDERS]
            moves_groups, moves_slots = number != own_order * row[OTHER_ORDERS], own_order != 0
            if moves_groups != moves_slots and maps_belief(game, store, base, row, number):
                if moves_groups:
                    add_pair(stack, base)
                else:
                    repeat_slots(stack, base, row, own_order)
    for group in range(stack[base + GROUPS]):
        stack[stack[base + LOW_AT] + group] = 0
        stack[stack[base + HIGH_AT] + group] = stack[base + CLASSES]


@kernel
def maps_belief(game: GameTables, store: Store, base: int, row: list[int], number: int) -> bool:
    """Return whether a symmetry maps the belief to itself, and note where it moves each group."""
    stack, members, at = store.stack, store.members, row[SYMMETRY_AT] + number * row[DEALS]
    for place in range(row[DEALS]):
        deal = game.inverse[at + place]
        if members[deal] != members[place]:
            return False
        if members[place]:
            group = store.groups[game.observation[row[DEAL_AT] + deal]]
            other = store.groups[game.observation[row[DEAL_AT] + place]]
            stack[stack[base + LOW_AT] + group] = other
    return True


@kernel
def repeat_slots(stack: list[int], base: int, row: list[int], number: int) -> None:
    """Note the choices that an order of the player's own slots moves to earlier slots.

    Orders count as dictionaries sort them.
    """
    slots, orders, left = 0, row[OWN_ORDERS], 0
    while orders > 1:
        slots += 1
        left |= 1 << slots - 1
        orders //= slots
    orders = row[OWN_ORDERS]
    for slot in range(slots):
        orders //= slots - slot
        rest = left
        for _ in range(number // orders):
            rest &= rest - 1
        number %= orders
        left &= ~(rest & -rest)
        if lowest(rest) < slot:
            for choice in range(slot, row[MOVES], slots):
                stack[base + REPEATED] |= 1 << choice


@kernel
def add_pair(stack: list[int], base: int) -> None:
    """Add the first group that a symmetry moves, and the group to which it moves."""
    for group in range(stack[base + GROUPS]):
        other = stack[stack[base + LOW_AT] + group]
        if other != group:
            if stack[base + PAIRS] < MOST_PAIRS and not has_pair(stack, base, group, other):
                at = stack[base + PAIR_AT] + 2 * stack[base + PAIRS]
                stack[at], stack[at + 1] = group, other
                stack[base + PAIRS] += 1
            return


@inlined
@kernel
def has_pair(stack: list[int], base: int, group: int, other: int) -> bool:
    """Return whether a pair of groups is listed already."""
    at = stack[base + PAIR_AT]
    for pair in range(stack[base + PAIRS]):
        if stack[at + 2 * pair] == group and stack[at + 2 * pair + 1] == other:
            return True
    return False


@kernel
def limit_groups(stack: list[int], base: int, row: list[int]) -> None:
    """Set which classes each group may join, given those of the groups that are assigned."""
    if stack[base + PAIRS] == 0:
        return
    assigned, lows, highs = stack[base + ASSIGNED_AT], stack[base + LOW_AT], stack[base + HIGH_AT]
    for group in range(stack[base + GROUPS]):
        stack[lows + group] = 0
        stack[highs + group] = stack[base + CLASSES]
    for pair in range(stack[base + PAIRS]):
        at = stack[base + PAIR_AT] + 2 * pair
        group, other = stack[at], stack[at + 1]
        number, limit = stack[assigned + group], stack[assigned + other]
        if number != UNKNOWN:
            stack[lows + other] = max(stack[lows + other], min(number, row[MOVES]))
        if limit != UNKNOWN and limit < row[MOVES]:
            stack[highs + group] = min(stack[highs + group], limit + 1)
