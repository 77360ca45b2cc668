"""Players who follow rules of thumb (van den Bergh 2015, Algorithm 4.6; Aspects 2016, section 4).

Every turn, with the parameters ωp, ωs, ωd, ωh, a hint rule and a discard rule:

- 2a. play a card that is playable with probability ωp or more (only a certain one when playing
  safe, ωs = 1, with one life left);
- 2b. else discard one that is worthless (dead) with probability ωd or more;
- 2c. else, with probability ωh, give a hint by the hint rule;
- 2d. else discard by the discard rule.

The text and the tables of appendix B do not belong to the same program. `interpretation=paper` is
the text; `interpretation=program` is what the tables imply, to be played under the rules
`thesis-program`.

**Departures**, in both interpretations:

- Thresholds are met, not exceeded: with "exceeds" nobody would ever play at ωp = 1. A tolerance of
  1e-9 keeps 3/5 from missing 0.6.
- A probability weights each card that the hints allow by the number of copies the player does not
  see. The player's own hand counts as unseen, even cards that the player knows for certain.
- "Two errors have been made" means that one life is left.
- A hint "provides information about" a touched card whose suit, or rank, no hint has told before;
  what hints exclude does not count. (If every touched card counted, the most voluminous hint would
  be repeated for ever.) Ties go to the next player, then to ranks before suits, then to the lower.
- "If not yet given": a first playable card about which everything has been told gives way to the
  next one.
- A step that the rules forbid is left out: discarding with all hint tokens, or a hint that touches
  no card. A player who can do nothing else plays the likeliest card.

In `interpretation=paper`: ties of discard rules 2 and 4, and between playable cards of the same
rank, go to the older card.

In `interpretation=program`: hint rules 3 and 4 give rank hints only (with suit hints second, as in
the text, rule 3 scores some 2.5 points more than the tables); a drawn card takes the place of the
one that left, and ties of discard rules 2 and 4 go to the first place.
"""

from __future__ import annotations

from hanabilab.core.bits import lowest, nth_lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.core.random import below, chance
from hanabilab.core.record import nested
from hanabilab.game.actions import (
    DISCARD,
    PLAY,
    Event,
    can_discard,
    hintable,
    rank_hint,
    seat_after,
    suit_hint,
)
from hanabilab.game.cards import card_in, weight
from hanabilab.game.state import View, rank_of
from hanabilab.strategies.explain import ExplanationContext, facts, of_discard, of_play
from hanabilab.strategies.own_hand import (
    MOVES,
    CardPlaces,
    OwnHand,
    infer_own_hand,
    reset_places,
    slots_likely,
    unsupported_without_hints,
    update_places,
)
from hanabilab.strategies.special_rules import (
    copies_among,
    hint_of,
    is_special,
    press_discard,
    press_play,
    safest_discard,
    tell_buttons,
    tell_most_news,
    tell_news_of,
)
from hanabilab.strategies.strategy import (
    NONE,
    TRUTHFUL_SWITCHES,
    About,
    Memory,
    Option,
    RuleSupport,
    Strategy,
)

__all__ = ["RULE_BASED", "most_new"]

PROGRAM = 1


class RuleBasedMemory(Memory):
    """The parameters, and what players know about their own hand."""

    play_threshold: float
    safe: int
    discard_threshold: float
    hint_probability: float
    hint_rule: int
    discard_rule: int
    interpretation: int
    own: OwnHand = nested(OwnHand)
    places: CardPlaces = nested(CardPlaces)


@kernel
def begin(view: View, memory: RuleBasedMemory) -> int:
    """Record the places of the first cards."""
    reset_places(view, memory.places)
    return 0


@kernel
def observe(view: View, event: Event, memory: RuleBasedMemory) -> None:
    """Follow the places of the cards."""
    update_places(view, event, memory.places)


