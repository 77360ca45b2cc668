"""The small named rules that rule agents are lists of (`hanabilab.strategies.agents`).

Each rule chooses an action, or returns NONE if it does not apply (Walton-Rivers et al. 2017; the
agents of the Hanabi Open Agent Dataset).

**Departures**, where the paper is silent, as in the authors' Java program except for the last one:

- A drawn card takes the place of the one that left; "first" means the first place, "oldest" the
  true age. Of equally likely cards, the one in the last place is taken.
- Unless a rule says "anyone", a player tells the next player.
- A suit or a rank is known if the hints leave no other, including by what they exclude.
- `discard-dead` (the program's "Osawa discard") looks only at what is known, not at everything that
  could be worked out: a known suit that is complete, a known card that is dead, a known rank that
  all fireworks have reached, or a known suit of which only ranks above a lost one are left.
  `discard-at-100` also counts the cards in sight.
- `tell-dispensable` starts with the next player; the program starts with player 0.
- Where suits or hints are special, the rules ask the engine what a hint would leave possible
  (`hanabilab.strategies.special_rules`).
"""

from __future__ import annotations

from hanabilab.core.bits import lowest
from hanabilab.core.kernel import kernel
from hanabilab.core.random import below
from hanabilab.core.record import ints, nested
from hanabilab.game.actions import can_discard, rank_hint, suit_hint
from hanabilab.game.cards import card_in
from hanabilab.game.state import View, rank_of
from hanabilab.strategies.own_hand import (
    CardPlaces,
    OwnHand,
    first_slot,
    known_ranks,
    known_suits,
    slots_sure,
)
from hanabilab.strategies.rule_based import most_new
from hanabilab.strategies.special_rules import (
    copies_among,
    hint_of,
    is_special,
    press_discard,
    press_play,
    safest_discard,
    sure_slots,
    tell_about_any,
    tell_anything,
    tell_buttons,
    tell_dead,
    tell_first,
    tell_most_news,
    tell_news_of,
)
from hanabilab.strategies.strategy import NONE, Memory

__all__ = ["MOST_RULES", "NAMES", "AgentMemory", "apply_rule"]


PLAY_CERTAIN = 1
PLAY_SAFE = 2
PLAY_AT = 3
DISCARD_DEAD = 4
DISCARD_AT = 5
DISCARD_OLDEST = 6
DISCARD_RANDOMLY = 7
TELL_PLAYABLE = 8
TELL_PLAYABLE_NEWS = 9
TELL_USEFUL = 10
TELL_DISPENSABLE = 11
TELL_MOST = 12
TELL_UNKNOWN = 13
TELL_RANDOMLY = 14

NAMES = {
    "play-certain": PLAY_CERTAIN,
    "play-safe": PLAY_SAFE,
    "play-at": PLAY_AT,
    "discard-dead": DISCARD_DEAD,
    "discard-at": DISCARD_AT,
    "discard-oldest": DISCARD_OLDEST,
    "discard-randomly": DISCARD_RANDOMLY,
    "tell-playable": TELL_PLAYABLE,
    "tell-playable-news": TELL_PLAYABLE_NEWS,
    "tell-useful": TELL_USEFUL,
    "tell-dispensable": TELL_DISPENSABLE,
    "tell-most": TELL_MOST,
    "tell-unknown": TELL_UNKNOWN,
    "tell-randomly": TELL_RANDOMLY,
}
"""The number of each rule; rules that end in -at take a percentage: play-at-60."""


MOST_RULES = 32
"""The longest list of rules."""


class AgentMemory(Memory):
    """The rules of an agent, and what it knows about its cards."""

    rule_list: list[int] = ints(MOST_RULES)
    """The rules in order, each packed into one number (`agents.encode`); 0 marks the end."""
    own: OwnHand = nested(OwnHand)
    places: CardPlaces = nested(CardPlaces)


@kernel
def apply_rule(view: View, memory: AgentMemory, rule: int, percent: int) -> int:
    """Return the action that a rule chooses, or NONE."""
    if rule <= PLAY_AT:
        return apply_play_rule(view, memory, rule, percent)
    if rule <= DISCARD_RANDOMLY:
        if can_discard(view) and view.hand_count[view.observer] > 0:
            return apply_discard_rule(view, memory, rule, percent)
        return NONE
    if view.hint_tokens == 0 or view.rules.players == 1:
        return NONE
    return apply_tell_rule(view, memory, rule)


@kernel
def apply_play_rule(view: View, memory: AgentMemory, rule: int, percent: int) -> int:
    """Play a card that is known, certain or likely to be playable, or return NONE."""
    if rule == PLAY_AT:
        slot = likeliest(view, memory, view.playable, percent)
        return press_play(view, memory.own, slot) if slot != NONE else NONE
    slots = slots_sure(view, memory.own, view.playable)
    if view.rules.inverted:
        slots = sure_slots(view, memory.own, view.playable)
    if rule == PLAY_CERTAIN:
        slots &= known_suits(view, view.observer) & known_ranks(view, view.observer)
    first = first_slot(view, memory.places, view.observer, slots)
    return press_play(view, memory.own, first) if slots else NONE


