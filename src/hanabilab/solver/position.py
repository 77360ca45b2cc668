"""A position: a game in progress with its deck face up; and lines of play through the engine.

The solver uses nothing else. Its lines are replayed turn by turn by the ordinary rules, so that a
wrong line is never returned.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hanabilab.errors import ActionError
from hanabilab.game.actions import (
    DISCARD,
    PLAY,
    Event,
    can_discard,
    count_actions,
    count_legal,
    decode_action,
    discard_card,
    is_legal,
    nth_legal,
    nth_legal_hint,
    pass_turn,
    play_card,
)
from hanabilab.game.deck import Deck
from hanabilab.game.state import GOING_ON, PERFECT, State, hands_of, initial_state
from hanabilab.game.turn import can_hint, deal, final_score, take_turn
from hanabilab.solver.kernels.node import (
    DISCARD_USEFUL,
    DISCARD_USELESS,
    MISPLAY_USEFUL,
    PASS_TURN,
    PLAY_CARD,
)

__all__ = ["Position", "any_pass", "each_pass", "play_safely", "replay_moves", "take_action"]
PATIENCE = 100
"""The number of consecutive passes after which waiting is pointless."""


@dataclass(frozen=True, slots=True)
class Position:
    """The state and the whole deck, first card first; its last cards are the draw pile."""

    state: State
    deck: list[int]

    @classmethod
    def start(cls, deck: Deck) -> Position:
        """Return the position after the deal."""
        state = State()
        cards = list(deck)
        deal(state, initial_state(deck.rules), cards)
        return cls(state, cards)

    @property
    def hands(self) -> list[list[int]]:
        """The cards of each player, oldest first."""
        return hands_of(self.state)

    @property
    def draw_pile(self) -> list[int]:
        """The cards still to be drawn, in order."""
        return self.deck[len(self.deck) - self.state.draw_pile :]

    @property
    def score(self) -> int:
        """The score if the game ended now."""
        return final_score(self.state)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.state.end != GOING_ON

    def after(self, actions: Iterable[int]) -> Position:
        """Return the position after some actions, each validated by the rules."""
        state = self.state.copy()
        for action in actions:
            take_action(state, self.deck, action)
        return Position(state, self.deck)


def take_action(state: State, deck: list[int], action: int) -> Event:
    """Take a turn, given by the number of its action; raise if it is not legal."""
    event = Event()
    known = 0 <= action < count_actions(state)
    if known:
        decode_action(state, action, event)
    if not known or not is_legal(state, event):
        raise ActionError(f"turn {state.turn + 1}: action {action} is not legal")
    take_turn(state, deck, event)
    return event


def replay_moves(position: Position, moves: list[int], excluded: int = 0) -> tuple[int, ...] | None:
    """Return the actions of a line, taken turn by turn through the ordinary engine.

    The line must complete all fireworks except the cards given up. Return None if it does not: in
    the search a useless card can always be misplayed, but in the real game it may be playable.
    """
    try:
        return _replay(position, moves, excluded)
    except (ActionError, ValueError):
        return None


def _replay(position: Position, moves: list[int], excluded: int) -> tuple[int, ...] | None:
    state = position.state.copy()
    useless = [state.played | excluded] * state.rules.players
    actions = []
    for move in moves:
        player = state.player
        action = _action_of(move, state, useless[player] | state.played)
        event = take_action(state, position.deck, action)
        actions.append(action)
        hand = hands_of(state)[player]
        if move & 7 in (DISCARD_USEFUL, MISPLAY_USEFUL):
            useless[player] |= 1 << event.card  # the search forgets a second copy with the first
        if event.drew and not excluded >> hand[-1] & 1:
            useless[player] &= ~(1 << hand[-1])
    wanted = state.rules.all_cards & ~excluded
    if state.played & wanted != wanted or (not excluded and state.end != PERFECT):
        return None
    return tuple(actions)


def _action_of(move: int, state: State, useless: int) -> int:
    """Return the action for a move: find a slot with its card, or with a useless one."""
    kind, card = move & 7, move >> 3
    if kind == PASS_TURN:
        return any_pass(state)
    cards = hands_of(state)[state.player]
    if kind in (PLAY_CARD, DISCARD_USEFUL, MISPLAY_USEFUL):
        slot = cards.index(card)
    else:
        slots = [
            slot for slot, card in enumerate(cards) if useless >> card & 1 or card in cards[:slot]
        ]
        # A misplay must not fit by accident.
        slot = min(slots, key=lambda slot: state.playable >> cards[slot] & 1)
    if kind in (DISCARD_USEFUL, DISCARD_USELESS):
        return discard_card(state, slot, cards[slot])
    return play_card(state, slot, cards[slot])


def any_pass(state: State) -> int:
    """Return a pass, or some hint."""
    return pass_turn(state) if state.rules.open_game else nth_legal_hint(state, 0)


def each_pass(state: State) -> list[int]:
    """Return a pass, or a hint of each kind where that decides which kind may follow."""
    if state.rules.open_game or not state.rules.alternating_hints:
        return [any_pass(state)]
    found = []
    suits = (1 << state.rules.suits) - 1
    for barred in (suits, state.rules.all_hints & ~suits):
        limited = state.copy()
        limited.barred_hints |= barred
        if can_hint(limited):
            found.append(any_pass(limited))
    return found


def play_safely(position: Position) -> tuple[int, ...]:
    """Play to the end and keep the score: play what is playable, discard what is dead, or pass.

    Only if nothing else is possible, or after very many consecutive passes, is a needed card
    discarded or a card misplayed.
    """
    state = position.state.copy()
    actions = []
    passes = 0
    while state.end == GOING_ON:
        action = _safe_action(state, may_pass=passes < PATIENCE)
        event = take_action(state, position.deck, action)
        actions.append(action)
        passes = 0 if event.kind in (PLAY, DISCARD) else passes + 1
    return tuple(actions)


def _safe_action(state: State, *, may_pass: bool) -> int:
    cards = hands_of(state)[state.player]
    for slot, card in enumerate(cards):
        if state.playable >> card & 1:
            return play_card(state, slot, card)
    useless = [slot for slot, card in enumerate(cards) if state.dead >> card & 1]
    spare = [slot for slot, card in enumerate(cards) if not state.critical >> card & 1]
    if can_discard(state) and useless:
        return discard_card(state, useless[0], cards[useless[0]])
    if may_pass and can_hint(state):
        return any_pass(state)
    if can_discard(state) and cards:
        slot = (spare or [0])[0]
        return discard_card(state, slot, cards[slot])
    return nth_legal(state, count_legal(state) - 1)
