"""Decide by a SAT solver whether a score can be reached: the last resort (python-sat, an extra).

Given time, it decides every position of all rules. A win is never taken on trust: its line is
played through the rules before it is returned.

python-sat: Ignatiev, Morgado, Marques-Silva, *PySAT: A Python Toolkit for Prototyping with SAT
Oracles*, SAT 2018. The encoding is in `hanabilab.solver.sat_encoding`.
"""

from __future__ import annotations

import time
from typing import Any, Literal

from hanabilab.errors import ActionError, MissingExtraError
from hanabilab.game.actions import can_discard, discard_card, nth_legal_hint, pass_turn, play_card
from hanabilab.game.cards import card_in
from hanabilab.game.state import GOING_ON, State
from hanabilab.game.turn import final_score
from hanabilab.solver.certificates import Decision, GameOver, Unsatisfiable
from hanabilab.solver.cnf import LongFormulaError
from hanabilab.solver.position import Position, take_action
from hanabilab.solver.sat_encoding import EncodedTurn, Encoding
from hanabilab.solver.solve import needs_exact_search

__all__ = ["SOLVER", "decide_score", "line_of", "satisfy"]

SOLVER = "glucose42"
"""Glucose 4.2.1, as python-sat names it: the quickest on the hardest decks of 2 to 6 players."""

MANY_PLAYERS = 5
"""From this many players on, losses hardly ever depend on the space in the hands."""

CONFLICTS = 10_000
"""How many conflicts to allow between two looks at the clock."""


def decide_score(
    position: Position, goal: int | None = None, time_limit: float | None = None
) -> Decision:
    """Decide whether the game can still end with at least `goal`, by default the maximum."""
    start = time.monotonic()
    state = position.state
    goal = state.rules.max_score if goal is None else goal
    if position.is_over or goal <= 0:
        reached = position.score >= goal
        return Decision(reached, reason=None if reached else GameOver(position.score))
    deadline = None if time_limit is None else start + time_limit
    for exact in (False, True):
        try:
            hands = exact or state.rules.players < MANY_PLAYERS
            encoding = Encoding(position, goal, exact=exact, hands=hands, deadline=deadline)
            found = satisfy(encoding, deadline)
        except LongFormulaError:
            return Decision(None)
        formula = encoding.formula
        if found is False:
            reason = Unsatisfiable(formula.variables, len(formula.clauses))
            return Decision(False, reason=reason, method="sat")
        if found is None:
            return Decision(None)
        actions = line_of(encoding, found)
        if actions is not None:
            return Decision(True, tuple(actions), method="sat")
    if needs_exact_search(state):
        return Decision(None)
    raise AssertionError(f"a line that the rules do not allow, towards {goal}: {position}")


def satisfy(encoding: Encoding, deadline: float | None) -> set[int] | Literal[False] | None:
    """Return the true literals of a model, False if there is none, None if the time runs out.

    If the encoding has no hands yet, they are added only when there is a model without them.
    """
    clauses = encoding.formula.clauses
    try:
        from pysat.solvers import Solver
    except ImportError:
        raise MissingExtraError("python-sat", "sat", "a proof by SAT") from None
    with Solver(name=SOLVER, bootstrap_with=clauses) as solver:
        answer = _within(solver, deadline)
        if answer and not encoding.has_hands:
            known = len(clauses)
            encoding.add_hands()
            solver.append_formula(clauses[known:])
            answer = _within(solver, deadline)
        if not answer:
            return False if answer is False else None
        return {literal for literal in solver.get_model() if literal > 0}


def _within(solver: Any, deadline: float | None) -> bool | None:
    """Run the solver until it is done or out of time; between looks it keeps what it learned."""
    if deadline is None:
        return bool(solver.solve())
    while time.monotonic() < deadline:
        solver.conf_budget(CONFLICTS)
        answer: bool | None = solver.solve_limited()
        if answer is not None:
            return answer
    return None


