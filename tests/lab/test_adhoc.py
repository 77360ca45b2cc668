"""Ad-hoc teams: the protocol, game by game and in the command."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hanabilab as hl
import hanabilab.author as ha
from hanabilab.errors import HanabiError
from hanabilab.lab.adhoc import (
    HELD_OUT,
    OPEN,
    POOL,
    SEED,
    AdHoc,
    PoolMean,
    adhoc_table,
    default_players,
)

Answer = tuple[int, str, str]


def test_the_pool_is_fair() -> None:
    """Half of it is held out; nobody needs a private code, open eyes or long thought."""
    assert len({partner.name for partner in POOL}) == len(POOL)
    halves = [partner.half for partner in POOL]
    assert halves.count(OPEN) == halves.count(HELD_OUT) == len(POOL) / 2
    found = [hl.find_strategy(partner.text) for partner in POOL]
    assert all(each.can_compile and not (each.slow or each.sees_own_hand) for each in found)
    coded = {"recommendation", "information", "hatter", "duo", "search"}
    assert not coded & {each.name for each in found}


def played_by_hand(player: str, partner: str, players: int, games: int, seed: int) -> list[int]:
    """Return the scores: the player moves on a seat after each share of the games."""
    scores = []
    for game in range(games):
        seat = next(s for s in range(players) if game < (s + 1) * games // players)
        team = [player if place == seat else partner for place in range(players)]
        deck = hl.Deck.shuffled(hl.preset("hle", players), seed=seed, game=game)
        scores.append(hl.play(team, deck, seed=seed, game=game).score)
    return scores


@pytest.fixture(scope="module")
def measured() -> AdHoc:
    return hl.adhoc("iggi", games=6, progress=False)


def test_games_are_those_of_the_protocol(measured: AdHoc) -> None:
    place = next(number for number, partner in enumerate(POOL) if partner.name == "piers")
    pairing = next(each for each in measured.pairings if each.partner.name == "piers")
    for players in (2, 3):
        seed = SEED + 10 * place + players
        scores = played_by_hand("iggi", "piers", players, 6, seed)
        assert pairing.tallies[players].mean == sum(scores) / 6


def test_means_of_means(measured: AdHoc) -> None:
    cells = [tally for pairing in measured.pairings for tally in pairing.tallies.values()]
    assert len(cells) == 4 * (len(POOL) - 1)
    assert measured.left_out == ("iggi",)
    assert measured.mean == pytest.approx(sum(cell.mean for cell in cells) / len(cells))
    error = math.sqrt(sum(cell.stderr**2 for cell in cells)) / len(cells)
    assert measured.stderr == pytest.approx(error)
    worst = measured.worst
    assert worst is not None
    assert all(worst.average.mean <= pairing.average.mean for pairing in measured.pairings)
    low, high = PoolMean(10.0, 0.5, 0.0).interval
    assert (low, high) == pytest.approx((9.02, 10.98))


def test_the_table_has_all_that_the_data_have(measured: AdHoc) -> None:
    data = measured.to_dict()
    assert (data["protocol"], data["player"], data["rules"], data["games"]) == (1, "iggi", "hle", 6)
    assert [len(part["players"]) for part in data["partners"]] == [4] * (len(POOL) - 1)
    assert data["open"]["mean"] != data["held_out"]["mean"]
    text = measured.to_text()
    for name in ("piers", "worst: flawed", "held-out", "100.0 %"):
        assert name in text
    assert len(measured.rows()) == 4 * (len(POOL) - 1)


def test_numbers_of_players_that_one_cannot_play_are_left_out() -> None:
    result = hl.adhoc("duo", games=2, progress=False)
    assert {number for each in result.pairings for number in each.tallies} == {2}
    assert len(result.pairings) == len(POOL)


def test_how_long_a_python_player_takes_is_told() -> None:
    def first(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return legal_moves[0]

    told: list[str] = []
    result = hl.adhoc(first, games=1, progress=False, notify=told.append)
    assert result.player == "first"
    assert len(told) == 1
    assert told[0].startswith(f"{4 * len(POOL)} games of about ")
    assert "minutes on one core; --games plays fewer" in told[0]


def test_all_our_strategies_side_by_side() -> None:
    names = {strategy.name for strategy in default_players()}
    assert {"piers", "information", "duo", "rule-based"} <= names
    assert not names & {"cheat", "human", "search", "monte-carlo"}
    table = adhoc_table(["iggi", "flawed"], games=1, progress=False)
    assert [row[0] for row in table.to_tables()[0].rows] == ["iggi", "flawed"]
    assert table.to_dict()["entries"][1]["player"] == "flawed"


def test_the_command(command: Callable[..., Answer], tmp_path: Path) -> None:
    file = tmp_path / "adhoc.csv"
    code, out, _ = command("adhoc", "piers", "--games", "2", "--json", "--save", file)
    assert code == 0
    data = json.loads(out)
    assert (data["player"], data["left_out"]) == ("piers", ["piers"])
    assert set(data["worst"]) == {"partner", "mean", "stderr", "interval", "lost_rate"}
    assert len(file.read_text().splitlines()) == 1 + 4 * (len(POOL) - 1)
    code, out, _ = command("adhoc", "piers", "--games", "2")
    assert code == 0
    assert out.splitlines()[2].split()[:4] == ["partner", "half", "2", "players"]
    for wrong in (["piers", "--games", "0"], ["nobody"], ["piers", "--save", "table.doc"]):
        code, out, err = command("adhoc", *wrong)
        assert (code, out, len(err.splitlines())) == (2, "", 1), wrong


def test_who_can_play_with_nobody() -> None:
    never = ha.Strategy(
        "never",
        hl.find_strategy("iggi").act,
        support=ha.RuleSupport(unsupported_reason=lambda rules: "no"),
    )
    with pytest.raises(HanabiError, match="never cannot play the rules hle with any partner"):
        hl.adhoc(never)
