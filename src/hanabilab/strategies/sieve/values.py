"""What an action is worth: the table that it leaves, as the player sees the partner's cards.

An action is applied to a copy of the public table and read as the partner will read it. Then the
partner's answer is foreseen: the plays that the partner knows of, or else the discard.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.record import assign
from hanabilab.game.actions import DISCARD, PLAY
from hanabilab.game.cards import HIDDEN, any_copy, card_in, weight, without_slot
from hanabilab.game.state import View, rank_of
from hanabilab.strategies.sieve.calls import EMPTY
from hanabilab.strategies.sieve.copies import handed_card
from hanabilab.strategies.sieve.memory import (
    EMERGENCY_LEVEL,
    SPECIAL_LEVEL,
    SieveMemory,
    Table,
)
from hanabilab.strategies.sieve.reading import read_hint, touched_by
from hanabilab.strategies.sieve.tables import (
    chop_of,
    fresh_bit,
    highest,
    meaning,
    play_order,
    plays_of,
    trash_beside,
    trash_of,
)
from hanabilab.strategies.sieve.turns import read_card, settle_card
from hanabilab.strategies.strategy import NONE

__all__ = [
    "is_certain",
    "loss_of",
    "mean_loss",
    "own_plays",
    "spare_slots",
    "value_of_discard",
    "value_of_hint",
    "value_of_play",
]

PLAY_NOW, PLAY_NEXT, PLAY_LATER = 1.6, 0.85, 0.6
"""The value of a card that is played now, by the partner next, or later."""
STRIKE, LAST_STRIKE = 2.5, 30.0
"""The price of a misplay, and of the one that ends the game."""
TOKENS = (0.0, 1.0, 1.85, 2.3, 2.65, 3.25, 3.5, 3.65, 3.75)
"""The value of hint tokens."""
MORE_TOKENS = 0.05
"""The value of each further one."""
CRITICAL, POINT = 3.2, 1.2
"""The price of a critical card, and of each point lost with it."""
USEFUL = (0.0, 0.4, 1.2, 0.8, 0.5, 0.5)
"""The price of a card that is still needed, by its rank."""
FITTING, COPY = 0.6, 0.2
"""The price of a card that could be played, and the share of the price if a copy is in sight."""
TRUST = 0.15
"""How much of the price counts if the partner says that a card can be discarded."""
LOCKED, LOCKED_DRY = 0.8, 2.0
"""The price of a locked partner with and without a hint token."""
CLOG, KNOWN_TRASH, MISLED, FALSE_CALL = 0.2, 0.1, 0.5, 3.0
"""The price of trash that looks needed, the value of known trash, the price of a false belief, and
of a call for a card that it is not."""
FALSE_NOTE = 0.5
"""The price of a discard that announces a copy which the partner does not hold."""
KNOWN, TOUCHED = 0.5, 0.2
"""The value of a needed card that is known, and of one of which something is known."""
IN_ORDER = 0.25
"""The value of playing the card that the partner expects."""
HUGE = 1e9
NO_MEANING = 0.3
"""The price of a hint without a meaning."""


@kernel
def value_of_play(view: View, memory: SieveMemory, slot: int) -> float:
    """Return what a play of one's own is worth, on average over what the card may be."""
    cards = memory.own.possible[slot] & memory.table.playable
    expected = slot == play_order(memory.table, view.observer)
    total, copies = 0.0, 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        count = weight(memory.own.unseen, view.rules.planes, 1 << card)
        total += count * value_of_known_play(view, memory, slot, card)
        copies += count
    return PLAY_NOW + (IN_ORDER if expected else 0.0) + total / max(1, copies)


@kernel
def value_of_known_play(view: View, memory: SieveMemory, slot: int, card: int) -> float:
    """Return the outlook after the play of a card."""
    table = memory.imagined
    assign(table, memory.table)
    read_card(view, table, view.observer, PLAY, slot, card, int(view.draw_pile > 0))
    return outlook(view, memory) + value_of_later(view, memory, slot)


@kernel
def value_of_discard(view: View, memory: SieveMemory, slot: int) -> float:
    """Return what a discard is worth."""
    me, table = view.observer, memory.imagined
    cards = memory.own.possible[slot]
    price = mean_loss(view, memory, cards)
    if (memory.table.thrown[me] | memory.table.permitted[me]) >> slot & 1:
        price *= TRUST
    elif is_copy(view, memory, slot):
        price *= COPY
    assign(table, memory.table)
    card = lowest(cards) if cards and is_single(cards) else HIDDEN
    read_card(view, table, me, DISCARD, slot, card, int(view.draw_pile > 0))
    return value_of_later(view, memory, slot) - price + outlook(view, memory)


