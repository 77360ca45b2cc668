"""The information strategy (Cox et al. 2015, Strategy 2).

Every hint tells every other player something about one of their cards, the one most likely to be
playable: to which of eight sets of possible cards it belongs. Everyone keeps the same table of what
is publicly known about each card. The sets are the hats of a hat-guessing game
(`hanabilab.strategies.hat_guessing`): one set for all played cards, as many single cards as
possible, the rest in sets of at most eight.

**Departures.** `interpretation=paper` is the text; where it is silent:

- The literal meaning of a hint, including what it excludes, is public information as well. The rank
  or suit is chosen to be news to the target: that of the youngest card whose rank or suit is not
  publicly known.
- A hand in which every card is identified has the value 0.
- Possible cards are in the order of ranks, then suits, as in Figure 6.
- Private information comes from counting the cards in all other hands, repeatedly: a card of the
  player's own hand that is thereby identified is counted as well.
- A duplicate may also be two cards in the player's own hand.
- Where the rules forbid discarding with all hint tokens, step 2 is left out.
- A token comes back for completing a suit: the figures need it (rules `cox`).

`interpretation=program` is what the authors' program does differently: private information is used
only for playing; a duplicate needs two publicly identified copies; after the cards publicly known
to be dispensable, any card that is not identified is discarded; where no unidentified card can be
playable, the oldest card is targeted.

With p players there are 2(p - 1) hints instead of eight. Where the possible cards do not fit into
that many sets of that many cards, there are no single cards, and all sets have the smallest size
that fits.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import inlined, kernel
from hanabilab.core.record import ints
from hanabilab.formats.describe import join_words
from hanabilab.game.actions import DISCARD, PLAY, Event, can_discard, discard_slot, play_slot
from hanabilab.game.cards import (
    MAX_HAND,
    MAX_PLAYERS,
    PLANES,
    any_copy,
    card_in,
    move_down,
    take_copy,
    weight,
    without_bit,
)
from hanabilab.game.rules import Rules
from hanabilab.game.state import View, rank_cards, rank_of, suit_cards
from hanabilab.strategies.cheat import FEW_DISCARDS, discards
from hanabilab.strategies.explain import ExplanationContext, cards_in_words, of_discard, of_play
from hanabilab.strategies.hat_guessing import (
    HAT_SWITCHES,
    INTERPRETATION,
    PROGRAM,
    hint_set,
    hint_set_with,
    hint_with,
    reduce_sum,
    told_sum,
    unsupported_by_hats,
    way_target,
)
from hanabilab.strategies.own_hand import count_unseen
from hanabilab.strategies.strategy import NONE, About, Memory, RuleSupport, Strategy

__all__ = ["INFORMATION"]


class InformationMemory(Memory):
    """The public tables of possible cards, the same for everyone, and scratch space."""

    interpretation: int
    public: list[list[int]] = ints(MAX_PLAYERS, MAX_HAND)
    """For each slot, the cards it may be by public information."""
    identified: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots with one possible card, whose copy is accounted for."""
    unaccounted: list[int] = ints(PLANES)
    """The copies of each card that are not publicly accounted for."""
    exhausted: int
    """The cards without such a copy, already removed from the tables."""
    single: list[int] = ints(MAX_PLAYERS)
    """For each player, the slots that now have exactly one possible card."""
    unseen: list[int] = ints(PLANES)
    """The copies of each card that the player does not see."""
    private: list[int] = ints(MAX_HAND)
    """For each slot of the player's own hand, the cards it may be by private information."""
    target: list[int] = ints(MAX_PLAYERS)
    """For each player, the slot that a hint is about, or NONE."""
    told: list[int] = ints(MAX_PLAYERS)
    """For each player, the hint set that the card in this slot belongs to."""
    encoded_turn: int
    """The turn after the player's own hint, for which `target` and `told` are already computed."""


# --- public tables --------------------------------------------------------------------------------


@inlined
@kernel
def reset_tables(view: View, memory: InformationMemory) -> None:
    """Start with every card possible in every slot."""
    for plane in range(PLANES):
        memory.unaccounted[plane] = view.left[plane]
    for player in range(view.rules.players):
        for slot in range(view.rules.hand_size):
            memory.public[player][slot] = view.rules.all_cards
        memory.single[player] = unsure_slots(view, memory, player)
    eliminate(view, memory)


@inlined
@kernel
def remove_card(view: View, event: Event, memory: InformationMemory) -> int:
    """Account for a card that has left a hand, and move the newer ones down.

    Return the slot of the drawn card, as a set, if it can be only one card.
    """
    player = event.player
    slots = memory.identified[player]
    if not (slots >> event.slot) & 1:
        take_copy(memory.unaccounted, event.card)
    memory.identified[player] = without_bit(slots, event.slot)
    move_down(memory.public[player], event.slot)
    drawn = view.rules.all_cards & ~memory.exhausted
    memory.public[player][view.rules.hand_size - 1] = drawn
    memory.single[player] = int(is_single(drawn)) << (view.rules.hand_size - 1)
    return memory.single[player]


