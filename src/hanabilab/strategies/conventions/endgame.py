"""The endgame: think the last draws through, and depart from the usual order of actions if it pays.

Near the end it matters who plays which card in which of the turns that remain. `improve` takes the
action that the conventions would choose, and compares it with every other sensible one: plays,
hints, the discard. Each is followed by the best line that the player can think of (`lines`), once
for each of a few assumptions about the player's own cards and the draw pile. What the others know
is what the conventions tell them; a hint is taken to mean what its target will make of it.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.random import mix
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PLAY,
    can_discard,
    decode_action,
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
)
from hanabilab.game.state import View, rank_cards
from hanabilab.strategies.conventions.calls import called_card
from hanabilab.strategies.conventions.decision import is_safe, share, spare_slot, would_name
from hanabilab.strategies.conventions.giving import (
    hint_worth,
    prepare_all_hints,
    prepare_hints,
    prepare_hints_to,
)
from hanabilab.strategies.conventions.interpretation import (
    drafted_meaning,
    expect_plays,
)
from hanabilab.strategies.conventions.lines import (
    MOST_HINTS,
    MOST_WORLDS,
    WORLDS,
    bound,
    enter_world,
    imagine_world,
    value_of_card,
    value_of_told,
)
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.conventions.positional import named_player, named_slot
from hanabilab.strategies.conventions.tables import free_slots, meaning, seat_after
from hanabilab.strategies.conventions.trust import has_proved
from hanabilab.strategies.strategy import NONE

__all__ = ["END_LINE", "improve"]

END_LINE = 20
"""Why a player acted: written down for the explanation."""
NODES, MORE_NODES = 60, 150
"""Positions to visit for each action and assumption, and with two players, who have fewer hints to
compare."""
MORE_CARDS = 2
"""Cards to draw with which two players think ahead earlier than others."""
ENOUGH = 10
"""What is not worth looking for a better action, in hundredths of a card."""
NO_LEAST = -(1 << 40)
MARGIN = 20
"""How much better another action must be, in hundredths of a card."""
LEAST_CHANCE, LAST_CHANCE = 0.5, 0.1
"""Cards that are less likely to fit are not tried; in the last round nothing is lost by it."""
LAST_FREE = HIDDEN_HAND >> SLOT_BITS
"""All slots of a packed hand but the last."""


@kernel
def improve(view: View, memory: ConventionsMemory, usual: int) -> int:
    """Return the action to take near the end: the usual one, or a better one."""
    rules = view.rules
    longest = memory.end_lines
    if longest >= 0 and rules.players == 2:
        longest += MORE_CARDS
    if view.draw_pile > longest or rules.stacks or rules.inverted or not rules.deck_ends:
        return usual
    prepare(view, memory)
    enter_world(view, memory.line, memory.thoughts, 0)
    memory.thoughts.bound = bound(memory.line)
    event = memory.event
    decode_action(view, usual, event)
    if event.kind == HINT_SUIT or event.kind == HINT_RANK:
        most = value_of_usual_hint(view, memory)
    else:
        most = value_of_card(view, memory.line, memory.thoughts, event.kind, event.slot, NO_LEAST)
    if most >= memory.thoughts.worlds * (memory.thoughts.bound - ENOUGH):
        return usual
    return best_action(view, memory, usual, most + MARGIN * memory.thoughts.worlds)


@kernel
def value_of_usual_hint(view: View, memory: ConventionsMemory) -> int:
    """Return the value of the hint that the conventions would give."""
    event, thoughts = memory.event, memory.thoughts
    prepare_hints(view, memory, event.target)
    hint_worth(view, memory, event.target, event.kind, event.value)
    told = told_cards(view, memory, event.target)
    thoughts.target[0], thoughts.told[0] = event.target, max(0, told)
    thoughts.called[0] = memory.draft.called_player
    thoughts.call[0] = called_card(view, memory.draft)
    return value_of_hint(view, memory, 0, NO_LEAST)


@kernel
def best_action(view: View, memory: ConventionsMemory, usual: int, most: int) -> int:
    """Return the action with the best lines, if they are worth more than `most`."""
    best = usual
    for slot in range(view.hand_count[view.observer]):
        if play_slot(view, slot) != usual and may_fit(view, memory, slot):
            value = value_of_card(view, memory.line, memory.thoughts, PLAY, slot, most)
            if value > most:
                best, most = play_slot(view, slot), value
    spare = spare_slot(view, memory)
    if can_discard(view) and view.draw_pile > 0 and discard_slot(view, spare) != usual:
        value = value_of_card(view, memory.line, memory.thoughts, DISCARD, spare, most)
        if value > most:
            best, most = discard_slot(view, spare), value
    best, most = best_position(view, memory, best, most)
    if view.hint_tokens > 0:
        memory.thoughts.hints = 0
        consider_hints(view, memory)
        for hint in range(memory.thoughts.hints):
            if memory.thoughts.action[hint] != usual:
                value = value_of_hint(view, memory, hint, most)
                if value > most:
                    best, most = memory.thoughts.action[hint], value
    if best != usual:
        memory.reason = END_LINE
    return best


@kernel
def best_position(view: View, memory: ConventionsMemory, best: int, most: int) -> tuple[int, int]:
    """Return a positional discard whose lines are worth more than `most`, else what is given."""
    line, me = memory.line, view.observer
    for slot in range(view.hand_count[me]):
        if can_discard(view) and would_name(view, memory.beliefs, slot):
            place = view.hand_count[me] - 1 - slot
            holder = named_player(view, memory.beliefs, me, place)
            if holder != NONE and has_proved(memory, holder):
                card = 1 << card_in(view.hands[holder], named_slot(view, holder, place))
                known, dark = line.known[holder], line.dark[holder]
                line.known[holder], line.dark[holder] = known | card, dark & ~card
                value = value_of_card(view, memory.line, memory.thoughts, DISCARD, slot, most)
                line.known[holder], line.dark[holder] = known, dark
                if value > most:
                    best, most = discard_slot(view, slot), value
    return best, most


@kernel
def may_fit(view: View, memory: ConventionsMemory, slot: int) -> bool:
    """Return whether one of the player's own cards is likely enough to fit; for sure if need be."""
    sure = memory.own.possible[slot] & ~memory.beliefs.playable == 0
    if view.lives == 1 and not (sure and is_safe(view, memory, slot)):
        return False
    least = LEAST_CHANCE if view.draw_pile > 0 else LAST_CHANCE
    return share(view, memory, slot, memory.beliefs.playable) >= least


