"""Exact play with a hidden draw pile: depth-first search with every value memoized.

A node's value is that of its best move. The value of a move that draws is the sum over the types in
the pile, each weighted by its copies. The search keeps its own stack in arrays, so that it can stop
after some nodes and be resumed: for progress, for Ctrl-C, and to enlarge its table. Positions are
compared in full, so that no hash collision can change a value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hanabilab.core.bits import add_to_hash
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.record import assign
from hanabilab.solver.kernels.hidden import (
    PASS_TURN,
    HiddenNode,
    HiddenProblem,
    apply_move,
    ceiling,
    copies_in_pile,
    draw_type,
    ended_score,
    is_over,
    last_round_score,
    list_moves,
    pass_on,
)

__all__ = [
    "BEST",
    "BOUND",
    "COUNT",
    "CUT_OFF",
    "DEPTH",
    "DONE",
    "DRAW",
    "FRAME_WORDS",
    "INDEX",
    "KEY_WORDS",
    "NODES",
    "NO_MOVE",
    "PAUSED",
    "TABLE_FULL",
    "USED",
    "HiddenWorkspace",
    "advance",
    "move_table",
    "start_search",
    "write_key",
]

DONE, PAUSED, TABLE_FULL, CUT_OFF = range(4)
"""Why a search returns: finished, out of budget, in need of a larger table, or too deep."""
COUNT, INDEX, SUM, BEST, DRAW, REST, WEIGHT, BOUND, TOP = range(9)
"""A frame: its moves and the next one to try; the sum over draws, the next draw, the number of
cards left to draw and the copies of the one being tried; the best value so far, an upper bound, and
the largest value of the game after the move.
"""
FRAME_WORDS = 9
NO_MOVE, NO_DRAW = -1, -2
DEPTH, NODES, USED = range(3)
"""The cursor of a search: the current frame, nodes visited, and rows of the table in use."""
KEY_WORDS = 24
WORD_BITS = 62
PROBES = 8
UNKNOWN = -1


class HiddenWorkspace(NamedTuple):
    """All arrays of a search, allocated once."""

    problem: HiddenProblem
    path: Any
    """The nodes from the root to the current one."""
    after: Any
    """Each node after the move being tried, before the draw."""
    frames: list[list[int]]
    moves: list[list[int]]
    keys: list[list[int]]
    """The key of each node."""
    table: list[list[int]]
    """Keys, each followed by its value plus 1; 0 in empty rows."""
    cursor: list[int]
    factorials: list[int]
    scratch: list[list[int]]
    """Scratch space for the last round."""


@kernel
def start_search(work: HiddenWorkspace, move: int) -> None:
    """Prepare to evaluate one move of the root."""
    frame = work.frames[0]
    work.moves[0][0] = move
    frame[COUNT] = 1
    frame[INDEX] = 0
    frame[BEST] = UNKNOWN
    frame[DRAW] = NO_MOVE
    frame[BOUND] = (1 << 62) - 1
    work.cursor[DEPTH] = 0


@kernel
def advance(work: HiddenWorkspace, budget: int) -> int:
    """Continue the search for at most `budget` nodes; the first frame then holds the value."""
    problem, cursor = work.problem, work.cursor
    depth = cursor[DEPTH]
    limit = cursor[NODES] + budget
    status = PAUSED
    while cursor[NODES] < limit:
        frame = work.frames[depth]
        if frame[DRAW] == NO_MOVE:
            if frame[INDEX] < frame[COUNT] and frame[BEST] < frame[BOUND]:
                begin_move(work, depth)
                continue
            if depth == 0:
                status = DONE
                break
            if cursor[USED] * 4 >= len(work.table) * 3:
                status = TABLE_FULL
                break
            store(work, depth, frame[BEST])
            depth -= 1
            work.frames[depth][SUM] += work.frames[depth][WEIGHT] * frame[BEST]
        elif is_settled(work, depth):
            frame[BEST] = max(frame[BEST], frame[SUM])
            frame[DRAW] = NO_MOVE
        else:
            value = next_child(work, depth)
            if value != UNKNOWN:
                frame[SUM] += frame[WEIGHT] * value
                continue
            if depth + 2 == len(work.frames):
                status = CUT_OFF
                break
            depth += 1
            enter(problem, work, depth)
    cursor[DEPTH] = depth
    return status


@inlined
@kernel
def enter(problem: HiddenProblem, work: HiddenWorkspace, depth: int) -> None:
    """Initialize a new node."""
    work.cursor[NODES] += 1
    frame = work.frames[depth]
    frame[COUNT] = list_moves(problem, work.path[depth], work.moves[depth])
    frame[INDEX] = 0
    frame[BEST] = UNKNOWN
    frame[DRAW] = NO_MOVE
    frame[BOUND] = upper_bound(work, work.path[depth])


@kernel
def upper_bound(work: HiddenWorkspace, node: HiddenNode) -> int:
    """Return an upper bound on the value of all moves.

    The player who draws the last card of the pile takes the last turn of the game. If it is the
    only copy of a card that another one must follow, the maximum is out of reach.
    """
    problem = work.problem
    orders = work.factorials[node.pile_size]
    bound = ceiling(problem, node, node.pile_size) * orders
    if not problem.win or not problem.deck_ends or problem.deck_plays or node.pile_size == 0:
        return bound
    held = 0
    for player in range(problem.players):
        held |= node.held[player]
    followed = node.alive & (node.alive & ~problem.starts) >> 1
    late = 0
    for each in range(problem.types):
        if followed >> each & 1 and not held & problem.hand_field[each]:
            late += int(copies_in_pile(problem, node, each) == 1)
    return bound // node.pile_size * (node.pile_size - late)


@kernel
def begin_move(work: HiddenWorkspace, depth: int) -> None:
    """Take the next move of a node up to the draw, unless it cannot beat the best one."""
    problem, frame, before = work.problem, work.frames[depth], work.path[depth]
    node = work.after[depth]
    move = work.moves[depth][frame[INDEX]]
    frame[INDEX] += 1
    assign(node, before)
    apply_move(problem, node, move)
    draws = move & 7 != PASS_TURN and node.pile_size > 0
    orders = work.factorials[before.pile_size]
    if node.score == problem.goal or node.lives == 0:
        pass_on(problem, node)
        frame[BEST] = max(frame[BEST], ended_score(problem, node) * orders)
        return
    frame[TOP] = ceiling(problem, node, node.pile_size - int(draws))
    if frame[TOP] * orders <= frame[BEST]:
        return
    if frame[TOP] == 0 or (problem.harmless and not problem.win and node.alive == 0):
        frame[BEST] = max(frame[BEST], frame[TOP] * orders)
        return
    frame[SUM] = 0
    frame[REST] = node.pile_size if draws else 0
    frame[DRAW] = 0 if draws else NO_DRAW


@inlined
@kernel
def is_settled(work: HiddenWorkspace, depth: int) -> bool:
    """Return whether all draws of a move are evaluated, or the rest cannot make it the best."""
    frame = work.frames[depth]
    if frame[REST] == 0:
        return frame[DRAW] != NO_DRAW
    node: HiddenNode = work.path[depth]
    most = frame[REST] * work.factorials[node.pile_size - 1] * frame[TOP]
    return frame[SUM] + most <= frame[BEST]


@kernel
def next_child(work: HiddenWorkspace, depth: int) -> int:
    """Set up the node after the next draw of a move; return its value if it is known."""
    problem, frame = work.problem, work.frames[depth]
    child = work.path[depth + 1]
    assign(child, work.after[depth])
    if frame[DRAW] == NO_DRAW:
        frame[DRAW] = 0
        frame[WEIGHT] = 1
    else:
        take_next_draw(problem, frame, work.after[depth])
        draw_type(problem, child, frame[DRAW] - 1)
        frame[REST] -= frame[WEIGHT]
    pass_on(problem, child)
    return known_value(work, depth + 1)


@inlined
@kernel
def take_next_draw(problem: HiddenProblem, frame: list[int], node: HiddenNode) -> None:
    """Find the next type in the pile, the dead cards last, and how many there are of it."""
    each = frame[DRAW]
    while each < problem.types and not node.pile & problem.pile_field[each]:
        each += 1
    frame[WEIGHT] = frame[REST]
    if each < problem.types:
        frame[WEIGHT] = copies_in_pile(problem, node, each)
    frame[DRAW] = each + 1


@kernel
def known_value(work: HiddenWorkspace, depth: int) -> int:
    """Return the value of a node that needs no search or was searched before, or else UNKNOWN."""
    problem = work.problem
    node: HiddenNode = work.path[depth]
    if is_over(problem, node):
        return ended_score(problem, node) * work.factorials[node.pile_size]
    if node.turns_left >= 0 and problem.harmless:
        return last_round_score(problem, node, work.scratch)
    if ceiling(problem, node, node.pile_size) == 0:
        return 0
    return look_up(work, depth)


@kernel
def write_key(problem: HiddenProblem, node: HiddenNode, key: list[int]) -> int:
    """Write everything that distinguishes a node, from the player to move on; return the words."""
    key[0] = 0
    place = 0
    used = 0
    for step in range(problem.players):
        player = node.player + step
        if player >= problem.players:
            player -= problem.players
        place, used = append(key, place, used, node.held[player], problem.hand_bits)
        if problem.count_bits:
            count = node.counts >> (4 * player) & 15
            place, used = append(key, place, used, count, problem.count_bits)
    place, used = append(key, place, used, node.alive, problem.types)
    place, used = append(key, place, used, node.pile, problem.pile_bits)
    place, used = append(key, place, used, node.pile_size, 5)
    place, used = append(key, place, used, node.score * (1 - problem.win), 6)
    place, used = append(key, place, used, node.tokens, problem.token_bits)
    place, used = append(key, place, used, node.lives, problem.life_bits)
    if problem.turn_bits:
        place, used = append(key, place, used, node.turns_left + 1, problem.turn_bits)
    return place + 1


@inlined
@kernel
def append(key: list[int], place: int, used: int, value: int, bits: int) -> tuple[int, int]:
    """Append a number of `bits` bits to a key; return the word and how many bits of it are used."""
    if used + bits > WORD_BITS:
        place += 1
        used = 0
        key[place] = 0
    key[place] |= value << used
    return place, used + bits


@kernel
def row_of(key: list[int], words: int, rows: int) -> int:
    """Return where a key's probes begin in a table whose number of rows is a power of 2."""
    mixed = 0
    for word in range(words):
        mixed = add_to_hash(mixed, key[word])
    return (mixed ^ (mixed >> 31)) & (rows - 1)


