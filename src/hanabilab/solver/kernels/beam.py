"""Beam search for a line that completes all fireworks.

A beam keeps the most promising positions of each turn. It can only find wins: running out of
positions proves nothing.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.record import assign
from hanabilab.solver.kernels.endgame import tokens_for_endgame
from hanabilab.solver.kernels.evaluate import LACK, NEED, add_value, evaluate, evaluate_cards
from hanabilab.solver.kernels.loss import lacks_storage
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
    fingerprint,
    held_by_others,
    needed_cards,
    turns_for_plays,
)
from hanabilab.solver.kernels.workspace import BeamScratch, Workspace

__all__ = ["NO_LINE", "beam_search"]

NO_LINE = -1
PROBES = 8


@kernel
def list_moves(problem: Problem, node: Node, later: list[int], moves: list[int]) -> int:
    """Write down the moves worth trying; return their number.

    They never lose the last copy of a card, nor a useful card while there is a useless one. A
    misplay is tried only if nothing can be discarded because all hint tokens are there.
    """
    held = node.held[node.player]
    count = 0
    playable = held & node.playable
    while playable:
        moves[count] = PLAY_CARD + 8 * lowest(playable)
        count += 1
        playable &= playable - 1
    full = node.hint_tokens == problem.max_hint_tokens and not problem.free_discards
    if count_of_hand(node, node.player) > popcount(held):
        if not full:
            moves[count] = DISCARD_USELESS + 8 * NO_CARD
            count += 1
        elif node.lives > 1:
            moves[count] = MISPLAY_USELESS + 8 * NO_CARD
            count += 1
    elif not full or node.lives > 1:
        kind = MISPLAY_USEFUL if full else DISCARD_USEFUL
        spare = held & ~node.playable & (later[node.drawn] | held_by_others(problem, node))
        while spare:
            moves[count] = kind + 8 * lowest(spare)
            count += 1
            spare &= spare - 1
    if can_pass(problem, node):
        moves[count] = PASS_TURN + 8 * NO_CARD
        count += 1
    return count


@kernel
def beam_search(workspace: Workspace, stage: int) -> int:
    """Search for a win; return the number of turns of the line found, or NO_LINE."""
    problem, upcoming = workspace.problem, workspace.upcoming
    scratch, line = workspace.beam_scratch, workspace.line
    now, children, moves, buckets = scratch.now, scratch.children, scratch.moves, scratch.buckets
    width, weights = workspace.widths[stage], workspace.weights[stage]
    seen = scratch.seen[: 16 * width + 1] if width > 1 else scratch.seen[:0]
    assign(now[0], workspace.root)
    if not evaluate_cards(problem, now[0], upcoming, weights):
        return NO_LINE
    kept = 1
    for turn in range(len(line)):
        made = 0
        for i in range(len(seen)):
            seen[i] = 0
        for parent in range(kept):
            count = list_moves(problem, now[parent], upcoming.later, moves)
            for number in range(count):
                child = children[made]
                assign(child, now[parent])
                apply_move(problem, child, moves[number], upcoming.deck)
                child.parent = parent
                child.move = moves[number]
                if child.played == problem.rules.all_cards:
                    clear_buckets(scratch, made)
                    return write_line(child, turn, scratch.trail, line)
                if child.turns_left == 0:
                    continue
                if moves_cards(child) and not evaluate_cards(problem, child, upcoming, weights):
                    continue
                child.value = evaluate(problem, child, weights)
                if not is_new(problem, child, seen):
                    continue
                if (
                    width > 1
                    and moves[number] & 7 == DISCARD_USEFUL
                    and lacks_storage(problem, child, upcoming, workspace.pool_scratch)
                ):
                    continue
                if weights[NEED] and not fits_endgame(workspace, now[parent], child, weights):
                    continue
                buckets[child.value] += 1
                made += 1
        if made == 0:
            return NO_LINE
        kept = keep_best(scratch, made, width, scratch.trail[turn])
        clear_buckets(scratch, made)
    return NO_LINE


@kernel
def moves_cards(child: Node) -> bool:
    """Return whether the last turn moved a card or cost pace, not just a hint token."""
    return child.move & 7 != PASS_TURN or child.turns_left >= 0


@kernel
def clear_buckets(scratch: BeamScratch, made: int) -> None:
    """Forget the values of these positions, which is quicker than emptying all buckets."""
    for i in range(made):
        scratch.buckets[scratch.children[i].value] = 0


@kernel
def fits_endgame(workspace: Workspace, parent: Node, child: Node, weights: list[int]) -> bool:
    """Return whether the endgame can have enough hint tokens; its need lowers the value."""
    problem = workspace.problem
    if child.turns_left >= 0 or not problem.rules.deck_ends:
        return True
    if child.drawn > parent.drawn or child.drawn >= problem.cut:
        child.tokens_needed = tokens_for_endgame(
            problem, child, workspace.upcoming, workspace.endgame_scratch
        )
    pace = turns_for_plays(problem, child) - needed_cards(problem, child)
    gains = min(max(0, problem.cut - child.drawn), pace + problem.rules.suits)
    if child.tokens_needed > min(child.hint_tokens + gains, problem.max_hint_tokens):
        return False
    lack = max(0, child.tokens_needed - child.hint_tokens)
    change = weights[NEED] * child.tokens_needed + weights[LACK] * lack
    child.value = add_value(child.value, change)
    return True


@kernel
def is_new(problem: Problem, node: Node, seen: list[int]) -> bool:
    """Note a position in a small open-addressed table, which may forget but hardly ever confuses.

    An empty table notes nothing.
    """
    if len(seen) == 0:
        return True
    key = fingerprint(problem, node) | 1
    place = key % len(seen)
    for probe in range(PROBES):
        at = place + probe
        if at >= len(seen):
            at -= len(seen)
        if seen[at] == key:
            return False
        if seen[at] == 0:
            seen[at] = key
            return True
    return True


@kernel
def keep_best(scratch: BeamScratch, made: int, width: int, trail: list[int]) -> int:
    """Keep the `width` best positions; return how many there are."""
    now, children, buckets = scratch.now, scratch.children, scratch.buckets
    threshold = 0
    for i in range(made):
        threshold = max(threshold, children[i].value)
    free = width
    while threshold > 0 and buckets[threshold] < free:
        free -= buckets[threshold]
        threshold -= 1
    kept = 0
    for i in range(made):
        value = children[i].value
        if value > threshold or (value == threshold and free > 0):
            if value == threshold:
                free -= 1
            if kept < width:
                assign(now[kept], children[i])
                trail[2 * kept] = children[i].parent
                trail[2 * kept + 1] = children[i].move
                kept += 1
    return kept


@kernel
def write_line(last: Node, turn: int, trail: list[list[int]], line: list[int]) -> int:
    """Follow the parents back to the start; return the length of the line."""
    line[turn] = last.move
    at = last.parent
    for earlier in range(turn - 1, -1, -1):
        line[earlier] = trail[earlier][2 * at + 1]
        at = trail[earlier][2 * at]
    return turn + 1
