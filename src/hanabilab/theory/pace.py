"""Pace: how many turns can still be wasted, and how often a deck wastes them all by itself.

*(Keßler 2025, section 5.1.1)* A team that still has to play more cards than there are turns has
lost. Cut a deck where some cards remain in the draw pile: a card of which all copies are among them
cannot have been played, nor any higher rank of its suit. So at each cut a deck allows a highest
pace, whatever the players do; if that is negative anywhere, the deck cannot be won.

All probabilities are exact fractions over all shuffled decks. The cuts of a deck are not
independent, so their probabilities do not add up; see `loss_by_cut` for the method.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, factorial, perm

from hanabilab.checks import check_integer
from hanabilab.errors import TheoryError
from hanabilab.theory.playability import Card
from hanabilab.theory.sequences import Report, approximate, duration

__all__ = [
    "CLASSIC",
    "Cut",
    "CutChance",
    "DeckPace",
    "PaceGame",
    "PaceLosses",
    "blocked_piles",
    "cut_chances",
    "forced_pace",
    "loss_bounds",
    "loss_by_cut",
    "loss_chance",
    "pace",
    "pace_chances",
    "pace_losses",
    "ratio",
    "selections",
    "selections_one_by_one",
]

CLASSIC = ((3, 2, 2, 2, 1),) * 5
"""The copies of each rank, suit by suit."""

MAX_SELECTIONS = 10_000_000
MAX_PRODUCTS = 5_000_000
"""Limit on products of coefficients for the probabilities of all cuts: a few seconds."""
MAX_CLOSINGS = 100_000_000
"""Limit on ways to close a rank, over all states, for the exact probability."""
CLOSINGS_PER_SECOND = 6_000_000
REPORT_EVERY = 1_000
_State = tuple[tuple[int, ...], int]
"""(for each suit the ranks below the blocked ones, blank places)"""
_Groups = list[tuple[tuple[int, ...], int]]
"""Adjacent suits with equal copies: the copies, and the number of suits."""


def pace(players: int, draw_pile: int, to_play: int) -> int:
    """Return the pace of a state: players + cards in the draw pile - cards still to be played.

    *(Keßler 2025, Definition 5.2)* A state with negative pace is lost (Corollary 5.3).
    """
    return players + draw_pile - to_play


@dataclass(frozen=True, slots=True)
class PaceGame:
    """The parameters of a game that its pace depends on."""

    players: int
    hand: int
    suits: tuple[tuple[int, ...], ...] = CLASSIC
    """The copies of each rank, suit by suit."""

    def __post_init__(self) -> None:
        check_integer("players", self.players, 1, error=TheoryError)
        check_integer("hand", self.hand, 1, error=TheoryError)
        for copies in self.suits:
            for rank, count in enumerate(copies, 1):
                check_integer(f"copies of rank {rank}", count, 1, error=TheoryError)
        if self.players * self.hand > self.cards:
            raise TheoryError(
                f"{self.players} hands of {self.hand} cards need more than {self.cards} cards"
            )

    @property
    def cards(self) -> int:
        """Cards in the deck."""
        return sum(map(sum, self.suits))

    @property
    def to_play(self) -> int:
        """Cards to play in total."""
        return sum(map(len, self.suits))

    @property
    def draw_pile(self) -> int:
        """Cards in the draw pile after the deal: the largest cut."""
        return self.cards - self.players * self.hand


@dataclass(frozen=True, slots=True)
class Cut:
    """The pace that a deck forces when some of its cards remain in the draw pile."""

    remaining: int
    blocked: int
    """cards that cannot have been played yet"""
    pace: int
    """no state at this cut has a higher pace"""


@dataclass(frozen=True, slots=True)
class DeckPace:
    """The pace that a deck forces at every cut, from an empty draw pile to the deal."""

    game: PaceGame
    cuts: tuple[Cut, ...]

    @classmethod
    def of(cls, deck: Sequence[Card], game: PaceGame) -> DeckPace:
        """Return the pace of a deck; see `forced_pace`."""
        return cls(game, tuple(forced_pace(deck, game)))

    @property
    def lowest(self) -> Cut:
        """The first of the cuts with the lowest pace."""
        return min(self.cuts, key=lambda cut: cut.pace)

    @property
    def is_lost(self) -> bool:
        """Whether the deck cannot be won for lack of turns."""
        return self.lowest.pace < 0

    def to_dict(self) -> dict[str, object]:
        """Return the pace as plain data."""
        cuts = [asdict(cut) for cut in self.cuts]
        return {"players": self.game.players, "cuts": cuts, "lost": self.is_lost}


def forced_pace(deck: Sequence[Card], game: PaceGame) -> list[Cut]:
    """Return the pace that a deck forces at every cut, from an empty draw pile to the deal.

    Cards are (rank, suit), ranks from 1 and suits from 0.
    """
    _check_game(game)
    held = Counter(
        {
            (rank, suit): count
            for suit, copies in enumerate(game.suits)
            for rank, count in enumerate(copies, 1)
        }
    )
    if Counter(deck) != held:
        raise TheoryError("the deck does not have the copies of the game")
    lowest = [len(copies) for copies in game.suits]  # ranks below the lowest blocked one
    cuts = [Cut(0, 0, game.players)]
    for remaining in range(1, game.draw_pile + 1):
        rank, suit = deck[-remaining]
        held[rank, suit] -= 1
        if not held[rank, suit]:
            lowest[suit] = min(lowest[suit], rank - 1)
        blocked = game.to_play - sum(lowest)
        cuts.append(Cut(remaining, blocked, pace(game.players, remaining, blocked)))
    return cuts


def selections(n: int, k: int, pairs: int, triples: int) -> int:
    """Return S(n, k, r, s): the ways to choose k of n things, but no whole pair or triple.

    There are r pairs and s triples, all disjoint (Theorem 5.5). Definition 5.4 as printed has lost
    its "not".
    """
    _check_selections(n, k, pairs, triples)
    return sum(
        (-1) ** (mu + nu)
        * comb(pairs, mu)
        * comb(triples, nu)
        * comb(n - 2 * mu - 3 * nu, k - 2 * mu - 3 * nu)
        for mu in range(pairs + 1)
        for nu in range(triples + 1)
        if 2 * mu + 3 * nu <= k
    )


def selections_one_by_one(n: int, k: int, pairs: int, triples: int) -> int:
    """Return S(n, k, r, s) by looking at every selection (Definition 5.4)."""
    _check_selections(n, k, pairs, triples)
    if comb(n, k) > MAX_SELECTIONS:
        raise TheoryError(f"{comb(n, k):.1e} selections are too many to look at each of them")
    exempt = [{2 * i, 2 * i + 1} for i in range(pairs)]
    exempt += [{i, i + 1, i + 2} for i in range(2 * pairs, 2 * pairs + 3 * triples, 3)]
    chosen = map(set, combinations(range(n), k))
    return sum(not any(subset <= selection for subset in exempt) for selection in chosen)


def _check_selections(n: int, k: int, pairs: int, triples: int) -> None:
    if min(n, k, pairs, triples) < 0 or k > n or 2 * pairs + 3 * triples > n:
        raise TheoryError(f"S({n}, {k}, {pairs}, {triples}) is not defined")


@cache
def blocked_piles(suits: tuple[tuple[int, ...], ...]) -> list[list[int]]:
    """Return [b][r]: how many sets of r cards in the draw pile block exactly b cards.

    Each suit is a polynomial in the number of cards. A suit is blocked from its lowest rank of
    which all copies are in the pile: each rank below it must have a copy elsewhere, ranks above are
    free.
    """
    _reject_many_cards(suits)
    piles = [[1]]
    for copies in suits:
        longer = [[0] * (len(piles[0]) + sum(copies)) for _ in range(len(piles) + len(copies))]
        for blocked, ways in enumerate(_blocked_in_suit(copies)):
            for before, earlier in enumerate(piles):
                for r, number in enumerate(_polynomial_product(earlier, ways)):
                    longer[before + blocked][r] += number
        piles = longer
    return piles


def _reject_many_cards(suits: Sequence[Sequence[int]]) -> None:
    """Raise if the polynomials would take more than a few seconds."""
    products = cards = ranks = 0
    for copies in suits:
        products += len(copies) * sum(copies) * (sum(copies) + ranks * cards)
        cards, ranks = cards + sum(copies), ranks + len(copies)
    if products > MAX_PRODUCTS:
        raise TheoryError(
            f"{cards:,} cards are too many: about {products:.1e} products of coefficients"
        )


def _blocked_in_suit(copies: Sequence[int]) -> list[list[int]]:
    """Return [b][r] for a single suit; see `blocked_piles`."""
    ranks = len(copies)
    found = []
    for blocked in range(ranks + 1):
        ways = [1]
        for count in copies[: ranks - blocked]:
            ways = _polynomial_product(ways, [comb(count, j) for j in range(count)])
        if blocked:
            ways = [0] * copies[ranks - blocked] + ways
        above = sum(copies[ranks - blocked + 1 :]) if blocked else 0
        found.append(_polynomial_product(ways, [comb(above, j) for j in range(above + 1)]))
    return found


def _polynomial_product(left: Sequence[int], right: Sequence[int]) -> list[int]:
    result = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            result[i + j] += a * b
    return result


@dataclass(frozen=True, slots=True)
class CutChance:
    """The probability that a shuffled deck forces a negative pace, or pace 0, at one cut."""

    remaining: int
    negative: Fraction
    zero: Fraction

    def to_dict(self) -> dict[str, object]:
        """Return the chances as plain data, each as a ratio and as a decimal."""
        return {
            "remaining": self.remaining,
            "negative": ratio(self.negative),
            "negative_decimal": float(self.negative),
            "zero": ratio(self.zero),
            "zero_decimal": float(self.zero),
        }


def ratio(chance: Fraction) -> str:
    """Return a fraction as text, always with its denominator: ``0/1``."""
    return f"{chance.numerator}/{chance.denominator}"


def pace_chances(game: PaceGame, remaining: int) -> dict[int, Fraction]:
    """Return the probability of each forced pace at one cut, lowest pace last."""
    _check_game(game)
    remaining = check_integer("cut", remaining, 0, game.draw_pile, error=TheoryError)
    return {
        pace(game.players, remaining, blocked): Fraction(
            ways[remaining], comb(game.cards, remaining)
        )
        for blocked, ways in enumerate(blocked_piles(game.suits))
        if ways[remaining]
    }


def cut_chances(game: PaceGame) -> list[CutChance]:
    """Return for each cut the probabilities that the forced pace is below 0, and that it is 0."""
    _check_game(game)
    chances = []
    for remaining in range(game.draw_pile + 1):
        at = pace_chances(game, remaining)
        negative = sum((chance for forced, chance in at.items() if forced < 0), Fraction(0))
        chances.append(CutChance(remaining, negative, at.get(0, Fraction(0))))
    return chances


@dataclass(frozen=True, slots=True)
class PaceLosses:
    """The probability that a shuffled deck is lost on pace, at each cut and at any cut."""

    game: PaceGame
    cuts: tuple[CutChance, ...]
    lost: Fraction | None
    """The probability of a loss at some cut; None if it is too expensive to compute."""
    bounds: tuple[Fraction, Fraction]
    """Bounds of that probability."""

    def to_dict(self) -> dict[str, object]:
        """Return the chances as plain data."""
        return {
            "players": self.game.players,
            "hand": self.game.hand,
            "cuts": [cut.to_dict() for cut in self.cuts],
            "lost": None if self.lost is None else ratio(self.lost),
            "lost_decimal": None if self.lost is None else float(self.lost),
            "lost_bounds": [ratio(bound) for bound in self.bounds],
        }


def _check_game(game: PaceGame) -> None:
    """Raise if the argument is something else, such as `Rules`, which has other attributes."""
    if not isinstance(game, PaceGame):
        raise TheoryError(
            f"game must be a PaceGame, not {type(game).__name__}: "
            "PaceGame(players, hand, copies of each rank, suit by suit)"
        )


def pace_losses(game: PaceGame, report: Report | None = None) -> PaceLosses:
    """Return how likely a shuffled deck is lost on pace, exactly or else within bounds."""
    _check_game(game)
    try:
        lost = loss_chance(game, report=report)
    except TheoryError:  # too large
        lost = None
    cuts = cut_chances(game)
    return PaceLosses(game, tuple(cuts), lost, _bounds(cuts))


def loss_bounds(game: PaceGame) -> tuple[Fraction, Fraction]:
    """Return bounds of `loss_chance`: the most likely cut, and the sum over all cuts."""
    return _bounds(cut_chances(game))


def _bounds(cuts: Sequence[CutChance]) -> tuple[Fraction, Fraction]:
    negative = [cut.negative for cut in cuts]
    return max(negative), min(Fraction(1), sum(negative, Fraction(0)))


def loss_chance(game: PaceGame, *, below: int = 0, report: Report | None = None) -> Fraction:
    """Return the probability that a shuffled deck forces a pace below `below` at some cut."""
    return sum(loss_by_cut(game, below=below, report=report).values(), Fraction(0))


def loss_by_cut(
    game: PaceGame, *, below: int = 0, report: Report | None = None
) -> dict[int, Fraction]:
    """Return the probability that the pace is below `below` for the first time at each cut.

    Decks are followed from the last card backwards without enumerating them. A card is *closing* if
    it is the last missing copy of a rank below all blocked ranks of its suit, so that more cards
    become blocked. Only closing cards are examined when they come; all others stay blank until one
    of these events places them:

    * A rank with x copies closes: the closing copy is one of x, and the x - 1 others are at blank
      positions before it, with b blanks in b (b - 1) ⋯ (b - x + 2) ways.
    * A rank no longer matters, because a lower one closed or the deck is already lost: until then
      it must not have closed. That is everything but the ways to have all copies at blank
      positions: 1 - b (b - 1) ⋯ (b - x + 1).

    In the end the unplaced cards fill the blank positions and the rest of the deck in any order. So
    the state is the number of ranks below the blocked ones in each suit, and b.
    """
    _check_game(game)
    if pace(game.players, 0, 0) < below:
        return {0: Fraction(1)}
    groups = [(copies, game.suits.count(copies)) for copies in sorted(set(game.suits))]
    _reject_large(game, groups)
    suits = [copies for copies, times in groups for _ in range(times)]
    layer: dict[_State, int] = {(tuple(map(len, suits)), 0): 1}
    closings: dict[_State, list[tuple[_State, int]]] = {}
    lost: dict[int, Fraction] = {}
    for remaining in range(1, min(game.draw_pile, game.to_play - game.players + below) + 1):
        following: Counter[_State] = Counter()
        for state, ways in layer.items():
            following[state[0], state[1] + 1] += ways
            if state not in closings:
                closings[state] = _closings(suits, groups, *state)
                if report is not None and len(closings) % REPORT_EVERY == 0:
                    report(len(closings), f"states, {remaining} cards remaining")
            for closed, number in closings[state]:
                following[closed] += ways * number
        layer, orders = {}, 0
        for (lowest, blanks), ways in following.items():
            if pace(game.players, remaining, game.to_play - sum(lowest)) >= below:
                layer[lowest, blanks] = ways
            else:
                orders += ways * _orders(suits, lowest, blanks, game.cards - remaining)
        lost[remaining] = Fraction(orders, factorial(game.cards))
    return lost


def _orders(
    suits: Sequence[tuple[int, ...]], lowest: tuple[int, ...], blanks: int, rest: int
) -> int:
    """Count the ways to fill the blank positions and the rest of the deck."""
    open_ranks = [
        count for copies, ranks in zip(suits, lowest, strict=True) for count in copies[:ranks]
    ]
    return sum(
        number * factorial(rest + still_blank)
        for still_blank, number in _not_closed(tuple(open_ranks), blanks)
    )


def _closings(
    suits: Sequence[tuple[int, ...]], groups: _Groups, lowest: tuple[int, ...], blanks: int
) -> list[tuple[_State, int]]:
    """Return the states that a closing card leads to, each with a number of ways."""
    found: list[tuple[_State, int]] = []
    for suit, (copies, ranks) in enumerate(zip(suits, lowest, strict=True)):
        for rank in range(ranks):
            others = copies[rank] - 1
            if others <= blanks:
                closed = _sorted_groups(groups, (*lowest[:suit], rank, *lowest[suit + 1 :]))
                ways = copies[rank] * perm(blanks, others)
                for left, number in _not_closed(copies[rank + 1 : ranks], blanks - others):
                    found.append(((closed, left), ways * number))
    return found


def _sorted_groups(groups: _Groups, lowest: tuple[int, ...]) -> tuple[int, ...]:
    """Sort equal suits in ascending order, because they are interchangeable."""
    found: list[int] = []
    for _, times in groups:
        found += sorted(lowest[len(found) : len(found) + times])
    return tuple(found)


@cache
def _not_closed(copies: tuple[int, ...], blanks: int) -> tuple[tuple[int, int], ...]:
    """Return (blanks left, signed number of ways) if ranks with these copies are not closed."""
    ways = {blanks: 1}
    for count in copies:
        for left, number in list(ways.items()):
            if count <= left:
                ways[left - count] = ways.get(left - count, 0) - number * perm(left, count)
    return tuple(ways.items())


def _reject_large(game: PaceGame, groups: _Groups) -> None:
    """Raise if the computation would take minutes."""
    states = min(game.draw_pile, game.to_play) ** 2 // 2
    closings = 0
    for copies, times in groups:
        states *= comb(len(copies) + times, times)
        above = (sum(copies[rank + 1 :]) for rank in range(len(copies)))
        closings += times * sum(1 + min(cards, game.draw_pile) for cards in above)
    if states * closings > MAX_CLOSINGS:
        raise TheoryError(
            f"the chance of a loss at some cut would need about {approximate(states)} states, an "
            f"estimated {duration(states * closings // CLOSINGS_PER_SECOND)}"
        )
