"""How to write strategies: every block runs as shown, and the tables are those of the source."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hanabilab.game.state import State
from tests.conftest import Answer
from tests.document_fields import DOCUMENTED, PAGE, fields_of, regenerated
from tests.test_readme import blocks, save_files


def test_the_tables_are_those_of_the_source() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert regenerated(text) == text


def test_every_field_has_words() -> None:
    for kind in (*DOCUMENTED[1:], State):
        named = {name for names, _, _ in fields_of(kind) for name in names}
        expected = getattr(kind, "fields", None) or getattr(kind, "__dataclass_fields__", {})
        assert named == set(expected), kind


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])
    save_files(tmp_path)
    return tmp_path


def shown() -> list[tuple[str, list[str]]]:
    """Return each command of the page with the first lines of its output, as far as shown."""
    found: list[tuple[str, list[str]]] = []
    for block in blocks(PAGE, "console"):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:].partition(" #")[0], []))
            elif line != "…":
                found[-1][1].append(line)
    return found


@pytest.mark.usefixtures("folder")
def test_commands_do_what_is_shown(
    command: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All in one test, since they share compiled kernels; `check` and `bench` with less work."""
    monkeypatch.setattr("hanabilab.lab.checking.check.COMPARED", 1)
    monkeypatch.setattr("hanabilab.lab.checking.check.BESIDE", ())
    monkeypatch.setattr("hanabilab.bench.strategies.speed_up", lambda *given: 1.0)
    assert len(shown()) > 9
    for line, expected in shown():
        code, out, err = command(*shlex.split(line)[1:])
        assert code == 0, (line, err)
        assert out.splitlines()[: len(expected)] == expected, line


def test_the_shown_test_passes(folder: Path) -> None:
    spec = importlib.util.spec_from_file_location("test_mine", folder / "test_mine.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.test_it_can_be_trusted()
    sys.modules.pop("classes", None)
