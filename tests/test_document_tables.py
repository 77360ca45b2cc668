"""The tables of results in the pages are those of the stored files, with the facts about them."""

from __future__ import annotations

import re
import runpy
import shlex
from datetime import date
from pathlib import Path

import pytest

from hanabilab.cli import build_parser
from hanabilab.errors import FormatError
from hanabilab.lab.document_tables import (
    DATA,
    REFERENCE,
    TABLE,
    document_pages,
    look_up,
    read_result,
    update_page,
    write_result,
)
from hanabilab.lab.optimum_page import sections
from hanabilab.table.game import Game
from tests.document_pictures import PLOTS, digest, reviewed_games

ROOT = Path(__file__).resolve().parents[1]
PAGES = list(document_pages(ROOT))
NAMES = sorted(path.stem for path in (ROOT / DATA).glob("*.csv"))
HEADLINES = (
    "`search` scores [[strength | search | 3 | {mean}]] to "
    "[[strength | search | 4 | {mean}]] of 25",
    "and [[strength | search over duo | 2 | {mean} ± {stderr}]] with two",
    "Random games run [[speed-cpp | random games/s, HLE's C++ core, 2 players | ratio]] to "
    "[[speed-cpp | random games/s, HLE's C++ core, 5 players | ratio]] times as fast",
    "run [[speed-python | `envs.hle`, HLE's `rl_env`, steps/s | ratio]] to "
    "[[speed-python | `envs.hle`, HLE's `rl_env`, steps/s | ratio, 5 players]] times as fast",
)
"""Figures in the text of README.md, which is read as plain text, so without comments inside."""
STORED = """\
# command: hanabilab simulate piers --games 10
# games: 10
# seed: 1
# rules: hle
# date: 2026-11-17
"""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_show_what_is_stored(page: Path) -> None:
    assert update_page(page, ROOT) == page.read_text(encoding="utf-8"), "run `make tables`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_measured_tables_are_generated(page: Path) -> None:
    text = TABLE.sub("", page.read_text(encoding="utf-8"))
    measured = [line for line in text.splitlines() if line.startswith("|") and "±" in line]
    assert measured == [], "store it in docs/results/data: CONTRIBUTING.md says how"


def test_stored_and_computed_tables_have_different_names() -> None:
    assert set(NAMES).isdisjoint(sections())


@pytest.mark.parametrize("headline", HEADLINES)
def test_headlines_are_stored_figures(headline: str) -> None:
    sentence = REFERENCE.sub(lambda link: look_up(ROOT / DATA, link[1]), headline)
    assert sentence in " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def test_every_stored_result_is_shown() -> None:
    everything = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    linked = set(re.findall(r"<!-- (?:table|figure): ([\w-]+)", everything))
    for name in NAMES:
        rows = read_result(ROOT / DATA, name).rows
        cells = "".join(cell for row in rows for cell in row)
        linked |= {link.partition("|")[0].strip() for link in REFERENCE.findall(cells)}
    assert set(NAMES) <= linked


@pytest.mark.parametrize("name", NAMES)
def test_the_facts_let_a_reader_repeat_it(name: str, tmp_path: Path) -> None:
    result = read_result(ROOT / DATA, name)
    if result.fact("from"):
        assert result.fact("from") in NAMES
        return
    date.fromisoformat(result.fact("date"))
    for line in result.about["command"]:
        if line.startswith("hanabilab "):
            build_parser().parse_args(shlex.split(line)[1:])
        else:
            own = line.startswith(("python ", "make ", "valgrind "))
            assert own or (line, name) == ("none", "published"), line


@pytest.mark.parametrize("name", PLOTS)
def test_plots_are_drawn_from_what_is_stored(name: str) -> None:
    drawn = (ROOT / "docs" / "pictures" / f"{name}.png").read_bytes()
    assert digest(*PLOTS[name][1]).encode() in drawn, f"python -m tests.document_pictures {name}"
    assert any(f"pictures/{name}.png" in page.read_text(encoding="utf-8") for page in PAGES)


def test_every_picture_of_a_review_has_its_game() -> None:
    games = reviewed_games()
    assert len(games) == 6
    assert len({Game.read(link).deck for link in games.values()}) == 6


