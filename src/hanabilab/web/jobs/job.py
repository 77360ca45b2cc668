"""A job: its priority, an estimate of its cost, and its progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from enum import Enum

from hanabilab.errors import TheoryError
from hanabilab.formats.deck_text import read_counts
from hanabilab.game.cards import MAX_PLAYERS
from hanabilab.game.rules import Rules
from hanabilab.strategies.strategy import Strategy
from hanabilab.table.loop import pending_compilation
from hanabilab.table.play import strategies_for
from hanabilab.theory import estimate_states
from hanabilab.theory.sequences import approximate
from hanabilab.web.game_requests import STRATEGY_LETTERS, choose_strategy
from hanabilab.web.schema import JsonObject, RequestFields

__all__ = [
    "CONCURRENCY",
    "CostEstimate",
    "Job",
    "Priority",
    "count_cost",
    "fixed_cost",
    "game_cost",
    "report_compilation",
    "search_if_given",
    "search_unless_given",
    "sequence_cost",
    "too_many_states",
]

REPORT_INTERVAL = 0.2
"""Seconds between two reports of progress."""
MAX_STATES = 200_000
"""States of an exact count: about twenty seconds."""
QUICK_STATES = 20_000
"""States of a count with quick priority."""
MAX_HAND = 1_000
"""Cards in hand, or of a deck, in jobs that count."""
MAX_LETTERS = 4_000
"""Letters of counts, or of a sequence of cards."""
QUICK_LETTERS = 400
"""Letters of a sequence with quick priority."""


class Priority(Enum):
    """The queue in which a job waits, by what it costs."""

    QUICK = "quick"
    """Seconds at most."""
    SEARCH = "search"
    """One core, up to a minute or so."""
    RUN = "run"
    """All cores, for minutes."""


CONCURRENCY = {Priority.QUICK: 3, Priority.SEARCH: 2, Priority.RUN: 2}
"""How many jobs of each priority run at a time."""

CostEstimate = Callable[[RequestFields], Priority]
"""Returns the priority of a job from a copy of its fields; raises if it would cost too much."""


def fixed_cost(priority: Priority) -> CostEstimate:
    """Return an estimate that is always the same."""
    return lambda fields: priority


def search_if_given(name: str) -> CostEstimate:
    """Return an estimate that is quick unless a field is given."""
    return lambda fields: Priority.SEARCH if fields.has(name) else Priority.QUICK


def search_unless_given(name: str) -> CostEstimate:
    """Return an estimate that is quick only if a field is given."""
    return lambda fields: Priority.QUICK if fields.has(name) else Priority.SEARCH


def game_cost(fields: RequestFields) -> Priority:
    """Estimate the cost of a replay: high if slow strategies must play the game first."""
    if not fields.has("strategy"):
        return Priority.QUICK
    team = [
        choose_strategy(text) for text in fields.texts("strategy", MAX_PLAYERS, STRATEGY_LETTERS)
    ]
    slow = any(strategy.slow or strategy.external for strategy in team)
    return Priority.RUN if slow else Priority.QUICK


def count_cost(fields: RequestFields) -> Priority:
    """Estimate the cost of an exact count; raise if it is too high for a page."""
    suits = read_counts(fields.text("counts", MAX_LETTERS))
    hand = fields.integer("hand", 1, MAX_HAND, 1)
    if hand == 1:
        return Priority.QUICK
    states = estimate_states(suits, hand)
    if states > MAX_STATES:
        raise TheoryError(too_many_states(states))
    if fields.boolean("scores"):
        states *= sum(map(len, suits))
    return Priority.QUICK if states <= QUICK_STATES else Priority.SEARCH


def too_many_states(states: int) -> str:
    """Return the message with which a page refuses a count."""
    return (
        f"counts: this takes about {approximate(states)} states, and a page counts at most "
        f"{MAX_STATES:,}; take fewer cards, fewer ranks or fewer suits"
    )


def sequence_cost(fields: RequestFields) -> Priority:
    """Estimate the cost of judging a sequence."""
    letters = len(fields.text("cards", MAX_LETTERS))
    return Priority.QUICK if letters <= QUICK_LETTERS else Priority.SEARCH


class Job:
    """Reports the progress of a job; a job is cancelled by killing its process."""

    def __init__(self, send: Callable[[JsonObject], None]) -> None:
        self._send = send
        self._last_report = 0.0
        self.total: int | None = None
        """The amount of work, if it is known."""
        self.partial_result: Callable[[], JsonObject] | None = None
        """Returns the result so far, for a job that runs out of time; None if there is none."""

    def status(self, words: str) -> None:
        """Report what is being done."""
        self._send({"type": "status", "words": words})

    def report(self, done: int, words: str) -> None:
        """Report progress."""
        self.show(done, words, None)

    def show(self, done: int, words: str, result: Callable[[], JsonObject] | None) -> None:
        """Report progress with the result so far."""
        now = time.monotonic()
        if now < self._last_report + REPORT_INTERVAL:
            return
        self._last_report = now
        message: JsonObject = {
            "type": "progress",
            "done": done,
            "total": self.total,
            "words": words,
        }
        if result is not None:
            message["result"] = result()
        self._send(message)


def report_compilation(job: Job, rules: Rules, teams: Sequence[Sequence[Strategy]]) -> None:
    """Report what must be compiled before these teams can play, and how long that usually takes."""
    for team in teams:
        seated = strategies_for(list(team), rules.players)
        for strategy in seated:
            strategy.check(rules)
        if due := pending_compilation(rules, seated):
            job.status(f"compiling {due}")
