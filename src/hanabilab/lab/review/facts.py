"""Facts of a game that need no convention: what could be known, what was lost, what hints did.

Nothing here is an estimate. Probabilities are exact: a careful player counts all visible cards,
remembers every hint, and weighs all hands that are consistent with both.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hanabilab.core.bits import members, popcount
from hanabilab.errors import HanabiError
from hanabilab.game.actions import (
    DISCARD,
    HINT_RANK,
    HINT_SUIT,
    PLAY,
    Event,
    effect_of,
    legal_actions,
)
from hanabilab.game.cards import card_in, count_of
from hanabilab.game.state import State, best_score, pace
from hanabilab.solver.hidden import Mode, solve_hidden
from hanabilab.solver.position import Position, take_action

__all__ = [
    "Chances",
    "Efficiency",
    "ExactValues",
    "GameFacts",
    "LostCard",
    "MissedRescue",
    "TurnFacts",
    "find_facts",
    "slot_chances",
]


MODES: tuple[Mode, ...] = ("score", "win")


@dataclass(frozen=True, slots=True)
class Chances:
    """The probabilities of a card in hand being playable, dead or critical, to a careful holder."""

    playable: Fraction
    dead: Fraction
    critical: Fraction

    def to_dict(self) -> dict[str, float]:
        """Return the chances as plain numbers."""
        return {
            "playable": float(self.playable),
            "dead": float(self.dead),
            "critical": float(self.critical),
        }


@dataclass(frozen=True, slots=True)
class ExactValues:
    """Exact values of an endgame with all hands visible and the draw pile hidden.

    They bound what players who cannot see their own cards can reach.
    """

    score: Fraction
    """The expected score of the best action."""
    score_taken: Fraction
    """The expected score of the action that was taken."""
    win: Fraction
    """The chance of the maximum by the action that is best for it."""
    win_taken: Fraction

    @property
    def is_kept(self) -> bool:
        """Whether no action was better than the one taken, even with all hands known."""
        return self.score_taken == self.score and self.win_taken == self.win

    def to_dict(self) -> dict[str, Any]:
        """Return the values as numbers, and as fractions in text."""
        return {
            "score": float(self.score),
            "score_taken": float(self.score_taken),
            "win": float(self.win),
            "win_taken": float(self.win_taken),
            "fractions": [
                str(value) for value in (self.score, self.score_taken, self.win, self.win_taken)
            ],
        }


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """What happened in a turn."""

    action: int
    """The number of the action."""
    event: Event
    hand_count: int
    """Number of cards in the hand that was played from or hinted at."""
    chances: Chances | None
    """What the holder could know of the card that was played or discarded; None for hints."""
    new: int
    """Number of cards about which a hint gave new information."""
    tokens: int
    """Hint tokens before the turn."""
    pace: int
    """The pace after the turn."""
    reachable: int
    """The highest score that is still possible after the turn, given the discards."""
    effect: int
    """The kind of the event by its effect (`effect_of`)."""
    exact: ExactValues | None
    """The values of an endgame, if there are few enough cards in the draw pile."""

    @property
    def is_misplay(self) -> bool:
        """Whether a life was lost."""
        return self.effect == PLAY and not self.event.lit

    @property
    def is_hint(self) -> bool:
        """Whether the turn was a hint."""
        return self.event.kind in (HINT_SUIT, HINT_RANK)


@dataclass(frozen=True, slots=True)
class MissedRescue:
    """A turn in which a player saw a critical card and could touch it with a hint, but did not."""

    turn: int
    player: int
    tokens: int


@dataclass(frozen=True, slots=True)
class LostCard:
    """A critical card that was discarded or misplayed."""

    turn: int
    player: int
    card: int
    points: int
    """The drop of the highest possible score, given the discards."""
    misplayed: bool
    touched: bool
    """Whether a hint had touched it."""
    chances: Chances
    since: int
    """The first turn in which it was both critical and in this hand."""
    rescues: tuple[MissedRescue, ...]


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Efficiency of the hints of a game."""

    hints: int
    cards: int
    """Cards that were played successfully."""
    needed: float | None
    """Minimum cards per hint to reach the maximum; None without a limit."""
    wasted_tokens: int
    """Hint tokens that were lost because there was the full number already."""
    misplays: int
    empty_hints: int
    """Hints that gave no new information."""

    @property
    def per_hint(self) -> float | None:
        """Cards played for each hint given."""
        return self.cards / self.hints if self.hints else None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "hints": self.hints,
            "cards": self.cards,
            "per_hint": self.per_hint,
            "needed": self.needed,
            "wasted_tokens": self.wasted_tokens,
            "misplays": self.misplays,
            "empty_hints": self.empty_hints,
        }


