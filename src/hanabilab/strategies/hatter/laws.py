"""Laws for two players: what an action says by not being a hint.

A is the player to move, B the partner. B is *unaware* if no public table of B's tells of a play.
B's chop (`hanabilab.strategies.hatter.tables`) is *watched* if, besides, no card of B's is publicly
useless and the chop is not publicly critical: then B would discard it next. B is *in need* if B is
unaware, and holds a playable card or has a critical card on the watched chop. A sees that, B does
not; but everyone knows which law is in force.

**The law of need** (a token is left, and B holds three cards or more). While B is in need, A hints:
no discard, and no play either, not even a certain one. Two plays are free: any play when the draw
pile is empty, and the play of the very card that is the reason for the need. So if A plays or
discards, everyone concludes that B is not in need: no slot of B's is playable, and the watched chop
is not critical (save for the card that A has just played).

**Idle hints.** A hint is *idle* if B is not in need. A gives no idle hint to an unaware B if A
publicly has something better to do: a play that the law of need would let A make, or, while time is
not short, the discard of a *safe* card, which cannot be critical (and is dead if it is identified).
So such a hint *means need*: B concludes that a card of B's is playable, or the watched chop
critical; and if only one of these reasons is left, after the number and the words, it is true.

**The law of warning** (no token is left, and the chop is watched). If the watched chop is critical,
A discards, even instead of a certain play; that gives B a token to use. So a play says that the
chop is not critical, and a discard by a player who publicly knows a play says that it is.

**Suspicion.** A hint under the law of need after which B still knows no play was probably about the
watched chop: from then on everyone counts that card, the *suspect*, as critical with at least the
chance `suspicion`, until it is better known or a law clears it. With all tokens a hint is forced,
and makes nothing suspect.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, PLAY, Event, can_discard
from hanabilab.game.cards import card_in
from hanabilab.game.state import View, rank_of
from hanabilab.strategies.hatter.memory import HatterMemory, Law
from hanabilab.strategies.hatter.questions import reset_told
from hanabilab.strategies.hatter.tables import (
    chop,
    project,
    slots_within,
    time_is_short,
    useless_slots,
)
from hanabilab.strategies.strategy import NONE

__all__ = [
    "HOLDS_PLAY",
    "NEED",
    "RISKS_CHOP",
    "WARNING",
    "apply_law",
    "binds",
    "coding_plays",
    "expect_play",
    "may_discard",
    "must_warn",
    "needs",
    "number_of_play",
    "suspect_unless_play",
    "update_law",
    "update_suspects",
]

NO_LAW, NEED, WARNING = 0, 1, 2
HOLDS_PLAY, RISKS_CHOP = 1, 2
FEWEST_CARDS = 3
"""With fewer cards, B's turn hardly matters: the game is about to end."""


@kernel
def update_law(view: View, memory: HatterMemory) -> None:
    """Work out which law is in force in the next turn."""
    tables, law = memory.tables, memory.law
    me = view.player
    partner = 1 - me
    cards = view.hand_count[partner]
    public = tables.public[partner]
    law.knows_play = slots_within(tables.public[me], view.hand_count[me], tables.playable)
    law.unaware = 1 if slots_within(public, cards, tables.playable) == 0 else 0
    law.watched = NONE
    if memory.watch_chops and law.unaware and useless_slots(public, cards, tables.dead) == 0:
        slot = chop(view, memory, partner, public)
        if public[slot] & ~tables.critical:
            law.watched = slot
    law.plays_are_free = 1 if view.draw_pile == 0 or not memory.bind_plays else 0
    law.kind = NO_LAW
    law.suspect = NONE
    law.hint_means_need = 0
    if view.hint_tokens > 0:
        if cards >= FEWEST_CARDS:
            law.kind = NEED
            if view.hint_tokens < view.rules.max_hint_tokens:
                law.suspect = law.watched
    elif memory.warn and law.watched != NONE and view.draw_pile > 0 and can_win(view, memory):
        law.kind = WARNING
    if memory.bind_hints and law.unaware and view.hint_tokens > 0:
        law.hint_means_need = int(must_play(law) or has_safe_discard(view, memory))


@kernel
def must_play(law: Law) -> bool:
    """Return whether the player to move publicly knows a play that only a need forbids."""
    return law.kind == NEED and law.knows_play != 0 and not law.plays_are_free


@kernel
def has_safe_discard(view: View, memory: HatterMemory) -> bool:
    """Return whether the player to move may discard a card that is publicly not critical."""
    tables = memory.tables
    me = view.player
    if view.hint_tokens == view.rules.max_hint_tokens or not can_discard(view):
        return False
    if time_is_short(view, memory):
        return False
    safe = 0
    for slot in range(view.hand_count[me]):  # without branches, which would be unpredictable
        possible = tables.public[me][slot]
        needed = (possible & ~tables.dead != 0) & is_single(possible)
        safe |= int((possible & tables.critical == 0) & (not needed))
    return safe != 0


