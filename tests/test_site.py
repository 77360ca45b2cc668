"""The site: built strictly, whole, and without anything from elsewhere; notebooks that run."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote

import pytest

from hanabilab.cli import build_parser
from tests.conftest import Answer
from tests.documents import PAGES, blocks_of
from tests.notebooks import NOTEBOOKS, executed

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PACKAGES = {
    "hanabilab": "hanabilab",
    "hanabilab.game": "game",
    "hanabilab.strategies": "strategies",
    "hanabilab.theory": "theory",
    "hanabilab.envs": "envs",
    "hanabilab.lab.dataset": "dataset",
}


LEARNING = "train-a-policy"
"""What a network learns depends a little on the machine."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site: a broken link, an unknown reference or a page without a place fails."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def page(site: Path, name: str) -> str:
    return unescape((site / name).read_text(encoding="utf-8"))


def test_every_page_is_there(site: Path) -> None:
    pages = [*DOCS.rglob("*.md"), *NOTEBOOKS]
    assert len(pages) > 30
    for source in pages:
        assert (site / source.relative_to(DOCS).with_suffix(".html")).is_file(), source
    for name in ("contributing", "security", "changes"):
        assert (site / "project" / f"{name}.html").is_file()


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """Links may lead out; scripts, styles, fonts and pictures may not."""
    loading = re.compile(
        r"<(?!a\b)[a-z]+\b[^>]*\b(?:src|href|srcset|action)=[\"']?(?:https?:)?//[^>]*>"
    )
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert loading.findall(text) == [], path
    for path in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)[\s\"']*(?:https?:)?//", path.read_text("utf-8"))


def links(text: str) -> set[str]:
    """Return everything that a page links to or loads."""
    found = re.findall(r"<[a-z][^>]*?\s(?:href|src)=(?:\"([^\"]*)\"|([^\s>]+))", text)
    return {unquote(unescape(one or other)) for one, other in found}


def anchors(text: str) -> set[str]:
    """Return the names of the places in a page."""
    found = re.findall(r"\s(?:id|name)=(?:\"([^\"]*)\"|([^\s>]+))", text)
    return {unescape(one or other) for one, other in found}


def test_every_link_leads_to_a_page_and_a_place(site: Path) -> None:
    """Also those that are written as HTML or made by plugins, which the strict build ignores."""
    texts = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    places = {path: anchors(text) for path, text in texts.items()}
    wrong, checked = [], 0
    for path, text in texts.items():
        for link in links(text) if path.name != "404.html" else ():
            if re.match(r"[a-z]+:|//", link):
                continue
            target, _, anchor = link.partition("#")
            file = (path.parent / target.partition("?")[0]).resolve() if target else path
            checked += 1
            if not file.exists() or (anchor and file in places and anchor not in places[file]):
                wrong.append((path.name, link))
    assert wrong == []
    assert checked > 2000


def test_every_picture_has_an_alternative_text(site: Path) -> None:
    for path in site.rglob("*.html"):
        for picture in re.findall(r"<img\b[^>]*>", path.read_text(encoding="utf-8")):
            text = re.search(r'\balt="([^"]*)"', picture)
            assert text, (path, picture[:200])
            assert len(text[1].split()) >= 3, (path, text[1])


def test_the_search_knows_the_pages(site: Path) -> None:
    text = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("var __index = "))
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    for source in DOCS.rglob("*.md"):
        assert source.relative_to(DOCS).with_suffix(".html").as_posix() in found
    assert any("until-stderr" in entry["text"] for entry in index["docs"])
    assert "iframe-worker" in page(site, "index.html")  # lets it work from files


def test_every_public_name_has_its_place(site: Path) -> None:
    for package, name in PACKAGES.items():
        module = importlib.import_module(package)
        text = page(site, f"reference/python/{name}.html")
        for public in module.__all__:
            value = getattr(module, public)
            if not isinstance(value, ModuleType):
                assert re.search(rf'id="(?:{package}\.)?{public}"', text, re.IGNORECASE), public


@pytest.mark.parametrize("package", [*PACKAGES, "hanabilab.author", "hanabilab.analysis"])
def test_every_public_name_has_an_example(package: str) -> None:
    """In its docstring or in a block of the pages, both of which the tests run."""
    blocks = [block for page in PAGES for block in blocks_of(page) if block.kind == "python"]
    shown = set(re.findall(r"\w+", " ".join(block.text for block in blocks)))
    module = importlib.import_module(package)
    for public in set(module.__all__) - shown:
        value = getattr(module, public)
        members = vars(value).values() if isinstance(value, type) else ()
        texts = [each.__doc__ or "" for each in (value, *members)]
        assert any(">>>" in text for text in texts), public


def test_every_command_and_option_has_its_place(site: Path) -> None:
    text = page(site, "reference/commands.html")
    for name, parser in build_parser().commands.items():
        part = text.partition(f'id="{name}"')[2]
        assert part, name
        for action in parser.actions():
            for flag in action.option_strings:
                assert re.search(rf"{flag}\b", part.partition("<h3")[0]), (name, flag)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path) -> None:
    """Without an error, and with pictures; those kept in the file are there to be read."""
    kept = json.loads(path.read_text(encoding="utf-8"))["cells"]
    ran = executed(path).cells
    for cells in (kept, ran):
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        shown = {kind for output in outputs for kind in output.get("data", {})}
        assert shown & {"image/png", "image/svg+xml", "text/html"}
    if path.stem != LEARNING:
        assert printed(kept) == printed(ran)
    assert sum(len("".join(cell["source"]).split()) for cell in kept) < 1000


def printed(cells: Any) -> list[str]:
    """Return the text that each cell of a notebook prints, in one piece or in several."""
    return [
        "".join(
            text
            for output in cell.get("outputs", [])
            if output["output_type"] == "stream"
            for text in output["text"]
        )
        for cell in cells
    ]


def json_examples() -> list[tuple[str, set[str]]]:
    """Return the commands of the page of JSON keys, and the keys it lists for each."""
    text = (DOCS / "reference" / "json.md").read_text(encoding="utf-8")
    sections = re.findall(
        r"^`(hanabilab [^`\n]+ --json)`$(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL
    )
    return [
        (line, set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))) for line, table in sections
    ]


@pytest.mark.parametrize(("line", "keys"), json_examples())
def test_json_has_the_documented_keys(
    command: Callable[..., Answer], line: str, keys: set[str]
) -> None:
    code, out, err = command(*shlex.split(line)[1:])
    assert code == 0, err
    found = json.loads(out)
    assert set(found[0] if isinstance(found, list) else found) == keys
