"""What is compiled is announced by its name and its usual time, and only if it is compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hanabilab.core import code_cache
from hanabilab.core import compile_times as times
from hanabilab.core.compile_times import PendingCompilation, announced, due, usual_seconds
from tests.conftest import UNOPTIMIZED

ASK = """
import sys
from hanabilab import preset
from hanabilab.strategies.load import load_player
from hanabilab.table.loop import pending_compilation
from hanabilab.table.loop import play_chunk

rules, team = preset("classic", 3), [load_player(sys.argv[1])] * 3
for _ in range(2):
    found = pending_compilation(rules, team)
    print(bool(found), ",".join(found.what), 0 <= found.seconds < 60, sep="|")
    play_chunk(rules, team, 1, 0, 1)
"""

OWN = """
import hanabilab.author as ha
from hanabilab.game import nth_legal

@ha.kernel
def act(view: ha.View, memory: ha.Memory) -> int:
    return nth_legal(view, 0)

first = ha.Strategy("first", act)
"""


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "kernels" / "digest"
    folder.mkdir(parents=True)
    monkeypatch.setattr(times, "cache_folder", lambda: folder)
    return folder


def python(code: str, *arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", UNOPTIMIZED + code, *arguments],
        env={**os.environ, "HANABILAB_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )


def test_what_is_due_is_what_is_then_compiled(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(OWN)
    for player, expected in (
        ("recommendation", "recommendation,play_games"),
        (f"{mine}:first", "first"),
    ):
        first, second = python(ASK, player, cache=tmp_path).stdout.splitlines()
        assert first == f"True|{expected}|True"
        assert second == "False||True"
    assert python(ASK, "recommendation", cache=tmp_path).stdout.startswith("False||")
    (noted,) = tmp_path.glob("kernels/*/times.json")
    assert set(json.loads(noted.read_text())) == {"recommendation", "play_games", "first"}


def test_slow_compilations_say_what_and_how_long(
    empty: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(times, "PATIENCE", 0.01)
    (empty / "times.json").write_text('{"hatter": 2.04, "search": 41}')
    for what, lines in (("hatter", 10), ("search", None), ("new", 3 * times.LINES_PER_SECOND)):
        with announced(what) as estimate:
            if lines:
                estimate(lines)
            time.sleep(0.2)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines() == [
        f"compiling {what} (once for this version; usually {usually}) ..."
        for what, usually in (("hatter", "2.0 s"), ("search", "41 s"), ("new", "3.0 s"))
    ]


def test_nothing_is_said_about_what_is_quick(
    empty: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with announced("quick"):
        pass
    assert capfd.readouterr() == ("", "")
    assert usual_seconds("quick") < 0.1


def test_times_come_from_the_version_before_and_survive_damage(empty: Path) -> None:
    assert not due(())
    assert due(["a"]) == PendingCompilation(("a",), times.FIRST_GUESS)
    older = empty.parent / "older"
    older.mkdir()
    (older / "times.json").write_text('{"a": 3.5, "b": 0.25}')
    assert str(due(["a", "b"])) == "a and b: usually 3.8 s"
    for damaged in ("", "[1]", '{"a": "x"}', "\x00"):
        (empty / "times.json").write_text(damaged)
        assert usual_seconds("b") == 0.25
    with announced("b"):
        pass
    assert usual_seconds("a") == 3.5
    assert usual_seconds("b") < 0.2
    assert code_cache.cache_folder() != empty
