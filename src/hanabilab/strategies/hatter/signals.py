"""Signals: hints and coded discards that tell every other player a number at once.

Each hand has a number, its hat: the answers to the questions about it
(`hanabilab.strategies.hatter.questions`). A signal tells the sum of all hats but the sender's,
modulo the number of hats; everyone subtracts the hats in sight, and what is left is their own
(Cox et al. 2015, "Hat guessing"). All see what a signal tells whom, so all tables stay equal.
Nothing is concluded from the kind of an action, so the tables stay true whatever anyone does.

A **hint** tells one of 4 (p - 1) numbers. For each target there are four ways of hinting: a rank
hint or a suit hint, which touches the marked slot or does not. Hat strategies that leave the value
of a hint free have half as many (`hanabilab.strategies.hat_guessing`)::

    number = 4 (o - 1) + way        for the o-th next player

    way 0   rank hint that touches the marked slot
    way 1   suit hint that touches it
    way 2   rank hint that does not
    way 3   suit hint that does not

The marked slot is the one of which least is known, so that the answer to "does it touch?" is open.
Ways 0 and 1 always exist where a suit hint and a rank hint touch every card. Ways 2 and 3 do not
exist in a hand of one rank or one suit, if hints must touch a card; then the player has to do
something else.

On the last life, when a discard is forbidden too, something else would be a blind play. Then only
two ways per target count: a rank hint or a suit hint, which exist if some card can be touched.

If several words are left, the best is the one that leaves the target the fewest copies to choose
from, multiplied over its slots; a slot that becomes identified or dead counts twice.

**Void numbers** (`duo`). With one partner all that a hint tells is public at once, the number and
the words. If both together leave some slot without a card, the number is *void*, and only the words
count. So a player may also choose words of a wrong way if their number is void: nothing false is
told. Of all these words the best leaves least open, as above; but a word is better if the partner
then knows a play, worse if the partner would then discard a critical card, and worse if its number
is void. With more players a contradiction is not public, since everyone subtracts other hats.

A **coded discard**: discarding one of k ≥ 2 publicly useless cards tells a number below k by
the choice. For two players (`duo`) this goes for spare cards too, if none is useless
(`hanabilab.strategies.hatter.tables`).
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest, nth_lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    PLAY,
    Event,
    discard_slot,
    hintable,
    rank_hint,
    suit_hint,
)
from hanabilab.game.cards import any_copy, card_in, weight
from hanabilab.game.rules import Rules
from hanabilab.game.state import View, rank_cards, rank_of, suit_cards
from hanabilab.game.turn import cards_of_hint
from hanabilab.strategies.hat_guessing import without_signals
from hanabilab.strategies.hatter.memory import SURE_WAYS, HatterMemory, PublicTables
from hanabilab.strategies.hatter.questions import answer_questions, conclude_need, reset_told
from hanabilab.strategies.hatter.tables import (
    chop,
    project,
    remove_card,
    slots_within,
    spare_slots,
    update_tables,
    useless_slots,
)
from hanabilab.strategies.strategy import NONE, Candidates, propose

__all__ = [
    "coded_discard",
    "contradicts",
    "give_hint",
    "hats_of_hints",
    "hear",
    "marked_slot",
    "number_told",
    "propose_hints",
    "publish",
    "target_of",
    "unsupported_by_ways",
    "update_after_turn",
]

DECIDED = 2.0
"""How many times better a word is for each slot that then needs no further hint."""
TELLS_PLAY = 60.0
"""How many times better a word is for two players if the partner then knows a play."""
LOSES_CRITICAL = 60.0
"""How many times worse it is if the partner's next discard would be critical."""
VOID = 1.6
"""How many times worse it is if its number is void, and only the words count."""
ENDLESS = 1e300
"""More than any word leaves open."""


# --- ways of hinting ------------------------------------------------------------------------------


@kernel
def hats_of_hints(view: View, tables: PublicTables) -> int:
    """Return how many numbers a hint can tell in the next turn."""
    return tables.ways * (view.rules.players - 1)


@kernel
def marked_slot(view: View, tables: PublicTables, player: int) -> int:
    """Return the oldest of the slots of which least is known.

    Identity, suit and rank count one each; of a dead card nothing more need be known.
    """
    best = 0
    most_open = -1
    for slot in range(view.hand_count[player]):
        possible = tables.public[player][slot]
        unknown = 0
        if not is_single(possible) and possible & ~tables.dead:
            card = lowest(possible)
            unknown = 1
            if possible & ~suit_cards(view, view.rules.suit_of[card]):
                unknown += 1
            if possible & ~rank_cards(view, rank_of(view, card)):
                unknown += 1
        if unknown > most_open:
            best = slot
            most_open = unknown
    return best


