"""Search an open game: quickly, by beams and proofs of loss; or exhaustively.

The quick search tries beams for wins and relaxed games for losses, cheapest first. If it leaves a
position open, the exhaustive search tries every line except those that are certainly equivalent or
lost. If it ends without a win, none exists: it tries every move that a winning line may need, and
prunes only by sound proofs. Positions are compared in full, so that no hash collision can turn a
win into a loss.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from hanabilab.core.bits import lowest, popcount
from hanabilab.core.clock import ticks
from hanabilab.core.kernel import kernel
from hanabilab.core.random import Rng
from hanabilab.core.record import assign, dtype, pack
from hanabilab.game.cards import MAX_PLAYERS
from hanabilab.game.deck import card_multiset, shuffle_deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, initial_state
from hanabilab.game.turn import deal
from hanabilab.solver.kernels.beam import NO_LINE, beam_search
from hanabilab.solver.kernels.endgame import choose_cut, endgame_lost
from hanabilab.solver.kernels.evaluate import NEED, WIDEST
from hanabilab.solver.kernels.loss import NOT_PROVED, lacks_storage, pace_lost, pooled_lost
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
from hanabilab.solver.kernels.workspace import Workspace, make_workspace, reset_workspace

__all__ = [
    "ABORTED",
    "BEAM",
    "ENDGAME",
    "EXHAUSTED",
    "PACE",
    "STORAGE",
    "UNDECIDED",
    "compile_quick_search",
    "decide_range",
    "prove_loss",
    "run_exhaustive_search",
    "run_quick_search",
]

UNDECIDED, BEAM, PACE, STORAGE, ENDGAME = range(5)
"""How a position was decided."""

POOL_LIMIT = 20_000
"""The largest number of positions of the pooled game in a proof."""
EXHAUSTED, ABORTED = -1, -2
ALL_MOVES = 48
KEY_WORDS = MAX_PLAYERS + 4
KEY_PROBES = 16


class DeckSource(NamedTuple):
    """What is needed to shuffle and deal the decks of a seed."""

    table: State
    """The state before the deal."""
    cards: list[int]
    rng: Rng
    seed: int


@kernel
def decide_quickly(workspace: Workspace, widest: int) -> int:
    """Return BEAM for a win (its moves in `line`), how a loss was proved, or UNDECIDED."""
    reset_workspace(workspace)
    problem, root, upcoming = workspace.problem, workspace.root, workspace.upcoming
    for stage in range(len(workspace.widths)):
        width = workspace.widths[stage]
        if width > widest:
            continue
        if workspace.weights[stage][NEED] and problem.cut == 0:
            choose_cut(problem, root, upcoming, workspace.endgame_scratch)
        turns = beam_search(workspace, stage)
        if turns != NO_LINE:
            workspace.result[0] = turns
            workspace.result[1] = width
            return BEAM
        if stage == 0:
            proof = prove_loss(workspace)
            if proof != UNDECIDED:
                return proof
    return UNDECIDED


@kernel
def prove_loss(workspace: Workspace) -> int:
    """Return PACE, STORAGE or ENDGAME if that game is lost, otherwise UNDECIDED."""
    problem, root, upcoming = workspace.problem, workspace.root, workspace.upcoming
    result = workspace.result
    result[0] = pace_lost(problem, root, upcoming, workspace.earliest)
    if result[0] != NOT_PROVED:
        return PACE
    result[0] = pooled_lost(problem, root, upcoming, workspace.pool_scratch, POOL_LIMIT)
    if result[0] != NOT_PROVED:
        return STORAGE
    result[0] = endgame_lost(problem, root, upcoming, workspace.endgame_scratch)
    if result[0] != NOT_PROVED:
        return ENDGAME
    return UNDECIDED


def compile_quick_search(workspace: Workspace) -> None:
    """Compile what decides most positions before the clock starts."""
    from hanabilab.core import machine_code

    machine_code.prepare(decide_quickly, workspace, WIDEST)


def run_quick_search(workspace: Workspace, widest: int = WIDEST) -> int:
    """Decide the position in the workspace, by beams up to a width; see `decide_quickly`."""
    from hanabilab.core import machine_code

    return int(machine_code.run(decide_quickly, workspace, widest))


@kernel
def decide_many(
    workspace: Workspace,
    source: DeckSource,
    first: int,
    widest: int,
    methods: list[int],
    spent: list[int],
) -> None:
    """Decide the decks from a game on; write the method and the ticks for each."""
    deck = workspace.upcoming.deck
    for number in range(len(methods)):
        shuffle_deck(deck, source.cards, source.rng, source.seed, first + number)
        deal(workspace.state, source.table, deck)
        start = ticks()
        methods[number] = decide_quickly(workspace, widest)
        spent[number] = ticks() - start


def decide_range(rules: Rules, seed: int, first: int, count: int) -> tuple[Any, Any]:
    """Return how the decks of a range of games were decided, and the seconds spent on each."""
    import numpy as np

    from hanabilab.core import machine_code

    table = initial_state(rules)
    cards: Any = np.array(card_multiset(rules), np.int64)
    methods, spent = np.zeros(count, np.int64), np.zeros(count, np.int64)
    source = DeckSource(table=pack(table)[0], cards=cards, rng=pack(Rng())[0], seed=seed)
    workspace = make_workspace(table, cards.copy())
    arguments = (workspace, source, first, WIDEST, methods, spent)
    loop = machine_code.prepare(decide_many, *arguments)
    start = time.perf_counter()
    loop(*arguments)
    seconds = time.perf_counter() - start
    return methods, spent * (seconds / max(int(spent.sum()), 1))


class SearchStack(NamedTuple):
    """Scratch space for a depth-first search: the current line, and the positions seen."""

    path: Any
    """The positions of the line, as an array of nodes."""
    moves: list[list[int]]
    """The moves of each position; the last column holds their number."""
    tried: list[int]
    """The number of moves tried at each position."""
    known: list[list[int]]
    """A hash table of the positions searched before."""
    visited: list[int]
    """The number of positions visited, in an array of length 1."""


@kernel
def list_all_moves(problem: Problem, node: Node, later: list[int], moves: list[int]) -> int:
    """Write every move that a winning line may need; return their number.

    The only moves left out lose the last copy of a needed card or the last life, or differ from
    another move only in the choice between equal cards.
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
def exhaustive_search(workspace: Workspace, descent: SearchStack, limit: int) -> int:
    """Search from `path[0]`; return the length of a winning line, whose moves are in `path`.

    Return EXHAUSTED if there is none, or ABORTED after `limit` positions.
    """
    problem, upcoming = workspace.problem, workspace.upcoming
    path, moves, tried, visited = descent.path, descent.moves, descent.tried, descent.visited
    depth = 0
    tried[0] = 0
    moves[0][ALL_MOVES] = list_all_moves(problem, path[0], upcoming.later, moves[0])
    visited[0] = 1
    while depth >= 0:
        if tried[depth] == moves[depth][ALL_MOVES]:
            depth -= 1
            continue
        if depth + 1 == len(tried):
            return ABORTED
        move = moves[depth][tried[depth]]
        tried[depth] += 1
        child = path[depth + 1]
        assign(child, path[depth])
        apply_move(problem, child, move, upcoming.deck)
        child.move = move
        if child.played == problem.rules.all_cards:
            return depth + 1
        if is_lost(workspace, child) or is_known(problem, child, descent.known):
            continue
        visited[0] += 1
        if visited[0] > limit:
            return ABORTED
        depth += 1
        tried[depth] = 0
        moves[depth][ALL_MOVES] = list_all_moves(problem, child, upcoming.later, moves[depth])
    return EXHAUSTED