@inlined
@kernel
def narrow(public: list[int], slot: int, cards: int) -> bool:
    """Keep only these cards possible, unless none is left: other strategies' hints may mislead.

    Return whether this leaves one card of several.
    """
    before = public[slot]
    possible = before & cards if before & cards else before
    public[slot] = possible
    return is_single(possible) & (possible != before)


@inlined
@kernel
def eliminate(view: View, memory: InformationMemory) -> None:
    """Identify slots with one possible card and remove exhausted cards until nothing changes.

    It starts with the slots in `single`; all others follow once another card is exhausted.
    """
    exhausted = exhausted_cards(view, memory)
    player = 0
    unchanged = 0
    while unchanged < view.rules.players:
        before = exhausted
        slots = unsure_slots(view, memory, player)
        if exhausted == memory.exhausted:
            slots &= memory.single[player]
        memory.single[player] = 0
        if slots:
            exhausted = eliminate_in_hand(view, memory, player, slots, exhausted)
        unchanged = unchanged + 1 if exhausted == before else 0
        player = player + 1 if player + 1 < view.rules.players else 0
    memory.exhausted = exhausted


@inlined
@kernel
def eliminate_in_hand(
    view: View, memory: InformationMemory, player: int, slots: int, exhausted: int
) -> int:
    """Identify slots of one hand, and return the exhausted cards."""
    public = memory.public[player]
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        possible = public[slot] & ~exhausted
        if possible:
            public[slot] = possible
            if is_single(possible):
                memory.identified[player] |= 1 << slot
                take_copy(memory.unaccounted, lowest(possible))
                before = exhausted
                exhausted = exhausted_cards(view, memory)
                if exhausted != before:
                    slots = unsure_slots(view, memory, player) & (-2 << slot)
    return exhausted


@inlined
@kernel
def unsure_slots(view: View, memory: InformationMemory, player: int) -> int:
    """Return the slots of a hand whose card is not identified."""
    return ((1 << view.hand_count[player]) - 1) & ~memory.identified[player]


@inlined
@kernel
def exhausted_cards(view: View, memory: InformationMemory) -> int:
    """Return the cards of which no copy is publicly unaccounted for."""
    return view.rules.all_cards & ~any_copy(memory.unaccounted)


# --- the player's own hand ------------------------------------------------------------------------


@inlined
@kernel
def infer_own_cards(view: View, memory: InformationMemory) -> None:
    """Compute private information: the public tables minus the copies this player sees."""
    me = view.observer
    available = count_unseen(view, memory.unseen)
    public = memory.public[me]
    for slot in range(view.hand_count[me]):
        memory.private[slot] = public[slot]
    unsure = (1 << view.hand_count[me]) - 1
    before = 0
    while available != before:
        before = available
        slots = unsure
        while slots:
            slot = lowest(slots)
            slots &= slots - 1
            possible = memory.private[slot] & available
            if possible:
                memory.private[slot] = possible
                if is_single(possible):
                    unsure ^= 1 << slot
                    take_copy(memory.unseen, lowest(possible))
                    available = any_copy(memory.unseen)


@kernel
def held_by_others(view: View) -> int:
    """Return the cards in the hands of the other players."""
    held = 0
    for player in range(view.rules.players):
        if player != view.observer:
            for slot in range(view.hand_count[player]):
                held |= 1 << card_in(view.hands[player], slot)
    return held


# --- hats -----------------------------------------------------------------------------------------


@inlined
@kernel
def give_hint(view: View, memory: InformationMemory) -> int:
    """Tell the sum of the values of all other hands, by an informative rank or suit if possible."""
    way = reduce_sum(view, sum_of_hats(view, view.observer, memory))
    memory.encoded_turn = view.turn + 1
    target = way_target(view, way)
    slot = newest_unknown(view, memory, target, way < view.rules.players - 1)
    return hint_with(view, way, card_in(view.hands[target], slot))


@inlined
@kernel
def newest_unknown(view: View, memory: InformationMemory, target: int, by_rank: bool) -> int:
    """Return the newest slot whose rank, or suit, is not publicly known, or else the newest."""
    last = view.hand_count[target] - 1
    for slot in range(last, -1, -1):
        possible = memory.public[target][slot]
        card = lowest(possible)
        same = (
            rank_cards(view, rank_of(view, card))
            if by_rank
            else suit_cards(view, view.rules.suit_of[card])
        )
        if possible & ~same:
            return slot
    return last