# --- what the players know ------------------------------------------------------------------------


@kernel
def prepare(view: View, memory: ConventionsMemory) -> None:
    """Set the line up: what everyone knows, and what the hidden cards may be."""
    line = memory.line
    line.tops = rank_cards(view, view.rules.ranks)
    line.max_tokens = view.rules.max_hint_tokens
    line.players = view.rules.players
    expect_plays(view, memory, NONE, NONE)
    for player in range(view.rules.players):
        if player != view.observer:
            prepare_hand(view, memory, player)
    thoughts, own = memory.thoughts, memory.own
    thoughts.live = view.rules.all_cards & ~memory.beliefs.dead
    thoughts.playable, thoughts.known = memory.beliefs.playable, 0
    for slot in range(view.hand_count[view.observer]):
        cards = own.possible[slot]
        if is_single(cards) or cards & ~memory.draft.soon == 0:
            thoughts.known |= 1 << slot
    imagine_worlds(view, memory)


@kernel
def prepare_hand(view: View, memory: ConventionsMemory, player: int) -> None:
    """Note which live cards another player knows, and in which order cards would be discarded."""
    line, beliefs = memory.line, memory.beliefs
    live = view.rules.all_cards & ~beliefs.dead
    line.known[player] = line.dark[player] = 0
    line.spare[player] = HIDDEN_HAND
    free, place = free_slots(view, beliefs, player), 0
    for slot in range(view.hand_count[player]):
        card = card_in(view.hands[player], slot)
        cards = meaning(beliefs, player, slot)
        if live >> card & 1:
            if cards == 1 << card or (cards & ~memory.draft.soon == 0):
                line.known[player] |= 1 << card
            else:
                line.dark[player] |= 1 << card
        if cards & ~beliefs.dead == 0:
            line.spare[player] = (line.spare[player] & LAST_FREE) << SLOT_BITS | HIDDEN
            place += 1
        elif free >> slot & 1:
            if live >> card & 1:
                line.spare[player] ^= (card ^ HIDDEN) << SLOT_BITS * place
            place += 1
    line.dark[player] &= ~line.known[player]


# --- assumptions ----------------------------------------------------------------------------------


