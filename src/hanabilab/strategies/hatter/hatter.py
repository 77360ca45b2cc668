"""Hat guessing by questions, for three to six players.

A hint tells every other player a number, their hat, and the number answers questions about their
hand: which card is playable, which is dead, which card is that? Everyone keeps the same public
tables of what each card may be, reads hints from their own view, and acts by what they know.

The parts, in the order in which they build on each other:

- `memory`: the records that a player remembers or works with;
- `tables`: for every slot the set of possible cards, the chop, and the table that each player may
  expect at their turn;
- `questions`: what a hat tells about a hand, in mixed radix;
- `signals`: the sum of hats (Cox et al. 2015), told by hints and by the choice of a discard;
- `decision`: what a player concludes about their own hand from the cards in sight, and whether to
  play, to hint or to discard.

The decision, in this order:

1. Play a card that is certainly playable: low ranks first, later if others hold the same card,
   sooner if cards in sight can follow it.
2. While time is not short, and with a life to spare, play a card that is playable or dead if it is
   likely enough to be playable. In the last round play the likeliest card, unless a hint helps
   more.
3. Hint if a player who holds a playable card knows of none, if all tokens are there, or if a hint
   is better than the discard in question (`decision.wants_hint`): above all, if that card may be
   critical. If no legal hint tells the right number, go on.
4. Discard a useless card, or the one that will be missed least. With two or more publicly useless
   cards the choice is a signal too.

Nothing is concluded from what a player does not do. So all public tables stay true whatever anyone
does, and a player may depart from these rules at any time without misleading the others.

**Departures.** No paper describes this strategy. Its sources:

- The sum of hats, public tables, and private information on top of them: Cox et al. 2015.
- Questions in mixed radix with the room that small answers leave, the list question, the questions
  for a likely play and for a card's identity, the marked slot, coded discards, the worth of a
  certain play: the program `hanabi.rs` (WuTheFWasThat and contributors). It counts three or four
  ways per target, as many as publicly must exist, and concludes from a discard that nobody is in
  need; here there are always four ways, some of which a hand may lack, and no such conclusion.
- Projection: an idea of `deltahanabi` (giove91 and contributors).
- The rule that a card which may be critical is kept while there are tokens, the border of short
  time, words chosen by the copies left open, and two sure ways on the last life: new here.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.actions import Event, can_discard, play_slot
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
from hanabilab.strategies.hatter.explain import explain_hatter
from hanabilab.strategies.hatter.memory import MOST_PLAYERS, HatterMemory
from hanabilab.strategies.hatter.questions import question_options
from hanabilab.strategies.hatter.signals import (
    coded_discard,
    coding_slots,
    give_hint,
    unsupported_by_ways,
    update_after_turn,
)
from hanabilab.strategies.hatter.tables import reset_tables, slots_within, time_is_short
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

__all__ = ["HATTER"]


@kernel
def begin(view: View, memory: HatterMemory) -> int:
    """Open the public tables."""
    reset_tables(view, memory.tables)
    return 0


@kernel
def observe(view: View, event: Event, memory: HatterMemory) -> None:
    """Update the public tables."""
    update_after_turn(view, event, memory, view.observer)


@kernel
def act(view: View, memory: HatterMemory) -> int:
    """Play what is certain, keep what may be critical; every hint answers everyone's questions."""
    infer_own_cards(view, memory)
    short = time_is_short(view, memory)
    slot = best_play(view, memory, (1 << view.hand_count[view.observer]) - 1)
    if slot == NONE and not short:
        slot = gamble(view, memory)
    in_need = slot == NONE and view.hint_tokens > 0 and someone_is_unaware(view, memory)
    if slot == NONE and not in_need:
        slot = gamble_at_the_end(view, memory)
    if slot != NONE:
        return play_slot(view, slot)
    action = hint_or_discard(view, memory, short, in_need)
    if action == NONE:
        return coded_discard(view, memory, memory.private.coding)
    return action


@kernel
def someone_is_unaware(view: View, memory: HatterMemory) -> bool:
    """Return whether another player holds a playable card and knows of none."""
    tables = memory.tables
    for player in range(view.rules.players):
        if memory.private.held[player] & tables.playable and not slots_within(
            tables.public[player], view.hand_count[player], tables.playable
        ):
            return True
    return False


@kernel
def candidate_actions(view: View, candidates: Candidates, memory: HatterMemory) -> None:
    """Tell a search what the cards may be, and propose the hint and discard that tell the sum."""
    infer_own_cards(view, memory)
    cards = view.hand_count[view.observer]
    for slot in range(cards):
        candidates.possible[slot] = memory.private.possible[slot]
    slots = coding_slots(view, memory, view.observer, cards)
    if slots and can_discard(view):
        candidates.discards &= ~slots
        propose(candidates, coded_discard(view, memory, slots))
    candidates.any_hint = 0
    if view.hint_tokens > 0:
        hint = give_hint(view, memory)
        if hint != NONE:
            propose(candidates, hint)


def unsupported_reason(rules: Rules) -> str | None:
    """Return why it cannot play these rules, or None."""
    if not 3 <= rules.players <= MOST_PLAYERS:
        return f"it is made for 3 to {MOST_PLAYERS} players, not {rules.players}"
    return unsupported_by_ways(rules)


HATTER = Strategy(
    "hatter",
    act,
    observe,
    begin,
    HatterMemory,
    options={
        **decision_options(
            border=0,
            gamble=0.6,
            risk=0.03,
            token_worth=0,
            reserve=5,
            short_reserve=5,
            stall=1,
            chain=1.5,
        ),
        **discard_options(
            spare_worth=20,
            rank_worth=1,
            distance_worth=0,
            dead_worth=0,
            newer_worth=0,
        ),
        **question_options(likely=0.7, near=0.2),
        "projection": Option(
            default=True,
            help="ask about the table after the plays that everyone expects",
        ),
    },
    support=RuleSupport(unsupported_reason, special_hints=True, switches=HAT_SWITCHES),
    about=About(
        source="questions of hanabi.rs, projection of deltahanabi, rules of our own",
        explain=explain_hatter,
    ),
    search=SearchSupport(
        public_memory=True,
        candidate_actions=candidate_actions,
        defaults={"nested_samples": 16},
    ),
)
