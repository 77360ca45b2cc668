"""The endgame: whether the last draws and the last round can be divided among the players.

This is a relaxation of the real game, played only after the first `cut` draws. By then every card
that can be on the fireworks is, and no hint token is missing; a card may be played by anyone who
may hold a copy of it. If even this game is lost, so is the position (`proofs.endgame_lost` proves
it). Otherwise, the number of hint tokens needed to wait for the players who hold the late cards
measures how well those cards are placed.
"""

from __future__ import annotations

from typing import NamedTuple

from hanabilab.core.bits import add_to_hash, lowest, multiply, popcount
from hanabilab.core.kernel import kernel
from hanabilab.game.cards import MAX_PLAYERS
from hanabilab.solver.kernels.loss import NOT_PROVED, next_playable
from hanabilab.solver.kernels.node import Node, Problem, Upcoming, held_by_all

__all__ = [
    "FRAMES",
    "FRAME_WORDS",
    "LAST_DRAWS",
    "NEED_ROWS",
    "NEED_WORDS",
    "EndgameScratch",
    "TokenLimits",
    "choose_cut",
    "endgame_lost",
    "need_at",
    "tokens_for_endgame",
]

LAST_DRAWS = 8
"""The earliest cut that is looked at leaves this many draws."""
PROOF_LIMIT, CUT_LIMIT, NEED_LIMIT = 20_000, 5_000, 100
"""The most positions to search: to prove a loss, to choose a cut, to value a position."""
NEED_ROWS, NEED_WORDS = 1 << 14, 3

PLAYED, ACTOR, CHOICE, PASSES, BALANCE, NEED = range(6)
"""The record of a turn: the fireworks before it, who acts, what that player tries next, the passes
that come first, the hint tokens won or lost before it, and those needed at the cut for it.
"""
FRAMES, FRAME_WORDS = LAST_DRAWS + MAX_PLAYERS + 1, 6
NO_MORE = 62


class EndgameScratch(NamedTuple):
    """Scratch space for a search of the endgame."""

    shares: list[int]
    """For each player, the cards that may be in that hand at the cut."""
    frames: list[list[int]]
    """The turns from the cut to the current one."""
    needs: list[list[int]]
    """The hint tokens found necessary; the first row, and every row in use, holds the number of the
    deck.
    """


class EndgameStart(NamedTuple):
    """Where an endgame begins."""

    cut: int
    """The number of cards drawn."""
    first: int
    """The player to move; -1 if that is open."""
    played: int
    """The cards on the fireworks."""


class TokenLimits(NamedTuple):
    """When to stop the search for the fewest hint tokens."""

    enough: int
    """Stop if this few tokens suffice."""
    most: int
    """The largest possible number of tokens."""
    positions: int
    """The largest number of positions to search; beyond it the endgame stays undecided."""


@kernel
def endgame_lost(problem: Problem, node: Node, upcoming: Upcoming, scratch: EndgameScratch) -> int:
    """Return the latest cut, in cards drawn, at which the endgame is lost, or NOT_PROVED."""
    if not problem.rules.deck_ends or node.turns_left >= 0:
        return NOT_PROVED
    for cut in range(problem.rules.deck_size - 1, first_cut(problem, node) - 1, -1):
        most = node.hint_tokens if cut == node.drawn else problem.max_hint_tokens
        limits = TokenLimits(most, most, PROOF_LIMIT)
        if need_at(problem, node, upcoming, cut, scratch, limits) > most:
            return cut
    return NOT_PROVED


