"""Count the decks that a single player can win, for any hand size and any number of suits.

The game is that of the thesis. Before the first turn the player holds m cards (`hand`). On each
turn one card is played or discarded and one is drawn; after the last draw there is one more turn: N
- m + 1 turns in all. With fewer than m cards there is no turn. With ``deck_ends=False`` the player
continues until the hand is empty (thesis, section 5).

*(van den Bergh 2015, sections 3.3 to 3.6)* enumerates decks; this module never looks at a single
deck. It reads the cards one by one and keeps only the set of all situations that the player can be
in (`decision.py`) and the number of cards left of each kind. Decks that agree in both are counted
together: V(cards left, situations) is the number of orders of the cards left that win. Copies of a
card are distinguished while counting, so that all useless cards can be treated alike; the orders of
the copies are divided out at the end.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import factorial, prod

from hanabilab.checks import check_integer
from hanabilab.errors import TheoryError
from hanabilab.theory.decision import START, Situation, SituationMachine
from hanabilab.theory.playability import playable_permutations
from hanabilab.theory.sequences import (
    MAX_CARDS,
    Report,
    approximate,
    check_counts,
    check_hand,
    chi,
    duration,
    products_of,
    reject_long,
    total,
)

__all__ = [
    "STATES_PER_SECOND",
    "DeckCount",
    "DeckCounter",
    "TooManyStatesError",
    "count_decks",
    "estimate_states",
    "playable",
    "playable_by_composition",
    "score_distribution",
    "unplayable",
]

STATES = 1_000_000
"""Default limit on the number of pairs of cards left and situations."""

SAFE_INTEGER = 2**53
"""The largest integer that every JSON reader represents exactly."""
STATES_PER_SECOND = 10_000
REPORT_EVERY = 5_000
Left = tuple[int, ...]
"""The number of copies left of each card that may still be useful."""


@dataclass(frozen=True, slots=True)
class DeckCount:
    """The number of decks of a composition, and how many of them are won."""

    suits: tuple[tuple[int, ...], ...]
    """The number of cards of each rank, suit by suit."""
    hand: int
    playable: int
    total: int
    scores: tuple[int, ...] | None = None
    """The number of decks with best score 0, 1, 2, …; None if that was not counted."""

    @property
    def unplayable(self) -> int:
        """Decks that are not won."""
        return self.total - self.playable

    @property
    def fraction(self) -> Fraction:
        """The probability that a shuffled deck is won."""
        return Fraction(self.playable, self.total)

    def to_dict(self) -> dict[str, object]:
        """Return the count as plain data, with large numbers as text."""
        one_suit = len(self.suits) == 1
        data: dict[str, object] = {
            "counts": list(self.suits[0]) if one_suit else [list(suit) for suit in self.suits],
            "hand": self.hand,
            "playable": _json_number(self.playable),
            "unplayable": _json_number(self.unplayable),
            "total": _json_number(self.total),
            "fraction": float(self.fraction),
            "fraction_exact": str(self.fraction),
        }
        if self.scores is not None:
            data["scores"] = [_json_number(decks) for decks in self.scores]
        return data


def _json_number(number: int) -> int | str:
    """Return a number, or its digits as text if a JSON reader might round it."""
    return number if number <= SAFE_INTEGER else str(number)


def playable(*counts: int | Sequence[int], hand: int = 1, deck_ends: bool = True) -> int:
    """Return how many decks with these counts are won with this hand size.

    Give one suit as numbers, ``playable(3, 2, 2, 2, 1, hand=5)``, or several suits as lists,
    ``playable((2, 2, 2), (2, 2, 2), hand=3)``.
    """
    return count_decks(*counts, hand=hand, deck_ends=deck_ends).playable


def unplayable(*counts: int | Sequence[int], hand: int = 1, deck_ends: bool = True) -> int:
    """Return how many decks with these counts are lost with this hand size; see `playable`."""
    return count_decks(*counts, hand=hand, deck_ends=deck_ends).unplayable


def count_decks(
    *counts: int | Sequence[int],
    hand: int = 1,
    deck_ends: bool = True,
    states: int = STATES,
    scores: bool = False,
    report: Report | None = None,
) -> DeckCount:
    """Count the decks that are won, exactly.

    Parameters
    ----------
    counts
        How many cards of each rank there are: numbers for one suit, lists for several.
    hand
        The hand size m.
    deck_ends
        Whether the game ends one turn after the last draw.
    states
        Give up beyond this many pairs of cards left and situations.
    scores
        Also count the decks by their best score.
    report
        Called with the number of such pairs so far.
    """
    found = _count_won(*counts, hand=hand, deck_ends=deck_ends, states=states, report=report)
    if not scores:
        return found
    by_score = score_distribution(
        *counts, hand=hand, deck_ends=deck_ends, states=states, report=report
    )
    return replace(found, scores=tuple(by_score))


def _count_won(
    *counts: int | Sequence[int], hand: int, deck_ends: bool, states: int, report: Report | None
) -> DeckCount:
    suits = as_suits(counts)
    check_hand(hand)
    decks = total(*(count for suit in suits for count in suit))
    goal, turns = sum(map(len, suits)), sum(map(sum, suits)) - hand + 1
    if any(0 in suit for suit in suits) or (deck_ends and 0 < goal > turns):  # Theorem 3.13
        return DeckCount(suits, hand, 0, decks)
    if hand == 1:
        # One card in hand: the suits do not meet (Theorem 3.33), and each is a case of χ.
        together = decks // prod(total(*suit) for suit in suits)  # how the suits can be mixed
        won = together * prod(
            chi(*suit, report=report) ** times for suit, times in Counter(suits).items()
        )
        return DeckCount(suits, hand, won, decks)
    if not deck_ends and _has_closed_form(suits, hand):
        return DeckCount(suits, hand, _won_without_end(suits, hand, decks), decks)
    _reject_intractable(suits, hand, states)
    counter = DeckCounter(list(map(len, suits)), hand, goal, deck_ends, states, report)
    return DeckCount(suits, hand, counter.count(suits), decks)


def _has_closed_form(suits: Sequence[Sequence[int]], hand: int) -> bool:
    """Return whether a closed form counts the decks won if the draw pile does not end the game."""
    return hand >= sum(map(len, suits)) or (len(suits) == 1 and set(suits[0]) == {1})


def _won_without_end(suits: Sequence[Sequence[int]], hand: int, decks: int) -> int:
    """Return how many decks are won if the draw pile does not end the game.

    A hand that can hold one card of each kind wins every deck: a full hand without a playable card
    has a duplicate or a useless card, which can be discarded.
    """
    if hand >= sum(map(len, suits)):
        return decks
    return playable_permutations(len(suits[0]), hand)


def playable_by_composition(
    cards: int, ranks: int, hand: int, report: Report | None = None
) -> dict[tuple[int, ...], DeckCount]:
    """Count for every composition with at least one card of each rank.

    Appendix A of the thesis has 10 cards and 5 ranks. Compositions share work, because the
    remainder of one deck may be the remainder of another.
    """
    check_hand(hand)
    cards = check_integer("cards", cards, 0, MAX_CARDS, error=TheoryError)
    ranks = check_integer("ranks", ranks, 0, MAX_CARDS, error=TheoryError)
    counter = DeckCounter([ranks], hand, ranks, True, STATES, report)
    return {
        counts: DeckCount((counts,), hand, counter.count([counts]), total(*counts))
        for counts in _compositions(cards, ranks)
    }


def score_distribution(
    *counts: int | Sequence[int],
    hand: int = 1,
    deck_ends: bool = True,
    states: int = STATES,
    report: Report | None = None,
) -> list[int]:
    """Return how many decks have 0, 1, 2, … as the best score that can be reached."""
    suits = as_suits(counts)
    check_hand(hand)
    if hand == 1:
        return _independent_suits(suits, report)
    decks = total(*(count for suit in suits for count in suit))
    if not deck_ends and len(suits) == 1 and set(suits[0]) == {1}:
        # Cards above the goal are discarded at no cost, so only the order of the others matters.
        parts = [
            decks // factorial(goal) * playable_permutations(goal, hand)
            for goal in range(len(suits[0]) + 1)
        ]
        return _differences(parts)
    at_least = [decks]
    _reject_intractable(suits, hand, states)
    for goal in range(1, sum(map(len, suits)) + 1):
        # No suit needs a rank beyond the goal.
        ranks = [min(len(suit), goal) for suit in suits]
        counter = DeckCounter(ranks, hand, goal, deck_ends, states, report)
        at_least.append(counter.count(suits))
    return _differences(at_least)


def _differences(at_least: Sequence[int]) -> list[int]:
    """Return how many decks have each best score, from those that have at least that score."""
    return [more - less for more, less in zip(at_least, [*at_least[1:], 0], strict=True)]


def as_suits(counts: Sequence[int | Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the counts as one tuple per suit, in whatever form they are given."""
    suits = [entry for entry in counts if isinstance(entry, Sequence)]
    if not suits:
        return (check_counts([entry for entry in counts if not isinstance(entry, Sequence)]),)
    if len(suits) < len(counts):
        raise TheoryError("give the counts of one suit as numbers or of several suits as lists")
    return tuple(check_counts(suit) for suit in suits)


