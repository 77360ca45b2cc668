"""Actions and their numbers.

With hands of h cards, p players, k suits and n ranks, an action is a number from 0 to
(p-1)(n+k) + 2h - 1 (van den Bergh 2015, below Algorithm 2.16), in the order of DeepMind's
Hanabi Learning Environment::

    discard slot i                              i
    play slot i                                 h + i
    suit hint s to the o-th next player         2h + (o-1)k + s
    rank hint r to the o-th next player         2h + (p-1)k + (o-1)n + r - 1

In an open game every hint is a pass, number 2h. Under rules that allow playing the last card
straight from the draw pile, that action comes after all hints; with inverted suits, the action
that discards this card comes last.
"""

from __future__ import annotations

from hanabilab.core.bits import nth_lowest, popcount, spread
from hanabilab.core.kernel import cold, inlined, kernel
from hanabilab.core.random import HasStream, below
from hanabilab.core.record import Ints, Record
from hanabilab.game.cards import HIDDEN, HIDDEN_HAND, SLOT_BITS
from hanabilab.game.rules_record import RulesRecord
from hanabilab.game.state import GOING_ON, State

__all__ = [
    "ACTION_KINDS",
    "DISCARD",
    "HINT_RANK",
    "HINT_SUIT",
    "MAX_MASK_BITS",
    "PASS",
    "PLAY",
    "Event",
    "can_discard",
    "count_actions",
    "count_legal",
    "decode_action",
    "discard_card",
    "discard_deck",
    "discard_slot",
    "effect_of",
    "hintable",
    "hints_that_touch",
    "is_legal",
    "legal_actions",
    "legal_mask",
    "nth_legal",
    "pass_turn",
    "play_card",
    "play_deck",
    "play_slot",
    "random_action",
    "rank_hint",
    "seat_after",
    "suit_hint",
    "write_legal_mask",
]

DISCARD, PLAY, HINT_SUIT, HINT_RANK, PASS = 0, 1, 2, 3, 4
ACTION_KINDS = 5
MAX_MASK_BITS = 62
"""The largest number of actions that fits into a bit mask held in one integer."""


class Event(Record):
    """A turn as everyone sees it: an action and its outcome."""

    player: int
    """The player who took the turn."""
    kind: int
    """DISCARD, PLAY, HINT_SUIT, HINT_RANK or PASS: the action chosen (for its effect see
    `effect_of`).
    """
    slot: int
    """The slot played or discarded."""
    target: int
    """The player who receives the hint."""
    value: int
    """The suit or rank named by the hint."""
    touched: int
    """The target's slots that the hint touched."""
    card: int
    """The card played or discarded."""
    lit: int
    """Whether a played card was playable."""
    token: int
    """Whether the turn gave a hint token back."""
    drew: int
    """Whether the player drew a card."""


@kernel
def count_actions(state: State) -> int:
    """Return the number of actions, legal or not."""
    rules = state.rules
    hints = (rules.players - 1) * (rules.ranks + rules.suits)
    if rules.other_actions:
        hints = 1 if rules.open_game else hints
        return 2 * rules.hand_size + hints + deck_actions(rules)
    return 2 * rules.hand_size + hints


@kernel
def deck_actions(rules: RulesRecord) -> int:
    """Return the number of actions that take the last card straight from the draw pile."""
    return rules.deck_plays * (1 + int(rules.inverted != 0))


@kernel
def discard_slot(state: State, slot: int) -> int:
    """Return the number of the action that discards the card in a slot."""
    return slot


@kernel
def play_slot(state: State, slot: int) -> int:
    """Return the number of the action that plays the card in a slot."""
    return state.rules.hand_size + slot


@kernel
def play_card(state: State, slot: int, card: int) -> int:
    """Return the number of the action that in effect plays a card, inverted or not."""
    inverted = state.rules.inverted >> card & 1
    return discard_slot(state, slot) if inverted else play_slot(state, slot)


