"""The endgame: can the last draws and the last round be shared among the players?

An easier game than the real one, played only after the first `cut` draws: by then everything lies
on the fireworks that can, and all hint tokens are there; a card may be played by whoever may hold a
copy of it. If even that is lost, so is the position; `relaxed.endgame_lost` says why. If it is not,
the hint tokens that it needs tell how well the late cards are placed: those are what it takes to
wait for the players who hold them.
"""

from __future__ import annotations

from hanabilab.core.bits import LOW_62, lowest, multiply, popcount
from hanabilab.core.kernel import kernel
from hanabilab.game.cards import MAX_PLAYERS
from hanabilab.solver.kernels.loss import NOT_PROVED, next_playable
from hanabilab.solver.kernels.node import Node, Problem

__all__ = [
    "FRAMES",
    "FRAME_WORDS",
    "LAST_DRAWS",
    "NEED_ROWS",
    "NEED_WORDS",
    "choose_cut",
    "endgame_lost",
    "tokens_for_endgame",
]

LAST_DRAWS = 8
"""Cuts this many draws before the end, and later ones, are looked at."""
PROOF_LIMIT, CUT_LIMIT, NEED_LIMIT = 20_000, 5_000, 100
"""Positions that a search may look at: to prove a loss, to choose a cut, to value a position."""
NEED_ROWS, NEED_WORDS = 1 << 14, 3

PLAYED, ACTOR, CHOICE, PASSES, BALANCE, NEED = range(6)
"""What is known of a turn: the fireworks before it, who acts, what that player tries next, the
passes that come first; the hint tokens won or lost before it, and those needed at the cut for it.
"""
FRAMES, FRAME_WORDS = LAST_DRAWS + MAX_PLAYERS + 1, 6
NO_MORE = 62


@kernel
def endgame_lost(
    problem: Problem,
    node: Node,
    deck: list[int],
    coming: list[list[int]],
    shares: list[int],
    frames: list[list[int]],
) -> int:
    """The latest cut, in cards drawn, at which the endgame is lost, or NOT_PROVED."""
    if not problem.deck_ends or node.turns_left >= 0:
        return NOT_PROVED
    for cut in range(problem.deck_size - 1, first_cut(problem, node) - 1, -1):
        most = node.hint_tokens if cut == node.drawn else problem.max_hint_tokens
        need = need_at(problem, node, deck, coming, cut, shares, frames, most, most, PROOF_LIMIT)
        if need > most:
            return cut
    return NOT_PROVED


@kernel
def choose_cut(
    problem: Problem,
    node: Node,
    deck: list[int],
    coming: list[list[int]],
    shares: list[int],
    frames: list[list[int]],
) -> None:
    """The cut that beams look at: where most tokens are needed, or there is least to spare."""
    problem.cut = problem.deck_size
    if not problem.deck_ends or node.turns_left >= 0:
        return
    tightest = -1
    most = problem.max_hint_tokens
    for cut in range(problem.deck_size - 1, first_cut(problem, node) - 1, -1):
        need = need_at(problem, node, deck, coming, cut, shares, frames, 0, most, CUT_LIMIT)
        missing = problem.all_cards & ~played_by(problem, node, coming, cut)
        spare = problem.deck_size - cut + problem.players - popcount(missing)
        tightness = 4 * need + max(0, 20 - spare)
        if tightness > tightest:
            tightest = tightness
            problem.cut = cut
            node.tokens_needed = need


@kernel
def first_cut(problem: Problem, node: Node) -> int:
    """The earliest cut that is looked at."""
    return max(node.drawn, problem.deck_size - LAST_DRAWS)


@kernel
def need_at(
    problem: Problem,
    node: Node,
    deck: list[int],
    coming: list[list[int]],
    cut: int,
    shares: list[int],
    frames: list[list[int]],
    enough: int,
    most: int,
    limit: int,
) -> int:
    """The hint tokens that the endgame after a cut needs; see `fewest_tokens`."""
    share_out(problem, node, deck, cut, shares)
    first = node.player if cut == node.drawn else -1
    played = played_by(problem, node, coming, cut)
    return fewest_tokens(problem, deck, cut, first, played, shares, frames, enough, most, limit)


@kernel
def tokens_for_endgame(
    problem: Problem,
    node: Node,
    deck: list[int],
    coming: list[list[int]],
    shares: list[int],
    frames: list[list[int]],
    needs: list[list[int]],
) -> int:
    """The hint tokens that the rest of the game needs, at the cut or, if that is over, now.

    `needs` keeps what has been found for this deck, whose number stands in its first row.
    """
    cut = max(problem.cut, node.drawn)
    begun = node.drawn >= problem.cut
    first = node.player if begun else -1
    played = node.played if begun else played_by(problem, node, coming, cut)
    share_out(problem, node, deck, cut, shares)
    key = multiply(played ^ (cut << 50) ^ (first + 1 << 57), 0x1F83_D9AB_FB41_BD6B)
    for player in range(problem.players):
        part = shares[player] & problem.all_cards & ~played
        key = multiply((key ^ (key >> 29)) + part & LOW_62, 0x1E37_79B9_7F4A_7C15)
    key ^= key >> 31
    row = needs[1 + key % (len(needs) - 1)]
    if row[0] != needs[0][0] or row[1] != key:
        row[0] = needs[0][0]
        row[1] = key
        most = problem.max_hint_tokens
        row[2] = fewest_tokens(
            problem, deck, cut, first, played, shares, frames, 0, most, NEED_LIMIT
        )
    return row[2]


