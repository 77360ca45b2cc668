"""Projection: the table that each player can expect at their turn.

Whoever has a publicly identified playable card will play it. A question to a later player is
therefore about the table after those plays: a card that will have been played is dead by then, and
the next one of its suit is playable.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.game.state import View, rank_of
from hanabilab.strategies.hatter.tables import MOST_PLAYERS, NONE, Tables

__all__ = ["Projection", "project"]


class Projection(Tables):
    """What is playable and dead when each player's turn comes."""

    projection: int
    """Whether to look ahead; an option."""
    soon_playable: list[int] = ints(MOST_PLAYERS)
    soon_dead: list[int] = ints(MOST_PLAYERS)


@kernel
def project(view: View, memory: Projection, actor: int) -> None:
    """Work out the table at each turn after `actor`, if everyone makes their expected play."""
    playable = memory.playable
    dead = memory.dead
    player = actor
    for _ in range(1, view.rules.players):
        player += 1
        if player == view.rules.players:
            player = 0
        memory.soon_playable[player] = playable
        memory.soon_dead[player] = dead
        card = expected_play(view, memory, player, playable) if memory.projection else NONE
        if card != NONE:
            bit = 1 << card
            playable &= ~bit
            dead |= bit
            if rank_of(view, card) < view.rules.ranks:
                playable |= bit << 1 & ~dead


@kernel
def expected_play(view: View, memory: Projection, player: int, playable: int) -> int:
    """Return the identified card that a player is expected to play, or NONE.

    A card of the highest rank, which brings a token, goes before the lowest other one.
    """
    best = NONE
    best_rank = 0
    for slot in range(view.hand_count[player]):
        possible = memory.public[player][slot]
        if possible & playable and is_single(possible):
            card = lowest(possible)
            rank = rank_of(view, card)
            rank = 0 if rank == view.rules.ranks else rank
            if best == NONE or rank < best_rank:
                best = card
                best_rank = rank
    return best
