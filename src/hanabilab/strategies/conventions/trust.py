"""Whom to believe: the odds that a player follows the conventions, judged by every action.

Each player keeps, for every other one, the odds that this player knows the conventions and slips
now and then, against a stranger who goes by the words of hints alone. An action multiplies the odds
by how much likelier it is for the one than for the other. So one slip is forgiven, a series of them
is not, and good turns win trust back.

While the odds are too low, hints of that player are taken literally, and hints to that player are
expected to be; what was inferred before is withdrawn where it proves false. On the last life more
is asked for.

The weights come from games of `conventions`, with and without 5 % of random actions, and of
`piers`, `iggi` and `rule-based`. They are in decibans, tenths of a power of ten; 0 is where a
player starts.
"""

from __future__ import annotations

from hanabilab.core.kernel import kernel
from hanabilab.game.actions import DISCARD, PLAY, Event
from hanabilab.game.cards import card_in
from hanabilab.game.state import View
from hanabilab.strategies.conventions.catalogue import GENTLEMANS_DISCARDS, TRUST
from hanabilab.strategies.conventions.discards import shows_copy
from hanabilab.strategies.conventions.interpretation import spoken_for
from hanabilab.strategies.conventions.memory import Beliefs, ConventionsMemory
from hanabilab.strategies.conventions.positional import names_slot
from hanabilab.strategies.conventions.tables import chop_of, meaning, pointed_at
from hanabilab.strategies.strategy import NONE

__all__ = ["has_proved", "judge_action", "judge_hint", "reads_as_positional", "trusts"]

LEAST, PROOF = -24, 8
"""A player is believed above the one, and with the last life above the other."""
FURTHEST = 40
"""The limit of the odds, so that a player's change of behaviour is noticed."""
OBEYED, IGNORED = 9, -8
"""A card that only a convention says to play was played, or something else was done."""
CHOP, TOUCHED, UNTOUCHED = 3, -11, -4
"""Discards: of the chop, of a touched card that may be needed, of another card."""
GAMBLE = -3
"""A misplay of a card that nothing pointed at."""
TRUE, FALSE = 1, -8
"""A hint to somebody else whose focus is, or is not, what it promised."""
FITTED, MISLED, TOO_LATE = 1, -10, -6
"""What a hint to the observer promised: the card fitted, did not, or was dead by then."""


@kernel
def trusts(memory: ConventionsMemory, player: int) -> bool:
    """Return whether to rely on a player's conventions."""
    return not memory.beliefs.active & TRUST or memory.conduct.odds[player] > LEAST


@kernel
def has_proved(memory: ConventionsMemory, player: int) -> bool:
    """Return whether a player has kept so much that even the last life may depend on it."""
    return not memory.beliefs.active & TRUST or memory.conduct.odds[player] > PROOF


@kernel
def weigh(memory: ConventionsMemory, player: int, decibans: int) -> None:
    """Change the odds of a player."""
    odds = memory.conduct.odds
    odds[player] = max(-FURTHEST, min(FURTHEST, odds[player] + decibans))


@kernel
def judge_hint(view: View, memory: ConventionsMemory, giver: int, target: int) -> None:
    """Judge a hint to somebody else: whether its focus is what the hint promised."""
    draft = memory.draft
    if giver == view.observer or target == view.observer or draft.focus == NONE:
        return
    expected = draft.plays | draft.saved | draft.waits | draft.later
    if expected or draft.call_card:
        card = 1 << card_in(view.hands[target], draft.focus)
        if card & expected:
            weigh(memory, giver, TRUE)
        elif draft.called_player == NONE:
            weigh(memory, giver, FALSE)


@kernel
def judge_action(view: View, event: Event, memory: ConventionsMemory) -> None:
    """Judge an action by the tables before it; what a hint says is judged by `judge_hint`."""
    if event.player == view.observer:
        if event.kind == PLAY:
            judge_own_play(event, memory)
        return
    if event.kind == DISCARD and hands_on(view, event, memory.beliefs):
        return
    if event.kind == DISCARD and reads_as_positional(view, event, memory):
        return
    judge_obedience(view, event, memory)
    if event.kind == DISCARD:
        judge_discard(view, event, memory)
    elif event.kind == PLAY and not event.lit and memory.beliefs.pile > 0:
        judge_misplay(event, memory)


@kernel
def reads_as_positional(view: View, event: Event, memory: ConventionsMemory) -> bool:
    """Return whether a discard names a slot: only if its player has kept the conventions so far."""
    known = event.player == view.observer or has_proved(memory, event.player)
    return known and names_slot(view, memory.beliefs, event)


@kernel
def hands_on(view: View, event: Event, beliefs: Beliefs) -> bool:
    """Return whether a gentleman's discard is right: its holder cannot see that before the play."""
    cards = meaning(beliefs, event.player, event.slot)
    return (
        beliefs.active & GENTLEMANS_DISCARDS != 0
        and cards & beliefs.playable == 1 << event.card
        and shows_copy(view, beliefs, event.player, cards)
    )


@kernel
def judge_misplay(event: Event, memory: ConventionsMemory) -> None:
    """Judge a misplay: a gamble if nothing pointed at the card."""
    if not pointed_at(memory.beliefs, event.player) >> event.slot & 1:
        weigh(memory, event.player, GAMBLE)


@kernel
def judge_obedience(view: View, event: Event, memory: ConventionsMemory) -> None:
    """Judge whether a player did what hints, by the conventions alone, asked for."""
    asked = asked_plays(view, event, memory.beliefs)
    if asked and event.kind != PLAY:
        weigh(memory, event.player, IGNORED)
    elif asked and asked >> event.slot & 1:
        weigh(memory, event.player, OBEYED)


@kernel
def asked_plays(view: View, event: Event, beliefs: Beliefs) -> int:
    """Return the slots that the acting player was to play, but not by the words of hints."""
    player, asked = event.player, 0
    count = view.hand_count[player]
    if event.kind == PLAY or event.kind == DISCARD:
        count += 1 - event.drew
    for slot in range(count):
        cards = meaning(beliefs, player, slot)
        sure = beliefs.possible[player][slot] & ~beliefs.playable == 0
        if cards & ~beliefs.playable == 0 and not sure:
            asked |= 1 << slot
    return asked


@kernel
def judge_own_play(event: Event, memory: ConventionsMemory) -> None:
    """Judge by the observer's own play the player whose hint led to it."""
    beliefs = memory.beliefs
    source = beliefs.source[event.player][event.slot] - 1
    if source >= 0:
        meant = beliefs.promised[event.player] | beliefs.called[event.player]
        if not event.lit:
            late = beliefs.dead >> event.card & 1
            weigh(memory, source, TOO_LATE if late else MISLED)
        elif meant >> event.slot & 1:
            handed = beliefs.handed[event.player] >> event.slot & 1
            weigh(memory, source, FITTED - TOUCHED - IGNORED if handed else FITTED)


@kernel
def judge_discard(view: View, event: Event, memory: ConventionsMemory) -> None:
    """Judge a discard: the chop goes first, unless another card is known as useless."""
    beliefs, player = memory.beliefs, event.player
    chop = chop_of(view, beliefs, player)
    if event.slot == chop:
        weigh(memory, player, CHOP)
    elif chop != NONE:
        useless = beliefs.dead | spoken_for(view, beliefs, player, NONE)
        if meaning(beliefs, player, event.slot) & ~useless:
            touched = pointed_at(beliefs, player) >> event.slot & 1
            weigh(memory, player, TOUCHED if touched else UNTOUCHED)