def line_of(encoding: Encoding, model: set[int]) -> list[int] | None:
    """Return the actions of a model, played through the rules, or None if these refuse them."""
    line = _ModelReplay(encoding, model)
    try:
        line.play_all()
    except ActionError:
        return None
    return line.actions if line.reaches_goal() else None


class _ModelReplay:
    """A model on its way through the rules."""

    def __init__(self, encoding: Encoding, model: set[int]) -> None:
        self.encoding, self.model = encoding, model
        self.deck = encoding.position.deck
        self.state: State = encoding.state.copy()
        self.actions: list[int] = []
        self.passes = 0
        """The passes before steps that draw, so far."""
        self.hands: list[list[int]] = [[] for _ in range(encoding.players)]
        for number, copy in enumerate(encoding.copies):
            if copy.owner >= 0:
                self.hands[copy.owner].append(number)

    def reaches_goal(self) -> bool:
        return final_score(self.state) >= self.encoding.goal

    def play_all(self) -> None:
        if self.encoding.burn:
            spare = self.state.rules.max_hint_tokens - self.encoding.most_gains - 1
            while self.state.hint_tokens > spare:
                for _ in range(self.state.rules.players):
                    self.pass_turn()
        for step in self.encoding.steps:
            if step.stopped in self.model or self.state.end != GOING_ON:
                break
            if step.skipped not in self.model:
                self.take(step)

    def take(self, step: EncodedTurn) -> None:
        actor = next(player for player, acts in enumerate(step.actor) if acts in self.model)
        self.pass_before(step, actor)
        if self.state.player != actor:
            raise ActionError(f"it is not player {actor}'s turn")
        if step.passed in self.model:
            self.pass_turn()
        elif step.lit in self.model:
            self.play(next(number for number, play in step.play.items() if play in self.model))
        else:
            self.lose(step, misplay=step.misplay in self.model)

    def pass_before(self, step: EncodedTurn, actor: int) -> None:
        """Make the passes that come before a step that draws."""
        passes = sum(literal in self.model for literal in step.passes.steps)
        for _ in range(passes - self.passes):
            self.pass_turn()
        self.passes = max(passes, self.passes)
        while self.encoding.free and self.state.draw_pile > 0 and self.state.player != actor:
            self.pass_turn()

    def pass_turn(self) -> None:
        state = self.state
        self.act(pass_turn(state) if state.rules.open_game else nth_legal_hint(state, 0))

    def fits(self, number: int) -> bool:
        return bool((self.state.playable >> self.encoding.copies[number].card) & 1)

    def play(self, number: int) -> None:
        """Play a selected copy; if an earlier "misplay" has lit its firework, it is spare."""
        if self.fits(number) or not can_discard(self.state):
            self.remove(number, play=True)
        else:
            self.remove(number, play=not self.completes_suit(number))

    def completes_suit(self, number: int) -> bool:
        ranks = self.state.rules.ranks
        top = self.encoding.copies[number].card % ranks == ranks - 1
        return top and bool(self.state.rules.token_for_suit)

    def lose(self, step: EncodedTurn, *, misplay: bool) -> None:
        """Discard or misplay a card that is not selected, or the one that is named."""
        hand = self.hands[self.state.player]
        spare = [n for n in hand if self.encoding.selected[n] not in self.model]
        if step.out:
            spare = [n for n in spare if step.out[n] in self.model]
        if not spare:
            raise ActionError("no card to spare")
        self.remove(min(spare, key=lambda n: self.fits(n) == misplay), play=misplay)

    def remove(self, number: int, *, play: bool) -> None:
        """Play or discard a copy, and draw."""
        state, player = self.state, self.state.player
        card = self.encoding.copies[number].card
        hand = state.hands[player]
        slot = next(s for s in range(state.hand_count[player]) if card_in(hand, s) == card)
        drawn = [len(self.encoding.copies) - state.draw_pile] if state.draw_pile else []
        self.act((play_card if play else discard_card)(state, slot, card))
        self.hands[player].remove(number)
        self.hands[player].extend(drawn)

    def act(self, action: int) -> None:
        take_action(self.state, self.deck, action)
        self.actions.append(action)