@kernel
def choose_cut(problem: Problem, node: Node, upcoming: Upcoming, scratch: EndgameScratch) -> None:
    """Choose the cut for beams: where most tokens are needed, or there is least to spare."""
    problem.cut = problem.rules.deck_size
    if not problem.rules.deck_ends or node.turns_left >= 0:
        return
    tightest = -1
    limits = TokenLimits(0, problem.max_hint_tokens, CUT_LIMIT)
    for cut in range(problem.rules.deck_size - 1, first_cut(problem, node) - 1, -1):
        need = need_at(problem, node, upcoming, cut, scratch, limits)
        missing = problem.rules.all_cards & ~played_by(problem, node, upcoming.coming, cut)
        spare = problem.rules.deck_size - cut + problem.rules.players - popcount(missing)
        tightness = 4 * need + max(0, 20 - spare)
        if tightness > tightest:
            tightest = tightness
            problem.cut = cut
            node.tokens_needed = need


@kernel
def first_cut(problem: Problem, node: Node) -> int:
    """Return the earliest cut to consider."""
    return max(node.drawn, problem.rules.deck_size - LAST_DRAWS)


@kernel
def need_at(
    problem: Problem,
    node: Node,
    upcoming: Upcoming,
    cut: int,
    scratch: EndgameScratch,
    limits: TokenLimits,
) -> int:
    """Return the number of hint tokens that the endgame after a cut needs; see `fewest_tokens`."""
    assign_holders(problem, node, upcoming.deck, cut, scratch.shares)
    first = node.player if cut == node.drawn else -1
    start = EndgameStart(cut, first, played_by(problem, node, upcoming.coming, cut))
    return fewest_tokens(problem, upcoming.deck, start, scratch, limits)


@kernel
def tokens_for_endgame(
    problem: Problem, node: Node, upcoming: Upcoming, scratch: EndgameScratch
) -> int:
    """Return the hint tokens that the rest of the game needs: at the cut or, after it, now."""
    cut = max(problem.cut, node.drawn)
    begun = node.drawn >= problem.cut
    first = node.player if begun else -1
    played = node.played if begun else played_by(problem, node, upcoming.coming, cut)
    assign_holders(problem, node, upcoming.deck, cut, scratch.shares)
    key = multiply(played ^ (cut << 50) ^ (first + 1 << 57), 0x1F83_D9AB_FB41_BD6B)
    for player in range(problem.rules.players):
        part = scratch.shares[player] & problem.rules.all_cards & ~played
        key = add_to_hash(key, part)
    key ^= key >> 31
    needs = scratch.needs
    row = needs[1 + key % (len(needs) - 1)]
    if row[0] != needs[0][0] or row[1] != key:
        row[0] = needs[0][0]
        row[1] = key
        start = EndgameStart(cut, first, played)
        limits = TokenLimits(0, problem.max_hint_tokens, NEED_LIMIT)
        row[2] = fewest_tokens(problem, upcoming.deck, start, scratch, limits)
    return row[2]


@kernel
def played_by(problem: Problem, node: Node, coming: list[list[int]], cut: int) -> int:
    """Return all cards that may be on the fireworks when `cut` cards have been drawn.

    A card is played after its draw, and at the earliest one removal after the card below it.
    """
    held = held_by_all(problem, node)
    played = node.played
    ahead = coming[node.drawn]
    for suit in range(problem.rules.suits):
        earliest = node.drawn - 1
        for rank in range(problem.rules.ranks):
            card = suit * problem.rules.ranks + rank
            if (node.played >> card) & 1:
                continue
            there = node.drawn if (held >> card) & 1 else ahead[card] + 1
            earliest = max(there, earliest + 1)
            if earliest < cut:
                played |= 1 << card
    return played


@kernel
def assign_holders(
    problem: Problem, node: Node, deck: list[int], cut: int, shares: list[int]
) -> None:
    """Write the cards that may be in each hand when `cut` cards have been drawn.

    The player who draws a card before the cut is left open.
    """
    drawn = 0
    for place in range(node.drawn, cut):
        drawn |= 1 << deck[place]
    for player in range(problem.rules.players):
        shares[player] = node.held[player] | drawn


