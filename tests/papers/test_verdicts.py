"""Verdicts follow from numbers alone, and are never kinder than they say."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabilab.lab.tally import Tally
from hanabilab.papers.kessler import Count
from hanabilab.papers.runner import Runner
from hanabilab.papers.verdicts import (
    half_unit,
    judge_average,
    judge_exact,
    judge_extreme,
    judge_lead,
    protocol_error,
)

FINITE = st.floats(-100, 100, allow_nan=False)
ERRORS = st.floats(0, 10, allow_nan=False)


def tally_of(scores: list[list[int]], max_score: int = 25) -> Tally:
    """Return the tally of a list of scores for each deck."""
    rows = [[score, 60, 0, 3] for deck in scores for score in deck]
    return Tally.of(rows, max_score, repeats=len(scores[0]))


def test_exact_numbers_may_be_rounded_to_the_printed_digit() -> None:
    assert judge_exact("0.3755", Fraction(37545, 100_000)) == "exact"
    assert judge_exact("0.3755", Fraction(28384, 75600)) == "differs"
    assert judge_exact("0.69", Fraction(387, 560)) == "exact"
    assert judge_exact(387, 387) == "exact"
    assert judge_exact(387, 388) == "differs"
    assert judge_exact("4.34e-6", Fraction(1, 23030)) == "differs"
    assert judge_exact("4.34e-5", Fraction(1, 23030)) == "exact"
    assert judge_exact("yes", "no") == "differs"
    assert judge_exact(True, True) == "exact"


def test_half_a_unit() -> None:
    assert half_unit("15.4") == Fraction(1, 20)
    assert half_unit("15.4075") == Fraction(1, 20_000)
    assert half_unit("14") == half_unit(14) == 0


@given(printed=FINITE, got=FINITE, ours=ERRORS, paper_stderr=ERRORS)
def test_averages(printed: float, got: float, ours: float, paper_stderr: float) -> None:
    verdict = judge_average(printed, 0.0, got, ours, paper_stderr)
    apart = abs(got - printed)
    within = apart <= 3 * math.hypot(ours, paper_stderr)
    near = apart <= 0.02 * abs(printed)
    assert verdict == ("agrees" if within else "close" if near else "differs")


@given(printed=FINITE, got=FINITE, error=ERRORS, more=ERRORS)
def test_a_larger_error_is_never_stricter(
    printed: float, got: float, error: float, more: float
) -> None:
    kindness = {"agrees": 2, "close": 1, "differs": 0}
    one = judge_average(printed, 0.0, got, error)
    other = judge_average(printed, 0.0, got, error + more)
    assert kindness[other] >= kindness[one]


def test_rounding_is_allowed_for() -> None:
    assert judge_average(15.4, 0.05, 15.449, 0.0) == "agrees"
    assert judge_average(15.4, 0.05, 15.46, 0.001) == "close"
    assert judge_average(0.0, 0.00005, 0.1, 0.01) == "differs"
    assert judge_average(15.4, 0.05, math.nan, 0.1) == "differs"


def test_leads() -> None:
    assert judge_lead(0.1, 0.0) == judge_lead(2.0, 1.0) == "agrees"
    assert judge_lead(1.9, 1.0) == judge_lead(-2.9, 1.0) == judge_lead(0.0, 0.0) == "undecided"
    assert judge_lead(-3.0, 1.0) == judge_lead(-0.1, 0.0) == "differs"


@given(value=FINITE, stderr=ERRORS)
def test_a_statement_and_its_contrary_never_both_agree(value: float, stderr: float) -> None:
    verdicts = [judge_lead(value, stderr), judge_lead(-value, stderr)]
    assert verdicts.count("agrees") <= 1
    if abs(value) < 2 * stderr:
        assert verdicts == ["undecided", "undecided"]


@pytest.mark.parametrize("repeats", [2, 5])
def test_the_papers_own_error_is_worked_out_from_decks_and_repeats(repeats: int) -> None:
    """Decks of standard deviation 3, games on one deck of 2: sqrt((9 + 4/10) / 10000)."""
    chance = random.Random(repeats)
    decks = []
    for _ in range(4000):
        deck = chance.gauss(12, 3)
        decks.append([round(min(25, max(0, chance.gauss(deck, 2)))) for _ in range(repeats)])
    expected = math.sqrt((9 + 4 / 10) / 10_000)
    assert protocol_error(tally_of(decks), 10_000, 10) == pytest.approx(expected, rel=0.06)


def test_without_repeats_all_variance_is_taken_for_the_decks() -> None:
    tally = tally_of([[score] for score in (10, 12, 14, 16)])
    assert protocol_error(tally, 100, 10) == pytest.approx(tally.stdev / 10)


def normal_scores(mean: float, decks: int, seed: int = 1) -> Tally:
    chance = random.Random(seed)
    return tally_of([[round(min(25, max(0, chance.gauss(mean, 2))))] for _ in range(decks)])


def test_extremes_of_the_same_program_agree() -> None:
    """Take ten samples five times as large as ours; none of their extremes differs."""
    ours = normal_scores(14, 2000)
    for seed in range(10):
        paper_stderr = normal_scores(14, 10_000, seed + 2)
        for highest, printed in ((True, paper_stderr.max), (False, paper_stderr.min)):
            assert printed is not None
            assert judge_extreme(printed, ours, 10_000, 1, highest=highest) != "differs"


def test_extremes_of_another_program_differ() -> None:
    ours = normal_scores(14, 2000)
    assert ours.max is not None
    assert judge_extreme(ours.max, ours, 10_000, 10, highest=True) == "exact"
    assert judge_extreme(17, ours, 10_000, 10, highest=True) == "differs"
    assert judge_extreme(11, ours, 10_000, 10, highest=False) == "differs"
    narrow = tally_of([[12 + number % 2] for number in range(5000)])
    assert judge_extreme(25, narrow, 10_000, 10, highest=True) == "agrees"  # the tail is unknown
    steep = tally_of([[12]] * 90_000 + [[13]] * 900 + [[14]] * 15)
    assert judge_extreme(16, steep, 1000, 1, highest=True) == "agrees"
    assert judge_extreme(24, steep, 1000, 1, highest=True) == "differs"


@pytest.mark.parametrize(("beyond", "verdict"), [(16, "agrees"), (17, "differs")])
def test_an_extreme_differs_if_its_chance_is_below_one_in_100_000(
    beyond: int, verdict: str
) -> None:
    """Two samples of one size: n games beyond theirs are all in ours with a chance of 1 in 2ⁿ."""
    ours = tally_of([[12]] * (1000 - beyond) + [[13]] * beyond)
    assert (2.0**-beyond >= 1e-5) == (verdict == "agrees")
    assert judge_extreme(12, ours, 1000, 1, highest=True) == verdict


@pytest.mark.parametrize("printed", range(34, 67))
def test_a_count_differs_if_its_p_value_is_below_three_standard_errors(printed: int) -> None:
    """Of 100 fair coins, 35 to 65 heads agree; the p-values of 34 and 66 are below 0.0027."""
    item = Count(id="a", place="b", printed=printed, decks=100, chance=lambda: Fraction(1, 2))
    assert item.find(Runner(), "p").verdict == ("agrees" if 35 <= printed <= 65 else "differs")
