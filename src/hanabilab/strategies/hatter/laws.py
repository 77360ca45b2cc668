"""Laws for two players: what an action says by not being a hint.

A is the player to move, B the partner. B is *unaware* if no public table of B's tells of a play.
B's chop (`hanabilab.strategies.hatter.chop`) is *watched* if, besides, no card of B's is publicly
useless and the chop is not publicly critical: then B would discard it next. B is *in need* if B is
unaware, and holds a playable card or has a critical card on the watched chop. A sees that, B does
not; but everyone knows which law is in force.

**The law of need** (a token is left, and B holds three cards or more). While B is in need, A hints:
no discard, and no play either, not even a certain one. Two plays are free: any play when the draw
pile is empty, and the play of the very card that is the reason for the need. So if A plays or
discards, everyone concludes that B is not in need: no slot of B's is playable, and the watched chop
is not critical (save for the card that A has just played).

**The law of warning** (no token is left, and the chop is watched). If the watched chop is critical,
A discards, even instead of a certain play; that gives B a token to use. So a play says that the
chop is not critical, and a discard by a player who publicly knows a play says that it is.
"""

from __future__ import annotations

from hanabilab.core.bits import popcount
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, PLAY
from hanabilab.game.cards import card_in
from hanabilab.game.state import View
from hanabilab.strategies.hatter.chop import chop
from hanabilab.strategies.hatter.decision import Choices
from hanabilab.strategies.hatter.tables import NONE, slots_within, useless_slots

__all__ = [
    "HOLDS_PLAY",
    "NEED",
    "RISKS_CHOP",
    "WARNING",
    "Laws",
    "binds",
    "conclude",
    "enact",
    "may_discard",
    "must_warn",
    "needs",
]

NO_LAW, NEED, WARNING = 0, 1, 2
HOLDS_PLAY, RISKS_CHOP = 1, 2
FEWEST_CARDS = 3
"""With fewer cards, B's turn hardly matters: the game is about to end."""


class Laws(Choices):
    """Which law is publicly in force in the next turn."""

    bind_plays: int
    watch_chops: int
    warn: int
    """How far the laws go; options."""
    law: int
    """NO_LAW, NEED or WARNING."""
    plays_are_free: int
    unaware: int
    """Whether the partner of the player to move knows of no play."""
    watched: int
    """The partner's watched chop, or NONE."""
    knows_play: int
    """The slots that the player to move publicly knows to be playable."""


@kernel
def enact(view: View, memory: Laws) -> None:
    """Work out which law is in force in the next turn."""
    me = view.player
    partner = 1 - me
    cards = view.hand_count[partner]
    public = memory.public[partner]
    memory.knows_play = slots_within(memory.public[me], view.hand_count[me], memory.playable)
    memory.unaware = 1 if slots_within(public, cards, memory.playable) == 0 else 0
    memory.watched = NONE
    if memory.watch_chops and memory.unaware and useless_slots(public, cards, memory.dead) == 0:
        slot = chop(view, memory, public, cards)
        if public[slot] & ~memory.critical:
            memory.watched = slot
    memory.plays_are_free = 1 if view.draw_pile == 0 or not memory.bind_plays else 0
    memory.law = NO_LAW
    if view.hint_tokens > 0:
        if cards >= FEWEST_CARDS:
            memory.law = NEED
    elif memory.warn and memory.watched != NONE and view.draw_pile > 0 and can_win(view, memory):
        memory.law = WARNING


@kernel
def can_win(view: View, memory: Laws) -> bool:
    """Tell whether there are turns enough for all cards that are not dead (pace 0 or more)."""
    return view.rules.players + view.draw_pile >= popcount(view.rules.all_cards & ~memory.dead)


@kernel
def needs(view: View, memory: Laws, playing: int) -> int:
    """Return the reasons why the partner of the player to move is in need, as bits.

    The cards `playing` are about to be played, and are no reason.
    """
    if not memory.unaware:
        return 0
    partner = 1 - view.player
    reasons = 0
    if memory.held[partner] & memory.playable & ~playing:
        reasons |= HOLDS_PLAY
    if memory.watched != NONE:
        card = card_in(view.hands[partner], memory.watched)
        if ((memory.critical & ~playing) >> card) & 1:
            reasons |= RISKS_CHOP
    return reasons


@kernel
def must_warn(view: View, memory: Laws) -> bool:
    """Tell whether the law of warning forbids a play."""
    if memory.law != WARNING:
        return False
    return (memory.critical >> card_in(view.hands[1 - view.player], memory.watched)) & 1 == 1


@kernel
def binds(memory: Laws, kind: int) -> bool:
    """Tell whether a play, or a discard, says something by the law in force."""
    if memory.law == NEED:
        return kind == DISCARD or not memory.plays_are_free
    return memory.law == WARNING and (kind == PLAY or memory.knows_play != 0)


@kernel
def may_discard(view: View, memory: Laws, need: int) -> bool:
    """Tell whether a discard says nothing false; `need` holds the reasons for the partner's."""
    if not binds(memory, DISCARD):
        return True
    return must_warn(view, memory) if memory.law == WARNING else need == 0


@kernel
def conclude(
    view: View, memory: Laws, known: list[int], cards: int, kind: int, played: int
) -> None:
    """Narrow the partner's table by what a play or a discard says; `played` is the card played."""
    if not binds(memory, kind):
        return
    if memory.law == NEED and memory.unaware:
        for slot in range(cards):
            known[slot] &= ~(memory.playable & ~played)
    if memory.watched != NONE:
        if memory.law == WARNING and kind == DISCARD:
            known[memory.watched] &= memory.critical
        elif known[memory.watched] & ~memory.critical:
            known[memory.watched] &= ~(memory.critical & ~played)
