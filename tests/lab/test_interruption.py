"""Ctrl-C and kill, sent to real processes.

Nothing is timed: the tests wait until a process has written something, and then strike.
"""

from __future__ import annotations

import csv
import json
import shlex
import signal
import subprocess
import sys
import time
import weakref
from pathlib import Path

import pytest

from hanabilab.cli import main
from hanabilab.cli.streams import sigterm_as_interrupt

COMMAND = [sys.executable, "-m", "hanabilab"]
THRESHOLDS = ["rule-based", "--vary", "play-threshold=0:1:0.2"]
RUN = ["--players", "3", "--games", "200", "--seed", "2"]
SWEEP = ["sweep", *THRESHOLDS, *RUN, "--vary", "hint-rule=1,3"]


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(folder: Path, name: str, size: int, process: subprocess.Popen[str]) -> None:
    while not any(path.stat().st_size >= size for path in folder.glob(name)):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def test_ctrl_c_keeps_the_statistics_so_far(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    process = start(
        *["simulate", "random", "--players", "2", "--rules", "cox-program"],
        *["--games", "1000000000000", "--json", "--save", str(file)],
    )
    wait_for(tmp_path, "games.csv.*.part", 10_000, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    data = json.loads(out)
    assert f"interrupted: these are the statistics of {data['games']:,} of" in err
    assert "Traceback" not in err
    with file.open() as stream:
        scores = [int(row["score"]) for row in csv.DictReader(stream)]
    assert len(scores) == data["games"] > 0
    assert sum(scores) / len(scores) == pytest.approx(data["mean"])


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_run_that_is_interrupted_leaves_the_file_of_an_earlier_one(
    tmp_path: Path, suffix: str
) -> None:
    file = tmp_path / f"games.{suffix}"
    words = ["simulate", "random", "--players", "2", "--save", str(file)]
    assert main([*words, "--games", "500"]) == 0
    complete = file.read_bytes()
    process = start(*words, "--games", "1000000000000")
    wait_for(tmp_path, f"games.{suffix}.*.part", 10_000, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert file.read_bytes() == complete
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert f"{file} is unchanged" in err


def test_the_next_complete_run_replaces_the_file(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    for games in (30, 20):
        words = ["simulate", "random", "--players", "2", "--save", str(file)]
        assert main([*words, "--games", str(games)]) == 0
        assert len(file.read_text().splitlines()) == 1 + games


@pytest.mark.parametrize("moment", [0.05, 0.15, 0.25, 0.35, 0.5, 0.7])
def test_sigterm_ends_a_command_at_any_moment(moment: float) -> None:
    """A script ignores SIGINT in its background jobs; that must not make them ignore SIGTERM."""
    words = ["simulate", "random", "--players", "2", "--games", "1000000000000"]
    line = shlex.join([*COMMAND, *words])
    process = subprocess.Popen(
        ["/bin/sh", "-c", f"trap '' INT; exec {line}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(moment)
    process.send_signal(signal.SIGTERM)
    try:
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    # Python kills itself with SIGINT if the interrupt was in an exec(), as that of a dataclass.
    assert process.returncode in (130, -signal.SIGINT, -signal.SIGTERM)
    assert "Traceback" not in err


def test_an_interrupt_in_a_callback_is_delivered_again(capfd: pytest.CaptureFixture[str]) -> None:
    """Python discards what a callback of a weak reference raises, and each import has one."""

    class Thing:
        pass

    def strike(dead: object) -> None:
        signal.raise_signal(signal.SIGTERM)

    def forget() -> None:
        thing = Thing()
        reference = weakref.ref(thing, strike)
        del thing
        assert reference() is None
        for _ in range(500):
            time.sleep(0.02)

    with sigterm_as_interrupt(), pytest.raises(KeyboardInterrupt):
        forget()
    assert capfd.readouterr().err == ""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the table of an undisturbed sweep."""
    file = tmp_path_factory.mktemp("sweep") / "whole.csv"
    assert main([*SWEEP, "--save", str(file)]) == 0
    return file


def test_a_killed_sweep_goes_on_where_it_was(
    tmp_path: Path, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "grid.csv"
    for lines in (2, 5):
        # Many more threads than cells need make the process no faster, but its end less orderly.
        process = start(*SWEEP, "--save", str(file), "--threads", "3")
        header, *rest = whole.read_text().splitlines(keepends=True)
        wait_for(tmp_path, file.name, len(header) + sum(map(len, rest[:lines])), process)
        process.kill()
        process.communicate()
    capsys.readouterr()
    assert main([*SWEEP, "--save", str(file), "--json"]) == 0
    out, err = capsys.readouterr()
    assert "of 12 cells were already in the file" in err
    assert json.loads(out)["resumed"] >= 5
    assert file.read_bytes() == whole.read_bytes()


def test_ctrl_c_keeps_the_finished_cells(tmp_path: Path, whole: Path) -> None:
    file = tmp_path / "grid.csv"
    process = start(*SWEEP, "--save", str(file), "--repeats", "60", "--json")
    wait_for(tmp_path, file.name, 400, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    if process.returncode == 0:  # it was faster than the signal
        return
    assert process.returncode == 130
    cells = json.loads(out)["cells"]
    assert f"interrupted: {len(cells)} of 12 cells are finished" in err
    assert len(file.read_text().splitlines()) == 1 + len(cells)


@pytest.mark.parametrize("cut", [1, 40])
def test_a_line_that_was_cut_off_is_played_again(tmp_path: Path, whole: Path, cut: int) -> None:
    file = tmp_path / "grid.csv"
    lines = whole.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:5])[:-cut])
    assert main([*SWEEP, "--save", str(file)]) == 0
    assert file.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (["--seed", "3"], "line 2 has seed 2, not 3"),
        (["--games", "301"], "line 2 has games 200, not 301"),
        (["--rules", "thesis"], "line 2 has rules classic, not thesis"),
        (["--players", "4"], "line 2 has players 3, not 4"),
        (["--vary", "safe=no"], "its first line is not the header"),
        (["--set", "safe=no"], "line 2 has strategy rule-based, not rule-based:safe=False"),
    ],
)
def test_the_file_of_another_sweep_is_refused(
    whole: Path, change: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = whole.read_bytes()
    assert main([*SWEEP, "--save", str(whole), *change]) == 2
    assert reason in capsys.readouterr().err
    assert whole.read_bytes() == before


def test_other_values_are_another_sweep(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = whole.read_bytes()
    others = ["sweep", *THRESHOLDS, *RUN, "--vary", "hint-rule=2,3"]
    assert main([*others, "--save", str(whole)]) == 2
    assert "another sweep, with play-threshold 0.0, hint-rule 1" in capsys.readouterr().err
    assert whole.read_bytes() == before


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "hello", "\x00\x01\n"])
def test_a_file_of_something_else_is_refused(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "grid.csv"
    file.write_text(content)
    assert main([*SWEEP, "--save", str(file)]) == 2
    assert "remove it or save elsewhere" in capsys.readouterr().err
    assert file.read_text() == content


def test_more_values_may_be_added_to_a_sweep(tmp_path: Path, whole: Path) -> None:
    file = tmp_path / "grid.csv"
    file.write_bytes(whole.read_bytes())
    wider = [word.replace("1,3", "1,3,4") for word in SWEEP]
    assert main([*wider, "--save", str(file)]) == 0
    assert file.read_bytes().startswith(whole.read_bytes())
    assert len(file.read_text().splitlines()) == 1 + 18


def test_json_lines_resume_too(tmp_path: Path) -> None:
    file = tmp_path / "grid.jsonl"
    assert main([*SWEEP, "--save", str(file)]) == 0
    everything = file.read_bytes()
    file.write_bytes(b"".join(everything.splitlines(keepends=True)[:7]) + b'{"strat')
    assert main([*SWEEP, "--save", str(file)]) == 0
    assert file.read_bytes() == everything
