"""Calls: hints that come one card too early, and so call for another card first.

**Prompts and finesses.** The player who is called sits between giver and target, sees that the
hinted card does not fit yet, and plays the card that makes it fit: the youngest touched card that
it may be (a prompt), else the youngest untouched card, unseen (a finesse).

**Bluffs.** The player directly after the giver answers with the youngest untouched card, whatever
it is. So the giver may call for a card that fits but is not the missing one. If the card that was
played does not connect to the hint, the target knows that the hinted card is still too early.

**Reverse finesses.** A player who acts after the target can be called too. So the target does not
play the hinted card while another player's card connects to it: that player acts first, and if
nothing comes by the giver's next turn, the hinted card fits as it is.

**Self-finesses.** A hint that comes one card too early, says neither "play" nor "save", and calls
nobody else whom the target sees, calls the target: first the newest untouched card is played, then
the hinted one, which connects to it. A third player who sees both cards in the target's hand is not
called, so the giver calls nobody else for a card that the target could play like this.

**Who knows what.** Everyone but the target sees the hinted card, and knows at once who is called,
or that nobody is. The target finds out from what the players between do: by the target's next turn
everyone reads the hint alike, and a reverse finesse by the giver's next turn. Until then the target
takes it that the players whose cards connect are called. Nobody is called who has a call to answer
already: the second answer would come after the target's turn. A player between who sees that the
next player's card fits cannot rule out a bluff, until that player acts.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import cold, kernel
from hanabilab.game.actions import PLAY, Event
from hanabilab.game.cards import card_in
from hanabilab.game.state import View, rank_cards
from hanabilab.strategies.conventions.catalogue import (
    BLUFFS,
    DOUBLE_FINESSES,
    FINESSES,
    HIDDEN_FINESSES,
    PROMPTS,
    REVERSE_FINESSES,
)
from hanabilab.strategies.conventions.memory import Beliefs, ConventionsMemory, Draft
from hanabilab.strategies.conventions.stalling import is_stalling
from hanabilab.strategies.conventions.tables import (
    highest,
    meaning,
    pointed_at,
    seat_after,
    successors,
    withdraw,
)
from hanabilab.strategies.strategy import NONE

__all__ = [
    "accept_call",
    "called_card",
    "draft_call",
    "draft_self_finesse",
    "drop_unanswered",
    "focus_after_call",
    "may_be_bluffed",
    "resolve_bluff",
    "resolve_later",
    "stop_waiting",
    "void_calls",
]


@kernel
def answer_slot(view: View, beliefs: Beliefs, player: int, card: int) -> int:
    """Return the slot from which a player answers a call for a card, or NONE."""
    for slot in range(view.hand_count[player] - 1, -1, -1):
        if beliefs.touched[player] >> slot & 1 and meaning(beliefs, player, slot) & card:
            return slot if beliefs.active & PROMPTS else NONE
    return finesse_slot(view, beliefs, player) if beliefs.active & FINESSES else NONE


@kernel
def finesse_slot(view: View, beliefs: Beliefs, player: int) -> int:
    """Return the youngest slot that is neither touched nor called, or NONE.

    On the last life nobody is asked to play an untouched card: it would cost too much if the hint
    was misread.
    """
    untouched = (1 << view.hand_count[player]) - 1 & ~pointed_at(beliefs, player)
    return highest(untouched) if untouched and view.lives > 1 else NONE


# --- who is called --------------------------------------------------------------------------------


@kernel
def draft_call(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Draft whom a hint calls, and what else the focus may be if it does."""
    beliefs, draft = memory.beliefs, memory.draft
    if not beliefs.active & (PROMPTS | FINESSES) or view.rules.players == 2:
        return
    after = seat_after(view, giver)
    if after == target and not beliefs.active & REVERSE_FINESSES:
        return
    cards = draft.possible[draft.focus] & draft.inferred[draft.focus]
    early = cards & ~(draft.plays | draft.saved | beliefs.dead)
    early &= successors(view, beliefs.playable) & ~beliefs.known[target]
    if early:
        if not draft.knows_answers:
            find_possible_answers(view, memory, giver, target)
        draft.waits = early & draft.waits_for
        if after != target:
            draft_bluff(view, memory, giver, target, early & ~draft.waits)
        if beliefs.active & REVERSE_FINESSES:
            draft.later = early & draft.waits_later_for
        if view.observer != target:
            card = 1 << card_in(view.hands[target], draft.focus)
            if card & early and not card >> 1 & touched_cards(view, memory, target):
                if view.observer != giver and may_play(view, beliefs, card >> 1):
                    draft.plays |= card
                    if beliefs.active & HIDDEN_FINESSES:
                        call_own_card(view, memory, giver, target, card)
                else:
                    find_called_player(view, memory, giver, target, card)