def _compositions(cards: int, ranks: int) -> Iterable[tuple[int, ...]]:
    if ranks == 0:
        yield from [()] if cards == 0 else []
        return
    for first in range(1, cards - ranks + 2):
        for rest in _compositions(cards - first, ranks - 1):
            yield (first, *rest)


def _independent_suits(suits: Sequence[tuple[int, ...]], report: Report | None) -> list[int]:
    """Return the distribution for one card in hand, where the suits are independent.

    In one suit the score is at least g if 1, …, g is a subsequence of the cards up to rank g, whose
    order does not depend on the positions of the other cards; the scores of the suits add up.
    """
    cards, ranks = sum(map(sum, suits)), sum(map(len, suits))
    products = [products_of(suit[:goal]) for suit in set(suits) for goal in range(len(suit) + 1)]
    reject_long(sum(products) + ranks * (ranks + len(suits)), cards)
    alone = {suit: _scores_alone(suit, report) for suit in set(suits)}
    scores = [1]
    for suit in suits:
        longer = [0] * (len(scores) + len(suit))
        for score, decks in enumerate(scores):
            for more, decks_of_suit in enumerate(alone[suit]):
                longer[score + more] += decks * decks_of_suit
        scores = longer
    every = total(*(count for suit in suits for count in suit))
    together = every // prod(total(*suit) for suit in suits)  # how the suits can be mixed
    return [together * decks for decks in scores]


