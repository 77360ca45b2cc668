"""Questions and laws, for two players.

A hint answers questions about the partner's hand, as in `hanabilab.strategies.hatter.hatter`; but
to one partner it tells one of only four numbers. What makes two players strong is that the partner
also learns from what is *not* done: laws (`hanabilab.strategies.hatter.laws`) say when a player
must hint or discard, so that any other action tells that there was no reason to; and if a player
has something better to do, a hint tells that there is a reason.

Three of its questions `hatter` does not ask: what the reason for a hint is, whether the chop is
critical, and, once a play is known, which card is dead.

The decision, in this order, always within the laws:

1. Play a card that is certainly playable. With two or more of which everyone knows that, the choice
   tells the partner a number, on top of what playing says.
2. While time is not short, and with a life to spare, play a card that is playable or dead if it is
   likely enough to be playable. In the last round play the likeliest card.
3. Hint if the partner is in need, or if that is better than a discard (`decision.wants_hint`).
4. Discard a useless card, or the one that will be missed least. With two or more publicly useless
   cards, or else spare ones, the choice tells the partner a number, on top of what discarding says.

A number that the words of its hint contradict is void (`hanabilab.strategies.hatter.signals`): that
leaves more words to choose from. If a hint is due and no legal one is true even so, the player does
the next best thing, and the partner concludes something false. Even then both players keep the same
tables, and tables that contradict themselves are forgotten.

**Departures.** No paper describes this strategy. Hats and tables: Cox et al. 2015. Questions, the
marked slot and coded discards: `hanabi.rs`, as detailed in `hanabilab.strategies.hatter.hatter`;
that program also concludes from a discard that nobody is in need. The laws that bind plays, watch
the chop and warn without a token, hints that mean need, suspicion, void numbers, coded plays, the
choice among spare cards, and hints instead of discards that are worth too little are new here.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single, lowest, nth_lowest, popcount
from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, PLAY, Event, discard_slot, play_slot
from hanabilab.game.rules import Rules
from hanabilab.game.state import View
from hanabilab.strategies.hat_guessing import HAT_SWITCHES
from hanabilab.strategies.hatter.decision import (
    best_play,
    decision_options,
    discard_options,
    gamble,
    gamble_at_the_end,
    hint_or_discard,
    infer_own_cards,
)
from hanabilab.strategies.hatter.explain import explain_duo
from hanabilab.strategies.hatter.laws import (
    HOLDS_PLAY,
    NEED,
    apply_law,
    binds,
    coding_plays,
    expect_play,
    may_discard,
    must_warn,
    needs,
    number_of_play,
    suspect_unless_play,
    update_law,
    update_suspects,
)
from hanabilab.strategies.hatter.memory import HatterMemory
from hanabilab.strategies.hatter.questions import answer_questions, question_options, reset_told
from hanabilab.strategies.hatter.signals import (
    coding_slots,
    propose_hints,
    publish,
    unsupported_by_ways,
    update_after_turn,
)
from hanabilab.strategies.hatter.tables import project, reset_tables, time_is_short
from hanabilab.strategies.strategy import (
    NONE,
    About,
    Candidates,
    Option,
    RuleSupport,
    SearchSupport,
    Strategy,
    propose,
)

__all__ = ["DUO"]


@kernel
def begin(view: View, memory: HatterMemory) -> int:
    """Initialize the public tables, and compute the first law."""
    reset_tables(view, memory.tables)
    update_law(view, memory)
    return 0


@kernel
def observe(view: View, event: Event, memory: HatterMemory) -> None:
    """Update the public tables by what the law says, then by what the signal says.

    Everything is read as the partner must read it, so both players keep the same tables even if an
    action is not what the code demands.
    """
    partner = 1 - event.player
    acts_on_card = event.kind == PLAY or event.kind == DISCARD
    if acts_on_card:
        if event.kind == PLAY:
            decode_play(view, event, memory)
        update_suspects(event, memory)
        played = 1 << event.card if event.kind == PLAY else 0
        apply_law(
            memory,
            memory.tables.public[partner],
            view.hand_count[partner],
            event.kind,
            played,
        )
    update_after_turn(view, event, memory, partner)
    if not acts_on_card:
        suspect_unless_play(view, memory, partner)
    update_law(view, memory)


@kernel
def act(view: View, memory: HatterMemory) -> int:
    """Play, hint and discard by laws, so that what is not done tells the partner as much."""
    infer_own_cards(view, memory)
    short = time_is_short(view, memory)
    need = reasons_to_hint(view, memory)
    bound = may_not_play(view, memory, need)
    lawful = lawful_plays(view, memory, bound)
    slot = best_play(view, memory, lawful)
    if slot != NONE:
        slot = coded_play(view, memory, slot)
        if not (lawful >> slot) & 1:
            slot = NONE
    if slot == NONE and not bound and not short:
        slot = gamble(view, memory)
    if slot == NONE and not bound and not need & HOLDS_PLAY:
        slot = gamble_at_the_end(view, memory)
    if slot != NONE:
        return play_slot(view, slot)
    action = hint_or_discard(view, memory, short, need != 0)
    if action == NONE:
        return coded_discard(view, memory, memory.private.coding)
    return action


@kernel
def reasons_to_hint(view: View, memory: HatterMemory) -> int:
    """Return the reasons why the partner is in need, if there is a token."""
    return needs(view, memory, 0) if view.hint_tokens > 0 else 0


@kernel
def may_not_play(view: View, memory: HatterMemory, need: int) -> bool:
    """Return whether a law forbids plays."""
    return (need != 0 and binds(memory.law, PLAY)) or must_warn(view, memory)


@kernel
def lawful_plays(view: View, memory: HatterMemory, bound: bool) -> int:
    """Return the slots that may be played.

    If `bound`, those are the identified cards that are the reason for the partner's need, if any.
    """
    cards = view.hand_count[view.observer]
    if not bound:
        return (1 << cards) - 1
    slots = 0
    if memory.law.kind == NEED:
        for slot in range(cards):
            card = memory.private.possible[slot]
            if is_single(card) and card & memory.tables.playable and not needs(view, memory, card):
                slots |= 1 << slot
    return slots


@kernel
def coded_play(view: View, memory: HatterMemory, slot: int) -> int:
    """Return the slot to play instead of this one, so that the choice tells the partner's hat."""
    slots = coding_plays(memory)
    if not (slots >> slot) & 1:
        return slot
    expect_play(view, memory, view.observer, slots)
    hat = answer_questions(view, memory, 1 - view.observer, popcount(slots), NONE, 0)
    rest = slots
    while number_of_play(view, memory, view.observer, slots, lowest(rest)) != hat:
        rest &= rest - 1
    believed = memory.private.possible[lowest(rest)] & ~memory.tables.playable == 0
    return lowest(rest) if believed else slot