@cold
@kernel
def draft_self_finesse(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Draft that the target plays the newest untouched card first, then the hinted one.

    Everyone but the target sees whether the two connect. If they do, but somebody else is called as
    well, there are two answers.
    """
    draft = memory.draft
    early, slot = self_finesse(view, memory, giver, target)
    if slot == NONE:
        return
    connects = 0
    if view.observer != target:
        first = 1 << card_in(view.hands[target], slot)
        fits = early & successors(view, first)
        connects = fits >> card_in(view.hands[target], draft.focus) & 1
    if draft.waits | draft.later | draft.bluffs:
        draft.answers += connects if draft.called_player != NONE else 0
    elif connects or view.observer in (giver, target):
        call_target(draft, target, slot, early, connects)


@kernel
def call_target(draft: Draft, target: int, slot: int, early: int, answers: int) -> None:
    """Draft a self-finesse, in place of a call of the observer for the same card."""
    draft.later, draft.call_card, draft.answers = early, early >> 1, answers
    draft.called_player, draft.call_slot = target, slot


@kernel
def self_finesse(view: View, memory: ConventionsMemory, giver: int, target: int) -> tuple[int, int]:
    """Return what the focus may be if the target is called, and the slot to play first, or NONE."""
    beliefs, draft = memory.beliefs, memory.draft
    if not may_be_self_finesse(view, memory, giver, target):
        return 0, NONE
    cards = draft.possible[draft.focus] & draft.inferred[draft.focus] & ~beliefs.dead
    early = cards & successors(view, beliefs.playable) & ~rank_cards(view, view.rules.ranks)
    untouched = (1 << view.hand_count[target]) - 1 & ~(pointed_at(beliefs, target) | draft.touching)
    if not early or not untouched or has_touched(beliefs, target, early >> 1):
        return 0, NONE
    slot = highest(untouched)
    return early, slot if beliefs.possible[target][slot] & early >> 1 else NONE


@kernel
def may_be_self_finesse(view: View, memory: ConventionsMemory, giver: int, target: int) -> bool:
    """Return whether a hint says neither "play" nor "save", and its giver could have discarded."""
    beliefs, draft = memory.beliefs, memory.draft
    if draft.plays | draft.saved | draft.moved or not draft.new >> draft.focus & 1:
        return False
    if view.lives == 1 or beliefs.called[target]:
        return False
    return beliefs.tokens < view.rules.max_hint_tokens and not is_stalling(view, beliefs, giver)


@kernel
def has_touched(beliefs: Beliefs, player: int, cards: int) -> bool:
    """Return whether a touched card of a player may be one of `cards`: a prompt would mean it."""
    slots = pointed_at(beliefs, player)
    while slots:
        if meaning(beliefs, player, lowest(slots)) & cards:
            return True
        slots &= slots - 1
    return False


@kernel
def touched_cards(view: View, memory: ConventionsMemory, target: int) -> int:
    """Return the cards of another player that are touched, or will be by the hint in question."""
    cards, slots = 0, memory.beliefs.touched[target] | memory.draft.touching
    while slots:
        cards |= 1 << card_in(view.hands[target], lowest(slots))
        slots &= slots - 1
    return cards


@kernel
def may_play(view: View, beliefs: Beliefs, card: int) -> bool:
    """Return whether the observer is about to play an unknown card that may be the missing one."""
    me = view.observer
    for slot in range(view.hand_count[me]):
        cards = meaning(beliefs, me, slot)
        if cards & card and cards & ~beliefs.playable == 0:
            return True
    return False


@cold
@kernel
def call_own_card(
    view: View, memory: ConventionsMemory, giver: int, target: int, card: int
) -> None:
    """Draft that the observer's touched card is the missing one, if nobody else has it.

    The observer plays it anyway; if it is another one, a hidden finesse goes on.
    """
    draft, me = memory.draft, view.observer
    find_called_player(view, memory, giver, target, card)
    if draft.called_player != me or not memory.beliefs.touched[me] >> draft.call_slot & 1:
        draft.called_player = draft.second_slot = NONE
        draft.call_card = draft.answers = draft.is_bluff = 0


@kernel
def find_possible_answers(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Work out, for all hints to a target, what fits after a card that somebody is called for."""
    draft = memory.draft
    draft.knows_answers = 1
    draft.waits_for = successors(view, answers_between(view, memory, giver, target))
    if memory.beliefs.active & REVERSE_FINESSES:
        draft.waits_later_for = successors(view, answers_between(view, memory, target, giver))


@kernel
def answers_between(view: View, memory: ConventionsMemory, first: int, last: int) -> int:
    """Return the playable cards that the players between two others can answer with."""
    draft, cards = memory.draft, 0
    player = seat_after(view, first)
    while player != last:
        if player != view.observer and not memory.beliefs.called[player]:
            if not draft.answerers >> player & 1:
                draft.answerers |= 1 << player
                draft.answers_by[player] = answers_of(view, memory.beliefs, player)
            cards |= draft.answers_by[player]
        player = seat_after(view, player)
    return cards


@kernel
def answers_of(view: View, beliefs: Beliefs, player: int) -> int:
    """Return the playable cards that a player can answer with (`answer_slot` for all of them)."""
    cards, wanted = 0, beliefs.playable
    for slot in range(view.hand_count[player] - 1, -1, -1):
        if beliefs.touched[player] >> slot & 1:
            claimed = meaning(beliefs, player, slot) & wanted
            wanted ^= claimed
            if beliefs.active & PROMPTS:
                cards |= claimed & 1 << card_in(view.hands[player], slot)
    if wanted and beliefs.active & FINESSES:
        slot = finesse_slot(view, beliefs, player)
        if slot != NONE:
            cards |= wanted & 1 << card_in(view.hands[player], slot)
    return cards


@kernel
def draft_bluff(view: View, memory: ConventionsMemory, giver: int, target: int, early: int) -> None:
    """Draft what the focus may be if the player after the giver is bluffed."""
    beliefs, draft = memory.beliefs, memory.draft
    player = seat_after(view, giver)
    draft.bluff_slot = finesse_slot(view, beliefs, player)
    if not beliefs.active & BLUFFS or beliefs.called[player]:
        return
    if draft.bluff_slot == NONE or player == view.observer:
        return
    blind = 1 << card_in(view.hands[player], draft.bluff_slot)
    if blind & beliefs.playable and not successors(view, blind) & draft.waits:
        while early:
            card = early & -early
            early ^= card
            if answer_slot(view, beliefs, player, card >> 1) == draft.bluff_slot:
                draft.bluffs |= card


@kernel
def find_called_player(
    view: View, memory: ConventionsMemory, giver: int, target: int, card: int
) -> None:
    """Find who is called: the visible holder of the card before, a bluffed player, or oneself."""
    draft = memory.draft
    draft.call_card = card >> 1
    mine = find_answers(view, memory, giver, giver, target)
    if draft.called_player == NONE and memory.beliefs.active & REVERSE_FINESSES:
        mine = max(mine, find_answers(view, memory, giver, target, giver))
    if draft.called_player == NONE:
        if card & draft.bluffs:
            call_by_bluff(view, draft, giver)
            if mine != NONE:
                draft.second_slot = mine
        elif mine != NONE:
            draft.called_player = view.observer
            draft.call_slot = mine


@kernel
def find_answers(view: View, memory: ConventionsMemory, giver: int, first: int, last: int) -> int:
    """Find the players between two others who can answer; return the observer's slot, or NONE."""
    draft = memory.draft
    mine = NONE
    player = seat_after(view, first)
    while player != last:
        slot = answer_slot(view, memory.beliefs, player, draft.call_card)
        if slot != NONE and not memory.beliefs.called[player]:
            if player == view.observer:
                if memory.beliefs.possible[player][slot] & answers_to(
                    view, memory, giver, player, slot
                ):
                    mine = slot
            elif draft.call_card >> card_in(view.hands[player], slot) & 1:
                draft.answers += 1
                if draft.called_player == NONE:
                    draft.called_player = player
                    draft.call_slot = slot
        player = seat_after(view, player)
    return mine


@kernel
def answers_to(view: View, memory: ConventionsMemory, giver: int, player: int, slot: int) -> int:
    """Return what a called card may be: the missing card, or directly after the giver any."""
    beliefs, draft = memory.beliefs, memory.draft
    if draft.next_player == NONE and may_be_bluffed(view, beliefs, giver, player, slot):
        return beliefs.playable
    return draft.call_card


@kernel
def may_be_bluffed(view: View, beliefs: Beliefs, giver: int, player: int, slot: int) -> bool:
    """Return whether a player directly after the giver answers with any card that fits."""
    return (
        beliefs.active & BLUFFS != 0
        and view.rules.players > 2
        and player == seat_after(view, giver)
        and view.lives > 1
        and not beliefs.touched[player] >> slot & 1
        and not beliefs.called[player] & ~(1 << slot)
    )


@kernel
def call_by_bluff(view: View, draft: Draft, giver: int) -> None:
    """Draft that the player after the giver is called to play the youngest card."""
    draft.is_bluff = 1
    draft.called_player = seat_after(view, giver)
    draft.call_slot = draft.bluff_slot


@kernel
def called_card(view: View, draft: Draft) -> int:
    """Return the card that a hint makes another player play, as a set; 0 for none."""
    if draft.called_player == NONE:
        return 0
    if draft.is_bluff or not is_single(draft.call_card):
        return 1 << card_in(view.hands[draft.called_player], draft.call_slot)
    return draft.call_card


@kernel
def focus_after_call(view: View, draft: Draft, target: int) -> int:
    """Return what the target will take the focus for by the target's next turn."""
    if view.observer == target:
        return draft.plays | draft.saved | draft.waits | draft.later | draft.bluffs
    if draft.is_bluff:
        return draft.bluffs
    if draft.next_player != NONE:
        return successors(view, successors(view, draft.call_card))
    if draft.called_player != NONE:
        return successors(view, draft.call_card)
    return draft.plays | draft.saved | draft.later if draft.plays else draft.saved


# --- calls on the table ---------------------------------------------------------------------------


@kernel
def accept_call(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Make a call part of the tables, and let the target wait for the answer."""
    beliefs, draft = memory.beliefs, memory.draft
    beliefs.waiting[target] = draft.waits
    beliefs.later[target] = draft.later
    beliefs.later_until[target] = giver + 1
    beliefs.waiting_slot[target] = draft.focus
    beliefs.bluff_seat = beliefs.second_slot = NONE
    if draft.focus == NONE:
        return
    after = seat_after(view, giver)
    if after != target and (draft.waits | draft.bluffs or draft.call_card):
        beliefs.bluff_seat = after
        beliefs.bluff_slot = draft.bluff_slot
        beliefs.bluff_target = target
        beliefs.bluffs = draft.bluffs
        beliefs.second_slot = draft.second_slot
        beliefs.second_card = draft.call_card
    if target == view.observer and draft.later and draft.called_player != target:
        write_possible_calls(view, memory, giver, target)
    if draft.called_player == target:
        beliefs.called[target] |= 1 << draft.call_slot
        beliefs.source[target][draft.call_slot] = giver + 1
        beliefs.inferred[target][draft.call_slot] = draft.call_card
    elif draft.called_player != NONE:
        write_call(view, memory, giver, draft.called_player, draft.call_slot)
        if draft.called_player == view.observer and draft.next_player == NONE:
            expect_answer(view, beliefs, giver, target, draft.call_card)
            if (
                beliefs.active & BLUFFS
                and not beliefs.touched[view.observer] >> draft.call_slot & 1
            ):
                beliefs.bluffs |= successors(view, draft.call_card)


@kernel
def expect_answer(view: View, beliefs: Beliefs, giver: int, target: int, card: int) -> None:
    """Note what the target waits for if the observer is called, now or after the target."""
    seats = view.rules.players
    if (view.observer - giver) % seats < (target - giver) % seats:
        beliefs.waiting[target] |= successors(view, card)
    else:
        beliefs.later[target] |= successors(view, card)


@kernel
def write_call(view: View, memory: ConventionsMemory, giver: int, player: int, slot: int) -> None:
    """Note that a player is called: for the missing card, or directly after the giver for any."""
    beliefs = memory.beliefs
    beliefs.called[player] |= 1 << slot
    beliefs.source[player][slot] = giver + 1
    beliefs.inferred[player][slot] = answers_to(view, memory, giver, player, slot)


@kernel
def write_possible_calls(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Note whom the target, who acts before them, sees called if the hint is a reverse finesse."""
    beliefs = memory.beliefs
    player = seat_after(view, target)
    while player != giver:
        left = memory.draft.later >> 1
        while left:
            card = left & -left
            left ^= card
            slot = answer_slot(view, beliefs, player, card)
            if slot != NONE and card >> card_in(view.hands[player], slot) & 1:
                beliefs.called[player] |= 1 << slot
                beliefs.source[player][slot] = giver + 1
                beliefs.inferred[player][slot] = card
                left = 0
        player = seat_after(view, player)


@kernel
def drop_calls_by(view: View, beliefs: Beliefs, giver: int) -> None:
    """Conclude that a hint to the observer called nobody."""
    for player in range(view.rules.players):
        for slot in range(view.hand_count[player]):
            called = beliefs.called[player] >> slot & 1
            if called and beliefs.source[player][slot] == giver + 1:
                withdraw(view, beliefs, player, slot)


@kernel
def drop_pending_by(view: View, beliefs: Beliefs, giver: int) -> None:
    """Conclude that a call came to nothing, and so the one that was to follow it."""
    for player in range(view.rules.players):
        slots = beliefs.pending[player]
        while slots:
            if beliefs.source[player][lowest(slots)] == giver + 1:
                withdraw(view, beliefs, player, lowest(slots))
            slots &= slots - 1


@kernel
def resolve_bluff(view: View, event: Event, memory: ConventionsMemory) -> None:
    """Conclude from the very next turn whether a hint was a finesse, a bluff, or neither."""
    beliefs = memory.beliefs
    if beliefs.bluff_seat != event.player:
        return
    beliefs.bluff_seat = NONE
    target, slot = beliefs.bluff_target, beliefs.waiting_slot[beliefs.bluff_target]
    if event.kind == PLAY and event.slot == beliefs.bluff_slot and event.lit:
        connected = successors(view, 1 << event.card) & beliefs.waiting[target]
        connected |= successors(view, successors(view, 1 << event.card)) & beliefs.doubles[target]
        cards = connected if connected else beliefs.bluffs
        beliefs.second_slot = NONE
        if cards & beliefs.possible[target][slot]:
            beliefs.inferred[target][slot] = cards
            beliefs.waiting[target] = 0
    elif beliefs.bluffs:
        rule_out_bluff(view, event, memory, target, slot)


@kernel
def rule_out_bluff(
    view: View, event: Event, memory: ConventionsMemory, target: int, slot: int
) -> None:
    """Conclude that a hint was no bluff: it may call the observer, who acts later."""
    beliefs = memory.beliefs
    keep = ~beliefs.bluffs | beliefs.waiting[target] | beliefs.later[target]
    if beliefs.inferred[target][slot] & beliefs.possible[target][slot] & keep:
        beliefs.inferred[target][slot] &= keep
    if beliefs.second_slot != NONE:
        memory.draft.call_card = beliefs.second_card
        giver = (event.player - 1) % view.rules.players
        write_call(view, memory, giver, view.observer, beliefs.second_slot)
        beliefs.second_slot = NONE
        expect_answer(view, beliefs, giver, target, beliefs.second_card)
        beliefs.inferred[target][slot] = successors(view, beliefs.second_card)


@kernel
def drop_unanswered(view: View, event: Event, beliefs: Beliefs) -> None:
    """Conclude, when a player who could answer does something else, that there was no call."""
    player = event.player
    if event.kind == PLAY and beliefs.called[player] >> event.slot & 1:
        return
    slots = beliefs.called[player]
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        if meaning(beliefs, player, slot) & ~beliefs.playable == 0:
            giver = beliefs.source[player][slot]
            withdraw(view, beliefs, player, slot)
            drop_pending_by(view, beliefs, giver - 1)


@kernel
def resolve_later(view: View, event: Event, beliefs: Beliefs) -> None:
    """Conclude from a card played unseen that a hint before it was a reverse finesse."""
    for target in range(view.rules.players):
        connected = successors(view, 1 << event.card) & beliefs.later[target]
        slot = beliefs.waiting_slot[target]
        if connected and connected & beliefs.possible[target][slot]:
            beliefs.inferred[target][slot] = connected
            beliefs.later[target] = 0


@kernel
def stop_waiting(view: View, beliefs: Beliefs, after: int, hinted: int) -> None:
    """Conclude, when a player's turn comes, that nobody was called who acted before it.

    A target stops to wait for players who act before; the giver's turn ends the wait for others.
    """
    if after != hinted:
        stop_waiting_for(view, beliefs, after, beliefs.waiting[after])
        if after == view.observer and beliefs.waiting[after] & beliefs.doubles[after]:
            drop_pending_by(view, beliefs, beliefs.later_until[after] - 1)
        beliefs.waiting[after] = 0
    if beliefs.active & DOUBLE_FINESSES:
        drop_pending_by(view, beliefs, after)
    for target in range(view.rules.players):
        if beliefs.later[target] and beliefs.later_until[target] == after + 1:
            further = beliefs.later[target] & beliefs.awaited[target]
            if is_still_called(view, beliefs, further):
                continue
            stop_waiting_for(view, beliefs, target, beliefs.later[target])
            if target == view.observer and not further:
                drop_calls_by(view, beliefs, after)
            beliefs.later[target] = 0


@kernel
def is_still_called(view: View, beliefs: Beliefs, cards: int) -> bool:
    """Return whether a player is still called for the card before one of some cards."""
    if cards:
        for player in range(view.rules.players):
            for slot in range(view.hand_count[player]):
                if (
                    beliefs.called[player] >> slot & 1
                    and beliefs.inferred[player][slot] & cards >> 1
                ):
                    return True
    return False


@kernel
def stop_waiting_for(view: View, beliefs: Beliefs, player: int, cards: int) -> None:
    """Drop the cards that a player expected but that did not come."""
    slot = beliefs.waiting_slot[player]
    unanswered = cards & ~view.playable
    if cards and slot != NONE:
        if beliefs.inferred[player][slot] & ~unanswered:
            beliefs.inferred[player][slot] &= ~unanswered
        else:
            withdraw(view, beliefs, player, slot)


@kernel
def void_calls(view: View, beliefs: Beliefs) -> None:
    """Drop every call after a misplay: some hint was misread, so nobody answers any more."""
    beliefs.bluff_seat = NONE
    for player in range(view.rules.players):
        beliefs.waiting[player] = beliefs.later[player] = 0
        for slot in range(view.hand_count[player]):
            if beliefs.called[player] >> slot & 1:
                withdraw(view, beliefs, player, slot)
