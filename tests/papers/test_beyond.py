"""Beyond the papers: what was found can be played, looked for again, and read in the report."""

from __future__ import annotations

import itertools
import re
import shlex
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import hanabilab as hl
from hanabilab.cli import build_parser
from hanabilab.lab.sweep import score_options
from hanabilab.papers.report import beyond
from hanabilab.papers.report.beyond import (
    SEARCH_RESULTS,
    Budget,
    SearchResult,
    beyond_section,
    drawn_searches,
    optima,
    search_figures,
    variations,
)
from hanabilab.papers.report.figures import Figure
from hanabilab.papers.report.page import report_html
from hanabilab.papers.reproduction import Reproduction
from hanabilab.papers.runner import Runner, SampleSize
from hanabilab.strategies import find_strategy


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Runner:
    """A runner with tiny samples and searches."""
    few = SampleSize(quick=(4, 1), full=(8, 1))
    monkeypatch.setattr(beyond, "SIZES", dict.fromkeys(beyond.SIZES, few))
    monkeypatch.setattr(beyond, "OTHERS", ("piers",))
    tiny = {"quick": Budget(20, 10, 20), "full": Budget(12, 10, 20)}
    monkeypatch.setattr(beyond, "BUDGETS", tiny)
    return Runner(seed=3)


def test_all_criteria_numbers_of_players_and_readings_are_there() -> None:
    plain = {(f.objective, f.rules, f.players) for f in SEARCH_RESULTS if not f.changes}
    for players in (2, 3, 4, 5):
        assert ("score", "thesis", players) in plain
        assert ("score", "thesis-program", players) in plain
        assert ("perfect", "thesis", players) in plain
    changed = {change for found in SEARCH_RESULTS for change in found.changes}
    assert {("hint_tokens", 4), ("hint_tokens", 12), ("lives", 1), ("lives", 5)} <= changed
    assert max(found.players for found in SEARCH_RESULTS) == 6


@pytest.mark.parametrize("found", SEARCH_RESULTS, ids=str)
def test_what_was_found_can_be_looked_for_again(found: SearchResult) -> None:
    arguments = build_parser().parse_args(shlex.split(found.command)[1:])
    assert arguments.players == found.players
    assert arguments.objective == found.objective
    ours, thesis = find_strategy(found.strategy), find_strategy(found.thesis)
    assert ours.chosen.items() >= thesis.chosen.items()
    assert ours.option("interpretation") == thesis.option("interpretation")


def test_figures_are_played_not_kept(runner: Runner) -> None:
    rows = optima(runner, "score") + optima(runner, "perfect")
    assert len(rows) == len([found for found in SEARCH_RESULTS if not found.changes])
    for row in rows:
        assert row.ours.tally.decks == row.thesis.tally.decks == 4
        assert row.ours.match.strategy == row.found.strategy
        assert row.ours.tally.total > 0
    same = [row for row in rows if not row.found.options]
    assert all(row.ours.tally == row.thesis.tally for row in same)


def test_other_rules_are_really_played(runner: Runner) -> None:
    rows = {(row.found.players, row.found.changes): row for row in variations(runner)}
    usual = rows[3, ()].played["piers"]
    for change in (("hint_tokens", 4), ("lives", 1)):
        played = rows[3, (change,)].played["piers"]
        assert played
        assert usual
        assert played.tally != usual.tally
        assert f"--set-rule {change[0].replace('_', '-')}={change[1]}" in played.command
    assert len(rows) == 9


@pytest.mark.usefixtures("runner")
def test_the_report_has_the_section_with_the_whole_thesis() -> None:
    for seed in (0, 1):
        whole = Reproduction("all", None, "quick", seed, (), 0.0, Runner(seed=seed))
        section = beyond_section(whole)
        assert section
        for found in SEARCH_RESULTS[:8]:
            assert found.command in section.html
        assert "seed 2" in section.html  # seed 1 has the decks of the searches
    for paper, only in (("cox", None), ("all", "thesis.B1"), ("thesis", "thesis.B1")):
        part = Reproduction(paper, only, "quick", 1, (), 0.0, Runner())
        assert beyond_section(part) is None


def whole(runner: Runner) -> Reproduction:
    """Return a run of all papers without findings, for the sections beyond them."""
    return Reproduction("all", None, runner.effort, runner.seed, (), 0.0, runner=runner)


