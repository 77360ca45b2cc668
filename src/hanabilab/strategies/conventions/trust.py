"""Trust: a partner is believed only as far as that partner has kept to the agreements.

Every player counts for every other one the agreements seen to be kept and broken in this game. If
too many were broken, hints of that player are taken literally, and hints to that player are
expected to be; what was inferred before is withdrawn where it proves false.
"""

from __future__ import annotations

from hanabilab.core.bits import is_single
from hanabilab.core.kernel import kernel
from hanabilab.core.record import ints
from hanabilab.game.actions import PLAY, Event
from hanabilab.game.cards import MAX_PLAYERS, card_in
from hanabilab.game.state import View
from hanabilab.strategies.conventions.agreements import TRUST
from hanabilab.strategies.conventions.chop import chop_of
from hanabilab.strategies.conventions.reading import Reading, spoken_for
from hanabilab.strategies.conventions.tables import NONE, meaning, pointed_at

__all__ = ["Trusting", "has_proved", "judge_action", "judge_hint", "trusts"]

ALLOWANCE = 4
"""Agreements that a partner is thought to have kept before the game."""
FALSE, TOO_LATE = 4, 1
"""A broken agreement weighs as much as this many kept ones; a promise that may have been true when
it was given, for a card that is dead by now, a little less."""


class Trusting(Reading):
    """What each player was seen to keep and to break."""

    honoured: list[int] = ints(MAX_PLAYERS)
    broken: list[int] = ints(MAX_PLAYERS)


@kernel
def trusts(memory: Trusting, player: int) -> bool:
    """Tell whether to rely on a player's agreements."""
    if not memory.agreed & TRUST:
        return True
    return memory.broken[player] <= memory.honoured[player] + ALLOWANCE


@kernel
def has_proved(memory: Trusting, player: int) -> bool:
    """Tell whether a player has kept so much that even the last life may depend on it."""
    if not memory.agreed & TRUST:
        return True
    return memory.honoured[player] > 1 + 2 * memory.broken[player]


@kernel
def judge_hint(view: View, memory: Trusting, giver: int, target: int) -> None:
    """Judge a hint to somebody else: is its focus what the hint promised?"""
    if giver == view.observer or target == view.observer or memory.focus == NONE:
        return
    if memory.plays | memory.saved | memory.waits or memory.call_card:
        card = 1 << card_in(view.hands[target], memory.focus)
        if card & (memory.plays | memory.saved | memory.waits):
            memory.honoured[giver] += 1
        elif memory.caller == NONE:
            memory.broken[giver] += FALSE


@kernel
def judge_action(view: View, event: Event, memory: Trusting) -> None:
    """Judge a play or a discard before the tables follow it."""
    player = event.player
    if event.kind == PLAY:
        if player == view.observer:
            judge_own_play(event, memory)
        elif not (event.lit or memory.pile == 0 or pointed_at(memory, player) >> event.slot & 1):
            memory.broken[player] += FALSE  # a gamble that no agreement asked for
    elif player != view.observer:
        judge_discard(view, event, memory)


@kernel
def judge_own_play(event: Event, memory: Trusting) -> None:
    """Judge by the observer's own play the player whose hint led to it."""
    source = memory.source[event.player][event.slot] - 1
    if source >= 0:
        meant = memory.promised[event.player] | memory.called[event.player]
        if not event.lit:
            late = memory.dead >> event.card & 1
            memory.broken[source] += TOO_LATE if late else FALSE
        elif meant >> event.slot & 1:
            memory.honoured[source] += 1


@kernel
def judge_discard(view: View, event: Event, memory: Trusting) -> None:
    """Judge a discard: nobody throws away a card known as playable or critical, but for need."""
    cards = meaning(memory, event.player, event.slot)
    elsewhere = spoken_for(view, memory, event.player, NONE)
    needed = cards & (memory.playable | memory.critical) & ~elsewhere
    if needed and is_single(cards) and chop_of(view, memory, event.player) != NONE:
        memory.broken[event.player] += FALSE
