"""Machine code is the same with and without its compiler, and survives what happens to files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hanabilab.core import machine_code
from hanabilab.core.bits import nth_lowest
from hanabilab.core.code_cache import ObjectFile, forget_oldest, load_object, save_object
from hanabilab.core.random import below, chance
from hanabilab.core.record import pack
from hanabilab.errors import KernelRunError
from hanabilab.strategies import find_strategy
from tests.conftest import UNOPTIMIZED

PLAY = """
import sys
from hanabilab import simulate
result = simulate("piers", players=2, games=20, seed=3)
used = {name.removeprefix("hanabilab.core.") for name in sys.modules}
print(result.mean, "compiler.functions" in used, "compiler" in used)
"""


def play_in(cache: Path, first: str = "") -> list[str]:
    """Play; return the mean, and whether anything was compiled and the compiler loaded."""
    environment = {**os.environ, "HANABILAB_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", first + PLAY],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_a_warm_start_needs_no_compiler_and_damage_is_noticed(tmp_path: Path) -> None:
    mean, *used = play_in(tmp_path, UNOPTIMIZED)
    assert used == ["True", "True"]
    assert play_in(tmp_path) == [mean, "False", "False"]
    kept = sorted(tmp_path.rglob("*.o"))
    assert kept
    for number, path in enumerate(kept):
        whole = path.read_bytes()
        middle = len(whole) // 2
        damaged = [whole[:middle], whole[:middle] + b"?" + whole[middle + 1 :], b""]
        path.write_bytes(damaged[number % 3])
    assert play_in(tmp_path, UNOPTIMIZED) == [mean, "True", "True"]
    assert play_in(tmp_path) == [mean, "False", "False"]


def test_numbers_come_back_as_they_are() -> None:
    assert machine_code.run(nth_lowest, 0b1011000, 2) == nth_lowest(0b1011000, 2)
    memory = find_strategy("random").fresh_memory()
    memory.stream = 12345
    packed = pack(memory)[0]
    assert machine_code.run(below, packed, 1000) == below(memory, 1000)
    assert machine_code.run(chance, packed) == chance(memory)
    assert int(packed["stream"]) == memory.stream


def test_an_argument_beyond_63_bits_is_refused() -> None:
    with pytest.raises(KernelRunError, match="an argument is beyond 63 bits"):
        machine_code.run(nth_lowest, 1 << 64, 0)


def test_arrays_with_gaps_are_refused() -> None:
    with pytest.raises(TypeError, match="must be contiguous"):
        machine_code.prepare(nth_lowest, np.zeros((4, 4), np.int64)[:, 1], 2)


CODE = ObjectFile((("entry", "int", True),), ("ValueError: x",), (("a.py", 3, "f"),), b"\n\0 code")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    save_object(CODE, tmp_path / "a.o")
    assert load_object(tmp_path / "a.o") == CODE
    assert [path.name for path in tmp_path.iterdir()] == ["a.o"]
    assert load_object(tmp_path / "b.o") is None
    assert load_object(None) is None


def test_every_flipped_bit_and_every_missing_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.o"
    save_object(CODE, path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            assert load_object(path) is None, (place, bit)
        path.write_bytes(whole[:place])
        assert load_object(path) is None, place
    path.write_bytes(whole)
    assert load_object(path) == CODE


def test_foreign_files_are_not_loaded(tmp_path: Path) -> None:
    """A file under another name, behind a link, of another user, or that others can write."""
    path = tmp_path / "a.o"
    save_object(CODE, path)
    (tmp_path / "b.o").write_bytes(path.read_bytes())
    assert load_object(tmp_path / "b.o") is None
    link = tmp_path / "folder" / "a.o"
    link.parent.mkdir()
    link.symlink_to(path)
    assert load_object(link) is None
    path.chmod(0o620)
    assert load_object(path) is None
    path.chmod(0o600)
    assert load_object(path) == CODE
    if os.getuid() == 0:
        os.chown(path, 12345, -1)
        assert load_object(path) is None
    assert load_object(tmp_path) is None


def test_a_clock_that_runs_backwards_deletes_nothing_in_use(tmp_path: Path) -> None:
    for number in range(6):
        folder = tmp_path / str(number)
        folder.mkdir()
        os.utime(folder, (1_000 + number, 1_000 + number))
    forget_oldest(tmp_path, 4, tmp_path / "0")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "3", "4", "5"]
