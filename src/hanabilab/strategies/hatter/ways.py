"""Ways of hinting: which number a hint tells, and which words tell it best.

For each target there are four ways: a rank hint or a suit hint, which touches the marked slot or
does not. With p players that is 4 (p - 1) numbers; hat strategies that leave the word free have
half as many (`hanabilab.strategies.shared.hat_guessing`)::

    number = 4 (o - 1) + way        for the o-th next player

    way 0   rank hint that touches the marked slot
    way 1   suit hint that touches it
    way 2   rank hint that does not
    way 3   suit hint that does not

The marked slot is the one of which least is known, so that the answer to "does it touch?" is open.
Ways 0 and 1 always exist. Ways 2 and 3 do not exist in a hand of one rank or one suit, if hints
must touch a card; then the player has to do something else.

On the last life, when a discard is forbidden too, something else would be a blind play. Then only
two ways per target count: a rank hint or a suit hint, which always exist.

If several words are left, the best is the one that leaves the target the fewest copies to choose
from, multiplied over its slots; a slot that becomes identified or dead counts twice.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import HINT_RANK, Event, hintable, rank_hint, suit_hint
from hanabilab.game.cards import card_in, weight
from hanabilab.game.rules import Rules
from hanabilab.game.state import View, rank_cards, rank_of, suit_cards
from hanabilab.strategies.hatter.questions import Questions
from hanabilab.strategies.hatter.tables import NONE, SURE_WAYS, Tables
from hanabilab.strategies.shared.hat_guessing import unsupported_by_hats

__all__ = [
    "best_word",
    "hats_of_hints",
    "marked_slot",
    "number_told",
    "target_of",
    "unsupported_by_ways",
    "word_hint",
    "words_that_tell",
]

SETTLED = 2.0
"""How many times better a word is for each slot that then needs no further hint."""


@kernel
def hats_of_hints(view: View, memory: Tables) -> int:
    """Return how many numbers a hint can tell in the next turn."""
    return memory.ways * (view.rules.players - 1)


@kernel
def marked_slot(view: View, memory: Tables, player: int) -> int:
    """Return the oldest of the slots of which least is known.

    Identity, suit and rank count one each; of a dead card nothing more need be known.
    """
    best = 0
    most_open = -1
    for slot in range(view.hand_count[player]):
        possible = memory.public[player][slot]
        unknown = 0
        if not is_single(possible) and possible & ~memory.dead:
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
def number_told(view: View, event: Event, memory: Tables) -> int:
    """Return the number that a hint tells."""
    offset = event.target - event.player
    if offset < 0:
        offset += view.rules.players
    way = 0 if event.kind == HINT_RANK else 1
    if memory.ways > SURE_WAYS:
        slot = marked_slot(view, memory, event.target)
        if not (event.touched >> slot) & 1:
            way += 2
    return (offset - 1) * memory.ways + way


@kernel
def target_of(view: View, memory: Tables, number: int) -> int:
    """Return whom the player to move must give a hint in order to tell a number."""
    target = view.player + number // memory.ways + 1
    return target if target < view.rules.players else target - view.rules.players


@kernel
def words_that_tell(view: View, memory: Tables, number: int) -> int:
    """Return the words of the hints that tell a number, as bits: suits, and above them ranks."""
    target = target_of(view, memory, number)
    way = number % memory.ways
    all_suits = (1 << view.rules.suits) - 1
    words = hintable(view, target) & (all_suits if way & 1 else ~all_suits)
    if memory.ways == SURE_WAYS:
        return words
    slot = marked_slot(view, memory, target)
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
    if word < view.rules.suits:
        return suit_cards(view, word)
    return rank_cards(view, word - view.rules.suits + 1)


@kernel
def best_word(view: View, memory: Questions, target: int, words: int) -> int:
    """Return the word that leaves least open, given what the number tells; NONE without words."""
    best = NONE
    if words and is_single(words):
        return lowest(words)
    least = 0.0
    while words:
        word = lowest(words)
        words &= words - 1
        left = left_open(view, memory, target, word_cards(view, word))
        if best == NONE or left < least:
            best = word
            least = left
    return best


@kernel
def left_open(view: View, memory: Questions, target: int, touched: int) -> float:
    """Return how much a word leaves open, given what the number tells.

    It is the product, over all open slots, of the copies that may still be there.
    """
    product = 1.0
    hand = view.hands[target]
    for slot in range(view.hand_count[target]):
        possible = memory.told[target][slot]
        if possible & ~memory.dead and not is_single(possible):
            told = touched if (touched >> card_in(hand, slot)) & 1 else ~touched
            kept = possible & told
            product *= max(1, weight(memory.unaccounted, view.rules.planes, kept))
            if is_single(kept) or kept & ~memory.dead == 0:
                product /= SETTLED
    return product


def unsupported_by_ways(rules: Rules) -> str | None:
    """Return why these ways of hinting do not suit these rules, or None."""
    if rules.suits < 2 or rules.ranks < 2:
        return "with one suit or one rank half of its ways of hinting do not exist"
    return unsupported_by_hats(rules)
