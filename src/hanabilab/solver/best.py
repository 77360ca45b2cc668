"""The highest score that can be reached where the maximum cannot.

A score is a sum of heights, one a suit. If the best line ends with certain heights, then all cards
up to these can be played and the others are *given up*: the search decides that for each choice of
heights with the same sum. Where it leaves some open, a formula decides all of them at once, for in
it a suit may stop at any height (`hanabilab.solver.sat.encode`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from hanabilab.solver.decide import LONG_SEARCH, ask_sat, decide_by_search, time_left
from hanabilab.solver.kernels.weights import WIDEST
from hanabilab.solver.lines import finish_safely
from hanabilab.solver.position import Position
from hanabilab.solver.proofs.relaxed import Relaxed

__all__ = ["Highest", "highest_score", "quick_bounds"]

MANY_CHOICES = 200
"""So many choices of heights are not tried one by one."""
FEW_CHOICES = 20
"""So few are each worth a wide beam and a short exhaustive search."""
NARROW = 8

Heights = tuple[int, ...]


@dataclass(slots=True)
class Highest:
    """What is known of the highest score: a line to `best`, and that none is above `bound`."""

    best: int
    bound: int
    actions: tuple[int, ...]
    nodes: int = 0

    @property
    def is_exact(self) -> bool:
        """Do the bounds meet?"""
        return self.best >= self.bound


def quick_bounds(position: Position, bound: int, deadline: float | None = None) -> Highest:
    """The score of a careful player, and what the cards still to come allow at most."""
    found = Highest(position.score, position.score, ())
    if not position.is_over:
        found.bound = min(bound, most_points(position))
        _take_line(found, position, ())
    return found


def highest_score(
    position: Position,
    bound: int,
    deadline: float | None,
    *,
    line: tuple[int, ...] = (),
    guess: Heights = (),
) -> Highest:
    """Find the highest score, which is at most `bound`.

    A line that is known may be given to start from, and heights to try first.
    """
    found = quick_bounds(position, bound)
    if line:
        _take_line(found, position, line)
    if not found.is_exact:
        _try_heights(found, position, deadline, guess)
        _ask_for_sums(found, position, deadline)
        _try_heights(found, position, deadline, limit=LONG_SEARCH)
    return found


def _take_line(found: Highest, position: Position, actions: tuple[int, ...]) -> None:
    """Play a line on to the end of the game, and keep it if its score is higher."""
    line = (*actions, *finish_safely(position.after(actions)))
    score = position.after(line).score
    if score > found.best or not found.actions:
        found.best, found.actions = score, line


def removals_before(position: Position) -> list[list[int]]:
    """For each card that may still be played, suit by suit, how many cards leave hands before it.

    It must be drawn, and so must all below it. Whoever draws the last card of the deck takes the
    last turn of the game: no card can follow that one.
    """
    game = Relaxed.of(position)
    first = {card: draw for draw, card in reversed(list(enumerate(game.pile, 1)))}
    first |= {card: 0 for hand in game.hands for card in hand}
    suits = []
    for suit, height in enumerate(game.fireworks):
        before: list[int] = []
        for card in range(suit * game.ranks + height, (suit + 1) * game.ranks):
            least = max(first.get(card, game.removals), before[-1] + 1 if before else 0)
            if least >= game.removals:
                break
            before.append(least)
            if game.deck_ends and first[card] == len(game.pile) > 0:
                break
        suits.append(before)
    return suits


def most_points(position: Position) -> int:
    """A bound: no two cards leave their hands at once, and none before it can be played."""
    removals = Relaxed.of(position).removals
    place = plays = 0
    for before in sorted(chain(*removals_before(position))):
        place = max(place, before)
        if place < removals:
            plays += 1
        place += 1
    return position.state.score + plays


def heights_with_sum(low: Sequence[int], high: Sequence[int], total: int) -> Iterator[Heights]:
    """All choices of a height for each suit within its limits, with this sum."""
    if not low:
        yield ()
        return
    most = min(high[0], total - sum(low[1:]))
    least = max(low[0], total - sum(high[1:]))
    for height in range(most, least - 1, -1):
        for others in heights_with_sum(low[1:], high[1:], total - height):
            yield (height, *others)


def cards_above(heights: Heights, ranks: int) -> int:
    """The cards that are given up with these heights."""
    return sum(
        ((1 << (ranks - height)) - 1) << (suit * ranks + height)
        for suit, height in enumerate(heights)
    )


def _try_heights(
    found: Highest,
    position: Position,
    deadline: float | None,
    guess: Heights = (),
    limit: int = 0,
) -> None:
    """Search for each choice of heights, higher sums first, while these are not too many."""
    state = position.state
    low = state.fireworks[: state.suits]
    ways = removals_before(position)
    high = [height + len(before) for height, before in zip(low, ways, strict=True)]
    for score in range(found.bound, found.best, -1):
        choices = list(islice(heights_with_sum(low, high, score), MANY_CHOICES + 1))
        if len(choices) > MANY_CHOICES:
            return
        choices.sort(key=lambda heights: heights != guess)
        widest = WIDEST if len(choices) <= FEW_CHOICES else NARROW
        proved = True
        for heights in choices:
            if time_left(deadline) == 0:
                return
            given_up = cards_above(heights, state.ranks)
            decision = decide_by_search(position, given_up, deadline, widest, limit)
            found.nodes += decision.nodes
            if decision.reachable:
                _take_line(found, position, decision.actions)
                if found.best >= score:
                    return
            proved = proved and decision.reachable is False
        if proved and score == found.bound:
            found.bound = score - 1


def _ask_for_sums(found: Highest, position: Position, deadline: float | None) -> None:
    """Halve what is open until the bounds meet: can any choice of heights have such a sum?"""
    while not found.is_exact:
        goal = (found.best + found.bound + 1) // 2
        decision = ask_sat(position, goal, deadline)
        if decision.reachable:
            _take_line(found, position, decision.actions)
        if decision.reachable is False:
            found.bound = goal - 1
        elif found.best < goal:
            return
