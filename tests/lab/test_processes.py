"""Players in plain Python on several processes: the same games, errors and ends as on one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hanabilab as hl
from hanabilab.errors import StrategyError
from hanabilab.game.rules import preset
from hanabilab.lab.run import Run
from hanabilab.lab.simulate import Simulation
from hanabilab.lab.workers import local
from hanabilab.lab.workers.serialization import deserialize_work, serialize_work
from hanabilab.strategies.load import load_player

Command = Callable[..., tuple[int, str, str]]

PLAYERS = """
import os, time
import hanabilab.author as ha

def rng(observation, legal_moves):
    print("thinking aloud")
    return legal_moves[observation["seed"] % len(legal_moves)]

def slow(observation, legal_moves):
    time.sleep(0.001)
    return legal_moves[0]

def broken(observation, legal_moves):
    if observation["view"].turn == 3:
        raise ValueError("no idea")
    return legal_moves[0]

def cheeky(observation, legal_moves):
    return 9999

def mortal(observation, legal_moves):
    os._exit(7)

@ha.kernel
def first_slot(view, memory):
    return view.rules.hand_size

FIRST = ha.Strategy("first-slot", first_slot)
"""


@pytest.fixture
def players(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(PLAYERS)
    return file


@pytest.fixture
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "PROCESS_START_DELAY", -1.0)


def simulate(team: Any, **changes: Any) -> Simulation:
    settings: dict[str, Any] = {"players": 2, "games": 24, "seed": 3, "rules": "cox-program"}
    return hl.simulate(team, **{**settings, **changes})


@pytest.mark.usefixtures("_at_once")
def test_results_do_not_depend_on_processes(
    players: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A policy from a file, one of this test, and one of ours at the same table."""
    margin = 1

    def second(observation: dict[str, Any], legal_moves: list[int]) -> int:
        return legal_moves[margin % len(legal_moves)]

    team = [load_player(f"{players}:rng"), second, "rule-based"]
    results = []
    for threads in (1, 3):
        file = tmp_path / f"{threads}.csv"
        results.append(simulate(team, players=3, threads=threads, chunk=7, save=file))
        assert results[-1].threads == threads
    assert results[0].sums() == results[1].sums()
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "3.csv").read_bytes()
    out, err = capfd.readouterr()
    assert out.count("thinking aloud") + err.count("thinking aloud") > 0


@pytest.mark.usefixtures("_at_once")
def test_errors_are_those_of_one_thread(players: Path) -> None:
    for name in ("broken", "cheeky"):
        said = []
        for threads in (1, 2):
            with pytest.raises(StrategyError) as error:
                simulate(load_player(f"{players}:{name}"), threads=threads, games=2)
            said.append(str(error.value))
        assert said[0] == said[1]
    with pytest.raises(StrategyError, match="ended by itself, with code 7"):
        simulate(load_player(f"{players}:mortal"), threads=2)


def test_what_cannot_be_serialized_plays_here_or_is_an_error() -> None:
    lock = threading.Lock()

    def locked(observation: dict[str, Any], legal_moves: list[int]) -> int:
        with lock:
            return legal_moves[0]

    assert simulate(locked).threads == 1
    with pytest.raises(StrategyError, match=r"cannot be sent to another process: .*lock"):
        simulate(locked, threads=2)


def test_short_runs_start_no_process(monkeypatch: pytest.MonkeyPatch, players: Path) -> None:
    monkeypatch.setattr(local, "WorkerProcess", None)
    assert simulate(load_player(f"{players}:rng"), games=4, threads=2).games == 4


def test_kernels_of_a_file_are_kernels_in_other_processes(players: Path) -> None:
    """Sent by its place or by its text, even if the file has gone since."""
    found = load_player(f"{players}:FIRST")
    work = Run.of(preset("classic", 2), [[found, "search:blueprint=random"]], seed=1, games=1)
    by_text, by_place = (serialize_work(work, sources=sources) for sources in (True, False))
    here = deserialize_work(by_place).teams[0]
    players.unlink()
    there = deserialize_work(by_text).teams[0]
    for mine, search in (here, there):
        assert (mine.name, mine.location, mine.can_compile) == (
            found.name,
            f"{players}:FIRST",
            True,
        )
        assert search.label == "search:blueprint=random"
    assert here[0].act is found.act
    assert Path(there[0].act.__code__.co_filename).read_text() == PLAYERS


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split() if int(word) != pid]


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("strike", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left_behind(players: Path, strike: signal.Signals) -> None:
    process = subprocess.Popen(
        [
            *[sys.executable, "-m", "hanabilab", "simulate", f"{players}:slow"],
            *["--players", "2", "--games", "1000000", "--threads", "2", "--json"],
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while len(found := [pid for pid in children(process.pid) if is_running(pid)]) < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(strike)
    _, err = process.communicate(timeout=60)
    assert process.returncode == (130 if strike == signal.SIGINT else -9)
    assert "Traceback" not in err
    deadline = time.monotonic() + 60
    while any(map(is_running, found)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_program_without_a_guard_runs_once(tmp_path: Path) -> None:
    """Functions and classes of a script are pickled by value; the script is not run again."""
    script = tmp_path / "script.py"
    script.write_text(
        "import hanabilab as hl\n"
        "from hanabilab.lab.workers import local\n"
        "local.PROCESS_START_DELAY = -1.0\n"
        "print('started')\n"
        "class Policy:\n"
        "    def __call__(self, observation, legal_moves):\n"
        "        return legal_moves[0]\n"
        "print(hl.simulate(Policy(), players=2, games=4, threads=2).threads)\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, env={**os.environ}, check=False
    )
    assert (done.stdout.split(), done.returncode) == (["started", "2"], 0), done.stderr
