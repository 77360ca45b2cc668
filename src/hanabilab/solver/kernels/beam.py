"""Beam search for a line that completes all fireworks.

A beam keeps the most promising positions of each turn. It can only find wins: that it ran out of
positions proves nothing.
"""

from __future__ import annotations

from typing import Any

from hanabilab.core.bits import LOW_62, lowest, multiply, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.record import assign
from hanabilab.solver.kernels.endgame import tokens_for_endgame
from hanabilab.solver.kernels.loss import NOT_PROVED, pooled_lost
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
from hanabilab.solver.kernels.weights import LACK, NEED
from hanabilab.solver.kernels.workspace import MAX_VALUE, Desk

__all__ = ["beam", "look_ahead"]

LOST = -1
PRUNE_LIMIT = 50
MIDDLE = 1500
LATE = 6
MANY_TOKENS, MANY_LIVES = 12, 5
"""More than these are worth no more, so that unlimited ones leave room for the rest."""


@kernel
def comes_too_late(problem: Problem, root: Node, deck: list[int]) -> bool:
    """Is the last card of the deck of no use, because higher ones are to be played after it?

    Who draws it acts on the last turn of the game.
    """
    if not problem.deck_ends:
        return False
    bit = 1 << deck[len(deck) - 1]
    return bit & (problem.highest | root.played >> 1) == 0


@kernel
def look_ahead(
    problem: Problem, root: Node, deck: list[int], later: list[int], coming: list[list[int]]
) -> None:
    """For each place of the deck the set of useful cards from there on, and where each comes next.

    A card that does not come any more stands at the end of the deck.
    """
    size = len(deck)
    kinds = problem.ranks * problem.suits
    for card in range(kinds):
        coming[size][card] = size
    later[size] = 0
    for place in range(size - 1, root.drawn - 1, -1):
        for card in range(kinds):
            coming[place][card] = coming[place + 1][card]
        later[place] = later[place + 1]
        if place < size - 1 or not comes_too_late(problem, root, deck):
            later[place] |= 1 << deck[place]
            coming[place][deck[place]] = place
    problem.late = find_late(problem, root, coming)


@kernel
def find_late(problem: Problem, root: Node, coming: list[list[int]]) -> int:
    """The cards that can be played only when no more than `LATE` cards are left to be drawn."""
    held = 0
    for player in range(problem.players):
        held |= root.held[player]
    ahead = coming[root.drawn]
    late = 0
    for suit in range(problem.suits):
        there = root.drawn
        for rank in range(problem.ranks):
            bit = 1 << (suit * problem.ranks + rank)
            if not bit & (held | root.played):
                there = max(there, ahead[suit * problem.ranks + rank] + 1)
            if not bit & root.played and there >= problem.deck_size - LATE:
                late |= bit
    return late


@kernel
def turns_out_of_order(problem: Problem, node: Node) -> int:
    """How many turns pass between the plays of late cards of a suit, by who holds them."""
    held_any = 0
    for player in range(problem.players):
        held_any |= node.held[player]
    upper = problem.late & held_any & (problem.late & held_any) << 1 & ~problem.lowest
    lost = 0
    while upper:
        bit = upper & -upper
        first = 0
        second = 0
        for player in range(problem.players):
            if node.held[player] & bit >> 1:
                first = player
            if node.held[player] & bit:
                second = player
        lost += (second - first - 1 + problem.players) % problem.players
        upper ^= bit
    return lost


@kernel
def held_by_others(problem: Problem, node: Node) -> int:
    """The useful cards in other hands than that of the player to move."""
    cards = 0
    for player in range(problem.players):
        if player != node.player:
            cards |= node.held[player]
    return cards