def _scores_alone(suit: tuple[int, ...], report: Report | None) -> list[int]:
    """Return how many orders of a single suit have 0, 1, 2, … as the best score."""
    orders = total(*suit)
    at_least = [
        orders * chi(*suit[:goal], report=report) // total(*suit[:goal])
        for goal in range(len(suit) + 1)
    ]
    return _differences(at_least)


def estimate_states(suits: Sequence[Sequence[int]], hand: int) -> int:
    """Estimate the number of states that a count needs with two or more cards in hand.

    Compositions that were tried needed 0.04 to 3 times as many as there are ways to have cards
    left; with space in hand for all cards but one they needed fewer than one for each.
    """
    counts = [count for suit in suits for count in suit]
    return _ways_left(counts, hand) * (3 if hand + 1 < len(counts) else 1)


def _ways_left(counts: Sequence[int], hand: int) -> int:
    """Return the number of ways in which cards can be left.

    With a huge hand it matters only whether any are left.
    """
    return prod(2 if hand >= len(counts) else count + 1 for count in counts)


def _reject_intractable(suits: Sequence[Sequence[int]], hand: int, states: int) -> None:
    """Raise if there are clearly too many states: at least one per way to have cards left."""
    least = _ways_left([count for suit in suits for count in suit], hand)
    if least > states:
        raise TooManyStatesError(
            f"{approximate(least)} ways to have cards left, an estimated {approximate(5 * least)} "
            f"states and {duration(5 * least // STATES_PER_SECOND)}; at most {states:,} states "
            "are allowed",
            5 * least,
        )


def _kinds(left: Left) -> int:
    """Return the set of cards of which at least one copy is left."""
    return sum([1 << card for card, copies in enumerate(left) if copies])


def _set_aside(left: Left, useless: int, wanted: int) -> tuple[Left, int]:
    """Count all cards but the wanted ones as useless."""
    kept = tuple([copies if wanted >> card & 1 else 0 for card, copies in enumerate(left)])
    return kept, useless + sum(left) - sum(kept)


class TooManyStatesError(TheoryError):
    """A count needs more states than allowed, for certain or by an estimate."""

    def __init__(self, words: str, states: int) -> None:
        super().__init__(words)
        self.states = states