@kernel
def number_told(view: View, event: Event, tables: PublicTables) -> int:
    """Return the number that a hint tells."""
    offset = event.target - event.player
    if offset < 0:
        offset += view.rules.players
    way = 0 if event.kind == HINT_RANK else 1
    if tables.ways > SURE_WAYS:
        slot = marked_slot(view, tables, event.target)
        if not (event.touched >> slot) & 1:
            way += 2
    return (offset - 1) * tables.ways + way


@kernel
def target_of(view: View, tables: PublicTables, number: int) -> int:
    """Return whom the player to move must give a hint in order to tell a number."""
    target = view.player + number // tables.ways + 1
    return target if target < view.rules.players else target - view.rules.players


@kernel
def words_that_tell(view: View, tables: PublicTables, number: int) -> int:
    """Return the words of the hints that tell a number, as bits: suits, and above them ranks."""
    target = target_of(view, tables, number)
    way = number % tables.ways
    all_suits = (1 << view.rules.suits) - 1
    words = hintable(view, target) & (all_suits if way & 1 else ~all_suits)
    if tables.ways == SURE_WAYS:
        return words
    slot = marked_slot(view, tables, target)
    touching = view.rules.hint_bits[card_in(view.hands[target], slot)]
    return words & (touching if way < 2 else ~touching)


@kernel
def word_hint(view: View, target: int, word: int) -> int:
    """Return the action that tells the target this word."""
    if word < view.rules.suits:
        return suit_hint(view, target, word)
    return rank_hint(view, target, word - view.rules.suits + 1)


@kernel
def word_cards(view: View, word: int) -> int:
    """Return the cards that a word touches."""
    if view.rules.special_hints:
        return cards_of_hint(view, word)
    if word < view.rules.suits:
        return suit_cards(view, word)
    return rank_cards(view, word - view.rules.suits + 1)


@kernel
def best_word(view: View, memory: HatterMemory, target: int, words: int) -> int:
    """Return the word that leaves least open, given what the number tells; NONE without words."""
    best = NONE
    if words and is_single(words):
        return lowest(words)
    least = ENDLESS
    told = memory.signal.told[target]
    while words:
        word = lowest(words)
        words &= words - 1
        left = left_open(view, memory, target, told, word)
        if left < least:
            best = word
            least = left
    return best


@kernel
def hear(view: View, memory: HatterMemory, target: int, known: list[int], word: int) -> None:
    """Compute in `heard` what the target would know after a word, given what is known before."""
    touched = word_cards(view, word)
    hand = view.hands[target]
    for slot in range(view.hand_count[target]):
        words = touched if (touched >> card_in(hand, slot)) & 1 else ~touched
        memory.signal.heard[slot] = known[slot] & words


@kernel
def left_open(view: View, memory: HatterMemory, target: int, known: list[int], word: int) -> float:
    """Return how much a word leaves open, given what is known of the target's hand before it.

    It is the product, over all open slots, of the copies that may still be there. What the target
    would know is left in `heard`.
    """
    hear(view, memory, target, known, word)
    if memory.law.hint_means_need:
        conclude_need(view, memory, target, memory.signal.heard)
    tables = memory.tables
    product = 1.0
    for slot in range(view.hand_count[target]):  # with few branches, which are unpredictable
        kept = memory.signal.heard[slot]
        copies = float(max(1, weight(tables.unaccounted, view.rules.planes, kept)))
        decided = is_single(kept) | (kept & ~tables.dead == 0)
        factor = copies / DECIDED if decided else copies
        is_open = (known[slot] & ~tables.dead != 0) & (not is_single(known[slot]))
        product *= factor if is_open else 1.0
    return product


# --- the sum of hats ------------------------------------------------------------------------------


@kernel
def sum_of_hats(view: View, memory: HatterMemory, hats: int, need: int) -> int:
    """Return the sum of all visible hats, and keep in `told` what it would tell everyone."""
    project(view, memory, view.observer)
    total = 0
    for player in range(view.rules.players):
        if player != view.observer:
            reset_told(view, memory, player)
            total += answer_questions(view, memory, player, hats, NONE, need)
    memory.signal.turn = view.turn + 1
    memory.signal.hats = hats
    memory.signal.need = need
    memory.signal.number = total % hats
    return memory.signal.number