@kernel
def can_win(view: View, memory: HatterMemory) -> bool:
    """Return whether there are turns enough for all cards that are not dead (pace 0 or more)."""
    return view.rules.players + view.draw_pile >= popcount(
        view.rules.all_cards & ~memory.tables.dead
    )


@kernel
def needs(view: View, memory: HatterMemory, playing: int) -> int:
    """Return the reasons why the partner of the player to move is in need, as bits.

    The cards `playing` are about to be played, and are no reason.
    """
    law = memory.law
    if not law.unaware:
        return 0
    partner = 1 - view.player
    reasons = 0
    if memory.private.held[partner] & memory.tables.playable & ~playing:
        reasons |= HOLDS_PLAY
    if law.watched != NONE:
        card = card_in(view.hands[partner], law.watched)
        if ((memory.tables.critical & ~playing) >> card) & 1:
            reasons |= RISKS_CHOP
    return reasons


@kernel
def must_warn(view: View, memory: HatterMemory) -> bool:
    """Return whether the law of warning forbids a play."""
    if memory.law.kind != WARNING:
        return False
    return (
        memory.tables.critical >> card_in(view.hands[1 - view.player], memory.law.watched)
    ) & 1 == 1


@kernel
def binds(law: Law, kind: int) -> bool:
    """Return whether a play, or a discard, says something by the law in force."""
    if law.kind == NEED:
        return kind == DISCARD or not law.plays_are_free
    return law.kind == WARNING and (kind == PLAY or law.knows_play != 0)


@kernel
def may_discard(view: View, memory: HatterMemory, need: int) -> bool:
    """Return whether a discard says nothing false; `need` holds the reasons for the partner's."""
    if not binds(memory.law, DISCARD):
        return True
    return must_warn(view, memory) if memory.law.kind == WARNING else need == 0


@kernel
def apply_law(memory: HatterMemory, known: list[int], cards: int, kind: int, played: int) -> None:
    """Narrow the partner's table by what a play or a discard says; `played` is the card played."""
    tables, law = memory.tables, memory.law
    if not binds(law, kind):
        return
    tables.changed = 1
    if law.kind == NEED and law.unaware:
        for slot in range(cards):
            known[slot] &= ~(tables.playable & ~played)
    if law.watched != NONE:
        if law.kind == WARNING and kind == DISCARD:
            known[law.watched] &= tables.critical
        elif known[law.watched] & ~tables.critical:
            known[law.watched] &= ~(tables.critical & ~played)


@kernel
def coding_plays(memory: HatterMemory) -> int:
    """Return the slots that the player to move publicly knows to be playable, if several."""
    slots = memory.law.knows_play
    return slots if memory.coded_plays and not is_single(slots) else 0


@kernel
def number_of_play(view: View, memory: HatterMemory, player: int, slots: int, slot: int) -> int:
    """Return the number that playing one of some slots tells: the lower its rank, the smaller.

    Small numbers are the likeliest, and low ranks should be played first.
    """
    public = memory.tables.public[player]
    number = 0
    while slots:
        other = lowest(slots)
        slots &= slots - 1
        lower = lowest_rank(view, public[other]) - lowest_rank(view, public[slot])
        number += int(lower < 0 or (lower == 0 and other < slot))
    return number


@kernel
def lowest_rank(view: View, cards: int) -> int:
    """Return the lowest rank of some cards."""
    best = view.rules.ranks
    while cards:
        best = min(best, rank_of(view, lowest(cards)))
        cards &= cards - 1
    return best


@kernel
def expect_play(view: View, memory: HatterMemory, player: int, slots: int) -> None:
    """Compute in `told` what the play of any of these slots says, before what the choice tells."""
    partner = 1 - player
    played = 0
    while slots:
        played |= memory.tables.public[player][lowest(slots)]
        slots &= slots - 1
    project(view, memory, player)
    reset_told(view, memory, partner)
    apply_law(memory, memory.signal.told[partner], view.hand_count[partner], PLAY, played)


# --- suspicion ------------------------------------------------------------------------------------


@kernel
def suspect_unless_play(view: View, memory: HatterMemory, player: int) -> None:
    """Suspect the slot that a hint may have been about, unless the hint told of a play."""
    tables = memory.tables
    if memory.law.suspect != NONE:
        cards = view.hand_count[player]
        if slots_within(tables.public[player], cards, tables.playable) == 0:
            tables.suspects[player] = memory.law.suspect


@kernel
def update_suspects(event: Event, memory: HatterMemory) -> None:
    """Follow the suspects after a play or a discard, before the law is applied."""
    suspects = memory.tables.suspects
    partner = 1 - event.player
    if binds(memory.law, event.kind) and suspects[partner] == memory.law.watched:
        suspects[partner] = NONE
    if suspects[event.player] == event.slot:
        suspects[event.player] = NONE
    elif suspects[event.player] > event.slot:
        suspects[event.player] -= 1
