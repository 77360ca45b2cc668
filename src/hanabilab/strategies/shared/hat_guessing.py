"""Hat guessing: one hint tells every other player a number (Cox et al. 2015, "Hat guessing").

Each hand has a number, its "hat", that everyone but its owner can work out. A hint tells the sum of
all hats but the giver's, modulo the number of ways to give a hint; each other player subtracts the
hats in sight and is left with their own. A way to give a hint is its kind and its target::

    0 … p-2      rank hint to the next player, to the one after, …
    p-1 … 2p-3   suit hint to the next player, to the one after, …

The rank or suit itself is free, so every way is open as long as all other players hold cards.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.actions import HINT_RANK, Event, rank_hint, suit_hint
from hanabilab.game.rules import Rules
from hanabilab.game.state import View
from hanabilab.strategies.strategy import Option

__all__ = [
    "PROGRAM",
    "READING",
    "hint_with",
    "reduce_sum",
    "told_sum",
    "unsupported_by_hats",
    "way_target",
    "ways_to_hint",
]

PROGRAM = 1
READING = Option(
    default="paper",
    choices=("paper", "program"),
    tunable=False,
    help="the text, or the authors' program",
)


@kernel
def ways_to_hint(view: View) -> int:
    """Return how many different numbers a hint can tell."""
    return 2 * (view.rules.players - 1)


@kernel
def reduce_sum(view: View, total: int) -> int:
    """Reduce a sum of hats modulo the number of ways; for five players, eight, by a mask."""
    ways = ways_to_hint(view)
    if ways & (ways - 1) == 0:
        return total & (ways - 1)
    return total % ways


@kernel
def told_sum(view: View, event: Event) -> int:
    """Return the number that a hint told."""
    offset = event.target - event.player
    if offset < 0:
        offset += view.rules.players
    return offset - 1 if event.kind == HINT_RANK else view.rules.players - 2 + offset


@kernel
def way_target(view: View, way: int) -> int:
    """Return whom the player to move must give a hint in order to tell a number."""
    offset = way + 1 if way < view.rules.players - 1 else way + 2 - view.rules.players
    target = view.player + offset
    return target if target < view.rules.players else target - view.rules.players


@kernel
def hint_with(view: View, way: int, card: int) -> int:
    """Return the hint given in this way that touches `card` in the target's hand."""
    target = way_target(view, way)
    suit = view.rules.suit_of[card]
    if way < view.rules.players - 1:
        return rank_hint(view, target, card - suit * view.rules.ranks + 1)
    return suit_hint(view, target, suit)


def unsupported_by_hats(rules: Rules) -> str | None:
    """Return why a hat strategy cannot play these rules, or None."""
    if rules.open_game:
        return "it communicates by hints, and an open game has none"
    if rules.hand_size < 2 or not rules.deck_ends:
        return "a player may have no card left to be given a hint about"
    return None
