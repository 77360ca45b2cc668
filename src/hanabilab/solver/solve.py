"""Solve a position: whether the maximum can be reached and, if not, the best score.

`solve_position` uses `decide` (beams and proofs of loss, then exhaustive search, then SAT) and, for
the best score of a lost position, `BestScoreSearch`, which does the same for lower scores.

The search of `hanabilab.solver.kernels` knows a hand only by its useful cards. That is not enough
if some cards cannot be hinted at, if the last card can be played from the draw pile, or if only the
maximum counts. `ExactSearch` solves small games of any rules by trying every line of the engine
itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from hanabilab.game.actions import (
    can_discard,
    can_play_deck,
    discard_deck,
    discard_slot,
    play_deck,
    play_slot,
)
from hanabilab.game.rules_record import require_handled
from hanabilab.game.state import GOING_ON, State, best_score, hands_of
from hanabilab.game.turn import can_hint, final_score
from hanabilab.solver.best_score import BestScoreSearch, Heights, most_points
from hanabilab.solver.certificates import Certificate, Decision, EveryOrder, ExhaustedSearch
from hanabilab.solver.decide import (
    decide,
    decide_by_search,
    prepare,
    time_left,
)
from hanabilab.solver.kernels.evaluate import WIDEST
from hanabilab.solver.kernels.node import HANDLED
from hanabilab.solver.position import Position, each_pass, take_action
from hanabilab.solver.stacks import line_at_the_table, ordinary_games

__all__ = [
    "ExactSearch",
    "OrderSearch",
    "Solution",
    "losses_are_proved",
    "needs_exact_search",
    "solve_position",
]

MAX_EXACT_POSITIONS = 20_000
"""The largest number of positions in an exact search."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The result for a position."""

    position: Position
    winnable: bool | None
    """Whether the maximum can be reached; None if the time ran out."""
    best: int
    """A score that is certainly reachable."""
    bound: int
    """An upper bound on the reachable score."""
    line: tuple[int, ...]
    """A line to the best score, as numbers of actions."""
    reason: Certificate | None
    """Why the maximum cannot be reached."""
    method: str
    nodes: int
    seconds: float


def solve_position(
    position: Position,
    *,
    time_limit: float | None,
    best: bool,
    bound: int | None = None,
    line: tuple[int, ...] = (),
    guess: Heights = (),
    skip_quick: bool = False,
) -> Solution:
    """Solve a position.

    `bound`, `line` and `guess` (fireworks to try first) pass on what is already known. Set
    `skip_quick` if beams and proofs have failed on this position before.
    """
    if position.state.rules.stacks and not position.is_over:
        solution = OrderSearch(position, time_limit, bound, line).run(best)
    else:
        solution = _solve_quickly(position, time_limit, best, bound, line, guess, skip_quick)
    if position.is_over or solution.winnable or not needs_exact_search(position.state):
        return solution
    return _solve_exactly(solution, best)


def _solve_exactly(solution: Solution, best: bool) -> Solution:
    """Decide what the quick search cannot decide under these rules, if the game is small."""
    state = solution.position.state
    top, proved = state.rules.max_score, losses_are_proved(state)
    settled = solution.best == solution.bound if best else solution.winnable is False
    if proved and settled and not state.rules.all_or_nothing:
        return solution
    search = ExactSearch(solution.position)
    found = search.run()
    if found is not None:
        score, line = found
        won = score == top
        return replace(
            solution,
            winnable=won,
            best=score,
            bound=score,
            line=line,
            reason=None if won else solution.reason or ExhaustedSearch(search.visited),
            method="exact search",
            nodes=solution.nodes + search.visited,
        )
    if not proved:
        return replace(solution, winnable=None, bound=top, reason=None)
    if state.rules.all_or_nothing and solution.winnable is False:
        return replace(solution, best=0, bound=0, line=())
    return solution


