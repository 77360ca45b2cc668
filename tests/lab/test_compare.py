"""Comparisons: paired differences on the same decks."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

import hanabilab as hl
from hanabilab.errors import HanabiError

RULES = hl.preset("cox-program", 3)


def scores(strategy: str, file: Path, repeats: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    hl.simulate(strategy, games=80, seed=4, rules=RULES, repeats=repeats, save=file)
    with file.open() as stream:
        values = [int(row["score"]) for row in csv.DictReader(stream)]
    means: np.ndarray[tuple[int], np.dtype[np.float64]]
    means = np.array(values, float).reshape(-1, repeats).mean(axis=1)
    return means


@pytest.mark.parametrize("repeats", [1, 3])
def test_differences_are_paired_deck_by_deck(tmp_path: Path, repeats: int) -> None:
    names = ["cheat", "random"]
    result = hl.compare(names, games=80, seed=4, rules=RULES, repeats=repeats)
    cheat, random = (scores(name, tmp_path / f"{name}.csv", repeats) for name in names)
    gap = result.difference(1, 0)
    assert gap.mean == pytest.approx((random - cheat).mean())
    assert gap.stderr == pytest.approx((random - cheat).std(ddof=1) / math.sqrt(80))
    best = result.differences[0]
    assert (best.better, best.worse) == ("cheat", "random")
    assert best.mean == pytest.approx(-gap.mean)


def test_every_strategy_has_the_statistics_of_its_own_simulation() -> None:
    result = hl.compare(["random", "cheat"], games=50, seed=4, rules=RULES, threads=2, chunk=7)
    for one in result.results:
        alone = hl.simulate(one.strategy, games=50, seed=4, rules=RULES)
        assert one.sums() == alone.sums()


def test_the_same_strategy_differs_by_nothing() -> None:
    gap = hl.compare(["random", "random"], games=30, players=2).difference(0, 1)
    assert (gap.mean, gap.stderr, gap.sigmas) == (0, 0, 0)


def test_json_table_and_plot(tmp_path: Path) -> None:
    result = hl.compare(["random", "cheat", "random"], games=30, seed=1, rules=RULES)
    data = json.loads(result.to_json())
    assert [each["strategy"] for each in data["strategies"]] == ["random", "cheat", "random"]
    assert len(data["differences"]) == 3
    assert set(data["differences"][0]) == {"a", "b", "mean", "stderr"}
    assert "cheat - random: +" in str(result)
    result.plot(str(tmp_path / "means.svg"))
    result.save(str(tmp_path / "means.csv"))
    assert len((tmp_path / "means.csv").read_text().splitlines()) == 4


def test_one_strategy_is_nothing_to_compare() -> None:
    with pytest.raises(HanabiError, match="at least two"):
        hl.compare(["random"], games=5)
