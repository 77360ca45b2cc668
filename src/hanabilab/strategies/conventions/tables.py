"""What everyone knows about every card in hand, and what the conventions say on top of it.

For each slot there are two sets of cards. `possible` follows from the words of hints and from
counting: it is certain. `inferred` follows from the conventions: it is withdrawn as soon as the two
contradict each other. What a player takes a card to be is their common part (`meaning`).

`observe` sees the table after a turn, but an action must be interpreted by the table before it. So
the status of the cards is kept here.

The *chop* is the card that a player throws away next. Everyone discards cards known as dead first,
then the chop: the oldest card that no hint has touched, that nobody was called to play, and that no
warning protects.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import HINT_SUIT
from hanabilab.game.cards import (
    PLANES,
    any_copy,
    card_in,
    take_copy,
    without_bit,
)
from hanabilab.game.state import View, rank_cards, rank_of, suit_cards
from hanabilab.game.turn import cards_of_hint
from hanabilab.strategies.conventions.catalogue import GOOD_TOUCH, TWOS
from hanabilab.strategies.conventions.memory import Beliefs
from hanabilab.strategies.strategy import NONE

__all__ = [
    "CRITICAL_LOSS",
    "chop_of",
    "danger_of",
    "free_slots",
    "highest",
    "is_busy",
    "knows_play",
    "loss_of",
    "meaning",
    "meaning_of",
    "pointed_at",
    "remove_card",
    "reset_tables",
    "seat_after",
    "successors",
    "told_cards",
    "update_tables",
    "withdraw",
]


@kernel
def reset_tables(view: View, beliefs: Beliefs) -> None:
    """Start with every card possible in every slot."""
    for player in range(view.rules.players):
        beliefs.identified[player] = 0
        for slot in range(view.rules.hand_size):
            beliefs.possible[player][slot] = view.rules.all_cards
            beliefs.inferred[player][slot] = view.rules.all_cards
    beliefs.counted = 0
    update_tables(view, beliefs, 0)


@kernel
def remove_card(view: View, beliefs: Beliefs, player: int, slot: int, drew: int) -> None:
    """Follow a card that left a hand: the younger ones move down, and a new one may come."""
    last = view.hand_count[player] - drew
    for younger in range(slot, last):
        beliefs.possible[player][younger] = beliefs.possible[player][younger + 1]
        beliefs.inferred[player][younger] = beliefs.inferred[player][younger + 1]
        beliefs.source[player][younger] = beliefs.source[player][younger + 1]
    beliefs.possible[player][last] = view.rules.all_cards
    beliefs.inferred[player][last] = view.rules.all_cards
    beliefs.source[player][last] = 0
    beliefs.identified[player] = without_bit(beliefs.identified[player], slot)
    beliefs.promised[player] = without_bit(beliefs.promised[player], slot)
    beliefs.called[player] = without_bit(beliefs.called[player], slot)
    beliefs.handed[player] = without_bit(beliefs.handed[player], slot)
    beliefs.named[player] = without_bit(beliefs.named[player], slot)
    beliefs.pending[player] = without_bit(beliefs.pending[player], slot)
    beliefs.kept[player] = without_bit(beliefs.kept[player], slot)
    beliefs.chop_focus[player] = without_bit(beliefs.chop_focus[player], slot)
    beliefs.drawn[player] = without_bit(beliefs.drawn[player], slot) | drew << last
    beliefs.waiting[player] = 0
    if beliefs.waiting_slot[player] == slot:
        beliefs.later[player] = 0
    elif beliefs.waiting_slot[player] > slot:
        beliefs.waiting_slot[player] -= 1


@kernel
def update_tables(view: View, beliefs: Beliefs, changed: int) -> None:
    """Count again after a turn that changed the hand of one player or what is known about it.

    Withdraw what was false, and keep the status of the cards.
    """
    beliefs.playable = view.playable & ~view.dead
    beliefs.dead = view.dead
    beliefs.critical = view.critical
    beliefs.tokens = view.hint_tokens
    beliefs.pile = view.draw_pile
    for plane in range(PLANES):
        beliefs.unaccounted[plane] = view.left[plane]
    for player in range(view.rules.players):
        beliefs.touched[player] = view.suit_hinted[player] | view.rank_hinted[player]
        account_for(beliefs, player)
    count_copies(view, beliefs, changed)
    for player in range(view.rules.players):
        for slot in range(view.hand_count[player]):
            if beliefs.possible[player][slot] & beliefs.inferred[player][slot] == 0:
                withdraw(view, beliefs, player, slot)
        withdraw_late_calls(view, beliefs, player)
        note_known_cards(beliefs, player)


@kernel
def account_for(beliefs: Beliefs, player: int) -> None:
    """Take the copies in slots that were identified before: they stay so while they are held."""
    slots = beliefs.identified[player]
    while slots:
        take_copy(beliefs.unaccounted, lowest(beliefs.possible[player][lowest(slots)]))
        slots &= slots - 1


@kernel
def withdraw_late_calls(view: View, beliefs: Beliefs, player: int) -> None:
    """Withdraw the calls for cards that cannot fit any more, except those that wait for a card."""
    slots = beliefs.called[player]
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        fits = beliefs.possible[player][slot] & beliefs.inferred[player][slot] & beliefs.playable
        if fits:
            beliefs.pending[player] &= ~(1 << slot)
        elif not beliefs.pending[player] >> slot & 1:
            withdraw(view, beliefs, player, slot)


@kernel
def note_known_cards(beliefs: Beliefs, player: int) -> None:
    """Note which cards in a hand everyone knows: no other touched card there is one of these."""
    known = 0
    beliefs.known[player] = 0
    slots = pointed_at(beliefs, player)
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        cards = meaning(beliefs, player, slot)
        if is_single(cards):
            known |= cards & ~beliefs.dead
    beliefs.known[player] = known


@kernel
def count_copies(view: View, beliefs: Beliefs, changed: int) -> None:
    """Rule out cards without an unaccounted copy: in all hands if there are fewer than before."""
    cards = any_copy(beliefs.unaccounted)
    if cards == beliefs.counted:
        cards = narrow_hand(view, beliefs, changed, cards)
    while cards != beliefs.counted:
        beliefs.counted = cards
        for player in range(view.rules.players):
            cards = narrow_hand(view, beliefs, player, cards)


@kernel
def narrow_hand(view: View, beliefs: Beliefs, player: int, cards: int) -> int:
    """Rule out all but some cards in a hand; return those left after the slots identified now."""
    for slot in range(view.hand_count[player]):
        if not beliefs.identified[player] >> slot & 1:
            possible = beliefs.possible[player][slot] & view.possible[player][slot] & cards
            beliefs.possible[player][slot] = possible
            if possible != 0 and is_single(possible):
                beliefs.identified[player] |= 1 << slot
                take_copy(beliefs.unaccounted, lowest(possible))
                cards &= any_copy(beliefs.unaccounted)
    return cards


@kernel
def withdraw(view: View, beliefs: Beliefs, player: int, slot: int) -> None:
    """Take back what the conventions said about a card: the words of the hints remain."""
    beliefs.inferred[player][slot] = view.rules.all_cards
    beliefs.promised[player] &= ~(1 << slot)
    beliefs.called[player] &= ~(1 << slot)
    beliefs.handed[player] &= ~(1 << slot)
    beliefs.named[player] &= ~(1 << slot)
    beliefs.pending[player] &= ~(1 << slot)
    beliefs.kept[player] &= ~(1 << slot)


@kernel
def pointed_at(beliefs: Beliefs, player: int) -> int:
    """Return the slots of a player that a hint touched or a call means."""
    return beliefs.touched[player] | beliefs.called[player]


@kernel
def meaning_of(beliefs: Beliefs, possible: int, inferred: int, touched: int, known: int) -> int:
    """Return what a card is taken to be; by good touch a touched card is not dead."""
    cards = possible & inferred
    if cards == 0:
        cards = possible
    if touched and beliefs.active & GOOD_TOUCH and cards & ~beliefs.dead:
        cards &= ~beliefs.dead
        if not is_single(cards) and cards & ~known:
            cards &= ~known
    return cards


@kernel
def meaning(beliefs: Beliefs, player: int, slot: int) -> int:
    """Return the cards that everyone takes a slot to be."""
    return meaning_of(
        beliefs,
        beliefs.possible[player][slot],
        beliefs.inferred[player][slot],
        pointed_at(beliefs, player) >> slot & 1,
        beliefs.known[player],
    )


@kernel
def told_cards(view: View, kind: int, value: int) -> int:
    """Return the cards that a hint touches, whatever kinds of suits and ranks there are."""
    if view.rules.special_hints:
        return cards_of_hint(view, value if kind == HINT_SUIT else view.rules.suits + value - 1)
    return suit_cards(view, value) if kind == HINT_SUIT else rank_cards(view, value)


@kernel
def seat_after(view: View, player: int) -> int:
    """Return who acts after a player; a comparison takes less time than a division."""
    return player + 1 if player + 1 < view.rules.players else 0


@kernel
def successors(view: View, cards: int) -> int:
    """Return the cards that follow these on their fireworks."""
    return (cards << 1) & ~view.rules.rank_pattern & view.rules.all_cards


@kernel
def highest(slots: int) -> int:
    """Return the youngest of some slots, NONE if there are none."""
    return slots.bit_length() - 1


# --- the chop -------------------------------------------------------------------------------------


CRITICAL_LOSS, TWO_LOSS, PLAYABLE_LOSS = 150.0, 100.0, 60.0
"""What it is worth to keep a critical card, a two without a copy in sight, a playable card."""


@kernel
def free_slots(view: View, beliefs: Beliefs, player: int) -> int:
    """Return the slots that are neither touched, nor called, nor protected."""
    held = (1 << view.hand_count[player]) - 1
    return held & ~(pointed_at(beliefs, player) | beliefs.kept[player])


@kernel
def chop_of(view: View, beliefs: Beliefs, player: int) -> int:
    """Return a player's chop, or NONE if every card is spoken for."""
    free = free_slots(view, beliefs, player)
    return lowest(free) if free else NONE


