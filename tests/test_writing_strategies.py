"""How to write strategies: the tables are those of the source, and the shown test passes."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from hanabilab.game.state import State
from tests.document_fields import DOCUMENTED, PAGE, fields_of, regenerated
from tests.documents import save_files


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
    save_files(PAGE, tmp_path)
    return tmp_path


def test_the_shown_test_passes(folder: Path) -> None:
    spec = importlib.util.spec_from_file_location("test_mine", folder / "test_mine.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.test_it_can_be_trusted()
    sys.modules.pop("classes", None)