@kernel
def decode_sum(
    view: View, memory: HatterMemory, sender: int, observer: int, hats: int, total: int
) -> None:
    """Update the tables of all but the sender, who learn their hats from the sum.

    The observer sees every hand but their own; a sender thus sees all that matter.
    """
    answer_sum(view, memory, sender, observer, hats, total, 0)
    publish(view, memory, sender)


@kernel
def answer_sum(
    view: View, memory: HatterMemory, sender: int, observer: int, hats: int, total: int, need: int
) -> None:
    """Compute in `told` what a sum tells all but the sender."""
    signal = memory.signal
    known = signal.turn == view.turn and signal.hats == hats and signal.need == need
    if not known or signal.number != total:
        project(view, memory, sender)
        for player in range(view.rules.players):
            if player != sender and player != observer:
                reset_told(view, memory, player)
                total -= answer_questions(view, memory, player, hats, NONE, need)
        if observer != sender:
            reset_told(view, memory, observer)
            answer_questions(view, memory, observer, hats, total % hats, need)


@kernel
def publish(view: View, memory: HatterMemory, sender: int) -> None:
    """Add to the public tables what a signal has told all players but the sender."""
    memory.tables.changed = 1
    for player in range(view.rules.players):
        if player != sender:
            for slot in range(view.hand_count[player]):
                memory.tables.public[player][slot] = memory.signal.told[player][slot]


# --- hints ----------------------------------------------------------------------------------------


@kernel
def propose_hints(view: View, memory: HatterMemory, candidates: Candidates) -> None:
    """Propose all hints that tell the sum of hats."""
    tables = memory.tables
    need = memory.law.hint_means_need
    number = sum_of_hats(view, memory, hats_of_hints(view, tables), need)
    target = target_of(view, tables, number)
    words = words_that_tell(view, tables, number)
    others = hintable(view, target) & ~words if memory.void_numbers else 0
    while others:
        word = lowest(others)
        others &= others - 1
        if is_void(view, memory, target, word):
            words |= 1 << word
    while words:
        propose(candidates, word_hint(view, target, lowest(words)))
        words &= words - 1


@kernel
def give_hint(view: View, memory: HatterMemory) -> int:
    """Return the hint that tells the sum of hats in the best words, or NONE if there is none."""
    tables = memory.tables
    need = memory.law.hint_means_need
    number = sum_of_hats(view, memory, hats_of_hints(view, tables), need)
    target = target_of(view, tables, number)
    words = words_that_tell(view, tables, number)
    if memory.void_numbers:
        word = best_word_for_two(view, memory, target, words)
    else:
        word = best_word(view, memory, target, words)
    return NONE if word == NONE else word_hint(view, target, word)


@kernel
def decode_hint(view: View, event: Event, memory: HatterMemory, observer: int) -> None:
    """Record what the number tells everyone, and then what the words tell the target."""
    tables = memory.tables
    hats = hats_of_hints(view, tables)
    number = number_told(view, event, tables)
    need = memory.law.hint_means_need
    answer_sum(view, memory, event.player, observer, hats, number, need)
    if memory.void_numbers and contradicts(view, memory, event.target, view.possible[event.target]):
        reset_told(view, memory, event.target)
    publish(view, memory, event.player)
    public = tables.public[event.target]
    for slot in range(view.hand_count[event.target]):
        public[slot] &= view.possible[event.target][slot]
    if need:
        conclude_need(view, memory, event.target, public)


# --- void numbers ---------------------------------------------------------------------------------


@kernel
def contradicts(view: View, memory: HatterMemory, target: int, words: list[int]) -> bool:
    """Return whether words and what a number tells leave no card for some slot of the target.

    `words` are the cards that the words of all hints allow, slot by slot.
    """
    tables = memory.tables
    available = any_copy(tables.unaccounted)
    for slot in range(view.hand_count[target]):
        possible = memory.signal.told[target][slot] & words[slot]
        if not (tables.identified[target] >> slot) & 1:
            possible &= available
        if possible == 0:
            return True
    return False