@dataclass(frozen=True, slots=True)
class GameFacts:
    """All facts of a game."""

    turns: tuple[TurnFacts, ...]
    lost: tuple[LostCard, ...]
    efficiency: Efficiency


def find_facts(start: Position, actions: Sequence[int], exact_pile: int = 0) -> GameFacts:
    """Return the facts of a game that was dealt as `start`.

    Endgames with at most `exact_pile` cards in the draw pile are solved.
    """
    states, events = _replay(start, actions)
    turns = tuple(
        _turn_facts(before, after, action, event, exact_pile)
        for before, after, action, event in zip(states, states[1:], actions, events, strict=False)
    )
    lost = tuple(_lost_cards(start, states, turns))
    return GameFacts(turns, lost, _efficiency(states, turns))


def _replay(start: Position, actions: Sequence[int]) -> tuple[list[State], list[Event]]:
    states, events = [start.state], []
    for action in actions:
        state = states[-1].copy()
        events.append(take_action(state, start.deck, action))
        states.append(state)
    return states, events


def _turn_facts(
    before: State, after: State, action: int, event: Event, exact_pile: int
) -> TurnFacts:
    chances, new = None, 0
    holder = event.player
    if event.kind in (PLAY, DISCARD):
        if event.slot < before.hand_count[event.player]:
            chances = slot_chances(before, event.player, event.slot)
    elif event.kind in (HINT_SUIT, HINT_RANK):
        holder = event.target
        rows = zip(before.possible[holder], after.possible[holder], strict=True)
        new = sum(one != other for one, other in rows)
    return TurnFacts(
        action,
        event,
        before.hand_count[holder],
        chances,
        new,
        before.hint_tokens,
        pace(after),
        best_score(after),
        effect_of(event, before.rules),
        solve_endgame(before, action) if before.draw_pile <= exact_pile else None,
    )


NODES = 300_000
"""Limit on the positions that the endgame solver visits per turn."""


def solve_endgame(state: State, action: int) -> ExactValues | None:
    """Return the exact values of a turn; None if that takes too long, or for unusual rules."""
    found = []
    for mode in MODES:
        try:
            values = solve_hidden(state, mode=mode, node_limit=NODES)
        except HanabiError:
            return None
        best, taken = values.value, values.values[action]
        if best is None or taken is None:
            return None
        found += [best, taken]
    return ExactValues(*found)


# --- what the holder of a card could know ---------------------------------------------------------


def slot_chances(state: State, player: int, slot: int) -> Chances:
    """Return what a player could know of one of their own cards."""
    weights = _weights(state, player, slot)
    total = sum(weights.values())
    sets = (state.playable, state.dead, state.critical)
    parts = [sum(n for card, n in weights.items() if cards >> card & 1) for cards in sets]
    return Chances(*(Fraction(part, total) for part in parts))


def _weights(state: State, player: int, slot: int) -> dict[int, int]:
    """Return, for each card, the number of possible hands in which it is in a slot."""
    unseen = _unseen(state, player)
    possible = [
        [card for card in members(state.possible[player][other]) if unseen.get(card)]
        for other in range(state.hand_count[player])
    ]
    others = [frozenset(cards) for place, cards in enumerate(possible) if place != slot]
    found = {}
    for card in possible[slot]:
        left = dict(unseen)
        left[card] -= 1
        found[card] = unseen[card] * _count_hands(others, left)
    return found


def _unseen(state: State, player: int) -> dict[int, int]:
    """Return how many copies of each card a player does not see."""
    unseen = {
        card: count_of(state.left, card) for card in range(state.rules.ranks * state.rules.suits)
    }
    for other in range(state.rules.players):
        if other != player:
            for slot in range(state.hand_count[other]):
                unseen[card_in(state.hands[other], slot)] -= 1
    return unseen


def _count_hands(slots: Sequence[frozenset[int]], unseen: dict[int, int]) -> int:
    """Return the number of ways to deal copies to slots that each allow certain cards.

    Cards that the same slots allow are interchangeable, so there are few classes of them.
    """
    classes: dict[tuple[bool, ...], int] = {}
    for card, copies in unseen.items():
        allowed = tuple(card in cards for cards in slots)
        if any(allowed):
            classes[allowed] = classes.get(allowed, 0) + copies
    return _deal(tuple(sorted(classes.items())), 0, len(slots))


@functools.lru_cache(maxsize=4096)
def _deal(classes: tuple[tuple[tuple[bool, ...], int], ...], slot: int, slots: int) -> int:
    """Return the number of ways to deal the slots from `slot` on from classes of copies."""
    if slot == slots:
        return 1
    ways = 0
    for place, (allowed, copies) in enumerate(classes):
        if allowed[slot] and copies:
            rest = (*classes[:place], (allowed, copies - 1), *classes[place + 1 :])
            ways += copies * _deal(rest, slot + 1, slots)
    return ways


# --- critical cards that were lost ----------------------------------------------------------------


