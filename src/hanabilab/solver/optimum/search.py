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
- The value of a set of groups is at most the sum of the values of its parts, for one choice and for
  the best prescription. The same holds for each belief that follows: the beliefs of smaller classes
  bound those of larger ones (`classes.bound_by_parts`).

`value` takes a threshold: it returns the exact value if that is higher, and otherwise any upper
bound that is not. A belief is searched in three stages, each of which may decide:

1. The first bound is often the value. All groups are assigned by known bounds, and only the result
   is evaluated (`bounds.hope`).
2. Each group is judged by itself, as if everyone knew that it is the one
   (`bounds.judge_alone`). The sum of these values may be too low.
3. The groups are solved one after the other: the best prescription of the first two, of the first
   three, and so on. This is Russian doll search (Verfaillie, Lemaitre and Schiex 1996): the values
   of the first groups bound what the groups that are not assigned yet can add, and if they are too
   low, the remaining groups need not be considered. Usually the best prescription of the first
   groups can be extended by the next one. If not, prescriptions are searched depth first
   (`prescriptions`), close to the bound at first and then lower, since aiming high prunes most.
   A tree that grows too large is left for one with another order of the groups, and without
   prescriptions that are symmetric to others (`symmetry`). When that first
   happens, the belief is also judged as if everyone knew one of the cards that the player to move
   sees (`blocks`), one card after the other. That may decide; if not, it bounds what sets of groups
   are worth in the trees that follow.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from hanabilab.game.rules import Rules
