"""Compiled code is never stale, does not pile up, and is not needed for small things."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hanabilab
from tests.conftest import UNOPTIMIZED

SOURCE = Path(hanabilab.__file__).parent

DISCARD = (
    UNOPTIMIZED
    + """
import numpy as np
import hanabilab
from hanabilab import Deck
from hanabilab.author import Event
from hanabilab.core import machine_code
from hanabilab.core.record import pack
from hanabilab.game.state import State, initial_state
from hanabilab.game.turn import deal, take_turn
deck = Deck.shuffled(players=2, seed=1, hint_tokens=1)
state = State()
deal(state, initial_state(deck.rules), list(deck))
arguments = (pack(state)[0], np.array(deck.cards), pack(Event(kind=0, slot=0))[0])
machine_code.run(take_turn, *arguments)
print(hanabilab.__file__, arguments[0]["discarded"].tolist(), arguments[0]["turn"])
"""
)
"""A turn, compiled: `take_turn` is in turn.py and calls `put_on_discards` in state.py."""


def run(package: Path, code: str, cache: Path) -> str:
    """Run a program that looks for its modules in a folder first, then in this checkout.

    Bytecode is read, but not written: Python does not see that a source was edited within the
    same second.
    """
    path = os.pathsep.join([str(package), str(SOURCE.parent)])
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "HANABILAB_CACHE": str(cache),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    shutil.copytree(SOURCE, folder / "hanabilab")
    return folder


def test_edits_are_seen_and_files_do_not_pile_up(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = run(package, DISCARD, cache)
    assert first.startswith(str(package))
    kept = files(cache)
    assert kept
    assert run(package, DISCARD, cache) == first
    assert files(cache) == kept

    state = package / "hanabilab" / "game" / "state.py"
    text = state.read_text(encoding="utf-8")
    line = "    add_copy(state.discarded, card)\n"
    assert text.count(line) == 1
    state.write_text(text.replace(line, line * 2), encoding="utf-8")
    edited = run(package, DISCARD, cache)
    assert edited != first
    after = files(cache)
    assert run(package, DISCARD, cache) == edited
    assert files(cache) == after


HELPER = """
from hanabilab.author import kernel

@kernel
def pick(view):
    return view.rules.hand_size + SLOT
"""

STRATEGY = """
from hanabilab.author import Strategy, kernel
from helper import pick

@kernel
def act(view, memory):
    return pick(view)

MINE = Strategy("mine", act)
"""

CALL = """
from hanabilab.author import View
from hanabilab.core import machine_code
from hanabilab.core.record import pack
from mine import act
view = View()
view.rules.hand_size = 10
view = pack(view)[0]
print(machine_code.run(act, view, 0))
"""


def test_edits_of_other_peoples_kernels_are_seen(tmp_path: Path) -> None:
    """A strategy may call kernels in files of its own, which the package knows nothing of."""
    cache = tmp_path / "cache"
    (tmp_path / "mine.py").write_text(STRATEGY)
    counts = []
    for slot in (1, 2, 2):
        (tmp_path / "helper.py").write_text(HELPER.replace("SLOT", str(slot)))
        assert run(tmp_path, CALL, cache) == f"{10 + slot}\n"
        counts.append(len(files(cache)))
    assert counts == [counts[0], counts[0] + 1, counts[0] + 1]


CALLED = """
import ctypes
import sys
from hanabilab.author import Memory, View
from hanabilab.core.machine_code import Callback, callbacks
from hanabilab.core.record import pack
from mine import act

class Answer(ctypes.Structure):
    _fields_ = [("action", ctypes.c_int64), ("status", ctypes.c_int64)]

(address,) = callbacks("mine", Callback(act, "int", (View, Memory)))
call = ctypes.CFUNCTYPE(Answer, ctypes.c_void_p, ctypes.c_void_p)(address)
view = View()
view.rules.hand_size = 10
view = pack(view)
compiled = "hanabilab.core.compiler.target" in sys.modules
print(call(view.ctypes.data, view.ctypes.data).action, compiled)
"""


def test_other_peoples_kernels_are_kept_with_all_that_they_reach(tmp_path: Path) -> None:
    """Functions in other files, and constants from anywhere."""
    cache = tmp_path / "cache"
    (tmp_path / "mine.py").write_text(STRATEGY)
    helper, limits = tmp_path / "helper.py", tmp_path / "limits.py"
    helper.write_text("from limits import SLOT\n" + HELPER)
    said = []
    for slot in (1, 1, 2, 2):
        limits.write_text(f"SLOT = {slot}\n")
        said.append(run(tmp_path, CALLED, cache).strip())
    helper.write_text(helper.read_text().replace("+", "-"))
    said += [run(tmp_path, CALLED, cache).strip() for _ in range(2)]
    compiled = ["11 True", "12 True", "8 True"]
    assert said == [text for once in compiled for text in (once, once.replace("True", "False"))]


def test_old_folders_are_removed(package: Path, tmp_path: Path) -> None:
    """However often the package is edited, a few folders remain."""
    cache = tmp_path / "cache"
    note = package / "hanabilab" / "note.py"
    before: set[str] = set()
    for edit in range(6):
        note.write_text(f"@kernel\ndef edit(): return {edit}\n", encoding="utf-8")
        code = "from hanabilab.core.code_cache import cache_folder; print(cache_folder().name)"
        newest = run(package, code, cache).strip()
        assert newest not in before
        before.add(newest)
        folders = {path.name for path in (cache / "kernels").iterdir()}
        assert newest in folders
        assert len(folders) <= 4


@pytest.mark.parametrize(
    "code",
    [
        "import hanabilab",
        "import hanabilab.cli; hanabilab.cli.build_parser().format_help()",
        "from hanabilab.cli import main; main(['rules'])",
        "from hanabilab.cli import main; main(['play', 'random', '--json'])",
        "import hanabilab; hanabilab.Game(players=2, seed=1).act('play 0')",
    ],
)
def test_small_things_load_nothing_heavy(code: str, tmp_path: Path) -> None:
    """Importing, `--help` and a game by hand need neither LLVM nor NumPy."""
    check = "\nimport sys; print('loaded:', {'numpy', 'llvmlite'} & set(sys.modules))"
    out = run(SOURCE.parent, code + check, tmp_path / "cache")
    assert out.endswith("loaded: set()\n")
    assert not (tmp_path / "cache").exists()
