"""Estimate what a question costs before it is answered: it decides the lane it waits in."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from hanabilab.errors import TheoryError
from hanabilab.formats.deck_text import read_counts
from hanabilab.game.cards import MAX_PLAYERS
from hanabilab.theory import estimate_states
from hanabilab.theory.sequences import about
from hanabilab.web.game_fields import STRATEGY_LETTERS, choose_strategy
from hanabilab.web.messages import Fields
from hanabilab.web.questions.limits import MAX_HAND, MAX_LETTERS, MAX_STATES, QUICK_STATES

__all__ = [
    "PLACES",
    "Effort",
    "LaneKind",
    "always",
    "of_count",
    "of_game",
    "of_sequence",
    "search_if",
    "search_unless",
    "too_many_states",
]


class LaneKind(Enum):
    """What a question costs."""

    QUICK = "quick"
    """Seconds at most."""
    SEARCH = "search"
    """One core, up to a minute or so."""
    RUN = "run"
    """All cores, for minutes."""


PLACES = {LaneKind.QUICK: 3, LaneKind.SEARCH: 2, LaneKind.RUN: 2}
"""Questions of each kind that are answered at a time."""

QUICK_LETTERS = 400
"""Letters of a sequence that is judged at once."""

Effort = Callable[[Fields], LaneKind]
"""Tells the lane of a question from a copy of its fields; raises if it would cost too much."""


def always(lane: LaneKind) -> Effort:
    """Return an effort that is always the same."""
    return lambda fields: lane


def search_if(name: str) -> Effort:
    """Return an effort that is quick unless a field is given."""
    return lambda fields: LaneKind.SEARCH if fields.has(name) else LaneKind.QUICK


def search_unless(name: str) -> Effort:
    """Return an effort that is quick only if a field is given."""
    return lambda fields: LaneKind.QUICK if fields.has(name) else LaneKind.SEARCH


def of_game(fields: Fields) -> LaneKind:
    """Tell what showing a game costs: much if strategies that think for long must play it first."""
    if not fields.has("strategy"):
        return LaneKind.QUICK
    team = [
        choose_strategy(text) for text in fields.texts("strategy", MAX_PLAYERS, STRATEGY_LETTERS)
    ]
    thinks = any(strategy.slow or strategy.external for strategy in team)
    return LaneKind.RUN if thinks else LaneKind.QUICK


def of_count(fields: Fields) -> LaneKind:
    """Tell what an exact count costs; raise if that is too much for a page."""
    suits = read_counts(fields.text("counts", MAX_LETTERS))
    hand = fields.whole("hand", 1, MAX_HAND, 1)
    if hand == 1:
        return LaneKind.QUICK
    states = estimate_states(suits, hand)
    if states > MAX_STATES:
        raise TheoryError(too_many_states(states))
    if fields.switch("scores"):
        states *= sum(map(len, suits))
    return LaneKind.QUICK if states <= QUICK_STATES else LaneKind.SEARCH


def too_many_states(states: int) -> str:
    """Return why a count is refused, in words for a page."""
    return (
        f"counts: this takes about {about(states)} states, and a page counts at most "
        f"{MAX_STATES:,}; take fewer cards, fewer ranks or fewer suits"
    )


def of_sequence(fields: Fields) -> LaneKind:
    """Tell what judging a sequence costs."""
    letters = len(fields.text("cards", MAX_LETTERS))
    return LaneKind.QUICK if letters <= QUICK_LETTERS else LaneKind.SEARCH