from hanabilab.solver.optimum import beliefs, frames, kernels
from hanabilab.solver.optimum.deals import bits_of
from hanabilab.solver.optimum.public_state import PublicState, States
from hanabilab.solver.optimum.size import (
    Limits,
    TooManyBeliefsError,
    check_size,
    check_supported,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Belief", "Search", "bound_optimum", "find_optimum"]

UNKNOWN = -1
ALWAYS = 0
"""Hands stay hidden to the end."""
SLICE = 20_000
"""Steps between two looks at the clock."""

MANY_STATES = 256
"""Public states between two looks at the clock."""

Report = Callable[[int, str], None]


class Belief(NamedTuple):
    """A set of deals in a public state."""

    state: PublicState
    deals: int
    number: int
    """The number of the belief in the search."""

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
        limits: Limits | None = None,
        report: Report | None = None,
    ) -> None:
        from hanabilab.solver.optimum.store import StoreSizes
        from hanabilab.solver.optimum.tables import game_tables

        self.states, self.hidden_turns = States(rules), hidden_turns
        """The turn from which everyone sees all hands; ALWAYS is the real game."""
        self.pause: Callable[[], None] | None = None
        """Called now and then during a search, for example to save it."""
        self._limits, self._report = limits or Limits(), report
        self._game = game_tables(self.states, self._check_states)
        self._sizes = StoreSizes.of(self._game)
        self._store = self._sizes.store()
        self._found: dict[tuple[PublicState, int, int], Belief] = {}
        self._plans: dict[int, dict[int, int]] = {}
        self._lock = threading.RLock()

    def _check_states(self, found: int) -> None:
        """Report progress while public states are listed, and give up at the time limit."""
        if not found % MANY_STATES:
            if self._report:
                self._report(found, "public states")
            self._check_time()

    def _check_time(self) -> None:
        if time.process_time() > self._limits.deadline:
            raise TooManyBeliefsError("the optimum takes longer than the time limit")

    @property
    def beliefs(self) -> int:
        """The number of different beliefs considered, symmetric ones counted once.

        Beliefs that were forgotten and found again count again.
        """
        cursor = self._store.cursor
        return int(cursor[beliefs.BELIEFS] + cursor[beliefs.FORGOTTEN])

    def start(self) -> Belief:
        """Return the belief before the first turn: every deal is possible."""
        state = self.states.get(self.states.start)
        return self.belief(state, (1 << len(state.deals)) - 1, self.hidden_turns)

    def belief(self, state: PublicState, deals: int, hidden_turns: int = ALWAYS) -> Belief:
        """Return the belief that is equivalent to a set of deals."""
        found = self._found.get((state, deals, hidden_turns))
        if found is None:
            found = self._find(state, deals, hidden_turns)
            self._found[state, deals, hidden_turns] = found
        return found

    def _find(self, state: PublicState, deals: int, hidden_turns: int) -> Belief:
        from hanabilab.solver.optimum.store import deals_of, words_of

        cells = words_of(deals, len(self._store.key))
        with self._lock:
            self._make_room()
            number = self._run(beliefs.find_belief, state.number, hidden_turns, cells, 0)
        at = self._store.beliefs[number][beliefs.BITS]
        words = self._game.states[state.number][beliefs.WORDS]
        return Belief(state, deals_of(self._store.pool[at : at + words]), number)

    def upper(self, belief: Belief) -> int:
        """Return the known upper bound of the value of a belief."""
        return int(self._store.beliefs[belief.number][beliefs.UPPER])

    def open_values(self, state: PublicState) -> list[int]:
        """Return the value of each deal if everyone sees all hands from now on, but not the pile.

        It is a sum over the orders of the draw pile.
        """
        return [self.open_value(state, deal) for deal in range(len(state.deals))]

    def open_value(self, state: PublicState, deal: int) -> int:
        """Return the value of one deal if everyone sees all hands from now on."""
        first = self._game.states[state.number][beliefs.DEAL_VALUE_AT]
        return int(self._game.deal_value[first + deal])

    def value(self, belief: Belief, threshold: int = UNKNOWN) -> int:
        """Return the value of a belief if it exceeds the threshold, or else an upper bound."""
        with self._lock:
            row = self._store.beliefs[belief.number]
            if not row[beliefs.EXACT] and row[beliefs.UPPER] > threshold:
                self._make_room()
                self._run(kernels.begin, belief.number, threshold)
                self._continue()
        return self.upper(belief)

    def _continue(self) -> None:
        """Search on until the stack is empty."""
        while True:
            status = self._run(kernels.advance, SLICE, self._sizes.margin, self._sizes.frame)
            self._make_room()
            if status == kernels.DONE:
                return
            if self._report:
                self._report(self.beliefs, f"beliefs in {len(self.states):,} public states")
            if self.pause:
                self.pause()
            self._check_time()

    def _run(self, kernel: Callable[..., int], *arguments: Any) -> int:
        from hanabilab.core import machine_code

        return int(machine_code.run(kernel, self._game, self._store, *arguments))

    def _make_room(self) -> None:
        """Make the arrays large enough for one more step of the search."""
        if self.beliefs > self._limits.beliefs:
            raise TooManyBeliefsError(
                f"the optimum needs more than {self._limits.beliefs:,} beliefs"
            )
        try:
            self._enlarge()
        except TooManyBeliefsError:
            if not self._forget():
                raise
            self._enlarge()

    def _enlarge(self) -> None:
        slots = len(self._store.slots)
        self._store = self._sizes.enlarged(self._store, self._limits.megabytes)
        if len(self._store.slots) != slots:
            self._run(beliefs.rehash)

    def _forget(self) -> bool:
        """Forget the beliefs that were never searched; return whether that made enough room.

        The numbers of others change, so only the first one may have been asked for.
        """
        if any(belief.number for belief in self._found.values()):
            return False
        before = int(self._store.cursor[beliefs.BELIEFS])
        kept = self._run(frames.forget)
        self._run(beliefs.rehash)
        return 8 * kept <= 7 * before

    def save(self) -> dict[str, Any]:
        """Return all that is known about beliefs, as arrays to store."""
        from hanabilab.solver.optimum.store import saved_arrays

        with self._lock:
            return saved_arrays(self._store)

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from the arrays of a search of the same game."""
        with self._lock:
            self._store = self._sizes.restored(saved)
            self._run(beliefs.rehash)

    def plan(self, belief: Belief) -> dict[int, int]:
        """Return an optimal prescription: for each choice, the set of deals in which it is taken.

        The value of the belief is computed if it is not known yet.
        """
        found = self._plans.get(belief.number)
        if found is None:
            self.value(belief)  # unless it is part of the plan, it may not be known
            found = self._plans[belief.number] = self._plan_of(belief)
        return found

    def _plan_of(self, belief: Belief) -> dict[int, int]:
        at = int(self._store.beliefs[belief.number][beliefs.PLAN])
        plan = dict[int, int]()
        for number, group in enumerate(belief.groups()):
            if at == UNKNOWN:
                choice = self.open_choice(belief.state, group)
            else:
                choice = int(self._store.plans[at + number])
            plan[choice] = plan.get(choice, 0) | group
        return plan

    def open_choice(self, state: PublicState, group: int) -> int:
        """Return the best choice for deals that look alike if all hands are open after it."""
        choices, deals = len(state.choices), list(bits_of(group))
        at, turns = int(self._game.states[state.number][beliefs.OPEN_AT]), self._game.open_value
        legal = [c for c in range(choices) if turns[at + deals[0] * choices + c] != UNKNOWN]
        return max(legal, key=lambda c: sum(int(turns[at + deal * choices + c]) for deal in deals))


def bound_optimum(
    rules: Rules,
    hidden_turns: int,
    *,
    limits: Limits | None = None,
    report: Report | None = None,
) -> Fraction:
    """Return the optimum if everyone sees all hands after a number of turns: an upper bound.

    With 0 turns, hands are open from the start. The draw pile stays hidden.
    """
    check_supported(rules)
    check_size(rules)
    search = Search(rules, hidden_turns=hidden_turns, limits=limits, report=report)
    state = search.states.get(search.states.start)
    decks = state.weight((1 << len(state.deals)) - 1)
    if not hidden_turns:
        return Fraction(sum(search.open_values(state)), decks)
    return Fraction(search.value(search.start()), decks)


def find_optimum(
    rules: Rules,
    *,
    limits: Limits | None = None,
    report: Report | None = None,
) -> Search:
    """Return a search that has found the optimum of a game.

    The value is that of `Search.start`, summed over all decks. Rules that it does not handle, and
    games that are too large, are rejected.
    """
    check_supported(rules)
    check_size(rules)
    search = Search(rules, limits=limits, report=report)
    search.value(search.start())
    return search