@kernel
def discard_card(state: State, slot: int, card: int) -> int:
    """Return the number of the action that in effect discards a card, inverted or not."""
    inverted = state.rules.inverted >> card & 1
    return play_slot(state, slot) if inverted else discard_slot(state, slot)


@kernel
def effect_of(event: Event, rules: RulesRecord) -> int:
    """Return the kind of an event by its effect; inverted suits swap playing and discarding."""
    if event.kind > PLAY or event.card == HIDDEN:
        return event.kind
    return event.kind ^ (rules.inverted >> event.card & 1)


@kernel
def pass_turn(state: State) -> int:
    """Return the number of a pass, in an open game."""
    return 2 * state.rules.hand_size


@kernel
def play_deck(state: State) -> int:
    """Return the number of the action that plays the last card of the draw pile."""
    return count_actions(state) - deck_actions(state.rules)


@kernel
def discard_deck(state: State) -> int:
    """Return the number of the action that discards the last card of the draw pile, if inverted."""
    return count_actions(state) - 1


@kernel
def offset_of(state: State, target: int) -> int:
    """Return the seat of a player, counted from the player to move."""
    offset = target - state.player
    return offset if offset > 0 else offset + state.rules.players


@kernel
def suit_hint(state: State, target: int, suit: int) -> int:
    """Return the number of a suit hint to another player."""
    rules = state.rules
    return 2 * rules.hand_size + (offset_of(state, target) - 1) * rules.suits + suit


@kernel
def rank_hint(state: State, target: int, rank: int) -> int:
    """Return the number of a rank hint to another player."""
    rules = state.rules
    suit_hints = (rules.players - 1) * rules.suits
    others = (offset_of(state, target) - 1) * rules.ranks
    return 2 * rules.hand_size + suit_hints + others + rank - 1


@inlined
@kernel
def decode_action(state: State, action: int, event: Event) -> None:
    """Fill in the event of an action number: the player, and the slot or the hint."""
    rules = state.rules
    event.player = state.player
    event.slot = 0
    event.card = HIDDEN
    event.lit = 0
    event.token = 0
    event.drew = 0
    event.target = 0
    event.value = 0
    event.touched = 0
    if action < rules.hand_size:
        event.kind = DISCARD
        event.slot = action
    elif action < 2 * rules.hand_size:
        event.kind = PLAY
        event.slot = action - rules.hand_size
    elif not rules.other_actions:
        decode_hint(state, action - 2 * rules.hand_size, event)
    elif rules.deck_plays and action >= play_deck(state):
        event.kind = PLAY if action == play_deck(state) else DISCARD
        event.slot = rules.hand_size
    elif rules.open_game:
        event.kind = PASS
    else:
        decode_hint(state, action - 2 * rules.hand_size, event)


@inlined
@kernel
def decode_hint(state: State, number: int, event: Event) -> None:
    """Decode the target and the value of a hint; comparing offsets is faster than dividing."""
    rules = state.rules
    values = rules.suits
    event.kind = HINT_SUIT
    first = 0
    if number >= (rules.players - 1) * values:
        number -= (rules.players - 1) * values
        values = rules.ranks
        event.kind = HINT_RANK
        first = 1
    others = 0
    for passed in range(1, rules.players - 1):
        others += int(number >= passed * values)
    event.target = seat_after(state, state.player, 1 + others)
    event.value = first + number - others * values


@kernel
def can_discard(state: State) -> bool:
    """Return whether a card may be discarded now.

    The ban on discarding with all hint tokens applies only if tokens are counted and there are any.
    A game with no hints or with unlimited ones ignores it.
    """
    rules = state.rules
    return (
        state.hint_tokens < rules.max_hint_tokens
        or rules.discard_at_full != 0
        or rules.unlimited_hints != 0
        or rules.max_hint_tokens == 0
    )


