"""The chop: the card that a player who knows nothing better will discard, as everyone can tell."""

from __future__ import annotations

from hanabilab.core.bits import is_single
from hanabilab.core.kernel import kernel
from hanabilab.game.state import View
from hanabilab.strategies.hatter.tables import CERTAIN, Tables, chance

__all__ = ["chop"]

DEAD, CRITICAL = 4, -3
"""The worth of discarding a dead or a critical card; only the ratios matter."""
KNOWN = -1
"""The same for an identified card that is still needed: it has cost hints and needs no more."""


@kernel
def chop(view: View, memory: Tables, known: list[int], cards: int) -> int:
    """Return the slot of a hand that is publicly best to discard, the oldest of equals."""
    best = 0
    best_worth = 0
    for slot in range(cards):
        worth = chop_worth(view, memory, known[slot])
        if slot == 0 or worth > best_worth:
            best = slot
            best_worth = worth
    return best


@kernel
def chop_worth(view: View, memory: Tables, possible: int) -> int:
    """Return the worth of discarding a card that may be any of these, in parts of `CERTAIN`."""
    if is_single(possible):
        return known_worth(memory, possible) * CERTAIN
    dead = chance(view, memory, possible, memory.dead)
    return DEAD * dead + CRITICAL * chance(view, memory, possible, memory.critical)


@kernel
def known_worth(memory: Tables, card: int) -> int:
    """Return the worth of discarding an identified card, in multiples of `CERTAIN`."""
    if card & memory.dead:
        return DEAD
    return CRITICAL if card & memory.critical else KNOWN
