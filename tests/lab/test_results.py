"""Every result has the same interface: data, JSON, a data frame, files, plots and short text."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import hanabilab
from hanabilab import theory
from hanabilab.bench.measurements import Comparison as SpeedComparison
from hanabilab.bench.measurements import Measurements
from hanabilab.game.deck import Deck
from hanabilab.game.rules import preset
from hanabilab.lab.adhoc import AdHocTable, adhoc
from hanabilab.lab.analyze import analyze
from hanabilab.lab.best_response import best_response
from hanabilab.lab.compare import compare
from hanabilab.lab.crossplay import crossplay
from hanabilab.lab.dataset.make import DatasetSummary
from hanabilab.lab.exact_table import exact_table
from hanabilab.lab.optimum import optimum
from hanabilab.lab.result import LINE_LENGTH, Result, shortened
from hanabilab.lab.results_table import results_table
from hanabilab.lab.review import review
from hanabilab.lab.review.statistics import player_statistics, review_strategy
from hanabilab.lab.simulate import simulate
from hanabilab.lab.small_games import solve_small_games, table_of_games
from hanabilab.lab.solve import solve
from hanabilab.lab.sweep import sweep
from hanabilab.lab.tally import Tally
from hanabilab.lab.tune import tune
from hanabilab.lab.validation.check import check
from hanabilab.lab.winnable import winnable
from hanabilab.papers.reproduction import reproduce
from hanabilab.strategies import find_strategy
from hanabilab.table.game import Game
from hanabilab.table.play import play
from tests.lab.test_display import Balanced

RUN: dict[str, Any] = {"players": 3, "games": 20, "seed": 1, "threads": 1}
SMALL: dict[str, Any] = {"hand_size": 2, "suits": 1, "ranks": 3, "copies": (2, 1, 1)}
TUNE: dict[str, Any] = {"budget": 2, "final_games": 20, "vary": {"hint-rule": [1, 3]}}


def run_analysis() -> Result:
    """The analysis of two games."""
    analysis = simulate("piers", analyze=2, **RUN).analysis
    assert analysis is not None
    return analysis


def short_game() -> Game:
    """Four turns of a game."""
    game = Game(players=2, seed=1)
    for _ in range(4):
        game.act("play 0")
        if game.is_over:
            break
    return game


def measurements() -> Measurements:
    """Two benchmarks of three rounds."""
    speeds = {"play": [10.0, 11.0, 12.0], "solve": [2.0, 2.5, 2.25]}
    counts, units = {"play": 5, "solve": 5}, {"play": "games", "solve": "decks"}
    machine = {"processor": "any", "cores": "2"}
    return Measurements(speeds, counts, units, "1.0", "2026-01-01", machine)


def dataset_summary() -> DatasetSummary:
    """A data set of ten games."""
    tally = Tally.empty(25)
    return DatasetSummary(
        folder=Path("games"),
        teams=[["iggi"]],
        tally=tally,
        games=10,
        files=1,
        all_files=1,
        resumed=0,
        written=600,
        seconds=1.0,
        threads=1,
    )


MAKERS: dict[str, Callable[[], Result]] = {
    "lab.simulate.Simulation": lambda: simulate("piers", **RUN),
    "lab.simulate.RunAnalysis": run_analysis,
    "lab.compare.Comparison": lambda: compare(["iggi", "piers"], **RUN),
    "lab.crossplay.Crossplay": lambda: crossplay(["iggi", "piers"], **RUN),
    "lab.sweep.Sweep": lambda: sweep("rule-based", vary={"hint-rule": [1, 3]}, **RUN),
    "lab.tune.Tuning": lambda: tune("rule-based", **TUNE, **RUN),
    "lab.adhoc.AdHoc": lambda: adhoc("random", games=2, threads=1),
    "lab.adhoc.AdHocTable": lambda: AdHocTable((adhoc("random", games=2, threads=1),)),
    "lab.results_table.ResultsTable": lambda: results_table(
        [find_strategy("iggi")], games=10, threads=1
    ),
    "lab.solve.Answer": lambda: solve(Deck.shuffled(players=2, seed=3)),
    "lab.solve.HiddenAnswer": lambda: solve(
        Game(players=2, suits=2, ranks=3, hand_size=2, seed=3), hidden=True
    ),
    "lab.analyze.Analysis": lambda: analyze(play("piers", Deck.shuffled(players=2, seed=3))),
    "lab.review.game_review.Review": lambda: review(
        short_game(), "iggi", worlds=8, open_cards=False, cached=False
    ),
    "lab.review.statistics.PlayerStatistics": lambda: player_statistics(
        [review(short_game(), "iggi", worlds=8, open_cards=False, cached=False)]
    ),
    "lab.review.statistics.StrategyReview": lambda: review_strategy(
        "iggi", preset("classic", 2, **SMALL), 2, worlds=8, threads=1, cached=False
    ),
    "lab.winnable.WinnableCount": lambda: winnable(2, decks=20, threads=1),
    "lab.small_games.SmallGames": lambda: solve_small_games(table_of_games(100)[:2]),
    "lab.best_response.BestResponse": lambda: best_response(
        "optimal", preset("classic", 2, **SMALL)
    ),
    "lab.optimum.Optimum": lambda: optimum(preset("classic", 2, **SMALL)),
    "lab.validation.check.CheckReport": lambda: check(
        "iggi", games=2, compared=1, rules=[preset("classic", 2)], baselines=["random"]
    ),
    "lab.dataset.make.DatasetSummary": dataset_summary,
    "bench.measurements.Measurements": measurements,
    "bench.measurements.Comparison": lambda: SpeedComparison(measurements(), measurements()),
    "papers.reproduction.Reproduction": lambda: reproduce("thesis", only="thesis.3.8"),
    "lab.exact_table.ExactTable": lambda: exact_table(
        [theory.count_decks(2, 1, 1, hand=hand) for hand in (1, 2)], "Decks that are won"
    ),
}
"""How to make an instance of each class of results, by the name of the class."""


@cache
def made(name: str) -> Result:
    """Return an instance of a class; each is made once."""
    return MAKERS[name]()


def classes_of_results() -> Iterator[str]:
    """Yield the names of all classes of the package that derive from `Result`."""
    package = Path(hanabilab.__file__).parent
    for source in package.rglob("*.py"):
        module = ".".join(source.relative_to(package).with_suffix("").parts)
        text = source.read_text(encoding="utf-8")
        for node in ast.parse(text).body if "Result" in text else ():
            if isinstance(node, ast.ClassDef) and "Result" in map(ast.unparse, node.bases):
                yield f"{module}.{node.name}"


def test_every_class_of_results_is_tested() -> None:
    assert set(classes_of_results()) == MAKERS.keys(), (
        "add a line to MAKERS for each new class that derives from Result"
    )


@pytest.fixture(params=MAKERS)
def result(request: pytest.FixtureRequest) -> Result:
    return made(request.param)


def test_data_and_json_agree(result: Result) -> None:
    data = result.to_dict()
    assert data
    assert all(isinstance(key, str) for key in data)
    assert json.loads(result.to_json()).keys() == data.keys()


def test_rows_have_the_same_columns(result: Result) -> None:
    rows = result.rows()
    assert all(list(row) == list(rows[0]) for row in rows)


def test_a_data_frame_has_a_row_for_each_row(result: Result) -> None:
    pytest.importorskip("pandas")
    frame = result.to_frame()
    assert len(frame) == len(result.rows())
    assert list(frame.columns) == (list(result.rows()[0]) if result.rows() else [])


def test_the_text_is_one_line(result: Result) -> None:
    text = str(result)
    assert 5 < len(text) <= LINE_LENGTH
    assert text.isprintable()
    assert text.startswith(shortened(result.summary())[:100])


def test_what_a_prompt_shows_is_text_and_no_dump(result: Result) -> None:
    assert "=(" not in repr(result)
    assert 5 < len(repr(result)) < 5000


def test_a_notebook_shows_html(result: Result) -> None:
    parser = Balanced()
    parser.feed(result._repr_html_())
    assert parser.open == []
    assert "p" in parser.seen


@pytest.mark.parametrize("suffix", [".csv", ".json", ".md", ".tex"])
def test_it_is_saved_and_returned(result: Result, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"result{suffix}"
    assert result.save(file) is result
    text = file.read_text(encoding="utf-8")
    assert text
    if suffix == ".json":
        assert json.loads(text)
    elif suffix == ".csv":
        assert len(text.splitlines()) == 1 + len(result.rows())


def test_it_can_be_plotted(result: Result, tmp_path: Path) -> None:
    figure = result.plot(str(tmp_path / "plot.svg"))
    assert (tmp_path / "plot.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert figure.axes[0].has_data()


def test_long_text_is_cut_at_the_end() -> None:
    assert shortened("a\nb  c") == "a b c"
    assert shortened("x" * 200) == "x" * (LINE_LENGTH - 1) + "…"