@kernel
def fewest_tokens(
    problem: Problem,
    deck: list[int],
    start: EndgameStart,
    scratch: EndgameScratch,
    limits: TokenLimits,
) -> int:
    """Return the fewest hint tokens at the cut with which the rest can be played.

    If it cannot be played, return one more than the largest possible number.

    A frame is a turn. While there are cards to draw, anybody may act, after passes that cost a hint
    token each; those before the first removal are free if the player to move is open. In the last
    round everybody acts in turn. A search that takes too long returns the best number so far, or
    the largest possible one.
    """
    frames, cut = scratch.frames, start.cut
    draws = problem.rules.deck_size - cut
    last = draws + problem.rules.players
    best = limits.most + 1
    set_frame(frames[0], start.played, max(start.first, 0), 0, 0)
    depth = 0
    positions = 0
    while depth >= 0:
        frame = frames[depth]
        missing = problem.rules.all_cards & ~frame[PLAYED]
        spare = last - depth - popcount(missing)
        chosen = -1
        if missing == 0:
            best = frame[NEED]
            if best <= limits.enough:
                return best
        elif spare >= 0 and frame[NEED] < best:
            chosen = next_choice(problem, deck, cut, depth, spare, scratch)
        if chosen < 0:
            depth -= 1
            continue
        positions += 1
        if positions > limits.positions:
            return min(best, limits.most)
        balance = frame[BALANCE]
        if depth < draws and (depth > 0 or start.first >= 0) and not problem.rules.unlimited_hints:
            balance -= frame[PASSES]
        need = max(frame[NEED], -balance)
        if need >= best:
            depth -= 1  # who acts later needs even more
            continue
        if chosen == 0 or (problem.rules.token_for_suit and chosen & problem.highest):
            balance += 1
        follower = (frame[ACTOR] + 1) % problem.rules.players
        set_frame(frames[depth + 1], frame[PLAYED] | chosen, follower, balance, need)
        depth += 1
    return best


@kernel
def set_frame(frame: list[int], played: int, actor: int, balance: int, need: int) -> None:
    """Initialize a turn in which nothing has been tried yet."""
    frame[PLAYED] = played
    frame[ACTOR] = actor
    frame[CHOICE] = 0
    frame[PASSES] = 0
    frame[BALANCE] = balance
    frame[NEED] = need


@kernel
def next_choice(
    problem: Problem, deck: list[int], cut: int, depth: int, spare: int, scratch: EndgameScratch
) -> int:
    """Return the bit of the card to play next, 0 for a discard, -1 when everything has been tried.

    An actor tries the suits in turn, then a discard if a removal can be spared; in the last round
    only if nothing can be played, because playing never hurts. Then the next player may act.
    """
    frame = scratch.frames[depth]
    last_round = depth >= problem.rules.deck_size - cut
    while True:
        if frame[CHOICE] < NO_MORE:
            fitting = playable_by(problem, deck, cut, depth, scratch)
            rest = fitting >> frame[CHOICE] << frame[CHOICE]
            if rest:
                card = lowest(rest)
                frame[CHOICE] = card + 1
                return 1 << card
            if spare > 0 and not (last_round and fitting):
                frame[CHOICE] = NO_MORE
                return 0
        if last_round or frame[PASSES] + 1 == problem.rules.players:
            return -1
        frame[PASSES] += 1
        frame[ACTOR] = (frame[ACTOR] + 1) % problem.rules.players
        frame[CHOICE] = 0


@kernel
def playable_by(
    problem: Problem, deck: list[int], cut: int, depth: int, scratch: EndgameScratch
) -> int:
    """Return the playable cards that the actor of this turn may hold."""
    frames = scratch.frames
    actor = frames[depth][ACTOR]
    held = scratch.shares[actor]
    for turn in range(min(depth, problem.rules.deck_size - cut)):
        if frames[turn][ACTOR] == actor:
            held |= 1 << deck[cut + turn]
    return held & next_playable(problem, frames[depth][PLAYED])
