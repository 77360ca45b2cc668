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

from hanabilab.core.bits import is_single, lowest
from hanabilab.core.kernel import cold, kernel
from hanabilab.game.actions import Event, can_discard, play_slot
from hanabilab.game.cards import any_copy, card_in
from hanabilab.game.rules import Rules
from hanabilab.game.state import View, rank_of
from hanabilab.strategies.hat_guessing import HAT_SWITCHES
from hanabilab.strategies.hatter.decision import (
    best_play,
    card_worth,
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


# --- games that are won ---------------------------------------------------------------------------


SPARE_BITS = 8
"""Bits for the number of a player's spare cards."""


@kernel
def is_won(state: View, memory: HatterMemory) -> int:
    """Return 1 if all cards that are still needed will certainly be played in time.

    If every copy of them is publicly identified, nothing else matters: each player plays one of
    them as soon as it fits, and discards something else or hints if none does.
    """
    needed = state.rules.all_cards & ~state.dead
    if any_copy(memory.tables.unaccounted) & needed:  # nearly always
        return 0
    return foresee(state, memory, needed)


@cold
@kernel
def foresee(state: View, memory: HatterMemory, needed: int) -> int:
    """Return 1 if the needed cards, all of which are identified, will certainly be played."""
    rules = state.rules
    if rules.other_effects or rules.other_actions or rules.other_ends:
        return 0
    if state.dead != state.played or memory.tables.proved_false:
        return 0
    spare = count_spare_cards(state, memory, needed)
    return 0 if spare == NONE else plays_in_time(state, memory, needed, spare)


@kernel
def count_spare_cards(state: View, memory: HatterMemory, needed: int) -> int:
    """Note who holds which needed cards; return the number of each player's other cards, packed.

    Return NONE if some table is false: its owner may not believe it.
    """
    spare = 0
    for player in range(state.rules.players):
        held = 0
        cards = 0
        wrong = 0
        for slot in range(state.hand_count[player]):
            card = 1 << card_in(state.hands[player], slot)
            wrong |= card & ~memory.tables.public[player][slot]
            cards += int(card & (needed & ~held) == 0)
            held |= card & needed
        if wrong:
            return NONE
        memory.private.held[player] = held
        spare |= cards << SPARE_BITS * player
    memory.private.in_sight = needed
    return spare


@kernel
def plays_in_time(state: View, memory: HatterMemory, needed: int, spare: int) -> int:
    """Return 1 if the needed cards, all of which are identified, will be played before the end.

    Those who have no play discard a spare card or hint. With all tokens they may have to play a
    spare card instead, if no hint tells the right number.
    """
    rules, held = state.rules, memory.private.held
    playable, player = state.playable & needed, state.player
    tokens, lives = state.hint_tokens, state.lives
    turns = state.turns_left if state.turns_left >= 0 else state.draw_pile + rules.players
    for _ in range(turns):
        options = held[player] & playable
        if options == 0:
            if spare >> SPARE_BITS * player & (1 << SPARE_BITS) - 1 == 0:
                return 0
            spare -= 1 << SPARE_BITS * player
            lives -= int(tokens >= rules.max_hint_tokens)
            tokens += 1
            if lives == 0:
                return 0
        else:
            card = next_play(state, memory, player, options)
            bit = 1 << card
            needed ^= bit
            if needed == 0:
                return 1
            playable = (playable ^ bit) | (bit << 1 & needed)
            tokens += int(rank_of(state, card) == rules.ranks)
            for other in range(rules.players):
                copies = held[other] >> card & 1
                held[other] ^= copies << card
                spare += int(other != player) * copies << SPARE_BITS * other
        player += 1
        if player == rules.players:
            player = 0
    return 0


@kernel
def next_play(state: View, memory: HatterMemory, player: int, options: int) -> int:
    """Return which of some identified playable cards a player will play."""
    if is_single(options):
        return lowest(options)
    held = memory.private.held[player]
    memory.private.held[player] = 0
    best = NONE
    best_worth = 0.0
    for slot in range(state.hand_count[player]):
        card = card_in(state.hands[player], slot)
        if options >> card & 1:
            worth = card_worth(state, memory, card)
            if worth > best_worth:
                best = card
                best_worth = worth
    memory.private.held[player] = held
    return best


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
        is_won=is_won,
        defaults={"nested_samples": 16},
    ),
)