@kernel
def imagine_worlds(view: View, memory: ConventionsMemory) -> None:
    """Assume what the player's own cards and the draw pile are: once if hardly anything is open."""
    thoughts, line = memory.thoughts, memory.line
    line.stream = mix(view.turn + 1)
    for player in range(view.rules.players):
        if player != view.observer:
            line.stream = mix(line.stream ^ view.hands[player])
    pair = view.rules.players == 2
    thoughts.nodes = MORE_NODES if pair else NODES
    thoughts.worlds = 1
    if is_open(view, memory):
        thoughts.worlds = MOST_WORLDS if pair else WORLDS
    for world in range(thoughts.worlds):
        imagine_world(view, line, thoughts, memory.own, world)


@kernel
def is_open(view: View, memory: ConventionsMemory) -> bool:
    """Return whether it is open where some live card is."""
    missing = view.rules.all_cards & ~memory.beliefs.dead
    for player in range(view.rules.players):
        if player != view.observer:
            missing &= ~(memory.line.known[player] | memory.line.dark[player])
    for slot in range(view.hand_count[view.observer]):
        if is_single(memory.own.possible[slot]):
            missing &= ~memory.own.possible[slot]
    return missing != 0


# --- the value of an action -----------------------------------------------------------------------


@kernel
def value_of_hint(view: View, memory: ConventionsMemory, hint: int, least: int) -> int:
    """Return the value of a hint, summed over all assumptions; see `value_of_card`."""
    line, thoughts = memory.line, memory.thoughts
    target, called = thoughts.target[hint], thoughts.called[hint]
    known, dark = line.known[target], line.dark[target]
    line.known[target] |= thoughts.told[hint]
    line.dark[target] &= ~thoughts.told[hint]
    called_known = 0
    if called != NONE:
        called_known = line.known[called]
        line.known[called] |= thoughts.call[hint]
    total = value_of_told(view, line, thoughts, least)
    if called != NONE:
        line.known[called] = called_known
    line.known[target], line.dark[target] = known, dark
    return total


@kernel
def consider_hints(view: View, memory: ConventionsMemory) -> None:
    """Collect the hints that are worth comparing: for each message, the one that is worth most."""
    prepare_all_hints(view, memory)
    target = view.observer
    for _ in range(1, view.rules.players):
        target = seat_after(view, target)
        if memory.thoughts.hints and not memory.line.dark[target]:
            continue  # there is nothing to tell
        prepare_hints_to(view, memory, target)
        bits = hints_that_touch(view, target) & ~view.barred_hints
        while bits:
            bit = lowest(bits)
            bits &= bits - 1
            if bit < view.rules.suits:
                action = suit_hint(view, target, bit)
                consider_hint(view, memory, target, HINT_SUIT, bit, action)
            else:
                rank = bit - view.rules.suits + 1
                action = rank_hint(view, target, rank)
                consider_hint(view, memory, target, HINT_RANK, rank, action)


@kernel
def consider_hint(
    view: View, memory: ConventionsMemory, target: int, kind: int, value: int, action: int
) -> None:
    """Add a hint to those that are compared, unless one that says the same is worth as much."""
    thoughts, draft = memory.thoughts, memory.draft
    worth = int(hint_worth(view, memory, target, kind, value))
    told = told_cards(view, memory, target)
    if told < 0:
        return
    call = called_card(view, draft)
    if draft.call_card and not (call and (draft.answers or draft.is_bluff)):
        return  # a call that nobody can answer
    place = 0
    while place < thoughts.hints and not (
        thoughts.told[place] == told
        and thoughts.call[place] == call
        and (told == 0 or thoughts.target[place] == target)
    ):
        place += 1
    if place == MOST_HINTS or (place < thoughts.hints and thoughts.worth[place] >= worth):
        return
    thoughts.hints = max(thoughts.hints, place + 1)
    thoughts.action[place], thoughts.target[place] = action, target
    thoughts.told[place], thoughts.worth[place] = told, worth
    thoughts.called[place], thoughts.call[place] = draft.called_player, call


@kernel
def told_cards(view: View, memory: ConventionsMemory, target: int) -> int:
    """Return the live cards that a target knows after the hint in question, NONE if it misleads."""
    draft = memory.draft
    told = 0
    for slot in range(view.hand_count[target]):
        card = 1 << card_in(view.hands[target], slot)
        cards = drafted_meaning(memory, target, slot)
        soon = draft.soon
        if slot == draft.focus:
            soon |= draft.waits | draft.later
        if cards & ~soon == 0 and not card & soon:
            return NONE
        if cards == card or cards & ~soon == 0:
            told |= card
    return told & memory.line.dark[target]