@inlined
@kernel
def same_key(row: list[int], key: list[int], words: int) -> bool:
    """Return whether a row has this key."""
    return all(row[word] == key[word] for word in range(words))


@kernel
def look_up(work: HiddenWorkspace, depth: int) -> int:
    """Return the value of a node from the table, or UNKNOWN; write its key in either case."""
    key, table = work.keys[depth], work.table
    words = write_key(work.problem, work.path[depth], key)
    place = row_of(key, words, len(table))
    for _ in range(PROBES):
        row = table[place]
        if row[words] == 0:
            return UNKNOWN
        if same_key(row, key, words):
            return row[words] - 1
        place = (place + 1) & (len(table) - 1)
    return UNKNOWN


@kernel
def store(work: HiddenWorkspace, depth: int, value: int) -> None:
    """Store the value of a node; if there is no space, replace another one."""
    words = len(work.table[0]) - 1
    work.cursor[USED] += put(work.table, work.keys[depth], words, value + 1)


@kernel
def put(table: list[list[int]], key: list[int], words: int, stored: int) -> int:
    """Write a row of the table; return whether it was empty before."""
    place = row_of(key, words, len(table))
    free = place
    for _ in range(PROBES):
        if table[free][words] == 0:
            break
        free = (free + 1) & (len(table) - 1)
    row = table[free]
    if row[words] != 0:
        row = table[place]
    new = int(row[words] == 0)
    for word in range(words):
        row[word] = key[word]
    row[words] = stored
    return new


@kernel
def move_table(old: list[list[int]], new: list[list[int]]) -> None:
    """Copy all rows to a larger table."""
    words = len(old[0]) - 1
    for row in old:
        if row[words]:
            put(new, row, words, row[words])
