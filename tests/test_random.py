"""Random numbers and decks: sound, reproducible, and independent of each other."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabilab import Deck, Rules, preset
from hanabilab.author import View
from hanabilab.core.bits import LOW_62
from hanabilab.core.random import Rng, below, chance, mix, private_stream, shuffle, stream
from hanabilab.errors import DeckError
from hanabilab.game import nth_legal
from hanabilab.game.deck import STRATEGY_STREAMS
from hanabilab.strategies import Memory, Strategy, find_strategy
from hanabilab.table.loop import play_chunk
from tests.statistics import chi_square_tail, looks_uniform

WORDS = st.integers(0, LOW_62)


def unmix(x: int) -> int:
    """The inverse of `mix`: each of its steps can be undone."""

    def unshift(value: int, by: int) -> int:
        found = value
        for _ in range(62 // by + 1):
            found = value ^ (found >> by)
        return found

    def divide(value: int, factor: int) -> int:
        return value * pow(factor, -1, 1 << 62) & LOW_62

    x = unshift(x, 29)
    x = unshift(divide(x, 0x2545_F491_4F6C_DD1D), 32)
    x = unshift(divide(x, 0x01DA_DEF4_BC2D_D44D), 28)
    return unshift(divide(x, 0x3FB5_D329_728E_A185), 31)


@given(WORDS)
def test_mix_is_a_bijection(x: int) -> None:
    assert 0 <= mix(x) <= LOW_62
    assert unmix(mix(x)) == x
    assert mix(unmix(x)) == x


def test_mix_spreads_every_bit() -> None:
    """Each input bit flips each output bit in about half of the cases.

    Of 62 * 62 counts out of 1,000 none should be further from 500 than 6.5 standard deviations:
    false alarm below 62 * 62 * 1e-10 < 1e-6.
    """
    rng = random.Random(1)
    flips = [[0] * 62 for _ in range(62)]
    for _ in range(1000):
        x = rng.getrandbits(62)
        base = mix(x)
        for bit in range(62):
            changed = mix(x ^ (1 << bit)) ^ base
            for out in range(62):
                flips[bit][out] += changed >> out & 1
    for row in flips:
        assert all(abs(count - 500) < 6.5 * 15.9 for count in row)


def test_chi_square_tail() -> None:
    """Values of the usual tables."""
    assert chi_square_tail(3.841, 1) == pytest.approx(0.05, abs=1e-4)
    assert chi_square_tail(23.209, 10) == pytest.approx(0.01, abs=1e-5)
    assert chi_square_tail(55.003, 23) == pytest.approx(0.0002, abs=5e-5)


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 50])
def test_below_is_uniform(bound: int) -> None:
    rng = Rng(stream=stream(1, bound, 0))
    counts = Counter(below(rng, bound) for _ in range(200 * bound + 1000))
    assert set(counts) == set(range(bound))
    assert looks_uniform(counts.values()) or bound == 1


def test_below_has_no_bias() -> None:
    """Without rejection two of three residues would come up 3/8 of the time each."""
    bound = 3 << 29
    rng = Rng(stream=stream(2, 0, 0))
    counts = Counter(below(rng, bound) % 3 for _ in range(20_000))
    assert looks_uniform(counts.values())


def test_chance_is_uniform() -> None:
    rng = Rng(stream=stream(3, 0, 0))
    numbers = [chance(rng) for _ in range(10_000)]
    assert all(0 <= number < 1 for number in numbers)
    assert looks_uniform(Counter(int(number * 100) for number in numbers).values())


def test_shuffle_is_uniform() -> None:
    """All 24 orders of four cards, over consecutive games of one seed."""
    rules = Rules(players=1, hand_size=1, ranks=4, suits=1, copies=((1, 1, 1, 1),))
    decks = (Deck.shuffled(rules, seed=7, game=game).cards for game in range(12_000))
    counts = Counter(decks)
    assert len(counts) == 24
    assert looks_uniform(counts.values())


@pytest.mark.parametrize("step", [(0, 1), (1, 0), (1, -1)])
def test_neighbouring_decks_are_independent(step: tuple[int, int]) -> None:
    """The first cards of a deck and of the one of the next game, or of the next seed."""
    rules = Rules(players=1, hand_size=1, ranks=5, suits=2, copies=((1,) * 5,))

    def first(seed: int, game: int) -> int:
        return Deck.shuffled(rules, seed=seed, game=game).cards[0]

    places = [(seed, game) for seed in range(70) for game in range(1, 71)]
    counts = Counter((first(s, g), first(s + step[0], g + step[1])) for s, g in places)
    assert len(counts) == 100
    assert looks_uniform(counts.values())


def test_every_place_gets_every_card() -> None:
    """Place by card, over 2,000 classic decks: cards come as often as they have copies."""
    decks = [Deck.shuffled(players=2, seed=11, game=game).cards for game in range(2000)]
    for place in (0, 1, 24, 48, 49):
        cards = Counter(deck[place] for deck in decks)
        x = 0.0
        for card in range(25):
            expected = 2000 * (3, 2, 2, 2, 1)[card % 5] / 50
            x += (cards[card] - expected) ** 2 / expected
        assert chi_square_tail(x, 24) > 1e-7  # five places: together a false alarm of 5e-7


def test_streams_differ() -> None:
    """Neither purposes, games nor seeds share a stream, and no coin stream is a deck stream."""
    games = list(itertools.product(range(12), range(12)))
    starts = [stream(seed, game, 0) for seed, game in games]
    starts += [
        private_stream(s, g, purpose) for s, g in games for purpose in range(STRATEGY_STREAMS, 25)
    ]
    assert len(set(starts)) == len(starts)


def test_coins_do_not_give_the_deck_away() -> None:
    """Undoing `mix` leads from a deck's stream to its neighbours, but not from a coin stream."""
    seed, game = 5, 9
    key = unmix(stream(seed, game, STRATEGY_STREAMS)) - STRATEGY_STREAMS & LOW_62
    assert mix(key) == stream(seed, game, 0)
    coin = unmix(private_stream(seed, game, STRATEGY_STREAMS)) - STRATEGY_STREAMS & LOW_62
    assert mix(coin) != stream(seed, game, 0)


