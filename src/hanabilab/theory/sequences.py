"""Count the decks of one suit that a player with one card in hand can win.

The deck holds x1 cards of rank 1, x2 of rank 2, … xk of rank k, N in all. With one card in hand
each card is played or discarded at once, so a deck is won if it contains 1, 2, …, k as a
subsequence *(van den Bergh 2015, Theorem 3.13.2)*. Of the T decks, χ are playable and ψ = F are not
(Notation 3.15; F in van den Bergh, Kosters, Spieksma 2016).

The module computes these numbers in four ways: by recurrence, by the sum of the theorem, by closed
forms for up to four ranks, and by a product of polynomials, which the other modules use.

Conventions where the papers are silent: with no ranks at all there is one deck, the empty one, and
it is won (T = χ = 1); if a rank has no cards, nothing is won (χ = 0).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, combinations, product
from math import comb, factorial, prod

from hanabilab.checks import check_integer
from hanabilab.errors import TheoryError

__all__ = [
    "Report",
    "approximate",
    "check_counts",
    "check_hand",
    "chi",
    "chi_by_closed_form",
    "chi_by_recurrence",
    "chi_by_theorem",
    "corollary_3_26",
    "duration",
    "products_of",
    "psi",
    "psi_by_closed_form",
    "psi_by_recurrence",
    "psi_by_theorem",
    "reject_long",
    "swap_ranks",
    "total",
]

Report = Callable[[int, str], None]
"""Called from time to time with the amount of work done and its unit."""

MAX_CARDS = 50_000
"""Cards in a deck; beyond this even counting all decks takes long."""

MAX_TERMS = 20_000_000
"""Limit on terms in the sum of the theorem, and on numbers that the recurrence needs."""

MAX_DEPTH = 300
"""Limit on cards that the recurrence removes one by one, with one call each."""

WORK_PER_SECOND = 300_000_000
MAX_WORK = 120 * WORK_PER_SECOND
"""Limit on cards times products of coefficients in `chi`: about two minutes."""

REPORT_EVERY = 100


def check_counts(counts: Sequence[int]) -> tuple[int, ...]:
    """Return the number of cards of each rank, or raise if the counts are invalid."""
    checked = tuple(
        check_integer(f"count of rank {rank}", count, 0, error=TheoryError)
        for rank, count in enumerate(counts, 1)
    )
    if sum(checked) > MAX_CARDS:
        raise TheoryError(f"{sum(checked):,} cards are too many; at most {MAX_CARDS:,} are allowed")
    return checked


def check_hand(hand: int) -> None:
    """Raise if a hand size is not an integer of at least 1."""
    check_integer("hand", hand, 1, error=TheoryError)


def total(*counts: int) -> int:
    """Return T: the number of decks with these counts of each rank (Equation 3.4.1)."""
    counts = check_counts(counts)
    return factorial(sum(counts)) // prod(map(factorial, counts))


def chi(*counts: int, report: Report | None = None) -> int:
    """Return χ: how many decks are won with one card in hand, even for thousands of cards.

    Theorem 3.25 in generating functions. Write E_x(z) for Σ z^j / j! over 0 ≤ j < x. The terms of
    the theorem with l nonzero entries are (-1)^l N! [z^N] of e^((k-l-1)z) times the sum of all
    products of l of the E's. Summed over *all* l from 0 to k they are N! [z^N] of
    e^(-z) Π (e^z - E_xi(z)), and as e^z - E_x(z) begins with z^x / x!, that is N! / Π xi! = T.
    The theorem takes ψ from l ≤ k - 2, so χ = T - ψ is the two terms that it leaves out. The one
    for l = k - 1 has e^0 and a product of degree below N: nothing. What remains is

        χ(x1, …, xk) = (-1)^k N! [z^N] e^(-z) E_x1(z) ⋯ E_xk(z),

    one product of k polynomials instead of a sum over all y ≺ x. It holds for k = 0 and k = 1 and
    for counts of 0 as well (E_0 = 0).
    """
    counts = check_counts(counts)
    cards, ranks = sum(counts), len(counts)
    if 0 in counts:
        return 0
    reject_long(products_of(counts), cards)
    product_of_all = [1]
    for count, times in sorted(Counter(counts).items()):
        product_of_all = _product(product_of_all, _power(count, times, report), report)
    signed, ways = 0, 1  # ways is N! / (s! (N - s)!)
    for s, coefficient in enumerate(product_of_all):
        signed += (-1) ** (ranks + cards - s) * ways * coefficient
        ways = ways * (cards - s) // (s + 1)
    return signed


def _power(count: int, times: int, report: Report | None) -> list[int]:
    """Return the coefficients of E_count(z)^times, each multiplied by s! for z^s: integers.

    P = E^t satisfies P' E = t E' P, which gives each coefficient from the ones before.
    """
    result = [1]
    for s in range(1, times * (count - 1) + 1):
        term, ways = 0, 1
        for j in range(1, min(s, count - 1) + 1):
            ways = ways * (s - j + 1) // j
            term += (times * j - s + j) * ways * result[s - j]
        result.append(term // s)
        _report_progress(report, s)
    return result


def _product(left: list[int], right: list[int], report: Report | None) -> list[int]:
    """Return the product of two polynomials in this form."""
    if len(left) < len(right):
        left, right = right, left
    result = []
    for s in range(len(left) + len(right) - 1):
        low = max(0, s - len(left) + 1)
        term, ways = 0, comb(s, low)
        for j in range(low, min(s + 1, len(right))):
            term += ways * right[j] * left[s - j]
            ways = ways * (s - j) // (j + 1)
        result.append(term)
        _report_progress(report, s)
    return result


def _report_progress(report: Report | None, coefficients: int) -> None:
    if report is not None and coefficients % REPORT_EVERY == 0:
        report(coefficients, "coefficients")


def products_of(counts: Sequence[int]) -> int:
    """Estimate the number of products of coefficients that `chi` needs."""
    products, degree = 0, 0
    for count, times in sorted(Counter(counts).items()):
        products += times * count * (count + degree)
        degree += times * (count - 1)
    return products


def reject_long(products: int, cards: int) -> None:
    """Raise if this number of products of integers as long as a deck would take minutes."""
    if products * cards > MAX_WORK:
        raise TheoryError(
            f"{cards:,} cards are too many: about {approximate(products)} products of long "
            f"integers, an estimated {duration(products * cards // WORK_PER_SECOND)}"
        )


def psi(*counts: int) -> int:
    """Return ψ = F: how many decks are lost with one card in hand."""
    return total(*counts) - chi(*counts)


def chi_by_recurrence(*counts: int) -> int:
    """Return χ by the first card of the deck (Lemma 3.22)."""
    counts = check_counts(counts)
    _reject_deep(counts)
    return _chi_recurrence(counts)


@cache
def _chi_recurrence(counts: tuple[int, ...]) -> int:
    if not counts:
        return 1
    if 0 in counts:
        return 0
    cards, (first, *rest) = sum(counts), counts
    starting_with_1 = comb(cards - 1, first - 1) * _chi_recurrence(tuple(rest))
    return starting_with_1 + sum(_chi_recurrence(less) for less in _one_card_less(counts))


def psi_by_recurrence(*counts: int) -> int:
    """Return ψ by the first card of the deck (Corollary 3.23)."""
    counts = check_counts(counts)
    _reject_deep(counts)
    return _psi_recurrence(counts)


@cache
def _psi_recurrence(counts: tuple[int, ...]) -> int:
    if not counts:
        return 0
    if 0 in counts:
        return total(*counts)
    cards, (first, *rest) = sum(counts), counts
    starting_with_1 = comb(cards - 1, first - 1) * _psi_recurrence(tuple(rest))
    return starting_with_1 + sum(_psi_recurrence(less) for less in _one_card_less(counts))


def _one_card_less(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the counts with one card less of rank 2, 3, … k; none of them is 0 here."""
    return [
        (*counts[:place], counts[place] - 1, *counts[place + 1 :])
        for place in range(1, len(counts))
    ]