@kernel
def apply_discard_rule(view: View, memory: AgentMemory, rule: int, percent: int) -> int:
    """Discard a card that is known or likely to be dead, the oldest, or any, or return NONE."""
    if rule == DISCARD_DEAD:
        slots = sure_dead(view) if is_special(view) else known_dead(view, memory)
        first = first_slot(view, memory.places, view.observer, slots)
        return press_discard(view, memory.own, first) if slots else NONE
    if rule == DISCARD_AT and (percent > 0 or view.rules.inverted == 0):
        slot = likeliest(view, memory, view.dead, percent)
        return press_discard(view, memory.own, slot) if slot != NONE else NONE
    if view.rules.inverted:
        return press_discard(view, memory.own, safest_discard(view, memory.own))
    if rule == DISCARD_OLDEST:
        return press_discard(view, memory.own, 0)
    return press_discard(view, memory.own, below(memory, view.hand_count[view.observer]))


@kernel
def sure_dead(view: View) -> int:
    """Return the observer's slots that can only be dead by what the hints say."""
    slots = 0
    for slot in range(view.hand_count[view.observer]):
        slots |= int(view.possible[view.observer][slot] & ~view.dead == 0) << slot
    return slots


@kernel
def known_dead(view: View, memory: AgentMemory) -> int:
    """Return the observer's slots that are dead by what is known of their suit or rank."""
    suits = known_suits(view, view.observer)
    ranks = known_ranks(view, view.observer)
    slots = 0
    for slot in range(view.hand_count[view.observer]):
        card = lowest(memory.own.possible[slot])
        height = view.fireworks[view.rules.suit_of[card]]
        dead = (ranks >> slot) & 1 == 1 and rank_of(view, card) <= lowest_firework(view)
        if (suits >> slot) & 1:
            if height == view.rules.ranks:
                dead = True
            elif (ranks >> slot) & 1 or rank_of(view, card) > height:
                dead = (view.dead >> card) & 1 == 1
        if dead:
            slots |= 1 << slot
    return slots


@kernel
def likeliest(view: View, memory: AgentMemory, cards: int, percent: int) -> int:
    """Return the slot most likely to hold one of `cards`, or NONE if below `percent`."""
    places = memory.places.place[view.observer]
    best = NONE
    best_hits = percent
    best_total = 100
    for slot in range(view.hand_count[view.observer]):
        hits = copies_among(view, memory.own, slot, cards)
        total = memory.own.copies[slot]
        lead = hits * best_total - best_hits * total
        if lead > 0 or (lead == 0 and (best == NONE or places[slot] > places[best])):
            best = slot
            best_hits = hits
            best_total = total
    return best


@kernel
def apply_tell_rule(view: View, memory: AgentMemory, rule: int) -> int:
    """Give a hint by a rule, or return NONE."""
    following = next_player(view, 1)
    if is_special(view):
        return apply_special_tell_rule(view, memory, rule, following)
    if rule == TELL_PLAYABLE:
        return tell_playable(view, memory, following)
    if rule == TELL_PLAYABLE_NEWS:
        return tell_news(view, memory, following, view.playable)
    if rule == TELL_USEFUL:
        return tell_anyone(view, memory, view.playable)
    if rule == TELL_DISPENSABLE:
        return tell_dispensable(view)
    if rule == TELL_MOST:
        return tell_most(view)
    if rule == TELL_UNKNOWN:
        return tell_unknown(view, memory, following)
    return tell_randomly(view, memory, following)


@kernel
def apply_special_tell_rule(view: View, memory: AgentMemory, rule: int, following: int) -> int:
    """Give a hint by a rule where suits or hints are special, or return NONE."""
    if rule == TELL_PLAYABLE:
        slots = slots_of(view, following, view.playable)
        first = first_slot(view, memory.places, following, slots)
        return tell_about_any(view, memory, following, first) if slots else NONE
    if rule == TELL_UNKNOWN:
        slots = (1 << view.hand_count[following]) - 1
        return tell_first(view, memory.places, following, slots, 0)
    if rule == TELL_MOST:
        return tell_most_news(view)
    if rule == TELL_RANDOMLY:
        return tell_anything(view, memory, following)
    for offset in range(1, view.rules.players):
        target = next_player(view, offset)
        hint = NONE
        if rule == TELL_DISPENSABLE:
            hint = tell_dead(view, target)
        elif rule == TELL_USEFUL or offset == 1:
            hint = tell_news_of(view, memory.places, target, view.playable)
        if hint != NONE:
            return hint
    return tell_buttons(view, following) if view.rules.inverted else NONE


