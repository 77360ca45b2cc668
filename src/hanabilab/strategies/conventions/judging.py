"""Judging a player, a person for instance, by the conventions: what was broken, and when.

A judge sits behind a player, sees what that player sees, and reads every action as the strategy
does. What the player does is compared with what the same functions expect.

People know more conventions than the strategy, and take liberties that work. So a missing save and
a false promise count only if harm was done: if the card was then lost or misplayed. A hint may
touch a useless card if its holder then knows what it is, if no cleaner hint says as much, if a
discard was not allowed, or if time is short. A card may be discarded out of turn if it was dead or
another hand holds a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from hanabilab.core.bits import is_single, lowest, popcount
from hanabilab.errors import ActionError
from hanabilab.formats.action import Action
from hanabilab.formats.describe import NUMBERED, Labels
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PLAY,
    Event,
    can_discard,
    decode_action,
)
from hanabilab.game.cards import card_in
from hanabilab.game.deck import Deck
from hanabilab.game.rules import Rules
from hanabilab.game.state import State, View, initial_state, pace, rank_of, view_of
from hanabilab.game.turn import deal, take_turn
from hanabilab.strategies.conventions.catalogue import FIVE_STALLS, HIGHEST_LEVEL, STALL_TABLE
from hanabilab.strategies.conventions.decision import (
    SHORT_TIME,
    called_play,
    infer_own_cards,
    rescue,
    spare_slot,
)
from hanabilab.strategies.conventions.discards import must_warn
from hanabilab.strategies.conventions.examples import EXAMPLES
from hanabilab.strategies.conventions.giving import touched_cards
from hanabilab.strategies.conventions.interpretation import (
    draft_hint,
    drafted_meaning,
    expect_plays,
    spoken_for,
    touched_by,
)
from hanabilab.strategies.conventions.memory import ConventionsMemory
from hanabilab.strategies.conventions.positional import is_unexpected, named_player
from hanabilab.strategies.conventions.stalling import is_stall, is_stalling
from hanabilab.strategies.conventions.strategy import CONVENTIONS, begin, observe
from hanabilab.strategies.conventions.tables import chop_of, meaning, pointed_at
from hanabilab.strategies.explain import in_words
from hanabilab.strategies.strategy import NONE

__all__ = ["Breach", "BreachFinder", "PlayedActions", "broken_conventions"]

BEHIND = {
    "calls": "finesse",
    "plays": "play hints",
    "discards": "the chop",
    "promises": "play hints",
}
"""Words in the title of the convention behind a breach, unless it has the same name."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A convention that a player broke."""

    turn: int
    """The turn, counted from 1."""
    player: int
    convention: str
    """Its name: saves, scream discards, calls, plays, discards, promises or good touch."""
    text: str
    """What happened, in words that the player could have used right after the turn."""

    @property
    def anchor(self) -> str:
        """The anchor of the convention in the list of examples; empty if there is none."""
        words = BEHIND.get(self.convention, self.convention)
        return next((each.anchor for each in EXAMPLES if words in each.title.lower()), "")


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
    finder = BreachFinder(state, player, level, labels)
    found: list[Breach] = []
    for action in played.actions:
        number = action.number(state)
        assert number is not None
        finder.before(state, number)
        event = Event()
        decode_action(state, number, event)
        take_turn(state, cards, event)
        found += finder.after(state, event)
    return sorted(found, key=lambda breach: breach.turn)


class BreachFinder:
    """Finds the conventions that a player breaks while a game goes on.

    It knows what that player sees, and the cards that were played and discarded.
    """

    def __init__(self, state: State, player: int, level: int, labels: Labels) -> None:
        self.judge = Judge(state, player, level, labels)
        self.doubts: list[Doubt] = []
        self.accused: list[Breach | Doubt] = []
        self.critical = 0

    def before(self, state: State, number: int) -> None:
        """Judge the action that is about to be taken, if it is the player's own."""
        own = state.player == self.judge.player
        self.accused = self.judge.judge(state, number) if own else []
        self.critical = state.critical

    def called_slot(self, state: State) -> int:
        """Return the slot that the player is expected to play for a call now, or NONE."""
        view, memory = view_of(state, self.judge.player), self.judge.memory.copy()
        infer_own_cards(view, memory)
        return called_play(view, memory)

    def after(self, state: State, event: Event) -> list[Breach]:
        """Return the breaches that are known since this turn, also those of earlier turns."""
        self.judge.observe(state, event)
        found = [doubt.breach for doubt in self.doubts if doubt.follow(event, self.critical)]
        self.doubts = [doubt for doubt in self.doubts if doubt.is_open]
        self.doubts += [each for each in self.accused if isinstance(each, Doubt)]
        return found + [each for each in self.accused if isinstance(each, Breach)]


