"""Rule agents under rules with special suits, hints or fireworks (`hanabilab.game.variants`).

Under plain rules a card has two facts to tell, its suit and its rank, and two actions, play and
discard, that do what they say. Special rules change both, so the rules here ask the engine:

- the worth of a hint is what it leaves of the cards that a slot may be (`State.possible`), among
  the legal hints that touch the card;
- a card is dead or playable if all its possible cards are, whatever the fireworks look like;
- of the two actions, the one more likely to have the desired effect is taken: cards of inverted
  suits are played by discarding them.

Nothing here depends on what the other players do not know; it only requires that `State.possible`
is correct.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest, nth_lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.random import below
from hanabilab.game.actions import discard_slot, hintable, play_slot, rank_hint, suit_hint
from hanabilab.game.cards import card_in, weight
from hanabilab.game.state import View
from hanabilab.game.turn import cards_of_hint
from hanabilab.strategies.own_hand import CardPlaces, OwnHand, first_slot
from hanabilab.strategies.strategy import NONE, Memory

__all__ = [
    "copies_among",
    "hint_of",
    "is_special",
    "press_discard",
    "press_play",
    "safest_discard",
    "sure_slots",
    "tell_about_any",
    "tell_anything",
    "tell_buttons",
    "tell_dead",
    "tell_first",
    "tell_most_news",
    "tell_news_of",
]


@kernel
def is_special(view: View) -> bool:
    """Return whether hints or actions work differently from plain rules."""
    return view.rules.special_hints + view.rules.other_effects != 0


@kernel
def hint_of(view: View, target: int, bit: int) -> int:
    """Return the action for a bit of `hintable`: suits from bit 0, ranks above all suits."""
    if bit < view.rules.suits:
        return suit_hint(view, target, bit)
    return rank_hint(view, target, bit - view.rules.suits + 1)


# --- hints ----------------------------------------------------------------------------------------


@kernel
def hints_about(view: View, target: int, slot: int) -> int:
    """Return the legal hints that touch a card of another player."""
    return view.rules.hint_bits[card_in(view.hands[target], slot)] & hintable(view, target)


@kernel
def most_telling(view: View, target: int, slot: int, wanted: int) -> int:
    """Return the hint after which a slot has the fewest possible cards other than `wanted`.

    Ties go to the fewest possible cards in all, then to ranks before suits. Return its bit, or NONE
    if no legal hint that touches the card is informative.
    """
    possible = view.possible[target][slot]
    hints = hints_about(view, target, slot)
    best = NONE
    best_count = 0
    while hints:
        bit = lowest(hints)
        hints &= hints - 1
        left = possible & cards_of_hint(view, bit)
        count = popcount(left & ~wanted) * view.rules.suits * view.rules.ranks + popcount(left)
        if left != possible and (best == NONE or count <= best_count):
            best = bit
            best_count = count
    return best


@kernel
def tell_news_of(view: View, places: CardPlaces, target: int, cards: int) -> int:
    """Give the most informative hint about the first of `cards` that may be something else."""
    slots = 0
    for slot in range(view.hand_count[target]):
        unsure = view.possible[target][slot] & ~cards != 0
        slots |= int(unsure and (cards >> card_in(view.hands[target], slot)) & 1 == 1) << slot
    return tell_first(view, places, target, slots, cards)


@kernel
def tell_first(view: View, places: CardPlaces, target: int, slots: int, wanted: int) -> int:
    """Give the most informative hint about the first of these slots for which there is one."""
    while slots:
        slot = first_slot(view, places, target, slots)
        slots &= ~(1 << slot)
        bit = most_telling(view, target, slot, wanted)
        if bit != NONE:
            return hint_of(view, target, bit)
    return NONE


@kernel
def tell_dead(view: View, target: int) -> int:
    """Give a hint that shows a player that one of their cards is dead, or return NONE."""
    for slot in range(view.hand_count[target]):
        possible = view.possible[target][slot]
        dead = view.dead >> card_in(view.hands[target], slot) & 1
        if dead and possible & ~view.dead:
            bit = most_telling(view, target, slot, view.dead)
            if bit != NONE and possible & cards_of_hint(view, bit) & ~view.dead == 0:
                return hint_of(view, target, bit)
    return NONE


@kernel
def tell_about_any(view: View, memory: Memory, target: int, slot: int) -> int:
    """Give any legal hint that touches a card, or return NONE."""
    hints = hints_about(view, target, slot)
    if hints == 0:
        return NONE
    return hint_of(view, target, nth_lowest(hints, below(memory, popcount(hints))))


@kernel
def tell_anything(view: View, memory: Memory, target: int) -> int:
    """Give a player any legal hint, or return NONE."""
    hints = hintable(view, target)
    if hints == 0:
        return NONE
    return hint_of(view, target, nth_lowest(hints, below(memory, popcount(hints))))


@kernel
def tell_most_news(view: View) -> int:
    """Give the hint that informs about the most cards it touches, or return NONE."""
    best = NONE
    best_count = 0
    for offset in range(1, view.rules.players):
        target = view.observer + offset
        if target >= view.rules.players:
            target -= view.rules.players
        hints = hintable(view, target)
        while hints:
            bit = lowest(hints)
            hints &= hints - 1
            count = count_news(view, target, cards_of_hint(view, bit))
            if count > best_count:
                best = hint_of(view, target, bit)
                best_count = count
    return best


@kernel
def count_news(view: View, target: int, touched: int) -> int:
    """Count the cards of a player that a hint touches although that was not certain."""
    count = 0
    for slot in range(view.hand_count[target]):
        news = view.possible[target][slot] & ~touched != 0
        count += int(news and touched >> card_in(view.hands[target], slot) & 1 == 1)
    return count


# --- buttons --------------------------------------------------------------------------------------


@kernel
def sure_slots(view: View, own: OwnHand, cards: int) -> int:
    """Return the observer's slots that can hold nothing but `cards`, all inverted or none."""
    inverted = view.rules.inverted
    slots = 0
    for slot in range(view.hand_count[view.observer]):
        possible = own.possible[slot]
        if possible & ~cards == 0 and (possible & inverted == 0 or possible & ~inverted == 0):
            slots |= 1 << slot
    return slots


