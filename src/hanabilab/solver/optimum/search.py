"""The optimum of a game with hidden cards: a dynamic program over public beliefs, with bounds.

A **public belief** is a public state with the set of deals that are still possible, given what
everyone has done and what the team has agreed on. The player to move sees the other hands: deals
that look alike to this player form a **group**. A **prescription** assigns a choice to each group.
The value of a belief is the maximum over prescriptions of the sum, over choices and their outcomes,
of the values of the next beliefs. Values are sums of final scores over all decks, so all arithmetic
is in integers. Deterministic prescriptions are enough, because the players share their payoff.

Knowing more never hurts a team. Two consequences bound the search:

- If all hands are open after this turn, each group can be judged by itself. That bound is computed
  for every belief that is considered.
- For one choice, the value of a set of groups is at most the sum of the values of its parts.

`value` takes a threshold: it returns the exact value if that is higher, and otherwise any upper
bound that is not. Prescriptions are searched depth first, group by group, and dropped as soon as
they cannot beat the threshold or the best one found. The bounds are often the value, so a search
first looks for prescriptions close to the bound, and lowers its aim step by step: aiming high
prunes most.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from fractions import Fraction

from hanabilab.errors import TheoryError
from hanabilab.game.rules import Rules
from hanabilab.solver.optimum.public_state import PublicState, States, bits_of
from hanabilab.solver.optimum.size import check_size, check_supported

__all__ = ["BELIEFS", "Belief", "Search", "TooManyBeliefsError", "bound_optimum", "find_optimum"]

BELIEFS = 2_000_000
"""How many beliefs a search may remember, unless told otherwise: about two gigabytes."""
MANY_GROUPS = 5
"""With more groups than this, each one is solved by itself before they are combined."""
UNKNOWN = -1
ALWAYS = 0
"""Hands stay hidden to the end."""
DEPTH = 100_000
STEPS = 1000
FIRST_STEP = 1000
"""A search first asks whether the value is within this part of its upper bound."""


class TooManyBeliefsError(TheoryError):
    """A search needs more beliefs, or more time, than allowed."""


class Belief:
    """A set of deals in a public state, with what is known of its value."""

    __slots__ = ("deals", "exact", "hidden_turns", "plan", "state", "upper")

    def __init__(
        self, state: PublicState, deals: int, upper: int, hidden_turns: int, *, exact: bool
    ) -> None:
        self.state, self.deals, self.hidden_turns = state, deals, hidden_turns
        self.upper, self.exact = upper, exact
        """An upper bound of the value, and whether it is the value."""
        self.plan: dict[int, int] | None = None
        """Of an exact value: for each choice, the set of deals in which it is taken."""

    def groups(self) -> list[int]:
        """Return the sets of deals that look alike to the player to move."""
        return [self.deals & alike for alike in self.state.observations if self.deals & alike]


class Search:
    """The beliefs of a game, and how to find the value of each."""

    def __init__(
        self,
        rules: Rules,
        *,
        hidden_turns: int = ALWAYS,
        beliefs: int = BELIEFS,
        deadline: float = math.inf,
        report: Callable[[int, str], None] | None = None,
    ) -> None:
        self.states, self.hidden_turns = States(rules), hidden_turns
        """After so many turns everyone sees all hands; ALWAYS is the real game."""
        self.beliefs = 0
        """How many different beliefs were considered, symmetric ones counted once."""
        self._limit, self._deadline, self._report = beliefs, deadline, report
        self._steps = 0
        self._known: dict[tuple[PublicState, int], dict[int, Belief]] = {}
        self._open: dict[PublicState, list[int]] = {}

    def start(self) -> Belief:
        """Return the belief before the first turn: every deal is possible."""
        state = self.states.get(self.states.start)
        return self.belief(state, (1 << len(state.deals)) - 1, self.hidden_turns)

    def belief(self, state: PublicState, deals: int, hidden_turns: int = ALWAYS) -> Belief:
        """Return the belief that is equivalent to a set of deals."""
        known = self._known.get((state, hidden_turns))
        if known is None:
            known = self._known[state, hidden_turns] = {}
        found = known.get(deals)
        if found is None:
            normal, _ = state.canonical(deals)
            found = known.get(normal)
            if found is None:
                found = known[normal] = self._new_belief(state, normal, hidden_turns)
            known[deals] = found
        return found

    def step(self) -> None:
        """Count a step of the search: report progress, and give up after the deadline."""
        self._steps += 1
        if not self._steps % STEPS:
            if self._report:
                self._report(self.beliefs, f"beliefs in {len(self.states):,} public states")
            if time.process_time() > self._deadline:
                raise TooManyBeliefsError("the optimum takes longer than the time limit")

    def _new_belief(self, state: PublicState, deals: int, hidden_turns: int) -> Belief:
        self.beliefs += 1
        if self.beliefs > self._limit:
            raise TooManyBeliefsError(f"the optimum needs more than {self._limit:,} beliefs")
        exact = state.key.turns_left == 1 or hidden_turns == 1
        return Belief(state, deals, self.bound(state, deals), hidden_turns, exact=exact)

    # --- bounds -----------------------------------------------------------------------------------

    def open_values(self, state: PublicState) -> list[int]:
        """Return the value of each deal if everyone sees all hands from now on, but not the pile.

        It is a sum over the orders of the draw pile.
        """
        found = self._open.get(state)
        if found is None:
            rows = self._open_choices(state)
            found = self._open[state] = [
                max(row[deal] for row in rows) for deal in range(len(state.deals))
            ]
        return found

    def _open_choices(self, state: PublicState) -> list[list[int]]:
        """Return for each choice and deal its value if all hands are open after it."""
        if not state.open_values:
            state.open_values = [
                self._open_choice(state, choice) for choice in range(len(state.choices))
            ]
        return state.open_values

    def _open_choice(self, state: PublicState, choice: int) -> list[int]:
        row = [UNKNOWN] * len(state.deals)
        for outcome in state.outcomes_of(choice):
            if outcome.state is None:
                for deal in bits_of(outcome.deals):
                    row[deal] = state.weights[deal] * outcome.final
                continue
            values = self.open_values(outcome.state)
            for deal in bits_of(outcome.deals):
                row[deal] = sum([values[image] for image in bits_of(outcome.images[deal])])
        return row

    def bound(self, state: PublicState, deals: int) -> int:
        """Return the value of a belief if all hands are open after this turn."""
        rows = self._open_choices(state)
        total = 0
        for alike in state.observations:
            if group := list(bits_of(deals & alike)):
                legal = [row for row in rows if row[group[0]] != UNKNOWN]
                total += max(sum([row[deal] for deal in group]) for row in legal)
        return total

    # --- values -----------------------------------------------------------------------------------

    def value(self, belief: Belief, threshold: int = UNKNOWN) -> int:
        """Return the value of a belief if it exceeds the threshold, or else an upper bound."""
        if not belief.exact and belief.upper > threshold:
            _Prescriptions(self, belief, threshold).solve()
        return belief.upper

    def plan(self, belief: Belief) -> dict[int, int]:
        """Return an optimal prescription: for each choice, the set of deals in which it is taken.

        The value of the belief is computed if it is not known yet.
        """
        if not belief.exact:  # a turn that the plan does not contain
            with deep_recursion():
                self.value(belief)
        if belief.plan is None:
            belief.plan = self._last_plan(belief)
        return belief.plan

    def _last_plan(self, belief: Belief) -> dict[int, int]:
        """Return the best choice of each group in the very last turn."""
        plan = dict[int, int]()
        for group in belief.groups():
            choice = self.open_choice(belief.state, group)
            plan[choice] = plan.get(choice, 0) | group
        return plan

    def open_choice(self, state: PublicState, group: int) -> int:
        """Return the best choice for deals that look alike if all hands are open after it."""
        deals = list(bits_of(group))
        rows = self._open_choices(state)
        legal = [number for number, row in enumerate(rows) if row[deals[0]] != UNKNOWN]
        return max(legal, key=lambda number: sum(rows[number][deal] for deal in deals))


Parts = tuple[int, dict[Belief, int]]
"""The sum of the scores of games that end, and the beliefs in which the others continue.

