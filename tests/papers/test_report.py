"""The report needs nothing but itself, and shows what was found."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabilab.cli import build_parser
from hanabilab.formats.svg import histogram_svg
from hanabilab.papers import reproduce
from hanabilab.papers.report.figures import (
    Figure,
    Line,
    Section,
    heat_map,
    line_chart,
    round_ticks,
)
from hanabilab.papers.report.page import report_html
from hanabilab.papers.reproduction import Reproduction, error_summaries, select_tables
from hanabilab.papers.runner import SampleSize
from hanabilab.papers.thesis.appendix_b import SIZES

Command = Callable[..., tuple[int, str, str]]


def small(patch: pytest.MonkeyPatch) -> None:
    """Make the samples very small."""
    for interpretation in SIZES:
        patch.setitem(SIZES, interpretation, SampleSize((20, 2), (20, 2)))
    patch.setattr("hanabilab.papers.items.MORE", 1)


@pytest.fixture(scope="module")
def found() -> Iterator[Reproduction]:
    """The ωh table of Appendix B."""
    with pytest.MonkeyPatch.context() as patch:
        small(patch)
        yield reproduce("thesis", only="thesis.B11")


def test_nothing_is_fetched(found: Reproduction) -> None:
    page = report_html(found)
    assert "http" not in page
    assert not re.findall(r"<(?:script |link|img|iframe)|@import|url\(|fetch\(|import\b", page)
    assert page.count("<main>") == page.count("</main>") == 1


def test_it_shows_printed_and_ours(found: Reproduction) -> None:
    page = report_html(found)
    assert "15.3863 · 24 · 4" in page  # printed
    assert "Figure 4" in page
    assert "hanabilab reproduce --only &#x27;thesis.B11&#x27; --seed 1" in page
    assert "thesis-program" in page
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert drawings
    for drawing in drawings:
        ElementTree.fromstring(drawing)


def test_contents_and_filter_cover_every_table(found: Reproduction) -> None:
    page = report_html(found)
    contents = page.partition("<nav>")[2].partition("</nav>")[0]
    links = re.findall(r'href="#([^"]+)"', contents)
    assert {"thesis", "thesis.B11", "departures", "errata"} <= set(links)
    for link in links:
        assert page.count(f' id="{link}"') == 1
    chosen = re.findall(r'data-verdicts="([^"]+)" data-items="(\d+)"', page)
    assert sum(int(items) for _, items in chosen) == len(found.findings)
    options = re.findall(r'<option value="(\w+)">', page)
    assert {verdict for verdicts, _ in chosen for verdict in verdicts.split()} <= set(options)


@pytest.mark.parametrize(
    "table", ["aspects.3", "thesis.one-suit", "thesis.steps", "thesis.conjectures"]
)
def test_the_command_of_a_mathematical_item_shows_it(command: Command, table: str) -> None:
    found = reproduce(only=table).findings
    assert found
    for finding in found:
        line = finding.measured.command
        arguments = build_parser().parse_args(shlex.split(line)[1:])
        if arguments.command == "reproduce":
            tables = select_tables(only=arguments.only)
            assert finding.item.id in {item.id for part in tables for item in part.items}
        elif arguments.command == "count" and type(finding.measured.got) is int:
            assert f"{finding.measured.got:,}"[:5] in command(*shlex.split(line)[1:])[1]


def test_it_says_what_was_played_before(
    found: Reproduction, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "earlier run" not in report_html(found)
    monkeypatch.setattr(found.runner, "resumed", 1_212)
    assert "minutes (1,212 matches are from an earlier run)" in report_html(found)


def test_figure_2_of_aspects_is_drawn_from_its_own_items(monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch)
    page = report_html(reproduce("aspects", only="aspects.F2"))
    assert "Aspects, Figure 2" in page
    assert all(f"{symbol}, program" in page for symbol in ("ωp", "ωd", "ωh"))
    assert "no other ωp, ωd or ωh" in page


def test_sections_of_others(found: Reproduction, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Section("beyond", "Beyond", "<p>more</p>", (Figure("a figure", "<svg></svg>"),))
    monkeypatch.setattr(
        "hanabilab.papers.report.page.EXTRA_SECTIONS", [lambda found: mine, lambda found: None]
    )
    page = report_html(found)
    assert '<h2 id="beyond">Beyond</h2><p>more</p>' in page
    assert '<a href="#beyond">' in page


def test_agreement_counts_cells(found: Reproduction) -> None:
    program, paper = error_summaries(found.findings)
    assert (program.interpretation, paper.interpretation) == ("program", "paper")
    assert program.cells == 44
    assert 0 < program.mean < 1 < paper.farthest


def test_files(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "report"
    code, out, err = command("reproduce", "hoad", "--out", folder)
    assert code == 0
    assert "index.html: written" in err
    assert "no discard with 8 tokens" in (folder / "index.html").read_text("utf-8")
    results = json.loads((folder / "results.json").read_text("utf-8"))
    assert len(results) == 31
    assert "hoad" in out


def test_a_histogram_starts_at_its_lowest_number() -> None:
    drawing = histogram_svg([4, 1, 5, 0, 10], "scores", lowest=1, mean=2.5)
    assert re.findall(r"<title>(.*?)</title>", drawing) == ["1: 5.00 %", "2: 25.00 %", "4: 50.00 %"]
    assert 'd="M210.0 0V110"' in drawing  # halfway between 2 and 3, of four bars


def test_charts_are_well_formed() -> None:
    line = Line("a < b", [(0, 1, 0.1), (1, 30, 0.0)])
    chart = line_chart([line], "x & y", "z", x_ticks=[0, 1], y_ticks=[0, 10, 20])
    for drawing in (
        chart.partition("<div")[0],
        histogram_svg([3, 1, 5, 9], "scores", lowest=1, mean=2.0),
        heat_map([("1 1", [("<m>", 0.0), ("n", 3.0)])], 2.0),
    ):
        ElementTree.fromstring(drawing)
    assert "a &lt; b" in chart


@given(st.floats(0, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_and_hold_the_bounds(low: float, span: float) -> None:
    ticks = round_ticks(low, low + span)
    assert 3 <= len(ticks) <= 9
    assert ticks[0] <= low + 1e-9 * low
    assert ticks[-1] >= (low + span) * (1 - 1e-9)
    assert ticks == sorted(set(ticks))


def test_ticks_are_round() -> None:
    assert round_ticks(0, 150) == [0, 50, 100, 150]
    assert round_ticks(11.63, 13.42) == [11.5, 12, 12.5, 13, 13.5]
    assert round_ticks(0.0, 0.1) == [0, 0.02, 0.04, 0.06, 0.08, 0.1]