class DeckCounter:
    """V(cards left, situations), remembered across compositions."""

    def __init__(
        self,
        ranks: Sequence[int],
        hand: int,
        goal: int,
        deck_ends: bool = True,
        states: int = STATES,
        report: Report | None = None,
    ) -> None:
        self.ranks = sorted(ranks)  # so that suits with equally many ranks are neighbours
        self.machine = SituationMachine(self.ranks, hand - 1, goal, deck_ends=deck_ends)
        self.hand = hand
        self.states = states
        self.report = report
        self.known: dict[tuple[Left, int, int, tuple[Situation, ...]], int] = {}

    def count(self, suits: Sequence[Sequence[int]]) -> int:
        """Count the decks of this composition that reach the goal."""
        in_order = zip(sorted(suits, key=len), self.ranks, strict=True)
        left = tuple(count for suit, ranks in in_order for count in suit[:ranks])
        cards = sum(map(sum, suits))
        useless = cards - sum(left)
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 10 * cards + 1000))
        orders = self._orders(left, useless, self.hand - 1, (START,))
        return orders // prod(factorial(count) for suit in suits for count in suit)

    def _orders(
        self, left: Left, useless: int, to_deal: int, situations: tuple[Situation, ...]
    ) -> int:
        """Count the orders of the cards left that reach the goal from one of these situations."""
        machine = self.machine
        safe, wanted, coming = -1, 0, _kinds(left)
        for _, secured in situations:
            lit = machine.lit[secured]
            if lit.bit_count() >= machine.goal:
                return factorial(sum(left) + useless)
            safe &= lit
            wanted |= machine.lit[secured | coming]
        if machine.cards - safe.bit_count() - 1 <= machine.spare:
            # There is room for all cards but one, so no secured card is ever given up.
            safe = -1
            for _, secured in situations:
                safe &= secured
        if coming & (safe | ~wanted):
            left, useless = _set_aside(left, useless, wanted & ~safe)
        left, situations = self._sort_suits(left, situations)
        key = (left, useless, to_deal, situations)
        orders = self.known.get(key)
        if orders is None:
            orders = self._by_first_card(left, useless, to_deal, situations)
            self.known[key] = orders
            self._report_progress()
        return orders

    def _by_first_card(
        self, left: Left, useless: int, to_deal: int, situations: tuple[Situation, ...]
    ) -> int:
        turns = sum(left) + useless - max(to_deal, 1)
        coming = _kinds(left)
        next_situations = self.machine.after_deal if to_deal else self.machine.after
        to_deal = max(to_deal - 1, 0)
        orders = 0
        if useless:
            found = next_situations(situations, 0, coming, turns)
            if found:
                orders += useless * self._orders(left, useless - 1, to_deal, found)
        for card, copies in enumerate(left):
            if copies:
                bit = 1 << card
                still = coming if copies > 1 else coming ^ bit
                found = next_situations(situations, bit, still, turns)
                if found:
                    rest = (*left[:card], copies - 1, *left[card + 1 :])
                    orders += copies * self._orders(rest, useless, to_deal, found)
        return orders

    def _sort_suits(
        self, left: Left, situations: tuple[Situation, ...]
    ) -> tuple[Left, tuple[Situation, ...]]:
        """Sort suits with the same number of ranks by what is left of them: names do not matter."""
        machine = self.machine
        if len(machine.suits) < 2:
            return left, situations
        blocks = [
            (ranks, left[start : start + ranks], start)
            for (start, _), ranks in zip(machine.suits, self.ranks, strict=True)
        ]
        order = sorted(blocks)
        if order == blocks:
            return left, situations
        renamed = []
        for played, secured in situations:
            place, moved = 0, 0
            for ranks, _, start in order:
                moved |= (secured >> start & (1 << ranks) - 1) << place
                place += ranks
            renamed.append((played, moved))
        return tuple(copies for _, block, _ in order for copies in block), tuple(sorted(renamed))

    def _report_progress(self) -> None:
        """Report progress, and raise if there are more states than allowed."""
        number = len(self.known)
        if self.report is not None and number % REPORT_EVERY == 0:
            self.report(number, "states")
        if number > self.states:
            raise TooManyStatesError(
                f"more than {self.states:,} states (pairs of cards left and situations), about "
                f"{duration(self.states // STATES_PER_SECOND)} of work",
                number,
            )