Outcomes that are symmetric lead to the same belief: it then counts several times.
"""


class _Prescriptions:
    """The search for the best prescription of one belief."""

    def __init__(self, search: Search, belief: Belief, threshold: int) -> None:
        self.search, self.belief, self.state = search, belief, belief.state
        self.best, self.plan = threshold, dict[int, int]()
        self._parts: dict[tuple[int, int], Parts] = {}
        self._ranked: dict[int, list[tuple[int, int]]] = {}
        """For each group, its choices with bounds of their values if everyone knew the group."""
        self._classes: dict[int, int] = {}
        self._values: dict[int, int] = {}
        """The partial prescription: for each choice its set of deals, and the value of that."""

    def solve(self) -> None:
        """Find the value of the belief, or an upper bound that does not exceed the threshold."""
        belief, threshold = self.belief, self.best
        groups = belief.groups()
        bounds = [self._judge_alone(group, len(groups)) for group in groups]
        total = sum(bounds)
        belief.upper = min(belief.upper, total)
        step = 1 + belief.upper // FIRST_STEP
        while belief.upper > threshold:
            self.best = max(threshold, belief.upper - step)
            self._assign(dict(zip(groups, bounds, strict=True)), total, 0)
            if self.plan:
                belief.upper, belief.exact, belief.plan = self.best, True, self.plan
                return
            belief.upper = self.best
            step *= 2

    def _judge_alone(self, group: int, groups: int) -> int:
        """Return an upper bound of the value of a group: exact, if there are many groups."""
        lowest, ranked = group & -group, []
        for choice, legal in enumerate(self.state.legal):
            if legal & lowest:
                known = self._upper(choice, group)
                if groups > MANY_GROUPS:
                    known = self._value(choice, group, UNKNOWN)
                ranked.append((known, choice))
        ranked.sort(key=lambda option: -option[0])
        self._ranked[group] = ranked
        return ranked[0][0]

    def _parts_of(self, choice: int, deals: int) -> Parts:
        """Return what follows if a choice is taken in a set of deals."""
        found = self._parts.get((choice, deals))
        if found is None:
            score, beliefs = 0, dict[Belief, int]()
            hidden = max(self.belief.hidden_turns - 1, ALWAYS)
            for outcome in self.state.outcomes_of(choice):
                if here := deals & outcome.deals:
                    if outcome.state is None:
                        score += outcome.final * self.state.weight(here)
                    else:
                        belief = self.search.belief(outcome.state, outcome.image(here), hidden)
                        beliefs[belief] = beliefs.get(belief, 0) + 1
            found = self._parts[choice, deals] = score, beliefs
        return found

    def _upper(self, choice: int, deals: int) -> int:
        """Return the known upper bound of the value of a choice in a set of deals."""
        total, beliefs = self._parts_of(choice, deals)
        for belief, times in beliefs.items():
            total += times * belief.upper
        return total

    def _value(self, choice: int, deals: int, threshold: int) -> int:
        """Return the value of a choice if it exceeds the threshold, or else an upper bound."""
        total = self._upper(choice, deals)
        for belief, times in self._parts_of(choice, deals)[1].items():
            if total <= threshold:
                break
            if not belief.exact:
                before = belief.upper
                enough = before - (total - threshold + times - 1) // times
                total -= times * (before - self.search.value(belief, enough))
        return total

    def _assign(self, bounds: dict[int, int], rest: int, current: int) -> None:
        """Assign choices to all groups that have none yet.

        `rest` is the sum of the bounds of these groups, `current` the value of the classes.
        """
        self.search.step()
        if not bounds:
            if current > self.best:
                self.best, self.plan = current, dict(self._classes)
            return
        group, options = self._hardest(bounds, rest, current)
        if not options:
            return
        rest -= bounds[group]
        others = {other: bound for other, bound in bounds.items() if other != group}
        for gain, choice in options:
            if current + gain + rest <= self.best:
                break
            deals, before = self._classes.get(choice, 0), self._values.get(choice, 0)
            value = self._value(choice, deals | group, self.best - rest - current + before)
            gained = current - before + value
            if gained + rest > self.best:
                self._classes[choice], self._values[choice] = deals | group, value
                self._assign(others, rest, gained)
                if deals:
                    self._classes[choice], self._values[choice] = deals, before
                else:
                    del self._classes[choice], self._values[choice]
            if self.best >= self.belief.upper:
                return

    def _hardest(
        self, bounds: dict[int, int], rest: int, current: int
    ) -> tuple[int, list[tuple[int, int]]]:
        """Return the group whose best choice loses most against its bound, and its options.

        Options are pairs of a gain and a choice, the largest gain first. There are none if this
        group rules the partial prescription out.
        """
        most, hardest = -1, 0
        enough = self.best - current - rest
        for group, bound in bounds.items():
            gain = self._best_gain(group)
            if gain <= enough + bound:
                return group, []
            if bound - gain > most:
                most, hardest = bound - gain, group
        return hardest, self._options(hardest, enough + bounds[hardest])

    def _best_gain(self, group: int) -> int:
        """Return an upper bound of what a group adds to the partial prescription."""
        best = UNKNOWN
        for alone, choice in self._ranked[group]:
            if alone <= best:
                break
            best = max(best, self._gain(alone, choice, group))
        return best

    def _gain(self, alone: int, choice: int, group: int) -> int:
        """Return an upper bound of what a choice of a group adds to the partial prescription."""
        deals = self._classes.get(choice)
        if not deals:
            return alone
        return min(alone, self._upper(choice, deals | group) - self._values[choice])

    def _options(self, group: int, least: int) -> list[tuple[int, int]]:
        """Return the choices of a group that gain more than `least`, the largest gain first."""
        options = []
        for alone, choice in self._ranked[group]:
            if alone <= least:
                break
            gain = self._gain(alone, choice, group)
            if gain > least:
                options.append((gain, choice))
        options.sort(key=lambda option: -option[0])
        return options


def bound_optimum(
    rules: Rules,
    hidden_turns: int,
    *,
    beliefs: int = BELIEFS,
    report: Callable[[int, str], None] | None = None,
) -> Fraction:
    """Return the optimum if everyone sees all hands after a number of turns: an upper bound.

    With 0 turns, hands are open from the start. The draw pile stays hidden.
    """
    check_supported(rules)
    check_size(rules)
    search = Search(rules, hidden_turns=hidden_turns, beliefs=beliefs, report=report)
    state = search.states.get(search.states.start)
    decks = state.weight((1 << len(state.deals)) - 1)
    with deep_recursion():
        if not hidden_turns:
            return Fraction(sum(search.open_values(state)), decks)
        return Fraction(search.value(search.start()), decks)


def find_optimum(
    rules: Rules,
    *,
    beliefs: int = BELIEFS,
    report: Callable[[int, str], None] | None = None,
) -> Search:
    """Return a search that has found the optimum of a game.

    The value is that of `Search.start`, summed over all decks. Rules that it does not handle, and
    games that are too large, are rejected.
    """
    check_supported(rules)
    check_size(rules)
    search = Search(rules, beliefs=beliefs, report=report)
    with deep_recursion():
        search.value(search.start())
    return search


@contextlib.contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow a recursion for each group of each turn; several threads may search at once."""
    with _searches.lock:
        if not _searches.running:
            _searches.limit = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_searches.limit, DEPTH))
        _searches.running += 1
    try:
        yield
    finally:
        with _searches.lock:
            _searches.running -= 1
            if not _searches.running:
                sys.setrecursionlimit(_searches.limit)


class _Searches:
    """How many searches are running, and the recursion limit without them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running = self.limit = 0


_searches = _Searches()