@kernel
def value_of_hint(view: View, memory: SieveMemory, kind: int, value: int) -> float:
    """Return what a hint is worth; `memory.meaning` is then what it means."""
    me = view.observer
    touched = touched_by(view, 1 - me, kind, value)
    assign(memory.imagined, memory.table)
    memory.meaning = read_hint(view, memory.imagined, me, kind, value, touched)
    nothing = NO_MEANING if memory.meaning == EMPTY else 0.0
    return value_of_later(view, memory, NONE) - nothing + outlook(view, memory)


@kernel
def value_of_later(view: View, memory: SieveMemory, gone: int) -> float:
    """Return the value of one's own plays that are left, unless the partner will play the card."""
    partner = 1 - view.observer
    theirs = 0
    plays = plays_of(memory.imagined, partner)
    while plays:
        theirs |= 1 << card_in(view.hands[partner], lowest(plays))
        plays &= plays - 1
    slots, count = own_plays(view, memory), 0
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        cards = memory.own.possible[slot]
        count += int(slot != gone and cards & ~theirs != 0)
    return PLAY_LATER * count


@kernel
def own_plays(view: View, memory: SieveMemory) -> int:
    """Return the slots that the player can play, by the public table or by the cards in sight."""
    plays = plays_of(memory.table, view.observer)
    found = 0
    for slot in range(view.hand_count[view.observer]):
        cards = memory.own.possible[slot]
        public = plays >> slot & 1 and cards & memory.table.playable
        if public or is_certain(view, memory, slot):
            found |= 1 << slot
    return found


@kernel
def is_certain(view: View, memory: SieveMemory, slot: int) -> bool:
    """Return whether the words of hints and the cards in sight leave only playable cards."""
    cards = memory.table.possible[view.observer][slot] & any_copy(memory.own.unseen)
    return cards & ~memory.table.playable == 0


# --- the partner's hand ---------------------------------------------------------------------------


@kernel
def outlook(view: View, memory: SieveMemory) -> float:
    """Return the value of the imagined table: tokens, the partner's answer and knowledge."""
    table, partner = memory.imagined, 1 - view.observer
    plays = plays_of(table, partner)
    trash = trash_beside(table, partner, plays)
    total = value_of_tokens(table.tokens)
    for slot in range(table.count[partner]):
        total += value_of_slot(view, table, partner, slot, trash)
    if plays:
        return total + value_of_plays(view, memory)
    if trash:
        slot = lowest(trash)
        named = (table.thrown[partner] | table.permitted[partner]) >> slot & 1
        return total if named else total - loss_of(view, table, partner, slot)
    newest = fresh_bit(table, partner)
    if newest:
        return total - loss_of(view, table, partner, highest(newest))
    return total - (LOCKED if table.tokens > 0 else LOCKED_DRY)


@kernel
def value_of_tokens(tokens: int) -> float:
    """Return the value of hint tokens."""
    most = len(TOKENS) - 1
    if tokens <= most:
        return TOKENS[max(0, tokens)]
    return TOKENS[most] + MORE_TOKENS * (tokens - most)


@kernel
def value_of_plays(view: View, memory: SieveMemory) -> float:
    """Return the value of the plays that the partner knows of, one after the other."""
    partner = 1 - view.observer
    table = memory.trial
    assign(table, memory.imagined)
    hand = view.hands[partner]
    total, worth = 0.0, PLAY_NEXT
    for _ in range(view.hand_count[partner]):
        slot = play_order(table, partner)
        if slot == NONE:
            break
        card = card_in(hand, slot)
        if not table.playable >> card & 1:
            total -= STRIKE if table.lives > 1 else LAST_STRIKE
            break
        total += worth
        worth = PLAY_LATER
        settle_card(view, table, partner, PLAY, slot, card, 0)
        hand = without_slot(hand, slot)
    return total