@kernel
def next_player(view: View, offset: int) -> int:
    """Return the player `offset` seats after the one to move."""
    player = view.observer + offset
    return player if player < view.rules.players else player - view.rules.players


@kernel
def tell_suit(view: View, target: int, slot: int) -> int:
    """Tell a player the suit of a card."""
    return suit_hint(view, target, view.rules.suit_of[card_in(view.hands[target], slot)])


@kernel
def tell_rank(view: View, target: int, slot: int) -> int:
    """Tell a player the rank of a card."""
    return rank_hint(view, target, rank_of(view, card_in(view.hands[target], slot)))


@kernel
def tell_any_fact(view: View, memory: Memory, target: int, slot: int) -> int:
    """Tell a player the suit or the rank of a card, chosen at random."""
    if below(memory, 2):
        return tell_rank(view, target, slot)
    return tell_suit(view, target, slot)


@kernel
def slots_of(view: View, target: int, cards: int) -> int:
    """Return the slots in which another player holds one of `cards`."""
    slots = 0
    for slot in range(view.hand_count[target]):
        slots |= ((cards >> card_in(view.hands[target], slot)) & 1) << slot
    return slots


@kernel
def tell_playable(view: View, memory: AgentMemory, target: int) -> int:
    """Tell the suit or the rank of a player's first playable card, whether known or not."""
    slots = slots_of(view, target, view.playable)
    if slots == 0:
        return NONE
    return tell_any_fact(view, memory, target, first_slot(view, memory.places, target, slots))


@kernel
def tell_news(view: View, memory: AgentMemory, target: int, cards: int) -> int:
    """Tell a player something new about the first of `cards`: the rank before the suit."""
    ranks = known_ranks(view, target)
    slots = slots_of(view, target, cards) & ~(ranks & known_suits(view, target))
    if slots == 0:
        return NONE
    slot = first_slot(view, memory.places, target, slots)
    if (ranks >> slot) & 1:
        return tell_suit(view, target, slot)
    return tell_rank(view, target, slot)


@kernel
def tell_anyone(view: View, memory: AgentMemory, cards: int) -> int:
    """Tell the first player in turn order for whom there is news about one of `cards`."""
    for offset in range(1, view.rules.players):
        hint = tell_news(view, memory, next_player(view, offset), cards)
        if hint != NONE:
            return hint
    return NONE


@kernel
def tell_unknown(view: View, memory: AgentMemory, target: int) -> int:
    """Tell a player something new about their first unknown card: the suit before the rank."""
    suits = known_suits(view, target)
    slots = ((1 << view.hand_count[target]) - 1) & ~(suits & known_ranks(view, target))
    if slots == 0:
        return NONE
    slot = first_slot(view, memory.places, target, slots)
    if (suits >> slot) & 1:
        return tell_rank(view, target, slot)
    return tell_suit(view, target, slot)


@kernel
def tell_randomly(view: View, memory: Memory, target: int) -> int:
    """Tell the suit or the rank of a random card of a player."""
    if view.hand_count[target] == 0:
        return NONE
    return tell_any_fact(view, memory, target, below(memory, view.hand_count[target]))


@kernel
def tell_most(view: View) -> int:
    """Give the hint that says something new about the most cards, or return NONE."""
    best = NONE
    best_count = 0
    for offset in range(1, view.rules.players):
        target = next_player(view, offset)
        packed = most_new(view, target, known_suits(view, target), known_ranks(view, target))
        if packed >> 6 > best_count:
            best_count = packed >> 6
            best = hint_of(view, target, packed & 63)
    return best


@kernel
def tell_dispensable(view: View) -> int:
    """Give a hint that shows a player that one of their cards has already been played."""
    for offset in range(1, view.rules.players):
        target = next_player(view, offset)
        suits = known_suits(view, target)
        ranks = known_ranks(view, target)
        for slot in range(view.hand_count[target]):
            hint = NONE
            card = card_in(view.hands[target], slot)
            suit_known = (suits >> slot) & 1
            rank_known = (ranks >> slot) & 1
            height = view.fireworks[view.rules.suit_of[card]]
            if not suit_known and height == view.rules.ranks:
                hint = tell_suit(view, target, slot)
            elif not rank_known and rank_of(view, card) <= lowest_firework(view):
                hint = tell_rank(view, target, slot)
            elif suit_known != rank_known and rank_of(view, card) <= height:
                hint = tell_suit(view, target, slot)
                if suit_known:
                    hint = tell_rank(view, target, slot)
            if hint != NONE:
                return hint
    return NONE


@kernel
def lowest_firework(view: View) -> int:
    """Return the rank that all fireworks have reached."""
    height = view.rules.ranks
    for suit in range(view.rules.suits):
        height = min(height, view.fireworks[suit])
    return height
