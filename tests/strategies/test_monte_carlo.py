"""The Monte Carlo strategy: it imagines what agrees with its view, and plays as described."""

from __future__ import annotations

import random

import pytest
from tests.tables import SPECIAL, UNUSUAL, choose, random_deck

from hanabilab import Game, HanabiError, Rules, find_strategy, preset
from hanabilab.game.actions import is_legal
from hanabilab.game.cards import MAX_HAND, card_in, count_of
from hanabilab.game.state import GOING_ON
from hanabilab.strategies.monte_carlo import (
    MANY_LIVES,
    MonteCarloMemory,
    choose_at_random,
    choose_play,
    copy_table,
    imagine,
    play_out,
    restore_table,
)
from hanabilab.table.loop import play_chunk

CLASSIC = [preset("aspects", 3), preset("classic", 2), preset("cox", 5)]


def imagination(game: Game, stream: int = 1) -> MonteCarloMemory:
    """Return the memory with which the player to move starts to imagine."""
    memory = MonteCarloMemory(stream=stream, depth=5, playouts=1)
    view = game.view(game.player)
    copy_table(view, memory)
    return memory


@pytest.mark.parametrize("rules", [*CLASSIC, *UNUSUAL])
def test_an_imagined_table_agrees_with_the_view(rules: Rules) -> None:
    chance = random.Random(3)
    game = Game(deck=random_deck(rules, chance))
    while not game.is_over:
        view = game.view(game.player)
        memory = imagination(game, chance.getrandbits(60))
        imagine(view, memory)
        me = view.observer
        cards = [card_in(memory.table.hands[me], slot) for slot in range(view.hand_count[me])]
        for slot, card in enumerate(cards):
            assert view.possible[me][slot] >> card & 1
        drawn = memory.deck[: min(memory.depth, view.draw_pile)]
        for card in {*cards, *drawn}:
            assert [*cards, *drawn].count(card) <= count_of(memory.unseen, card)
        for player in range(rules.players):
            if player != me:
                assert memory.table.hands[player] == view.hands[player]
        game.act(choose(game, chance))


@pytest.mark.parametrize("rules", [*CLASSIC, *UNUSUAL])
def test_play_outs_leave_the_view_alone_and_count_from_it(rules: Rules) -> None:
    chance = random.Random(5)
    game = Game(deck=random_deck(rules, chance))
    while not game.is_over:
        view = game.view(game.player)
        before = view.copy()
        memory = imagination(game, chance.getrandbits(60))
        imagine(view, memory)
        action = choose(game, chance)
        worth = play_out(view, memory, action)
        assert view == before
        gained, misplays = memory.table.score - view.score, MANY_LIVES - memory.table.lives
        assert 0 <= gained + misplays <= 5
        if not misplays:
            assert 0 <= worth <= 15 * gained
        if memory.table.end == GOING_ON:
            assert memory.table.player == (view.player + 5) % rules.players or not rules.deck_ends
        game.act(action)


def test_more_is_known_more_is_played() -> None:
    """A card that is one of 5 is played five times as often as one of 25."""
    memory = MonteCarloMemory(stream=9)
    memory.table.hand_count[0] = 3
    memory.table.possible[0][:3] = [0b11111, (1 << 25) - 1, 1]
    picks = [choose_play(memory, 0b011) for _ in range(6000)]
    assert abs(picks.count(0) - 5000) < 5 * (6000 * 5 / 36) ** 0.5
    assert set(picks) == {0, 1}


def test_a_certain_point_is_taken_with_depth_one() -> None:
    """D = 1 is greedy play."""
    deck = "r1 y2 g2 b2 w2 r1 y1 g1 b1 w1 r2 r3 r4 r5 y3 y4 y5 g3 g4 g5 b3 b4 b5 w3 w4 w5"
    game = Game(preset("aspects", 2), deck, any_deck=True)
    game.act("hint 1 2")
    game.act("hint 0 r")
    game.act("hint 1 3")
    game.act("hint 0 1")
    strategy = find_strategy("monte-carlo:depth=1,playouts=20")
    memory = strategy.fresh_memory()
    assert strategy.act(game.view(0), memory) == game.rules.hand_size


def test_it_plays_far_better_than_its_random_players() -> None:
    """12.7 with 100 play-outs and a standard deviation of 4.5: 8 is four standard errors below."""
    strategy = find_strategy("monte-carlo:playouts=100")
    scores = play_chunk(preset("aspects", 3), [strategy] * 3, 1, 0, 16)[:, 0]
    assert scores.mean() > 8


@pytest.mark.parametrize("nonsense", ["playouts=0", "depth=0", "depth=51", "playouts=many"])
def test_nonsense_is_refused(nonsense: str) -> None:
    with pytest.raises(HanabiError, match=nonsense.split("=")[0]):
        find_strategy(f"monte-carlo:{nonsense}")


@pytest.mark.parametrize("rules", [*CLASSIC, *UNUSUAL, *SPECIAL])
def test_an_imagined_table_has_all_rules_of_the_view(rules: Rules) -> None:
    game = Game(deck=random_deck(rules, random.Random(4)))
    view = game.view(game.player)
    memory = imagination(game)
    imagine(view, memory)
    expected = view.rules.copy()
    expected.deck_size = view.draw_pile  # the imagined deck is the draw pile alone
    assert memory.table.rules == expected


@pytest.mark.parametrize("rules", [*CLASSIC, *UNUSUAL, *SPECIAL])
def test_random_players_take_legal_actions_only(rules: Rules) -> None:
    """Under `aspects` a third of the hints touch nothing: they too name a target and a value."""
    chance = random.Random(6)
    game = Game(deck=random_deck(rules, chance))
    while not game.is_over:
        memory = imagination(game, chance.getrandbits(60))
        imagine(game.view(game.player), memory)
        memory.event.kind = -1
        choose_at_random(memory)
        assert is_legal(memory.table, memory.event)
        game.act(choose(game, chance))


@pytest.mark.parametrize("rules", [*CLASSIC, *UNUSUAL, *SPECIAL])
def test_a_play_out_leaves_nothing_behind(rules: Rules) -> None:
    """Nothing but the random cards differs between the first and a later imagined table."""
    chance = random.Random(8)
    game = Game(deck=random_deck(rules, chance))
    while not game.is_over:
        view = game.view(game.player)
        memory = imagination(game, chance.getrandbits(60))
        fresh = memory.table.copy()
        imagine(view, memory)
        play_out(view, memory, choose(game, chance))
        restore_table(view, memory.table)
        fresh.lives = MANY_LIVES
        for player in range(rules.players):  # slots without a card are unused
            for slot in range(view.hand_count[player], MAX_HAND):
                fresh.possible[player][slot] = memory.table.possible[player][slot]
        assert memory.table == fresh
        game.act(choose(game, chance))
