"""No kernel of the package relies on what checks would refuse: they are off, unless asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import UNOPTIMIZED

GAMES = """
from hanabilab.game.rules import preset
from hanabilab.strategies import find_strategy
from hanabilab.table.loop import play_chunk

for name, rules, players, games in (
    ("information", "cox", 5, 200),
    ("recommendation", "rainbow-dutch", 6, 200),
    ("hatter", "hle", 5, 50),
    ("duo", "hle", 2, 20),
    ("conventions", "hle", 3, 50),
):
    strategy = find_strategy(name)
    play_chunk(preset(rules, players), [strategy] * players, 7, 0, games)
"""
DECKS = """
from hanabilab.game.rules import preset
from hanabilab.solver.kernels.search import decide_range

for players in (2, 3, 4, 5, 6):
    decide_range(preset("classic", players), 7, 0, 300)
"""
BEYOND = """
import numpy as np
from hanabilab.author import kernel
from hanabilab.core import machine_code

@kernel
def element(numbers: list[int], place: int) -> int:
    return numbers[place]

machine_code.in_package = lambda function: True  # as a kernel of the package
for place in (2, -1, 3, 1 << 40):
    try:
        print(machine_code.run(element, np.array([3, 1, 4]), place))
    except Exception as error:
        print(error)
"""


def checked(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program with run-time checks in the package's kernels."""
    path = folder / "program.py"
    path.write_text(UNOPTIMIZED + program)
    return subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "HANABILAB_CACHE": str(folder), "HANABILAB_CHECKED": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("program", [GAMES, DECKS], ids=["games", "decks"])
def test_kernels_stay_within_their_arrays(program: str, tmp_path: Path) -> None:
    ran = checked(program, tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_an_index_beyond_its_array_is_named(tmp_path: Path) -> None:
    ran = checked(BEYOND, tmp_path)
    assert not ran.stderr
    within, *beyond = ran.stdout.splitlines()
    assert within == "4"
    assert len(beyond) == 3
    for line in beyond:
        assert line.startswith("IndexError: list index out of range")
        assert "program.py, line 11)" in line
