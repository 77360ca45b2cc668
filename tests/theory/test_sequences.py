"""Counting with one card in hand: four ways, brute force, and the symmetry."""

from __future__ import annotations

from collections import Counter
from itertools import islice, permutations, product
from math import factorial, gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hanabilab.errors import TheoryError
from hanabilab.papers.aspects import FOURS
from hanabilab.theory import (
    chi,
    chi_by_closed_form,
    chi_by_recurrence,
    chi_by_theorem,
    corollary_3_26,
    psi,
    psi_by_closed_form,
    psi_by_recurrence,
    psi_by_theorem,
    swap_ranks,
    total,
)
from hanabilab.theory.sequences import duration
from tests.theory.reference import all_decks, compositions, contains_in_order


def playable_one_by_one(counts: tuple[int, ...]) -> int:
    decks = ([rank for rank, _ in deck] for deck in all_decks([counts]))
    return sum(contains_in_order(deck, len(counts)) for deck in decks)


@pytest.mark.parametrize("cards", range(13))
def test_all_ways_agree_on_every_composition(cards: int) -> None:
    step = 1 if cards < 12 else 5  # of the 2,048 of twelve cards, every fifth
    for ranks in range(cards + 1):
        for counts in islice(compositions(cards, ranks), 0, None, step):
            found = chi(*counts)
            assert found == chi_by_recurrence(*counts) == chi_by_theorem(*counts), counts
            lost = psi(*counts)
            assert lost == psi_by_recurrence(*counts) == psi_by_theorem(*counts), counts
            assert found + lost == total(*counts)
            if 2 <= ranks <= 4:
                assert found == chi_by_closed_form(*counts), counts
                assert lost == psi_by_closed_form(*counts), counts


@pytest.mark.parametrize("cards", range(8))
def test_against_every_deck(cards: int) -> None:
    for ranks in range(cards + 1):
        for counts in compositions(cards, ranks):
            assert chi(*counts) == playable_one_by_one(counts), counts
            assert total(*counts) == sum(1 for _ in all_decks([counts]))


@pytest.mark.parametrize("ranks", range(1, 5))
def test_counts_of_zero(ranks: int) -> None:
    for cards in range(6):
        for counts in compositions(cards, ranks, least=0):
            expected = playable_one_by_one(counts)
            assert chi(*counts) == chi_by_recurrence(*counts) == expected, counts
            assert chi_by_theorem(*counts) == expected, counts
            assert psi_by_recurrence(*counts) == total(*counts) - expected
            if ranks >= 2:
                assert chi_by_closed_form(*counts) == expected, counts


def test_no_ranks_and_one_rank() -> None:
    assert (total(), chi(), psi()) == (1, 1, 0)
    assert (chi_by_recurrence(), chi_by_theorem()) == (1, 1)
    assert (total(0), chi(0), psi(0)) == (1, 0, 1)
    assert (total(7), chi(7), psi(7)) == (1, 1, 0)


def test_numbers_of_the_papers() -> None:
    assert chi(2, 2, 1) == 11  # Example 3.16
    assert (chi(3, 3, 2), total(3, 3, 2)) == (387, 560)  # Example 3.19
    assert (chi(3, 2, 2, 2, 1), total(3, 2, 2, 2, 1)) == (5934, 75600)  # Result 3.27
    assert psi(*[4] * 13) == FOURS
    assert round(chi(*[4] * 13) / total(*[4] * 13), 6) == 0.000554


def test_the_number_of_aspects_is_prime() -> None:
    """Miller and Rabin with forty bases: a composite number passes with chance 4^-40."""
    odd, twos = FOURS - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in range(2, 42):
        assert gcd(base, FOURS) == 1
        powers = [pow(base, odd << step, FOURS) for step in range(twos)]
        assert powers[0] == 1 or FOURS - 1 in powers


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_symmetric(counts: list[int]) -> None:
    """Lemma 3.21, for the ways to count that do not sort."""
    turned = counts[1:] + counts[:1]
    swapped = [counts[1], counts[0], *counts[2:]]
    expected = chi_by_recurrence(*counts)
    assert chi_by_recurrence(*turned) == chi_by_recurrence(*swapped) == expected
    assert chi(*turned) == chi(*swapped) == expected


@given(st.lists(st.integers(1, 40), max_size=30))
@settings(max_examples=40)
def test_large_counts_make_sense(counts: list[int]) -> None:
    """Beyond brute force: the whole is the sum, and one more card of a rank never hurts."""
    assert 0 <= chi(*counts) <= total(*counts)
    if counts:
        more = [counts[0] + 1, *counts[1:]]
        assert chi(*more) * total(*counts) >= chi(*counts) * total(*more)


@given(st.lists(st.integers(3, 8), min_size=3, max_size=4))
@settings(max_examples=30)
def test_large_counts_by_closed_form(counts: list[int]) -> None:
    assert chi(*(10 * count for count in counts)) == chi_by_closed_form(
        *(10 * count for count in counts)
    )


