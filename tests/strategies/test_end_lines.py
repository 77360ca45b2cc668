"""The last draws, thought through: lines of play, and what `conventions` does because of them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from tests.strategies.conventions_positions import Seated

from hanabilab import Deck, compare, play, preset
from hanabilab.game.actions import HINT_RANK, HINT_SUIT, PLAY
from hanabilab.game.cards import HIDDEN, HIDDEN_HAND
from hanabilab.strategies.conventions.lines import (
    CARD,
    MOVE_BITS,
    EndLine,
    apply_move,
    best_line,
    moves_of,
    undo_move,
)
from hanabilab.table.players import explain_game


def random_line(rng: Random) -> EndLine:
    """A small position: two suits of five ranks, two or three players."""
    line = EndLine()
    line.players, line.max_tokens = rng.choice((2, 3)), 8
    line.tops = 1 << 4 | 1 << 9
    line.tokens, line.pile, line.turns = rng.randrange(2), rng.randrange(3), line.players
    line.lives = 2
    first = [rng.randrange(2, 4), rng.randrange(2, 4)]
    cards = [card for suit in (0, 1) for card in range(5 * suit + first[suit], 5 * suit + 5)]
    line.live = sum(1 << card for card in cards)
    line.playable = 1 << first[0] | 1 << 5 + first[1]
    rng.shuffle(cards)
    for place in range(line.pile):
        line.draws |= cards.pop() << 6 * place
    for card in cards:
        holders = (line.known, line.dark)[rng.randrange(2)]
        holders[rng.randrange(line.players)] |= 1 << card
    for player in range(line.players):
        line.spare[player] = HIDDEN_HAND
    return line


def best_of_all(line: EndLine, depth: int = 0) -> int:
    """The value of the best line, found by trying every line."""
    best, moves = line.value, moves_of(line)
    while moves:
        apply_move(line, depth, moves & (1 << MOVE_BITS) - 1)
        best = max(best, best_of_all(line, depth + 1))
        undo_move(line, depth)
        moves >>= MOVE_BITS
    return best


@pytest.mark.parametrize("seed", range(30))
def test_the_search_finds_the_best_line_and_restores_the_position(seed: int) -> None:
    line = random_line(Random(seed))
    before = line.copy()
    best = best_of_all(line)
    found = best_line(line, 1_000_000)
    assert best - 8 <= found <= best
    for name in ("playable", "live", "tokens", "pile", "turns", "player", "value", "known", "dark"):
        assert getattr(line, name) == getattr(before, name)


def test_a_line_needs_a_turn_for_every_card() -> None:
    line = EndLine()
    line.players, line.pile, line.max_tokens, line.lives = 2, 1, 8, 1
    line.live, line.playable, line.tops = 0b111000000, 1 << 6 | 1 << 3, 1 << 8
    line.live |= 1 << 3
    line.draws = HIDDEN - 3
    line.known[0], line.known[1] = 1 << 3, 1 << 6 | 1 << 7
    line.spare[0] = line.spare[1] = HIDDEN_HAND
    assert best_line(line, 1000) == 2 * CARD  # the first play draws the last card
    line.tokens = 1
    assert best_line(line, 1000) == 3 * CARD  # a hint first: then player 1 has two turns


def position(**options: Any) -> Seated:
    """Player 0 knows red 5, player 1 yellow 4 and 5; one card is left to draw."""
    table = Seated(
        "r1 g1 b1 w1 r5", "r1 g1 b1 y4 y5", fireworks="r4 y3 g5 b5 w5", tokens=8, **options
    )
    table.state.player = 1
    for suit, rank in (("r", 5),):
        table.tell_suit(0, suit)
        table.state.player = 1
        table.tell_rank(0, rank)
    for rank in (4, 5):
        table.state.player = 0
        table.tell_suit(1, "y")
        table.state.player = 0
        table.tell_rank(1, rank)
    table.state.player, table.state.draw_pile = 0, 1
    table.update_tables()
    return table


def test_a_player_gives_a_hint_first_if_a_partner_needs_two_turns() -> None:
    assert position(end_lines=-1).choose().kind == PLAY
    table = position()
    assert table.choose().kind in (HINT_SUIT, HINT_RANK)
    kinds = [table.act().kind for _ in range(4)]
    assert kinds[1:] == [PLAY, PLAY, PLAY]
    assert table.state.score == 25


@pytest.mark.parametrize("players", [2, 5])
def test_end_lines_are_worth_points(players: int) -> None:
    teams = ["conventions:end-lines=-1", "conventions"]
    result = compare(teams, players, games=1000, seed=35, rules="hle")
    assert result.differences[0].mean > 0.1


def test_explanations_name_the_end_line() -> None:
    def said(seed: int) -> str:
        game = play("conventions", Deck.shuffled(preset("hle", 3), seed=seed), seed=seed)
        return "\n".join(explain_game(game, "conventions", seed=seed))

    assert any("end line (" in said(seed) for seed in range(20))