@kernel
def act(view: View, memory: RuleBasedMemory) -> int:
    """Play, discard or hint by rules of thumb (van den Bergh 2015, Algorithm 4.6)."""
    infer_own_hand(view, memory.own)
    threshold = memory.play_threshold
    if memory.safe and view.lives == 1:
        threshold = 1.0
    slots = likely(view, memory, view.playable, threshold)
    if slots:  # 2a
        return press_play(view, memory.own, pick(slots, memory))
    may_discard = can_discard(view) and view.hand_count[view.observer] > 0
    if may_discard:
        slots = likely(view, memory, view.dead, memory.discard_threshold)
        if slots:  # 2b
            return press_discard(view, memory.own, pick(slots, memory))
    if view.hint_tokens > 0 and (not may_discard or wants_to_hint(memory)):  # 2c
        hint = choose_hint(view, memory)
        if hint != NONE:
            return hint
    if may_discard:  # 2d
        return press_discard(view, memory.own, choose_discard(view, memory))
    return press_play(view, memory.own, likeliest(view, memory, view.playable, 1))


@kernel
def likely(view: View, memory: RuleBasedMemory, cards: int, threshold: float) -> int:
    """Return the slots likely enough to hold one of `cards`, all played by the same action."""
    inverted = view.rules.inverted
    if inverted:
        usual = slots_likely(view, memory.own, cards & ~inverted, threshold)
        return usual | slots_likely(view, memory.own, cards & inverted, threshold)
    return slots_likely(view, memory.own, cards, threshold)


@kernel
def likeliest(view: View, memory: RuleBasedMemory, cards: int, sign: int) -> int:
    """Return the slot most likely (`sign` 1) or least likely (-1) to hold one of `cards`.

    Ties go to the oldest card; in the program's interpretation, to the first place.
    """
    places = memory.places.place[view.observer]
    best = 0
    best_hits = -2 * sign
    best_total = 1
    for slot in range(view.hand_count[view.observer]):
        hits = copies_among(view, memory.own, slot, cards)
        total = memory.own.copies[slot]
        lead = sign * (hits * best_total - best_hits * total)
        first = memory.interpretation == PROGRAM and places[slot] < places[best]
        if lead > 0 or (lead == 0 and first):
            best = slot
            best_hits = hits
            best_total = total
    return best


@kernel
def pick(slots: int, memory: Memory) -> int:
    """Pick one of the slots, each equally likely."""
    return nth_lowest(slots, below(memory, popcount(slots)))


@kernel
def wants_to_hint(memory: RuleBasedMemory) -> bool:
    """Return True with probability ωh."""
    return memory.hint_probability >= 1.0 or chance(memory) < memory.hint_probability


@kernel
def choose_discard(view: View, memory: RuleBasedMemory) -> int:
    """Choose a slot by the discard rule; if a discard may misplay, the least risky one."""
    if view.rules.inverted:
        return safest_discard(view, memory.own)
    if memory.discard_rule == 1:  # random
        return below(memory, view.hand_count[view.observer])
    if memory.discard_rule == 2:  # most worthless
        return likeliest(view, memory, view.dead, 1)
    if memory.discard_rule == 3:  # oldest
        return 0
    return likeliest(view, memory, view.unique, -1)  # least unique


@kernel
def choose_hint(view: View, memory: RuleBasedMemory) -> int:
    """Choose a hint by the hint rule, or return NONE if none can be given."""
    if memory.hint_rule == 1:
        return random_hint(view, memory)
    hint = NONE
    if memory.hint_rule >= 3:
        hint = hint_on(view, memory, view.playable)
    if memory.hint_rule == 4 and hint == NONE:
        hint = hint_on(view, memory, view.dead)
    if hint == NONE and view.rules.inverted:
        hint = tell_buttons(view, seat_after(view, view.observer, 1))
    if hint == NONE:
        hint = tell_most_news(view) if is_special(view) else most_voluminous(view)
    if hint == NONE and not can_discard(view):
        return random_hint(view, memory)
    return hint


