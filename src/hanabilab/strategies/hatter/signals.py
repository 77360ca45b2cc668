"""Signals: hints and coded discards that tell every other player a number at once.

Each hand has a number, its hat: the answers to the questions about it
(`hanabilab.strategies.hatter.questions`). A signal tells the sum of all hats but the sender's,
modulo the number of hats; everyone takes away the hats in sight, and what is left is their own
(Cox et al. 2015, "Hat guessing"). All see what a signal tells whom, so all tables stay equal.

- A **hint** tells one of 4 (p - 1) numbers by its target and its way, and its words tell the target
  something more (`hanabilab.strategies.hatter.ways`).
- A **coded discard**: whoever discards one of k ≥ 2 publicly useless cards tells a number below k
  by the choice.

Nothing is concluded from the kind of an action, so the tables stay true whatever anyone does.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest, nth_lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, PLAY, Event, discard_slot
from hanabilab.game.state import View
from hanabilab.strategies.hatter.projection import project
from hanabilab.strategies.hatter.questions import Questions, answer_questions, start_telling
from hanabilab.strategies.hatter.tables import NONE, forget_card, settle, useless_slots
from hanabilab.strategies.hatter.ways import (
    best_word,
    hats_of_hints,
    number_told,
    target_of,
    word_hint,
    words_that_tell,
)
from hanabilab.strategies.strategy import Candidates, propose

__all__ = ["Signals", "coded_discard", "give_hint", "propose_hints", "watch"]


class Signals(Questions):
    """Which sum was worked out last, so that its sender need not work it out again."""

    coded_discards: int
    """Whether discards tell anything; an option."""
    summed_turn: int
    """One more than the turn for which `told` holds what the sum would tell everyone."""
    summed_hats: int


@kernel
def sum_of_hats(view: View, memory: Signals, hats: int) -> int:
    """Return the sum of all hats in sight, and keep in `told` what it would tell everyone."""
    project(view, memory, view.observer)
    total = 0
    for player in range(view.rules.players):
        if player != view.observer:
            start_telling(view, memory, player)
            total += answer_questions(view, memory, player, hats, NONE)
    memory.summed_turn = view.turn + 1
    memory.summed_hats = hats
    return total % hats


@kernel
def learn_sum(
    view: View, memory: Signals, sender: int, observer: int, hats: int, total: int
) -> None:
    """Update the tables of all but the sender, who learn their hats from the sum.

    The observer sees every hand but their own; a sender thus sees all that matter.
    """
    worked_out = observer == sender and memory.summed_turn == view.turn
    if not worked_out or memory.summed_hats != hats:
        project(view, memory, sender)
        for player in range(view.rules.players):
            if player != sender and player != observer:
                start_telling(view, memory, player)
                total -= answer_questions(view, memory, player, hats, NONE)
        if observer != sender:
            start_telling(view, memory, observer)
            answer_questions(view, memory, observer, hats, total % hats)
    for player in range(view.rules.players):
        if player != sender:
            for slot in range(view.hand_count[player]):
                memory.public[player][slot] = memory.told[player][slot]


# --- hints ----------------------------------------------------------------------------------------


@kernel
def propose_hints(view: View, memory: Signals, outlook: Candidates) -> None:
    """Propose all hints that tell the sum of hats."""
    number = sum_of_hats(view, memory, hats_of_hints(view, memory))
    words = words_that_tell(view, memory, number)
    while words:
        propose(outlook, word_hint(view, target_of(view, memory, number), lowest(words)))
        words &= words - 1


@kernel
def give_hint(view: View, memory: Signals) -> int:
    """Return the hint that tells the sum of hats in the best words, or NONE if there is none."""
    number = sum_of_hats(view, memory, hats_of_hints(view, memory))
    target = target_of(view, memory, number)
    word = best_word(view, memory, target, words_that_tell(view, memory, number))
    return NONE if word == NONE else word_hint(view, target, word)


@kernel
def hear_hint(view: View, event: Event, memory: Signals, observer: int) -> None:
    """Note what the number tells everyone, and then what the words tell the target."""
    hats = hats_of_hints(view, memory)
    number = number_told(view, event, memory)
    learn_sum(view, memory, event.player, observer, hats, number)
    public = memory.public[event.target]
    for slot in range(view.hand_count[event.target]):
        public[slot] &= view.possible[event.target][slot]


# --- coded discards -------------------------------------------------------------------------------


@kernel
def coding_slots(view: View, memory: Signals) -> int:
    """Return the publicly useless slots, if a choice among several of them tells something."""
    me = view.observer
    slots = useless_slots(memory.public[me], view.hand_count[me], memory.dead)
    return slots if memory.coded_discards and not is_single(slots) else 0


@kernel
def coded_discard(view: View, memory: Signals, slots: int) -> int:
    """Return the discard that tells the sum of hats by the choice among publicly useless slots."""
    return discard_slot(view, nth_lowest(slots, sum_of_hats(view, memory, popcount(slots))))


@kernel
def hear_discard(view: View, event: Event, memory: Signals, observer: int) -> None:
    """Note what a discard tells by the choice among useless cards, if there was one."""
    cards = view.hand_count[event.player] + 1 - event.drew
    slots = useless_slots(memory.public[event.player], cards, memory.dead)
    if not is_single(slots) and (slots >> event.slot) & 1:
        number = popcount(slots & ((1 << event.slot) - 1))
        learn_sum(view, memory, event.player, observer, popcount(slots), number)


@kernel
def watch(view: View, event: Event, memory: Signals, observer: int) -> None:
    """Update the public tables after a turn, as seen by `observer`."""
    if event.kind == PLAY or event.kind == DISCARD:
        if event.kind == DISCARD and memory.coded_discards:
            hear_discard(view, event, memory, observer)
        forget_card(view, event, memory)
    else:
        hear_hint(view, event, memory, observer)
    settle(view, memory)
