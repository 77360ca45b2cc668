"""The cheating strategy: all players see their own cards (Cox et al. 2015, "Simulations")."""

from __future__ import annotations

from hanabilab.core.kernel import inlined, kernel
from hanabilab.game.actions import (
    DISCARD,
    PLAY,
    can_discard,
    discard_slot,
    effect_of,
    nth_legal_hint,
    pass_turn,
    play_slot,
)
from hanabilab.game.cards import card_in, weight
from hanabilab.game.rules import Rules
from hanabilab.game.state import View
from hanabilab.game.turn import can_hint
from hanabilab.strategies.explain import ExplanationContext, facts, in_words
from hanabilab.strategies.strategy import (
    NONE,
    TRUTHFUL_SWITCHES,
    About,
    Memory,
    RuleSupport,
    Strategy,
)

__all__ = ["CHEAT", "FEW_DISCARDS"]

FEW_DISCARDS = 5


@kernel
def act(view: View, memory: Memory) -> int:
    """See your own cards and follow the action algorithm of the information strategy.

    The steps are those of Cox et al. 2015, Strategy 2, "Action algorithm".

    **Departures.** Nobody needs the hints, so the first legal one is given. If the rules forbid a
    step's discard (when no hint token is missing), the next step follows; if no hint is possible
    either, the card is misplayed.
    """
    me = view.observer
    hand, cards = view.hands[me], view.hand_count[me]
    slot = first_of(hand, cards, view.playable)
    if slot != NONE:
        return exchanged(view, play_slot(view, slot))  # step 1
    dead = first_of(hand, cards, view.played)
    may_discard = can_discard(view)
    if dead != NONE and may_discard and discards(view) < FEW_DISCARDS:
        return exchanged(view, discard_slot(view, dead))  # step 2
    if can_hint(view):
        return pass_turn(view) if view.rules.open_game else nth_legal_hint(view, 0)  # step 3
    slot = dead  # step 4
    if slot == NONE:
        slot = first_of(hand, cards, duplicates(view))  # step 5
    if slot == NONE:
        slot = first_of(hand, cards, ~view.critical)  # step 6
    slot = max(slot, 0)  # step 7: C1
    return exchanged(view, discard_slot(view, slot) if may_discard else play_slot(view, slot))


@inlined
@kernel
def exchanged(view: View, action: int) -> int:
    """Return the action that in effect plays or discards a card, inverted or not."""
    if view.rules.inverted == 0:
        return action
    size = view.rules.hand_size
    slot = action if action < size else action - size
    inverted = view.rules.inverted >> card_in(view.hands[view.observer], slot) & 1
    if inverted:
        return slot + size if action < size else slot
    return action


@kernel
def first_of(hand: int, cards: int, wanted: int) -> int:
    """Return the lowest slot that holds one of the `wanted` cards, or NONE."""
    for slot in range(cards):
        if (wanted >> card_in(hand, slot)) & 1:
            return slot
    return NONE


@kernel
def discards(view: View) -> int:
    """Count the cards that have been discarded or misplayed."""
    return weight(view.discarded, view.rules.planes, view.rules.all_cards)


@kernel
def duplicates(view: View) -> int:
    """Return the cards of which at least two copies are held, by anyone."""
    once = 0
    twice = 0
    for player in range(view.rules.players):
        hand = view.hands[player]
        for slot in range(view.hand_count[player]):
            bit = 1 << card_in(hand, slot)
            twice |= once & bit
            once |= bit
    return twice


def unsupported_reason(rules: Rules) -> str | None:
    """Return why it cannot play these rules, or None."""
    if rules.players < 2 and rules.hint_tokens != 0 and not rules.discard_at_full:
        return "a single player with all hint tokens could neither give a hint nor discard"
    return None


def explain(context: ExplanationContext) -> str:
    """Name the card, since the strategy sees it."""
    view, event = context.view, context.event
    if event.kind not in (PLAY, DISCARD):
        return context.because("it holds no playable card, and a hint passes the turn on")
    card = card_in(view.hands[view.observer], event.slot)
    event.card = card
    if (
        effect_of(event, view.rules) == DISCARD
        and not view.dead >> card & 1
        and duplicates(context.shared) >> card & 1
    ):
        return context.because(f"two copies of {in_words(view, card)} are held")
    return context.because("it sees its cards", facts(context))


CHEAT = Strategy(
    "cheat",
    act,
    sees_own_hand=True,
    support=RuleSupport(
        unsupported_reason,
        special_hints=True,
        home="cox",
        switches=TRUTHFUL_SWITCHES,
    ),
    about=About(source="Cox et al. 2015, cheating strategy", explain=explain),
)
