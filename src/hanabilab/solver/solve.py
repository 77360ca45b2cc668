"""Solve a position: whether the maximum can be reached, and if not, which score can.

`solve_position` asks `decide` (beams and proofs of loss, then exhaustive search, then SAT) and, for
the best score of a lost position, `BestScoreSearch`, which asks the same of lower scores.

A score is a sum of heights, one per suit. If the best line ends with certain heights, then all
cards up to these can be played and the others are *excluded*: the search decides that for each
choice of heights with the same sum. Where it leaves some open, one formula decides all of them at
once, for in it a suit may stop at any height (`hanabilab.solver.sat_encoding`).

The search of `hanabilab.solver.kernels` knows a hand only by its useful cards. That is not enough
where some cards cannot be hinted at, where the last card can be played from the draw pile, or where
only the maximum counts. `ExactSearch` solves small games of any rules by every line of the engine
itself, however slow.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
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
from hanabilab.game.state import GOING_ON, State, best_score, hands_of
from hanabilab.game.turn import can_hint, final_score
from hanabilab.solver.certificates import Certificate, Decision, ExhaustedSearch
from hanabilab.solver.decide import (
    LONG_SEARCH,
    decide,
    decide_by_sat,
    decide_by_search,
    prepare,
    time_left,
)
from hanabilab.solver.kernels.evaluate import WIDEST
from hanabilab.solver.position import Position, any_pass, play_safely, take_action
from hanabilab.solver.proofs import RelaxedGame

__all__ = [
    "BestScoreSearch",
    "ExactSearch",
    "Heights",
    "Solution",
    "losses_are_proved",
    "needs_exact_search",
    "solve_position",
]

HANDLED = switch_set(
    "all_or_nothing colours deck_ends deck_plays discard_at_full discards_per_token empty_hints",
    "first_player inverted_suits keep_on_last_turn keep_score open_game rank_hints rank_touching",
    "reversed_suits score_ends speedrun suit_hints token_for_suit touching",
)
"""The switches whose counters all are in the `key` of a position."""

MAX_EXACT_POSITIONS = 20_000
"""Positions that an exact search may visit."""

MANY_CHOICES = 200
"""With more choices of heights than these, none is tried on its own."""
FEW_CHOICES = 20
"""With at most these, each is worth a wide beam."""
NARROW = 8

Heights = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known about a position."""

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

    `bound`, `line` and `guess` (fireworks to try first) pass on what is known already. Set
    `skip_quick` if beams and proofs have failed on this position before.
    """
    solution = _solve_quickly(position, time_limit, best, bound, line, guess, skip_quick)
    if position.is_over or solution.winnable or not needs_exact_search(position.state):
        return solution
    return _solve_exactly(solution, best)


def _solve_exactly(solution: Solution, best: bool) -> Solution:
    """Decide what the quick search cannot under these rules, if the game is small."""
    state = solution.position.state
    top, proved = state.rules.ranks * state.rules.suits, losses_are_proved(state)
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
    top = position.state.rules.ranks * position.state.rules.suits
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
    """Return whether every player with a token who sees a card can give a hint."""
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
        """Return one action for each card and each way to part with it, and one hint."""
        hand = hands_of(state)[state.player]
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
            found.append((any_pass(state), True))
        return found

    def key(self, state: State, passes: int) -> Any:
        """Return all that distinguishes positions: hands without the order of their cards."""
        hands = tuple(tuple(sorted(hand)) for hand in hands_of(state))
        tokens = passes if state.rules.unlimited_hints else state.hint_tokens
        counters = (state.player, tokens, state.token_part, state.lives, state.turns_left)
        return counters, state.draw_pile, tuple(state.fireworks[: state.rules.suits]), hands


class BestScoreSearch:
    """What is known of the highest score, from quick bounds to the exact one.

    There is a line to `best`, and no score above `bound` can be reached.
    """

    def __init__(self, position: Position, bound: int, deadline: float | None) -> None:
        """Begin with the score of a careful player and what the cards still to come allow."""
        self.position, self.deadline = position, deadline
        self.best = self.bound = position.score
        self.line: tuple[int, ...] = ()
        self.nodes = 0
        if not position.is_over:
            self.bound = min(bound, most_points(position))
            self.adopt_line(())

    @property
    def is_exact(self) -> bool:
        """Whether the bounds meet."""
        return self.best >= self.bound

    def run(self, line: tuple[int, ...] = (), guess: Heights = ()) -> None:
        """Search until the bounds meet or the time runs out.

        A known line and heights to try first may be given to start from.
        """
        if line:
            self.adopt_line(line)
        if not self.is_exact:
            self.try_heights(guess)
            self.bisect_scores()
            self.try_heights(limit=LONG_SEARCH)

    def adopt_line(self, actions: tuple[int, ...]) -> None:
        """Play a line on to the end of the game, and keep it if its score is higher."""
        line = (*actions, *play_safely(self.position.after(actions)))
        score = self.position.after(line).score
        if score > self.best or not self.line:
            self.best, self.line = score, line

    def try_heights(self, guess: Heights = (), limit: int = 0) -> None:
        """Search for each choice of heights, higher sums first, unless there are too many."""
        state = self.position.state
        low = state.fireworks[: state.rules.suits]
        ways = removals_before(self.position)
        high = [height + len(before) for height, before in zip(low, ways, strict=True)]
        for score in range(self.bound, self.best, -1):
            choices = list(islice(heights_with_sum(low, high, score), MANY_CHOICES + 1))
            if len(choices) > MANY_CHOICES:
                return
            choices.sort(key=lambda heights: heights != guess)
            refuted = self.try_choices(choices, score, limit)
            if refuted is None:
                return
            if refuted and score == self.bound:
                self.bound = score - 1

    def try_choices(self, choices: Sequence[Heights], score: int, limit: int) -> bool | None:
        """Return whether all these choices of heights are impossible.

        Return None when the score is reached or the time runs out.
        """
        widest = WIDEST if len(choices) <= FEW_CHOICES else NARROW
        refuted = True
        for heights in choices:
            if time_left(self.deadline) == 0:
                return None
            excluded = cards_above(heights, self.position.state.rules.ranks)
            decision = decide_by_search(
                self.position, self.deadline, excluded=excluded, widest=widest, limit=limit
            )
            self.nodes += decision.nodes
            if decision.reachable:
                self.adopt_line(decision.actions)
                if self.best >= score:
                    return None
            refuted = refuted and decision.reachable is False
        return refuted

    def bisect_scores(self) -> None:
        """Halve the gap between the bounds until they meet: find heights with such a sum."""
        while not self.is_exact:
            goal = (self.best + self.bound + 1) // 2
            decision = decide_by_sat(self.position, goal, self.deadline)
            if decision.reachable:
                self.adopt_line(decision.actions)
            if decision.reachable is False:
                self.bound = goal - 1
            elif self.best < goal:
                return


def removals_before(position: Position) -> list[list[int]]:
    """Return, suit by suit, how many cards leave hands before each card that may be played.

    A card and all below it must be drawn first. Whoever draws the last card of the deck takes the
    last turn of the game, so no card can follow that one.
    """
    game = RelaxedGame.of(position)
    first = {card: draw for draw, card in reversed(list(enumerate(game.pile, 1)))}
    first |= {card: 0 for hand in game.hands for card in hand}
    suits = []
    for suit, height in enumerate(game.fireworks):
        before: list[int] = []
        for card in range(suit * game.rules.ranks + height, (suit + 1) * game.rules.ranks):
            least = max(first.get(card, game.removals), before[-1] + 1 if before else 0)
            if least >= game.removals:
                break
            before.append(least)
            if game.rules.deck_ends and first[card] == len(game.pile) > 0:
                break
        suits.append(before)
    return suits


def most_points(position: Position) -> int:
    """Bound the score: no two cards leave hands at once, and none before it can be played."""
    removals = RelaxedGame.of(position).removals
    place = plays = 0
    for before in sorted(chain(*removals_before(position))):
        place = max(place, before)
        if place < removals:
            plays += 1
        place += 1
    return position.state.score + plays


def heights_with_sum(low: Sequence[int], high: Sequence[int], total: int) -> Iterator[Heights]:
    """Yield all choices of a height for each suit within its limits, with this sum."""
    if not low:
        yield ()
        return
    most = min(high[0], total - sum(low[1:]))
    least = max(low[0], total - sum(high[1:]))
    for height in range(most, least - 1, -1):
        for others in heights_with_sum(low[1:], high[1:], total - height):
            yield (height, *others)


def cards_above(heights: Heights, ranks: int) -> int:
    """Return the cards that are given up with these heights."""
    return sum(
        ((1 << (ranks - height)) - 1) << (suit * ranks + height)
        for suit, height in enumerate(heights)
    )
