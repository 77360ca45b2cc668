"""Judging a player, a person for instance, by the conventions: what was broken, and when.

A judge sits behind a player, sees what that player sees, and reads every action as the strategy
does. What the player does is compared with what the same functions expect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from hanabilab.core.bits import is_single
from hanabilab.errors import ActionError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import NUMBERED, Labels
from hanabilab.game.actions import DISCARD, HINT_RANK, HINT_SUIT, PLAY, Event, decode_action
from hanabilab.game.cards import card_in
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, View, initial_state, view_of
from hanabilab.game.turn import deal, take_turn
from hanabilab.strategies.conventions.catalogue import HIGHEST_LEVEL
from hanabilab.strategies.conventions.decision import (
    called_play,
    infer_own_cards,
    rescue,
    spare_slot,
)
from hanabilab.strategies.conventions.giving import touched_cards
from hanabilab.strategies.conventions.interpretation import (
    draft_hint,
    drafted_meaning,
    expect_plays,
    must_warn,
    spoken_for,
    touched_by,
)
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.conventions.strategy import CONVENTIONS, begin, observe
from hanabilab.strategies.conventions.tables import chop_of, pointed_at
from hanabilab.strategies.explain import in_words
from hanabilab.strategies.strategy import NONE

__all__ = ["Breach", "PlayedActions", "broken_conventions"]


@dataclass(frozen=True, slots=True)
class Breach:
    """A convention that a player broke."""

    turn: int
    """The turn, counted from 1."""
    player: int
    convention: str
    """Its name: saves, warnings, calls, plays, discards, promises or good touch."""
    text: str
    """What happened, in a sentence; the game is over, so it may name any card."""


class PlayedActions(Protocol):
    """A game so far, finished or not, such as a `hanabilab.Game`."""

    rules: Rules
    deck: Deck
    actions: list[Action]


def broken_conventions(
    played: PlayedActions, player: int, *, level: int = HIGHEST_LEVEL, labels: Labels = NUMBERED
) -> list[Breach]:
    """Return the conventions that a player broke in a game that may still be going on, by turn.

    The player is judged by what that player saw; `level` is the highest level of conventions that
    count, and `labels` says how players and slots are called.
    """
    if not 0 <= player < played.rules.players:
        raise ActionError(f"there is no player {player} in a game of {played.rules.players}")
    CONVENTIONS.check(played.rules)
    state, cards = State(), list(played.deck)
    deal(state, initial_state(played.rules), cards)
    judge = Judge(state, player, level, labels)
    found: list[Breach] = []
    for action in played.actions:
        number = action.number(state)
        assert number is not None
        if state.player == player:
            found += judge.judge(state, number)
        event = Event()
        decode_action(state, number, event)
        take_turn(state, cards, event)
        judge.observe(state, event)
    return found


class Judge:
    """Follows a game from one seat, and says which conventions its player breaks."""

    def __init__(
        self,
        state: State,
        player: int,
        level: int = HIGHEST_LEVEL,
        labels: Labels = NUMBERED,
    ) -> None:
        self.player, self.labels = player, labels
        memory = CONVENTIONS.with_options(level=level).fresh_memory()
        assert isinstance(memory, ConventionsMemory)
        self.memory = memory
        begin(view_of(state, player), self.memory)

    def observe(self, state: State, event: Event) -> None:
        """See a turn that was taken."""
        observe(view_of(state, self.player), event, self.memory)

    def judge(self, state: State, action: int) -> list[Breach]:
        """Return what the player breaks by an action, given the table before it."""
        event = Event()
        decode_action(state, action, event)
        view, memory = view_of(state, self.player), self.memory.copy()
        infer_own_cards(view, memory)
        found = [*duties(view, event, memory, self.labels)]
        if event.kind == PLAY:
            found += judge_play(view, event, memory, state)
        elif event.kind == DISCARD:
            found += judge_discard(view, event, memory, state, self.labels)
        elif event.kind in (HINT_SUIT, HINT_RANK):
            found += judge_hint(view, event, memory, self.labels)
        return [Breach(state.turn + 1, self.player, name, text) for name, text in found]


def duties(
    view: View, event: Event, memory: ConventionsMemory, labels: Labels
) -> Iterator[tuple[str, str]]:
    """Yield what the player ought to have done instead: answer a call, save, warn."""
    after = (view.observer + 1) % view.rules.players
    called = called_play(view, memory)
    if called != NONE:
        if (event.kind, event.slot) != (PLAY, called):
            number = labels.slot(called, view.hand_count[view.observer])
            yield "calls", f"slot {number} was called for and was not played"
        return
    helped = event.kind in (HINT_SUIT, HINT_RANK) and event.target == after
    if not helped and rescue(view, memory.copy()) != NONE:
        yield "saves", f"{labels.player(after)} was about to lose a card or a life, and got no hint"
    if event.kind == PLAY and must_warn(view, memory.beliefs):
        saved = f"the chop of {labels.player(after)}"
        yield "warnings", f"no token was left: a discard would have saved {saved}"


def judge_play(
    view: View, event: Event, memory: ConventionsMemory, state: State
) -> Iterator[tuple[str, str]]:
    """Yield whether a play was a gamble that failed."""
    card = card_in(state.hands[view.observer], event.slot)
    meant = pointed_at(memory.beliefs, view.observer) >> event.slot & 1
    sure = meant or memory.own.possible[event.slot] & ~view.playable == 0
    if view.draw_pile > 0 and not sure and not view.playable >> card & 1:
        yield "plays", f"{in_words(view, card)} was played, and nothing had said that it fits"


def judge_discard(
    view: View, event: Event, memory: ConventionsMemory, state: State, labels: Labels
) -> Iterator[tuple[str, str]]:
    """Yield whether a needed card was thrown away, or one out of turn."""
    beliefs = memory.beliefs
    name = in_words(view, card_in(state.hands[view.observer], event.slot))
    cards, chop = memory.own.possible[event.slot], chop_of(view, beliefs, view.observer)
    elsewhere = spoken_for(view, beliefs, view.observer, NONE)
    expected = spare_slot(view, memory)
    if is_single(cards) and cards & view.playable & ~elsewhere and not must_warn(view, beliefs):
        yield "discards", f"{name} was known to fit, and was thrown away"
    elif is_single(cards) and cards & view.critical and chop != NONE:
        yield "discards", f"{name} was known to be critical, and was thrown away"
    elif event.slot not in (expected, chop) and cards & ~(view.dead | elsewhere) and chop != NONE:
        count = view.hand_count[view.observer]
        number, other = labels.slot(event.slot, count), labels.slot(expected, count)
        yield "discards", f"{name} in slot {number} was thrown away, not slot {other}"


def judge_hint(
    view: View, event: Event, memory: ConventionsMemory, labels: Labels
) -> Iterator[tuple[str, str]]:
    """Yield whether a hint promised something false, or touched a useless card."""
    draft = memory.draft
    target = event.target
    expect_plays(view, memory, target, view.observer)
    draft.spoken = spoken_for(view, memory.beliefs, target, view.observer)
    useless = view.dead | draft.spoken | touched_cards(view, memory.beliefs, target)
    touching = touched_by(view, target, event.kind, event.value)
    draft_hint(view, memory, view.observer, target, event.kind, event.value, touching)
    for slot in range(view.hand_count[target]):
        card = card_in(view.hands[target], slot)
        name = f"{in_words(view, card)} in slot {labels.slot(slot, view.hand_count[target])}"
        read = drafted_meaning(memory, target, slot)
        if slot == draft.focus and not read >> card & 1 and not is_answered(memory):
            yield "promises", f"the hint made {name} look like another card"
        elif draft.new >> slot & 1 and useless >> card & 1:
            yield "good touch", f"the hint touched {name}, which is not needed"


def is_answered(memory: ConventionsMemory) -> bool:
    """Return whether a hint that came too early called exactly one player who can answer."""
    draft = memory.draft
    return draft.call_card != 0 and (draft.answers == 1 or draft.is_bluff == 1)
