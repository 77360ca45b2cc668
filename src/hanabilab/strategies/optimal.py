"""The optimal strategy of a small game: everyone follows a plan that no team can beat.

The plan comes from `hanabilab.solver.optimum`. It is computed when the first game starts, and
reused for later ones. This is plain Python and runs interpreted only.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict

from hanabilab.game.actions import (
    DISCARD,
    HINT_SUIT,
    PASS,
    PLAY,
    Event,
    discard_slot,
    play_slot,
    rank_hint,
    suit_hint,
)
from hanabilab.game.cards import card_in
from hanabilab.game.rules import Rules
from hanabilab.game.rules_record import rules_of
from hanabilab.game.state import View
from hanabilab.solver.optimum.deals import Choice
from hanabilab.solver.optimum.plan import PlanFollower
from hanabilab.solver.optimum.search import Search, find_optimum
from hanabilab.solver.optimum.size import HANDLED, unsupported_reason
from hanabilab.strategies.explain import ExplanationContext
from hanabilab.strategies.strategy import About, Memory, RuleSupport, Strategy

__all__ = ["OPTIMAL", "optimal_of"]

PLANS = 8
"""The number of games whose plans are kept."""


class PlanMemory(Memory):
    """The memory of a player who follows a plan; the follower is an attribute, not a field."""

    __slots__ = ("follower",)

    def copy(self) -> PlanMemory:
        """Return an equal memory."""
        twin = super().copy()
        if hasattr(self, "follower"):
            object.__setattr__(twin, "follower", follower_in(self).copy())
        return twin


def follower_in(memory: Memory) -> PlanFollower:
    """Return the follower of the plan in this seat."""
    found: PlanFollower = memory.follower  # type: ignore[attr-defined]  # a slot, not a field
    return found


_plans: OrderedDict[Rules, Search] = OrderedDict()
"""The searches that found the most recent optima, by rules."""


def solved(rules: Rules) -> Search:
    """Return a search that has found the optimum of a game."""
    found = _plans.get(rules) or find_optimum(rules)
    remember(found)
    return found


def remember(search: Search) -> None:
    """Keep the plan of a game, and drop the least recently used one."""
    rules = search.states.rules
    _plans[rules] = search
    _plans.move_to_end(rules)
    while len(_plans) > PLANS:
        _plans.popitem(last=False)


def begin(view: View, memory: PlanMemory) -> int:
    """Begin to follow the plan."""
    object.__setattr__(memory, "follower", PlanFollower(solved(rules_of(view.rules))))
    return 0


def act(view: View, memory: PlanMemory) -> int:
    """Follow a plan that no team can beat, in games small enough to compute it."""
    others = []
    for seat in range(1, view.rules.players):
        player = (view.player + seat) % view.rules.players
        hand = view.hands[player]
        others.append([card_in(hand, slot) for slot in range(view.hand_count[player])])
    choice = follower_in(memory).choose(others)
    if choice.kind == PLAY:
        return play_slot(view, choice.slot)
    if choice.kind == DISCARD:
        return discard_slot(view, choice.slot)
    target = (view.player + choice.seat) % view.rules.players
    number = suit_hint if choice.kind == HINT_SUIT else rank_hint
    return number(view, target, choice.value)


def observe(view: View, event: Event, memory: PlanMemory) -> None:
    """Follow a turn."""
    if event.kind in (PLAY, DISCARD):
        choice, seen = Choice(event.kind, slot=event.slot), event.card
    else:
        seat = (event.target - event.player) % view.rules.players
        choice, seen = Choice(event.kind, seat=seat, value=event.value), event.touched
    if event.kind != PASS and not view.end:
        follower_in(memory).advance(choice, seen)


def explain(context: ExplanationContext) -> str:
    """Describe the belief of the team and what the action tells it, both of which are public."""
    follower = follower_in(context.memory)
    belief = follower.belief
    mean = follower.search.value(belief) / belief.state.weight(belief.deals)
    event = context.event
    if event.kind in (PLAY, DISCARD):
        choice = Choice(event.kind, slot=event.slot)
    else:
        seat = (event.target - event.player) % context.view.rules.players
        choice = Choice(event.kind, seat=seat, value=event.value)
    left, deals = follower.deals_left(choice), belief.deals.bit_count()
    return context.because(
        f"the optimal plan, {mean:.3f} points on average from here",
        f"agreed for {left} of the {deals} deals that are possible for all" if deals > 1 else "",
    )


OPTIMAL = Strategy(
    "optimal",
    act,
    observe,
    begin,
    memory=PlanMemory,
    support=RuleSupport(unsupported_reason, switches=HANDLED, home="p2-h1-s2-c21-t1-l1"),
    about=About(
        source="computed: no strategy scores more on average",
        explain=explain,
        explains_afterwards=True,
    ),
)


def optimal_of(search: Search) -> Strategy:
    """Return the strategy that follows the plan of a search, however large the game is."""

    def unsupported(rules: Rules) -> str | None:
        same = rules == search.states.rules
        return None if same else "its plan is for another game"

    def begin_plan(view: View, memory: PlanMemory) -> int:
        object.__setattr__(memory, "follower", PlanFollower(search))
        return 0

    remember(search)
    support = RuleSupport(unsupported, switches=HANDLED)
    return dataclasses.replace(OPTIMAL, begin=begin_plan, support=support)