def _solve_quickly(
    position: Position,
    time_limit: float | None,
    best: bool,
    bound: int | None,
    line: tuple[int, ...],
    guess: Heights,
    skip_quick: bool,
) -> Solution:
    """Solve a position by the search and by SAT."""
    if not position.is_over:
        prepare(position)
    started = time.perf_counter()
    deadline = None if time_limit is None else started + time_limit
    top = position.state.rules.max_score
    bound = top if bound is None else bound
    decision = Decision(False)
    if bound == top:
        decision = decide(position, deadline, skip_quick=skip_quick)
    if decision.reachable:
        return Solution(
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
    return Solution(
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


def needs_exact_search(state: State) -> bool:
    """Return whether the quick search may be wrong about which lines are possible."""
    return bool(state.rules.all_or_nothing or state.rules.deck_plays) or not _always_a_hint(state)


def losses_are_proved(state: State) -> bool:
    """Return whether a position is lost if the quick search rules out a win."""
    return not (state.rules.deck_plays and state.draw_pile) and (
        bool(state.rules.deck_ends or state.rules.all_or_nothing) or _always_a_hint(state)
    )


def _always_a_hint(state: State) -> bool:
    """Return whether every player with a token who sees a card can give a hint.

    Where suit hints and rank hints alternate, that must be so for both kinds of them.
    """
    rules = state.rules
    if rules.open_game:
        return True
    cards = range(rules.suits * rules.ranks)
    suits = (1 << rules.suits) - 1
    kinds = [suits, ~suits] if rules.alternating_hints else [-1]
    return all(
        rules.free_hints & kind or all(rules.hint_bits[card] & kind for card in cards)
        for kind in kinds
    )


@dataclass
class ExactSearch:
    """The best score of a position and a line to it, unless that takes too long."""

    position: Position
    visited: int = 0
    known: dict[Any, tuple[int, tuple[int, ...]]] = field(default_factory=dict)

    def run(self) -> tuple[int, tuple[int, ...]] | None:
        """Return the best score and its line, or None after too many positions."""
        require_handled(self.position.state.rules, {*HANDLED, "stacks"}, "the exact search")
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
        if self.visited > MAX_EXACT_POSITIONS:
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
        """Return one action per card and way to part with it, and one hint of each kind."""
        hand = hands_of(state)[state.player]
        found = []
        for card in dict.fromkeys(hand):
            slot = hand.index(card)
            found.append((play_slot(state, slot), False))
            if can_discard(state):
                found.append((discard_slot(state, slot), False))
        if can_play_deck(state):
            found.append((play_deck(state), False))
            if state.rules.inverted:
                found.append((discard_deck(state), False))
        rounds = 1 + state.rules.alternating_hints
        idle = (
            state.rules.unlimited_hints and passes > rounds * state.rules.players
        )  # a free round leads nowhere new
        if can_hint(state) and not idle:
            found.extend((hint, True) for hint in each_pass(state))
        return found

    def key(self, state: State, passes: int) -> Any:
        """Return everything that distinguishes positions: hands ignore the order of their cards."""
        hands = tuple(tuple(sorted(hand)) for hand in hands_of(state))
        tokens = passes if state.rules.unlimited_hints else state.hint_tokens
        counters = [state.player, tokens, state.token_part, state.lives, state.turns_left]
        counters += [state.barred_hints, state.stack_starts]
        return tuple(counters), state.draw_pile, tuple(state.fireworks[: state.rules.suits]), hands


class OrderSearch:
    """A search of games whose fireworks can be built in several orders: one game per order."""

    def __init__(
        self, position: Position, time_limit: float | None, bound: int | None, line: tuple[int, ...]
    ) -> None:
        self.position = position
        self.top = position.state.rules.max_score
        self.bound = self.top if bound is None else bound
        self.games: list[Position] = []
        prepare(next(ordinary_games(position)))
        self.started = time.perf_counter()
        self.deadline = None if time_limit is None else self.started + time_limit
        self.line = line_at_the_table(position, line)
        self.best = position.after(self.line).score
        self.reasons: list[Certificate] = []
        self.method, self.nodes = "none", 0

    def run(self, best: bool) -> Solution:
        """Decide whether the maximum can be reached; if not, find the best score on request."""
        won = self.decide()
        if won is False:
            self.bound = min(self.bound, self.top - 1)
        if best and not won:
            self.find_best()
            won = self.best == self.top or won
        return Solution(
            position=self.position,
            winnable=won,
            best=self.best,
            bound=self.top if won else max(self.best, self.bound),
            line=self.line,
            reason=EveryOrder.of(self.reasons) if won is False else None,
            method=self.method,
            nodes=self.nodes,
            seconds=time.perf_counter() - self.started,
        )

    def decide(self) -> bool | None:
        """Decide the games one by one: narrow beams and proofs of loss first."""
        if self.best == self.top:
            self.method = "careful play"
            return True
        games: Iterable[Position] = ordinary_games(self.position)
        undecided: list[Position] = []
        doubt = False
        for widest in (1, WIDEST, 0):
            for game in games:
                if widest == 1:
                    self.games.append(game)
                if widest:
                    decision = decide_by_search(game, self.deadline, widest=widest, limit=0)
                else:
                    decision = decide(game, self.deadline, skip_quick=True)
                self.nodes += decision.nodes
                if decision.reachable and self.adopt_line(decision.actions, decision.method):
                    return True
                if decision.reason:
                    self.reasons.append(decision.reason)
                elif decision.reachable:
                    doubt = True  # the line misplays a card that fits at the table
                else:
                    undecided.append(game)
            games, undecided = undecided, []
        self.method = "none" if doubt or games else "every order"
        return None if doubt or games else False

    def adopt_line(self, actions: tuple[int, ...], method: str) -> bool:
        """Adopt a line of an ordinary game if it is better; return whether it wins."""
        line = line_at_the_table(self.position, actions)
        score = self.position.after(line).score
        if score > self.best:
            self.best, self.line, self.method = score, line, method
        return score == self.top

    def find_best(self) -> None:
        """Search the games, most promising first, until none of the others can be better."""
        bounds = [min(self.bound, most_points(game)) for game in self.games]
        order = sorted(range(len(bounds)), key=lambda number: -bounds[number])
        for number in order:
            if bounds[number] > self.best and time_left(self.deadline) != 0:
                search = BestScoreSearch(self.games[number], bounds[number], self.deadline)
                search.run()
                self.nodes += search.nodes
                bounds[number] = search.bound
                self.adopt_line(search.line, self.method)
        self.bound = max(bounds)