def _lost_cards(
    start: Position, states: Sequence[State], turns: Sequence[TurnFacts]
) -> Iterator[LostCard]:
    for number, facts in enumerate(turns):
        before, event = states[number], facts.event
        gone = facts.effect == DISCARD or facts.is_misplay
        if not gone or not before.critical >> event.card & 1 or facts.chances is None:
            continue
        slots = _slots_of_card(turns, number)
        since = next(
            turn for turn in slots if states[turn].critical >> event.card & 1
        )  # from then on it stays critical
        touched = before.suit_hinted[event.player] | before.rank_hinted[event.player]
        yield LostCard(
            turn=number + 1,
            player=event.player,
            card=event.card,
            points=best_score(before) - facts.reachable,
            misplayed=facts.is_misplay,
            touched=bool(touched >> event.slot & 1),
            chances=facts.chances,
            since=since + 1,
            rescues=tuple(_missed_rescues(start, states, turns, slots, since)),
        )


def _slots_of_card(turns: Sequence[TurnFacts], last: int) -> dict[int, int]:
    """Return the slot of the card that a turn removed, before each turn since it was drawn.

    The turns are in order.
    """
    event = turns[last].event
    slot, found = event.slot, {last: event.slot}
    for number in range(last - 1, -1, -1):
        earlier = turns[number].event
        if earlier.player == event.player and earlier.kind in (PLAY, DISCARD):
            youngest = turns[number].hand_count - 1
            if earlier.drew and slot == youngest:
                break  # it was drawn in that turn
            slot += earlier.slot <= slot
        found[number] = slot
    return dict(sorted(found.items()))


def _missed_rescues(
    start: Position,
    states: Sequence[State],
    turns: Sequence[TurnFacts],
    slots: dict[int, int],
    since: int,
) -> Iterator[MissedRescue]:
    """Yield the turns in which a hint could have saved a card.

    In these the holder could not know that a card about to be discarded was critical, or that a
    card about to be played would not fit.
    """
    last = max(slots)
    misplayed = turns[last].is_misplay
    holder = states[last].player
    for number in range(since, last):
        state = states[number]
        if state.player == holder or not _can_touch(start, state, holder, slots[number]):
            continue
        event = turns[number].event
        if turns[number].is_hint and event.target == holder and event.touched >> slots[number] & 1:
            continue  # this player did touch it
        chances = slot_chances(state, holder, slots[number])
        if chances.playable > 0 if misplayed else chances.critical < 1:
            yield MissedRescue(number + 1, state.player, state.hint_tokens)


def _can_touch(start: Position, state: State, holder: int, slot: int) -> bool:
    """Return whether the player to move can give a hint that touches a card."""
    for action in legal_actions(state):
        if action >= 2 * state.rules.hand_size:
            event = take_action(state.copy(), start.deck, action)
            hinted = event.kind in (HINT_SUIT, HINT_RANK)
            if hinted and event.target == holder and event.touched >> slot & 1:
                return True
    return False


# --- efficiency -----------------------------------------------------------------------------------


def _efficiency(states: Sequence[State], turns: Sequence[TurnFacts]) -> Efficiency:
    hints = [facts for facts in turns if facts.is_hint]
    return Efficiency(
        hints=len(hints),
        cards=sum(bool(facts.event.lit) for facts in turns),
        needed=_needed(states[0]),
        wasted_tokens=sum(_wastes_token(*pair) for pair in zip(states, turns, strict=False)),
        misplays=sum(facts.is_misplay for facts in turns),
        empty_hints=sum(facts.new == 0 for facts in hints),
    )


def _wastes_token(before: State, facts: TurnFacts) -> bool:
    """Return whether a discard or a completed suit gave no token because all were available."""
    rules, event = before.rules, facts.event
    if before.hint_tokens < rules.max_hint_tokens:
        return False
    completed = event.lit and rules.token_for_suit and _completes(before, event)
    return facts.effect == DISCARD or bool(completed)


def _completes(before: State, event: Event) -> bool:
    rules = before.rules
    suit = rules.suit_of[event.card]
    last = before.score + 1 == rules.ranks * rules.suits
    return before.fireworks[suit] + 1 == rules.ranks and not last


def _needed(start: State) -> float | None:
    """Return the minimum number of cards per hint needed for the maximum.

    Every discard or misplay costs a unit of pace, which must not become negative. That limits the
    number of tokens: those at the start, one for each unit of pace, and one for each suit but the
    last.
    """
    rules = start.rules
    if rules.unlimited_hints or not rules.deck_ends or rules.discards_per_token != 1:
        return None
    tokens = rules.max_hint_tokens + max(0, pace(start))
    tokens += (rules.suits - 1) * bool(rules.token_for_suit)
    return popcount(rules.all_cards) / tokens if tokens else None
