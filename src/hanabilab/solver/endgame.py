"""The endgame: can the last draws and the last round be shared among the players?

An easier game than the real one, played only after the first `cut` draws: by then everything lies
on the fireworks that can; passes are free; a card may be played by whoever may hold a copy of it.
If even that is lost, so is the position; `relaxed.endgame_lost` says why.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.game.rules import MAX_PLAYERS
from hanabilab.solver.loss import NOT_PROVED, next_playable
from hanabilab.solver.node import Node, Problem

__all__ = ["FRAMES", "LAST_DRAWS", "endgame_lost"]

LAST_DRAWS = 3
"""Cuts this many draws before the end, and later ones, are looked at."""

PLAYED, ACTOR, CHOICE = range(3)
FRAMES = LAST_DRAWS + MAX_PLAYERS + 1


@kernel
def endgame_lost(
    problem: Problem,
    node: Node,
    deck: list[int],
    coming: list[list[int]],
    holders: list[int],
    frames: list[list[int]],
    limit: int,
) -> int:
    """The latest cut, in cards drawn, at which the endgame is lost, or NOT_PROVED."""
    if not problem.deck_ends or node.turns_left >= 0:
        return NOT_PROVED
    size = problem.deck_size
    for draws in range(1, LAST_DRAWS + 1):
        cut = size - draws
        if cut < node.drawn:
            break
        played = played_by(problem, node, coming, cut)
        if is_lost_after(problem, node, deck, coming, cut, played, holders, frames, limit):
            return cut
    return NOT_PROVED


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
def find_holders(
    problem: Problem, node: Node, coming: list[list[int]], cut: int, holders: list[int]
) -> None:
    """For each card the set of those who may hold a copy when `cut` cards are drawn.

    Who draws a card before the cut is left open.
    """
    everybody = (1 << problem.players) - 1
    for card in range(problem.ranks * problem.suits):
        holders[card] = 0
        for player in range(problem.players):
            holders[card] |= ((node.held[player] >> card) & 1) << player
        if coming[node.drawn][card] < cut:
            holders[card] = everybody


@kernel
def is_lost_after(
    problem: Problem,
    node: Node,
    deck: list[int],
    coming: list[list[int]],
    cut: int,
    played: int,
    holders: list[int],
    frames: list[list[int]],
    limit: int,
) -> bool:
    """Search the game after the cut; a search that is too long proves nothing.

    A frame is a turn: who acts and what is tried next. While there are cards to draw anybody may
    act; in the last round everybody does in turn. Who can play plays: a play never harms here.
    """
    find_holders(problem, node, coming, cut, holders)
    draws = problem.deck_size - cut
    last = draws + problem.players
    frames[0][PLAYED] = played
    frames[0][ACTOR] = 0
    frames[0][CHOICE] = 0
    depth = 0
    positions = 0
    while depth >= 0:
        frame = frames[depth]
        missing = problem.all_cards & ~frame[PLAYED]
        if missing == 0:
            return False
        chosen = -1
        if popcount(missing) <= last - depth:
            chosen = next_choice(problem, deck, cut, draws, depth, holders, frames)
        if chosen < 0:
            depth -= 1
            continue
        positions += 1
        if positions > limit:
            return False
        child = frames[depth + 1]
        child[PLAYED] = frame[PLAYED] | chosen
        child[CHOICE] = 0
        child[ACTOR] = 0
        if depth + 1 >= draws:
            child[ACTOR] = (frame[ACTOR] + 1) % problem.players
        depth += 1
    return True


@kernel
def next_choice(
    problem: Problem,
    deck: list[int],
    cut: int,
    draws: int,
    depth: int,
    holders: list[int],
    frames: list[list[int]],
) -> int:
    """The bit of the card to be played next, 0 for a discard, -1 when all has been tried.

    The choices of an actor are the suits in turn, then a discard if none could be played.
    """
    frame = frames[depth]
    while frame[ACTOR] < problem.players:
        actor = frame[ACTOR]
        fitting = playable_by(problem, deck, cut, draws, depth, holders, frames)
        rest = fitting >> frame[CHOICE] << frame[CHOICE]
        if rest:
            card = lowest(rest)
            frame[CHOICE] = card + 1
            return 1 << card
        if fitting == 0 and frame[CHOICE] == 0:
            frame[CHOICE] = 62
            return 0
        if depth >= draws:
            return -1
        frame[ACTOR] = actor + 1
        frame[CHOICE] = 0
    return -1


@kernel
def playable_by(
    problem: Problem,
    deck: list[int],
    cut: int,
    draws: int,
    depth: int,
    holders: list[int],
    frames: list[list[int]],
) -> int:
    """The cards that the actor of this turn may hold and that fit."""
    actor = frames[depth][ACTOR]
    fitting = next_playable(problem, frames[depth][PLAYED])
    held = 0
    for turn in range(min(depth, draws)):
        if frames[turn][ACTOR] == actor:
            held |= 1 << deck[cut + turn]
    rest = fitting
    while rest:
        card = lowest(rest)
        held |= ((holders[card] >> actor) & 1) << card
        rest &= rest - 1
    return held & fitting
