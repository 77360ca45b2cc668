"""Results show themselves: short text, HTML in the colours around it, tables for papers."""

from __future__ import annotations

import csv
import html.parser
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hanabilab as hl
from hanabilab.formats.data_table import DataTable, escape_latex
from hanabilab.lab.results_table import results_table
from tests.conftest import Answer

Command = Callable[..., Answer]
RUN: dict[str, Any] = {"players": 3, "games": 20, "seed": 1, "threads": 1}


@pytest.fixture(scope="module")
def things() -> dict[str, Any]:
    """One of everything that shows itself."""
    game = hl.play("piers", hl.Deck.shuffled(players=2, seed=3))
    return {
        "Simulation": hl.simulate("piers", **RUN),
        "Comparison": hl.compare(["iggi", "piers"], **RUN),
        "Crossplay": hl.crossplay(["iggi", "piers"], **RUN),
        "Sweep": hl.sweep("rule-based", vary={"hint-rule": [1, 3]}, **RUN),
        "Tuning": hl.tune(
            "rule-based", vary={"hint-rule": [1, 3]}, budget=2, final_games=20, **RUN
        ),
        "Answer": hl.solve(game.deck),
        "Analysis": hl.analyze(game),
        "View": game.view(1),
        "Rules": game.rules,
        "Deck": game.deck,
        "Game": game,
    }


NAMES = (
    *("Simulation", "Comparison", "Crossplay", "Sweep", "Tuning", "Answer", "Analysis"),
    *("View", "Rules", "Deck", "Game"),
)


@pytest.mark.parametrize("name", NAMES)
def test_the_text_is_short_and_no_dump(things: dict[str, Any], name: str) -> None:
    text = repr(things[name])
    assert 20 < len(text) < 1000
    assert not re.search(r"\w+=\w*\(|array\(|histogram=", text)
    assert max(map(len, text.splitlines())) < 300