@kernel
def knows_play(view: View, beliefs: Beliefs, player: int) -> bool:
    """Return whether everyone expects a player to have something to play."""
    for slot in range(view.hand_count[player]):
        if meaning(beliefs, player, slot) & ~beliefs.playable == 0:
            return True
    return False


@kernel
def is_busy(view: View, beliefs: Beliefs, player: int) -> bool:
    """Return whether a player is expected to play, or to throw away a dead card."""
    for slot in range(view.hand_count[player]):
        cards = meaning(beliefs, player, slot)
        if cards & ~beliefs.playable == 0 or cards & ~beliefs.dead == 0:
            return True
    return False


@kernel
def danger_of(view: View, beliefs: Beliefs, player: int) -> float:
    """Return what will be lost if a player, left alone, throws the chop away."""
    chop = chop_of(view, beliefs, player)
    if chop == NONE or is_busy(view, beliefs, player):
        return 0.0
    return loss_of(view, beliefs, player, card_in(view.hands[player], chop))


@kernel
def loss_of(view: View, beliefs: Beliefs, holder: int, card: int) -> float:
    """Return what is lost with a card that others see in a player's hand."""
    if beliefs.critical >> card & 1:
        return CRITICAL_LOSS
    loss = PLAYABLE_LOSS if beliefs.playable >> card & 1 else 0.0
    if rank_of(view, card) == 2 and beliefs.active & TWOS:
        loss = TWO_LOSS
    if loss == 0.0 or beliefs.dead >> card & 1 or is_seen_twice(view, holder, card):
        return 0.0
    return loss


@kernel
def is_seen_twice(view: View, holder: int, card: int) -> bool:
    """Return whether another copy of a card in a player's hand is in sight."""
    for player in range(view.rules.players):
        copies = 0
        for slot in range(view.hand_count[player]):
            copies += card_in(view.hands[player], slot) == card
        if copies > (player == holder):
            return True
    return False