def psi_by_theorem(*counts: int) -> int:
    """Return ψ by the sum over all y ≺ x, term by term (Theorem 3.25; F in Aspects, section 3).

    The theorem is for two ranks or more. With fewer, ψ is 0 except for one rank without cards.
    """
    counts = check_counts(counts)
    ranks, cards = len(counts), sum(counts)
    if ranks < 2:
        return int(counts == (0,))
    _reject_many(prod(count + 1 for count in counts), "terms")
    result = 0
    for y in product(*(range(count + 1) for count in counts)):
        size = ranks - y.count(0)
        if size <= ranks - 2:
            below = [entry - 1 for entry in y if entry]
            rest = cards - sum(below)
            ways = factorial(cards) // prod(map(factorial, below), start=factorial(rest))
            result += (-1) ** size * ways * (ranks - size - 1) ** rest
    return result


def chi_by_theorem(*counts: int) -> int:
    """Return χ by the sum of Theorem 3.25."""
    return total(*counts) - psi_by_theorem(*counts)


def psi_by_closed_form(*counts: int) -> int:
    """Return ψ by the formulas for two, three and four ranks (Theorems 3.17, 3.18, 3.24)."""
    counts = check_counts(counts)
    cards = sum(counts)
    if len(counts) == 2:
        return 1
    if len(counts) == 3:
        return int(2**cards - sum(comb(cards, i) for count in counts for i in range(count)))
    if len(counts) == 4:
        singles = sum(comb(cards, i) * 2 ** (cards - i) for count in counts for i in range(count))
        pairs = sum(
            comb(cards, i) * comb(cards - i, j)
            for first, second in combinations(counts, 2)
            for i in range(first)
            for j in range(second)
        )
        return int(3**cards - singles + pairs)
    raise TheoryError(f"{len(counts)} ranks: there are closed forms for 2, 3 and 4 ranks")


