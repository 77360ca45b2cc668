"""Section 3 of Aspects: sequences that cannot be played, counted."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, factorial, gcd

from hanabilab import theory
from hanabilab.papers.items import Erratum, Exact, exact

__all__ = ["FOURS", "section_3"]

FOURS = 91973270026324484565579418350194489655582912237019


def section_3() -> Iterator[Exact]:
    """Yield what section 3 counts, and its examples."""
    place = "section 3, the sequences with |y| = 1 for F(2, 3, 1)"
    printed = "(1,0,0) (2,0,0) (0,1,0) (0,2,0) (0,3,0) (0,1,0)"
    right = printed[: -len("(0,1,0)")] + "(0,0,1)"
    yield exact(
        "aspects.3.F231.y",
        place,
        printed,
        _single_entries,
        (2, 3, 1),
        erratum=Erratum(right, "(0, 1, 0) stands there twice; the last one must be (0, 0, 1)"),
    )
    yield exact("aspects.3.F231.multinomial", "section 3, (6 over (0, 2, 0))*", 6, comb, 6, 2 - 1)
    place = "section 3, the theorem's sum and the recurrence agree on F(2, 3, 1)"
    command = "hanabilab count 2 3 1"
    yield exact("aspects.3.F231", place, True, _both_ways, 2, 3, 1, command=command)
    yield exact("aspects.3.F2", "section 3, F(x1, x2) for all up to 6", "1", _all_pairs)
    yield exact("aspects.3.F1", "section 3, F(x1) for x1 > 0", 0, theory.psi, 3)
    yield exact("aspects.3.F100", "section 3, F(1, 0, …, 0) for k = 3", 1, theory.psi, 1, 0, 0)
    yield exact("aspects.3.F000", "section 3, F(0, 0, …, 0)", 1, theory.psi, 0, 0, 0)
    for ranks in range(2, 8):
        place = f"section 3, F(1, …, 1) for k = {ranks}, and its sum"
        printed_number = factorial(ranks) - 1
        id, command = f"aspects.3.ones.{ranks}", f"hanabilab count {' '.join('1' * ranks)}"
        yield exact(id, place, printed_number, theory.corollary_3_26, ranks, command=command)
    place, command = "section 3, F(4, …, 4), 13 fours", f"hanabilab count {' '.join('4' * 13)}"
    yield exact("aspects.3.fours", place, FOURS, theory.psi, *[4] * 13, command=command)
    yield exact("aspects.3.prime", "section 3, F(4, …, 4) is a prime", True, _is_prime)
    place = "section 3, ace to king in a shuffled pack"
    yield exact("aspects.3.pack", place, "0.000554", _pack, command=command)
    place = "section 3, the bijection's example"
    yield exact("aspects.3.swap", place, "3234232311422331412412", _swap)


def _single_entries(counts: tuple[int, ...]) -> str:
    """Return all y below these counts with one nonzero entry, in the order of the text."""
    below = product(*(range(count + 1) for count in counts))
    found = [y for y in below if sum(entry > 0 for entry in y) == 1]
    found.sort(key=lambda y: [entry == 0 for entry in y])
    return " ".join(f"({','.join(map(str, y))})" for y in found)


def _both_ways(*counts: int) -> bool:
    return theory.psi_by_theorem(*counts) == theory.psi_by_recurrence(*counts) == 34


def _all_pairs() -> str:
    values = {theory.psi(x, y) for x in range(1, 7) for y in range(1, 7)}
    return " ".join(map(str, sorted(values)))


def _is_prime() -> bool:
    """Run Miller and Rabin's test; a composite number passes with a chance of 4^-40."""
    number = theory.psi(*[4] * 13)
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in range(2, 42):
        powers = [pow(base, odd << step, number) for step in range(twos)]
        if gcd(base, number) > 1 or (powers[0] != 1 and number - 1 not in powers):
            return False
    return True


def _pack() -> Fraction:
    return 1 - Fraction(theory.psi(*[4] * 13), theory.total(*[4] * 13))


def _swap() -> str:
    deck = [int(rank) for rank in "2413134131321332421421"]
    return "".join(map(str, theory.swap_ranks(deck, 1, 2, 4)))