@kernel
def value_of_slot(view: View, table: Table, player: int, slot: int, known_trash: int) -> float:
    """Return what is known of one of the partner's cards, as far as it is true."""
    card = card_in(view.hands[player], slot)
    trash = known_trash >> slot & 1
    if (table.thrown[player] | table.permitted[player]) >> slot & 1:
        return (KNOWN_TRASH if trash else 0.0) - loss_of(view, table, player, slot)
    known = table.touched[player] >> slot & 1
    cards = meaning(table, player, slot)
    if table.called[player] >> slot & 1 and not cards >> card & 1:
        layered = table.owed[player][slot] and table.playable >> card & 1
        return 0.0 if layered else -FALSE_CALL
    if table.dead >> card & 1:
        kept = known | table.sieved[player] >> slot & 1
        return KNOWN_TRASH if trash else -CLOG * kept
    if trash or not cards >> card & 1:
        return -MISLED
    if cards == 1 << card:
        return KNOWN
    return known * TOUCHED * (1.0 - popcount(cards) / view.rules.max_score)


@kernel
def loss_of(view: View, table: Table, player: int, slot: int) -> float:
    """Return the price of the discard of a card in sight."""
    card = card_in(view.hands[player], slot)
    price = price_of(view, table, card)
    for other in range(view.hand_count[player]):
        if other != slot and card_in(view.hands[player], other) == card:
            return price * COPY
    warranted = table.level >= SPECIAL_LEVEL and table.warranted[player][slot] >> card & 1
    return price + (FALSE_NOTE if warranted else 0.0)


@kernel
def price_of(view: View, table: Table, card: int) -> float:
    """Return the price of the discard of a card."""
    if table.dead >> card & 1:
        return 0.0
    rank = rank_of(view, card)
    if table.critical >> card & 1:
        return CRITICAL + POINT * (view.rules.ranks - rank + 1)
    return USEFUL[min(rank, len(USEFUL) - 1)] + FITTING * (table.playable >> card & 1)


@kernel
def mean_loss(view: View, memory: SieveMemory, cards: int) -> float:
    """Return the price of the discard of one's own card that may be any of `cards`."""
    total, copies = 0.0, 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        count = weight(memory.own.unseen, view.rules.planes, 1 << card)
        total += count * price_of(view, memory.table, card)
        copies += count
    return total / max(1, copies)


# --- discards -------------------------------------------------------------------------------------


@kernel
def spare_slots(view: View, memory: SieveMemory) -> int:
    """Return the slots to choose a discard from: trash, the chop, or what is missed least."""
    table, me = memory.table, view.observer
    slots = trash_of(table, me)
    for slot in range(view.hand_count[me]):
        if memory.own.possible[slot] & ~table.dead == 0:
            slots |= 1 << slot
    chop = chop_of(table, me)
    if chop != NONE:
        slots |= 1 << chop
    slots |= warning_slots(view, memory)
    if slots == 0 and own_plays(view, memory) == 0:
        return 1 << least_missed(view, memory)
    return slots


@kernel
def warning_slots(view: View, memory: SieveMemory) -> int:
    """Return what to discard to tell something: a copy, or the newest card in place of a play.

    The newest card is on the chop only if the discard says something to a partner with a chop.
    """
    table, me = memory.table, view.observer
    warns = table.level >= EMERGENCY_LEVEL and plays_of(table, me) != 0
    slots = fresh_bit(table, me) if warns and chop_of(table, 1 - me) != NONE else 0
    for slot in range(view.hand_count[me]):
        if is_copy(view, memory, slot):
            slots |= 1 << slot
    return slots


@kernel
def is_copy(view: View, memory: SieveMemory, slot: int) -> bool:
    """Return whether a discard would tell the partner, truthfully, that there is a copy."""
    copy = handed_card(memory.table, view.observer, DISCARD, slot, HIDDEN)
    return copy != 0 and holds(view, 1 - view.observer, copy)


@kernel
def holds(view: View, player: int, cards: int) -> bool:
    """Return whether a visible hand contains one of these cards."""
    for slot in range(view.hand_count[player]):
        if cards >> card_in(view.hands[player], slot) & 1:
            return True
    return False


@kernel
def least_missed(view: View, memory: SieveMemory) -> int:
    """Return the slot whose discard costs least, newer ones first."""
    best, least = 0, HUGE
    for slot in range(view.hand_count[view.observer] - 1, -1, -1):
        price = mean_loss(view, memory, memory.own.possible[slot])
        if price < least:
            best, least = slot, price
    return best
