"""What plays and discards say: silence, and discards that are more than that.

**Silence.** The player before another must save that player's critical chop, if there is a
token. So anything else says that the chop is not critical.

**Scream discards.** Without a token, a player who is known to have a play throws a card away
instead, which says to the next player: your chop is critical, keep it. A play then says that it is
not. Only a player who has a chop or a card known as dead can say either. **Shout discards** say the
same with a token in reserve: a card known as dead is thrown away instead of a play.

**Sarcastic discards.** A player who throws away a card that everyone knows, and that is still
needed, shows that another hand holds a copy: a touched card that may be it, is it.

**Gentleman's discards.** If that card fits now and nobody has a touched card that may be it, the
copy is the newest untouched card of another player, who plays it.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, Event
from hanabilab.game.cards import card_in
from hanabilab.game.state import View
from hanabilab.strategies.conventions.calls import finesse_slot, has_touched
from hanabilab.strategies.conventions.catalogue import (
    GENTLEMANS_DISCARDS,
    SARCASTIC_DISCARDS,
    SCREAM_DISCARDS,
    SHOUT_DISCARDS,
    SILENCE,
)
from hanabilab.strategies.conventions.memory import Beliefs
from hanabilab.strategies.conventions.tables import (
    CRITICAL_LOSS,
    chop_of,
    danger_of,
    is_busy,
    knows_play,
    meaning,
    pointed_at,
    seat_after,
)
from hanabilab.strategies.strategy import NONE

__all__ = [
    "announced_copy",
    "gentlemans_slot",
    "interpret_copy",
    "interpret_silence",
    "must_warn",
    "shows_copy",
    "warning_slot",
]


# --- the chop of the next player ------------------------------------------------------------------


@kernel
def interpret_silence(view: View, event: Event, beliefs: Beliefs) -> None:
    """Conclude what an action says about the chop of the next player, who was not hinted."""
    player = seat_after(view, event.player)
    chop = chop_of(view, beliefs, player)
    if chop == NONE or not action_is_informative(view, beliefs, event.player):
        return
    critical = beliefs.inferred[player][chop] & beliefs.critical
    if event.kind == DISCARD and is_warning(view, beliefs, event.player, event.slot):
        if critical:
            beliefs.inferred[player][chop] = critical
            beliefs.kept[player] |= 1 << chop
    elif beliefs.inferred[player][chop] & ~beliefs.critical:
        beliefs.inferred[player][chop] &= ~beliefs.critical


@kernel
def is_warning(view: View, beliefs: Beliefs, player: int, slot: int) -> bool:
    """Return whether a discard says that the next player's chop is critical."""
    cards = meaning(beliefs, player, slot)
    if beliefs.tokens == 0:
        return cards & ~beliefs.playable != 0
    return (
        beliefs.active & SHOUT_DISCARDS != 0
        and cards & ~beliefs.dead == 0
        and knows_play(view, beliefs, player)
    )


@kernel
def action_is_informative(view: View, beliefs: Beliefs, player: int) -> bool:
    """Return whether what a player does now says something about the next player's chop.

    A player who is called to play is not free to save, nor one without a card to throw away.
    """
    if beliefs.pile == 0 or beliefs.called[player]:
        return False
    if is_busy(view, beliefs, seat_after(view, player)):
        return False
    if beliefs.tokens > 0:
        return beliefs.active & SILENCE != 0
    return (
        beliefs.active & SCREAM_DISCARDS != 0
        and knows_play(view, beliefs, player)
        and (chop_of(view, beliefs, player) != NONE or dead_slot(view, beliefs, player) != NONE)
    )


@kernel
def dead_slot(view: View, beliefs: Beliefs, player: int) -> int:
    """Return the oldest slot that everyone takes for dead, or NONE."""
    for slot in range(view.hand_count[player]):
        if meaning(beliefs, player, slot) & ~beliefs.dead == 0:
            return slot
    return NONE


@kernel
def must_warn(view: View, beliefs: Beliefs) -> bool:
    """Return whether to discard instead of playing: the next player's chop is critical."""
    me = view.observer
    if danger_of(view, beliefs, seat_after(view, me)) != CRITICAL_LOSS:
        return False
    if not action_is_informative(view, beliefs, me):
        return False
    return beliefs.tokens == 0 or (
        beliefs.active & SHOUT_DISCARDS != 0
        and beliefs.tokens < view.rules.max_hint_tokens
        and knows_play(view, beliefs, me)
        and dead_slot(view, beliefs, me) != NONE
    )


@kernel
def warning_slot(view: View, beliefs: Beliefs) -> int:
    """Return what to throw away as a warning: a card that all know to be dead, else the chop."""
    slot = dead_slot(view, beliefs, view.observer)
    return slot if slot != NONE else chop_of(view, beliefs, view.observer)