@kernel
def can_play_deck(state: State) -> bool:
    """Return whether the last card of the draw pile may be played now."""
    return state.rules.deck_plays != 0 and state.draw_pile == 1


@inlined
@kernel
def seat_after(state: State, player: int, steps: int) -> int:
    """Return the player who sits `steps` seats after another."""
    rules = state.rules
    seat = player + steps
    return seat if seat < rules.players else seat - rules.players


@inlined
@kernel
def hints_that_touch(state: State, target: int) -> int:
    """Return the hints that touch a player's cards: suits from bit 0, ranks above all suits."""
    bits = 0
    held = state.hands[target] ^ HIDDEN_HAND  # 0 where there is no card
    while held:
        bits |= state.rules.hint_bits[held & HIDDEN ^ HIDDEN]
        held >>= SLOT_BITS
    return bits


@inlined
@kernel
def hintable(state: State, target: int) -> int:
    """Return the hints that the rules allow to a player now, assuming that a token is left."""
    return (hints_that_touch(state, target) | state.rules.free_hints) & ~state.barred_hints


@inlined
@kernel
def is_legal(state: State, event: Event) -> bool:
    """Return whether the player to move may take the action of an event."""
    rules = state.rules
    if state.end != GOING_ON:
        return False
    if event.kind == DISCARD:
        if event.slot < state.hand_count[state.player]:
            return can_discard(state)
        return event.slot == rules.hand_size and can_play_deck(state) and rules.inverted != 0
    if event.kind == PLAY:
        if event.slot == rules.hand_size:
            return can_play_deck(state)
        return event.slot < state.hand_count[state.player]
    if state.hint_tokens == 0:
        return False
    if event.kind == PASS:
        return True
    bit = event.value
    if event.kind == HINT_RANK:
        bit += rules.suits - 1
    return (hintable(state, event.target) >> bit) & 1 == 1


@inlined
@kernel
def legal_mask(state: State) -> int:
    """Return the legal actions of a running game as a bit mask (up to `MAX_MASK_BITS`)."""
    legal = mask_of_all_hints(state)
    if state.barred_hints:
        legal &= ~barred_mask(state)
    return legal


@inlined
@kernel
def mask_of_all_hints(state: State) -> int:
    """Return the legal actions as a bit mask, including hints barred by `alternating_hints`."""
    rules = state.rules
    slots = (1 << state.hand_count[state.player]) - 1
    legal = slots << rules.hand_size
    if can_discard(state):
        legal |= slots
    if rules.other_actions:
        if can_play_deck(state):
            legal |= ((1 << deck_actions(rules)) - 1) << play_deck(state)
        if rules.open_game:
            return legal | (state.hint_tokens > 0) << pass_turn(state)
    if state.hint_tokens == 0:
        return legal
    all_suits = (1 << rules.suits) - 1
    suit_hints = 2 * rules.hand_size
    rank_hints = suit_hints + (rules.players - 1) * rules.suits
    free = rules.free_hints
    target = state.player
    for _ in range(1, rules.players):
        target = target + 1 if target + 1 < rules.players else 0
        hints = hints_that_touch(state, target) | free
        legal |= (hints & all_suits) << suit_hints | (hints >> rules.suits) << rank_hints
        suit_hints += rules.suits
        rank_hints += rules.ranks
    return legal


@cold
@kernel
def barred_mask(state: State) -> int:
    """Return the hints that may not follow the last one, as a mask of actions."""
    rules = state.rules
    suits = state.barred_hints & (1 << rules.suits) - 1
    barred = 0
    for others in range(rules.players - 1):
        first = 2 * rules.hand_size + (rules.players - 1) * rules.suits + others * rules.ranks
        barred |= suits << 2 * rules.hand_size + others * rules.suits
        barred |= (state.barred_hints >> rules.suits) << first
    return barred