def test_the_curves_of_learning_are_those_of_their_files() -> None:
    curves = runpy.run_path(str(ROOT / "examples" / "curves.py"))
    files = sorted((ROOT / "docs" / "pictures" / "ppo").glob("*.csv"))
    lines = list(curves["table"]({file.stem: curves["read"](file) for file in files}))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    stored = read_result(ROOT / DATA, "ppo")
    assert [rows[0], *rows[2:]] == [list(row) for row in (stored.header, *stored.rows)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one page and two stored results."""
    folder = tmp_path / DATA
    folder.mkdir(parents=True)
    (folder / "scores.csv").write_text(f"{STORED}players,mean\n2,17.3 ± 0.1\n3,a|b\n")
    about = {
        "rows": "strategy",
        "columns": "players",
        "heading": "{} players",
        "cell": "{mean:.1f}",
    }
    facts = dict(line[2:].split(": ", 1) for line in STORED.splitlines()) | about
    records = [
        {"strategy": "piers", "players": 2, "mean": 17.34, "perfect": 0.0001},
        {"strategy": "piers", "players": 3, "mean": 17.54, "perfect": 0},
        {"strategy": "iggi", "players": 3, "mean": 16.81, "perfect": 0.5},
    ]
    write_result(folder / "records.csv", facts, records)
    (folder / "selection.csv").write_text(
        "# from: records\nplayers,piers\n3,[[records | piers | 3 | {mean} / {perfect:percent}]]\n"
    )
    return tmp_path


def filled(project: Path, text: str) -> str:
    page = project / "docs" / "page.md"
    page.write_text(text, encoding="utf-8")
    page.write_text(update_page(page, project), encoding="utf-8")
    assert update_page(page, project) == page.read_text(encoding="utf-8")
    return page.read_text(encoding="utf-8")


def test_a_table_is_written_with_its_facts(project: Path) -> None:
    text = filled(project, "a\n\n<!-- table: scores -->\nold\n<!-- end of table -->\n\nb\n")
    assert text == (
        "a\n\n<!-- table: scores -->\n\n| players | mean |\n| --- | --- |\n"
        "| 2 | 17.3 ± 0.1 |\n| 3 | a\\|b |\n\n"
        "`hanabilab simulate piers --games 10`: 10 games; seed 1; rules hle; 2026-11-17 "
        "([data](results/data/scores.csv)).\n\n<!-- end of table -->\n\nb\n"
    )


def test_records_are_arranged_and_picked(project: Path) -> None:
    text = filled(project, "<!-- table: records -->\n<!-- end of table -->\n")
    assert "| strategy | 2 players | 3 players |\n| --- | ---: | ---: |\n" in text
    assert "| `piers` | 17.3 | 17.5 |\n| `iggi` |  | 16.8 |\n" in text
    text = filled(project, "<!-- table: selection -->\n<!-- end of table -->\n")
    assert "| 3 | 17.54 / 0 % |" in text
    assert "records.csv" in text
    text = filled(project, "<!-- figure: records | piers | 2 | {perfect:percent} -->x<!-- end -->")
    assert ">0.0 %<" in text


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("<!-- table: scored -->\n<!-- end of table -->", "no stored result .*scored.csv"),
        ("<!-- figure: scores | 9 | mean -->1<!-- end -->", "scores.csv has no row '9'"),
        ("<!-- figure: scores -->1<!-- end -->", "is not NAME | ROW | COLUMN"),
    ],
)
def test_mistakes_are_named(project: Path, text: str, error: str) -> None:
    with pytest.raises(FormatError, match=f"page.md: .*{error}"):
        filled(project, text)


def test_incomplete_files_are_rejected(project: Path) -> None:
    path = project / DATA / "scores.csv"
    path.write_text(path.read_text().replace("# seed: 1\n", ""))
    with pytest.raises(FormatError, match="`# seed: …` is missing"):
        read_result(project / DATA, "scores")
    path.write_text(f"{STORED}players,mean\n2\n")
    with pytest.raises(FormatError, match="line 7: 1 cells, expected 2"):
        read_result(project / DATA, "scores")