@kernel
def played_by(problem: Problem, node: Node, coming: list[list[int]], cut: int) -> int:
    """The cards that may lie on the fireworks when `cut` cards are drawn: all others do not.

    A card is played after its draw, and one removal after the card below it at the earliest.
    """
    held = 0
    for player in range(problem.players):
        held |= node.held[player]
    played = node.played
    ahead = coming[node.drawn]
    for suit in range(problem.suits):
        earliest = node.drawn - 1
        for rank in range(problem.ranks):
            card = suit * problem.ranks + rank
            if (node.played >> card) & 1:
                continue
            there = node.drawn if (held >> card) & 1 else ahead[card] + 1
            earliest = max(there, earliest + 1)
            if earliest < cut:
                played |= 1 << card
    return played


@kernel
def share_out(problem: Problem, node: Node, deck: list[int], cut: int, shares: list[int]) -> None:
    """For each player the cards that may be in that hand when `cut` cards are drawn.

    Who draws a card before the cut is left open.
    """
    drawn = 0
    for place in range(node.drawn, cut):
        drawn |= 1 << deck[place]
    for player in range(problem.players):
        shares[player] = node.held[player] | drawn


@kernel
def fewest_tokens(
    problem: Problem,
    deck: list[int],
    cut: int,
    first: int,
    played: int,
    shares: list[int],
    frames: list[list[int]],
    enough: int,
    most: int,
    limit: int,
) -> int:
    """The fewest hint tokens at the cut with which the rest can be played; one more than the `most`
    that there can be if it cannot.

    A frame is a turn. While there are cards to draw anybody may act, after passes that cost a hint
    token each; those before the first removal cost nothing where it is not known whose turn it is
    (`first` is -1). In the last round everybody acts in turn. The search ends with a number that is
    `enough`; when it gets too long, with the best so far or `most`.
    """
    draws = problem.deck_size - cut
    last = draws + problem.players
    best = most + 1
    set_frame(frames[0], played, max(first, 0), 0, 0)
    depth = 0
    positions = 0
    while depth >= 0:
        frame = frames[depth]
        missing = problem.all_cards & ~frame[PLAYED]
        spare = last - depth - popcount(missing)
        chosen = -1
        if missing == 0:
            best = frame[NEED]
            if best <= enough:
                return best
        elif spare >= 0 and frame[NEED] < best:
            chosen = next_choice(problem, deck, cut, depth, spare, shares, frames)
        if chosen < 0:
            depth -= 1
            continue
        positions += 1
        if positions > limit:
            return min(best, most)
        balance = frame[BALANCE]
        if depth < draws and (depth > 0 or first >= 0) and not problem.unlimited_hints:
            balance -= frame[PASSES]
        need = max(frame[NEED], -balance)
        if need >= best:
            depth -= 1  # who acts later needs even more
            continue
        if chosen == 0 or (problem.token_for_suit and chosen & problem.highest):
            balance += 1
        follower = (frame[ACTOR] + 1) % problem.players
        set_frame(frames[depth + 1], frame[PLAYED] | chosen, follower, balance, need)
        depth += 1
    return best


@kernel
def set_frame(frame: list[int], played: int, actor: int, balance: int, need: int) -> None:
    """A turn in which nothing has been tried yet."""
    frame[PLAYED] = played
    frame[ACTOR] = actor
    frame[CHOICE] = 0
    frame[PASSES] = 0
    frame[BALANCE] = balance
    frame[NEED] = need


@kernel
def next_choice(
    problem: Problem,
    deck: list[int],
    cut: int,
    depth: int,
    spare: int,
    shares: list[int],
    frames: list[list[int]],
) -> int:
    """The bit of the card to be played next, 0 for a discard, -1 when all has been tried.

    The choices of an actor are the suits in turn, then a discard if there is a removal to spare; in
    the last round only if nothing can be played, which never harms. Then comes the next actor.
    """
    frame = frames[depth]
    last_round = depth >= problem.deck_size - cut
    while True:
        if frame[CHOICE] < NO_MORE:
            fitting = playable_by(problem, deck, cut, depth, shares, frames)
            rest = fitting >> frame[CHOICE] << frame[CHOICE]
            if rest:
                card = lowest(rest)
                frame[CHOICE] = card + 1
                return 1 << card
            if spare > 0 and not (last_round and fitting):
                frame[CHOICE] = NO_MORE
                return 0
        if last_round or frame[PASSES] + 1 == problem.players:
            return -1
        frame[PASSES] += 1
        frame[ACTOR] = (frame[ACTOR] + 1) % problem.players
        frame[CHOICE] = 0


@kernel
def playable_by(
    problem: Problem,
    deck: list[int],
    cut: int,
    depth: int,
    shares: list[int],
    frames: list[list[int]],
) -> int:
    """The cards that the actor of this turn may hold and that fit."""
    actor = frames[depth][ACTOR]
    held = shares[actor]
    for turn in range(min(depth, problem.deck_size - cut)):
        if frames[turn][ACTOR] == actor:
            held |= 1 << deck[cut + turn]
    return held & next_playable(problem, frames[depth][PLAYED])
