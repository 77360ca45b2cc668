"""Commands in a folder whose files are named like modules of the standard library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHADOWS = ("string.py", "random.py", "types.py")
BOT = """\
import time

import hanabilab as hl
from hanabilab.game import nth_legal


def careful(view, memory):
    time.sleep(0.002)
    return nth_legal(view, 0)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in SHADOWS:
        (tmp_path / name).write_text(f"raise ImportError('{name} of the current folder')\n")
    (tmp_path / "own_bot.py").write_text(BOT)
    return tmp_path


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, as the installed script does: without the folder in the path."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "hanabilab", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_check(folder: Path) -> None:
    done = run(folder, "check", "own_bot.py:careful", "--games", "1", "--compared", "1")
    assert "of the current folder" not in done.stdout + done.stderr
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("where", [["--threads", "2"], ["--cluster", "local:2"]])
def test_processes_and_a_local_cluster(folder: Path, where: list[str]) -> None:
    words = ["simulate", "own_bot:careful", "--players", "2", "--games", "40", "--json"]
    done = run(folder, *words, *where)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["games"] == 40


def test_a_program(folder: Path) -> None:
    player = f"exec:{sys.executable} {ROOT / 'examples' / 'plain_player.py'}"
    done = run(folder, "simulate", player, "--players", "2", "--games", "3", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["games"] == 3