@pytest.mark.parametrize(("first", "second"), [(1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (2, 2)])
def test_the_swap_is_a_bijection(first: int, second: int) -> None:
    """Onto the decks with the counts of two ranks exchanged; and its own inverse."""
    counts = [2, 1, 1, 2]
    swapped = counts.copy()
    swapped[first - 1], swapped[second - 1] = swapped[second - 1], swapped[first - 1]

    def playable(of: list[int]) -> set[tuple[int, ...]]:
        decks = (tuple(rank for rank, _ in deck) for deck in all_decks([of]))
        return {deck for deck in decks if contains_in_order(deck, 4)}

    images = {tuple(swap_ranks(deck, first, second, 4)) for deck in playable(counts)}
    assert images == playable(swapped)
    for deck in playable(counts):
        assert tuple(swap_ranks(swap_ranks(deck, first, second, 4), first, second, 4)) == deck


@given(st.permutations([1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 5]), st.data())
def test_the_swap_exchanges_the_counts(deck: list[int], data: st.DataObject) -> None:
    if not contains_in_order(deck, 5):
        deck = [1, 2, 3, 4, 5, *deck]
    first, second = data.draw(st.permutations(range(1, 6)))[:2]
    image = swap_ranks(deck, first, second, 5)
    before, after = Counter(deck), Counter(image)
    assert (after[first], after[second]) == (before[second], before[first])
    assert contains_in_order(image, 5)
    assert swap_ranks(image, first, second, 5) == deck


def test_the_swap_of_aspects() -> None:
    deck = [int(rank) for rank in "2413134131321332421421"]
    assert "".join(map(str, swap_ranks(deck, 1, 2, 4))) == "3234232311422331412412"


def test_the_swap_refuses_what_is_not_playable() -> None:
    with pytest.raises(TheoryError, match="does not contain"):
        swap_ranks([2, 1], 1, 2, 2)
    with pytest.raises(TheoryError, match="rank: 3"):
        swap_ranks([1, 2], 1, 3, 2)


Series = dict[tuple[int, ...], int]


def inverse(letters: list[int], degrees: list[tuple[int, ...]]) -> Series:
    """Return 1 / (1 - the sum of these variables), up to the degrees, which are in order."""
    found: Series = {}
    for degree in degrees:
        below = [tuple(d - (i == letter) for i, d in enumerate(degree)) for letter in letters]
        found[degree] = (not any(degree)) + sum(found.get(smaller, 0) for smaller in below)
    return found


def series_product(one: Series, other: Series, degrees: list[tuple[int, ...]]) -> Series:
    """Multiply two power series, up to the degrees."""
    found = dict.fromkeys(degrees, 0)
    for first, a in one.items():
        for second, b in other.items():
            degree = tuple(map(sum, zip(first, second, strict=True)))
            if degree in found:
                found[degree] += a * b
    return found


@pytest.mark.parametrize(("ranks", "most"), [(1, 6), (2, 5), (3, 3), (4, 2)])
def test_the_generating_function_of_lemma_3_21(ranks: int, most: int) -> None:
    """Expand Π z / [(1 - σ) Π (1 - σ + z)]; the coefficients are χ, and symmetric."""
    degrees = sorted(product(range(most + 1), repeat=ranks), key=sum)
    letters = list(range(ranks))
    series = inverse(letters, degrees)
    for missing in letters:
        others = [letter for letter in letters if letter != missing]
        series = series_product(series, inverse(others, degrees), degrees)
    series = series_product(series, {(1,) * ranks: 1}, degrees)
    for degree, coefficient in series.items():
        assert coefficient == series[tuple(sorted(degree))]
        assert coefficient == chi_by_recurrence(*degree) == chi(*degree)
        if sum(degree) <= 7:
            decks = all_decks([degree])
            won = sum(contains_in_order([rank for rank, _ in deck], ranks) for deck in decks)
            assert coefficient == won


def test_corollary_3_26() -> None:
    """Aspects has it right; the thesis' exponent gives other numbers from four ranks on."""
    for ranks in range(1, 12):
        right = factorial(ranks) - 1
        assert corollary_3_26(ranks) == right == psi(*[1] * ranks)
        assert (corollary_3_26(ranks, as_in_thesis=True) == right) == (ranks < 4)
    lost = sum(not contains_in_order(deck, 4) for deck in permutations(range(1, 5)))
    assert lost == corollary_3_26(4) == 23
    assert corollary_3_26(4, as_in_thesis=True) == 55


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([-1], "is not at least 0"),
        ([2.5], "integer"),
        ([True], "integer"),
        ([10**9], "too many"),
    ],
)
def test_refuses_nonsense(counts: list[int], message: str) -> None:
    for count in (total, chi, psi, chi_by_recurrence, chi_by_theorem, chi_by_closed_form):
        with pytest.raises(TheoryError, match=message):
            count(*counts)


def test_a_duration_is_never_nothing() -> None:
    assert [duration(seconds) for seconds in (0, 1, 59)] == ["1 second", "1 second", "59 seconds"]
    assert [duration(seconds) for seconds in (60, 89, 90)] == ["1 minute", "1 minute", "2 minutes"]
    assert duration(10**9) == "1.7e+07 minutes"


def test_refuses_what_would_take_hours() -> None:
    with pytest.raises(TheoryError, match="terms"):
        psi_by_theorem(*[4] * 13)
    with pytest.raises(TheoryError, match="numbers"):
        psi_by_recurrence(*[4] * 13)
    with pytest.raises(TheoryError, match="at most 300 cards"):
        chi_by_recurrence(2000, 2)
    with pytest.raises(TheoryError, match="minutes"):
        chi(*range(100, 250))
    with pytest.raises(TheoryError, match="closed forms"):
        psi_by_closed_form(1, 1, 1, 1, 1)