@kernel
def count_legal(state: State) -> int:
    """Return how many legal actions the player to move has."""
    rules = state.rules
    if state.end != GOING_ON:
        return 0
    count = state.hand_count[state.player]
    if can_discard(state):
        count += count
    if can_play_deck(state):
        count += deck_actions(rules)
    if state.hint_tokens == 0:
        return count
    if rules.open_game:
        return count + 1
    for target in range(rules.players):
        if target != state.player:
            count += popcount(hintable(state, target))
    return count


@kernel
def nth_legal(state: State, n: int) -> int:
    """Return the legal action number `n`, counted from 0 (`n` below `count_legal`)."""
    rules = state.rules
    cards = state.hand_count[state.player]
    if can_discard(state):
        if n < cards:
            return n
        n -= cards
    if n < cards:
        return rules.hand_size + n
    n -= cards
    if state.hint_tokens == 0:
        return play_deck(state) + n
    if rules.open_game:
        return 2 * rules.hand_size + n
    return nth_legal_hint(state, n)


@kernel
def random_action(state: State, holder: HasStream) -> int:
    """Return a legal action of the player to move, each equally likely."""
    if exceeds_mask(state):
        return nth_legal(state, below(holder, count_legal(state)))
    legal = mask_of_all_hints(state)
    return nth_lowest(legal, below(holder, popcount(legal)))


@kernel
def exceeds_mask(state: State) -> bool:
    """Return whether `mask_of_all_hints` is not enough: too many actions, or barred hints.

    Barred hints are tested here rather than in the mask, where the test would cost plain rules 6 %.
    """
    rules = state.rules
    hints = (rules.players - 1) * (rules.ranks + rules.suits)
    if rules.other_actions:
        return state.barred_hints != 0 or count_actions(state) > MAX_MASK_BITS
    return 2 * rules.hand_size + hints > MAX_MASK_BITS


@kernel
def nth_legal_hint(state: State, n: int) -> int:
    """Return legal hint number `n`, counted from 0."""
    rules = state.rules
    all_suits = (1 << rules.suits) - 1
    first = 2 * rules.hand_size
    for kind in range(2):
        for offset in range(1, rules.players):
            bits = hintable(state, seat_after(state, state.player, offset))
            bits = bits & all_suits if kind == 0 else bits >> rules.suits
            count = popcount(bits)
            if n < count:
                return first + nth_lowest(bits, n)
            n -= count
            first += rules.suits if kind == 0 else rules.ranks
    return first + n


@kernel
def write_legal_mask(state: State, mask: Ints) -> None:
    """Write for every action whether the player to move may take it."""
    rules = state.rules
    if len(mask) <= MAX_MASK_BITS:
        spread(legal_mask(state), len(mask), mask, 0)
        return
    for action in range(len(mask)):
        mask[action] = 0
    discards = can_discard(state)
    for slot in range(state.hand_count[state.player]):
        mask[slot] = discards
        mask[rules.hand_size + slot] = 1
    if can_play_deck(state):
        for action in range(play_deck(state), count_actions(state)):
            mask[action] = 1
    if state.hint_tokens > 0:
        if rules.open_game:
            mask[2 * rules.hand_size] = 1
        else:
            write_hints(state, mask)


@kernel
def write_hints(state: State, mask: Ints) -> None:
    """Write which hints may be given, assuming that a token is left."""
    rules = state.rules
    suit_hint = 2 * rules.hand_size
    rank_hint = suit_hint + (rules.players - 1) * rules.suits
    for steps in range(1, rules.players):
        hints = hintable(state, seat_after(state, state.player, steps))
        for suit in range(rules.suits):
            mask[suit_hint + suit] = (hints >> suit) & 1
        hints >>= rules.suits
        for rank in range(rules.ranks):
            mask[rank_hint + rank] = (hints >> rank) & 1
        suit_hint += rules.suits
        rank_hint += rules.ranks


def legal_actions(state: State) -> list[int]:
    """Return the numbers of all legal actions of the player to move."""
    return [nth_legal(state, n) for n in range(count_legal(state))]
