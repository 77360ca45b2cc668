"""Statistics against references and simulated truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hanabilab.lab.tally import Tally, cluster_error, percent, plus_minus, wilson


def rows_of(scores: object) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    score = np.asarray(scores, np.int64).ravel()
    end = np.where(score == 25, 1, np.where(score == 0, 2, 3))
    return np.column_stack([score, score + 40, end == 2, end])


@pytest.mark.parametrize(
    ("count", "games", "low", "high"),
    [  # Brown, Cai, DasGupta 2001 and R's prop.test(correct=FALSE)
        (0, 10, 0.0, 0.2775328),
        (1, 10, 0.0178762, 0.4041500),
        (5, 10, 0.2365931, 0.7634069),
        (10, 10, 0.7224672, 1.0),
        (50, 100, 0.4038315, 0.5961685),
        (1, 1000, 0.0001766, 0.0056426),
    ],
)
def test_wilson_interval_is_that_of_the_tables(
    count: int, games: int, low: float, high: float
) -> None:
    assert wilson(count / games, games) == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize(("rate", "games"), [(0.1, 7), (0.761, 1_000_000), (0.5, 3)])
def test_wilson_bounds_are_where_the_score_test_is_at_its_limit(rate: float, games: int) -> None:
    for bound in wilson(rate, games):
        distance = abs(rate - bound) / math.sqrt(bound * (1 - bound) / games)
        assert distance == pytest.approx(1.959964, rel=1e-6)


def test_simple_statistics_match_numpy() -> None:
    scores = np.random.default_rng(1).integers(0, 26, 1000)
    tally = Tally.of(rows_of(scores), 25)
    assert tally.mean == pytest.approx(scores.mean())
    assert tally.stdev == pytest.approx(scores.std(ddof=1))
    assert tally.stderr == pytest.approx(scores.std(ddof=1) / math.sqrt(1000))
    assert (tally.min, tally.max) == (scores.min(), scores.max())
    assert tally.perfect_rate == (scores == 25).mean()
    assert tally.lost_rate == (scores == 0).mean()
    assert tally.mean_turns == pytest.approx(scores.mean() + 40)
    assert sum(tally.histogram) == 1000


def test_adding_chunks_is_exact_whatever_their_size() -> None:
    rows = rows_of(np.random.default_rng(2).integers(0, 26, 600))
    whole = Tally.of(rows, 25, repeats=3)
    for size in (3, 30, 99, 600):
        chunks = [Tally.of(rows[i : i + size], 25, repeats=3) for i in range(0, 600, size)]
        assert sum(chunks, Tally.empty(25, 3)) == whole


def test_the_standard_error_of_repeats_is_the_true_spread_of_the_mean() -> None:
    """Run 400 experiments of 50 decks played 8 times each.

    Decks spread by 3 points and coins by 2, so the mean by sqrt(9 + 4/8) / sqrt(50) = 0.436.
    The estimate over 400 experiments is off by more than 8 % with probability below 1e-4.
    """
    rng = np.random.default_rng(3)
    decks = rng.normal(12, 3, (400, 50, 1))
    scores = np.clip(np.rint(decks + rng.normal(0, 2, (400, 50, 8))), 1, 24).astype(np.int64)
    tallies = [Tally.of(rows_of(part), 25, repeats=8) for part in scores]
    spread = np.std([tally.mean for tally in tallies], ddof=1)
    reported = math.sqrt(np.mean([tally.stderr**2 for tally in tallies]))
    naive = tallies[0].stdev / math.sqrt(400)
    assert reported == pytest.approx(0.436, rel=0.08)
    assert reported == pytest.approx(spread, rel=0.15)
    assert naive < 0.6 * reported


def test_intervals_of_repeats_are_wider_than_those_of_as_many_decks() -> None:
    scores = np.repeat([25, 20, 20, 25, 20, 20, 20, 20] * 25, 10)
    alike = Tally.of(rows_of(scores), 25, repeats=10)
    apart = Tally.of(rows_of(scores), 25)
    assert alike.perfect_interval == pytest.approx(wilson(0.25, 200), abs=2e-3)
    assert apart.perfect_interval == pytest.approx(wilson(0.25, 2000))
    assert alike.lost_interval == wilson(0, 200)


def test_too_few_games_have_no_error() -> None:
    one = Tally.of(rows_of([7]), 25)
    assert math.isnan(one.stderr)
    assert math.isnan(one.stdev)
    assert str(one) == "7.00, perfect 0.0 %, 0 games lost to misplays"
    assert math.isnan(Tally.empty(25).mean)
    assert math.isnan(cluster_error(5, 5, 1, 1))


@pytest.mark.parametrize(
    ("mean", "stderr", "text"),
    [
        (24.6823, 0.0012, "24.682 ± 0.001"),
        (17.0, 0.35, "17.00 ± 0.35"),
        (0.0, 0.0, "0.00 ± 0.00"),
        (math.nan, math.nan, "-"),
    ],
)
def test_digits_follow_the_error(mean: float, stderr: float, text: str) -> None:
    assert plus_minus(mean, stderr) == text


def test_rates_are_percentages() -> None:
    assert percent(0.761) == "76.1 %"
    assert percent(0.0, (0.0, 0.00004)) == "0.0000 % (0.0000 to 0.0040 %)"
