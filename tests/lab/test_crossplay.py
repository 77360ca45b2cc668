"""Cross-play: seats, and strategies with unfamiliar partners."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import hanabilab as hl
from hanabilab.errors import HanabiError
from hanabilab.lab.crossplay import seating
from hanabilab.lab.results_table import automatic_strategies

RULES = hl.preset("cox-program", 3)


@pytest.mark.parametrize("games", [1, 2, 7, 99, 100])
def test_every_seat_is_taken_equally_often_and_every_game_once(games: int) -> None:
    one, others = hl.find_strategy("cheat"), hl.find_strategy("random")
    seats: Counter[int] = Counter()
    numbers: list[int] = []
    for team, first, count in seating(one, others, 3, games):
        assert sorted(player.name for player in team) == ["cheat", "random", "random"]
        seats[team.index(one)] += count
        numbers += range(first, first + count)
    assert numbers == list(range(games))
    assert max(seats.values()) - min(seats[seat] for seat in range(3)) <= 1


def test_pairings_are_those_games_and_the_diagonal_is_self_play() -> None:
    result = hl.crossplay(["cheat", "random"], games=31, seed=3, rules=RULES, threads=2)
    assert (
        result.tallies[0][0]
        == hl.crossplay(["random", "cheat"], games=31, seed=3, rules=RULES, chunk=4).tallies[1][1]
    )
    alone = hl.simulate("cheat", games=31, seed=3, rules=RULES)
    assert result.mean[0][0] == alone.mean
    total = 0
    for number in range(31):
        seat = next(s for s in range(3) if s * 31 // 3 <= number < (s + 1) * 31 // 3)
        team = ["random"] * 3
        team[seat] = "cheat"
        deck = hl.Deck.shuffled(RULES, seed=3, game=number)
        total += hl.play(team, deck, seed=3, game=number).score
    assert result.tallies[0][1].total == total


def test_json_has_square_matrices(tmp_path: Path) -> None:
    result = hl.crossplay(["cheat", "random"], games=12, players=2)
    data = json.loads(result.to_json())
    assert data["strategies"] == ["cheat", "random"]
    for name in ("mean", "stderr", "lost_rate"):
        assert [len(row) for row in data[name]] == [2, 2]
    result.plot(str(tmp_path / "heat.png"))
    result.save(str(tmp_path / "heat.csv"))
    assert len((tmp_path / "heat.csv").read_text().splitlines()) == 5
    assert result.cross_play_means == [result.mean[0][1], result.mean[1][0]]


def test_nobody_fails_with_unfamiliar_partners() -> None:
    """A hat strategy plays badly with unfamiliar partners, but never fails."""
    rules = hl.preset("classic", 4)
    able = [
        s
        for s in automatic_strategies()
        if not s.slow and s.support.unsupported_reason(rules) is None
    ]
    names = [s.name for s in able if s.observe or s.name == "random"]
    result = hl.crossplay(names, games=4, seed=6, rules=rules)
    assert all(tally.decks == 4 for row in result.tallies for tally in row)


def test_one_strategy_has_no_cross_play() -> None:
    with pytest.raises(HanabiError, match="at least two"):
        hl.crossplay(["random"], games=5)