# --- copies in other hands ------------------------------------------------------------------------


@kernel
def announced_copy(view: View, event: Event, beliefs: Beliefs) -> int:
    """Return the card of which a discard says that another hand holds a copy, as a set.

    `view` is after the discard, `beliefs` are as they were before.
    """
    cards = meaning(beliefs, event.player, event.slot)
    if cards != 1 << event.card or cards & view.dead:
        return 0
    return cards if beliefs.active & (SARCASTIC_DISCARDS | GENTLEMANS_DISCARDS) else 0


@kernel
def interpret_copy(view: View, beliefs: Beliefs, player: int, card: int) -> None:
    """Conclude who holds the copy of a card that a player threw away: as a touched card, or not."""
    holder = visible_holder(view, beliefs, player, card)
    mine = view.observer != player and has_touched(beliefs, view.observer, card)
    fits = beliefs.active & GENTLEMANS_DISCARDS and card & beliefs.playable
    if holder == NONE and fits and not mine:
        call_copy(view, beliefs, player, card)
        return
    if holder == NONE and view.observer != player:
        holder = view.observer
    if holder != NONE and beliefs.active & SARCASTIC_DISCARDS:
        slot = only_candidate(beliefs, holder, card)
        if slot != NONE:
            beliefs.inferred[holder][slot] = card


@kernel
def visible_holder(view: View, beliefs: Beliefs, player: int, card: int) -> int:
    """Return who is seen to hold a copy that was touched or called, or NONE."""
    for other in range(view.rules.players):
        slots = pointed_at(beliefs, other)
        while slots and other != player and other != view.observer:
            if card >> card_in(view.hands[other], lowest(slots)) & 1:
                return other
            slots &= slots - 1
    return NONE


@kernel
def only_candidate(beliefs: Beliefs, player: int, card: int) -> int:
    """Return the only touched slot that can be `card` and is not known as another, or NONE."""
    found, slots = NONE, pointed_at(beliefs, player)
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        cards = meaning(beliefs, player, slot)
        if beliefs.possible[player][slot] & card and (cards & card or not is_single(cards)):
            if found != NONE:
                return NONE
            found = slot
    return found


@kernel
def call_copy(view: View, beliefs: Beliefs, player: int, card: int) -> None:
    """Call the player whose newest untouched card is `card`, as far as the observer sees."""
    holder = NONE
    for offset in range(1, view.rules.players):
        other = (player + offset) % view.rules.players
        slot = finesse_slot(view, beliefs, other)
        if slot != NONE:
            if other == view.observer:
                if holder == NONE and beliefs.possible[other][slot] & card:
                    holder = other
            elif card >> card_in(view.hands[other], slot) & 1:
                holder = other
    if holder != NONE:
        slot = finesse_slot(view, beliefs, holder)
        beliefs.called[holder] |= 1 << slot
        beliefs.handed[holder] |= 1 << slot
        beliefs.source[holder][slot] = player + 1
        beliefs.inferred[holder][slot] = card


@kernel
def shows_copy(view: View, beliefs: Beliefs, player: int, card: int) -> bool:
    """Return whether the observer sees a card as the newest untouched one of another player."""
    for other in range(view.rules.players):
        slot = finesse_slot(view, beliefs, other)
        hidden = other in (player, view.observer) or slot == NONE
        if not hidden and card >> card_in(view.hands[other], slot) & 1:
            return True
    return False


@kernel
def gentlemans_slot(view: View, beliefs: Beliefs) -> tuple[int, int]:
    """Return a playable card to throw away, and who can play a copy of it; NONE for none."""
    me = view.observer
    if not beliefs.active & GENTLEMANS_DISCARDS or beliefs.tokens >= view.rules.max_hint_tokens:
        return NONE, NONE
    for slot in range(view.hand_count[me]):
        card = meaning(beliefs, me, slot)
        if is_single(card) and card & beliefs.playable:
            holder = only_holder(view, beliefs, card)
            if holder != NONE:
                return slot, holder
    return NONE, NONE


@kernel
def only_holder(view: View, beliefs: Beliefs, card: int) -> int:
    """Return the one idle player whose newest untouched card is a copy of a card, or NONE.

    Nobody may have a touched card that could be taken for the copy.
    """
    holder = NONE
    for offset in range(1, view.rules.players):
        other = (view.observer + offset) % view.rules.players
        slot = finesse_slot(view, beliefs, other)
        if has_touched(beliefs, other, card):
            return NONE
        if slot != NONE and card >> card_in(view.hands[other], slot) & 1:
            if holder != NONE or is_busy(view, beliefs, other) or beliefs.called[other]:
                return NONE
            holder = other
    return holder
