"""What README and docs show works as shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from hanabilab.cli import build_parser
from tests.documents import save_files

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


MADE = ("reference/commands.md", "reference/python/", "../reference/commands.md", "python/")
"""Pages that are made when the site is built, which has its own test of links."""


ERROR = re.compile(r"^\$ .*\nhanabilab( \w+)?: .*$", re.MULTILINE)
"""A command that is shown with the error that it prints."""


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


def commands() -> list[str]:
    lines = [
        line[2:]
        .partition(" #")[0]
        .partition(" >> ")[0]
        .partition(" > ")[0]
        .partition(" < ")[0]
        .strip()
        for page in PAGES
        for block in blocks(page, "console")
        for line in ERROR.sub("", block.replace("\\\n", " ")).splitlines()
        if line.startswith("$ hanabilab ")
    ]
    return sorted(set(lines))


@pytest.mark.parametrize("line", commands())
def test_shown_commands_are_understood(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every `$ hanabilab …` in the documents has options that exist."""
    monkeypatch.chdir(tmp_path)
    save_files(ROOT / "docs" / "how-to" / "writing-strategies.md", tmp_path)
    build_parser().parse_args(shlex.split(line)[1:])


def test_the_readme_is_short_and_opens_with_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) < 200
    assert blocks(ROOT / "README.md", "console")[0].splitlines()[0].startswith("$ make demo")


def test_every_page_is_on_the_map() -> None:
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        start = page.relative_to(ROOT / "docs").parts[0] in ("start", "tutorials")
        linked = f"({page.relative_to(ROOT / 'docs').as_posix()})" in text
        assert linked or start or page.name == "index.md", page


def test_the_files_of_the_walks_exist() -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text()
    files = re.findall(r"`([a-z_]+/[\w/]+\.(?:py|js))`", text)
    assert len(files) > 30
    for file in set(files) - {"tests/test_layers.py"}:
        assert (ROOT / "src" / "hanabilab" / file).is_file(), file


def test_the_walk_of_a_simulation_has_no_file_twice() -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text()
    walk = text.partition("### A simulation")[2].partition("###")[0]
    files = re.findall(r"^\d+\. `([\w/]+\.py)`", walk, re.MULTILINE)
    assert len(files) == len(set(files)) > 6
    for file in files:
        assert (ROOT / "src" / "hanabilab" / file).is_file(), file


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in target and not target.startswith(MADE):
            assert (page.parent / target).exists(), target


def test_nothing_is_installed_from_where_it_is_not_published() -> None:
    for page in PAGES:
        for installed in re.findall(r"pip install (?:--\S+ )*(\S+)", page.read_text("utf-8")):
            assert installed.strip("'`").startswith("."), (page, installed)