@inlined
@kernel
def decode_hint(view: View, event: Event, memory: InformationMemory) -> int:
    """Narrow the public tables by what a hint tells each player, and by its literal meaning.

    Return whether that leaves one possible card in any slot, as a number other than 0.
    """
    me = view.observer
    if event.player != me or memory.encoded_turn != view.turn:
        total = told_sum(view, event) - sum_of_hats(view, event.player, memory)
        mine = targeted(view, me, memory)
        memory.target[me] = mine
        if mine != NONE:
            memory.told[me] = hint_set(view, memory.public[me][mine], reduce_sum(view, total))
    news = 0
    for player in range(view.rules.players):
        slot = memory.target[player]
        if player != event.player and slot != NONE:
            single = int(narrow(memory.public[player], slot, memory.told[player])) << slot
            memory.single[player] = single
            news |= single
    literal = view.possible[event.target]
    single = 0
    for slot in range(view.hand_count[event.target]):
        single |= int(narrow(memory.public[event.target], slot, literal[slot])) << slot
    memory.single[event.target] |= single
    return news | single


@inlined
@kernel
def sum_of_hats(view: View, giver: int, memory: InformationMemory) -> int:
    """Compute what a hint tells the visible players; return the sum of their hands' values."""
    total = 0
    for player in range(view.rules.players):
        if player != view.observer and player != giver:
            total += hat_of(view, player, memory)
    return total


@inlined
@kernel
def hat_of(view: View, player: int, memory: InformationMemory) -> int:
    """Compute what a hint tells a player; return the value of the hand, which must be visible."""
    slot = targeted(view, player, memory)
    memory.target[player] = slot
    if slot == NONE:
        return 0
    card = card_in(view.hands[player], slot)
    value, memory.told[player] = hint_set_with(view, memory.public[player][slot], card)
    return value


@inlined
@kernel
def targeted(view: View, player: int, memory: InformationMemory) -> int:
    """Return the slot that a hint is about, the most likely to be playable ("Targeting a card").

    Comparing fractions by cross-multiplication is exact; ties go to the lowest slot. Return NONE if
    every card is identified. In the program's interpretation, return 0 if no unidentified card can
    be playable.
    """
    public = memory.public[player]
    margin = (
        0 if memory.interpretation == PROGRAM else -1
    )  # the first slot need not be better than none
    best = NONE
    best_playable, best_total = 0, 1
    unsure = unsure_slots(view, memory, player)
    while unsure:
        slot = lowest(unsure)
        unsure &= unsure - 1
        possible = public[slot]
        total = weight(memory.unaccounted, view.rules.planes, possible)
        playable = weight(memory.unaccounted, view.rules.planes, possible & view.playable)
        likelier = playable * best_total - best_playable * total > margin
        better = likelier & (not is_single(possible))
        best = slot if better else best
        margin = 0 if better else margin
        best_playable = playable if better else best_playable
        best_total = total if better else best_total
    if best == NONE and memory.interpretation == PROGRAM:
        return 0
    return best


# --- what to do -----------------------------------------------------------------------------------


@kernel
def begin(view: View, memory: InformationMemory) -> int:
    """Start with every card possible in every slot."""
    reset_tables(view, memory)
    return 0


@kernel
def observe(view: View, event: Event, memory: InformationMemory) -> None:
    """Update the public tables."""
    if event.kind == PLAY or event.kind == DISCARD:
        news = remove_card(view, event, memory)
    else:
        news = decode_hint(view, event, memory)
    if news or exhausted_cards(view, memory) != memory.exhausted:
        eliminate(view, memory)


@kernel
def act(view: View, memory: InformationMemory) -> int:
    """Act on what is known; every hint tells each player about one of their cards."""
    me = view.observer
    cards = view.hand_count[me]
    infer_own_cards(view, memory)
    slot = first_within(memory.private, cards, view.playable)
    if slot != NONE:
        return play_slot(view, slot)  # step 1
    program = memory.interpretation == PROGRAM
    if program:
        for own in range(cards):
            memory.private[own] = memory.public[me][own]
    known = memory.private
    dead = first_within(known, cards, view.played)
    if dead != NONE and can_discard(view) and discards(view) < FEW_DISCARDS:
        return discard_slot(view, dead)  # step 2
    if view.hint_tokens > 0:
        return give_hint(view, memory)  # step 3
    if dead == NONE:
        dead = least_needed(view, memory)
    return discard_slot(view, dead)  # step 4


@kernel
def least_needed(view: View, memory: InformationMemory) -> int:
    """Return the slot to discard when no card is known to be dead (steps 5, 6 and 7)."""
    known = memory.private
    cards = view.hand_count[view.observer]
    program = memory.interpretation == PROGRAM
    held = publicly_held_twice(view, memory) if program else held_by_others(view)
    slot = first_duplicate(known, cards, held)
    if slot == NONE and not program:
        slot = held_twice(known, cards)
    if slot == NONE:
        slot = first_within(known, cards, view.rules.all_cards & ~view.critical)
    if slot == NONE and program:
        slot = first_open(known, cards)
    return max(slot, 0)


