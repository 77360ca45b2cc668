"""The information strategy (Cox et al. 2015, Strategy 2).

Every hint tells every other player something about one of their cards, the one most likely to be
playable: to which of eight sets of possible cards it belongs. Everyone keeps the same table of what
is publicly known about each card. The sets are the hats of a hat-guessing game
(`hanabilab.strategies.shared.hat_guessing`): one set for all played cards, as many single cards as
possible, the rest in sets of at most eight.

**Departures.** `reading=paper` is the text; where it is silent:

- The literal meaning of a hint, including what it excludes, is public information as well. The rank
  or suit is chosen to be news to the target: that of the youngest card whose rank or suit is not
  publicly known.
- A hand in which every card is identified has the value 0.
- Possible cards are in the order of ranks, then suits, as in Figure 6.
- Private information comes from counting the cards in all other hands, repeatedly: a card of the
  player's own hand that is thereby identified is counted as well.
- A duplicate may also be two cards in the player's own hand.
- Where the rules forbid discarding with all hint tokens, step 2 is left out.
- A token comes back for completing a suit: the figures need it (rules `cox`).

`reading=program` is what the authors' program does differently: private information is used only
for playing; a duplicate needs two publicly identified copies; after the cards publicly known to be
dispensable, any card that is not identified is discarded; where no unidentified card can be
playable, the oldest card is targeted.

With p players there are 2(p - 1) hints instead of eight. Where the possible cards do not fit into
that many sets of that many cards, there are no single cards, and all sets have the smallest size
that fits.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single
from hanabilab.core.kernel import inlined, kernel
from hanabilab.game.actions import DISCARD, PLAY, Event, can_discard, discard_slot, play_slot
from hanabilab.game.rules import Rules
from hanabilab.game.state import View
from hanabilab.strategies.cheat import FEW_DISCARDS, NONE, discards
from hanabilab.strategies.information.explain import explain
from hanabilab.strategies.information.hats import decode, give_hint
from hanabilab.strategies.information.private import held_by_others, look_around
from hanabilab.strategies.information.tables import (
    InformationNotes,
    eliminate,
    exhausted_cards,
    forget_card,
    open_tables,
)
from hanabilab.strategies.shared.hat_guessing import PROGRAM, READING, unsupported_by_hats
from hanabilab.strategies.strategy import About, RuleSupport, Strategy

__all__ = ["INFORMATION"]


@kernel
def begin(view: View, memory: InformationNotes) -> int:
    """Start with every card possible in every slot."""
    open_tables(view, memory)
    return 0


@kernel
def observe(view: View, event: Event, memory: InformationNotes) -> None:
    """Update the public tables."""
    if event.kind == PLAY or event.kind == DISCARD:
        news = forget_card(view, event, memory)
    else:
        news = decode(view, event, memory)
    if news or exhausted_cards(view, memory) != memory.exhausted:
        eliminate(view, memory)


@kernel
def act(view: View, memory: InformationNotes) -> int:
    """Act on what is known; every hint tells each player about one of their cards."""
    me = view.observer
    cards = view.hand_count[me]
    look_around(view, memory)
    slot = first_within(memory.private, cards, view.playable)
    if slot != NONE:
        return play_slot(view, slot)  # step 1
    program = memory.reading == PROGRAM
    if program:
        for own in range(cards):
            memory.private[own] = memory.public[me][own]
    known = memory.private
    dead = first_within(known, cards, view.played)
    if dead != NONE and can_discard(view) and discards(view) < FEW_DISCARDS:
        return discard_slot(view, dead)  # step 2
    if view.hint_tokens > 0:
        return give_hint(view, memory)  # step 3
    if dead == NONE:
        dead = least_needed(view, memory)
    return discard_slot(view, dead)  # step 4


@kernel
def least_needed(view: View, memory: InformationNotes) -> int:
    """Return the slot to discard when no card is known to be dead (steps 5, 6 and 7)."""
    known = memory.private
    cards = view.hand_count[view.observer]
    program = memory.reading == PROGRAM
    held = publicly_held_twice(view, memory) if program else held_by_others(view)
    slot = first_duplicate(known, cards, held)
    if slot == NONE and not program:
        slot = held_twice(known, cards)
    if slot == NONE:
        slot = first_within(known, cards, view.rules.all_cards & ~view.critical)
    if slot == NONE and program:
        slot = first_open(known, cards)
    return max(slot, 0)


@inlined
@kernel
def first_within(known: list[int], cards: int, wanted: int) -> int:
    """Return the lowest slot whose possible cards are all `wanted`, or NONE."""
    for slot in range(cards):
        if known[slot] & ~wanted == 0:
            return slot
    return NONE


@kernel
def first_open(known: list[int], cards: int) -> int:
    """Return the lowest slot with more than one possible card, or NONE."""
    for slot in range(cards):
        if not is_single(known[slot]):
            return slot
    return NONE


@kernel
def first_duplicate(known: list[int], cards: int, held: int) -> int:
    """Return the lowest slot whose card is identified and one of those `held`, or NONE."""
    for slot in range(cards):
        if is_single(known[slot]) and known[slot] & held:
            return slot
    return NONE


@kernel
def held_twice(known: list[int], cards: int) -> int:
    """Return the lowest slot whose identified card is in a younger slot as well, or NONE."""
    for slot in range(cards):
        if is_single(known[slot]):
            for younger in range(slot + 1, cards):
                if known[younger] == known[slot]:
                    return slot
    return NONE


@kernel
def publicly_held_twice(view: View, memory: InformationNotes) -> int:
    """Return the cards of which two copies are publicly identified in any hands."""
    once = 0
    twice = 0
    for player in range(view.rules.players):
        for slot in range(view.hand_count[player]):
            if (memory.identified[player] >> slot) & 1:
                twice |= once & memory.public[player][slot]
                once |= memory.public[player][slot]
    return twice


def unsupported_reason(rules: Rules) -> str | None:
    """Return why it cannot play these rules, or None."""
    if rules.players < 2:
        return "a hint needs another player"
    return unsupported_by_hats(rules)


INFORMATION = Strategy(
    "information",
    act,
    observe,
    begin,
    InformationNotes,
    options={"reading": READING},
    support=RuleSupport(
        unsupported_reason=unsupported_reason, home="cox", program_home="cox-program"
    ),
    about=About(source="Cox et al. 2015, Strategy 2", explain=explain),
)