@kernel
def decode_play(view: View, event: Event, memory: HatterMemory) -> None:
    """Record what a play tells by the choice among playable cards, if there was one."""
    slots = coding_plays(memory)
    if (slots >> event.slot) & 1:
        number = number_of_play(view, memory, event.player, slots, event.slot)
        expect_play(view, memory, event.player, slots)
        answer_questions(view, memory, 1 - event.player, popcount(slots), number, 0)
        publish(view, memory, event.player)


@kernel
def coded_discard(view: View, memory: HatterMemory, slots: int) -> int:
    """Return the discard that tells the partner's hat, given what discarding itself says."""
    partner = 1 - view.observer
    project(view, memory, view.observer)
    reset_told(view, memory, partner)
    apply_law(memory, memory.signal.told[partner], view.hand_count[partner], DISCARD, 0)
    hat = answer_questions(view, memory, partner, popcount(slots), NONE, 0)
    return discard_slot(view, nth_lowest(slots, hat))


@kernel
def candidate_actions(view: View, candidates: Candidates, memory: HatterMemory) -> None:
    """Tell a search what the player's own cards may be.

    It may break the laws, if it asks for lies: both players read an action as the partner must, so
    a play-out counts the harm of a lie.
    """
    infer_own_cards(view, memory)
    for slot in range(view.hand_count[view.observer]):
        candidates.possible[slot] = memory.private.possible[slot]
    if not candidates.lies:
        keep_to_laws(view, candidates, memory)


@kernel
def keep_to_laws(view: View, candidates: Candidates, memory: HatterMemory) -> None:
    """Keep only actions that tell the partner nothing false."""
    need = reasons_to_hint(view, memory)
    candidates.plays = lawful_plays(view, memory, may_not_play(view, memory, need))
    slots = coding_plays(memory)
    if slots:
        candidates.plays &= ~slots | 1 << coded_play(view, memory, lowest(slots))
    if not may_discard(view, memory, need):
        candidates.discards = 0
    slots = coding_slots(view, memory, view.observer, view.hand_count[view.observer])
    if slots and candidates.discards:
        candidates.discards &= ~slots
        propose(candidates, coded_discard(view, memory, slots))
    candidates.any_hint = 0
    if view.hint_tokens > 0 and (need or not memory.law.hint_means_need):
        propose_hints(view, memory, candidates)


def unsupported_reason(rules: Rules) -> str | None:
    """Return why it cannot play these rules, or None."""
    if rules.players != 2:
        return f"it is made for two players, not {rules.players}"
    return unsupported_by_ways(rules)


DUO = Strategy(
    "duo",
    act,
    observe,
    begin,
    HatterMemory,
    options={
        **decision_options(
            border=1,
            gamble=0.5,
            risk=0.03,
            token_worth=5,
            reserve=7,
            short_reserve=4,
            stall=1,
            chain=0.5,
        ),
        **discard_options(
            spare_worth=6,
            rank_worth=6,
            distance_worth=4,
            dead_worth=28,
            newer_worth=1,
        ),
        **question_options(likely=0.55, near=0.4),
        "coded_plays": Option(
            default=True, help="tell a number by the choice among playable cards"
        ),
        "coded_chops": Option(
            default=True, help="tell a number by the choice among spare cards, if none is useless"
        ),
        "dead_question": Option(
            default=True,
            help="ask for a dead card even if a play is known",
        ),
        "critical_question": Option(
            default=True,
            help="ask whether the chop is critical",
        ),
        "bind_plays": Option(default=True, help="the law of need also binds plays"),
        "bind_hints": Option(
            default=True,
            help="a player who can play or discard safely hints only if the partner is in need",
        ),
        "watch_chops": Option(
            default=True,
            help="a critical card on the chop is a need, and a reason for a warning",
        ),
        "warn": Option(default=True, help="the law of warning"),
        "void_numbers": Option(
            default=True, help="a number that the words of its hint contradict is void"
        ),
        "suspicion": Option(
            default=0.5,
            help="chance that the chop is critical after a hint that tells of no play",
        ),
    },
    support=RuleSupport(unsupported_reason, special_hints=True, switches=HAT_SWITCHES),
    about=About(source="questions of hanabi.rs, laws of our own", explain=explain_duo),
    search=SearchSupport(
        public_memory=True,
        candidate_actions=candidate_actions,
        defaults={
            "samples": 4000,
            "screen": 1000,
            "history": 20,
            "surprise": 0.02,
            "least_gain": 0.03,
        },
    ),
)