@kernel
def random_hint(view: View, memory: Memory) -> int:
    """Choose any hint that the rules allow (hint rule 1), or return NONE."""
    count = 0
    for target in range(view.rules.players):
        if target != view.observer:
            count += popcount(hintable(view, target))
    if count == 0:
        return NONE
    n = below(memory, count)
    for target in range(view.rules.players):
        if target != view.observer:
            hints = hintable(view, target)
            if n < popcount(hints):
                return hint_of(view, target, nth_lowest(hints, n))
            n -= popcount(hints)
    return NONE


@kernel
def hint_on(view: View, memory: RuleBasedMemory, cards: int) -> int:
    """Return a hint about the first of `cards` in turn order (hint rules 3 and 4), or NONE."""
    for offset in range(1, view.rules.players):
        target = view.observer + offset
        if target >= view.rules.players:
            target -= view.rules.players
        if is_special(view):
            hint = tell_news_of(view, memory.places, target, cards)
            if hint != NONE:
                return hint
            continue
        slot = first_untold(view, memory, target, cards)
        if slot != NONE:
            card = card_in(view.hands[target], slot)
            if (view.rank_hinted[target] >> slot) & 1:
                return suit_hint(view, target, view.rules.suit_of[card])
            return rank_hint(view, target, rank_of(view, card))
    return NONE


@kernel
def first_untold(view: View, memory: RuleBasedMemory, target: int, cards: int) -> int:
    """Return the slot of the lowest of `cards` about which more can be told, or NONE.

    A card's rank is told before its suit; in the program's interpretation its suit is never told.
    """
    told = view.rank_hinted[target]
    if memory.interpretation != PROGRAM:
        told &= view.suit_hinted[target]
    best = NONE
    best_rank = 0
    for slot in range(view.hand_count[target]):
        card = card_in(view.hands[target], slot)
        if (cards >> card) & 1 and not (told >> slot) & 1:
            rank = rank_of(view, card)
            if best == NONE or rank < best_rank:
                best = slot
                best_rank = rank
    return best


@kernel
def most_voluminous(view: View) -> int:
    """Return the hint that newly informs the most cards (hint rule 2), or NONE."""
    best = NONE
    best_count = NONE
    for offset in range(1, view.rules.players):
        target = view.observer + offset
        if target >= view.rules.players:
            target -= view.rules.players
        packed = most_new(view, target, view.suit_hinted[target], view.rank_hinted[target])
        count = packed >> 6
        if packed >= 0 and count > best_count:
            best_count = count
            best = hint_of(view, target, packed & 63)
    return best


@kernel
def most_new(view: View, target: int, suit_told: int, rank_told: int) -> int:
    """Return the best hint for a player: 64 times the cards it newly informs plus its bit, or NONE.

    A suit hint newly informs the cards it touches in slots outside `suit_told`, a rank hint those
    outside `rank_told`. All hints are counted at once: bit *i* of `ones`, `twos`, `fours` and
    `eights` together is the number of cards that hint *i* newly informs.
    """
    suit_bits = (1 << view.rules.suits) - 1
    ones = twos = fours = eights = 0
    for slot in range(view.hand_count[target]):
        add = view.rules.hint_bits[card_in(view.hands[target], slot)]
        if (suit_told >> slot) & 1:
            add &= ~suit_bits
        if (rank_told >> slot) & 1:
            add &= suit_bits
        carry = ones & add
        ones ^= add
        add = twos & carry
        twos ^= carry
        carry = fours & add
        fours ^= add
        eights |= carry
    best = hintable(view, target)
    if best == 0:
        return NONE
    count = 0
    if best & eights:
        best &= eights
        count += 8
    if best & fours:
        best &= fours
        count += 4
    if best & twos:
        best &= twos
        count += 2
    if best & ones:
        best &= ones
        count += 1
    bit = lowest(best)
    if best & ~suit_bits:
        bit = lowest(best & ~suit_bits)
    return (count << 6) + bit


