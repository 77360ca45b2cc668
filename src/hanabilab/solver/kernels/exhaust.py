"""Exhaustive search: every line of an open game, up to what is certainly equal or lost.

Used where beams find no win and the easier games prove no loss. When it ends without a win, none
exists: it tries every move that a winning line may need, and cuts only by sound proofs. Positions
are compared in full, so no coincidence of hashes can turn a win into a loss.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.record import assign
from hanabilab.game.cards import MAX_PLAYERS
from hanabilab.solver.kernels.beam import (
    PRUNE_LIMIT,
    fingerprint,
    held_by_others,
    turns_for_plays,
)
from hanabilab.solver.kernels.loss import NOT_PROVED, pace_lost, pooled_lost
from hanabilab.solver.kernels.node import (
    DISCARD_USEFUL,
    DISCARD_USELESS,
    MISPLAY_USEFUL,
    MISPLAY_USELESS,
    NO_CARD,
    PASS_TURN,
    PLAY_CARD,
    Node,
    Problem,
    apply_move,
    can_pass,
    count_of_hand,
    needed_cards,
)

__all__ = ["ALL_MOVES", "EXHAUSTED", "GAVE_UP", "KEY_WORDS", "exhaust"]

EXHAUSTED, GAVE_UP = -1, -2
ALL_MOVES = 48
KEY_WORDS = MAX_PLAYERS + 4
PROBES = 16


@kernel
def list_all_moves(problem: Problem, node: Node, later: list[int], moves: list[int]) -> int:
    """Every move that a winning line may need; the answer is their number.

    The only moves left out give away the last copy of a needed card, lose the last life, or differ
    from another one in the choice between equal cards.
    """
    held = node.held[node.player]
    count = 0
    playable = held & node.playable
    while playable:
        moves[count] = PLAY_CARD + 8 * lowest(playable)
        count += 1
        playable &= playable - 1
    full = node.hint_tokens == problem.max_hint_tokens and not problem.free_discards
    useless = count_of_hand(node, node.player) > popcount(held)
    if useless and not full:
        moves[count] = DISCARD_USELESS + 8 * NO_CARD
        count += 1
    if can_pass(problem, node):
        moves[count] = PASS_TURN + 8 * NO_CARD
        count += 1
    if useless and node.lives > 1:
        moves[count] = MISPLAY_USELESS + 8 * NO_CARD
        count += 1
    spare = held & (later[node.drawn] | held_by_others(problem, node))
    while spare:
        card = lowest(spare)
        if not full:
            moves[count] = DISCARD_USEFUL + 8 * card
            count += 1
        if node.lives > 1 and not (node.playable >> card) & 1:
            moves[count] = MISPLAY_USEFUL + 8 * card
            count += 1
        spare &= spare - 1
    return count


@kernel
def exhaust(
    problem: Problem,
    deck: list[int],
    later: list[int],
    coming: list[list[int]],
    earliest: list[int],
    pools: list[list[int]],
    memo: list[list[int]],
    path: list[Node],
    moves: list[list[int]],
    tried: list[int],
    known: list[list[int]],
    limit: int,
    visited: list[int],
) -> int:
    """Search from `path[0]`: the length of a winning line (its moves in `path`), EXHAUSTED if
    there is none, or GAVE_UP after `limit` positions. `visited[0]` counts positions.
    """
    depth = 0
    tried[0] = 0
    moves[0][ALL_MOVES] = list_all_moves(problem, path[0], later, moves[0])
    visited[0] = 1
    while depth >= 0:
        if tried[depth] == moves[depth][ALL_MOVES]:
            depth -= 1
            continue
        if depth + 1 == len(tried):
            return GAVE_UP
        move = moves[depth][tried[depth]]
        tried[depth] += 1
        child = path[depth + 1]
        assign(child, path[depth])
        apply_move(problem, child, move, deck)
        child.move = move
        if child.played == problem.all_cards:
            return depth + 1
        if is_lost(problem, child, deck, later, coming, earliest, pools, memo):
            continue
        if is_known(problem, child, known):
            continue
        visited[0] += 1
        if visited[0] > limit:
            return GAVE_UP
        depth += 1
        tried[depth] = 0
        moves[depth][ALL_MOVES] = list_all_moves(problem, child, later, moves[depth])
    return EXHAUSTED


@kernel
def is_lost(
    problem: Problem,
    node: Node,
    deck: list[int],
    later: list[int],
    coming: list[list[int]],
    earliest: list[int],
    pools: list[list[int]],
    memo: list[list[int]],
) -> bool:
    """Is the position over, or lost in an easier game?"""
    if node.turns_left == 0 or node.counts == 0:
        return True
    if problem.deck_ends and turns_for_plays(problem, node) < needed_cards(problem, node):
        return True
    kind = node.move & 7
    if kind in (DISCARD_USEFUL, MISPLAY_USEFUL):
        if pace_lost(problem, node, coming, earliest) != NOT_PROVED:
            return True
        return pooled_lost(problem, node, deck, later, pools, memo, PRUNE_LIMIT) != NOT_PROVED
    return False


@kernel
def is_known(problem: Problem, node: Node, known: list[list[int]]) -> bool:
    """Has this position been searched before? If not, note it, if there is room."""
    slots = len(known)
    if slots == 0:
        return False
    place = fingerprint(problem, node) % slots
    for probe in range(PROBES):
        row = known[(place + probe) % slots]
        if row[0] == 0:
            write_key(problem, node, row)
            return False
        if same_key(problem, node, row):
            return True
    return False


@kernel
def packed_counters(node: Node) -> int:
    """Everything but the hands and the fireworks; never 0."""
    return (
        node.drawn << 36
        | (node.turns_left + 1) << 28
        | node.player << 24
        | node.hint_tokens << 1
        | 1
    )


@kernel
def write_key(problem: Problem, node: Node, row: list[int]) -> None:
    """Write down all that distinguishes a position."""
    row[0] = packed_counters(node)
    row[1] = node.played
    row[2] = node.counts
    row[3] = node.lives
    for player in range(problem.players):
        row[4 + player] = node.held[player]


@kernel
def same_key(problem: Problem, node: Node, row: list[int]) -> bool:
    """Is this the position that is written there?"""
    if row[0] != packed_counters(node) or row[1] != node.played or row[2] != node.counts:
        return False
    if row[3] != node.lives:
        return False
    same = True
    for player in range(problem.players):
        same = same and row[4 + player] == node.held[player]
    return same
