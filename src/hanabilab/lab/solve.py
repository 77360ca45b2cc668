"""Solve open games: decks, and games in progress.

The way down: `solve` → `solve_position` → `solver.decide.decide` (beams and proofs of loss, then
exhaustive search, then SAT) → `solver.kernels`; and, for the best score of a lost game,
`solver.best`, which asks the same of lower scores.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from hanabilab.formats.action import Action
from hanabilab.formats.data_table import DataTable
from hanabilab.game.deck import Deck
from hanabilab.game.names import hint_letters_of
from hanabilab.solver.best import BestScoreSearch, Heights
from hanabilab.solver.decide import decide, prepare
from hanabilab.solver.decision import Decision
from hanabilab.solver.exact import ExactSearch, losses_are_proved, needs_exact_search
from hanabilab.solver.position import Position
from hanabilab.solver.proofs.certificates import Certificate, ExhaustedSearch
from hanabilab.table.game import Game

__all__ = ["Answer", "action_objects", "in_words", "solve", "solve_position"]


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """The verdict on a deck or a game in progress, with a line in the replay format."""

    position: Position
    winnable: bool | None
    """Can the maximum be reached? None if the time ran out."""
    best: int
    """A score that is certainly reachable."""
    bound: int
    """No higher score is reachable."""
    line: tuple[int, ...]
    """A line to the best score, as numbers of actions."""
    reason: Certificate | None
    """Why the maximum is out of reach."""
    method: str
    nodes: int
    seconds: float

    @property
    def actions(self) -> list[dict[str, Any]]:
        """The line to the best score, as objects of the replay format."""
        return action_objects(self.position, self.line)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {
            "winnable": self.winnable,
            "best": self.best,
            "bound": self.bound,
            "actions": self.actions,
            "reason": self.reason.to_dict() if self.reason else None,
            "method": self.method,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
        }

    def __repr__(self) -> str:
        return f"<Answer: {self}>"

    def _repr_html_(self) -> str:
        rows = tuple(
            (str(number), f"player {action['player']}", in_words(action))
            for number, action in enumerate(self.actions, 1)
        )
        table = DataTable(header=("turn", "who", "action"), rows=rows, text_columns=3).to_html()
        line = f"<details><summary>the line, {len(rows)} turns</summary>{table}</details>"
        return f"<div><p>{escape(str(self))}</p>{line if rows else ''}</div>"

    def __str__(self) -> str:
        if self.winnable:
            return f"winnable: in {len(self.line)} turns ({self.method})"
        reach = f"best score {self.best}"
        if self.best < self.bound:
            reach = f"best score between {self.best} and {self.bound}"
        if self.winnable is None:
            return f"undecided: {reach}"
        return f"not winnable: {self.reason}; {reach}"


def in_words(action: dict[str, Any]) -> str:
    """Return an action of the replay format, without its player, in a few words."""
    return " ".join(str(value) for key, value in action.items() if key != "player")


def action_objects(position: Position, numbers: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return actions, given by their numbers, as objects of the replay format."""
    objects = []
    for number in numbers:
        state = position.state
        objects.append(
            Action.from_number(number, state).to_dict(state.player, hint_letters_of(state.rules))
        )
        position = position.after([number])
    return objects


def solve(
    what: Deck | Game | Position | str, *, time_limit: float | None = 60.0, best: bool = False
) -> Answer:
    """Decide whether the maximum can be reached with everything in sight.

    A deck, or a seed of hanab.live such as ``p3v0s17``, is solved from the deal, a game from where
    it stands. With `best` the highest score that can be reached is found as well.
    """
    if isinstance(what, str):
        what = Deck.from_seed(what)
    if isinstance(what, Deck):
        what = Position.start(what)
    elif isinstance(what, Game):
        what = Position(what.state.copy(), list(what.deck))
    return solve_position(what, time_limit=time_limit, best=best)


def solve_position(
    position: Position,
    *,
    time_limit: float | None,
    best: bool,
    bound: int | None = None,
    line: tuple[int, ...] = (),
    guess: Heights = (),
    left_open: bool = False,
) -> Answer:
    """Solve a position, of which something may be known.

    That is a bound, a line, heights to try first, or that beams and proofs have left it open.
    """
    answer = _solve_quickly(position, time_limit, best, bound, line, guess, left_open)
    if position.is_over or answer.winnable or not needs_exact_search(position.state):
        return answer
    return _solve_exactly(answer, best)


def _solve_exactly(answer: Answer, best: bool) -> Answer:
    """Decide what the quick search cannot under these rules, if the game is small."""
    state = answer.position.state
    top, proved = state.rules.ranks * state.rules.suits, losses_are_proved(state)
    settled = answer.best == answer.bound if best else answer.winnable is False
    if proved and settled and not state.rules.all_or_nothing:
        return answer
    search = ExactSearch(answer.position)
    found = search.run()
    if found is not None:
        score, line = found
        won = score == top
        return replace(
            answer,
            winnable=won,
            best=score,
            bound=score,
            line=line,
            reason=None if won else answer.reason or ExhaustedSearch(search.visited),
            method="exact search",
            nodes=answer.nodes + search.visited,
        )
    if not proved:
        return replace(answer, winnable=None, bound=top, reason=None)
    if state.rules.all_or_nothing and answer.winnable is False:
        return replace(answer, best=0, bound=0, line=())
    return answer


def _solve_quickly(
    position: Position,
    time_limit: float | None,
    best: bool,
    bound: int | None,
    line: tuple[int, ...],
    guess: Heights,
    left_open: bool,
) -> Answer:
    """Solve a position by the search and by SAT."""
    if not position.is_over:
        prepare(position)
    started = time.perf_counter()
    deadline = None if time_limit is None else started + time_limit
    top = position.state.rules.ranks * position.state.rules.suits
    bound = top if bound is None else bound
    decision = Decision(False)
    if bound == top:
        decision = decide(position, deadline, left_open=left_open)
    if decision.reachable:
        return Answer(
            position=position,
            winnable=True,
            best=top,
            bound=top,
            line=decision.actions,
            reason=None,
            method=decision.method,
            nodes=decision.nodes,
            seconds=time.perf_counter() - started,
        )
    if decision.reachable is False:
        bound = min(bound, top - 1)
    search = BestScoreSearch(position, bound, deadline)
    if best:
        search.run(line, guess)
    if search.best == top:  # what nothing else decided in time, plain careful play has won
        decision = replace(decision, reachable=True, method="careful play")
    return Answer(
        position=position,
        winnable=decision.reachable,
        best=search.best,
        bound=search.bound,
        line=search.line,
        reason=decision.reason,
        method=decision.method,
        nodes=decision.nodes + search.nodes,
        seconds=time.perf_counter() - started,
    )
