"""Blocks of groups, as kernels: what a belief is worth if everyone knew one card more.

The player to move sees the cards of the others. Groups that share the card in one of these slots
make up a block. If everyone knew that card, each block could be judged by itself, so a belief is
worth at most as much as its blocks together. That is less than the groups are worth one by one,
because the groups of a block still have to share their choices: the difference is what the block
loses, whatever is prescribed for it.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.solver.optimum.beliefs import (
    BITS,
    CARDS,
    DEAL_AT,
    HIDDEN,
    SEEN_AT,
    SLOTS,
    STATE,
    UNKNOWN,
    UPPER,
    WORD_BITS,
    WORDS,
    GameTables,
    Store,
    find_belief,
)
from hanabilab.solver.optimum.classes import add_item, clear_items, continue_value
from hanabilab.solver.optimum.frames import (
    ASSIGNED_AT,
    BLOCK_AT,
    BLOCK_BELIEF_AT,
    BLOCK_DEALS_AT,
    BLOCK_LOSS,
    BLOCKS,
    BOUND_AT,
    COUNT_AT,
    GROUPS,
    LIMIT,
    LOST_AT,
    LOW_AT,
    ORDER_AT,
    SIZE_AT,
    SPLITS,
    SUM,
    THRESHOLD,
    TOTAL,
    TURN,
    number_groups,
    pop,
)

__all__ = ["count_blocks", "lost_in_blocks", "lost_with", "split"]


# --- the blocks of a slot -------------------------------------------------------------------------


@kernel
def split(game: GameTables, store: Store, base: int, belief: list[int], row: list[int]) -> bool:
    """Judge the blocks of the next slot; return whether all are judged.

    The search of the belief ends if their sum is too low. The blocks of the slot in which they lose
    most are kept.
    """
    stack = store.stack
    if stack[base + TURN] == UNKNOWN:
        stack[base + SPLITS] += 1
        stack[base + TURN] = row[SLOTS] - stack[base + SPLITS]
        if list_blocks(game, store, base, belief, row, stack[base + TURN]) < 2:
            return True
        stack[base + LIMIT] = stack[base + THRESHOLD]
    if not continue_value(game, store, base):
        return False
    if stack[base + TOTAL] <= stack[base + THRESHOLD]:
        belief[UPPER] = min(belief[UPPER], stack[base + TOTAL])
        pop(store, base)
        return False
    if stack[base + SUM] - stack[base + TOTAL] > stack[base + BLOCK_LOSS]:
        keep_blocks(store, base, row)
    return True


@kernel
def list_blocks(
    game: GameTables, store: Store, base: int, belief: list[int], row: list[int], slot: int
) -> int:
    """List the beliefs of the blocks of a slot; return how many blocks there are."""
    stack, blocks = store.stack, 0
    see_cards(game, store, base, belief, row, slot)
    clear_items(stack, base)
    for card in range(row[CARDS]):
        stack[stack[base + BLOCK_BELIEF_AT] + card] = UNKNOWN
        bound = bound_of_block(stack, base, card)
        if bound != UNKNOWN:
            gather_block(game, store, base, belief, row, card)
            cells = stack[base + BLOCK_DEALS_AT]
            number = find_belief(game, store, belief[STATE], belief[HIDDEN], stack, cells)
            store.beliefs[number][UPPER] = min(store.beliefs[number][UPPER], bound)
            stack[stack[base + BLOCK_BELIEF_AT] + card] = number
            add_item(stack, base, number)
            blocks += 1
    return blocks


@inlined
@kernel
def see_cards(
    game: GameTables, store: Store, base: int, belief: list[int], row: list[int], slot: int
) -> None:
    """Set the card in a slot for each group.

    `LOW_AT` is scratch space here: `find_pairs` sets the limits again before the next tree.
    """
    number_groups(game, store, belief, row)
    for word in range(row[WORDS]):
        bits = store.pool[belief[BITS] + word]
        while bits:
            seen = game.observation[row[DEAL_AT] + word * WORD_BITS + lowest(bits)]
            bits &= bits - 1
            card = game.seen[row[SEEN_AT] + seen * row[SLOTS] + slot]
            store.stack[store.stack[base + LOW_AT] + store.groups[seen]] = card


@inlined
@kernel
def bound_of_block(stack: list[int], base: int, card: int) -> int:
    """Return the sum of the bounds of the groups with a card, or UNKNOWN if there are none."""
    bound = UNKNOWN
    for group in range(stack[base + GROUPS]):
        if stack[stack[base + LOW_AT] + group] == card:
            bound = max(bound, 0) + stack[stack[base + BOUND_AT] + group]
    return bound


@inlined
@kernel
def gather_block(
    game: GameTables, store: Store, base: int, belief: list[int], row: list[int], card: int
) -> None:
    """Collect the deals of the groups with a card."""
    stack = store.stack
    for word in range(row[WORDS]):
        bits, kept = store.pool[belief[BITS] + word], 0
        while bits:
            seen = game.observation[row[DEAL_AT] + word * WORD_BITS + lowest(bits)]
            if stack[stack[base + LOW_AT] + store.groups[seen]] == card:
                kept |= bits & -bits
            bits &= bits - 1
        stack[stack[base + BLOCK_DEALS_AT] + word] = kept


@kernel
def keep_blocks(store: Store, base: int, row: list[int]) -> None:
    """Keep the blocks that were judged, and what each of them loses."""
    stack = store.stack
    stack[base + BLOCKS] = row[CARDS]
    stack[base + BLOCK_LOSS] = stack[base + SUM] - stack[base + TOTAL]
    for card in range(row[CARDS]):
        number, loss = stack[stack[base + BLOCK_BELIEF_AT] + card], 0
        if number != UNKNOWN:
            loss = bound_of_block(stack, base, card) - store.beliefs[number][UPPER]
        stack[stack[base + LOST_AT] + card] = loss
        stack[stack[base + SIZE_AT] + card] = 0
    for group in range(stack[base + GROUPS]):
        card = stack[stack[base + LOW_AT] + group]
        stack[stack[base + BLOCK_AT] + group] = card
        stack[stack[base + SIZE_AT] + card] += 1


# --- losses ---------------------------------------------------------------------------------------


@inlined
@kernel
def count_blocks(stack: list[int], base: int, first: int, last: int, only_free: bool) -> None:
    """Count for each block the groups at these places, perhaps only those not assigned yet."""
    counts = stack[base + COUNT_AT]
    for block in range(stack[base + BLOCKS]):
        stack[counts + block] = 0
    if stack[base + BLOCKS]:
        for place in range(first, last):
            group = stack[stack[base + ORDER_AT] + place]
            if not only_free or stack[stack[base + ASSIGNED_AT] + group] == UNKNOWN:
                stack[counts + stack[stack[base + BLOCK_AT] + group]] += 1


@inlined
@kernel
def lost_in_blocks(stack: list[int], base: int) -> int:
    """Return what the blocks lose all of whose groups were counted."""
    lost = 0
    for block in range(stack[base + BLOCKS]):
        if stack[stack[base + COUNT_AT] + block] == stack[stack[base + SIZE_AT] + block]:
            lost += stack[stack[base + LOST_AT] + block]
    return lost


@inlined
@kernel
def lost_with(stack: list[int], base: int, group: int) -> int:
    """Return what the block of a group loses if all of its groups were counted, else 0."""
    if not stack[base + BLOCKS]:
        return 0
    block = stack[stack[base + BLOCK_AT] + group]
    if stack[stack[base + COUNT_AT] + block] == stack[stack[base + SIZE_AT] + block]:
        return stack[stack[base + LOST_AT] + block]
    return 0
