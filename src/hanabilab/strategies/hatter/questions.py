"""Questions: what the number that a hint tells a player means.

A number below M, a hat, can answer questions about a hand. A question is a list of pairs
(slot, set of cards), and its answer is the place, from 1, of the first pair that is true (the card
in the slot belongs to the set), or 0 if none is. With m - 1 pairs there are m answers.

Questions are asked one after the other, each chosen by what the answers before it have told, and
their answers a₁, a₂, … are the digits of the hat in mixed radix: a₁ + m₁ a₂ + m₁ m₂ a₃ + …

How many answers may the next question have? With R hats left (at first M), those that end in the
digit a are a, a + m, a + 2m, …: there are ⌊(R - a - 1) / m⌋ + 1 of them. Small answers leave more
room than ⌊R / m⌋, so the likeliest answer should be the smallest; "none" is 0.

The next question is the first of these that has anything to ask:

0. If the owner is known to be in need (two players only, `hanabilab.strategies.hatter.laws`) and
   there is room for every reason that is possible: which one is it? The last needs no pair.
1. If the owner knows no play: the first playable slot of a list; then, if they know no dead card
   either, whether the chop is critical (two players only), and the first dead slot. If there are
   too many slots, the unlikely ones are left out; but of those in the list the unlikely ones come
   first: a yes to one of them tells more, and so does each no before it.
2. If the owner knows a play, but no dead card: the first dead slot (two players only).
3. If a slot is playable with a chance near the option `likely`: is it?
4. Which card is in the slot that is least likely to be dead? The possible cards are dealt out to as
   many sets as there is room for, all dead ones to the set that needs no pair.

All this is public, so the owner asks the same questions as those who see the hand.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.game.cards import MAX_HAND, card_in
from hanabilab.game.state import View
from hanabilab.strategies.hatter.memory import HatterMemory, Question
from hanabilab.strategies.hatter.tables import CERTAIN, chance, chop
from hanabilab.strategies.strategy import NONE, Option

__all__ = ["answer_questions", "conclude_need", "question_options", "reset_told"]

SLOT_BITS = 4
"""Bits for a slot, below its probability, in the keys by which slots are sorted."""


def question_options(*, likely: float, near: float) -> dict[str, Option]:
    """Return the options of both strategies for what to ask, with these defaults."""
    return {
        "likely": Option(
            default=likely, help="ask whether a card is playable that is so with about this chance"
        ),
        "near": Option(default=near, help="how far from it the chance may be"),
    }


@kernel
def reset_told(view: View, memory: HatterMemory, player: int) -> None:
    """Reset what a player has been told to what is public, before the first answer."""
    memory.signal.turn = 0  # whatever was worked out before is overwritten
    for slot in range(view.hand_count[player]):
        memory.signal.told[player][slot] = memory.tables.public[player][slot]


@kernel
def answer_questions(
    view: View, memory: HatterMemory, player: int, hats: int, hat: int, need: int
) -> int:
    """Ask a player's questions and note what the answers tell; return the answers as one hat.

    If `hat` is NONE, the answers are those of the hand; otherwise they are the digits of `hat`. If
    `need` is not 0, it is known that the player is in need.
    """
    question = memory.question
    told = memory.signal.told[player]
    if need:
        conclude_need(view, memory, player, told)
    if memory.critical_question:
        for slot in range(view.hand_count[player]):
            question.before[slot] = told[slot]
    room = hats
    value = 0
    scale = 1
    while room > 1:
        ask(view, memory, player, room, need)
        answers = question.pairs + 1
        if answers == 1:
            break
        if hat == NONE:
            answer = true_answer(question, view.hands[player])
        else:
            answer = hat // scale % answers
        take_answer(question, told, answer)
        if need:
            conclude_need(view, memory, player, told)
        value += scale * answer
        scale *= answers
        room = (room - answer - 1) // answers + 1
    return value


@kernel
def true_answer(question: Question, hand: int) -> int:
    """Return the place of the first pair that is true of a hand, or 0."""
    answer = 0
    for pair in range(question.pairs - 1, -1, -1):  # all of them: where to stop is unpredictable
        if (question.cards[pair] >> card_in(hand, question.slots[pair])) & 1:
            answer = pair + 1
    return answer


@kernel
def take_answer(question: Question, told: list[int], answer: int) -> None:
    """Note an answer: the pairs before the true one are false; without a true one, all are."""
    wrong = question.pairs if answer == 0 else answer - 1
    for pair in range(wrong):
        told[question.slots[pair]] &= ~question.cards[pair]
    if answer:
        told[question.slots[answer - 1]] &= question.cards[answer - 1]


@kernel
def ask(view: View, memory: HatterMemory, player: int, room: int, need: int) -> None:
    """Write down the next question, with fewer pairs than `room`, or with none if all is known."""
    question = memory.question
    playable = memory.projected.playable[player]
    dead = memory.projected.dead[player]
    told = memory.signal.told[player]
    question.pairs = 0
    plays = 0
    spare = 0
    open_slots = 0
    for slot in range(view.hand_count[player]):  # without branches, which would be unpredictable
        possible = told[slot]
        plays |= int(possible & ~playable == 0) << slot
        spare |= int(possible & ~dead == 0) << slot
        open_slots |= int(not is_single(possible)) << slot
    open_slots &= ~spare
    knows_play = plays != 0
    knows_dead = spare != 0
    if need and not knows_play:
        ask_for_reason(view, memory, player, open_slots, room)
        if question.pairs:
            return
    if not knows_play:
        ask_for_slot(view, memory, player, open_slots, playable, room)
    if memory.critical_question and not knows_play and not knows_dead:
        ask_about_chop(view, memory, player, open_slots, room)
    if not knows_dead and (not knows_play or memory.dead_question):
        ask_for_slot(view, memory, player, open_slots, dead, room)
    if question.pairs == 0:
        ask_likely(view, memory, told, open_slots, playable)
    if question.pairs == 0:
        ask_for_card(view, memory, told, open_slots, dead, room)


@kernel
def ask_for_reason(
    view: View, memory: HatterMemory, player: int, open_slots: int, room: int
) -> None:
    """Ask why the player is in need, if there is room for every reason that is possible.

    The last reason needs no pair, because one of them is true.
    """
    question = memory.question
    told = memory.signal.told[player]
    playable = memory.tables.playable
    critical = memory.tables.critical
    watched = memory.law.watched
    slots = 0
    for slot in range(view.hand_count[player]):
        slots |= int(told[slot] & playable != 0) << slot
    slots &= open_slots
    reasons = popcount(slots)
    risks_chop = False
    if watched != NONE:
        if told[watched] & ~critical == 0:
            return
        risks_chop = told[watched] & critical & ~playable != 0
    if reasons + int(risks_chop) <= room:
        ask_for_slot(view, memory, player, slots, playable, room + 1)
        if risks_chop:
            put_pair(question, watched, critical & ~playable)
        question.pairs = max(0, question.pairs - 1)


@kernel
def conclude_need(view: View, memory: HatterMemory, player: int, known: list[int]) -> None:
    """Note the only reason that is left why a player is in need, if there is just one."""
    playable = memory.tables.playable
    critical = memory.tables.critical
    watched = memory.law.watched
    slots = 0
    plays = 0
    for slot in range(view.hand_count[player]):  # without branches, which would be unpredictable
        may_play = known[slot] & playable != 0
        slots |= int(may_play) << slot
        plays |= int(may_play & (known[slot] & ~playable == 0)) << slot
    if plays:
        return
    if watched != NONE and known[watched] & critical & ~playable:
        if slots == 0:
            known[watched] &= critical
    elif slots and is_single(slots):
        known[lowest(slots)] &= playable


@kernel
def put_pair(question: Question, slot: int, cards: int) -> None:
    """Add a pair to the question."""
    question.slots[question.pairs] = slot
    question.cards[question.pairs] = cards
    question.pairs += 1


@kernel
def ask_for_slot(
    view: View, memory: HatterMemory, player: int, slots: int, cards: int, room: int
) -> None:
    """Ask which is the first slot with one of these cards, the unlikely slots first."""
    question = memory.question
    told = memory.signal.told[player]
    keys = question.keys
    for slot in range(view.hand_count[player]):  # without branches, which would be unpredictable
        slots &= ~(int(told[slot] & cards == 0) << slot)
    if is_single(slots):  # there is nothing to sort
        if slots and question.pairs < room - 1:
            put_pair(question, lowest(slots), cards)
        return
    count = 0
    possible = 0
    likely = 0
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        if told[slot] != possible:  # new cards are often alike
            possible = told[slot]
            likely = chance(view, memory.tables, possible, cards)
        key = likely << SLOT_BITS | (MAX_HAND - slot)
        place = count
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            place -= 1
        keys[place] = key
        count += 1
    for place in range(max(0, count - (room - 1 - question.pairs)), count):
        put_pair(question, MAX_HAND - (keys[place] & ((1 << SLOT_BITS) - 1)), cards)


@kernel
def ask_about_chop(
    view: View, memory: HatterMemory, player: int, open_slots: int, room: int
) -> None:
    """Ask whether the card that the player would discard next is critical."""
    question = memory.question
    if question.pairs < room - 1:
        slot = chop(view, memory, player, question.before)
        possible = memory.signal.told[player][slot]
        wanted = memory.tables.critical & ~memory.projected.playable[player]
        if (open_slots >> slot) & 1 and possible & wanted and possible & ~memory.tables.critical:
            put_pair(question, slot, wanted)


@kernel
def ask_likely(
    view: View, memory: HatterMemory, told: list[int], slots: int, playable: int
) -> None:
    """Ask whether the slot whose chance is nearest to the option `likely` is playable."""
    best = NONE
    best_distance = int(memory.near * CERTAIN)
    likely = int(memory.likely * CERTAIN)
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        if told[slot] & playable:
            distance = abs(chance(view, memory.tables, told[slot], playable) - likely)
            if distance < best_distance:
                best = slot
                best_distance = distance
    if best != NONE:
        put_pair(memory.question, best, playable)


@kernel
def ask_for_card(
    view: View, memory: HatterMemory, told: list[int], slots: int, dead: int, room: int
) -> None:
    """Ask which card is in the slot that is least likely to be dead."""
    question = memory.question
    best = NONE
    best_chance = CERTAIN
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        likely = chance(view, memory.tables, told[slot], dead)
        if likely < best_chance:
            best = slot
            best_chance = likely
    if best == NONE:
        return
    rest = told[best] & ~dead
    first = 1 if told[best] & dead else 0
    answer = first
    while rest:
        if answer > question.pairs:
            put_pair(question, best, 0)
        if answer > 0:
            question.cards[answer - 1] |= rest & -rest
        rest &= rest - 1
        answer += 1
        if answer == room:
            answer = first
