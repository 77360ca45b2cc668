"""Small games of any rules, exactly: every line of the engine itself, however slow.

The search of `hanabilab.solver.kernels` knows a hand only by its useful cards. That is not enough
where some cards cannot be hinted at, where the last card can be played from the draw pile, or where
only the maximum counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hanabilab.game.actions import (
    can_discard,
    can_play_deck,
    discard_slot,
    play_deck,
    play_slot,
)
from hanabilab.game.rules import switch_set
from hanabilab.game.rules_record import require_handled
from hanabilab.game.state import GOING_ON, State, best_score
from hanabilab.game.turn import can_hint, final_score
from hanabilab.solver.lines import pass_somehow
from hanabilab.solver.position import Position, take_action

__all__ = ["ExactSearch", "losses_are_proved", "needs_exact_search"]

HANDLED = switch_set(
    "all_or_nothing colours deck_ends deck_plays discard_at_full discards_per_token empty_hints",
    "first_player keep_on_last_turn keep_score open_game rank_hints rank_touching suit_hints",
    "token_for_suit touching",
)
"""The switches whose counters all are in the `key` of a position."""

LIMIT = 20_000
"""Positions that an exact search may visit."""


def needs_exact_search(state: State) -> bool:
    """Tell whether the quick search may take a line for possible, or impossible, that is not so."""
    return bool(state.rules.all_or_nothing or state.rules.deck_plays) or not _always_a_hint(state)


def losses_are_proved(state: State) -> bool:
    """Tell whether what the quick search cannot win is lost: it leaves out nothing possible."""
    return not (state.rules.deck_plays and state.draw_pile) and (
        bool(state.rules.deck_ends or state.rules.all_or_nothing) or _always_a_hint(state)
    )


def _always_a_hint(state: State) -> bool:
    """Tell whether whoever has a token, and sees a card, can give a hint."""
    cards = range(state.rules.suits * state.rules.ranks)
    return bool(
        state.rules.open_game
        or state.rules.free_hints
        or all(state.rules.hint_bits[card] for card in cards)
    )


@dataclass
class ExactSearch:
    """The best score of a position and a line to it, unless that takes too long."""

    position: Position
    visited: int = 0
    known: dict[Any, tuple[int, tuple[int, ...]]] = field(default_factory=dict)

    def run(self) -> tuple[int, tuple[int, ...]] | None:
        """Return the best score and its line, or None after too many positions."""
        require_handled(self.position.state.rules, HANDLED, "the exact search")
        try:
            return self.best(self.position.state, 0)
        except (TimeoutError, RecursionError):
            return None

    def best(self, state: State, passes: int) -> tuple[int, tuple[int, ...]]:
        """Return the best final score from here, and how to reach it."""
        if state.end != GOING_ON:
            return final_score(state), ()
        key = self.key(state, passes)
        if key in self.known:
            return self.known[key]
        self.visited += 1
        if self.visited > LIMIT:
            raise TimeoutError
        highest: tuple[int, tuple[int, ...]] = (-1, ())
        for action, is_pass in self.actions(state, passes):
            after = state.copy()
            take_action(after, self.position.deck, action)
            score, line = self.best(after, passes + 1 if is_pass else 0)
            highest = max(highest, (score, (action, *line)), key=lambda each: each[0])
            if highest[0] == best_score(state):
                break
        self.known[key] = highest
        return highest

    def actions(self, state: State, passes: int) -> list[tuple[int, bool]]:
        """Return one action for each card and each way to part with it, and one hint."""
        hand = Position(state, []).hands[state.player]
        found = []
        for card in dict.fromkeys(hand):
            slot = hand.index(card)
            found.append((play_slot(state, slot), False))
            if can_discard(state):
                found.append((discard_slot(state, slot), False))
        if can_play_deck(state):
            found.append((play_deck(state), False))
        idle = (
            state.rules.unlimited_hints and passes > state.rules.players
        )  # a free round leads nowhere new
        if can_hint(state) and not idle:
            found.append((pass_somehow(state), True))
        return found

    def key(self, state: State, passes: int) -> Any:
        """Return all that distinguishes positions: hands without the order of their cards."""
        hands = tuple(tuple(sorted(hand)) for hand in Position(state, []).hands)
        tokens = passes if state.rules.unlimited_hints else state.hint_tokens
        counters = (state.player, tokens, state.token_part, state.lives, state.turns_left)
        return counters, state.draw_pile, tuple(state.fireworks[: state.rules.suits]), hands
