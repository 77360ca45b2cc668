"""The best score of a position that cannot be won: bounds tightened by search and SAT.

A score is a sum of heights, one per suit. If the best line ends with certain heights, then all
cards up to these can be played and the others are *excluded*; the search decides that for each
choice of heights with the same sum. If it leaves some open, one formula decides all of them at
once, since it lets a suit stop at any height (`hanabilab.solver.sat_encoding`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from hanabilab.solver.decide import LONG_SEARCH, decide_by_sat, decide_by_search, time_left
from hanabilab.solver.kernels.evaluate import WIDEST
from hanabilab.solver.position import Position, play_safely
from hanabilab.solver.proofs import RelaxedGame

__all__ = ["BestScoreSearch", "Heights", "most_points"]

MANY_CHOICES = 200
"""With more choices of heights than this, none is tried on its own."""
FEW_CHOICES = 20
"""With at most this many choices, each is worth a wide beam."""
NARROW = 8

Heights = tuple[int, ...]


class BestScoreSearch:
    """Bounds on the highest score, from quick ones to the exact value.

    There is a line to `best`, and no score above `bound` can be reached.
    """

    def __init__(self, position: Position, bound: int, deadline: float | None) -> None:
        """Start with the score of a careful player and a bound from the cards still to come."""
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

        Optional starting points are a known line and heights to try first.
        """
        if line:
            self.adopt_line(line)
        if not self.is_exact:
            self.try_heights(guess)
            self.bisect_scores()
            self.try_heights(limit=LONG_SEARCH)

    def adopt_line(self, actions: tuple[int, ...]) -> None:
        """Continue a line to the end of the game, and keep it if its score is higher."""
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
        """Bisect the gap between the bounds until they meet: search for heights with such a sum."""
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

    A card and all lower ones must be drawn first. The player who draws the last card of the deck
    takes the last turn of the game, so no card can follow that one.
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
    """Bound the score: cards leave hands one at a time, and none before it can be played."""
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
