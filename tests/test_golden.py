"""Complete games, exactly as they have always been (`python -m tests.regenerate` writes them)."""

from __future__ import annotations

import pytest

from tests.regenerate import FOLDER, GAMES, playthrough


@pytest.mark.parametrize("name", GAMES)
def test_golden_playthrough(name: str) -> None:
    golden = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert playthrough(*GAMES[name]).splitlines() == golden


def test_no_golden_file_is_forgotten() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(GAMES)