@kernel
def is_lost(workspace: Workspace, node: Node) -> bool:
    """Return whether a position is over, or lost in a relaxed game."""
    problem, upcoming = workspace.problem, workspace.upcoming
    if node.turns_left == 0 or node.counts == 0:
        return True
    if problem.rules.deck_ends and turns_for_plays(problem, node) < needed_cards(problem, node):
        return True
    kind = node.move & 7
    if kind in (DISCARD_USEFUL, MISPLAY_USEFUL):
        if pace_lost(problem, node, upcoming, workspace.earliest) != NOT_PROVED:
            return True
        return lacks_storage(problem, node, upcoming, workspace.pool_scratch)
    return False


@kernel
def is_known(problem: Problem, node: Node, known: list[list[int]]) -> bool:
    """Return whether a position was searched before; otherwise store it if the table has space."""
    slots = len(known)
    if slots == 0:
        return False
    place = fingerprint(problem, node) % slots
    for probe in range(KEY_PROBES):
        row = known[(place + probe) % slots]
        if row[0] == 0:
            write_position(problem, node, row)
            return False
        if same_position(problem, node, row):
            return True
    return False


@kernel
def packed_counters(node: Node) -> int:
    """Pack everything but hands, fireworks and lives into a number that is never 0."""
    return (
        node.drawn << 36
        | (node.turns_left + 1) << 28
        | node.player << 24
        | node.hint_tokens << 1
        | 1
    )


@kernel
def write_position(problem: Problem, node: Node, row: list[int]) -> None:
    """Write everything that distinguishes a position."""
    row[0] = packed_counters(node)
    row[1] = node.played
    row[2] = node.counts
    row[3] = node.lives
    for player in range(problem.rules.players):
        row[4 + player] = node.held[player]


@kernel
def same_position(problem: Problem, node: Node, row: list[int]) -> bool:
    """Return whether a row of the table holds this position."""
    if row[0] != packed_counters(node) or row[1] != node.played or row[2] != node.counts:
        return False
    if row[3] != node.lives:
        return False
    same = True
    for player in range(problem.rules.players):
        same = same and row[4 + player] == node.held[player]
    return same


def run_exhaustive_search(workspace: Workspace, limit: int) -> tuple[int, list[int], int]:
    """Search from the root; return the result of `exhaustive_search`, moves and positions."""
    import numpy as np

    from hanabilab.core import machine_code

    depth = len(workspace.line)
    visited: Any = np.zeros(1, np.int64)
    path = np.zeros(depth, dtype(Node))
    path[0] = workspace.root
    descent = SearchStack(
        path=path,
        moves=np.zeros((depth, ALL_MOVES + 1), np.int64),  # type: ignore[arg-type]
        tried=np.zeros(depth, np.int64),  # type: ignore[arg-type]
        known=np.zeros((limit // 2, KEY_WORDS), np.int64),  # type: ignore[arg-type]
        visited=visited,
    )
    length = int(machine_code.run(exhaustive_search, workspace, descent, limit))
    return length, [int(move) for move in path["move"][1 : length + 1]], int(visited[0])