def test_coins_are_independent_of_the_deck() -> None:
    """The first coin of player 0 against the place of the first card in the deck."""
    rules = Rules(players=1, hand_size=1, ranks=5, suits=1, copies=((1,) * 5,))
    counts: Counter[tuple[int, int]] = Counter()
    for game in range(5000):
        rng = Rng(stream=private_stream(1, game, STRATEGY_STREAMS))
        counts[Deck.shuffled(rules, seed=1, game=game).cards[0], below(rng, 5)] += 1
    assert len(counts) == 25
    assert looks_uniform(counts.values())


# Numbers that must never change: results are quoted by seed and game.

GOLDEN_DECKS = {
    ("classic", 2, 0, 0): """
        g2 g4 w1 r5 g1 b5 w4 r3 w1 y3 r2 y5 r4 r4 w5 y2 g5 b2 y1 y1 g3 g1 b1 b1 b3
        w2 b2 w3 r1 g1 b1 y1 y4 w1 r1 b4 r2 w4 b3 b4 g2 r1 r3 w3 g4 g3 y2 y3 y4 w2""",
    ("hle", 3, 1, 0): """
        w5 b3 r2 r4 w1 g3 g2 y2 y4 y3 b2 r4 g1 r1 r3 w3 g3 y4 w2 r2 b3 r1 g4 y1 b4
        r5 w3 g1 b2 b4 r3 g5 g2 w2 b1 y3 y5 w1 b1 g1 y1 w4 b5 w4 w1 g4 y2 y1 r1 b1""",
    ("cox", 5, 1, 1): """
        y4 g3 b3 y2 w1 b1 b2 y5 y4 g2 r5 g1 r2 w2 g3 b4 y3 w1 b2 r1 r1 g2 g1 w5 r1
        w4 w3 y1 w2 g5 g1 y1 r3 y3 r3 b4 b1 g4 w1 r4 b3 b5 b1 w3 r4 g4 y1 w4 y2 r2""",
    ("rainbow-dutch", 4, (1 << 62) - 1, 123_456_789): """
        m3 b1 r3 y3 y5 y4 w2 y4 r4 b3 r1 b4 w3 b1 m4 y1 y3 g5 y2 g3 g1 y1 g2 b2 r1 g1 g1 w3
        b4 m2 y2 r3 r1 g4 r2 w1 g3 w1 r4 r2 b3 w2 g4 w5 m1 y1 w1 r5 w4 m5 b5 g2 b1 w4 b2""",
}