@kernel
def number_of_word(view: View, tables: PublicTables, target: int, word: int) -> int:
    """Return the number that a word tells the only partner."""
    way = 1 if word < view.rules.suits else 0
    if tables.ways > SURE_WAYS:
        card = card_in(view.hands[target], marked_slot(view, tables, target))
        if not (view.rules.hint_bits[card] >> word) & 1:
            way += 2
    return way


@kernel
def is_void(view: View, memory: HatterMemory, target: int, word: int) -> bool:
    """Return whether a word contradicts the number that it tells the only partner."""
    tables = memory.tables
    reset_told(view, memory, target)
    number = number_of_word(view, tables, target, word)
    answer_questions(view, memory, target, tables.ways, number, memory.law.hint_means_need)
    hear(view, memory, target, view.possible[target], word)
    return contradicts(view, memory, target, memory.signal.heard)


@kernel
def best_word_for_two(view: View, memory: HatterMemory, target: int, words: int) -> int:
    """Return the best of the words that tell the right number and of those whose number is void.

    Whether a number is void takes long to work out, so first a word must be good enough.
    """
    best = NONE
    least = ENDLESS
    void = hintable(view, target) & ~words
    while words:
        word = lowest(words)
        words &= words - 1
        left = left_to_partner(view, memory, target, memory.signal.told[target], word, 1.0, least)
        if left < least:
            best = word
            least = left
    public = memory.tables.public[target]
    while void:
        word = lowest(void)
        void &= void - 1
        left = left_to_partner(view, memory, target, public, word, VOID, least)
        if left < least and is_void(view, memory, target, word):
            best = word
            least = left
    return best


@kernel
def left_to_partner(
    view: View,
    memory: HatterMemory,
    target: int,
    known: list[int],
    word: int,
    factor: float,
    least: float,
) -> float:
    """Return how much a word leaves open for the only partner, by what it makes them do next.

    It is multiplied by `factor`. If it is not below `least`, any such number may be returned.
    """
    tables = memory.tables
    heard = memory.signal.heard
    cards = view.hand_count[target]
    left = factor * left_open(view, memory, target, known, word)
    if left / TELLS_PLAY >= least:
        return left
    if slots_within(heard, cards, tables.playable):
        return left / TELLS_PLAY
    if left >= least or useless_slots(heard, cards, tables.dead):
        return left
    card = card_in(view.hands[target], chop(view, memory, target, heard))
    return left * LOSES_CRITICAL if (tables.critical >> card) & 1 else left


# --- coded discards -------------------------------------------------------------------------------


@kernel
def coding_slots(view: View, memory: HatterMemory, player: int, cards: int) -> int:
    """Return the slots, of `cards`, among which the choice of a discard tells a number, or 0.

    They are useless or, if no slot is, spare.
    """
    if not memory.coded_discards:
        return 0
    slots = useless_slots(memory.tables.public[player], cards, memory.tables.dead)
    if slots == 0 and memory.coded_chops:
        slots = spare_slots(view, memory, player, cards)
    return 0 if is_single(slots) else slots


@kernel
def coded_discard(view: View, memory: HatterMemory, slots: int) -> int:
    """Return the discard that tells the sum of hats by the choice among some slots."""
    return discard_slot(view, nth_lowest(slots, sum_of_hats(view, memory, popcount(slots), 0)))


@kernel
def decode_discard(view: View, event: Event, memory: HatterMemory, observer: int) -> None:
    """Record what a discard tells by the choice among several cards, if there was one."""
    cards = view.hand_count[event.player] + 1 - event.drew
    slots = coding_slots(view, memory, event.player, cards)
    if (slots >> event.slot) & 1:
        number = popcount(slots & ((1 << event.slot) - 1))
        decode_sum(view, memory, event.player, observer, popcount(slots), number)


@kernel
def update_after_turn(view: View, event: Event, memory: HatterMemory, observer: int) -> None:
    """Update the public tables after a turn, as seen by `observer`."""
    if event.kind == PLAY or event.kind == DISCARD:
        if event.kind == DISCARD:
            decode_discard(view, event, memory, observer)
        remove_card(view, event, memory.tables)
    else:
        decode_hint(view, event, memory, observer)
    update_tables(view, memory.tables)


def unsupported_by_ways(rules: Rules) -> str | None:
    """Return why these ways of hinting do not suit these rules, or None."""
    if rules.suits < 2 or rules.ranks < 2:
        return "with one suit or one rank half of its ways of hinting do not exist"
    return without_signals(rules)
