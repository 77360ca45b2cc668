"""Machine code is the same with and without its compiler, and survives what happens to files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hanabilab import Rules
from hanabilab.core import machine_code, native
from hanabilab.core.bits import nth_lowest
from hanabilab.core.machine_code import ObjectFile
from hanabilab.core.random import below, chance
from hanabilab.core.record import pack
from hanabilab.strategies import find_strategy
from hanabilab.table.loop import play_games, set_table

PLAY = """
import sys
from hanabilab import simulate
result = simulate("piers", players=2, games=20, seed=3)
print(result.mean, "hanabilab.core.compiler" in sys.modules, "numba" in sys.modules)
"""


def play_in(cache: Path) -> list[str]:
    environment = {**os.environ, "HANABILAB_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PLAY],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_a_warm_start_needs_no_compiler_and_damage_is_noticed(tmp_path: Path) -> None:
    mean, *compilers = play_in(tmp_path)
    assert compilers == ["True", "False"]
    assert play_in(tmp_path) == [mean, "False", "False"]
    kept = sorted(tmp_path.rglob("*.o"))
    assert kept
    for number, path in enumerate(kept):
        whole = path.read_bytes()
        middle = len(whole) // 2
        damaged = [whole[:middle], whole[:middle] + b"?" + whole[middle + 1 :], b""]
        path.write_bytes(damaged[number % 3])
    assert play_in(tmp_path) == [mean, "True", "False"]
    assert play_in(tmp_path) == [mean, "False", "False"]


def test_numbers_come_back_as_they_are() -> None:
    assert machine_code.run(nth_lowest, 0b1011000, 2) == nth_lowest(0b1011000, 2)
    memory = find_strategy("random").fresh_memory()
    memory.stream = 12345
    packed = pack(memory)[0]
    assert machine_code.run(below, packed, 1000) == below(memory, 1000)
    assert machine_code.run(chance, packed) == chance(memory)
    assert int(packed["stream"]) == memory.stream


def test_arrays_and_tables_are_the_same_for_numba() -> None:
    rules, team = Rules.classic(2), [find_strategy("random")] * 2
    results = []
    for run in (machine_code.run, native.run):
        rows = np.zeros((12, 4), np.int64)
        table = set_table(rules, team, compiled=True)
        logs = np.zeros((12, 3), np.int64)
        assert run(play_games, table, 5, 0, 6, 2, logs, rows) == 12
        results.append((rows.tolist(), logs.tolist()))
    assert results[0] == results[1]


def test_arrays_with_gaps_are_refused() -> None:
    with pytest.raises(TypeError, match="do not follow each other"):
        machine_code.prepare(nth_lowest, np.zeros((4, 4), np.int64)[:, 1], 2)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    code = ObjectFile((("entry", "int"), ("other", "nothing")), b"\n\x00 code \n")
    code.save(tmp_path / "a.o")
    assert ObjectFile.load(tmp_path / "a.o") == code
    assert [path.name for path in tmp_path.iterdir()] == ["a.o"]
    assert ObjectFile.load(tmp_path / "b.o") is None