def test_golden_numbers() -> None:
    assert mix(1) == 0x23FD_00B1_6B61_EB59
    assert stream(1, 2, 3) == 0x21D3_333D_FD6D_7658
    assert private_stream(1, 2, 3) == 0x3DF8_548A_2DAC_4669
    rng = Rng(stream=1)
    assert [below(rng, 1000) for _ in range(8)] == [441, 459, 381, 461, 753, 954, 383, 849]
    items = list(range(10))
    shuffle(items, rng)
    assert items == [1, 7, 6, 3, 5, 0, 4, 2, 8, 9]
    assert chance(Rng(stream=1)) == 0.44163721284195756


@pytest.mark.parametrize("key", GOLDEN_DECKS)
def test_golden_decks(key: tuple[str, int, int, int]) -> None:
    name, players, seed, game = key
    deck = Deck.shuffled(preset(name, players), seed=seed, game=game)
    assert str(deck).split() == GOLDEN_DECKS[key].split()


# The deck of (seed, game) is the same whoever plays it and however the games are cut up.

SEEN: list[tuple[int, ...]] = []


def look(view: View, memory: Memory) -> int:
    """Note the other hands at the start, then play the oldest card."""
    if view.turn == 0:
        SEEN.append(tuple(view.hands[1:3]))
    return nth_legal(view, view.hand_count[view.player] - 1)


def look_and_toss(view: View, memory: Memory) -> int:
    """The same, with many coins tossed meanwhile."""
    for _ in range(view.turn + 3):
        below(memory, 6)
    if view.turn == 0:
        SEEN.append(tuple(view.hands[1:3]))
    return nth_legal(view, 0)


def seen_by(act: object, *chunks: tuple[int, int], repeats: int = 1) -> list[tuple[int, ...]]:
    SEEN.clear()
    watcher = Strategy("watcher", act)  # type: ignore[arg-type]
    for first, count in chunks:
        play_chunk(
            preset("hle", 3), [watcher] * 3, 4, first, count, repeats=repeats, compiled=False
        )
    return SEEN[:]


def test_decks_do_not_depend_on_strategy_or_chunks() -> None:
    whole = seen_by(look, (0, 12))
    assert len(set(whole)) == 12
    assert seen_by(look_and_toss, (0, 12)) == whole
    assert seen_by(look, (0, 5), (5, 1), (6, 6)) == whole
    assert seen_by(look, (3, 2), repeats=2) == [whole[3], whole[3], whole[4], whole[4]]


def test_rows_do_not_depend_on_chunks() -> None:
    seats = [find_strategy("random")] * 3
    rules = preset("classic", 3)
    whole = play_chunk(rules, seats, 6, 0, 10, compiled=False)
    parts = [play_chunk(rules, seats, 6, first, 2, compiled=False) for first in (0, 2, 4, 6, 8)]
    assert [row for part in parts for row in part] == whole


def test_repeats_have_coins_of_their_own() -> None:
    seats = [find_strategy("random")] * 2
    rows = play_chunk(preset("classic", 2), seats, 6, 0, 1, repeats=12, compiled=False)
    assert len({tuple(row) for row in rows}) > 6


@pytest.mark.parametrize("number", [-1, 1 << 62, True, 1.0, "1", None])
def test_wrong_seeds_are_refused(number: object) -> None:
    for name in ("seed", "game"):
        with pytest.raises(DeckError, match=f"^{name}: "):
            Deck.shuffled(players=2, **{name: number})  # type: ignore[arg-type]


def test_largest_seed() -> None:
    largest = (1 << 62) - 1
    assert len(Deck.shuffled(players=2, seed=largest, game=largest)) == 50