SELF_LEVEL = 2
"""The level of the H-Group at which players learn self-finesses, the first that is off here."""
POSITION_LEVEL = 8
"""The level of the H-Group at which players learn positional discards."""
STALL_LEVEL = 9
"""The level of the H-Group at which players learn when a hint may be a stall."""
ANY_CARD = -1
"""Any card that the holder plays or discards in the next turn."""


@dataclass(slots=True)
class Doubt:
    """A breach that counts only if a card of another player is then lost or misplayed."""

    breach: Breach
    holder: int
    slot: int
    """The slot of that card, or ANY_CARD."""
    is_open: bool = True

    def follow(self, event: Event, critical: int) -> bool:
        """Follow a turn; return whether it did the harm. `critical` is as it was before."""
        if event.player != self.holder:
            return False
        if event.kind not in (PLAY, DISCARD):
            self.is_open = self.slot != ANY_CARD
            return False
        if self.slot not in (ANY_CARD, event.slot):
            self.slot -= int(event.slot < self.slot)
            return False
        self.is_open = False
        return not event.lit if event.kind == PLAY else bool(critical >> event.card & 1)


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
        self.wider: ConventionsMemory | None = None
        if level >= SELF_LEVEL:
            known = dict.fromkeys(("self_finesses", "hidden_finesses", "layered_finesses"), True)
            wider = CONVENTIONS.with_options(level=level, **known).fresh_memory()
            assert isinstance(wider, ConventionsMemory)
            begin(view_of(state, player), wider)
            self.wider = wider

    def observe(self, state: State, event: Event) -> None:
        """See a turn that was taken."""
        observe(view_of(state, self.player), event, self.memory)
        if self.wider is not None:
            observe(view_of(state, self.player), event, self.wider)

    def judge(self, state: State, action: int) -> list[Breach | Doubt]:
        """Return what the player breaks by an action, or may break, given the table before it."""
        event = Event()
        decode_action(state, action, event)
        view, memory = view_of(state, self.player), self.memory.copy()
        infer_own_cards(view, memory)
        found = [
            each
            for each in duties(view, event, memory, self.labels)
            if each[0] != "calls" or self.is_called(view, called_play(view, memory))
        ]
        if event.kind == PLAY:
            found += judge_play(view, event, memory, state)
        elif event.kind == DISCARD:
            found += judge_discard(view, event, memory, state, self.labels)
        elif event.kind in (HINT_SUIT, HINT_RANK):
            found += judge_hint(view, event, memory, self.labels)
        breaches = [Breach(state.turn + 1, self.player, name, text) for name, text in found]
        return [self.doubted(view, event, memory, breach) for breach in breaches]

    def is_called(self, view: View, slot: int) -> bool:
        """Return whether a call also means a slot for those who know every kind of finesse."""
        if self.wider is None:
            return True
        memory = self.wider.copy()
        infer_own_cards(view, memory)
        return called_play(view, memory) == slot

    def doubted(
        self, view: View, event: Event, memory: ConventionsMemory, breach: Breach
    ) -> Breach | Doubt:
        """Return a breach, as a doubt if it depends on what follows."""
        if breach.convention == "saves":
            return Doubt(breach, (self.player + 1) % view.rules.players, ANY_CARD)
        if breach.convention == "promises":
            return Doubt(breach, event.target, memory.draft.focus)
        return breach


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
    if event.kind == PLAY and view.hint_tokens == 0 and must_warn(view, memory.beliefs):
        saved = f"{labels.whose(after)} chop"
        yield "scream discards", f"no token was left: a discard would have saved {saved}"


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
    if is_spare(view, card_in(state.hands[view.observer], event.slot)):
        return
    if memory.level >= POSITION_LEVEL and is_positional(view, event, memory):
        return
    if is_single(cards) and cards & view.playable & ~elsewhere and not must_warn(view, beliefs):
        yield "discards", f"{name} was known to fit, and was thrown away"
    elif is_single(cards) and cards & view.critical and chop != NONE:
        yield "discards", f"{name} was known to be critical, and was thrown away"
    elif event.slot not in (expected, chop) and cards & ~(view.dead | elsewhere) and chop != NONE:
        count = view.hand_count[view.observer]
        number, other = labels.slot(event.slot, count), labels.slot(expected, count)
        yield "discards", f"{name} in slot {number} was thrown away, not slot {other}"


def is_positional(view: View, event: Event, memory: ConventionsMemory) -> bool:
    """Return whether a discard names a playable card that the player sees in another hand."""
    count = view.hand_count[view.observer]
    return (
        is_unexpected(view, memory.beliefs, view.observer, event.slot, count)
        and named_player(view, memory.beliefs, view.observer, count - 1 - event.slot) != NONE
    )