@inlined
@kernel
def first_within(known: list[int], cards: int, wanted: int) -> int:
    """Return the lowest slot whose possible cards are all `wanted`, or NONE."""
    for slot in range(cards):
        if known[slot] & ~wanted == 0:
            return slot
    return NONE


@kernel
def first_open(known: list[int], cards: int) -> int:
    """Return the lowest slot with more than one possible card, or NONE."""
    for slot in range(cards):
        if not is_single(known[slot]):
            return slot
    return NONE


@kernel
def first_duplicate(known: list[int], cards: int, held: int) -> int:
    """Return the lowest slot whose card is identified and one of those `held`, or NONE."""
    for slot in range(cards):
        if is_single(known[slot]) and known[slot] & held:
            return slot
    return NONE


@kernel
def held_twice(known: list[int], cards: int) -> int:
    """Return the lowest slot whose identified card is also in a newer slot, or NONE."""
    for slot in range(cards):
        if is_single(known[slot]):
            for younger in range(slot + 1, cards):
                if known[younger] == known[slot]:
                    return slot
    return NONE


@kernel
def publicly_held_twice(view: View, memory: InformationMemory) -> int:
    """Return the cards of which two copies are publicly identified in any hands."""
    once = 0
    twice = 0
    for player in range(view.rules.players):
        for slot in range(view.hand_count[player]):
            if (memory.identified[player] >> slot) & 1:
                twice |= once & memory.public[player][slot]
                once |= memory.public[player][slot]
    return twice


# --- explanations ---------------------------------------------------------------------------------


def explain(context: ExplanationContext) -> str:
    """Describe what it knows about the card, or what its hint tells whom."""
    view, event = context.view, context.event
    memory: InformationMemory = context.memory
    if event.kind not in (PLAY, DISCARD):
        said = [f"{context.name(player)} that {told}" for player, told in meanings(context).items()]
        return f"hint sum {told_sum(view, event)}: tells {join_words(said)}"
    infer_own_cards(context.shared, memory)
    known = memory.private[event.slot]
    if event.kind == PLAY:
        if known & ~view.playable:  # it takes the reader's cards to know
            return context.because("certainly playable, given the cards that it sees")
        return context.because(of_play(context, known, 1.0))
    if memory.interpretation == PROGRAM:
        known = memory.public[view.observer][event.slot]
    copies = weight(memory.unseen, view.rules.planes, known)
    dead, critical = (
        weight(memory.unseen, view.rules.planes, known & cards) / max(copies, 1)
        for cards in (view.dead, view.critical)
    )
    single = memory.interpretation != PROGRAM and is_single(known)
    if single and known & held_by_others(context.shared) & ~view.dead:
        return context.because(f"someone else holds a {cards_in_words(view, known)} too")
    return context.because(of_discard(context, known, dead, critical))


def meanings(context: ExplanationContext) -> dict[int, str]:
    """Describe what a hint tells each player; a reader's own part is what remains of the sum."""
    view, event = context.view, context.event
    memory: InformationMemory = context.memory
    rest = told_sum(view, event)
    values = {}
    for offset in range(1, view.rules.players):
        player = (event.player + offset) % view.rules.players
        values[player] = 0
        if player != context.reader:
            values[player] = hat_of(view, player, memory)
            rest -= values[player]
    if context.reader is not None:
        values[context.reader] = reduce_sum(view, rest)
    return {player: meaning(context, player, value) for player, value in values.items()}


def meaning(context: ExplanationContext, player: int, value: int) -> str:
    """Describe what a value means for a player's targeted card."""
    view = context.view
    memory: InformationMemory = context.memory
    slot = targeted(view, player, memory)
    if slot == NONE:
        return "every card is known"
    cards = hint_set(view, memory.public[player][slot], value)
    news = cards_in_words(view, cards) or "as unknown as before"
    if cards and cards & ~view.played == 0:
        news = "dead"
    return f"slot {context.slot(player, slot)} is {news}"


def unsupported_reason(rules: Rules) -> str | None:
    """Return why it cannot play these rules, or None."""
    if rules.players < 2:
        return "a hint needs another player"
    return unsupported_by_hats(rules)


INFORMATION = Strategy(
    "information",
    act,
    observe,
    begin,
    InformationMemory,
    options={"interpretation": INTERPRETATION},
    support=RuleSupport(
        special_hints=True,
        switches=HAT_SWITCHES,
        unsupported_reason=unsupported_reason,
        home="cox",
        program_home="cox-program",
    ),
    about=About(source="Cox et al. 2015, Strategy 2", explain=explain),
)