@kernel
def list_moves(problem: Problem, node: Node, later: list[int], moves: list[int]) -> int:
    """The moves worth trying; the answer is their number.

    The last copy of a card is never given away, and no useful card while there is a useless one. A
    misplay is tried only where nothing can be discarded because all hint tokens are there.
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
def turns_for_plays(problem: Problem, node: Node) -> int:
    """How many cards can still be played before the game ends."""
    if node.turns_left >= 0:
        return node.turns_left
    return problem.deck_size - node.drawn + problem.players


@kernel
def evaluate(
    problem: Problem, node: Node, later: list[int], coming: list[list[int]], weights: list[int]
) -> int:
    """How promising a position is, from 0 to MAX_VALUE; LOST if it is surely lost."""
    needed = needed_cards(problem, node)
    pace = turns_for_plays(problem, node) - needed
    if problem.deck_ends and pace < 0:
        return LOST
    held_any = 0
    held_twice = 0
    stuck = 0
    ready = 0
    useful = 0
    squares = 0
    crowd = 0
    for player in range(problem.players):
        held = node.held[player]
        held_twice |= held_any & held
        held_any |= held
        size = popcount(held)
        useful += size
        squares += size * size
        crowd += max(0, size - 1)
        if held & node.playable:
            ready += 1
        elif size >= problem.hand_size:
            stuck += 1
    waiting = 0
    first_wait = 0
    missing = problem.all_cards & ~node.played & ~held_any
    suit = (1 << problem.ranks) - 1
    ahead = coming[node.drawn]
    for _ in range(problem.suits):
        gap = missing & suit
        if gap:
            bit = gap & -gap
            distance = min(ahead[lowest(gap)] - node.drawn, 24)
            waiting += distance * popcount(held_any & suit & -bit)
            first_wait += distance
        suit <<= problem.ranks
    tokens = min(node.hint_tokens, MANY_TOKENS)
    value = weights[0] * (problem.ranks * problem.suits - needed)
    value += weights[1] * tokens
    value += weights[2] * min(pace, 12)
    value += weights[3] * popcount(held_any & node.playable)
    value += weights[4] * ready
    value += weights[5] * stuck
    value += weights[6] * useful
    value += weights[7] * popcount(held_any & ~later[node.drawn])
    value += weights[8] * popcount(held_twice)
    value += weights[9] * min(node.lives, MANY_LIVES)
    value += weights[10] * waiting
    value += weights[11] * max(0, stuck - tokens)
    value += weights[12] * first_wait
    value += weights[13] * squares
    value += weights[14] * max(0, crowd - problem.deck_size + node.drawn)
    if tokens == 0:
        value += weights[15]
    if node.hint_tokens == problem.max_hint_tokens:
        value += weights[16]
    if pace < 2:
        value += weights[17] * (2 - pace)
    if problem.late:
        value += weights[18] * turns_out_of_order(problem, node)
        for player in range(problem.players):
            value += weights[19] * max(0, popcount(node.held[player] & problem.late) - 1)
    return max(0, min(MAX_VALUE, MIDDLE + (value >> 2)))


@kernel
def fingerprint(problem: Problem, node: Node) -> int:
    """A hash of all that distinguishes positions of the same turn."""
    key = multiply(node.played ^ (node.hint_tokens << 54), 0x1F83_D9AB_FB41_BD6B)
    key ^= multiply(node.drawn * 64 + node.lives, 0x2545_F491_4F6C_DD1D)
    for player in range(problem.players):
        key = multiply((key ^ (key >> 29)) + node.held[player] & LOW_62, 0x1E37_79B9_7F4A_7C15)
    return key ^ (key >> 31)


@kernel
def beam(desk: Desk, stage: int) -> int:
    """Search for a win; the answer is the number of turns of the line found, or -1.

    `trail[turn]` keeps, for each position kept in that turn, its parent's number and its move.
    """
    problem, deck, moves, buckets = desk.problem, desk.deck, desk.moves, desk.buckets
    now, children, line = desk.now, desk.children, desk.line
    width, weights = desk.widths[stage], desk.weights[stage]
    seen = desk.seen[: 16 * width + 1] if width > 1 else desk.seen[:0]
    assign(now[0], desk.root)
    kept = 1
    for turn in range(len(line)):
        made = 0
        for i in range(len(seen)):
            seen[i] = 0
        for parent in range(kept):
            count = list_moves(problem, now[parent], desk.later, moves)
            for number in range(count):
                child = children[made]
                assign(child, now[parent])
                apply_move(problem, child, moves[number], deck)
                child.parent = parent
                child.move = moves[number]
                if child.played == problem.all_cards:
                    empty(buckets, children, made)
                    return write_line(child, turn, width, desk.trail, line)
                if child.turns_left == 0:
                    continue
                child.value = evaluate(problem, child, desk.later, desk.coming, weights)
                if child.value == LOST or not is_new(problem, child, seen):
                    continue
                if width > 1 and moves[number] & 7 == DISCARD_USEFUL and is_stored_out(desk, child):
                    continue
                if weights[NEED] and not suits_endgame(desk, now[parent], child, weights):
                    continue
                buckets[child.value] += 1
                made += 1
        if made == 0:
            return -1
        kept = keep_best(children, made, width, now, buckets, desk.trail[turn])
        empty(buckets, children, made)
    return -1


@kernel
def empty(buckets: list[int], children: Any, made: int) -> None:
    """Forget the values of these positions: quicker than to empty all buckets."""
    for i in range(made):
        buckets[children[i].value] = 0


@kernel
def is_stored_out(desk: Desk, node: Node) -> bool:
    """Is a position lost for want of room, as a short look tells?"""
    positions = pooled_lost(
        desk.problem, node, desk.deck, desk.later, desk.pools, desk.memo, PRUNE_LIMIT
    )
    return positions != NOT_PROVED


@kernel
def suits_endgame(desk: Desk, parent: Node, child: Node, weights: list[int]) -> bool:
    """Can there be hint tokens enough for the endgame? Those that it needs lower the value."""
    problem = desk.problem
    if child.turns_left >= 0 or not problem.deck_ends:
        return True
    if child.drawn > parent.drawn or child.drawn >= problem.cut:
        child.tokens_needed = tokens_for_endgame(
            problem, child, desk.deck, desk.coming, desk.shares, desk.last_turns, desk.needs
        )
    pace = turns_for_plays(problem, child) - needed_cards(problem, child)
    gains = min(max(0, problem.cut - child.drawn), pace + problem.suits)
    if child.tokens_needed > min(child.hint_tokens + gains, problem.max_hint_tokens):
        return False
    lack = max(0, child.tokens_needed - child.hint_tokens)
    change = weights[NEED] * child.tokens_needed + weights[LACK] * lack
    child.value = max(0, min(MAX_VALUE, child.value + (change >> 2)))
    return True


@kernel
def is_new(problem: Problem, node: Node, seen: list[int]) -> bool:
    """Note a position; a small open-addressed table, which may forget but never confuses much."""
    if len(seen) == 0:
        return True
    key = fingerprint(problem, node) | 1
    place = key % len(seen)
    for step in range(8):
        at = place + step
        if at >= len(seen):
            at -= len(seen)
        if seen[at] == key:
            return False
        if seen[at] == 0:
            seen[at] = key
            return True
    return True


@kernel
def keep_best(
    children: Any, made: int, width: int, now: Any, buckets: list[int], trail: list[int]
) -> int:
    """Keep the `width` best positions; the answer is how many there are."""
    threshold = 0
    for i in range(made):
        threshold = max(threshold, children[i].value)
    room = width
    while threshold > 0 and buckets[threshold] < room:
        room -= buckets[threshold]
        threshold -= 1
    kept = 0
    for i in range(made):
        value = children[i].value
        if value > threshold or (value == threshold and room > 0):
            if value == threshold:
                room -= 1
            if kept < width:
                assign(now[kept], children[i])
                trail[2 * kept] = children[i].parent
                trail[2 * kept + 1] = children[i].move
                kept += 1
    return kept


@kernel
def write_line(last: Node, turn: int, width: int, trail: list[list[int]], line: list[int]) -> int:
    """Follow the parents back to the start."""
    line[turn] = last.move
    at = last.parent
    for earlier in range(turn - 1, -1, -1):
        line[earlier] = trail[earlier][2 * at + 1]
        at = trail[earlier][2 * at]
    return turn + 1