def is_spare(view: View, card: int) -> bool:
    """Return whether a card is dead, or another hand holds a copy of it."""
    if view.dead >> card & 1:
        return True
    others = (player for player in range(view.rules.players) if player != view.observer)
    return any(card == held for player in others for held in cards_of(view, player))


def cards_of(view: View, player: int) -> list[int]:
    """Return the cards of another player."""
    return [card_in(view.hands[player], slot) for slot in range(view.hand_count[player])]


def judge_hint(
    view: View, event: Event, memory: ConventionsMemory, labels: Labels
) -> Iterator[tuple[str, str]]:
    """Yield whether a hint promised something false, or touched a useless card without need.

    A stall promises nothing, unless its giver had a hint that comes before it in the stall table.
    """
    draft, target = memory.draft, event.target
    useless = useless_slots(view, memory, target, event.kind, event.value)
    focus = draft.focus
    stalls = memory.level >= STALL_LEVEL and is_stalling(view, memory.beliefs, view.observer)
    if focus != NONE and not (stalls and is_due_stall(view, memory, target)):
        card = card_in(view.hands[target], focus)
        if not drafted_meaning(memory, target, focus) >> card & 1 and not is_answered(memory):
            name = slot_name(view, target, focus, labels)
            yield "promises", f"the hint made {name} look like another card"
            return
    free = can_discard(view) and not stalls and view.draw_pile > 0 and pace(view) > SHORT_TIME
    if useless and free and not draft.moved and has_cleaner(view, event, memory):
        name = slot_name(view, target, lowest(useless), labels)
        yield "good touch", f"the hint touched {name}, which is not needed"


def is_due_stall(view: View, memory: ConventionsMemory, target: int) -> bool:
    """Return whether the drafted hint is a stall by the whole stall table."""
    table = memory.copy()
    table.beliefs.active |= FIVE_STALLS | STALL_TABLE
    return is_stall(view, table, view.observer, target)


def slot_name(view: View, player: int, slot: int, labels: Labels) -> str:
    """Return a card of another player and its slot in words."""
    card = in_words(view, card_in(view.hands[player], slot))
    return f"{card} in slot {labels.slot(slot, view.hand_count[player])}"


def useless_slots(view: View, memory: ConventionsMemory, target: int, kind: int, value: int) -> int:
    """Draft a hint; return the slots with useless cards that it touches for the first time.

    A card that its holder then knows, or knows to be dead, misleads nobody.
    """
    draft = memory.draft
    expect_plays(view, memory, target, view.observer)
    draft.spoken = spoken_for(view, memory.beliefs, target, view.observer)
    useless = view.dead | draft.spoken | touched_cards(view, memory.beliefs, target)
    touching = touched_by(view, target, kind, value)
    draft_hint(view, memory, view.observer, target, kind, value, touching)
    slots = 0
    for slot, card in enumerate(cards_of(view, target)):
        cards = drafted_meaning(memory, target, slot)
        known = is_single(cards) or not cards & ~view.dead
        if draft.new >> slot & useless >> card & 1 and not known:
            slots |= 1 << slot
    return slots


def has_cleaner(view: View, event: Event, memory: ConventionsMemory) -> bool:
    """Return whether a hint is about nothing useful, or another one says as much more cleanly."""
    memory, target = memory.copy(), event.target
    useless = useless_slots(view, memory, target, event.kind, event.value)
    focus, plays = memory.draft.focus, new_plays(view, memory, target)
    if focus == NONE or useless >> focus & 1:
        return plays == 0
    card, new = card_in(view.hands[target], focus), memory.draft.new & ~useless
    if event.kind == HINT_SUIT:
        other = useless_slots(view, memory, target, HINT_RANK, rank_of(view, card))
    else:
        other = useless_slots(view, memory, target, HINT_SUIT, view.rules.suit_of[card])
    says_it = drafted_meaning(memory, target, focus) >> card & 1
    says_as_much = not plays & ~new_plays(view, memory, target) and not new & ~memory.draft.new
    fewer = popcount(other) < popcount(useless)
    return fewer and memory.draft.focus == focus and bool(says_it) and says_as_much


def new_plays(view: View, memory: ConventionsMemory, target: int) -> int:
    """Return the slots of which the drafted hint says that they can be played, now or soon."""
    soon, slots = memory.draft.soon | memory.draft.waits, 0
    for slot, card in enumerate(cards_of(view, target)):
        before = meaning(memory.beliefs, target, slot)
        after = drafted_meaning(memory, target, slot)
        if before & ~soon and not after & ~soon and after >> card & 1:
            slots |= 1 << slot
    return slots


def is_answered(memory: ConventionsMemory) -> bool:
    """Return whether a hint that came too early called exactly one player who can answer."""
    draft = memory.draft
    return draft.call_card != 0 and (draft.answers == 1 or draft.is_bluff == 1)