def chi_by_closed_form(*counts: int) -> int:
    """Return χ by the formulas for two, three and four ranks (Theorems 3.17, 3.18, 3.24)."""
    return total(*counts) - psi_by_closed_form(*counts)


def corollary_3_26(ranks: int, *, as_in_thesis: bool = False) -> int:
    """Return the left side of Corollary 3.26, which should be k! - 1 = F(1, …, 1).

    In the theorem all (y_i ∸ 1) are 0 here, so the exponent is N = k, as Aspects prints it. The
    thesis prints k - l, which is wrong from k = 4 on.
    """
    ranks = check_integer("ranks", ranks, 0, MAX_CARDS, error=TheoryError)
    return sum(
        (-1) ** size
        * comb(ranks, size)
        * (ranks - size - 1) ** (ranks - size if as_in_thesis else ranks)
        for size in range(ranks - 1)
    )


def swap_ranks(sequence: Sequence[int], first: int, second: int, ranks: int) -> list[int]:
    """Apply the bijection that proves χ symmetric (Lemma 3.21; Aspects, section 3).

    A playable deck is s1 1 s2 2 … sk k rest, where s1 ends before the first 1, s2 before the first
    2 after that, and so on. The parts s_first and s_second change places, and in all parts the two
    ranks are exchanged; the 1, 2, …, k between the parts stay. The map is its own inverse.
    """
    for rank in (first, second):
        check_integer("rank", rank, 1, ranks, error=TheoryError)
    parts: list[list[int]] = [[]]
    for rank in sequence:
        if len(parts) <= ranks and rank == len(parts):
            parts.append([])
        else:
            parts[-1].append(rank)
    if len(parts) <= ranks:
        raise TheoryError(f"this sequence does not contain 1 to {ranks} in order")
    other = {first: second, second: first}
    parts = [[other.get(rank, rank) for rank in part] for part in parts]
    parts[first - 1], parts[second - 1] = parts[second - 1], parts[first - 1]
    ends = accumulate([1] * ranks)  # the 1, 2, …, k that stay
    result = [rank for part, end in zip(parts, ends, strict=False) for rank in (*part, end)]
    return result + parts[ranks]


def approximate(number: int) -> str:
    """Return an integer of any size rounded to a few digits."""
    if number < 10**15:
        return f"{number:,}" if number < 10**6 else f"{number:.1e}"
    return f"1e{number.bit_length() * 30103 // 100_000}"


def duration(seconds: int) -> str:
    """Format an estimated time in minutes, or in seconds if it is less than one minute."""
    if seconds < 60:
        number, unit = max(1, seconds), "second"
    else:
        number, unit = (seconds + 30) // 60, "minute"
    return f"{approximate(number)} {unit}{'s' if number > 1 else ''}"


def _reject_many(number: int, what: str) -> None:
    if number > MAX_TERMS:
        raise TheoryError(
            f"that would take {approximate(number)} {what}; at most {approximate(MAX_TERMS)}"
        )


def _reject_deep(counts: tuple[int, ...]) -> None:
    _reject_many(prod(count + 1 for count in counts), "numbers")
    if sum(counts) > MAX_DEPTH:
        raise TheoryError(f"the recurrence is for at most {MAX_DEPTH} cards, not {sum(counts):,}")