HINT_RULES = (
    "it gives any hint",
    "it gives the hint that is news about the most cards",
    "it tells of the first playable card it sees, else what is news about the most cards",
    "it tells of the first playable card it sees, else of the first dead one, "
    "else what is news about the most cards",
)
DISCARD_RULES = (
    "it discards any card",
    "it discards the card most likely to be dead",
    "it discards its oldest card",
    "it discards the card least likely to be unique",
)


def explain(context: ExplanationContext) -> str:
    """Name the step of the algorithm, with the probabilities that decided it."""
    event = context.event
    memory: RuleBasedMemory = context.memory
    infer_own_hand(context.shared, memory.own)
    if event.kind == PLAY:
        return context.because(_of_play(context))
    if event.kind == DISCARD:
        return context.because(_of_discard(context))
    rule = f"{HINT_RULES[memory.hint_rule - 1]} (hint rule {memory.hint_rule})"
    return context.because(facts(context), rule)


def share(context: ExplanationContext, slot: int, cards: int) -> float:
    """Return the probability that the slot of the acting player holds one of `cards`."""
    memory: RuleBasedMemory = context.memory
    hits = weight(memory.own.unseen, context.view.rules.planes, memory.own.possible[slot] & cards)
    return hits / max(memory.own.copies[slot], 1)


def _of_play(context: ExplanationContext) -> str:
    view, slot = context.view, context.event.slot
    memory: RuleBasedMemory = context.memory
    chance = share(context, slot, view.playable)
    said = of_play(context, memory.own.possible[slot], chance)
    threshold = 1.0 if memory.safe and view.lives == 1 else memory.play_threshold
    if memory.own.possible[slot] & ~view.playable == 0:
        return said
    if context.reader is not None or chance >= threshold - 1e-9:
        return f"{said}; the threshold is {threshold:g}" if threshold < 1 else said
    return f"{said}; it is the likeliest card, and nothing else is allowed"


def _of_discard(context: ExplanationContext) -> str:
    view, slot = context.view, context.event.slot
    memory: RuleBasedMemory = context.memory
    dead, critical = (share(context, slot, cards) for cards in (view.dead, view.critical))
    said = of_discard(context, memory.own.possible[slot], dead, critical)
    if memory.own.possible[slot] & ~view.dead == 0:
        return said
    if context.reader is None and dead >= memory.discard_threshold - 1e-9:
        return f"{said}; the threshold is {memory.discard_threshold:g}"
    rule = DISCARD_RULES[memory.discard_rule - 1]
    return f"{said}; {rule} (discard rule {memory.discard_rule})"


RULE_BASED = Strategy(
    "rule-based",
    act,
    observe,
    begin,
    memory=RuleBasedMemory,
    observed_kinds=MOVES,
    options={
        "play_threshold": Option(
            default=0.6, help="ωp: play a card that is playable with this probability"
        ),
        "safe": Option(
            default=True,
            help="ωs: with one life left, play only what is certain to fit",
        ),
        "discard_threshold": Option(
            default=1.0, help="ωd: discard a card that is worthless with this probability"
        ),
        "hint_probability": Option(
            default=1.0, help="ωh: how often to give a hint rather than discard"
        ),
        "hint_rule": Option(
            default=3,
            least=1,
            most=4,
            ordered=False,
            help="1 random, 2 most voluminous, 3 first playable, 4 first playable or worthless",
        ),
        "discard_rule": Option(
            default=2,
            least=1,
            most=4,
            ordered=False,
            help="1 random, 2 most worthless, 3 oldest, 4 least unique",
        ),
        "interpretation": Option(
            default="paper",
            choices=("paper", "program"),
            tunable=False,
            help="follow the text, or what its tables imply",
        ),
    },
    support=RuleSupport(
        unsupported_reason=unsupported_without_hints,
        special_hints=True,
        home="thesis",
        switches=TRUTHFUL_SWITCHES,
        program_home="thesis-program",
    ),
    about=About(
        source="van den Bergh 2015, Algorithm 4.6; "
        "van den Bergh, Kosters, Spieksma 2016, section 4",
        explain=explain,
    ),
)
