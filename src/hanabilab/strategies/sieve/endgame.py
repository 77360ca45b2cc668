"""The last draws: compare actions by the best lines of play that follow.

Near the end it matters who plays which card in which of the turns that remain. `improve` takes the
action that is worth most by `values`, and compares it with the other plays, hints and discards.
Each is followed by the best line of play (`hanabilab.strategies.conventions.lines`), once for each
of a few assumptions about the player's own cards and the draw pile. A hint tells the partner what
the convention makes of it.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.random import mix
from hanabilab.core.record import assign
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PLAY,
    can_discard,
    discard_slot,
    hints_that_touch,
    play_slot,
    rank_hint,
    suit_hint,
)
from hanabilab.game.cards import (
    HIDDEN,
    HIDDEN_HAND,
    SLOT_BITS,
    card_in,
    weight,
    without_slot,
)
from hanabilab.game.state import View, rank_cards
from hanabilab.strategies.conventions.lines import (
    MOST_WORLDS,
    bound,
    enter_world,
    imagine_world,
    value_of_card,
    value_of_told,
)
from hanabilab.strategies.sieve.memory import HAND_PAIR, SieveMemory, Table
from hanabilab.strategies.sieve.reading import read_hint, touched_by
from hanabilab.strategies.sieve.tables import meaning, play_order, trash_of
from hanabilab.strategies.sieve.turns import settle_card
from hanabilab.strategies.sieve.values import is_certain, spare_slots
from hanabilab.strategies.strategy import NONE

__all__ = ["END_LINE", "improve"]

END_LINE = 1
"""Why a player acted, for the explanation: the lines of play that follow."""
NODES = 150
"""Positions to visit for each action and assumption."""
MARGIN, ENOUGH = 20, 10
"""How much better another action must be, and what is not worth looking for, in hundredths of a
card."""
LEAST_CHANCE, LAST_CHANCE = 0.5, 0.1
"""Cards that are less likely to fit are not tried; in the last round nothing is lost by it."""
NO_LEAST = -(1 << 40)
LAST_FREE = HIDDEN_HAND >> SLOT_BITS
"""All slots of a packed hand but the last."""


@kernel
def improve(view: View, memory: SieveMemory, usual: int) -> int:
    """Return the action to take near the end: the usual one, or a better one."""
    if view.draw_pile > memory.end_lines or not view.rules.deck_ends:
        return usual
    prepare(view, memory)
    enter_world(view, memory.line, memory.thoughts, 0)
    memory.thoughts.bound = bound(memory.line)
    most = value_of_action(view, memory, usual, NO_LEAST)
    if most >= memory.thoughts.worlds * (memory.thoughts.bound - ENOUGH):
        return usual
    most += MARGIN * memory.thoughts.worlds
    best = better_card(view, memory, usual, most)
    return better_hint(view, memory, usual, best, max(most, memory.thoughts.worth[0]))


@kernel
def better_card(view: View, memory: SieveMemory, usual: int, most: int) -> int:
    """Return the play or discard whose lines are worth more than `most`, else the usual action.

    The value of the best is noted as `thoughts.worth[0]`.
    """
    best = usual
    memory.thoughts.worth[0] = most
    spare = spare_slots(view, memory) if can_discard(view) and view.draw_pile > 0 else 0
    for slot in range(view.hand_count[view.observer]):
        for kind in range(DISCARD, PLAY + 1):
            action = discard_slot(view, slot) if kind == DISCARD else play_slot(view, slot)
            able = spare >> slot & 1 == 1 if kind == DISCARD else may_fit(view, memory, slot)
            if able and action != usual:
                value = value_of_card(
                    view, memory.line, memory.thoughts, kind, slot, memory.thoughts.worth[0]
                )
                if value > memory.thoughts.worth[0]:
                    best, memory.thoughts.worth[0] = action, value
    if best != usual:
        memory.reason = END_LINE
    return best


@kernel
def better_hint(view: View, memory: SieveMemory, usual: int, best: int, most: int) -> int:
    """Return the hint whose lines are worth more than `most`, else `best`."""
    partner = 1 - view.observer
    bits = hints_that_touch(view, partner) & ~view.barred_hints if view.hint_tokens > 0 else 0
    while bits:
        bit = lowest(bits)
        bits &= bits - 1
        rank = bit - view.rules.suits + 1
        suit = bit < view.rules.suits
        action = suit_hint(view, partner, bit) if suit else rank_hint(view, partner, rank)
        if action != usual:
            value = value_of_hint_action(view, memory, action, most)
            if value > most:
                best, most = action, value
                memory.reason = END_LINE
    return best


@kernel
def may_fit(view: View, memory: SieveMemory, slot: int) -> bool:
    """Return whether one of the player's own cards is likely enough to fit; for sure if need be."""
    cards, fitting = memory.own.possible[slot], memory.table.playable
    if view.lives == 1:
        called = memory.table.called[view.observer] >> slot & 1 == 1
        return is_certain(view, memory, slot) or (called and cards & ~fitting == 0)
    least = LEAST_CHANCE if view.draw_pile > 0 else LAST_CHANCE
    planes, unseen = view.rules.planes, memory.own.unseen
    return weight(unseen, planes, cards & fitting) >= least * max(1, weight(unseen, planes, cards))