class Balanced(html.parser.HTMLParser):
    """Note the tags, and raise if they do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.seen.add(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", NAMES)
def test_the_html_is_whole_and_needs_nothing_else(things: dict[str, Any], name: str) -> None:
    text = things[name]._repr_html_()
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []
    assert parser.seen & {"table", "svg"}
    assert "script" not in parser.seen
    assert not re.search(r"https?://(?!www\.w3\.org)|url\(|@import", text)
    if name not in ("View", "Game", "Deck"):  # cards have colours of their own, light and dark
        assert not re.search(r"#[0-9a-f]{3,6}\b|rgb\(", text)
    else:
        assert "light-dark(" in text
        assert "color-scheme: light dark" not in text.replace(".hl-board.whole { color-scheme", "")


def test_a_view_shows_no_hidden_card(things: dict[str, Any]) -> None:
    view = hl.Game(players=2, seed=1).view(0)
    assert "??" in repr(view)
    assert re.search(r"player 1 +g3  g2  y2  y4  y3", repr(view))


def test_custom_rules_say_what_is_unusual() -> None:
    rules = hl.preset("classic", 3, lives=None, open_game=True)
    assert repr(rules) == ("<Rules: custom, 3 players, 5 cards each, lives None, open_game True>")
    assert repr(hl.preset("cox", 5)) == "<Rules: cox, 5 players, 4 cards each>"


def test_plots_are_pictures_in_a_notebook(things: dict[str, Any]) -> None:
    for name in ("Simulation", "Comparison", "Crossplay", "Sweep", "Tuning"):
        assert things[name].plot()._repr_png_().startswith(b"\x89PNG")


def in_brackets(text: str) -> Iterator[str]:
    yield from re.findall(r"\\textbf\{((?:[^{}]|\{\})*)\}", text)


@pytest.mark.parametrize(
    ("name", "best"),
    [("Comparison", ["piers"]), ("Crossplay", []), ("Sweep", [])],
)
def test_tables_for_papers(
    things: dict[str, Any], tmp_path: Path, name: str, best: list[str]
) -> None:
    result = things[name]
    for suffix in ("tex", "md", "csv", "jsonl", "parquet"):
        result.save(tmp_path / f"table.{suffix}")
    latex = (tmp_path / "table.tex").read_text(encoding="utf-8")
    for part in ("tabular", "toprule", "midrule", "bottomrule", r"$\pm$", r"\usepackage{booktabs}"):
        assert part in latex
    assert not re.search(r"(?<!\\)[%#_](?!.*booktabs)", re.sub(r"^%.*$", "", latex, flags=re.M))
    columns = re.findall(r"begin\{tabular\}\{([lr]+)\}", latex)
    for spec, body in zip(
        columns, re.findall(r"toprule\n(.*?)\\bottomrule", latex, re.S), strict=True
    ):
        for line in body.replace("\\midrule\n", "").splitlines():
            assert line.count(" & ") + 1 == len(spec)
            assert line.endswith(r" \\")
    markdown = (tmp_path / "table.md").read_text(encoding="utf-8")
    top = f"{max(entry['mean'] for entry in result.rows()):.2f}"
    marked = re.findall(r"\*\*(.+?)\*\*", markdown)
    assert [text for text in marked if text.startswith(top)]
    assert marked[: len(best)] == best
    assert [text.replace(r" $\pm$ ", " ± ") for text in in_brackets(latex)] == marked
    rows = [json.loads(line) for line in (tmp_path / "table.jsonl").read_text().splitlines()]
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
        assert [row["mean"] for row in csv.DictReader(file)] == [str(row["mean"]) for row in rows]
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(tmp_path / "table.parquet")
    assert table.column("mean").to_pylist() == [row["mean"] for row in rows]
    assert table.column("histogram").to_pylist() == [row["histogram"] for row in rows]


def test_results_mark_the_best_of_each_number_of_players(tmp_path: Path) -> None:
    found = [hl.find_strategy(name) for name in ("iggi", "piers")]
    table = results_table(found, games=20, threads=1)
    table.save(tmp_path / "results.tex")
    latex = (tmp_path / "results.tex").read_text(encoding="utf-8")
    assert len(list(in_brackets(latex))) == 4


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "iggi", "piers"],
        ["crossplay", "iggi", "piers"],
        ["sweep", "rule-based", "--vary", "hint-rule=1,3"],
        ["leaderboard", "iggi"],
    ],
)
def test_commands_save_tables_and_plots(command: Command, tmp_path: Path, words: list[str]) -> None:
    table, plot = tmp_path / "table.tex", tmp_path / "plot.svg"
    players = [] if words[0] == "leaderboard" else ["--players", "3"]
    options = [*players, "--games", "10", "--threads", "1"]
    code, _, err = command(*words, *options, "--save", table, "--plot", plot)
    assert code == 0, err
    assert "booktabs" in table.read_text(encoding="utf-8")
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    code, _, err = command(*words, *options, "--save", tmp_path / "table.doc")
    assert code == 2
    assert err.endswith("tables are saved as .csv, .jsonl, .json, .parquet, .md or .tex\n")


def test_signs_that_mean_something_are_escaped() -> None:
    assert escape_latex(r"50 % of a_b & {c}\~^<") == (
        r"50 \% of a\_b \& \{c\}\textbackslash{}\textasciitilde{}\textasciicircum{}\textless{}"
    )
    table = DataTable(header=("a", "b"), rows=(("x|y", "<i>"),), bold=frozenset({(0, 1)}))
    assert "x\\|y | **<i>**" in table.to_markdown()
    assert "<b>&lt;i&gt;</b>" in table.to_html()


def test_the_header_of_a_latex_table_is_escaped() -> None:
    table = DataTable(header=("50 %", "a_b & c"), rows=(("1 %", "2"),))
    lines = table.to_latex().splitlines()
    assert lines[lines.index(r"\toprule") + 1] == r"50 \% & a\_b \& c \\"