@kernel
def copies_among(view: View, own: OwnHand, slot: int, cards: int) -> int:
    """Count the unseen copies of `cards` that a slot may be, all played by the same action."""
    found = own.possible[slot] & cards
    count = weight(own.unseen, view.rules.planes, found)
    if view.rules.inverted:
        inverted = weight(own.unseen, view.rules.planes, found & view.rules.inverted)
        return max(inverted, count - inverted)
    return count


@kernel
def press_play(view: View, own: OwnHand, slot: int) -> int:
    """Return the action that is more likely to put a card on its firework."""
    if view.rules.inverted == 0:
        return play_slot(view, slot)
    fitting = own.possible[slot] & view.playable
    inverted = weight(own.unseen, view.rules.planes, fitting & view.rules.inverted)
    if 2 * inverted > weight(own.unseen, view.rules.planes, fitting):
        return discard_slot(view, slot)
    return play_slot(view, slot)


@kernel
def press_discard(view: View, own: OwnHand, slot: int) -> int:
    """Return the action that discards a card with the smaller risk of a misplay."""
    if view.rules.inverted == 0:
        return discard_slot(view, slot)
    misfits = own.possible[slot] & ~view.playable
    inverted = weight(own.unseen, view.rules.planes, misfits & view.rules.inverted)
    if 2 * inverted > weight(own.unseen, view.rules.planes, misfits):
        return play_slot(view, slot)
    return discard_slot(view, slot)


@kernel
def safest_discard(view: View, own: OwnHand) -> int:
    """Return the slot that can be discarded with the least risk of a misplay.

    Ties go to the card with the most possibilities, so that hints are not wasted, then to the
    oldest.
    """
    best = 0
    best_risk, best_total = 2, 1
    for slot in range(view.hand_count[view.observer]):
        misfits = own.possible[slot] & ~view.playable
        inverted = weight(own.unseen, view.rules.planes, misfits & view.rules.inverted)
        risk = min(inverted, weight(own.unseen, view.rules.planes, misfits) - inverted)
        lead = best_risk * own.copies[slot] - risk * best_total
        if lead > 0 or (lead == 0 and own.copies[slot] > best_total):
            best = slot
            best_risk = risk
            best_total = own.copies[slot]
    return best


@kernel
def tell_buttons(view: View, target: int) -> int:
    """Tell a player without a safe discard which cards are inverted, or return NONE.

    It gives the hint that decides this for the most slots, touched or not.
    """
    if decided_slots(view, target, 0, False):
        return NONE
    best = NONE
    best_count = 0
    hints = hintable(view, target)
    while hints:
        bit = lowest(hints)
        hints &= hints - 1
        touched = cards_of_hint(view, bit)
        count = decided_slots(view, target, touched, True)
        if count > best_count:
            best = hint_of(view, target, bit)
            best_count = count
    return best


@kernel
def decided_slots(view: View, target: int, touched: int, told: bool) -> int:
    """Count a player's slots that are certainly inverted, or certainly not, after a hint.

    The hint touches the cards `touched`; without `told` there is no hint.
    """
    inverted = view.rules.inverted
    count = 0
    for slot in range(view.hand_count[target]):
        hit = touched >> card_in(view.hands[target], slot) & 1
        possible = view.possible[target][slot]
        if told:
            possible &= touched if hit else ~touched
        count += int(possible & inverted == 0 or possible & ~inverted == 0)
    return count