# --- what the players know ------------------------------------------------------------------------


@kernel
def prepare(view: View, memory: SieveMemory) -> None:
    """Set the line up: what both players know, and what the hidden cards may be."""
    line, me = memory.line, view.observer
    line.tops = rank_cards(view, view.rules.ranks)
    line.max_tokens = view.rules.max_hint_tokens
    line.players = HAND_PAIR
    prepare_partner(view, memory)
    thoughts = memory.thoughts
    thoughts.live = view.rules.all_cards & ~memory.table.dead
    thoughts.playable, thoughts.known = memory.table.playable, 0
    for slot in range(view.hand_count[me]):
        cards = memory.own.possible[slot]
        called = memory.table.called[me] >> slot & 1
        if called or is_single(cards) or cards & ~memory.table.playable == 0:
            thoughts.known |= 1 << slot
    imagine_worlds(view, memory)


@kernel
def prepare_partner(view: View, memory: SieveMemory) -> None:
    """Note which live cards the partner knows, and in which order cards would be discarded."""
    line, partner = memory.line, 1 - view.observer
    live = view.rules.all_cards & ~memory.table.dead
    known = known_cards(view, memory, memory.table)
    held, place = 0, 0
    line.spare[partner] = HIDDEN_HAND
    trash = trash_of(memory.table, partner)
    for slot in range(view.hand_count[partner]):
        card = card_in(view.hands[partner], slot)
        held |= 1 << card
        if trash >> slot & 1 and not live >> card & 1:
            line.spare[partner] = (line.spare[partner] & LAST_FREE) << SLOT_BITS | HIDDEN
            place += 1
        elif not memory.table.touched[partner] >> slot & 1:
            if live >> card & 1:
                line.spare[partner] ^= (card ^ HIDDEN) << SLOT_BITS * place
            place += 1
    line.known[partner] = max(0, known) & live
    line.dark[partner] = held & live & ~max(0, known)


@kernel
def known_cards(view: View, memory: SieveMemory, table: Table) -> int:
    """Return the cards that the partner knows or will play by a table; NONE if that misleads."""
    partner = 1 - view.observer
    known = 0
    for slot in range(view.hand_count[partner]):
        card = card_in(view.hands[partner], slot)
        if meaning(table, partner, slot) == 1 << card:
            known |= 1 << card
    trial, hand = memory.trial, view.hands[partner]
    assign(trial, table)
    for _ in range(view.hand_count[partner]):
        slot = play_order(trial, partner)
        if slot == NONE:
            break
        card = card_in(hand, slot)
        if not trial.playable >> card & 1:
            return NONE
        known |= 1 << card
        settle_card(view, trial, partner, PLAY, slot, card, 0)
        hand = without_slot(hand, slot)
    return known


# --- assumptions ----------------------------------------------------------------------------------


@kernel
def imagine_worlds(view: View, memory: SieveMemory) -> None:
    """Assume what the player's own cards and the draw pile are, several times."""
    line = memory.line
    line.stream = mix(mix(view.turn + 1) ^ view.hands[1 - view.observer])
    memory.thoughts.worlds, memory.thoughts.nodes = MOST_WORLDS, NODES
    for world in range(MOST_WORLDS):
        imagine_world(view, line, memory.thoughts, memory.own, world)


# --- the value of an action -----------------------------------------------------------------------


@kernel
def value_of_action(view: View, memory: SieveMemory, action: int, least: int) -> int:
    """Return the value of an action, summed over all assumptions."""
    size = view.rules.hand_size
    if action < size:
        return value_of_card(view, memory.line, memory.thoughts, DISCARD, action, least)
    if action < 2 * size:
        return value_of_card(view, memory.line, memory.thoughts, PLAY, action - size, least)
    return value_of_hint_action(view, memory, action, least)


@kernel
def value_of_hint_action(view: View, memory: SieveMemory, action: int, least: int) -> int:
    """Return the value of a hint, summed over all assumptions; very little if it misleads."""
    line, partner = memory.line, 1 - view.observer
    known = after_hint(view, memory, action)
    if known == NONE:
        return NO_LEAST
    before, dark = line.known[partner], line.dark[partner]
    told = known & dark
    line.known[partner], line.dark[partner] = before | told, dark & ~told
    total = value_of_told(view, line, memory.thoughts, least)
    line.known[partner], line.dark[partner] = before, dark
    return total


@kernel
def after_hint(view: View, memory: SieveMemory, action: int) -> int:
    """Return the cards that the partner knows or plays after a hint, or NONE if it does harm."""
    me, partner, table = view.observer, 1 - view.observer, memory.imagined
    number = action - 2 * view.rules.hand_size
    suit = number < view.rules.suits
    kind = HINT_SUIT if suit else HINT_RANK
    value = number if suit else number - view.rules.suits + 1
    assign(table, memory.table)
    read_hint(view, table, me, kind, value, touched_by(view, partner, kind, value))
    lost = 0
    for slot in range(view.hand_count[partner]):
        if (table.thrown[partner] | table.permitted[partner]) >> slot & 1:
            lost |= 1 << card_in(view.hands[partner], slot)
    if lost & table.critical:
        return NONE
    return known_cards(view, memory, table)