def circles(figure: Figure) -> list[tuple[float, float]]:
    """Return the places of the dots."""
    drawing = ElementTree.fromstring(figure.svg.partition("<div")[0])
    return [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in drawing.iter("circle")]


def paths(figure: Figure) -> list[list[tuple[float, float]]]:
    """Return the corners of the lines."""
    found = re.findall(r'<polyline[^>]*points="([^"]*)"', figure.svg)
    pairs = [[point.split(",") for point in points.split()] for points in found]
    return [[(float(x), float(y)) for x, y in line] for line in pairs]


@pytest.mark.usefixtures("runner")
def test_a_search_is_made_and_drawn() -> None:
    section = beyond_section(whole(Runner(seed=2)))
    assert section
    (figure,) = section.figures
    tuning = hl.tune(
        "rule-based:interpretation=program", players=2, rules="thesis-program",
        budget=20, games=10, final_games=20, seed=2, progress=False,
    )  # fmt: skip
    dots, (best, thesis, found) = circles(figure), paths(figure)
    assert len(dots) == len(tuning.history) == 20
    order = sorted(range(20), key=lambda number: dots[number][1])
    assert order[0] in [n for n, value in enumerate(tuning.values) if value == max(tuning.values)]
    heights = [y for _, y in best]
    assert heights == sorted(heights, reverse=True)
    assert heights[0] == dots[0][1]
    assert heights[-1] == min(y for _, y in dots)
    assert all(x == a or y == b for (x, y), (a, b) in itertools.pairwise(best))  # steps
    for line, candidate in ((thesis, tuning.default), (found, tuning.best)):
        assert line[0][1] == line[1][1]
        assert candidate.fresh
        assert f"fresh decks: {candidate.fresh.mean:.2f}" in figure.svg
    arguments = build_parser().parse_args(shlex.split(figure.command)[1:])
    assert (arguments.strategy, arguments.seed) == ("rule-based:interpretation=program", 2)
    assert (arguments.budget, arguments.games, arguments.final_games) == (20, 10, 20)
    assert "20 evaluations of 10 games" in figure.about


@pytest.mark.parametrize("objective", ["score", "perfect"])
@pytest.mark.parametrize("evaluations", [1, 5])
def test_any_search_can_be_drawn(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, objective: str, evaluations: int
) -> None:
    monkeypatch.setitem(beyond.BUDGETS, "quick", Budget(evaluations, 2, 2))
    one = SearchResult(players=3, objective=objective, options="")
    (figure,) = search_figures(whole(runner), [one])
    assert len(circles(figure)) == evaluations
    assert one.command_of(3) in figure.command
    if evaluations == 1:
        assert len(paths(figure)) == 2
        assert "Found: the same rule" in figure.caption


def test_without_the_optimiser_the_report_says_so(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cmaes", None)
    page = report_html(whole(runner))
    assert "pip install &#x27;hanabilab[tune]&#x27;" in page
    assert SEARCH_RESULTS[0].command in page
    assert "<figure" not in page


@pytest.mark.usefixtures("runner")
def test_a_full_run_goes_on_with_its_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def searches() -> list[Figure]:
        found = whole(Runner("full", folder=tmp_path))
        return list(search_figures(found, drawn_searches("full")))

    first = searches()
    assert len({figure.title for figure in first}) == 3
    files = {file: file.read_bytes() for file in tmp_path.glob("search-*")}
    assert len(files) == 3
    cut = min(files)
    cut.write_bytes(b"".join(files[cut].splitlines(keepends=True)[:4]) + b"half a li")
    second = searches()
    assert {file: file.read_bytes() for file in files} == files
    assert [figure.svg for figure in second] == [figure.svg for figure in first]
    assert "(4 results kept from before)" in second[0].about
    monkeypatch.setattr("hanabilab.lab.tune.score_options", None)  # nothing can be played
    assert [figure.svg for figure in searches()] == [figure.svg for figure in first]


def test_ctrl_c_ends_a_search_and_the_report(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = itertools.count()

    def play(*arguments: Any) -> Any:
        return score_options(*arguments) if next(calls) < 5 else None

    monkeypatch.setattr("hanabilab.lab.tune.score_options", play)
    with pytest.raises(KeyboardInterrupt):
        list(search_figures(whole(runner), SEARCH_RESULTS[:1]))
    assert next(calls) == 6
