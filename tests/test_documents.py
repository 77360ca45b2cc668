"""Every printed output in the pages is what the block prints; slow ones by `make docs-check`."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.documents import (
    PAGES,
    ROOT,
    Block,
    blocks_of,
    commands_of,
    matches,
    save_files,
    wrong_commands,
    wrong_prints,
)

SLOW = bool(os.environ.get("HANABILAB_DOCS"))
"""Whether to run the slow blocks as well."""


def has(page: Path, *kinds: str) -> bool:
    return any(block.kind in kinds for block in blocks_of(page))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """An empty folder but for the examples and the files that the page shows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    save_files(request.getfixturevalue("page"), tmp_path)
    if not SLOW:
        monkeypatch.setattr("hanabilab.lab.validation.check.COMPARED", 1)
        monkeypatch.setattr("hanabilab.lab.validation.check.BASELINES", ())
    return tmp_path


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if has(page, "console")],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
@pytest.mark.usefixtures("folder")
def test_commands_print_what_is_shown(page: Path) -> None:
    assert list(wrong_commands(page, slow=False)) == []
    if SLOW:
        assert list(wrong_commands(page, slow=True)) == []


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if has(page, "python")],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
@pytest.mark.usefixtures("folder")
def test_python_prints_what_is_shown(page: Path) -> None:
    assert list(wrong_prints(page, slow=SLOW)) == []


@pytest.mark.learn
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any(block.optional for block in blocks_of(page))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
@pytest.mark.usefixtures("folder")
def test_python_that_needs_optional_libraries(page: Path) -> None:
    assert list(wrong_prints(page, slow=False)) == []


def test_outputs_are_found() -> None:
    blocks = [block for page in PAGES for block in blocks_of(page) if block.kind == "console"]
    shown = [
        command for block in blocks for command in commands_of(block) if command.output.strip()
    ]
    assert len(shown) > 30
    left_out = [block for block in blocks if block.note]
    assert 5 * len(left_out) < len(blocks)
    assert len([block for block in left_out if block.note != "slow"]) < 9


def test_what_is_left_out_and_what_varies_is_allowed() -> None:
    assert matches("a\n…\nd\n", "a\nb\nc\nd\n")
    assert matches("x … z\n", "x y z\n")
    assert matches(
        "speed  1,000 games/s, 2 threads, 1.13 s\n", "speed  9 games/s, 8 threads, 0.2 s\n"
    )
    assert not matches("a\nc\n", "a\nb\nc\n")
    assert not matches("mean 1.23\n", "mean 1.24\n")
    assert not matches("a\n", "a\nb\n")
    (command,) = commands_of(Block("console", "$ hanabilab play x --json > game.json\n"))
    assert (command.line, command.file) == ("hanabilab play x --json", "game.json")
