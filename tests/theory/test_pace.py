"""Pace: formulas against every pile and every deck, and the published sample."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabilab.errors import TheoryError
from hanabilab.game.rules import preset
from hanabilab.theory import (
    PaceGame,
    cut_chances,
    fit_table_5_1,
    forced_pace,
    loss_bounds,
    loss_by_cut,
    loss_chance,
    pace,
    pace_chances,
    sample_pace,
    selections,
    selections_one_by_one,
)
from hanabilab.theory.pace import CLASSIC, blocked_piles, pace_losses
from hanabilab.theory.pace_sample import (
    FRACTIONS_AS_PRINTED,
    TABLE_5_1,
    TABLE_5_1_DECKS,
    binomial_p_value,
)
from hanabilab.theory.playability import Card
from tests.theory.reference import all_decks, blocked_cards

CLASSIC_HANDS = {1: 5, 2: 5, 3: 5, 4: 4, 5: 4, 6: 3}

SMALL_GAMES = [
    PaceGame(1, 1, ((2, 1), (1, 2))),
    PaceGame(1, 2, ((1, 1, 1), (2, 1))),
    PaceGame(2, 1, ((2, 1, 1), (1, 1, 1))),
    PaceGame(1, 1, ((1, 1), (1, 1), (1, 1))),
    PaceGame(1, 1, ((3, 2, 1),)),
    PaceGame(2, 1, ((1, 2, 1, 1), (2,))),
    PaceGame(1, 3, ((2, 2), (2, 1))),
]


def chances_deck_by_deck(game: PaceGame, below: int) -> tuple[list[Counter[int]], Fraction]:
    """Return the paces at each cut, and the part of decks with one below the limit."""
    paces = [Counter[int]() for _ in range(game.draw_pile + 1)]
    decks = lost = 0
    for deck in all_decks(game.suits):
        decks += 1
        worst = game.players
        for remaining in range(game.draw_pile + 1):
            pile = deck[len(deck) - remaining :]
            forced = game.players + remaining - blocked_cards(pile, game.suits)
            paces[remaining][forced] += 1
            worst = min(worst, forced)
        lost += worst < below
    return paces, Fraction(lost, decks)


@pytest.mark.parametrize("game", SMALL_GAMES)
def test_every_deck_of_small_games(game: PaceGame) -> None:
    for below in (-1, 0, 1):
        paces, lost = chances_deck_by_deck(game, below)
        assert loss_chance(game, below=below) == lost, below
    decks = sum(paces[0].values())
    for cut in cut_chances(game):
        counted = paces[cut.remaining]
        assert cut.zero == Fraction(counted[0], decks)
        negative = sum(number for forced, number in counted.items() if forced < 0)
        assert cut.negative == Fraction(negative, decks)
        assert pace_chances(game, cut.remaining) == {
            forced: Fraction(number, decks) for forced, number in counted.items()
        }


@given(
    st.lists(st.lists(st.integers(1, 2), min_size=1, max_size=4), min_size=1, max_size=3).filter(
        lambda suits: sum(map(sum, suits)) <= 7
    ),
    st.integers(1, 3),
    st.integers(1, 2),
)
def test_any_small_game(suits: list[list[int]], players: int, hand: int) -> None:
    if players * hand > sum(map(sum, suits)):
        return
    game = PaceGame(players, hand, tuple(map(tuple, suits)))
    assert loss_chance(game) == chances_deck_by_deck(game, 0)[1]
    low, high = loss_bounds(game)
    assert low <= loss_chance(game) <= high


@pytest.mark.parametrize("players", [1, 3, 6])
def test_piles_of_the_classic_game(players: int) -> None:
    """The chances add up to 1, and the loss lies between its bounds."""
    game = PaceGame(players, CLASSIC_HANDS[players])
    for remaining in range(game.draw_pile + 1):
        assert sum(pace_chances(game, remaining).values()) == 1
    low, high = loss_bounds(game)
    by_cut = loss_by_cut(game)
    assert low < sum(by_cut.values()) < high
    # The first cut at which a deck can be lost is no union of anything.
    first = next(cut for cut in cut_chances(game) if cut.negative)
    assert by_cut[first.remaining] == first.negative


def test_a_limit_above_the_players() -> None:
    """Then the empty draw pile is enough."""
    assert loss_by_cut(PaceGame(2, 5), below=3) == {0: 1}


def test_reports_its_progress() -> None:
    seen: list[int] = []
    loss_chance(PaceGame(3, 5), report=lambda done, words: seen.append(done))
    assert seen[:2] == [1000, 2000]


def test_losses_at_two_cuts_by_hand() -> None:
    """Three players: pace < 0 with 4 cards left, or with 5 for the first time.

    With 5 left: 5 + 4 (a suit's 1s, another's 2s), or 4 + 4 + 1 (the 2s of two suits and the 5
    of a third); in the second case the deck is lost at 4 cards already if the 5 comes last of
    all five cards from the bottom, that is first of them in the deck: 1 of 5 orders.
    """
    both = Fraction(5 * 4 + 10 * 3, comb(50, 5))
    early = Fraction(10 * 3, comb(50, 5)) / 5
    assert cut_chances(PaceGame(3, 5))[5].negative == both
    assert loss_by_cut(PaceGame(3, 5))[5] == both - early


@pytest.mark.parametrize(
    ("remaining", "negative", "zero"),
    [(4, 4.342, 8.684), (5, 2.360, 24.071), (6, 1.259, 14.600)],
)
def test_three_players_per_100_000_decks(remaining: int, negative: float, zero: float) -> None:
    cut = cut_chances(PaceGame(3, 5))[remaining]
    assert round(float(cut.negative) * 100_000, 3) == negative
    assert round(float(cut.zero) * 100_000, 3) == zero


@pytest.mark.parametrize("players", [1, 2, 3])
def test_against_a_sample(players: int) -> None:
    """5,000 decks with a fixed seed; each of the comparisons would fail by chance once in 10^6."""
    game = PaceGame(players, 5)
    sample = sample_pace(game, 5_000, seed=4)
    assert binomial_p_value(sample.lost, 5_000, float(loss_chance(game))) > 1e-6
    for cut in cut_chances(game):
        for seen, chance in (
            (sample.negative[cut.remaining], cut.negative),
            (sample.zero[cut.remaining], cut.zero),
        ):
            assert binomial_p_value(seen, 5_000, float(chance)) > 1e-6


def test_the_sample_is_reproducible() -> None:
    game = PaceGame(1, 5)
    assert sample_pace(game, 500, seed=1) == sample_pace(game, 500, seed=1)
    assert sample_pace(game, 500, seed=1) != sample_pace(game, 500, seed=2)


@given(st.permutations([(r, s) for s in range(3) for r in [1, 1, 2, 3]]), st.integers(1, 3))
def test_forced_pace_of_a_deck(deck: list[Card], players: int) -> None:
    game = PaceGame(players, 2, ((2, 1, 1),) * 3)
    cuts = forced_pace(deck, game)
    assert [cut.remaining for cut in cuts] == list(range(12 - 2 * players + 1))
    for cut in cuts:
        blocked = blocked_cards(deck[len(deck) - cut.remaining :], game.suits)
        assert (cut.blocked, cut.pace) == (blocked, pace(players, cut.remaining, blocked))


def test_pace_of_a_state() -> None:
    assert pace(players=3, draw_pile=35, to_play=25) == 13
    assert pace(players=2, draw_pile=4, to_play=7) == -1


@pytest.mark.parametrize("n", range(9))
def test_selections_against_all_subsets(n: int) -> None:
    """Theorem 5.5 for every case of Definition 5.4."""
    for pairs in range(n // 2 + 1):
        for triples in range((n - 2 * pairs) // 3 + 1):
            exempt = [{2 * i, 2 * i + 1} for i in range(pairs)]
            start = 2 * pairs
            exempt += [{start + 3 * i + j for j in range(3)} for i in range(triples)]
            for k in range(n + 1):
                subsets = map(set, combinations(range(n), k))
                expected = sum(not any(e <= subset for e in exempt) for subset in subsets)
                assert selections(n, k, pairs, triples) == expected
                assert selections_one_by_one(n, k, pairs, triples) == expected


def test_selections_and_piles() -> None:
    """Piles that block nothing hold no 5, no pair of 2s, 3s or 4s and no triple of 1s."""
    piles = blocked_piles(CLASSIC)
    for remaining in range(36):
        assert piles[0][remaining] == selections(45, remaining, 15, 5)


def test_the_published_sample_fits() -> None:
    rows, p_value = fit_table_5_1()
    assert {(row.remaining, row.pace): row.seen for row in rows if row.seen} == TABLE_5_1
    assert p_value > 0.05
    # The decimals as printed, ten times too small, would not: the test can tell.
    cell = next(row for row in rows if (row.remaining, row.pace) == (5, 0))
    as_printed = (0.94e-6 + 20.29e-6 + 2.83e-6) * TABLE_5_1_DECKS
    assert binomial_p_value(cell.seen, TABLE_5_1_DECKS, as_printed / TABLE_5_1_DECKS) < 1e-9
    # Nor would a sample in which two rows are exchanged.
    shifted = {**TABLE_5_1, (5, 0): 2, (10, 0): 19}
    assert fit_table_5_1(shifted)[1] < 0.01


def test_the_printed_fractions() -> None:
    """All fractions are right, two are missing; every decimal is ten times too small."""
    sums: Counter[tuple[int, int]] = Counter()
    for remaining, forced, _, fraction, printed in FRACTIONS_AS_PRINTED:
        sums[remaining, forced] += fraction  # type: ignore[assignment]
        assert float(printed) * 10 == pytest.approx(float(fraction), rel=0.01)
        assert float(printed) != pytest.approx(float(fraction), rel=0.5)
    game = PaceGame(3, 5)
    for remaining in (4, 5):
        assert sums[remaining, 0] == pace_chances(game, remaining)[0]
    assert sums[4, -1] == pace_chances(game, 4)[-1]
    missing = Fraction(5 * 4 * comb(3, 2) + comb(5, 3), comb(50, 6))  # 4 + 3 + 1 + 1, 3 + 3 + 3
    assert pace_chances(game, 6)[0] == sums[6, 0] + missing


def test_binomial_p_value() -> None:
    weights = [comb(6, k) * 0.3**k * 0.7 ** (6 - k) for k in range(7)]
    for seen in range(7):
        expected = sum(weight for weight in weights if weight <= weights[seen] * (1 + 1e-9))
        assert binomial_p_value(seen, 6, 0.3) == pytest.approx(expected)
    assert binomial_p_value(0, 10, 0.0) == 1
    assert binomial_p_value(1, 10, 0.0) == 0
    assert binomial_p_value(400, 1000, 0.001) == pytest.approx(0, abs=1e-30)


def test_refuses_nonsense() -> None:
    with pytest.raises(TheoryError, match="players: 0"):
        PaceGame(0, 5)
    with pytest.raises(TheoryError, match="hand: 0"):
        PaceGame(2, 0)
    with pytest.raises(TheoryError, match="more than 50 cards"):
        PaceGame(11, 5)
    with pytest.raises(TheoryError, match="copies of rank 2: 0"):
        PaceGame(1, 1, ((1, 0),))
    with pytest.raises(TheoryError, match="cut: 36"):
        pace_chances(PaceGame(3, 5), 36)
    rules = preset("classic", 3)
    for function in (loss_chance, loss_by_cut, loss_bounds, cut_chances, pace_losses):
        with pytest.raises(TheoryError, match="a PaceGame, not Rules"):
            function(rules)  # type: ignore[arg-type]
    with pytest.raises(TheoryError, match="copies of the game"):
        forced_pace([(1, 0)], PaceGame(1, 1, ((1, 1),)))
    with pytest.raises(TheoryError, match="not defined"):
        selections(4, 5, 0, 0)
    with pytest.raises(TheoryError, match="too many"):
        selections_one_by_one(50, 10, 15, 5)
    with pytest.raises(TheoryError, match="minutes"):
        loss_chance(PaceGame(2, 5, tuple((2,) * 5 + (k,) for k in range(1, 11))))
    with pytest.raises(TheoryError, match="at least 1"):
        sample_pace(PaceGame(3, 5), 0)


def test_long_suits_are_bounded_or_refused() -> None:
    """One suit of 62 ranks has few states, but very many ways to close a rank."""
    long_suit = (3, *(2,) * 60, 1)
    losses = pace_losses(PaceGame(2, 5, (long_suit,)))
    assert losses.lost is None
    assert losses.bounds == loss_bounds(losses.game)
    with pytest.raises(TheoryError, match="1,922 cards are too many"):
        pace_losses(PaceGame(2, 5, ((31,) * 31,) * 2))
