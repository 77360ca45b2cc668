"""What hints mean by the conventions.

**Hints.** A hint has a focus, and says "play" or "save". The giver of a hint runs these very
functions on every possible hint, to see how it will be understood; everyone else runs them on the
hint that was given. They write into the draft, which is accepted once the hint is on the table.

"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import cold, kernel
from hanabilab.game.actions import HINT_RANK
from hanabilab.game.cards import card_in
from hanabilab.game.state import View, pace, rank_cards
from hanabilab.strategies.conventions.calls import (
    draft_call,
    draft_self_finesse,
    focus_after_call,
)
from hanabilab.strategies.conventions.catalogue import (
    DELAYED,
    FIVE_CHOP_MOVES,
    GOOD_TOUCH,
    HIDDEN_FINESSES,
    LAYERED_FINESSES,
    SAVES,
    SELF_FINESSES,
    TEMPO_HINTS,
    TRASH_CHOP_MOVES,
    TWOS,
)
from hanabilab.strategies.conventions.double_finesses import draft_double
from hanabilab.strategies.conventions.layers import draft_layers
from hanabilab.strategies.conventions.memory import Beliefs, ConventionsMemory, Draft
from hanabilab.strategies.conventions.stalling import (
    is_fill_in,
    is_five_stall,
    saved_by_stall,
    tempo_chop_move,
)
from hanabilab.strategies.conventions.tables import (
    chop_of,
    free_slots,
    highest,
    meaning,
    meaning_of,
    pointed_at,
    successors,
    told_cards,
)
from hanabilab.strategies.strategy import NONE

__all__ = [
    "accept_draft",
    "draft_hint",
    "drafted_meaning",
    "expect_hopeful_plays",
    "expect_plays",
    "find_hopeful_slots",
    "known_to_hold",
    "spoken_for",
    "take_literally",
    "touched_by",
]

TWO = 2


# --- hints ----------------------------------------------------------------------------------------


@kernel
def expect_plays(view: View, memory: ConventionsMemory, reader: int, giver: int) -> None:
    """Work out which cards fit now, or after the plays that everyone expects (delayed plays).

    The reader sees which card others will play; players know that of their own only if it can
    be only one, and so the giver cannot have counted on it otherwise.
    """
    find_hopeful_slots(view, memory)
    expect_hopeful_plays(view, memory, reader, giver)


@kernel
def find_hopeful_slots(view: View, memory: ConventionsMemory) -> None:
    """List the slots that some reader may expect to be played: all others need no second look."""
    beliefs, draft = memory.beliefs, memory.draft
    soon, before, count = beliefs.playable, 0, 0
    while beliefs.active & DELAYED and soon != before:
        before, count = soon, 0
        for player in range(view.rules.players):
            for slot in range(view.hand_count[player]):
                cards = meaning(beliefs, player, slot)
                if cards & ~soon == 0:
                    card = 0
                    if player != view.observer:
                        card = 1 << card_in(view.hands[player], slot)
                    draft.hopeful_player[count] = player
                    draft.hopeful_cards[count] = cards
                    draft.hopeful_card[count] = card
                    count += 1
                    soon |= successors(view, cards | card & soon)
    draft.hopeful = count
    draft.answerers = 0


@kernel
def expect_hopeful_plays(view: View, memory: ConventionsMemory, reader: int, giver: int) -> None:
    """Do the work of `expect_plays` after `find_hopeful_slots`."""
    beliefs, draft = memory.beliefs, memory.draft
    draft.knows_answers = draft.knows_doubles = 0
    soon, before = beliefs.playable, 0
    while soon != before:
        before = soon
        for place in range(draft.hopeful):
            cards, player = draft.hopeful_cards[place], draft.hopeful_player[place]
            if cards & ~soon == 0:
                if player != reader and player != view.observer and player != giver:
                    cards = draft.hopeful_card[place] & soon
                if is_single(cards):
                    soon |= successors(view, cards)
    draft.soon = soon & ~beliefs.dead


@kernel
def spoken_for(view: View, beliefs: Beliefs, target: int, giver: int) -> int:
    """Return the cards that hands other than the target's are known to hold (good touch).

    The giver cannot avoid to touch a copy of a card that the giver does not know to hold.
    """
    cards = 0
    for player in range(view.rules.players):
        if player != target:
            cards |= known_to_hold(view, beliefs, player, giver)
    return cards


@kernel
def known_to_hold(view: View, beliefs: Beliefs, player: int, giver: int) -> int:
    """Return the touched and called cards of a player; one's own and the giver's if they know."""
    cards, slots = 0, pointed_at(beliefs, player)
    while slots:
        slot = lowest(slots)
        slots &= slots - 1
        if player != view.observer and player != giver:
            cards |= 1 << card_in(view.hands[player], slot)
        elif is_single(meaning(beliefs, player, slot)):
            cards |= meaning(beliefs, player, slot)
    return cards


@kernel
def touched_by(view: View, target: int, kind: int, value: int) -> int:
    """Return the slots that a hint touches."""
    told = told_cards(view, kind, value)
    touched = 0
    for slot in range(view.hand_count[target]):
        touched |= (told >> card_in(view.hands[target], slot) & 1) << slot
    return touched


@kernel
def draft_hint(
    view: View,
    memory: ConventionsMemory,
    giver: int,
    target: int,
    kind: int,
    value: int,
    touching: int,
) -> None:
    """Draft what a hint says; `expect_plays` and `spoken_for` were worked out for this target."""
    draft = memory.draft
    draft_words(view, memory, target, kind, value, touching)
    draft_focus(view, memory, giver, target, kind, value)
    draft.moved = moved_slots(view, memory, giver, target, kind, value)
    if not draft.new:
        draft.moved = tempo_chop_move(view, memory, giver, target)
    if draft.focus != NONE:
        draft_call(view, memory, giver, target)
        if memory.beliefs.active & (LAYERED_FINESSES | HIDDEN_FINESSES):
            draft_layers(view, memory, giver, target)
        draft_double(view, memory, giver, target)
        if memory.beliefs.active & SELF_FINESSES:
            draft_self_finesse(view, memory, giver, target)
        cards = focus_after_call(view, draft, target)
        if cards:
            draft.inferred[draft.focus] &= cards


@kernel
def draft_words(
    view: View, memory: ConventionsMemory, target: int, kind: int, value: int, touching: int
) -> None:
    """Draft what the words say; by good touch, new cards are not dead nor spoken for."""
    beliefs, draft = memory.beliefs, memory.draft
    told = told_cards(view, kind, value)
    draft.touching = touching
    draft.new = touching & ~beliefs.touched[target]
    useless = beliefs.dead | draft.spoken if beliefs.active & GOOD_TOUCH else 0
    for slot in range(view.hand_count[target]):
        hit = touching >> slot & 1
        possible = beliefs.possible[target][slot] & (told if hit else ~told)
        inferred = beliefs.inferred[target][slot]
        if possible & inferred == 0:
            inferred = view.rules.all_cards
        if draft.new >> slot & 1 and possible & inferred & ~useless:
            inferred &= ~useless
        draft.possible[slot] = possible
        draft.inferred[slot] = inferred
    clear_draft(draft)


@kernel
def clear_draft(draft: Draft) -> None:
    """Let the hint in question mean no more than the draft says."""
    draft.focus = NONE
    draft.plays = draft.saved = draft.waits = draft.later = draft.bluffs = 0
    draft.called_player = draft.second_slot = draft.bluff_slot = draft.next_player = NONE
    draft.doubles = draft.layers = draft.call_card = draft.answers = draft.is_bluff = (
        draft.moved
    ) = 0


@kernel
def drafted_meaning(memory: ConventionsMemory, target: int, slot: int) -> int:
    """Return what a card will be taken to be after the hint in question."""
    draft = memory.draft
    touched = pointed_at(memory.beliefs, target) | draft.touching
    possible, inferred = draft.possible[slot], draft.inferred[slot]
    return meaning_of(
        memory.beliefs, possible, inferred, touched >> slot & 1, memory.beliefs.known[target]
    )


@kernel
def draft_focus(
    view: View, memory: ConventionsMemory, giver: int, target: int, kind: int, value: int
) -> None:
    """Find the focus, and what it may be if the hint says "play" or "save"."""
    draft = memory.draft
    chop = chop_of(view, memory.beliefs, target)
    draft.focus = focus_of(view, memory, giver, target, chop)
    if draft.focus != NONE:
        cards = draft.possible[draft.focus] & draft.inferred[draft.focus]
        draft.plays = cards & draft.soon
        if draft.focus == chop:
            draft.saved = worth_saving(view, memory, cards, kind, value)
        draft.saved |= saved_by_stall(view, memory, giver, target, cards)


@kernel
def focus_of(view: View, memory: ConventionsMemory, giver: int, target: int, chop: int) -> int:
    """Return the slot that a hint is about.

    That is the chop if it is touched, else the youngest new card. If there is no new card, and no
    card becomes playable by the words alone, it is the youngest card that may be playable: a tempo
    hint.
    """
    beliefs, draft = memory.beliefs, memory.draft
    if chop != NONE and draft.new >> chop & 1:
        return chop
    if draft.new:
        return highest(draft.new)
    if not beliefs.active & TEMPO_HINTS or is_fill_in(view, memory, giver, target):
        return NONE
    focus = NONE
    for slot in range(view.hand_count[target]):
        if draft.touching >> slot & 1:
            cards = drafted_meaning(memory, target, slot)
            if (
                cards & ~beliefs.playable == 0
                and meaning(beliefs, target, slot) & ~beliefs.playable
            ):
                return NONE
            if cards & draft.soon and cards & ~beliefs.playable:
                focus = slot
    return focus


@kernel
def worth_saving(view: View, memory: ConventionsMemory, cards: int, kind: int, value: int) -> int:
    """Return which cards a hint saves on the chop.

    Critical cards by rank or suit; but fives only by their rank, if it touches them, and twos too.
    """
    beliefs = memory.beliefs
    if not beliefs.active & SAVES:
        return 0
    if kind != HINT_RANK:
        highest_rank = rank_cards(view, view.rules.ranks)
        return (
            cards
            & beliefs.critical
            & ~(highest_rank & told_cards(view, HINT_RANK, view.rules.ranks))
        )
    saved = cards & beliefs.critical
    if value == TWO and beliefs.active & TWOS:
        saved |= cards & ~beliefs.dead & rank_cards(view, TWO)
    return saved


@kernel
def moved_slots(
    view: View, memory: ConventionsMemory, giver: int, target: int, kind: int, value: int
) -> int:
    """Return the untouched slots that a hint protects: a chop move.

    Trash chop move: if only cards known as dead are new, all that are older than them. Fives chop
    move: if the rank of the fives touches the card after the chop, the chop.
    """
    beliefs, draft = memory.beliefs, memory.draft
    free = free_slots(view, beliefs, target)
    chop = free & -free
    if not draft.new or draft.new & chop:
        return 0
    second = free & ~chop
    moved = 0
    if beliefs.active & TRASH_CHOP_MOVES and is_trash(draft, beliefs.dead):
        moved = free & ((draft.new & -draft.new) - 1)
    elif (
        beliefs.active & FIVE_CHOP_MOVES
        and kind == HINT_RANK
        and value == view.rules.ranks
        and draft.new & second & -second
        and beliefs.tokens < view.rules.max_hint_tokens
        and not is_five_stall(view, memory, giver, target)
    ):
        moved = chop
    return moved if moved and pace(view) >= view.rules.players else 0


@kernel
def is_trash(draft: Draft, dead: int) -> bool:
    """Return whether all cards that a hint touches for the first time are known to be dead."""
    slots = draft.new
    while slots:
        if draft.possible[lowest(slots)] & ~dead:
            return False
        slots &= slots - 1
    return True


@cold
@kernel
def take_literally(view: View, memory: ConventionsMemory, target: int) -> None:
    """Leave of the draft only what the words say, as giver or target ignores the conventions."""
    draft = memory.draft
    for slot in range(view.hand_count[target]):
        inferred = memory.beliefs.inferred[target][slot]
        empty = draft.possible[slot] & inferred == 0
        draft.inferred[slot] = view.rules.all_cards if empty else inferred
    clear_draft(draft)


@kernel
def accept_draft(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Make the draft part of the tables."""
    beliefs, draft = memory.beliefs, memory.draft
    if draft.focus != NONE and draft.focus == chop_of(view, beliefs, target):
        beliefs.chop_focus[target] |= 1 << draft.focus
    for slot in range(view.hand_count[target]):
        beliefs.possible[target][slot] = draft.possible[slot]
        beliefs.inferred[target][slot] = draft.inferred[slot]
        if draft.new >> slot & 1:
            beliefs.source[target][slot] = giver + 1
    beliefs.kept[target] |= draft.moved
    if draft.focus != NONE and draft.plays and draft.saved & ~draft.plays == 0:
        beliefs.promised[target] |= 1 << draft.focus
        beliefs.source[target][draft.focus] = giver + 1
